package value

import (
	"math"
	"slices"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
)

// GetItem is o[k].
func (t *Thread) GetItem(o, k Value) (Value, error) {
	seen := t.Seen
	t.Seen = t.Join(o.Label, k.Label)
	v, err := t.item(o, k)
	if l := t.Seen; l != 0 {
		t.Choose(&v, l, o)
		v.Label = t.Join(v.Label, l)
	}
	t.Seen = seen
	return v, err
}

// item is GetItem; what it sees is joined into the result by GetItem.
func (t *Thread) item(o, k Value) (Value, error) {
	switch o.Kind {
	case KList:
		l := o.Obj.(*List)
		t.See(l.Shape)
		if s, ok := k.Obj.(*Slice); ok {
			items, err := t.sliceItems(l.Items, s)
			return t.List(items).With(l.Shape), err
		}
		i, err := t.place("list", k, len(l.Items))
		if err != nil {
			return Value{}, err
		}
		return l.Items[i], nil
	case KTuple:
		items := o.Obj.(*Tuple).Items
		if s, ok := k.Obj.(*Slice); ok {
			items, err := t.sliceItems(items, s)
			return t.Tuple(items), err
		}
		i, err := t.place("tuple", k, len(items))
		if err != nil {
			return Value{}, err
		}
		return items[i], nil
	case KDict:
		v, ok, err := o.Obj.(*Dict).Get(t, k)
		if err == nil && !ok {
			err = t.Missing(o, k, v.Label)
		}
		return v, err
	case KStr:
		if s, ok := k.Obj.(*Slice); ok {
			return t.sliceStr(o, s)
		}
		return t.charAt(o.Obj.(*Str), k)
	case KBytes:
		return t.itemBytes(o.Obj.(*Bytes).Data, k)
	case KRange:
		return t.itemRange(o.Obj.(*Range), k)
	case KObject, KSpecial:
		return t.itemObject(o, k)
	case KClass:
		return t.itemClass(o, k)
	}
	return Value{}, t.Raise(t.Types.TypeError, "'%s' object is not subscriptable", t.ClassName(o))
}

// place returns which of n elements the subscript k means; it may count from the end.
func (t *Thread) place(what string, k Value, n int) (int, error) {
	i := k.N
	if k.Kind != KInt {
		if !t.IsIndex(k) {
			return 0, t.Raise(t.Types.TypeError, "%s indices must be integers or slices, not %s", what, t.ClassName(k))
		}
		x, err := t.Index(k)
		if err != nil {
			return 0, err
		}
		if i = x.N; x.Kind == KBig {
			i = math.MaxInt64
		}
	}
	if i < 0 {
		i += int64(n)
	}
	if uint64(i) >= uint64(n) {
		return 0, t.Raise(t.Types.IndexError, "%s index out of range", what)
	}
	return int(i), nil
}

// Missing is the KeyError of k, which depends on l.
func (t *Thread) Missing(o, k Value, l label.ID) error {
	own := k.Label
	k.Label = t.Join(t.Join(own, l), o.Label)
	err := t.RaiseArgs(t.Types.KeyError, k)
	if k.Kind == KStr && own == 0 {
		return Plainly(err, pytext.ReprStr(k.Obj.(*Str).Text))
	}
	return err
}

func (t *Thread) itemBytes(b string, k Value) (Value, error) {
	if s, ok := k.Obj.(*Slice); ok {
		lo, n, step, err := t.bounds(s, len(b))
		if err != nil {
			return Value{}, err
		}
		if err := t.Alloc(int64(n) + StrBytes); err != nil {
			return Value{}, err
		}
		if step == 1 {
			return t.Bytes(b[lo : lo+n]), nil
		}
		out := make([]byte, n)
		for i := range out {
			out[i] = b[lo+i*step]
		}
		return t.Bytes(string(out)), nil
	}
	i, err := t.place("bytes", k, len(b))
	if err != nil {
		return Value{}, err
	}
	return Int(int64(b[i])), nil
}

// Bytes makes a bytes value without a label.
func (t *Thread) Bytes(b string) Value { return Value{Kind: KBytes, Obj: &Bytes{b}} }

func (t *Thread) itemRange(r *Range, k Value) (Value, error) {
	t.See(r.Depends)
	n := r.Len()
	if s, ok := k.Obj.(*Slice); ok {
		lo, hi, step, err := t.ends(s, int(n))
		at := func(i int) int64 { return r.Start + int64(i)*r.Step }
		step = max(min(step, int(n)+1), -int(n)-1)
		return Value{Kind: KRange, Obj: &Range{at(lo), at(hi), r.Step * int64(step), t.Seen}}, err
	}
	i, err := t.place("range object", k, int(n))
	return Int(r.Start + int64(i)*r.Step), err
}

