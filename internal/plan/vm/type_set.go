package vm

import "praxis/internal/plan/syntax"

// setNatives are the methods of sets and frozen sets.
func setNatives() []*Native {
	out := []*Native{
		{name: "set.__new__", params: "cls, iterable=(), /", call: setNew, precise: true, drains: []int{1}},
		{name: "frozenset.__new__", params: "cls, iterable=(), /", call: frozenSetNew, precise: true, drains: []int{1}},
	}
	for _, class := range [...]string{"set", "frozenset"} {
		m := func(name, params string, f nativeFunc) *Native { return meth(kSet, class+"."+name, params, f) }
		out = append(out,
			m("copy", "self, /", setCopy).exact(),
			m("union", "self, *others", setUnion).exact(),
			m("intersection", "self, *others", setIntersection).exact(),
			m("difference", "self, *others", setDifference).exact(),
			m("symmetric_difference", "self, other, /", setSymmetric).exact().drain(1),
			m("isdisjoint", "self, other, /", setIsDisjoint).drain(1),
			m("issubset", "self, other, /", setIsSubset).drain(1),
			m("issuperset", "self, other, /", setIsSuperset).drain(1),
		)
		names := "__len__ __contains__ __iter__ __repr__ __and__ __or__ __sub__ __xor__ __rand__ __ror__ __rsub__ __rxor__ " +
			"__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
		if class == "frozenset" {
			names += " __hash__"
		} else {
			names += " __iand__ __ior__ __isub__ __ixor__"
		}
		out = append(out, dunders(kSet, class, names)...)
	}
	m := func(name, params string, f nativeFunc) *Native { return changing(name, params, f).exact() }
	return append(out,
		m("__init__", "self, iterable=(), /", setInit).drain(1),
		m("add", "self, object, /", setAdd),
		m("discard", "self, object, /", setDiscard),
		m("remove", "self, object, /", setRemove),
		m("pop", "self, /", setPop),
		m("clear", "self, /", setClear),
		m("update", "self, *others", setUpdateMethod),
		m("intersection_update", "self, *others", setIntersectionUpdate),
		m("difference_update", "self, *others", setDifferenceUpdate),
		m("symmetric_difference_update", "self, other, /", setSymmetricUpdate).drain(1),
	)
}

// changing makes a method that changes a set, which must not be frozen.
func changing(name, params string, f nativeFunc) *Native {
	return meth(kSet, "set."+name, params, func(t *Thread, a *Args) (Value, error) {
		if a.Pos[0].o.(*Set).frozen {
			return Value{}, t.wrongSelf("set."+name, a.Pos[0])
		}
		return f(t, a)
	})
}

func setNew(t *Thread, a *Args) (Value, error) {
	s := &Set{}
	v := Value{k: kSet, o: s}
	if !a.Pos[0].o.(*Class).static {
		return t.construct(a.Pos[0], v), t.alloc(strBytes)
	}
	return v, t.fillSet(s, a.Pos[1])
}

func frozenSetNew(t *Thread, a *Args) (Value, error) {
	if x := a.Pos[1]; x.k == kSet && x.o.(*Set).frozen && a.Pos[0].o.(*Class).static {
		return x, nil
	}
	s := &Set{frozen: true}
	err := t.fillSet(s, a.Pos[1])
	return t.construct(a.Pos[0], Value{k: kSet, o: s}), err
}

// fillSet makes the elements of v those of s.
func (t *Thread) fillSet(s *Set, v Value) error {
	if v.k == kUnset {
		return nil
	}
	l, err := t.shaped(func() error { return t.setUpdate(s, v) })
	t.mark(&s.shape, l)
	return err
}

func setInit(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	s.clear(t, a.Pos[0].l)
	return none, t.fillSet(s, a.Pos[1])
}

