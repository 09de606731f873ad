package vm

import (
	"math"
	"math/big"

	"praxis/internal/plan/label"
)

// getItem is o[k].
func (t *Thread) getItem(o, k Value) (Value, error) {
	seen := t.seen
	t.seen = t.join(o.l, k.l)
	v, err := t.item(o, k)
	if l := t.seen; l != 0 {
		v.l = t.join(v.l, l)
	}
	t.seen = seen
	return v, err
}

// item is getItem; what it sees is joined into the result by getItem.
func (t *Thread) item(o, k Value) (Value, error) {
	switch o.k {
	case kList:
		l := o.o.(*List)
		t.see(l.shape)
		if k.k == kInt {
			return t.pick(l.items, k.n, "list index out of range")
		}
		if s, ok := k.o.(*Slice); ok {
			items, err := t.sliceItems(l.items, s)
			return t.list(items).with(l.shape), err
		}
		i, err := t.itemIndex(k, "list indices must be integers or slices, not %s")
		if err != nil {
			return Value{}, err
		}
		return t.pick(l.items, i, "list index out of range")
	case kTuple:
		items := o.o.(*Tuple).items
		if s, ok := k.o.(*Slice); ok {
			items, err := t.sliceItems(items, s)
			return t.tuple(items), err
		}
		i, err := t.itemIndex(k, "tuple indices must be integers or slices, not %s")
		if err != nil {
			return Value{}, err
		}
		return t.pick(items, i, "tuple index out of range")
	case kDict:
		v, ok, err := o.o.(*Dict).get(t, k)
		if err == nil && !ok {
			err = t.missing(o, k, v.l)
		}
		return v, err
	case kStr:
		if s, ok := k.o.(*Slice); ok {
			return t.sliceStr(o, s)
		}
		i, err := t.itemIndex(k, "string indices must be integers, not '%s'")
		if err != nil {
			return Value{}, err
		}
		return t.charAt(o.o.(*Str), i)
	case kBytes:
		return t.itemBytes(o.o.(*Bytes).b, k)
	case kRange:
		return t.itemRange(o, k)
	case kObject, kSpecial:
		return t.itemObject(o, k)
	case kClass:
		return t.itemClass(o, k)
	}
	return Value{}, t.raise(t.types.TypeError, "'%s' object is not subscriptable", t.className(o))
}

// pick returns items[i], where i may count from the end.
func (t *Thread) pick(items []Value, i int64, message string) (Value, error) {
	if i < 0 {
		i += int64(len(items))
	}
	if uint64(i) >= uint64(len(items)) {
		return Value{}, t.raise(t.types.IndexError, "%s", message)
	}
	return items[i], nil
}

// itemIndex returns a subscript as an index; message is for a key of another type.
func (t *Thread) itemIndex(k Value, message string) (int64, error) {
	if k.k == kInt {
		return k.n, nil
	}
	if !t.isIndex(k) {
		return 0, t.raise(t.types.TypeError, message, t.className(k))
	}
	return t.indexOf(k)
}

// missing is the KeyError of k, which depends on l.
func (t *Thread) missing(o, k Value, l label.ID) error {
	k.l = t.join(t.join(k.l, l), o.l)
	return t.raiseArgs(t.types.KeyError, k)
}

func (t *Thread) itemBytes(b string, k Value) (Value, error) {
	if s, ok := k.o.(*Slice); ok {
		lo, n, step, err := t.bounds(s, len(b))
		if err != nil {
			return Value{}, err
		}
		if err := t.alloc(int64(n) + strBytes); err != nil {
			return Value{}, err
		}
		if step == 1 {
			return t.bytes(b[lo : lo+n]), nil
		}
		out := make([]byte, n)
		for i := range out {
			out[i] = b[lo+i*step]
		}
		return t.bytes(string(out)), nil
	}
	i, err := t.itemIndex(k, "byte indices must be integers or slices, not %s")
	if err != nil {
		return Value{}, err
	}
	if i < 0 {
		i += int64(len(b))
	}
	if uint64(i) >= uint64(len(b)) {
		return Value{}, t.raise(t.types.IndexError, "index out of range")
	}
	return intValue(int64(b[i])), nil
}

// bytes makes a bytes value without a label.
func (t *Thread) bytes(b string) Value { return Value{k: kBytes, o: &Bytes{b}} }

