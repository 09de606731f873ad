package vm

import (
	"cmp"
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"praxis/internal/plan/value"
)

// dictCodec stores the entries of a dict in their order, removed ones too, as
// iterators count them; the index is built anew.
type dictCodec struct{}

func (dictCodec) write(w *dumpWriter, v reflect.Value) {
	d := pointer[value.Dict](v)
	if value.Object(d) != w.objects[w.current] {
		w.inside[d] = insideRef{w.current, w.dicts}
		w.dicts++
	}
	w.label(d.Shape)
	w.uint(uint64(d.Version))
	w.uint(uint64(len(d.Entries)))
	for i := range d.Entries {
		e := &d.Entries[i]
		w.value(e.Key)
		if e.Key.Kind == value.KUnset {
			continue
		}
		w.value(e.Val)
		if !plainHash(e.Key.Kind) {
			w.uint(e.Hash)
		}
	}
}

// plainHash says whether the hash of a key of kind k is computed without the program.
func plainHash(k value.Kind) bool { return k == value.KStr || k == value.KInt || k == value.KBool }

func (dictCodec) read(r *dumpReader, v reflect.Value) {
	d := pointer[value.Dict](v)
	*d = value.Dict{Shape: r.label()}
	if version := r.uint(); version>>32 == 0 {
		d.Version = uint32(version)
	} else {
		r.fail("a number is too large")
	}
	n := r.count(value.EntryBytes)
	if n == 0 {
		return
	}
	d.Entries = make([]value.Entry, n)
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Key = r.value(); e.Key.Kind == value.KUnset {
			continue
		}
		e.Val = r.value()
		switch e.Key.Kind {
		case value.KStr:
			if s, ok := e.Key.Obj.(*value.Str); ok {
				r.hashes = append(r.hashes, hashLater{e, s})
			}
		case value.KInt, value.KBool:
			e.Hash = value.HashInt(e.Key.N)
		default:
			e.Hash = r.uint()
		}
		d.Live++
	}
	r.dicts = append(r.dicts, d)
}

// hashLater is an entry whose key may not have been read yet.
type hashLater struct {
	e *value.Entry
	s *value.Str
}

// settle computes what depends on objects that may have been read later.
func (r *dumpReader) settle() {
	for _, h := range r.hashes {
		h.e.Hash = value.HashStr(h.s)
	}
	for _, d := range r.dicts {
		if len(d.Entries) > value.SmallDict && r.alloc(int64(len(d.Entries))*16) {
			d.Reindex()
		}
	}
}

// codeCodec stores which code of which module it is.
type codeCodec struct{}

func (codeCodec) write(w *dumpWriter, v reflect.Value) {
	w.code(*pointer[*value.Code](v))
}

func (w *dumpWriter) code(c *value.Code) {
	i, ok := w.unitIDs[c.Unit]
	if !ok {
		i = len(w.units)
		w.unitIDs[c.Unit] = i
		w.units = append(w.units, c.Unit)
	}
	w.uint(uint64(i))
	w.uint(uint64(c.ID))
}

func (codeCodec) read(r *dumpReader, v reflect.Value) { *pointer[*value.Code](v) = r.code() }

func (r *dumpReader) code() *value.Code {
	u, i := r.uint(), r.uint()
	if u >= uint64(len(r.units)) || i >= uint64(len(r.units[u].Codes)) {
		r.fail("there is no such code")
		return nil
	}
	return r.units[u].Codes[i]
}

// frameCodec stores the frame of a generator, which has a window of its own.
type frameCodec struct{}

func (frameCodec) write(w *dumpWriter, v reflect.Value) {
	f := *pointer[*Frame](v)
	if f == nil {
		w.out = append(w.out, 0)
		return
	}
	w.out = append(w.out, 1)
	w.frame(f)
}

func (frameCodec) read(r *dumpReader, v reflect.Value) {
	switch r.byte() {
	case 0:
	case 1:
		if r.alloc(frameBytes) {
			f := &Frame{}
			*pointer[*Frame](v) = f
			r.frame(f, func(n int) []value.Value {
				if !r.alloc(int64(n) * value.ValueBytes) {
					return nil
				}
				return make([]value.Value, n)
			})
		}
	default:
		r.fail("a frame is neither there nor missing")
	}
}

// frame writes a frame: its code, its fields, its window up to the top of the stack.
func (w *dumpWriter) frame(f *Frame) {
	w.code(f.code)
	layouts().frame.write(w, reflect.ValueOf(f).Elem())
	for _, v := range f.st[:f.sp] {
		w.value(v)
	}
}

// frame reads a frame. window makes space for its values.
func (r *dumpReader) frame(f *Frame, window func(n int) []value.Value) {
	c := r.code()
	layouts().frame.read(r, reflect.ValueOf(f).Elem())
	if r.err != nil {
		return
	}
	f.code, f.run = c, r.vm.running(c)
	r.frames = append(r.frames, f)
	if f.sp < len(c.Slots) || f.sp > len(c.Slots)+c.Stack || f.ip < 0 || f.ip >= len(c.Instrs) || !rests(c, f.ip) || f.mode >= retModes {
		r.fail("a frame does not belong to its code")
		return
	}
	if f.sp > len(r.in) {
		r.fail("it ends too early")
		return
	}
	if f.st = window(f.run.Need); f.st == nil {
		return
	}
	for i := range f.sp {
		f.st[i] = r.value()
	}
}

