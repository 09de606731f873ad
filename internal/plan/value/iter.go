package value

import (
	"math/big"
	"unicode/utf8"

	"praxis/internal/plan/label"
)

// IterKind says what an [Iter] walks over.
type IterKind uint8

// The kinds of iterators.
const (
	IterNone IterKind = iota
	IterList
	IterListReverse
	IterTuple
	IterStr
	IterBytes
	IterRange
	IterKeys
	IterValues
	IterItems
	IterSet
	IterSeq       // calls __getitem__ with 0, 1, 2, …
	IterEnumerate // Src is an iterator, At the next number
	IterZip       // Src is a tuple of iterators, N is 1 when they must be of one length
	IterMap       // Src is a tuple of iterators, Stop is the function
	IterFilter    // Src is an iterator, Stop the function or None
)

// Iter is an iterator over a value of a built-in class.
type Iter struct {
	Kind  IterKind
	Src   Value    // what is walked over; KUnset when the end was reached
	At    int64    // the next place: an index, a byte of a string, a number of a range
	N     int64    // range: numbers left; dict and set: the size that is expected
	Step  int64    // range
	left  int64    // dict: entries left
	Moved label.ID // what its place depends on beside
	Stop  Value    // map, filter: the function
}

// Generator is the object of a KGen value; the machine makes them.
type Generator interface {
	Object
	// Next returns the next element; ok is false when the generator has ended, v
	// is then what it returned.
	Next(t *Thread) (v Value, ok bool, err error)
	// Drive is [Thread.Drive] for what the generator holds.
	Drive(t *Thread, l label.ID)
}

func (it *Iter) Class(t *Thread) *Class {
	switch it.Kind {
	case IterEnumerate:
		return t.Types.Enumerate
	case IterZip:
		return t.Types.Zip
	case IterMap:
		return t.Types.Map
	case IterFilter:
		return t.Types.Filter
	case IterListReverse:
		return t.Types.Reversed
	}
	return t.Types.Iterator
}

// ViewKind says what a [View] shows.
type ViewKind uint8

// The kinds of views.
const (
	ViewKeys ViewKind = iota + 1
	ViewValues
	ViewItems
)

// View is a view of a dict.
type View struct {
	Kind ViewKind
	Dict *Dict
}

func (w *View) Class(t *Thread) *Class {
	switch w.Kind {
	case ViewKeys:
		return t.Types.DictKeys
	case ViewValues:
		return t.Types.DictValues
	}
	return t.Types.DictItems
}

// NewIter makes an iterator value over v with v's label.
func NewIter(kind IterKind, v Value, n int64) Value {
	return Value{Kind: KIter, Obj: &Iter{Kind: kind, Src: v, N: n}, Label: v.Label}
}

// Iter returns an iterator over v, labelled with what its elements depend on.
func (t *Thread) Iter(v Value) (Value, error) {
	if v.Kind == KObject || v.Kind == KSpecial || v.Kind == KClass {
		if fn, ok := t.Override(v, "__iter__"); ok {
			return t.iterObject(v, fn)
		}
		b := t.Base(v)
		if b.Kind == v.Kind {
			if _, ok := t.Override(v, "__getitem__"); ok {
				return NewIter(IterSeq, v, 0), nil
			}
		}
		v = b
	}
	switch v.Kind {
	case KList:
		it := NewIter(IterList, v, 0)
		it.Label = t.Join(v.Label, v.Obj.(*List).Shape)
		return it, nil
	case KTuple:
		return NewIter(IterTuple, v, 0), nil
	case KStr:
		return NewIter(IterStr, v, 0), nil
	case KBytes:
		return NewIter(IterBytes, v, 0), nil
	case KRange:
		r := v.Obj.(*Range)
		return Value{Kind: KIter, Label: t.Join(v.Label, r.Depends), Obj: &Iter{Kind: IterRange, Src: v, At: r.Start, N: r.Len(), Step: r.Step}}, nil
	case KDict:
		return t.IterDict(v, v.Obj.(*Dict), IterKeys), nil
	case KView:
		w := v.Obj.(*View)
		return t.IterDict(Value{Kind: KDict, Obj: w.Dict, Label: v.Label}, w.Dict, IterKeys+IterKind(w.Kind-ViewKeys)), nil
	case KSet:
		s := v.Obj.(*Set)
		it := NewIter(IterSet, v, int64(s.Used))
		it.Label = t.Join(v.Label, s.Shape)
		return it, nil
	case KIter, KGen:
		return v, nil
	}
	return Value{}, t.FailOf(v, t.Types.TypeError, "'%s' object is not iterable", t.ClassName(v))
}