func (t *Thread) itemRange(o, k Value) (Value, error) {
	r := o.o.(*Range)
	t.see(r.label(t))
	n := r.length()
	if s, ok := k.o.(*Slice); ok {
		return t.sliceRange(r, n, s)
	}
	if !t.isIndex(k) {
		return Value{}, t.raise(t.types.TypeError, "range indices must be integers or slices, not %s", t.className(k))
	}
	x, err := t.index(k)
	if err != nil {
		return Value{}, err
	}
	i := new(big.Int).Set(toBig(x))
	if i.Sign() < 0 {
		i.Add(i, n)
	}
	if i.Sign() < 0 || i.Cmp(n) >= 0 {
		return Value{}, t.raise(t.types.IndexError, "range object index out of range")
	}
	i.Mul(i, toBig(r.step))
	return t.big(i.Add(i, toBig(r.start)))
}

// sliceRange is r[s]; n is r's length.
func (t *Thread) sliceRange(r *Range, n *big.Int, s *Slice) (Value, error) {
	lo, hi, step, err := t.bigBounds(s, n)
	if err != nil {
		return Value{}, err
	}
	at := func(i *big.Int) Value {
		x := new(big.Int).Mul(i, toBig(r.step))
		return bigValue(x.Add(x, toBig(r.start)))
	}
	return Value{k: kRange, o: &Range{at(lo), at(hi), bigValue(new(big.Int).Mul(step, toBig(r.step)))}}, nil
}

// bigBounds is slice.indices(n): where a slice of a sequence of n elements
// starts, stops and goes.
func (t *Thread) bigBounds(s *Slice, n *big.Int) (lo, hi, step *big.Int, err error) {
	t.see(t.join(t.join(s.start.l, s.stop.l), s.step.l))
	step = big.NewInt(1)
	if s.step.k != kNone {
		if step, err = t.sliceInt(s.step); err != nil {
			return nil, nil, nil, err
		}
		if step.Sign() == 0 {
			return nil, nil, nil, t.raise(t.types.ValueError, "slice step cannot be zero")
		}
	}
	least, most := new(big.Int), n
	if step.Sign() < 0 {
		least, most = big.NewInt(-1), new(big.Int).Sub(n, big.NewInt(1))
	}
	end := func(v Value, missing *big.Int) (*big.Int, error) {
		if v.k == kNone {
			return missing, nil
		}
		x, err := t.sliceInt(v)
		if err != nil {
			return nil, err
		}
		if x.Sign() < 0 {
			x = new(big.Int).Add(x, n)
			if x.Cmp(least) < 0 {
				return least, nil
			}
		} else if x.Cmp(most) > 0 {
			return most, nil
		}
		return x, nil
	}
	first, last := least, most
	if step.Sign() < 0 {
		first, last = most, least
	}
	if lo, err = end(s.start, first); err != nil {
		return nil, nil, nil, err
	}
	hi, err = end(s.stop, last)
	return lo, hi, step, err
}

func (t *Thread) sliceInt(v Value) (*big.Int, error) {
	if !t.isIndex(v) {
		return nil, t.raise(t.types.TypeError, "slice indices must be integers or None or have an __index__ method")
	}
	x, err := t.index(v)
	if err != nil {
		return nil, err
	}
	return toBig(x), nil
}