// ends returns where a slice of size elements starts, stops and how it goes, cut to size.
func (t *Thread) ends(s *Slice, size int) (lo, hi, step int, err error) {
	t.See(t.Join(t.Join(s.Start.Label, s.Stop.Label), s.Step.Label))
	step = 1
	if s.Step.Kind != KNone {
		if step, err = t.SliceEnd(s.Step); err != nil {
			return 0, 0, 0, err
		}
		if step == 0 {
			return 0, 0, 0, t.Raise(t.Types.ValueError, "slice step cannot be zero")
		}
		step = max(step, -math.MaxInt)
	}
	least, most := 0, size
	if step < 0 {
		least, most = -1, size-1
	}
	lo, hi = least, most
	if step < 0 {
		lo, hi = most, least
	}
	for _, e := range []struct {
		v  Value
		at *int
	}{{s.Start, &lo}, {s.Stop, &hi}} {
		if e.v.Kind == KNone {
			continue
		}
		x, err := t.SliceEnd(e.v)
		if err != nil {
			return 0, 0, 0, err
		}
		if x < 0 {
			x = max(x+size, least)
		}
		*e.at = min(x, most)
	}
	return lo, hi, step, nil
}

// SliceEnd returns one part of a slice as an int, cut to the machine's size.
func (t *Thread) SliceEnd(v Value) (int, error) {
	if v.Kind == KInt {
		return int(v.N), nil
	}
	if !t.IsIndex(v) {
		return 0, t.Raise(t.Types.TypeError, "slice indices must be integers or None or have an __index__ method")
	}
	x, err := t.Index(v)
	if x.Kind == KBig {
		return x.Obj.(*Big).Int.Sign() * math.MaxInt, err
	}
	return int(x.N), err
}

// bounds returns where a slice of size elements starts, how many it has, and how it goes.
func (t *Thread) bounds(s *Slice, size int) (lo, n, step int, err error) {
	lo, hi, step, err := t.ends(s, size)
	if err != nil {
		return 0, 0, 0, err
	}
	return lo, sliceLen(lo, hi, step), step, nil
}

func sliceLen(lo, hi, step int) int {
	switch {
	case step > 0 && lo < hi:
		return (hi-lo-1)/step + 1
	case step < 0 && lo > hi:
		return (lo-hi-1)/-step + 1
	}
	return 0
}

// sliceItems is items[s] in a new slice.
func (t *Thread) sliceItems(items []Value, s *Slice) ([]Value, error) {
	lo, n, step, err := t.bounds(s, len(items))
	if err != nil {
		return nil, err
	}
	if err := t.Charge(int64(n)*ValueBytes+StrBytes, int64(n)/8); err != nil {
		return nil, err
	}
	if step == 1 {
		return append(make([]Value, 0, n), items[lo:lo+n]...), nil
	}
	out := make([]Value, n)
	for i := range out {
		out[i] = items[lo+i*step]
	}
	return out, nil
}

func (t *Thread) itemObject(o, k Value) (Value, error) {
	if _, ok := t.Override(o, "__getitem__"); ok {
		v, _, err := t.CallSpecial(o, "__getitem__", k)
		return v, err
	}
	b := t.Base(o)
	if b.Kind == o.Kind {
		return Value{}, t.Raise(t.Types.TypeError, "'%s' object is not subscriptable", t.ClassName(o))
	}
	if b.Kind == KDict {
		d := b.Obj.(*Dict)
		i, l, err := d.lookup(t, k)
		if err != nil {
			return Value{}, err
		}
		t.mayMiss(o, d, l)
		if i >= 0 {
			return d.Entries[i].Val.With(t.Join(d.Entries[i].Val.Label, l)), nil
		}
		if r, ok, err := t.Own(o, "__missing__", k); ok {
			t.See(l)
			return r, err
		}
		return Value{}, t.Missing(b, k, l)
	}
	if !IsSequence(b) && b.Kind != KRange {
		return Value{}, t.Raise(t.Types.TypeError, "'%s' object is not subscriptable", t.ClassName(o))
	}
	return t.item(b, k)
}

// mayMiss is called before a key is looked up that, as l says, the dict d behind o has or
// has not: whether its class makes the value shows in all that this changes. The
// library's own methods change d, and call what o holds.
func (t *Thread) mayMiss(o Value, d *Dict, l label.ID) {
	if l == 0 {
		return
	}
	fn, _, ok := t.method(t.ClassOf(o), "__missing__")
	if !ok || fn.Pure() {
		return
	}
	t.Mark(&d.Shape, l)
	const callable = uint64(1)<<KFunc | 1<<KNative | 1<<KMethod | 1<<KClass | 1<<KObject | 1<<KTool | 1<<KSpecial
	silent := false
	if f, is := fn.Obj.(*Func); is && f.Code.Unit.Module != "" {
		silent = !slices.ContainsFunc(InstanceOf(o).Attrs.Entries, func(e Entry) bool {
			return 1<<e.Val.Kind&callable != 0 && !e.Val.Silent()
		})
	}
	if !silent {
		t.Stick(l)
	}
}

