package vm

import (
	"math/big"

	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// iterKind says what an [Iter] walks over.
type iterKind uint8

// The kinds of iterators.
const (
	iterNone iterKind = iota
	iterList
	iterListReverse
	iterTuple
	iterStr
	iterBytes
	iterRange    // numbers of a range whose bounds fit
	iterBigRange // of one whose bounds do not
	iterKeys
	iterValues
	iterItems
	iterKeysReverse
	iterValuesReverse
	iterItemsReverse
	iterSet
	iterSeq        // asks __getitem__ with 0, 1, 2, …
	iterSeqReverse // asks __getitem__ with n-1, n-2, …
	iterCall       // calls src until it returns stop
	iterEnumerate  // src is an iterator, i the next number
	iterZip        // src is a tuple of iterators, n is 1 when they must be of one length
	iterMap        // likewise; stop is the function
	iterFilter     // src is an iterator, stop the function or None
	iterKinds      // the number of kinds
)

// iterNames are the names of the iterators' classes.
var iterNames = [iterKinds]string{
	"", "list_iterator", "list_reverseiterator", "tuple_iterator", "str_iterator", "bytes_iterator",
	"range_iterator", "longrange_iterator", "dict_keyiterator", "dict_valueiterator", "dict_itemiterator",
	"dict_reversekeyiterator", "dict_reversevalueiterator", "dict_reverseitemiterator", "set_iterator",
	"iterator", "reversed", "callable_iterator", "enumerate", "zip", "map", "filter",
}

// Iter is an iterator over a value of a built-in class.
type Iter struct {
	kind iterKind
	src  Value // what is walked over; kUnset when the end was reached
	i    int64 // the next place: an index, a byte of a string, a number of a range
	n    int64 // range: numbers left; dict and set: the size that is expected
	step int64 // range
	left int64 // dict: entries left
	stop Value // iterCall: the sentinel; iterBigRange: the next number
}

// generator is the object of a kGen value; the machine makes them.
type generator interface {
	Object
	// next returns the next element; ok is false when the generator has ended, v
	// is then what it returned.
	next(t *Thread) (v Value, ok bool, err error)
}

func (it *Iter) class(t *Thread) *Class { return t.types.iterators[it.kind] }

// viewKind says what a [View] shows.
type viewKind uint8

// The kinds of views.
const (
	viewKeys viewKind = iota + 1
	viewValues
	viewItems
)

// View is a view of a dict.
type View struct {
	kind viewKind
	d    *Dict
}

func (w *View) class(t *Thread) *Class {
	switch w.kind {
	case viewKeys:
		return t.types.DictKeys
	case viewValues:
		return t.types.DictValues
	}
	return t.types.DictItems
}

// newIter makes an iterator value over v with v's label.
func newIter(kind iterKind, v Value, n int64) Value {
	return Value{k: kIter, o: &Iter{kind: kind, src: v, n: n}, l: v.l}
}

// iter returns an iterator over v, labelled with what its elements depend on.
func (t *Thread) iter(v Value) (Value, error) {
	if v.k == kObject || v.k == kSpecial || v.k == kClass {
		if fn, ok := t.override(v, "__iter__"); ok {
			return t.iterObject(v, fn)
		}
		b := t.base(v)
		if b.k == v.k {
			if _, ok := t.override(v, "__getitem__"); ok {
				return newIter(iterSeq, v, 0), nil
			}
		}
		v = b
	}
	switch v.k {
	case kList:
		it := newIter(iterList, v, 0)
		it.l = t.join(v.l, v.o.(*List).shape)
		return it, nil
	case kTuple:
		return newIter(iterTuple, v, 0), nil
	case kStr:
		return newIter(iterStr, v, 0), nil
	case kBytes:
		return newIter(iterBytes, v, 0), nil
	case kRange:
		return t.iterRange(v, v.o.(*Range)), nil
	case kDict:
		return t.iterDict(v, v.o.(*Dict), iterKeys), nil
	case kView:
		w := v.o.(*View)
		return t.iterDict(Value{k: kDict, o: w.d, l: v.l}, w.d, iterKeys+iterKind(w.kind-viewKeys)), nil
	case kSet:
		s := v.o.(*Set)
		it := newIter(iterSet, v, int64(s.used))
		it.l = t.join(v.l, s.shape)
		return it, nil
	case kIter, kGen:
		return v, nil
	}
	return Value{}, t.failOf(v, t.types.TypeError, "'%s' object is not iterable", t.className(v))
}

func (t *Thread) iterObject(v, fn Value) (Value, error) {
	if fn.k == kNone {
		return Value{}, t.failOf(v, t.types.TypeError, "'%s' object is not iterable", t.className(v))
	}
	it, _, err := t.callSpecial(v, "__iter__")
	if err != nil {
		return Value{}, err
	}
	switch it.k {
	case kIter, kGen:
		return it, nil
	case kObject, kSpecial:
		if _, ok := t.override(it, "__next__"); ok {
			return it, nil
		}
	}
	return Value{}, t.failOf(it, t.types.TypeError, "%s.__iter__() must return an iterator, not %s", t.className(v), t.className(it))
}

// iterDict returns an iterator over the dict d, of which v is the value, or over a view of it.
func (t *Thread) iterDict(v Value, d *Dict, kind iterKind) Value {
	it := newIter(kind, v, int64(d.live))
	o := it.o.(*Iter)
	o.left = o.n
	if kind >= iterKeysReverse && kind <= iterItemsReverse {
		o.i = int64(len(d.entries)) - 1
	}
	it.l = t.join(v.l, d.shape)
	return it
}

func (t *Thread) iterRange(v Value, r *Range) Value {
	l := t.join(v.l, r.label(t))
	n := r.length()
	if r.small() && n.IsInt64() {
		return Value{k: kIter, l: l, o: &Iter{kind: iterRange, src: v, i: r.start.n, n: n.Int64(), step: r.step.n}}
	}
	return Value{k: kIter, l: l, o: &Iter{kind: iterBigRange, src: v, stop: r.start}}
}

// next returns the next element of an iterator, labelled with what it depends
// on; ok is false at the end.
func (t *Thread) next(itv Value) (Value, bool, error) {
	switch itv.k {
	case kIter:
		v, ok, err := t.advance(itv.o.(*Iter))
		if itv.l != 0 {
			v.l = t.join(v.l, itv.l)
		}
		return v, ok, err
	case kGen:
		v, ok, err := itv.o.(generator).next(t)
		if itv.l != 0 {
			v.l = t.join(v.l, itv.l)
		}
		return v, ok, err
	}
	v, ok, err := t.callSpecial(itv, "__next__")
	if err != nil {
		if r, is := err.(*Raise); is && r.exc.cls.derives(t.types.StopIteration) {
			return Value{l: itv.l}, false, nil
		}
		return Value{}, false, err
	}
	if !ok {
		return Value{}, false, t.failOf(itv, t.types.TypeError, "'%s' object is not an iterator", t.className(itv))
	}
	return v, true, nil
}

// advance is next for a built-in iterator, without its label.
func (t *Thread) advance(it *Iter) (v Value, ok bool, err error) {
	switch it.kind {
	case iterRange:
		if it.n <= 0 {
			return Value{}, false, nil
		}
		v := intValue(it.i)
		it.n--
		it.i += it.step
		return v, true, nil
	case iterList:
		if it.src.k == kUnset {
			return Value{}, false, nil
		}
		l := it.src.o.(*List)
		if it.i < int64(len(l.items)) {
			v := l.items[it.i]
			it.i++
			if l.shape != 0 {
				v.l = t.join(v.l, l.shape)
			}
			return v, true, nil
		}
		it.src = Value{}
		return Value{l: l.shape}, false, nil
	case iterTuple:
		if it.src.k == kUnset {
			return Value{}, false, nil
		}
		if items := it.src.o.(*Tuple).items; it.i < int64(len(items)) {
			it.i++
			return items[it.i-1], true, nil
		}
		it.src = Value{}
		return Value{}, false, nil
	case iterStr:
		return t.advanceStr(it)
	case iterBytes:
		if b := it.bytes(); it.i < int64(len(b)) {
			it.i++
			return intValue(int64(b[it.i-1])), true, nil
		}
		it.src = Value{}
		return Value{}, false, nil
	case iterKeys, iterValues, iterItems, iterKeysReverse, iterValuesReverse, iterItemsReverse:
		return t.advanceDict(it)
	case iterSet:
		return t.advanceSet(it)
	}
	return t.advanceOther(it)
}

func (it *Iter) bytes() string {
	if it.src.k == kUnset {
		return ""
	}
	return it.src.o.(*Bytes).b
}

func (t *Thread) advanceStr(it *Iter) (Value, bool, error) {
	if it.src.k == kUnset {
		return Value{}, false, nil
	}
	s := it.src.o.(*Str).s
	if it.i >= int64(len(s)) {
		it.src = Value{}
		return Value{}, false, nil
	}
	c := s[it.i]
	if c < 0x80 {
		it.i++
		return t.types.chars[c], true, nil
	}
	_, size := pytext.DecodeRune(s[it.i:])
	v := t.str(s[it.i : it.i+int64(size)])
	it.i += int64(size)
	return v, true, nil
}

func (t *Thread) advanceDict(it *Iter) (Value, bool, error) {
	if it.src.k == kUnset {
		return Value{}, false, nil
	}
	d := it.src.o.(*Dict)
	if int64(d.live) != it.n {
		it.n = -1 // it stays broken
		return Value{}, false, t.failAt(t.join(it.src.l, d.shape), t.types.RuntimeError, "dictionary changed size during iteration")
	}
	back := it.kind >= iterKeysReverse
	for it.i >= 0 && it.i < int64(len(d.entries)) {
		e := &d.entries[it.i]
		if back {
			it.i--
		} else {
			it.i++
		}
		if e.key.k == kUnset {
			continue
		}
		if it.left == 0 {
			it.src = Value{}
			return Value{}, false, t.failAt(d.shape, t.types.RuntimeError, "dictionary keys changed during iteration")
		}
		it.left--
		return t.entryValue(it.kind, e, d.shape), true, nil
	}
	it.src = Value{}
	return Value{l: d.shape}, false, nil
}

func (t *Thread) entryValue(kind iterKind, e *entry, shape label.ID) Value {
	switch kind {
	case iterKeys, iterKeysReverse:
		return e.key.with(t.join(e.key.l, shape))
	case iterValues, iterValuesReverse:
		return e.val.with(t.join(e.val.l, shape))
	}
	return t.tuple([]Value{e.key, e.val}).with(shape)
}

func (t *Thread) advanceSet(it *Iter) (Value, bool, error) {
	if it.src.k == kUnset {
		return Value{}, false, nil
	}
	s := it.src.o.(*Set)
	if int64(s.used) != it.n {
		it.n = -1
		return Value{}, false, t.failAt(t.join(it.src.l, s.shape), t.types.RuntimeError, "Set changed size during iteration")
	}
	for it.i < int64(len(s.table)) {
		e := &s.table[it.i]
		it.i++
		if e.key.k != kUnset {
			return e.key.with(t.join(e.key.l, s.shape)), true, nil
		}
	}
	it.src = Value{}
	return Value{l: s.shape}, false, nil
}

// advanceOther is advance for the kinds that are rare.
func (t *Thread) advanceOther(it *Iter) (Value, bool, error) {
	if it.src.k == kUnset {
		return Value{}, false, nil
	}
	switch it.kind {
	case iterListReverse:
		l := it.src.o.(*List)
		if it.i >= 0 && it.i < int64(len(l.items)) {
			v := l.items[it.i]
			it.i--
			return v.with(t.join(v.l, l.shape)), true, nil
		}
		it.src = Value{}
		return Value{l: l.shape}, false, nil
	case iterBigRange:
		r := it.src.o.(*Range)
		if !r.holds(it.stop) {
			it.src = Value{}
			return Value{}, false, nil
		}
		v := it.stop
		next, err := t.binary(syntax.Add, v, r.step)
		it.stop = next
		return v, true, err
	case iterSeq, iterSeqReverse:
		if it.i < 0 {
			it.src = Value{}
			return Value{}, false, nil
		}
		v, err := t.getItem(it.src, intValue(it.i))
		if err != nil {
			if r, is := err.(*Raise); is && (r.exc.cls.derives(t.types.IndexError) || r.exc.cls.derives(t.types.StopIteration)) {
				l := it.src.l
				it.src = Value{}
				return Value{l: l}, false, nil
			}
			return Value{}, false, err
		}
		if it.i++; it.kind == iterSeqReverse {
			it.i -= 2
		}
		return v, true, nil
	case iterCall:
		v, err := t.Call(it.src, nil, nil, nil)
		if err != nil {
			return Value{}, false, err
		}
		seen := t.seen
		t.seen = 0
		end, err := t.equal(v, it.stop)
		v.l = t.join(v.l, t.seen)
		t.seen = seen
		if err != nil || !end {
			return v, err == nil, err
		}
		it.src = Value{}
		return Value{l: v.l}, false, nil
	}
	return t.advanceBuilt(it)
}

// each calls f with each element of v, labelled. It sees what the number of
// elements depends on.
func (t *Thread) each(v Value, f func(Value) error) error {
	it, err := t.iter(v)
	if err != nil {
		return err
	}
	t.see(it.l)
	for {
		x, ok, err := t.next(it)
		if err != nil {
			return err
		}
		if !ok {
			t.see(x.l)
			return nil
		}
		if err := t.step(1); err != nil {
			return err
		}
		if err := f(x); err != nil {
			return err
		}
	}
}

// collect returns the elements of v in a new slice. It sees what their number
// and their order depend on; the elements carry what they depend on themselves.
func (t *Thread) collect(v Value) ([]Value, error) {
	var out []Value
	switch b := t.plainSeq(v); b.k {
	case kList:
		l := b.o.(*List)
		t.see(b.l)
		t.see(l.shape)
		out = l.items
	case kTuple:
		t.see(b.l)
		out = b.o.(*Tuple).items
	default:
		n := 0
		if b.k == kRange || b.k == kDict || b.k == kSet || b.k == kView {
			n, _ = t.length(b)
		}
		if err := t.alloc(int64(n) * valueBytes); err != nil {
			return nil, err
		}
		out = make([]Value, 0, min(n, 1<<20))
		err := t.each(v, func(x Value) error {
			if len(out) == cap(out) && len(out) >= n {
				if err := t.alloc(int64(len(out)+4) * valueBytes); err != nil {
					return err
				}
			}
			out = append(out, x)
			return nil
		})
		return out, err
	}
	if err := t.alloc(int64(len(out)) * valueBytes); err != nil {
		return nil, err
	}
	if err := t.step(int64(len(out)) / 8); err != nil {
		return nil, err
	}
	return append(make([]Value, 0, len(out)), out...), nil
}

// plainSeq is v's list or tuple when nothing overrides how it is iterated.
func (t *Thread) plainSeq(v Value) Value {
	if _, ok := t.override(v, "__iter__"); ok {
		return Value{}
	}
	return t.base(v)
}

// small reports whether a range's bounds fit an int64.
func (r *Range) small() bool { return r.start.k != kBig && r.stop.k != kBig && r.step.k != kBig }

// label is what the bounds depend on.
func (r *Range) label(t *Thread) label.ID {
	return t.join(t.join(r.start.l, r.stop.l), r.step.l)
}

// length returns how many numbers the range has.
func (r *Range) length() *big.Int {
	if r.small() {
		lo, hi, step := r.start.n, r.stop.n, r.step.n
		if step < 0 && step != -step {
			lo, hi, step = hi, lo, -step
		}
		if step > 0 {
			if lo >= hi {
				return new(big.Int)
			}
			n := (uint64(hi)-uint64(lo)-1)/uint64(step) + 1
			return new(big.Int).SetUint64(n)
		}
	}
	lo, hi, step := toBig(r.start), toBig(r.stop), toBig(r.step)
	if step.Sign() < 0 {
		lo, hi, step = hi, lo, new(big.Int).Neg(step)
	}
	if lo.Cmp(hi) >= 0 {
		return new(big.Int)
	}
	n := new(big.Int).Sub(hi, lo)
	n.Sub(n, big.NewInt(1))
	n.Quo(n, step)
	return n.Add(n, big.NewInt(1))
}

// holds reports whether x lies before the stop.
func (r *Range) holds(x Value) bool {
	c := toBig(x).Cmp(toBig(r.stop))
	if toBig(r.step).Sign() < 0 {
		return c > 0
	}
	return c < 0
}

// toBig returns an int value as a big.Int, which must not be changed.
func toBig(v Value) *big.Int {
	if v.k == kBig {
		return v.o.(*Big).v
	}
	return big.NewInt(v.n)
}
