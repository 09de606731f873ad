package builtin

import "praxis/internal/plan/value"

// dictNatives are the methods of dicts.
func dictNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KDict, "dict."+name, params, f).Exact()
	}
	return append([]*value.Native{
		{Name: "dict.__new__", Params: "", Call: dictNew, Precise: true},
		{Name: "dict.fromkeys", Params: "cls, iterable, value=None, /", Call: dictFromKeys, Precise: true, Drains: []int{1}},
		m("__init__", "", dictInit),
		m("get", "self, key, default=None, /", dictGet),
		m("setdefault", "self, key, default=None, /", dictSetDefault),
		m("pop", "self, key, default=None, /", dictPop),
		m("popitem", "self, /", dictPopItem),
		m("update", "", dictUpdateMethod),
		m("clear", "self, /", dictClear),
		m("copy", "self, /", dictCopy),
		m("keys", "self, /", viewOf(value.ViewKeys)),
		m("values", "self, /", viewOf(value.ViewValues)),
		m("items", "self, /", viewOf(value.ViewItems)),
	}, dunders(value.KDict, "dict", "__len__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __repr__ "+
		"__or__ __eq__ __ne__")...)
}

func dictNew(t *value.Thread, a *value.Args) (value.Value, error) {
	d := &value.Dict{}
	v := value.Value{Kind: value.KDict, Obj: d}
	if !a.Pos[0].Obj.(*value.Class).Static {
		return t.Construct(a.Pos[0], v), t.Alloc(value.StrBytes)
	}
	return filled(t, "dict.__new__", v, v, a)
}

func dictInit(t *value.Thread, a *value.Args) (value.Value, error) {
	return filled(t, "dict.__init__", a.Pos[0], value.None, a)
}

func dictUpdateMethod(t *value.Thread, a *value.Args) (value.Value, error) {
	return filled(t, "dict.update", a.Pos[0], value.None, a)
}

// filled adds what the arguments of the native name give to the dict v, and
// returns result. The program's own code is called first, in frames
// of the machine, and then the native is called again.
func filled(t *value.Thread, name string, v, result value.Value, a *value.Args) (value.Value, error) {
	if len(a.Pos) > 2 {
		return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes at most one positional argument, got %d", name, len(a.Pos)-1)
	}
	if len(a.Pos) > 1 && t.Foreign(a.Pos[1]) {
		if _, ok := t.PlainDict(a.Pos[1]); !ok {
			if _, ok := t.Override(a.Pos[1], "keys"); !ok && len(a.Names) == 0 {
				if result.Kind == value.KDict {
					return t.TailBuiltin("_into", t.NativeValue("dict.update"), v, a.Pos[1])
				}
				return t.InParts(name, v, a.Pos[1])
			}
			fn, err := t.MachineFunc("filled")
			if err != nil {
				return value.Value{}, err
			}
			n := value.Value{Kind: value.KNative, Obj: t.Natives[name]}
			return t.TailCall(fn, append([]value.Value{n}, a.Pos...), a.Names, a.Named)
		}
	}
	return result, fillDict(t, v, a)
}

// fillDict adds what the second positional argument and the keywords give.
func fillDict(t *value.Thread, v value.Value, a *value.Args) error {
	if len(a.Pos) > 1 {
		if err := t.DictUpdate(v, a.Pos[1]); err != nil {
			return err
		}
	}
	d := v.Obj.(*value.Dict)
	if v.Label != 0 || t.PC != 0 {
		t.Mark(&d.Shape, v.Label)
	}
	for i, name := range a.Names {
		if err := d.Set(t, t.Str(name).With(t.KeyLabel), a.Named[i]); err != nil {
			return err
		}
	}
	return nil
}

func dictFromKeys(t *value.Thread, a *value.Args) (value.Value, error) {
	val := a.Pos[2]
	if val.Kind == value.KUnset {
		val = value.None
	}
	if !a.Pos[0].Obj.(*value.Class).Static {
		v, err := t.Call(a.Pos[0], nil, nil, nil)
		if err != nil {
			return value.Value{}, err
		}
		return v, t.Each(a.Pos[1], func(k value.Value) error { return t.SetItem(v, k, val) })
	}
	d := &value.Dict{}
	v := value.Value{Kind: value.KDict, Obj: d}
	s, err := t.Shaped(func() error {
		return t.Each(a.Pos[1], func(k value.Value) error { return d.Set(t, k, val) })
	})
	t.Mark(&d.Shape, s)
	return v, err
}