// itemClass is a subscript of a class: what annotations write, such as list[int].
func (t *Thread) itemClass(o, k Value) (Value, error) {
	c := o.Obj.(*Class)
	if v, ok, err := t.Own(o, "__getitem__", k); ok {
		return v, err
	}
	if !c.Static {
		if fn, ok := t.lookupClassGetItem(o); ok {
			return t.Call(fn, []Value{k}, nil, nil)
		}
	}
	ts := t.Types
	for _, g := range [...]*Class{ts.List, ts.Dict, ts.Tuple, ts.Set, ts.FrozenSet, ts.Type} {
		if c.Derives(g) { // list[int] says nothing that a run looks at
			return o, nil
		}
	}
	return Value{}, t.Raise(ts.TypeError, "type '%s' is not subscriptable", c.Name)
}

// lookupClassGetItem finds __class_getitem__ of a class, bound to it.
func (t *Thread) lookupClassGetItem(o Value) (Value, bool) {
	if _, _, ok := o.Obj.(*Class).Lookup("__class_getitem__"); !ok {
		return Value{}, false
	}
	fn, err := t.GetAttr(o, "__class_getitem__")
	return fn, err == nil
}

// SetItem is o[k] = v.
func (t *Thread) SetItem(o, k, v Value) error {
	seen := t.Seen
	t.Seen = t.Join(o.Label, k.Label)
	if d, name, ok := stringKey(o, k); ok && o.Label != 0 {
		if i := d.Place(name); i >= 0 {
			t.Lose(d, o.Label, d.Entries[i].Val)
		}
	}
	t.Touch(o, "")
	err := t.store(o, k, v)
	t.Seen = seen
	return err
}

// stringKey returns o and k if they are a dict and a string.
func stringKey(o, k Value) (*Dict, string, bool) {
	d, ok := o.Obj.(*Dict)
	s, is := k.Obj.(*Str)
	if !ok || !is {
		return nil, "", false
	}
	return d, s.Text, true
}

// store is SetItem; what it sees is in t.seen.
func (t *Thread) store(o, k, v Value) error {
	switch o.Kind {
	case KList:
		l := o.Obj.(*List)
		if s, ok := k.Obj.(*Slice); ok {
			return t.storeSlice(l, s, v)
		}
		t.See(l.Shape)
		i, err := t.place("list assignment", k, len(l.Items))
		if err != nil {
			return err
		}
		if t.Seen|t.PC != 0 {
			t.Mark(&l.Shape, t.Seen)
			v = t.Under(v)
		}
		t.Lose(l, l.Shape, l.Items[i])
		l.Items[i] = v
		return nil
	case KDict:
		d := o.Obj.(*Dict)
		if o.Label != 0 {
			t.Mark(&d.Shape, o.Label)
		}
		return d.Set(t, k, v)
	case KObject, KSpecial:
		if _, ok := t.Override(o, "__setitem__"); ok {
			_, _, err := t.CallSpecial(o, "__setitem__", k, v)
			return err
		}
		if b := t.Base(o); b.Kind != o.Kind {
			return t.store(b, k, v)
		}
	}
	return t.Raise(t.Types.TypeError, "'%s' object does not support item assignment", t.ClassName(o))
}

// storeSlice is l[s] = v.
func (t *Thread) storeSlice(l *List, s *Slice, v Value) error {
	seen := t.Seen
	if _, err := t.Iterable(v, "must assign iterable to extended slice"); err != nil {
		return err
	}
	items, err := t.Collect(v)
	if err != nil {
		return err
	}
	lo, hi, step, err := t.ends(s, len(l.Items))
	if err != nil {
		return err
	}
	t.Mark(&l.Shape, t.Join(seen, t.Seen))
	if t.PC != 0 {
		for i := range items {
			items[i] = t.Under(items[i])
		}
	}
	if step == 1 {
		return t.Splice(l, lo, max(hi, lo), items)
	}
	n := sliceLen(lo, hi, step)
	if len(items) != n {
		t.See(l.Shape)
		return t.Raise(t.Types.ValueError, "attempt to assign sequence of size %d to extended slice of size %d", len(items), n)
	}
	t.loseAll(l, 0, len(l.Items))
	for i, x := range items {
		l.Items[lo+i*step] = x
	}
	return nil
}