func (t *Thread) iterObject(v, fn Value) (Value, error) {
	if fn.Kind == KNone {
		return Value{}, t.FailOf(v, t.Types.TypeError, "'%s' object is not iterable", t.ClassName(v))
	}
	it, _, err := t.CallSpecial(v, "__iter__")
	if err != nil {
		return Value{}, err
	}
	switch it.Kind {
	case KIter, KGen:
		return it, nil
	case KObject, KSpecial:
		if _, ok := t.Override(it, "__next__"); ok {
			return it, nil
		}
	}
	return Value{}, t.FailOf(it, t.Types.TypeError, "%s.__iter__() must return an iterator, not %s", t.ClassName(v), t.ClassName(it))
}

// IterDict returns an iterator over the dict d, of which v is the value, or over a view of it.
func (t *Thread) IterDict(v Value, d *Dict, kind IterKind) Value {
	it := NewIter(kind, v, int64(d.Live))
	o := it.Obj.(*Iter)
	o.left = o.N
	it.Label = t.Join(v.Label, d.Shape)
	return it
}

// Next returns the next element of an iterator, labelled with what it depends
// on; ok is false at the end.
func (t *Thread) Next(itv Value) (Value, bool, error) {
	switch itv.Kind {
	case KIter:
		it := itv.Obj.(*Iter)
		v, ok, err := t.Advance(it)
		if itv.Label|it.Moved != 0 {
			v.Label = t.Join(v.Label, t.Join(itv.Label, it.Moved))
		}
		return v, ok, err
	case KGen:
		v, ok, err := itv.Obj.(Generator).Next(t)
		if itv.Label != 0 {
			v.Label = t.Join(v.Label, itv.Label)
		}
		return v, ok, err
	}
	v, ok, err := t.CallSpecial(itv, "__next__")
	if err != nil {
		if r, is := err.(*Raise); is && r.Exc.Cls.Derives(t.Types.StopIteration) {
			return Value{Label: itv.Label}, false, nil
		}
		return Value{}, false, err
	}
	if !ok {
		return Value{}, false, t.FailOf(itv, t.Types.TypeError, "'%s' object is not an iterator", t.ClassName(itv))
	}
	return v, true, nil
}

// end is what Advance returns at the end, which depends on l.
func (it *Iter) end(l label.ID) (Value, bool, error) {
	it.Src = Value{}
	return Value{Label: l}, false, nil
}

// Advance is Next for a built-in iterator, without its label.
func (t *Thread) Advance(it *Iter) (v Value, ok bool, err error) {
	if it.Src.Kind == KUnset {
		return Value{}, false, nil
	}
	switch it.Kind {
	case IterRange:
		if it.N <= 0 {
			return it.end(0)
		}
		v := Int(it.At)
		it.N--
		it.At += it.Step
		return v, true, nil
	case IterList:
		l := it.Src.Obj.(*List)
		if it.At < int64(len(l.Items)) {
			v := l.Items[it.At]
			it.At++
			if l.Shape != 0 {
				v.Label = t.Join(v.Label, l.Shape)
			}
			return v, true, nil
		}
		return it.end(l.Shape)
	case IterTuple:
		if items := it.Src.Obj.(*Tuple).Items; it.At < int64(len(items)) {
			it.At++
			return items[it.At-1], true, nil
		}
	case IterStr:
		return t.advanceStr(it)
	case IterBytes:
		if b := it.Src.Obj.(*Bytes).Data; it.At < int64(len(b)) {
			it.At++
			return Int(int64(b[it.At-1])), true, nil
		}
	case IterKeys, IterValues, IterItems:
		return t.advanceDict(it)
	case IterSet:
		return t.advanceSet(it)
	default:
		return t.advanceOther(it)
	}
	return it.end(0)
}