func dictGet(t *value.Thread, a *value.Args) (value.Value, error) {
	self := a.Pos[0]
	v, ok, err := self.Obj.(*value.Dict).Get(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	if !ok {
		l := v.Label
		if v = a.Pos[2]; v.Kind == value.KUnset {
			v = value.None
		}
		v.Label = t.Join(v.Label, l)
	}
	if self.Label != 0 {
		v.Label = t.Join(v.Label, self.Label)
	}
	return v, nil
}

func dictSetDefault(t *value.Thread, a *value.Args) (value.Value, error) {
	self := a.Pos[0]
	d := self.Obj.(*value.Dict)
	v := a.Pos[2]
	if v.Kind == value.KUnset {
		v = value.None
	}
	t.Mark(&d.Shape, self.Label)
	v, err := d.SetDefault(t, a.Pos[1], v)
	return v.With(t.Join(v.Label, self.Label)), err
}

func dictPop(t *value.Thread, a *value.Args) (value.Value, error) {
	self := a.Pos[0]
	d := self.Obj.(*value.Dict)
	var v value.Value
	var ok bool
	var err error
	if d.Live > 0 {
		v, ok, err = d.Del(t, a.Pos[1])
	} else { // the key is not even hashed
		v.Label = t.Join(d.Shape, a.Pos[1].Label)
	}
	if err != nil {
		return value.Value{}, err
	}
	t.Mark(&d.Shape, self.Label)
	l := t.Join(v.Label, self.Label)
	if !ok {
		if a.Pos[2].Kind == value.KUnset {
			return value.Value{}, t.Missing(self, a.Pos[1], l)
		}
		v = a.Pos[2]
		l = t.Join(l, v.Label)
	}
	return v.With(l), nil
}

func dictPopItem(t *value.Thread, a *value.Args) (value.Value, error) {
	d := a.Pos[0].Obj.(*value.Dict)
	l := t.Join(a.Pos[0].Label, d.Shape)
	i := d.Last()
	if i < 0 {
		return value.Value{}, t.FailAt(l, t.Types.KeyError, "popitem(): dictionary is empty")
	}
	e := d.Entries[i]
	t.Mark(&d.Shape, a.Pos[0].Label)
	t.Lose(d, 0, e.Val)
	d.Remove(i)
	return t.Tuple([]value.Value{e.Key, e.Val}).With(l), nil
}

func dictClear(t *value.Thread, a *value.Args) (value.Value, error) {
	a.Pos[0].Obj.(*value.Dict).Clear(t, a.Pos[0].Label)
	return value.None, nil
}

func dictCopy(t *value.Thread, a *value.Args) (value.Value, error) {
	d, err := a.Pos[0].Obj.(*value.Dict).Copy(t)
	return value.Value{Kind: value.KDict, Obj: d, Label: a.Pos[0].Label}, err
}

func viewOf(kind value.ViewKind) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		return value.Value{Kind: value.KView, Obj: &value.View{Kind: kind, Dict: a.Pos[0].Obj.(*value.Dict)}, Label: a.Pos[0].Label}, nil
	}
}

// viewNatives are the methods of the views of dicts.
func viewNatives() []*value.Native {
	var out []*value.Native
	for _, class := range [...]string{"dict_keys", "dict_values", "dict_items"} {
		names := "__len__ __iter__ __repr__"
		if class != "dict_values" {
			out = append(out, newMethod(value.KView, class+".isdisjoint", "self, other, /", setTest(func(t *value.Thread, s, o *value.Set) (bool, error) { return t.Disjoint(s, o) })).Drain(1))
			names += " __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __sub__ __xor__"
		}
		out = append(out, dunders(value.KView, class, names)...)
	}
	return out
}