// ends returns where a slice of size elements starts, stops and how it goes, cut to size.
func (t *Thread) ends(s *Slice, size int) (lo, hi, step int, err error) {
	t.see(t.join(t.join(s.start.l, s.stop.l), s.step.l))
	step = 1
	if s.step.k != kNone {
		if step, err = t.sliceEnd(s.step); err != nil {
			return 0, 0, 0, err
		}
		if step == 0 {
			return 0, 0, 0, t.raise(t.types.ValueError, "slice step cannot be zero")
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
	}{{s.start, &lo}, {s.stop, &hi}} {
		if e.v.k == kNone {
			continue
		}
		x, err := t.sliceEnd(e.v)
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

// sliceEnd returns one part of a slice as an int, cut to the machine's size.
func (t *Thread) sliceEnd(v Value) (int, error) {
	if v.k == kInt {
		return int(v.n), nil
	}
	x, err := t.sliceInt(v)
	if err != nil {
		return 0, err
	}
	if !x.IsInt64() {
		return x.Sign() * math.MaxInt, nil
	}
	return int(x.Int64()), nil
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
	if err := t.alloc(int64(n)*valueBytes + strBytes); err != nil {
		return nil, err
	}
	if err := t.step(int64(n) / 8); err != nil {
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
	if _, ok := t.override(o, "__getitem__"); ok {
		v, _, err := t.callSpecial(o, "__getitem__", k)
		return v, err
	}
	b := t.base(o)
	if b.k == o.k {
		return Value{}, t.raise(t.types.TypeError, "'%s' object is not subscriptable", t.className(o))
	}
	if b.k == kDict {
		v, ok, err := b.o.(*Dict).get(t, k)
		if err != nil || ok {
			return v, err
		}
		if _, ok := t.override(o, "__missing__"); ok {
			t.see(v.l)
			v, _, err := t.callSpecial(o, "__missing__", k)
			return v, err
		}
		return Value{}, t.missing(b, k, v.l)
	}
	if !isSequence(b) && b.k != kRange {
		return Value{}, t.raise(t.types.TypeError, "'%s' object is not subscriptable", t.className(o))
	}
	return t.item(b, k)
}

// itemClass is a subscript of a class: what annotations write, such as list[int].
func (t *Thread) itemClass(o, k Value) (Value, error) {
	c := o.o.(*Class)
	if _, ok := t.override(o, "__getitem__"); ok {
		v, _, err := t.callSpecial(o, "__getitem__", k)
		return v, err
	}
	if !c.static {
		if fn, ok := t.lookupClassGetItem(o); ok {
			return t.Call(fn, []Value{k}, nil, nil)
		}
	}
	ts := t.types
	for _, g := range [...]*Class{ts.List, ts.Dict, ts.Tuple, ts.Set, ts.FrozenSet, ts.Type} {
		if !c.derives(g) {
			continue
		}
		args := []Value{k}
		if k.k == kTuple {
			args = k.o.(*Tuple).items
		}
		return Value{k: kSpecial, o: &Alias{origin: c, args: args}}, nil
	}
	return Value{}, t.raise(ts.TypeError, "type '%s' is not subscriptable", c.name)
}

// lookupClassGetItem finds __class_getitem__ of a class, bound to it.
func (t *Thread) lookupClassGetItem(o Value) (Value, bool) {
	if _, _, ok := o.o.(*Class).lookup("__class_getitem__"); !ok {
		return Value{}, false
	}
	fn, err := t.getAttr(o, "__class_getitem__")
	return fn, err == nil
}

// setItem is o[k] = v.
func (t *Thread) setItem(o, k, v Value) error {
	seen := t.seen
	t.seen = t.join(o.l, k.l)
	err := t.store(o, k, v)
	t.seen = seen
	return err
}

// store is setItem; what it sees is in t.seen.
func (t *Thread) store(o, k, v Value) error {
	switch o.k {
	case kList:
		l := o.o.(*List)
		if s, ok := k.o.(*Slice); ok {
			return t.storeSlice(l, s, v)
		}
		i, err := t.itemIndex(k, "list indices must be integers or slices, not %s")
		if err != nil {
			return err
		}
		if i < 0 {
			i += int64(len(l.items))
		}
		if uint64(i) >= uint64(len(l.items)) {
			t.see(l.shape)
			return t.raise(t.types.IndexError, "list assignment index out of range")
		}
		if t.seen|t.pc != 0 {
			t.mark(&l.shape, t.seen)
			v = t.under(v)
		}
		l.items[i] = v
		return nil
	case kDict:
		d := o.o.(*Dict)
		if o.l != 0 {
			t.mark(&d.shape, o.l)
		}
		return d.set(t, k, v)
	case kObject, kSpecial:
		if _, ok := t.override(o, "__setitem__"); ok {
			_, _, err := t.callSpecial(o, "__setitem__", k, v)
			return err
		}
		if b := t.base(o); b.k != o.k {
			return t.store(b, k, v)
		}
	}
	return t.raise(t.types.TypeError, "'%s' object does not support item assignment", t.className(o))
}

// storeSlice is l[s] = v.
func (t *Thread) storeSlice(l *List, s *Slice, v Value) error {
	seen := t.seen
	if _, err := t.iterable(v, "must assign iterable to extended slice"); err != nil {
		return err
	}
	items, err := t.collect(v)
	if err != nil {
		return err
	}
	lo, hi, step, err := t.ends(s, len(l.items))
	if err != nil {
		return err
	}
	t.mark(&l.shape, t.join(seen, t.seen))
	if t.pc != 0 {
		for i := range items {
			items[i] = t.under(items[i])
		}
	}
	if step == 1 {
		return t.splice(l, lo, max(hi, lo), items)
	}
	n := sliceLen(lo, hi, step)
	if len(items) != n {
		t.see(l.shape)
		return t.raise(t.types.ValueError, "attempt to assign sequence of size %d to extended slice of size %d", len(items), n)
	}
	for i, x := range items {
		l.items[lo+i*step] = x
	}
	return nil
}

// iterable returns an error with the given message when v cannot be iterated.
func (t *Thread) iterable(v Value, message string) (bool, error) {
	switch v.k {
	case kList, kTuple, kStr, kBytes, kDict, kSet, kRange, kView, kIter, kGen:
		return true, nil
	case kObject, kSpecial, kClass:
		if _, ok := t.override(v, "__iter__"); ok {
			return true, nil
		}
		if _, ok := t.override(v, "__getitem__"); ok {
			return true, nil
		}
		if b := t.base(v); b.k != v.k {
			return t.iterable(b, message)
		}
	}
	return false, t.failOf(v, t.types.TypeError, "%s", message)
}

// splice replaces l[lo:hi] by items.
func (t *Thread) splice(l *List, lo, hi int, items []Value) error {
	grow := len(items) - (hi - lo)
	if grow > 0 {
		if err := t.room(l, grow); err != nil {
			return err
		}
	}
	if err := t.step(int64(len(l.items)-lo) / 4); err != nil {
		return err
	}
	old := len(l.items)
	if grow > 0 {
		l.items = l.items[:old+grow]
		copy(l.items[hi+grow:], l.items[hi:old])
	} else if grow < 0 {
		copy(l.items[hi+grow:], l.items[hi:])
		clear(l.items[old+grow:])
		l.items = l.items[:old+grow]
	}
	copy(l.items[lo:], items)
	return nil
}

// room makes sure that n more elements fit behind a list's own.
func (t *Thread) room(l *List, n int) error {
	need := len(l.items) + n
	if need <= cap(l.items) {
		return nil
	}
	size := max(need, cap(l.items)+cap(l.items)/4+4)
	if cap(l.items) < 256 {
		size = max(need, cap(l.items)*2, 4)
	}
	if err := t.alloc(int64(size-cap(l.items)) * valueBytes); err != nil {
		return err
	}
	items := make([]Value, len(l.items), size)
	copy(items, l.items)
	l.items = items
	return nil
}

// push appends one element to a list.
func (t *Thread) push(l *List, v Value) error {
	if len(l.items) == cap(l.items) {
		if err := t.room(l, 1); err != nil {
			return err
		}
	}
	l.items = append(l.items, v)
	return nil
}

// delItem is del o[k].
func (t *Thread) delItem(o, k Value) error {
	seen := t.seen
	t.seen = t.join(o.l, k.l)
	err := t.erase(o, k)
	t.seen = seen
	return err
}

// erase is delItem; what it sees is in t.seen.
func (t *Thread) erase(o, k Value) error {
	switch o.k {
	case kList:
		l := o.o.(*List)
		if s, ok := k.o.(*Slice); ok {
			return t.eraseSlice(l, s)
		}
		i, err := t.itemIndex(k, "list indices must be integers or slices, not %s")
		if err != nil {
			return err
		}
		if i < 0 {
			i += int64(len(l.items))
		}
		if uint64(i) >= uint64(len(l.items)) {
			t.see(l.shape)
			return t.raise(t.types.IndexError, "list assignment index out of range")
		}
		t.mark(&l.shape, t.seen)
		return t.splice(l, int(i), int(i)+1, nil)
	case kDict:
		d := o.o.(*Dict)
		v, ok, err := d.del(t, k)
		if err == nil && !ok {
			return t.missing(o, k, v.l)
		}
		t.mark(&d.shape, o.l)
		return err
	case kObject, kSpecial:
		if _, ok := t.override(o, "__delitem__"); ok {
			_, _, err := t.callSpecial(o, "__delitem__", k)
			return err
		}
		if b := t.base(o); b.k != o.k {
			return t.erase(b, k)
		}
	}
	verb := "does not"
	switch o.k {
	case kTuple, kStr, kBytes, kRange, kObject:
		verb = "doesn't" // the two words of CPython
	}
	return t.raise(t.types.TypeError, "'%s' object %s support item deletion", t.className(o), verb)
}

// eraseSlice is del l[s].
func (t *Thread) eraseSlice(l *List, s *Slice) error {
	lo, hi, step, err := t.ends(s, len(l.items))
	if err != nil {
		return err
	}
	t.mark(&l.shape, t.seen)
	if step == 1 {
		return t.splice(l, lo, max(lo, hi), nil)
	}
	n := sliceLen(lo, hi, step)
	if n == 0 {
		return nil
	}
	if step < 0 {
		lo, step = lo+(n-1)*step, -step
	}
	if err := t.step(int64(len(l.items)) / 8); err != nil {
		return err
	}
	out := l.items[:lo]
	for i := lo; i < len(l.items); i++ {
		if d := i - lo; d%step == 0 && d/step < n {
			continue
		}
		out = append(out, l.items[i])
	}
	clear(l.items[len(out):])
	l.items = out
	return nil
}