func (t *Thread) advanceStr(it *Iter) (Value, bool, error) {
	s := it.Src.Obj.(*Str).Text
	if it.At >= int64(len(s)) {
		return it.end(0)
	}
	c := s[it.At]
	if c < 0x80 {
		it.At++
		return t.Types.Chars[c], true, nil
	}
	_, size := utf8.DecodeRuneInString(s[it.At:])
	v := t.Str(s[it.At : it.At+int64(size)])
	it.At += int64(size)
	return v, true, nil
}

func (t *Thread) advanceDict(it *Iter) (Value, bool, error) {
	d := it.Src.Obj.(*Dict)
	if int64(d.Live) != it.N {
		it.N = -1 // it stays broken
		return Value{}, false, t.FailAt(t.Join(it.Src.Label, d.Shape), t.Types.RuntimeError, "dictionary changed size during iteration")
	}
	for it.At < int64(len(d.Entries)) {
		e := &d.Entries[it.At]
		it.At++
		if e.Key.Kind == KUnset {
			continue
		}
		if it.left == 0 {
			it.Src = Value{}
			return Value{}, false, t.FailAt(d.Shape, t.Types.RuntimeError, "dictionary keys changed during iteration")
		}
		it.left--
		return t.entryValue(it.Kind, e, d.Shape), true, nil
	}
	return it.end(d.Shape)
}

func (t *Thread) entryValue(kind IterKind, e *Entry, shape label.ID) Value {
	switch kind {
	case IterKeys:
		return e.Key.With(t.Join(e.Key.Label, shape))
	case IterValues:
		return e.Val.With(t.Join(e.Val.Label, shape))
	}
	return t.Tuple([]Value{e.Key, e.Val}).With(shape)
}

func (t *Thread) advanceSet(it *Iter) (Value, bool, error) {
	s := it.Src.Obj.(*Set)
	if int64(s.Used) != it.N {
		it.N = -1
		return Value{}, false, t.FailAt(t.Join(it.Src.Label, s.Shape), t.Types.RuntimeError, "Set changed size during iteration")
	}
	for it.At < int64(len(s.Table)) {
		e := &s.Table[it.At]
		it.At++
		if e.Key.Kind != KUnset {
			return e.Key.With(t.Join(e.Key.Label, s.Shape)), true, nil
		}
	}
	return it.end(s.Shape)
}

// advanceOther is Advance for the kinds that are rare.
func (t *Thread) advanceOther(it *Iter) (Value, bool, error) {
	switch it.Kind {
	case IterListReverse:
		l := it.Src.Obj.(*List)
		if it.At >= 0 && it.At < int64(len(l.Items)) {
			v := l.Items[it.At]
			it.At--
			return v.With(t.Join(v.Label, l.Shape)), true, nil
		}
		return it.end(l.Shape)
	case IterSeq:
		v, err := t.GetItem(it.Src, Int(it.At))
		if err != nil {
			if r, is := err.(*Raise); is && (r.Exc.Cls.Derives(t.Types.IndexError) || r.Exc.Cls.Derives(t.Types.StopIteration)) {
				return it.end(it.Src.Label)
			}
			return Value{}, false, err
		}
		it.At++
		return v, true, nil
	}
	return t.advanceBuilt(it)
}

