package compile

import (
	"math"
	"math/big"
	"strconv"

	"praxis/fault"
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// Options say what is compiled, and for which mode.
type Options struct {
	Module string // "" is the plan itself
	Strict bool   // with instructions for the labels of control
}

// maxInstrs bounds the instructions of one unit, counted before they are fused.
const maxInstrs = 2 << 20

// Compile makes code of a program that uses nothing that the language leaves out.
// The first thing that is wrong with it is a fault of kind Invalid that names the place.
func Compile(m *syntax.Module, o Options) (*value.Unit, error) {
	var known *facts
	if o.Strict {
		known = gatherFacts(m, false)
	}
	sc := analyse(m, known)
	if len(sc.errs) > 0 {
		e := sc.errs[0]
		return nil, fault.New(fault.Invalid, "Correct the program.", "cannot compile the program: line %d: %s: %s", e.Pos.Line, e.Kind, e.Message)
	}
	own := gatherFacts(m, true)
	c := &compiler{unit: &value.Unit{Module: o.Module, Strict: o.Strict, Hooks: own.operators}, scopes: &sc.scopes, strict: o.Strict, facts: known, own: own}
	c.module(m)
	if c.err != nil {
		return nil, c.err
	}
	return c.unit, nil
}

// compiler is what the codes of one unit share.
type compiler struct {
	unit   *value.Unit
	scopes *scopes
	strict bool
	facts  *facts // strict mode: what the whole program may do
	own    *facts // what it may do by its own code, without that of modules

	strings map[string]*value.Str // equal literals are one object
	emitted int
	err     error
}

// fail keeps the first error; the rest of the program is still walked.
func (c *compiler) fail(pos syntax.Pos, format string, args ...any) {
	if c.err == nil {
		f := fault.New(fault.Invalid, "Make the program smaller.", format, args...)
		f.Message = "cannot compile the program: line " + strconv.Itoa(int(pos.Line)) + ": " + f.Message
		c.err = f
	}
}

// str returns the value of a string literal.
func (c *compiler) str(s string) value.Value {
	o := c.strings[s]
	if o == nil {
		if c.strings == nil {
			c.strings = make(map[string]*value.Str)
		}
		o = value.ConstStr(s)
		c.strings[s] = o
	}
	return value.Value{Kind: value.KStr, Obj: o}
}

// place is a spot in the code that jumps go to.
type place struct {
	at    int // in builder.ins; -1 as long as it is not known
	depth int // of the stack, -1 as long as no jump was seen
	bound slotSet
}

// slotSet is the set of slots that are known to be bound; slots beyond it never are.
type slotSet [16]uint64

func (s *slotSet) has(i int) bool { return i < len(s)*64 && s[i/64]>>(i%64)&1 != 0 }

func (s *slotSet) add(i int) {
	if i < len(s)*64 {
		s[i/64] |= 1 << (i % 64)
	}
}

func (s *slotSet) remove(i int) {
	if i < len(s)*64 {
		s[i/64] &^= 1 << (i % 64)
	}
}

func (s *slotSet) intersect(o *slotSet) {
	for i := range s {
		s[i] &= o[i]
	}
}

// ins is an instruction before it is encoded.
type ins struct {
	op     bytecode.Op
	target bool // something jumps or a protected range begins or ends here: it is not fused with what precedes
	words  uint8
	arg    int32
	word   int32
	to     *place // of a jump
	pos    syntax.Pos
}

// builder makes one Code.
type builder struct {
	c     *compiler
	code  *value.Code
	outer *builder
	scope *scope // what names mean here
	own   *scope // the scope of the code

	ins      []ins
	boundary bool // the next instruction is a target
	pos      syntax.Pos
	depth    int  // of the stack
	dead     bool // what follows cannot be reached
	bound    slotSet
	blocks   []block
	tries    []value.Try
	handlers []*place // of tries

	slotOf map[*variable]int // of free variables
	spare  []int             // hidden slots that are not in use
	rets   []int             // slots that keep return values while finally blocks run, by nesting
	saving int               // finally blocks around that were made for a return

	consts map[constKey]int
	names  map[string]int
	global map[string]int // sites of global names
	kwKeys map[string]int

	restores bool    // strict mode: pc is restored where the function returns
	whole    *region // strict mode: the function's body
}

type constKey struct {
	k value.Kind
	n int64
	s string
}

func (c *compiler) build(outer *builder, s *scope, name string) *builder {
	code := &value.Code{Unit: c.unit, ID: len(c.unit.Codes), Name: name, Qual: name, Star: -1, KwStar: -1}
	c.unit.Codes = append(c.unit.Codes, code)
	b := &builder{c: c, code: code, outer: outer, scope: s, own: s}
	if outer != nil {
		code.Qual = outer.qualify(s, name)
	}
	return b
}

// qualify gives the qualified name of what is defined here.
func (b *builder) qualify(s *scope, name string) string {
	if s != nil && b.own.globals[s.mangle(name)] {
		return name
	}
	switch b.own.kind {
	case scopeModule:
		return name
	case scopeClass:
		return b.code.Qual + "." + name
	}
	return b.code.Qual + ".<locals>." + name
}

// begin gives the variables of the scope their slots: parameters, free
// variables, then the rest.
func (b *builder) begin() {
	s := b.own
	var params []*variable
	if s.kind == scopeFunc || s.kind == scopeGen {
		params = s.order[:s.params]
	}
	for _, v := range params {
		v.slot = b.slot(v.name)
		b.bound.add(v.slot)
	}
	b.code.Params = len(params)
	b.slotOf = make(map[*variable]int, len(s.free))
	for _, v := range s.free {
		b.slotOf[v] = b.slot(v.name)
	}
	b.code.Free = len(s.free)
	for _, v := range params {
		if v.cell {
			b.emit(bytecode.MakeCell, v.slot)
		}
	}
	if s.classCell != nil && s.classCell.cell {
		s.classCell.slot = b.slot("__class__")
		b.emit(bytecode.MakeCell, s.classCell.slot)
	}
	if s.kind == scopeFunc {
		b.variables(s.order[s.params:], s)
	}
}

// variables gives slots to variables that are not parameters.
func (b *builder) variables(list []*variable, s *scope) {
	for _, v := range list {
		if s.nonlocals[v.name] || s.globals[v.name] {
			continue
		}
		v.slot = b.slot(v.name)
		if v.cell {
			b.emit(bytecode.MakeCell, v.slot)
		}
	}
}

// slot adds a slot.
func (b *builder) slot(name string) int {
	b.code.Slots = append(b.code.Slots, name)
	return len(b.code.Slots) - 1
}

// hidden takes a slot that the program cannot name; release gives it back.
func (b *builder) hidden() int {
	if n := len(b.spare); n > 0 {
		s := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return s
	}
	return b.slot(".t")
}

func (b *builder) release(slot int) { b.spare = append(b.spare, slot) }

// at sets the place in the source of the instructions that follow, and returns the one before.
func (b *builder) at(n syntax.Node) syntax.Pos {
	old := b.pos
	b.pos = n.Range().Start
	return old
}

// emit adds an instruction, unless it cannot be reached.
func (b *builder) emit(op bytecode.Op, arg int) { b.add(ins{op: op, arg: int32(arg)}, arg) }

// emit2 adds an instruction of two words.
func (b *builder) emit2(op bytecode.Op, arg, word int) {
	b.add(ins{op: op, words: 1, arg: int32(arg), word: int32(word)}, arg)
}

func (b *builder) add(n ins, arg int) {
	if b.dead {
		return
	}
	if arg > bytecode.MaxArg || b.c.emitted >= maxInstrs {
		b.c.fail(b.pos, "the program is too large")
		b.dead = true
		return
	}
	b.c.emitted++
	n.pos = b.pos
	n.target = b.boundary
	b.boundary = false
	b.ins = append(b.ins, n)
	b.adjust(effect(n.op, int(n.arg), int(n.word)))
	switch n.op {
	case bytecode.Return, bytecode.ReturnNone, bytecode.ReturnClass, bytecode.Raise, bytecode.Reraise, bytecode.AssertError, bytecode.Jump, bytecode.JumpBack:
		b.dead = true
	}
}

func (b *builder) adjust(n int) {
	b.depth += n
	b.code.Stack = max(b.code.Stack, b.depth)
}

// jump adds an instruction that goes to p.
func (b *builder) jump(op bytecode.Op, p *place) {
	if b.dead {
		return
	}
	after := b.depth + effect(op, 0, 0)
	switch op {
	case bytecode.JumpFalseKeep, bytecode.JumpTrueKeep:
		after = b.depth
	case bytecode.ForIter:
		after = b.depth - 1
	}
	b.reach(p, after)
	b.add(ins{op: op, to: p}, 0)
}

// reach notes that p can be reached with what is known now.
func (b *builder) reach(p *place, depth int) {
	if p.depth < 0 {
		p.depth = depth
		p.bound = b.bound
	} else {
		p.bound.intersect(&b.bound)
	}
}

func newPlace() *place { return &place{at: -1, depth: -1} }

// set puts p here.
func (b *builder) set(p *place) {
	p.at = len(b.ins)
	switch {
	case p.depth < 0: // only reached by falling into it, or from below
		p.depth = b.depth
	case b.dead:
		b.dead = false
		b.depth = p.depth
		b.bound = p.bound
	default:
		b.bound.intersect(&p.bound)
	}
	b.boundary = true
}

// head is a place that jumps from below go to. What is bound there is what is
// bound on the way in: a variable that may be unbound further down never counts as bound.
func (b *builder) head() *place {
	p := newPlace()
	b.set(p)
	return p
}

// Constants.

func (b *builder) constant(v value.Value, key constKey) int {
	if b.consts == nil {
		b.consts = make(map[constKey]int)
	}
	if i, ok := b.consts[key]; ok {
		return i
	}
	i := len(b.code.Consts)
	b.code.Consts = append(b.code.Consts, v)
	b.consts[key] = i
	return i
}

func (b *builder) strConst(s string) int {
	return b.constant(b.c.str(s), constKey{k: value.KStr, s: s})
}

// loadStr pushes a string.
func (b *builder) loadStr(s string) { b.emit(bytecode.LoadConst, b.strConst(s)) }

// literal returns the value of a literal that is not None, True or False.
func (b *builder) literal(e *syntax.Constant) (value.Value, constKey) {
	switch e.Kind {
	case syntax.Int:
		if e.Big != nil {
			return value.Value{Kind: value.KBig, Obj: &value.Big{Int: e.Big}}, constKey{k: value.KBig, s: string(e.Big.Append(nil, 62))}
		}
		return value.Int(e.Int), constKey{k: value.KInt, n: e.Int}
	case syntax.Float:
		return value.Float(e.Float), constKey{k: value.KFloat, n: int64(math.Float64bits(e.Float))}
	case syntax.Bytes:
		return value.Value{Kind: value.KBytes, Obj: &value.Bytes{Data: e.Str}}, constKey{k: value.KBytes, s: e.Str}
	case syntax.Str:
		return b.c.str(e.Str), constKey{k: value.KStr, s: e.Str}
	case syntax.Ellipsis:
		return value.Value{Kind: value.KEllipsis}, constKey{k: value.KEllipsis}
	case syntax.None:
		return value.None, constKey{k: value.KNone}
	case syntax.True, syntax.False:
		v := value.Bool(e.Kind == syntax.True)
		return v, constKey{k: value.KBool, n: v.N}
	}
	b.c.fail(e.Start, "complex numbers are not part of the language")
	return value.None, constKey{k: value.KNone}
}

func (b *builder) constantExpr(e *syntax.Constant) {
	switch e.Kind {
	case syntax.None:
		b.emit(bytecode.LoadNone, 0)
	case syntax.True:
		b.emit(bytecode.LoadTrue, 0)
	case syntax.False:
		b.emit(bytecode.LoadFalse, 0)
	default:
		b.emit(bytecode.LoadConst, b.constant(b.literal(e)))
	}
}

// nameIndex returns the index of s in the code's names.
func (b *builder) nameIndex(s string) int {
	if i, ok := b.names[s]; ok {
		return i
	}
	if b.names == nil {
		b.names = make(map[string]int)
	}
	i := len(b.code.Names)
	b.code.Names = append(b.code.Names, s)
	b.names[s] = i
	return i
}

// site makes a cache site for an attribute; globalSite finds the one of a global name.
func (b *builder) site(s string) int {
	b.code.Sites = append(b.code.Sites, s)
	return len(b.code.Sites) - 1
}

func (b *builder) globalSite(s string) int {
	if i, ok := b.global[s]; ok {
		return i
	}
	if b.global == nil {
		b.global = make(map[string]int)
	}
	i := b.site(s)
	b.global[s] = i
	return i
}

// keywordsIndex returns the index of a list of keyword names.
func (b *builder) keywordsIndex(names []string) int {
	key := ""
	for _, n := range names {
		key += n + ","
	}
	if i, ok := b.kwKeys[key]; ok {
		return i
	}
	if b.kwKeys == nil {
		b.kwKeys = make(map[string]int)
	}
	i := len(b.code.Keywords)
	b.code.Keywords = append(b.code.Keywords, names)
	b.kwKeys[key] = i
	return i
}

// Names.

// load pushes what a name means.
func (b *builder) load(name string) {
	if name == "__debug__" {
		b.emit(bytecode.LoadTrue, 0)
		return
	}
	name = b.scope.mangle(name)
	switch r := b.scope.resolve(name); r.kind {
	case refGlobal:
		b.emit(bytecode.LoadGlobal, b.globalSite(name))
	case refName:
		b.emit(bytecode.LoadName, b.globalSite(name))
	case refFree:
		b.emit(bytecode.LoadDeref, b.slotOf[r.v])
	case refLocal:
		b.loadVar(r.v)
	}
}

func (b *builder) loadVar(v *variable) {
	switch {
	case v.cell:
		b.emit(bytecode.LoadDeref, v.slot)
	case b.bound.has(v.slot):
		b.emit(bytecode.LoadFast, v.slot)
	default:
		if v.home.kind == scopeInline && v.opened < len(b.ins) && b.ins[v.opened].op == bytecode.Nop {
			b.ins[v.opened].op = bytecode.ClearFast
		}
		b.emit(bytecode.LoadFastCheck, v.slot)
		b.markBound(v)
	}
}

func (b *builder) markBound(v *variable) {
	if !v.deleted && !b.dead {
		b.bound.add(v.slot)
	}
}

// store pops into a name.
func (b *builder) store(name string) {
	b.pcTop()
	name = b.scope.mangle(name)
	switch r := b.scope.resolve(name); {
	case r.kind == refGlobal:
		b.emit(bytecode.StoreGlobal, b.globalSite(name))
	case r.kind == refName:
		b.emit(bytecode.StoreName, b.nameIndex(name))
	case r.kind == refFree:
		b.emit(bytecode.StoreDeref, b.slotOf[r.v])
	case r.v.cell:
		b.emit(bytecode.StoreDeref, r.v.slot)
	default:
		b.emit(bytecode.StoreFast, r.v.slot)
		b.markBound(r.v)
	}
}

// del unbinds a name.
func (b *builder) del(name string) {
	name = b.scope.mangle(name)
	switch r := b.scope.resolve(name); {
	case r.kind == refGlobal:
		b.emit(bytecode.DeleteGlobal, b.globalSite(name))
	case r.kind == refName:
		b.emit(bytecode.DeleteName, b.nameIndex(name))
	case r.kind == refFree:
		b.emit(bytecode.DeleteDeref, b.slotOf[r.v])
	case r.v.cell:
		b.emit(bytecode.DeleteDeref, r.v.slot)
	default:
		b.emit(bytecode.DeleteFast, r.v.slot)
	}
}

// foldInt adds, subtracts or multiplies small ints; false when it does not fit.
func foldInt(op syntax.Operator, x, y int64) (int64, bool) {
	a, c := big.NewInt(x), big.NewInt(y)
	switch op {
	case syntax.Add:
		a.Add(a, c)
	case syntax.Sub:
		a.Sub(a, c)
	case syntax.Mult:
		a.Mul(a, c)
	default:
		return 0, false
	}
	return a.Int64(), a.IsInt64()
}

// fold computes what is known of an expression before it runs: literals, signs
// and small sums. Nothing is folded that could grow or fail.
func fold(e syntax.Expr) (*syntax.Constant, bool) { return foldTo(e, maxFold) }

// maxFold bounds the height of what is folded, as each level of an expression tries.
const maxFold = 8

func foldTo(e syntax.Expr, height int) (*syntax.Constant, bool) {
	if height == 0 {
		return nil, false
	}
	switch e := e.(type) {
	case *syntax.Constant:
		return e, true
	case *syntax.UnaryOp:
		if e.Op != syntax.USub {
			return nil, false
		}
		x, ok := foldTo(e.Operand, height-1)
		if !ok {
			return nil, false
		}
		switch {
		case x.Kind == syntax.Int && x.Big == nil && x.Int != math.MinInt64:
			return &syntax.Constant{Span: e.Span, Kind: syntax.Int, Int: -x.Int}, true
		case x.Kind == syntax.Int && x.Big != nil:
			n := new(big.Int).Neg(x.Big)
			if n.IsInt64() {
				return &syntax.Constant{Span: e.Span, Kind: syntax.Int, Int: n.Int64()}, true
			}
			return &syntax.Constant{Span: e.Span, Kind: syntax.Int, Big: n}, true
		case x.Kind == syntax.Float:
			return &syntax.Constant{Span: e.Span, Kind: syntax.Float, Float: -x.Float}, true
		}
	case *syntax.BinOp:
		if e.Op != syntax.Add && e.Op != syntax.Sub && e.Op != syntax.Mult {
			return nil, false
		}
		x, ok := foldTo(e.Left, height-1)
		if !ok || x.Kind != syntax.Int || x.Big != nil {
			return nil, false
		}
		y, ok := foldTo(e.Right, height-1)
		if !ok || y.Kind != syntax.Int || y.Big != nil {
			return nil, false
		}
		if n, ok := foldInt(e.Op, x.Int, y.Int); ok {
			return &syntax.Constant{Span: e.Span, Kind: syntax.Int, Int: n}, true
		}
	}
	return nil, false
}

// known returns the truth of an expression that does not depend on anything.
func known(e syntax.Expr) (truth, ok bool) {
	c, isConst := fold(e)
	if !isConst {
		return false, false
	}
	switch c.Kind {
	case syntax.None, syntax.False:
		return false, true
	case syntax.True, syntax.Ellipsis:
		return true, true
	case syntax.Int:
		return c.Big != nil || c.Int != 0, true
	case syntax.Float:
		return c.Float != 0, true
	case syntax.Str, syntax.Bytes:
		return c.Str != "", true
	}
	return false, false
}
