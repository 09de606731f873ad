package check

import (
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// okind is the kind of an abstract object.
type okind uint8

const (
	oList okind = iota + 1
	oTuple
	oSet
	oDict
	oData   // a JSON value from outside: a dict, a list or a value without parts
	oOpaque // something of a native or of a module; elem is all that it holds
	oFunc
	oClass
	oInst
	oModule
	oNative // a function, method or class that is built in
	oBound  // a method with its object
	oTool
	oSpace // the names before a tool's dot
	oGen   // a generator or coroutine
	oIter  // an iterator; elem is what it gives
	oSuper
	oPartial
	oWrap // a property, static method or class method
)

// entry is what an object holds under a name.
type entry struct {
	name string
	v    val
	weak bool // it may be missing
}

// object is an abstract object: all the objects that one place makes.
type object struct {
	kind okind
	id   int32
	node syntax.Node // that makes it
	act  *activation

	shape          *lab    // length, order and membership
	elem           val     // what it holds beside ents
	keys           val     // of dicts, those that are not in ents
	ents           []entry // by key or, in lists and tuples, in order
	moved          bool    // the order of a list has changed, or its length is not known
	fewer          bool    // something may have been taken out
	made           bool    // a literal has put its elements in
	busy           bool    // something opaque is working
	calledBack     int32   // the round in which something opaque has called what it contains
	calledBackWith val
	calledBackPC   *lab
	late           *lab  // what control depends on where an iterator is walked
	absorbed       int32 // the round in which something opaque took something in last
	attrs          []entry
	other          val // attributes under names that are not known

	name  string // of natives, modules, tools, name spaces
	recv  val    // of methods: their object
	fn    val    // of methods: the function; of iterators: the functions and iterators that they use
	def   *tool.Definition
	code  *function  // of functions
	class *classInfo // of classes
	of    *object    // of instances: the class; of super: where to begin
	gen   *activation
	data  *dataInfo

	only oset // the set of it alone
	self [1]int32

	called map[int32]*activation // of functions, by context
	bodies []*activation
}

// function is the code of a def, a lambda or a generator expression.
type function struct {
	name     string
	args     *syntax.Arguments
	body     []syntax.Stmt
	expr     syntax.Expr // of lambdas
	gens     *syntax.Comp
	scope    *scope
	outer    *activation
	class    *object // it is defined in
	defaults []entry // by name of parameter
	lazy     bool    // a generator or coroutine
	async    bool
	cached   bool // calls may give what other calls have computed
}

// classInfo is what is known of a class of the program.
type classInfo struct {
	name   string
	bases  []*object // classes of the program
	native []string  // built-in classes among its bases
	loose  bool      // its body may leave out what it defines
	fields []string  // annotated names, in order
	odd    bool      // some fields are no usual parameters
	data   bool      // a dataclass, or the like: its fields are its parameters
}

// dataInfo is what is known of a JSON value.
type dataInfo struct {
	root *origin
	path jsondoc.Pointer
	typ  *schema.Type
	deep int
}

// origin is a tool call's result as a whole.
type origin struct {
	def       *tool.Definition
	may, must *lab
	lowered   []loweredPart // by the policy, with all that is in them
	shapes    []loweredPart // without what is in them
	lowMust   []loweredPart
	exact     map[jsondoc.Pointer]int32

	// Of a result whose definition labels parts by themselves:
	args   *lab // what all of it depends on
	site   syntax.Pos
	placed bool
}

type loweredPart struct {
	path  jsondoc.Pointer
	lab   *lab
	alone bool // without what is in it
}

type objectKey struct {
	node syntax.Node
	act  int32
	kind okind
	name string
}

// alloc returns the object that a place makes.
func (a *analysis) alloc(kind okind, n syntax.Node, act *activation, name string) *object {
	if a.merge != nil && (kind == oList || kind == oTuple || kind == oDict || kind == oSet) {
		n = a.merge
	}
	key := objectKey{n, act.id, kind, name}
	if id, ok := a.objectIDs[key]; ok {
		return a.objects[id]
	}
	o := a.newObject(kind, n, act)
	o.name = name
	a.objectIDs[key] = o.id
	if a.merge != nil {
		o.moved, o.fewer = true, true
	}
	return o
}

func (a *analysis) newObject(kind okind, n syntax.Node, act *activation) *object {
	o := &object{kind: kind, id: int32(len(a.objects)), node: n, act: act}
	o.self[0] = o.id
	o.only = oset{of: a, ids: o.self[:]}
	a.objects = append(a.objects, o)
	a.grew()
	if len(a.objects) > a.maxObjects {
		a.lose(pos(n), "the program makes too many objects to tell them apart")
	}
	return o
}

func pos(n syntax.Node) syntax.Pos {
	if n == nil {
		return syntax.Pos{}
	}
	return n.Range().Start
}

// ref is a value that is an object for certain.
func ref(o *object) val { return val{objs: &o.only, fl: reached} }

// grow joins v into a cell of an object and notes whether that changed anything.
func (a *analysis) grow(at *val, v val) {
	if v.bottom() && v.may == nil {
		return
	}
	if at.bottom() && at.may == nil {
		*at = v
		a.grew()
		return
	}
	j := join(*at, v)
	if !same(j, *at) {
		*at = j
		a.grew()
	}
}

func (a *analysis) growLab(at **lab, l *lab) {
	if !l.within(*at) {
		*at = union(*at, l)
		a.grew()
	}
}

func (a *analysis) flag(at *bool) {
	if !*at {
		*at = true
		a.grew()
	}
}

// ent finds an entry by name.
func ent(list []entry, name string) *entry {
	for i := range list {
		if list[i].name == name {
			return &list[i]
		}
	}
	return nil
}

// maxEntries bounds the entries that are distinguished; all others are one.
const maxEntries = 64

// setAttr stores an attribute.
func (a *analysis) setAttr(o *object, name string, v val) {
	if e := ent(o.attrs, name); e != nil {
		a.grow(&e.v, v)
		return
	}
	if len(o.attrs) >= 4*maxEntries {
		a.grow(&o.other, v)
		return
	}
	o.attrs = append(o.attrs, entry{name: name, v: v})
	a.grew()
}

// contents is all that a container holds, each joined with what reading it
// depends on: its elements, of a dict the values.
func (a *analysis) contents(o *object) val {
	v := o.elem
	for i := range o.ents {
		v = join(v, o.ents[i].v)
	}
	switch o.kind {
	case oData:
		v = join(v, a.dataItem(o))
	case oGen:
		v = join(v, o.gen.yields)
	}
	return v.with(o.shape)
}

// dictKeys is the keys of a dict.
func (o *object) dictKeys() val {
	v := o.keys
	if len(o.ents) > 0 {
		v = join(v, plain(nil, nil))
	}
	return v.with(o.shape)
}

// put stores an element somewhere in a container.
func (a *analysis) put(o *object, v val) {
	if o.kind == oTuple && len(o.ents) > 0 {
		a.flag(&o.moved)
	}
	a.grow(&o.elem, v)
}

// shuffle says that the order of a list has changed.
func (a *analysis) shuffle(o *object, l *lab) {
	a.flag(&o.moved)
	a.growLab(&o.shape, l)
}

// drop says that elements may have been taken out.
func (a *analysis) drop(o *object, l *lab) {
	a.flag(&o.moved)
	a.flag(&o.fewer)
	a.growLab(&o.shape, l)
}

// setKey stores under a key that is known, or not.
func (a *analysis) setKey(o *object, key, v val) {
	name, known := key.text()
	if !known || o.kind == oOpaque {
		a.grow(&o.keys, key)
		a.growLab(&o.shape, key.may)
		a.grow(&o.elem, v)
		return
	}
	a.growLab(&o.shape, key.may)
	if e := ent(o.ents, name); e != nil {
		a.grow(&e.v, v)
		return
	}
	if len(o.ents) >= maxEntries {
		a.grow(&o.keys, key)
		a.grow(&o.elem, v)
		return
	}
	o.ents = append(o.ents, entry{name: name, v: v, weak: true})
	a.grew()
}

// deep is all that a value depends on with everything that it holds.
func (a *analysis) deep(v val) *lab {
	l := v.may
	if v.objs == nil {
		return l
	}
	a.reach(v.objs, func(o *object) {
		l = union(l, o.shape)
		for _, w := range [...]*val{&o.elem, &o.keys, &o.other, &o.recv} {
			l = union(l, w.may)
		}
		for i := range o.ents {
			l = union(l, o.ents[i].v.may)
		}
		for i := range o.attrs {
			l = union(l, o.attrs[i].v.may)
		}
		if o.data != nil {
			l = union(l, a.dataDeep(o.data))
		}
		if o.kind == oGen {
			l = union(l, o.gen.yields.may)
		}
	})
	return l
}

// reach visits the objects that can be reached through what objects hold. The
// insides of functions, classes and modules are not values that are read with
// them.
func (a *analysis) reach(s *oset, visit func(*object)) {
	a.epoch++
	if n := len(a.objects); len(a.visited) < n {
		a.visited = append(a.visited, make([]int32, n-len(a.visited)+64)...)
	}
	epoch := a.epoch
	stack := a.stack[:0]
	push := func(s *oset) {
		for _, id := range s.all() {
			if a.visited[id] != epoch {
				a.visited[id] = epoch
				stack = append(stack, id)
			}
		}
	}
	push(s)
	for len(stack) > 0 {
		o := a.objects[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		a.step(1)
		visit(o)
		switch o.kind {
		case oFunc, oClass, oModule, oSpace, oTool:
			continue
		}
		push(o.elem.objs)
		if o.kind == oGen {
			push(o.gen.yields.objs)
		}
		push(o.keys.objs)
		push(o.other.objs)
		push(o.recv.objs)
		push(o.fn.objs)
		for i := range o.ents {
			push(o.ents[i].v.objs)
		}
		for i := range o.attrs {
			push(o.attrs[i].v.objs)
		}
	}
	a.stack = stack[:0]
}
