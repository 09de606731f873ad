package builtin

import (
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// objectBuiltins are the built-in functions about objects and their attributes.
func objectBuiltins() []*value.Native {
	return []*value.Native{
		{Name: "isinstance", Params: "obj, class_or_tuple, /", Call: builtinIsInstance},
		{Name: "issubclass", Params: "cls, class_or_tuple, /", Call: builtinIsSubclass},
		{Name: "callable", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Bool(t.Callable(a.Pos[0])), nil
		}},
		{Name: "getattr", Params: "object, name, default=None, /", Call: builtinGetAttr, Precise: true},
		{Name: "hasattr", Params: "obj, name, /", Call: builtinHasAttr},
		{Name: "setattr", Params: "obj, name, value, /", Call: builtinSetAttr, Precise: true},
		{Name: "delattr", Params: "obj, name, /", Call: builtinDelAttr, Precise: true},
		{Name: "vars", Params: "object, /", Call: builtinVars, Precise: true},
	}
}

func builtinIsInstance(t *value.Thread, a *value.Args) (value.Value, error) {
	ok, err := isAny(t, false, a.Pos[0], a.Pos[1], 0)
	return value.Bool(ok), err
}

// isAny reports whether v is an instance of a class, or of one in a tuple of them; sub:
// whether the class v derives from it.
func isAny(t *value.Thread, sub bool, v, of value.Value, depth int) (bool, error) {
	hook, fail := "__instancecheck__", "isinstance() arg 2 must be a type, a tuple of types, or a union"
	if sub {
		hook, fail = "__subclasscheck__", "issubclass() arg 2 must be a class, a tuple of classes, or a union"
	}
	t.See(of.Label)
	switch o := of.Obj.(type) {
	case *value.Class:
		if o.Meta != nil {
			if fn, owner, ok := o.Meta.Lookup(hook); ok && !owner.Core {
				r, err := t.Call(fn, []value.Value{of, v}, nil, nil)
				if err != nil {
					return false, err
				}
				return t.Truth(r)
			}
		}
		if sub {
			return v.Obj.(*value.Class).Derives(o), nil
		}
		return t.IsInstance(v, o), nil
	case *value.Tuple:
		if depth > 100 {
			return false, t.Raise(t.Types.RecursionError, "maximum recursion depth exceeded in %s", hook)
		}
		for _, c := range o.Items {
			if ok, err := isAny(t, sub, v, c, depth+1); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if of.Kind == value.KNone && depth > 0 && !sub {
		return v.Kind == value.KNone, nil
	}
	if fn, ok := t.Override(of, hook); ok && fn.Kind != value.KNone {
		r, _, err := t.CallSpecial(of, hook, v)
		if err != nil {
			return false, err
		}
		return t.Truth(r)
	}
	return false, t.Raise(t.Types.TypeError, "%s", fail)
}

func builtinIsSubclass(t *value.Thread, a *value.Args) (value.Value, error) {
	if a.Pos[0].Kind != value.KClass {
		return value.Value{}, t.Raise(t.Types.TypeError, "issubclass() arg 1 must be a class")
	}
	ok, err := isAny(t, true, a.Pos[0], a.Pos[1], 0)
	return value.Bool(ok), err
}

// attrName reads the argument that names an attribute.
func attrName(t *value.Thread, fn string, v value.Value) (string, error) {
	s, ok := t.Payload(v, value.KStr)
	if !ok {
		return "", t.FailOf(v, t.Types.TypeError, "attribute name must be string, not '%s'", t.ClassName(v))
	}
	return s.Obj.(*value.Str).Text, nil
}

func builtinGetAttr(t *value.Thread, a *value.Args) (value.Value, error) {
	o, other := a.Pos[0], a.Pos[2]
	name, err := attrName(t, "getattr", a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	l := a.Pos[1].Label
	if l != 0 && t.Hooks && value.InstanceOf(o) != nil {
		t.Stick(l) // which of the attributes that are code runs
	}
	if plainlyRead(t, o) {
		at, ok := t.Find(o, name)
		switch {
		case ok && at.Call && at.Args != nil && other.Kind == value.KUnset:
			t.Tail.Label = 0
			l = t.Join(at.Value.Label, t.Join(at.Label, l))
			if len(at.Args) > 1 { // data chose the object, not the descriptor
				return t.TailCall(at.Value.With(l), at.Args, nil, nil)
			}
			get := value.Value{Kind: value.KMethod, Obj: &value.Method{Self: at.Args[0], Fn: at.Value}}
			return t.TailCall(get.With(l), nil, nil, nil)
		case !ok && other.Kind != value.KUnset:
			if in := value.InstanceOf(o); in != nil {
				l = t.Join(l, in.Attrs.Shape)
			}
			return other.With(t.Join(other.Label, t.Join(l, o.Label))), nil
		}
	} else if other.Kind != value.KUnset {
		return t.TailBuiltin("_attr_or", o, a.Pos[1], other)
	}
	v, err := t.GetAttr(o, name)
	if err == nil {
		return v.With(t.Join(v.Label, l)), nil
	}
	r, is := err.(*value.Raise)
	if is {
		r.Label = t.Join(r.Label, l)
	}
	if is && other.Kind != value.KUnset && r.Exc.Cls.Derives(t.Types.AttributeError) {
		return other.With(t.Join(other.Label, t.Join(r.Label, o.Label))), nil
	}
	return value.Value{}, err
}

// plainlyRead reports whether the program has no say in what o's attributes are, but for properties.
func plainlyRead(t *value.Thread, o value.Value) bool {
	if o.Kind != value.KObject && !(o.Kind == value.KClass && o.Obj.(*value.Class).Meta != nil) {
		return true
	}
	return t.Traits(t.ClassOf(o))&value.HasGetattr == 0
}

func builtinHasAttr(t *value.Thread, a *value.Args) (value.Value, error) {
	name, err := attrName(t, "hasattr", a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	if !plainlyRead(t, a.Pos[0]) {
		return t.TailBuiltin("_has_attr", a.Pos[0], a.Pos[1])
	}
	at, ok := t.Find(a.Pos[0], name)
	if ok && at.Call {
		return t.TailBuiltin("_has_attr", a.Pos[0], a.Pos[1])
	}
	if in := value.InstanceOf(a.Pos[0]); in != nil {
		t.See(in.Attrs.Shape)
	}
	return value.Bool(ok), nil
}

func builtinSetAttr(t *value.Thread, a *value.Args) (value.Value, error) {
	name, err := attrName(t, "setattr", a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	v := a.Pos[2]
	l := a.Pos[1].Label
	named(t, a.Pos[0], l)
	err = t.SetAttr(a.Pos[0], name, t.Under(v.With(t.Join(v.Label, l))))
	if in := value.InstanceOf(a.Pos[0]); err == nil && in != nil && l != 0 {
		// vars shows which attributes there are.
		if at := in.Attrs.Place(name); at >= 0 {
			in.Attrs.Entries[at].Key.Label = t.Join(in.Attrs.Entries[at].Key.Label, l)
		}
	}
	return value.None, err
}

// named notes that a name of label l says which attribute of o is changed: it
// could have been any other.
func named(t *value.Thread, o value.Value, l label.ID) {
	if l == 0 {
		return
	}
	in := value.InstanceOf(o)
	if in == nil || t.Hooks {
		t.Stick(l)
		return
	}
	t.Mark(&in.Attrs.Shape, l)
	for i := range in.Attrs.Entries {
		v := &in.Attrs.Entries[i].Val
		v.Label = t.Join(v.Label, l)
	}
}

func builtinDelAttr(t *value.Thread, a *value.Args) (value.Value, error) {
	name, err := attrName(t, "delattr", a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	named(t, a.Pos[0], a.Pos[1].Label)
	return value.None, t.DelAttr(a.Pos[0], name)
}

func builtinVars(t *value.Thread, a *value.Args) (value.Value, error) {
	v, err := t.GetAttr(a.Pos[0], "__dict__")
	if r, ok := err.(*value.Raise); ok && r.Exc.Cls.Derives(t.Types.AttributeError) {
		return value.Value{}, t.FailOf(a.Pos[0], t.Types.TypeError, "vars() argument must have __dict__ attribute")
	}
	return v, err
}