// Iterable returns an error with the given message when v cannot be iterated.
func (t *Thread) Iterable(v Value, message string) (bool, error) {
	if t.CanIter(v) {
		return true, nil
	}
	return false, t.FailOf(v, t.Types.TypeError, "%s", message)
}

// Splice replaces l[lo:hi] by items.
func (t *Thread) Splice(l *List, lo, hi int, items []Value) error {
	grow := len(items) - (hi - lo)
	if grow > 0 {
		if err := t.reserve(l, grow); err != nil {
			return err
		}
	}
	if err := t.Step(int64(len(l.Items)-lo) / 4); err != nil {
		return err
	}
	t.loseAll(l, lo, hi)
	old := len(l.Items)
	if grow > 0 {
		l.Items = l.Items[:old+grow]
		copy(l.Items[hi+grow:], l.Items[hi:old])
	} else if grow < 0 {
		copy(l.Items[hi+grow:], l.Items[hi:])
		clear(l.Items[old+grow:])
		l.Items = l.Items[:old+grow]
	}
	copy(l.Items[lo:], items)
	return nil
}

// loseAll notes that elements of a list are taken out of it.
func (t *Thread) loseAll(l *List, lo, hi int) {
	if l.Shape != 0 || len(t.Choices) > 0 {
		for i := lo; i < hi; i++ {
			t.Lose(l, l.Shape, l.Items[i])
		}
	}
}

// reserve makes sure that n more elements fit behind a list's own.
func (t *Thread) reserve(l *List, n int) error {
	need := len(l.Items) + n
	if need <= cap(l.Items) {
		return nil
	}
	size := max(need, cap(l.Items)+cap(l.Items)/4+4)
	if cap(l.Items) < 256 {
		size = max(need, cap(l.Items)*2, 4)
	}
	if err := t.Alloc(int64(size-cap(l.Items)) * ValueBytes); err != nil {
		return err
	}
	items := make([]Value, len(l.Items), size)
	copy(items, l.Items)
	l.Items = items
	return nil
}

// Push appends one element to a list.
func (t *Thread) Push(l *List, v Value) error {
	if len(l.Items) == cap(l.Items) {
		if err := t.reserve(l, 1); err != nil {
			return err
		}
	}
	l.Items = append(l.Items, v)
	return nil
}

// DelItem is del o[k].
func (t *Thread) DelItem(o, k Value) error {
	seen := t.Seen
	t.Seen = t.Join(o.Label, k.Label)
	t.Touch(o, "")
	err := t.erase(o, k)
	t.Seen = seen
	return err
}

// erase is DelItem; what it sees is in t.seen.
func (t *Thread) erase(o, k Value) error {
	switch o.Kind {
	case KList:
		l := o.Obj.(*List)
		if s, ok := k.Obj.(*Slice); ok {
			return t.eraseSlice(l, s)
		}
		t.See(l.Shape)
		i, err := t.place("list assignment", k, len(l.Items))
		if err != nil {
			return err
		}
		t.Mark(&l.Shape, t.Seen)
		return t.Splice(l, i, i+1, nil)
	case KDict:
		d := o.Obj.(*Dict)
		v, ok, err := d.Del(t, k)
		if err == nil && !ok {
			return t.Missing(o, k, v.Label)
		}
		t.Mark(&d.Shape, o.Label)
		return err
	case KObject, KSpecial:
		if _, ok, err := t.Own(o, "__delitem__", k); ok {
			return err
		}
		if b := t.Base(o); b.Kind != o.Kind {
			return t.erase(b, k)
		}
	}
	return t.Raise(t.Types.TypeError, "'%s' object does not support item deletion", t.ClassName(o))
}

// eraseSlice is del l[s].
func (t *Thread) eraseSlice(l *List, s *Slice) error {
	lo, hi, step, err := t.ends(s, len(l.Items))
	if err != nil {
		return err
	}
	t.Mark(&l.Shape, t.Seen)
	if step == 1 {
		return t.Splice(l, lo, max(lo, hi), nil)
	}
	n := sliceLen(lo, hi, step)
	if n == 0 {
		return nil
	}
	if step < 0 {
		lo, step = lo+(n-1)*step, -step
	}
	if err := t.Step(int64(len(l.Items)) / 8); err != nil {
		return err
	}
	t.loseAll(l, lo, len(l.Items))
	out := l.Items[:lo]
	for i := lo; i < len(l.Items); i++ {
		if d := i - lo; d%step == 0 && d/step < n {
			continue
		}
		out = append(out, l.Items[i])
	}
	clear(l.Items[len(out):])
	l.Items = out
	return nil
}