// Each calls f with each element of v, labelled. It sees what the number of
// elements depends on.
func (t *Thread) Each(v Value, f func(Value) error) error {
	it, err := t.Iter(v)
	if err != nil {
		return err
	}
	t.See(it.Label)
	if v.Kind == KIter {
		t.Touch(v, "")
	}
	for {
		x, ok, err := t.Next(it)
		if err != nil {
			return err
		}
		if !ok {
			t.See(x.Label)
			return nil
		}
		if err := t.Step(1); err != nil {
			return err
		}
		if err := f(x); err != nil {
			return err
		}
	}
}

// Collect returns the elements of v in a new slice. It sees what their number
// and their order depend on; the elements have labels of their own.
func (t *Thread) Collect(v Value) ([]Value, error) {
	var out []Value
	switch b := t.PlainSeq(v); b.Kind {
	case KList:
		l := b.Obj.(*List)
		t.See(b.Label)
		t.See(l.Shape)
		out = l.Items
	case KTuple:
		t.See(b.Label)
		out = b.Obj.(*Tuple).Items
	default:
		n := 0
		if b.Kind == KRange || b.Kind == KDict || b.Kind == KSet || b.Kind == KView {
			n, _ = t.Length(b)
		}
		if err := t.Alloc(int64(n) * ValueBytes); err != nil {
			return nil, err
		}
		out = make([]Value, 0, min(n, 1<<20))
		err := t.Each(v, func(x Value) error {
			if len(out) == cap(out) && len(out) >= n {
				if err := t.Alloc(int64(len(out)+4) * ValueBytes); err != nil {
					return err
				}
			}
			out = append(out, x)
			return nil
		})
		return out, err
	}
	if err := t.Charge(int64(len(out))*ValueBytes, int64(len(out))/8); err != nil {
		return nil, err
	}
	return append(make([]Value, 0, len(out)), out...), nil
}

// PlainSeq is v's list or tuple when nothing overrides how it is iterated.
func (t *Thread) PlainSeq(v Value) Value {
	if _, ok := t.Override(v, "__iter__"); ok {
		return Value{}
	}
	return t.Base(v)
}

// Len returns how many numbers the range has.
func (r *Range) Len() int64 {
	lo, hi, step := r.Start, r.Stop, r.Step
	if step < 0 {
		lo, hi, step = hi, lo, -step
	}
	if lo >= hi {
		return 0
	}
	return (hi-lo-1)/step + 1
}

// ToBig returns an int value as a big.Int, which must not be changed.
func ToBig(v Value) *big.Int {
	if v.Kind == KBig {
		return v.Obj.(*Big).Int
	}
	return big.NewInt(v.N)
}

// Foreign reports whether the language's own code has to walk over v: a
// generator, or an instance whose class says how it is iterated.
func (t *Thread) Foreign(v Value) bool {
	switch v.Kind {
	case KGen:
		return true
	case KObject:
		if _, ok := t.Override(v, "__iter__"); ok {
			return true
		}
		return InstanceOf(v) != nil && InstanceOf(v).Base.Kind == KUnset
	case KClass:
		return v.Obj.(*Class).Meta != nil
	}
	return false
}

// CanIter reports whether iter(v) would answer, without calling the program.
func (t *Thread) CanIter(v Value) bool {
	switch v.Kind {
	case KNone, KBool, KInt, KBig, KFloat, KFunc, KNative, KMethod, KModule, KTool, KEllipsis, KNotImplemented, KProp, KSlice:
		return false
	case KClass:
		return v.Obj.(*Class).Meta != nil
	case KObject, KSpecial:
		if fn, _, ok := t.ClassOf(v).Lookup("__iter__"); ok {
			return fn.Kind != KNone
		}
		_, _, ok := t.ClassOf(v).Lookup("__getitem__")
		return ok || t.Base(v).Kind != v.Kind || v.Kind == KSpecial
	}
	return true
}