// rests says whether a frame can rest at pc: where an instruction begins, or at
// its second word, which is read when the value that it waits for is there.
func rests(c *value.Code, pc int) bool {
	at := 0
	for at < pc {
		words := c.Instrs[at].Op().Words()
		if words == 2 && at+1 == pc {
			return true
		}
		at += words
	}
	return at == pc
}

// check looks whether an object that was read has what the machine relies on.
func (r *dumpReader) check(o value.Object) {
	ok := true
	switch o := o.(type) {
	case *value.Big:
		ok = o.Int != nil && !o.Int.IsInt64()
	case *value.Set:
		ok = checkSet(o)
	case *value.Range:
		ok = isWhole(o.Start) && isWhole(o.Stop) && isWhole(o.Step)
	case *value.Func:
		ok = o.Code != nil && o.Globals != nil && len(o.Closure) == o.Code.Free && !slicesHasNil(o.Closure) &&
			len(o.Defaults) <= o.Code.PosOnly+o.Code.Pos
		if ok {
			o.Run = r.vm.running(o.Code)
		}
	case *value.Class:
		ok = len(o.MRO) > 0 && !slicesHasNil(o.MRO) && !slicesHasNil(o.Bases) && o.MRO[0] == o && !o.Static && !o.Core
	case *value.Instance:
		ok = o.Cls != nil
	case *value.Exception:
		ok = o.Cls != nil && o.Cls.IsExc && o.Args.Kind == value.KTuple
	case *value.View:
		ok = o.Dict != nil && o.Kind >= value.ViewKeys && o.Kind <= value.ViewItems
	case *value.Iter:
		ok = checkIter(o)
	case *Gen:
		ok = o.f == nil || o.f.code.Flags&(value.FlagGenerator|value.FlagCoroutine) != 0
		if ok && o.f != nil {
			o.f.gen = o
		}
	case *value.Method:
		n := 0
		for m, is := o, true; is && n < maxMethods; n++ {
			m, is = m.Fn.Obj.(*value.Method)
		}
		ok = n < maxMethods
	case *value.Super:
		ok = o.Cls != nil && o.Of != nil
	}
	if !ok {
		r.fail("an object is not what it should be")
	}
}

// maxMethods bounds how often a method is that of a method.
const maxMethods = 100

func isWhole(v value.Value) bool { return v.Kind == value.KInt || v.Kind == value.KBig }

func slicesHasNil[T any](list []*T) bool {
	for _, p := range list {
		if p == nil {
			return true
		}
	}
	return false
}

// checkSet: probing ends only where a place is free.
func checkSet(s *value.Set) bool {
	n := len(s.Table)
	used, filled := 0, 0
	for i := range s.Table {
		if e := &s.Table[i]; e.Key.Kind != value.KUnset {
			used, filled = used+1, filled+1
		} else if e.Gone {
			filled++
		}
	}
	return used == s.Used && filled == s.Filled && (n == 0 || bits.OnesCount(uint(n)) == 1 && n >= value.MinSet && filled < n && s.Finger >= 0)
}

// checkIter: what is walked over has the type that the kind of the iterator says.
func checkIter(it *value.Iter) bool {
	if it.Kind == value.IterNone || it.Kind >= value.IterKinds || it.At < -1 && it.Kind != value.IterRange {
		return false
	}
	if it.Src.Kind == value.KUnset {
		return true
	}
	switch it.Kind {
	case value.IterList, value.IterListReverse:
		return it.Src.Kind == value.KList
	case value.IterTuple:
		return it.Src.Kind == value.KTuple && it.At >= 0
	case value.IterStr:
		return it.Src.Kind == value.KStr && it.At >= 0
	case value.IterBytes:
		return it.Src.Kind == value.KBytes && it.At >= 0
	case value.IterRange:
		return it.Src.Kind == value.KRange
	case value.IterBigRange:
		return it.Src.Kind == value.KRange && isWhole(it.Stop)
	case value.IterKeys, value.IterValues, value.IterItems, value.IterKeysReverse, value.IterValuesReverse, value.IterItemsReverse:
		return it.Src.Kind == value.KDict
	case value.IterSet:
		return it.Src.Kind == value.KSet && it.At >= 0
	}
	return true
}

// numbersCodec stores which numbers the library has given to objects.
type numbersCodec struct{}

func (numbersCodec) write(w *dumpWriter, v reflect.Value) {
	ids := *pointer[map[value.Object]uint64](v)
	w.uint(uint64(len(ids)))
	for _, o := range slices.SortedFunc(maps.Keys(ids), func(a, b value.Object) int { return cmp.Compare(ids[a], ids[b]) }) {
		w.ref(o)
		w.uint(ids[o])
	}
}

func (numbersCodec) read(r *dumpReader, v reflect.Value) {
	n := r.count(64)
	if n == 0 {
		return
	}
	ids := make(map[value.Object]uint64, n)
	for ; n > 0 && r.err == nil; n-- {
		o := r.ref()
		if o != nil {
			ids[o] = r.uint()
		}
	}
	*pointer[map[value.Object]uint64](v) = ids
}
