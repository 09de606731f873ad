package interp

// Class is a class, built in or defined by the program.
type Class struct {
	name   string
	qual   string
	module string
	bases  []*Class
	mro    []*Class // C3, itself first
	attrs  Dict     // its own name space, in order of definition
	layout Kind     // what its instances are: kObject, or the kind of the built-in class that it derives from
	isExc  bool     // derives from BaseException
	final  bool     // cannot be derived from (bool, NoneType, …)
	static bool     // built in: attributes cannot be set, its natives are found by name
	core   bool     // its methods are what the operators do by themselves
	kinds  int      // version of this class's attributes, for caches; changes with each write
}

func (c *Class) class(t *Thread) *Class { return t.types.Type }

// derives reports whether c is base or derived from it.
func (c *Class) derives(base *Class) bool {
	for _, k := range c.mro {
		if k == base {
			return true
		}
	}
	return false
}

// lookup finds an attribute along the method resolution order.
func (c *Class) lookup(name string) (Value, *Class, bool) {
	for _, k := range c.mro {
		if v, ok := k.attrs.str(name); ok {
			return v, k, true
		}
	}
	return Value{}, nil, false
}