// setUpdate adds the elements of v; it sees what their number depends on.
func (t *Thread) setUpdate(s *Set, v Value) error {
	b := v
	if _, ok := t.override(v, "__iter__"); !ok {
		b = t.base(v)
	}
	t.see(b.l)
	switch b.k {
	case kSet:
		o := b.o.(*Set)
		t.see(o.shape)
		return s.merge(t, o)
	case kDict:
		d := b.o.(*Dict)
		t.see(d.shape)
		if err := s.reserve(t, d.live); err != nil {
			return err
		}
		for i := 0; i < len(d.entries); i++ {
			e := d.entries[i]
			if e.key.k == kUnset {
				continue
			}
			if _, err := s.addHashed(t, e.key, e.hash, 0); err != nil { // d's shape has the keys' labels
				return err
			}
		}
		return t.step(int64(d.live) / 4)
	}
	return t.each(v, func(x Value) error {
		_, err := s.add(t, x)
		return err
	})
}

// asSet returns the set behind v, or a set made of its elements.
func (t *Thread) asSet(v Value) (*Set, error) {
	t.see(v.l)
	if b := t.base(v); b.k == kSet {
		t.see(b.o.(*Set).shape)
		return b.o.(*Set), nil
	}
	s := &Set{}
	err := t.setUpdate(s, v)
	t.see(s.shape)
	return s, err
}

func setAdd(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	t.mark(&s.shape, a.Pos[0].l)
	_, err := s.add(t, a.Pos[1])
	return none, err
}

func setDiscard(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	t.mark(&s.shape, a.Pos[0].l)
	_, err := s.discard(t, frozenKey(t, a.Pos[1]))
	return none, err
}

func setRemove(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	t.mark(&s.shape, a.Pos[0].l)
	ok, err := s.discard(t, frozenKey(t, a.Pos[1]))
	if err == nil && !ok {
		err = t.missing(a.Pos[0], a.Pos[1], s.shape)
	}
	return none, err
}

// frozenKey stands for a set that is looked for in a set: it counts as frozen.
func frozenKey(t *Thread, k Value) Value {
	if b := t.base(k); b.k == kSet && !b.o.(*Set).frozen {
		f := *b.o.(*Set)
		f.frozen = true
		return Value{k: kSet, o: &f, l: b.l}
	}
	return k
}

// setHas is "x in s".
func (t *Thread) setHas(s *Set, x Value) (bool, error) { return s.has(t, frozenKey(t, x)) }

func setPop(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	l := t.join(a.Pos[0].l, s.shape)
	if s.used == 0 {
		return Value{}, t.failAt(l, t.types.KeyError, "pop from an empty set")
	}
	i := s.finger & (len(s.table) - 1)
	start := i
	for s.table[i].key.k == kUnset {
		i = (i + 1) & (len(s.table) - 1)
	}
	if err := t.step(int64((i-start)&(len(s.table)-1)) / 16); err != nil {
		return Value{}, err
	}
	v := s.table[i].key
	t.mark(&s.shape, a.Pos[0].l)
	s.removeAt(i)
	s.finger = i + 1
	return v.with(t.join(v.l, l)), nil
}

func setClear(t *Thread, a *Args) (Value, error) {
	a.Pos[0].o.(*Set).clear(t, a.Pos[0].l)
	return none, nil
}

func setCopy(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	if s.frozen {
		return a.Pos[0], nil
	}
	c, err := t.copySet(s, false)
	return Value{k: kSet, o: c, l: a.Pos[0].l}, err
}

// building runs f on a new set and gives it the labels of all that f saw.
func (t *Thread) building(self Value, f func(out *Set) error) (Value, error) {
	out := &Set{frozen: self.o.(*Set).frozen}
	l, err := t.shaped(func() error {
		t.see(self.l)
		t.see(self.o.(*Set).shape)
		return f(out)
	})
	t.mark(&out.shape, l)
	return Value{k: kSet, o: out}, err
}

