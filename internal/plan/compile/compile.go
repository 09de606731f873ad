package compile

import (
	"math"
	"math/big"
	"strconv"
	"strings"

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
		known = gatherFacts(m, o.Module, false)
	}
	sc := analyse(m, known)
	if len(sc.errs) > 0 {
		e := sc.errs[0]
		return nil, fault.New(fault.Invalid, "Correct the program.", "cannot compile the program: line %d: %s: %s", e.Pos.Line, e.Kind, e.Message)
	}
	own := gatherFacts(m, o.Module, true)
	c := &compiler{unit: &value.Unit{Module: o.Module, Strict: o.Strict, Hooks: own.operators}, scopes: &sc.scopes, strict: o.Strict, facts: known, pure: own}
	if o.Strict {
		c.pure = known // a region of a function that is called where data decided may stick, too
	}
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
	pure   *facts // says which functions change nothing; in normal mode by the program's own code

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
	return indexOf(&b.consts, key, func() int {
		b.code.Consts = append(b.code.Consts, v)
		return len(b.code.Consts) - 1
	})
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
	if e.Kind == syntax.None {
		b.emit(bytecode.LoadNone, 0)
	} else {
		b.emit(bytecode.LoadConst, b.constant(b.literal(e)))
	}
}

// indexOf returns the index of what key stands for in a list, to which add appends it.
func indexOf[K comparable](known *map[K]int, key K, add func() int) int {
	if i, ok := (*known)[key]; ok {
		return i
	}
	if *known == nil {
		*known = make(map[K]int)
	}
	i := add()
	(*known)[key] = i
	return i
}

// nameIndex returns the index of s in the code's names.
func (b *builder) nameIndex(s string) int {
	return indexOf(&b.names, s, func() int {
		b.code.Names = append(b.code.Names, s)
		return len(b.code.Names) - 1
	})
}

// site makes a cache site for an attribute; globalSite finds the one of a global name.
func (b *builder) site(s string) int {
	b.code.Sites = append(b.code.Sites, s)
	return len(b.code.Sites) - 1
}

func (b *builder) globalSite(s string) int {
	return indexOf(&b.global, s, func() int { return b.site(s) })
}

// keywordsIndex returns the index of a list of keyword names.
func (b *builder) keywordsIndex(names []string) int {
	return indexOf(&b.kwKeys, strings.Join(names, ","), func() int {
		b.code.Keywords = append(b.code.Keywords, names)
		return len(b.code.Keywords) - 1
	})
}

// Names.

// load pushes what a name means.
func (b *builder) load(name string) {
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

// places are instructions that do the same to a variable in each place where it may be:
// global, in the name space of a class, in a cell, in a slot.
type places [4]bytecode.Op

// at gives the instruction for a name, with its argument, and the variable in a slot.
func (p places) at(b *builder, name string) (op bytecode.Op, arg int, slot *variable) {
	name = b.scope.mangle(name)
	switch r := b.scope.resolve(name); {
	case r.kind == refGlobal:
		return p[0], b.globalSite(name), nil
	case r.kind == refName:
		return p[1], b.nameIndex(name), nil
	case r.kind == refFree:
		return p[2], b.slotOf[r.v], nil
	case r.v.cell:
		return p[2], r.v.slot, nil
	default:
		return p[3], r.v.slot, r.v
	}
}

// store pops into a name.
func (b *builder) store(name string) {
	b.pcTop()
	op, arg, v := places{bytecode.StoreGlobal, bytecode.StoreName, bytecode.StoreDeref, bytecode.StoreFast}.at(b, name)
	b.emit(op, arg)
	if v != nil {
		b.markBound(v)
	}
}

// del unbinds a name.
func (b *builder) del(name string) {
	op, arg, _ := places{bytecode.DeleteGlobal, bytecode.DeleteName, bytecode.DeleteDeref, bytecode.DeleteFast}.at(b, name)
	b.emit(op, arg)
}

// fold returns the literal that an expression is, or the negative of one.
func fold(e syntax.Expr) (*syntax.Constant, bool) {
	if c, ok := e.(*syntax.Constant); ok {
		return c, true
	}
	u, ok := e.(*syntax.UnaryOp)
	if !ok || u.Op != syntax.USub {
		return nil, false
	}
	c, ok := u.Operand.(*syntax.Constant)
	if !ok || c.Kind != syntax.Int && c.Kind != syntax.Float {
		return nil, false
	}
	out := &syntax.Constant{Span: u.Span, Kind: c.Kind, Int: -c.Int, Float: -c.Float}
	if c.Big != nil {
		if n := new(big.Int).Neg(c.Big); n.IsInt64() {
			out.Int = n.Int64()
		} else {
			out.Big = n
		}
	}
	return out, true
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
