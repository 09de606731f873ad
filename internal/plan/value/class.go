package value

// ClassValue returns a class as a value, without a label.
func ClassValue(c *Class) Value { return Value{Kind: KClass, Obj: c} }

// Class is a class, built in or defined by the program.
type Class struct {
	Name    string
	Qual    string
	Module  string
	Bases   []*Class
	MRO     []*Class // C3, itself first
	Attrs   Dict     // its own name space, in order of definition
	Layout  Kind     // what its instances are: KObject, or the kind of the built-in class that it derives from
	IsExc   bool     // derives from BaseException
	Final   bool     // cannot be derived from (bool, NoneType, …)
	Static  bool     // built in: attributes cannot be set, its natives are found by name
	Core    bool     // its methods are what the operators do by themselves
	kinds   int      // version of this class's attributes, for caches; changes with each write
	Meta    *Class   // the class of this class, of library modules; nil: type
	Maker   *Maker   // what the VM has learnt about making instances; nil: nothing
	traits  Traits   // what the class brings, as of version kinds; see [Thread.Traits]
	methods *methods // what was looked up last, beside the class
}

// Traits say which of the rare hooks of the attribute protocol a class has.
type Traits uint8

// The hooks. TraitsKnown says that the others have been looked for.
const (
	TraitsKnown Traits = 1 << iota
	HasGetattr
	HasSetattr
	HasDelattr
)

func (c *Class) Class(t *Thread) *Class {
	if c.Meta != nil {
		return c.Meta
	}
	return t.Types.Type
}

// shown is the class's name in messages: with its module where the class says
// so, which are those that are not written in Python in CPython.
func (c *Class) shown() string {
	if c.Static && c.Module != "builtins" {
		return c.Module + "." + c.Name
	}
	if !c.Static && c.Module != "__main__" {
		if _, ok := c.Attrs.Str("_qualified_"); ok {
			return c.Module + "." + c.Name
		}
	}
	return c.Name
}

// Derives reports whether c is base or derived from it.
func (c *Class) Derives(base *Class) bool {
	for _, k := range c.MRO {
		if k == base {
			return true
		}
	}
	return false
}

// Lookup finds an attribute along the method resolution order.
func (c *Class) Lookup(name string) (Value, *Class, bool) {
	for _, k := range c.MRO {
		if v, ok := k.Attrs.Str(name); ok {
			return v, k, true
		}
	}
	return Value{}, nil, false
}

// Solid is the built-in class that decides what instances of c are made of.
func (c *Class) Solid() *Class {
	for _, k := range c.MRO {
		if k.Static && (k.Layout != KObject || len(k.MRO) == 1) {
			return k
		}
	}
	return c
}

// Traits says which hooks class c has.
func (t *Thread) Traits(c *Class) Traits {
	if c.Static { // those are shared by all VMs, and have none of them
		return TraitsKnown
	}
	if c.traits&TraitsKnown != 0 && c.kinds == int(t.ClassVersion) {
		return c.traits
	}
	tr := TraitsKnown
	for _, h := range [...]struct {
		name string
		t    Traits
	}{{"__getattr__", HasGetattr}, {"__setattr__", HasSetattr}, {"__delattr__", HasDelattr}} {
		if _, owner, ok := c.Lookup(h.name); ok && !owner.Core {
			tr |= h.t
		}
	}
	c.traits, c.kinds = tr, int(t.ClassVersion)
	return tr
}

// Maker is what a VM knows about the instances of one class.
type Maker struct {
	Ver   uint32 // Thread.ClassVersion when it was learnt
	Fixed int    // arguments that Init takes, the object included, without any binding
	Init  *Func
	Attrs int // attributes that the last instance had when a new one was made
	Last  *Instance
}

// Union is what int | None makes: isinstance looks at it, and repr.
type Union struct{ Args []Value }

func (*Union) Class(t *Thread) *Class { return t.Types.Union }

// Union is a | b of classes, None and unions.
func (t *Thread) Union(a, b Value) (Value, error) {
	var args []Value
	for _, v := range [...]Value{a, b} {
		if u, ok := v.Obj.(*Union); ok {
			args = append(args, u.Args...)
		} else {
			args = append(args, v)
		}
	}
	return Value{Kind: KSpecial, Obj: &Union{args}}, t.Alloc(int64(len(args)) * ValueBytes)
}