func setUnion(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	return t.building(a.Pos[0], func(out *Set) error {
		if err := out.merge(t, s); err != nil {
			return err
		}
		for _, o := range a.Star {
			if err := t.setUpdate(out, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setIntersection(t *Thread, a *Args) (Value, error) {
	return t.building(a.Pos[0], func(out *Set) error { return t.intersectAll(out, a.Pos[0], a.Star) })
}

// intersectAll fills out with what is in self and in all others.
func (t *Thread) intersectAll(out *Set, self Value, others []Value) error {
	s := self.o.(*Set)
	if len(others) == 0 {
		return out.merge(t, s)
	}
	for i, o := range others {
		next := out
		if i < len(others)-1 {
			next = &Set{}
		}
		if err := t.intersect(next, s, o); err != nil {
			return err
		}
		s = next
	}
	return nil
}

// intersect fills out with what is in s and in o. It walks over the smaller of two sets.
func (t *Thread) intersect(out, s *Set, o Value) error {
	if b := t.base(o); b.k == kSet {
		x := b.o.(*Set)
		t.see(b.l)
		t.see(x.shape)
		if x.used > s.used {
			x, s = s, x
		}
		if err := t.step(int64(len(x.table)) / 2); err != nil {
			return err
		}
		for i := 0; i < len(x.table); i++ {
			e := x.table[i]
			if e.key.k == kUnset {
				continue
			}
			at, err := s.find(t, e.key, e.hash)
			if err == nil && at >= 0 {
				_, err = out.addHashed(t, e.key, e.hash, 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return t.each(o, func(v Value) error {
		if out.used > 0 && out.used == s.used {
			return nil // all is found: what follows is not even hashed
		}
		h, l, err := t.hashKey(v)
		if err != nil {
			return err
		}
		t.see(l)
		at, err := s.find(t, v, h)
		if err == nil && at >= 0 {
			_, err = out.addHashed(t, v, h, l)
		}
		return err
	})
}

func setDifference(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	return t.building(a.Pos[0], func(out *Set) error {
		if len(a.Star) == 0 {
			return out.merge(t, s)
		}
		if err := t.difference(out, s, a.Star[0]); err != nil {
			return err
		}
		for _, o := range a.Star[1:] {
			if err := t.setSubtract(out, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// difference fills out with what is in s and not in o.
func (t *Thread) difference(out, s *Set, o Value) error {
	b := t.base(o)
	if b.k != kSet && b.k != kDict {
		if err := out.merge(t, s); err != nil {
			return err
		}
		return t.setSubtract(out, o)
	}
	n, err := t.length(b)
	if err != nil {
		return err
	}
	if s.used>>2 > n {
		if err := out.merge(t, s); err != nil {
			return err
		}
		return t.setSubtract(out, b)
	}
	if err := t.step(int64(len(s.table)) / 2); err != nil {
		return err
	}
	for i := 0; i < len(s.table); i++ {
		e := s.table[i]
		if e.key.k == kUnset {
			continue
		}
		at := 0
		if b.k == kSet {
			at, err = b.o.(*Set).find(t, e.key, e.hash)
		} else {
			at, err = b.o.(*Dict).find(t, e.key, e.hash)
		}
		if err == nil && at < 0 {
			_, err = out.addHashed(t, e.key, e.hash, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setSubtract removes the elements of o from s; it sees them.
func (t *Thread) setSubtract(s *Set, o Value) error {
	b := t.base(o)
	if b.k == kSet {
		x := b.o.(*Set)
		t.see(b.l)
		t.see(x.shape)
		if x == s {
			s.clear(t, 0)
			return nil
		}
		if err := t.step(int64(len(x.table)) / 2); err != nil {
			return err
		}
		for i := 0; i < len(x.table); i++ {
			if e := x.table[i]; e.key.k != kUnset {
				at, err := s.find(t, e.key, e.hash)
				if err != nil {
					return err
				}
				if at >= 0 {
					s.removeAt(at)
				}
			}
		}
		return s.tidy(t)
	}
	err := t.each(o, func(v Value) error {
		_, err := s.discard(t, v)
		return err
	})
	if err != nil {
		return err
	}
	return s.tidy(t)
}

// setToggle removes from s what is in o, too, and adds the rest of o.
func (t *Thread) setToggle(s, o *Set) error {
	t.see(o.shape)
	if s == o {
		s.clear(t, 0)
		return nil
	}
	if err := t.step(int64(len(o.table)) / 2); err != nil {
		return err
	}
	for i := 0; i < len(o.table); i++ {
		e := o.table[i]
		if e.key.k == kUnset {
			continue
		}
		at, err := s.find(t, e.key, e.hash)
		if err != nil {
			return err
		}
		if at >= 0 {
			s.removeAt(at)
		} else if _, err := s.addHashed(t, e.key, e.hash, 0); err != nil {
			return err
		}
	}
	return nil
}

func setSymmetric(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	return t.building(a.Pos[0], func(out *Set) error {
		if err := t.setUpdate(out, a.Pos[1]); err != nil {
			return err
		}
		return t.setToggle(out, s)
	})
}

// changed runs f, which changes the set self, and gives its shape the labels that f saw.
func (t *Thread) changed(self Value, f func(s *Set) error) (Value, error) {
	s := self.o.(*Set)
	l, err := t.shaped(func() error {
		t.see(self.l)
		return f(s)
	})
	t.mark(&s.shape, l)
	return none, err
}

func setUpdateMethod(t *Thread, a *Args) (Value, error) {
	return t.changed(a.Pos[0], func(s *Set) error {
		for _, o := range a.Star {
			if err := t.setUpdate(s, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setIntersectionUpdate(t *Thread, a *Args) (Value, error) {
	return t.changed(a.Pos[0], func(s *Set) error {
		out := &Set{}
		if err := t.intersectAll(out, a.Pos[0], a.Star); err != nil {
			return err
		}
		s.take(t, out)
		return nil
	})
}

// take makes the elements of o those of s.
func (s *Set) take(t *Thread, o *Set) {
	t.mark(&s.shape, o.shape)
	s.table, s.used, s.filled = o.table, o.used, o.filled
	s.version++
}

func setDifferenceUpdate(t *Thread, a *Args) (Value, error) {
	return t.changed(a.Pos[0], func(s *Set) error {
		for _, o := range a.Star {
			if err := t.setSubtract(s, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setSymmetricUpdate(t *Thread, a *Args) (Value, error) {
	return t.changed(a.Pos[0], func(s *Set) error {
		o, err := t.asSet(a.Pos[1])
		if err != nil {
			return err
		}
		return t.setToggle(s, o)
	})
}

// setOp is & | - ^ of two sets.
func (t *Thread) setOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	if b.k == kView {
		return t.viewOp(op, a, b)
	}
	if b.k != kSet {
		return Value{}, false, nil
	}
	s := a.o.(*Set)
	var fill func(out *Set) error
	switch op {
	case syntax.BitAnd:
		fill = func(out *Set) error { return t.intersect(out, s, b) }
	case syntax.BitOr:
		fill = func(out *Set) error {
			if err := out.merge(t, s); err != nil {
				return err
			}
			return t.setUpdate(out, b)
		}
	case syntax.Sub:
		fill = func(out *Set) error { return t.difference(out, s, b) }
	case syntax.BitXor:
		fill = func(out *Set) error {
			if err := t.setUpdate(out, b); err != nil {
				return err
			}
			return t.setToggle(out, s)
		}
	default:
		return Value{}, false, nil
	}
	v, err := t.building(a, func(out *Set) error {
		t.see(b.l)
		t.see(b.o.(*Set).shape)
		return fill(out)
	})
	return v, true, err
}

// setInplace is &= |= -= ^= of a set.
func (t *Thread) setInplace(op syntax.Operator, a, b Value) (Value, error) {
	if !isSetLike(b) {
		return t.binaryInplace(op, a, b)
	}
	_, err := t.changed(a, func(s *Set) error {
		t.see(b.l)
		switch op {
		case syntax.BitOr:
			return t.setUpdate(s, b)
		case syntax.Sub:
			return t.setSubtract(s, b)
		case syntax.BitAnd:
			out := &Set{}
			if err := t.intersect(out, s, b); err != nil {
				return err
			}
			s.take(t, out)
			return nil
		case syntax.BitXor:
			o, err := t.asSet(b)
			if err != nil {
				return err
			}
			return t.setToggle(s, o)
		}
		return t.noOperator(op, operators[op].sign+"=", a, b)
	})
	return a, err
}

func setIsDisjoint(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[0].l)
	out := true
	err := t.each(a.Pos[1], func(v Value) error {
		if !out {
			return nil // what follows is not even hashed
		}
		if _, _, err := t.hashKey(v); err != nil {
			return t.elementError(err, v) // a set has no hash, though the operator in takes one
		}
		ok, err := t.contains(a.Pos[0], v)
		out = !ok
		return err
	})
	return boolValue(out), err
}

func setIsSubset(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	t.see(s.shape)
	if b := t.base(a.Pos[1]); b.k != kSet {
		both := &Set{}
		err := t.intersect(both, s, a.Pos[1])
		return boolValue(both.used == s.used), err
	}
	o, err := t.asSet(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	ok, err := t.subset(s, o)
	return boolValue(ok), err
}

func setIsSuperset(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Set)
	t.see(s.shape)
	o, err := t.asSet(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	ok, err := t.subset(o, s)
	return boolValue(ok), err
}

// subset reports whether all elements of s are in o.
func (t *Thread) subset(s, o *Set) (bool, error) {
	if s.used > o.used {
		return false, nil
	}
	if err := t.step(int64(len(s.table)) / 2); err != nil {
		return false, err
	}
	for i := 0; i < len(s.table); i++ {
		if e := s.table[i]; e.key.k != kUnset {
			if at, err := o.find(t, e.key, e.hash); err != nil || at < 0 {
				return false, err
			}
		}
	}
	return true, nil
}

// orderSets is < <= > >= of sets and of views: whether one is part of the other.
func (t *Thread) orderSets(op syntax.CmpOperator, a, b Value) (ok, known bool, err error) {
	if !isSetLike(a) || !isSetLike(b) {
		return false, false, nil
	}
	x, err := t.asSet(a)
	if err != nil {
		return false, true, err
	}
	y, err := t.asSet(b)
	if err != nil {
		return false, true, err
	}
	if op == syntax.Gt || op == syntax.GtE {
		x, y = y, x
	}
	if (op == syntax.Lt || op == syntax.Gt) && x.used == y.used {
		return false, true, nil
	}
	ok, err = t.subset(x, y)
	return ok, true, err
}

// equalHashed is == of sets, dicts and views.
func (t *Thread) equalHashed(a, b Value) (bool, error) {
	if a.k == kDict {
		if b.k != kDict {
			return false, nil
		}
		return t.equalDicts(a.o.(*Dict), b.o.(*Dict))
	}
	if !isSetLike(a) || !isSetLike(b) {
		return same(a, b), nil
	}
	x, err := t.asSet(a)
	if err != nil {
		return false, err
	}
	y, err := t.asSet(b)
	if err != nil || x.used != y.used {
		return false, err
	}
	return t.subset(x, y)
}

func (t *Thread) equalDicts(x, y *Dict) (bool, error) {
	t.see(x.shape)
	t.see(y.shape)
	if x == y {
		return true, nil
	}
	if x.live != y.live {
		return false, nil
	}
	if err := t.enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.leave()
	for i := 0; i < len(x.entries); i++ {
		e := x.entries[i]
		if e.key.k == kUnset {
			continue
		}
		at, err := y.find(t, e.key, e.hash)
		if err != nil || at < 0 {
			return false, err
		}
		if ok, err := t.equalItem(e.val, y.entries[at].val); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
