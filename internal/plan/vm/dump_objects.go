package vm

import (
	"cmp"
	"maps"
	"math/bits"
	"reflect"
	"slices"
)

// dictCodec stores the entries of a dict in their order, removed ones too, as
// iterators count them; the index is built anew.
type dictCodec struct{}

func (dictCodec) write(w *dumpWriter, v reflect.Value) {
	d := pointer[Dict](v)
	if Object(d) != w.objects[w.current] {
		w.inside[d] = insideRef{w.current, w.dicts}
		w.dicts++
	}
	w.label(d.shape)
	w.uint(uint64(d.version))
	w.uint(uint64(len(d.entries)))
	for i := range d.entries {
		e := &d.entries[i]
		w.value(e.key)
		if e.key.k == kUnset {
			continue
		}
		w.value(e.val)
		if !plainHash(e.key.k) {
			w.uint(e.hash)
		}
	}
}

// plainHash says whether the hash of a key of kind k is computed without the program.
func plainHash(k Kind) bool { return k == kStr || k == kInt || k == kBool }

func (dictCodec) read(r *dumpReader, v reflect.Value) {
	d := pointer[Dict](v)
	*d = Dict{shape: r.label()}
	if version := r.uint(); version>>32 == 0 {
		d.version = uint32(version)
	} else {
		r.fail("a number is too large")
	}
	n := r.count(entryBytes)
	if n == 0 {
		return
	}
	d.entries = make([]entry, n)
	for i := range d.entries {
		e := &d.entries[i]
		if e.key = r.value(); e.key.k == kUnset {
			continue
		}
		e.val = r.value()
		switch e.key.k {
		case kStr:
			if s, ok := e.key.o.(*Str); ok {
				r.hashes = append(r.hashes, hashLater{e, s})
			}
		case kInt, kBool:
			e.hash = hashInt(e.key.n)
		default:
			e.hash = r.uint()
		}
		d.live++
	}
	r.dicts = append(r.dicts, d)
}

// hashLater is an entry whose key may not have been read yet.
type hashLater struct {
	e *entry
	s *Str
}

// settle computes what depends on objects that may have been read later.
func (r *dumpReader) settle() {
	for _, h := range r.hashes {
		h.e.hash = hashStr(h.s)
	}
	for _, d := range r.dicts {
		if len(d.entries) > smallDict && r.alloc(int64(len(d.entries))*16) {
			d.reindex()
		}
	}
}

// codeCodec stores which code of which module it is.
type codeCodec struct{}

func (codeCodec) write(w *dumpWriter, v reflect.Value) {
	w.code(*pointer[*Code](v))
}

func (w *dumpWriter) code(c *Code) {
	i, ok := w.unitIDs[c.unit]
	if !ok {
		i = len(w.units)
		w.unitIDs[c.unit] = i
		w.units = append(w.units, c.unit)
	}
	w.uint(uint64(i))
	w.uint(uint64(c.id))
}

func (codeCodec) read(r *dumpReader, v reflect.Value) { *pointer[*Code](v) = r.code() }

func (r *dumpReader) code() *Code {
	u, i := r.uint(), r.uint()
	if u >= uint64(len(r.units)) || i >= uint64(len(r.units[u].codes)) {
		r.fail("there is no such code")
		return nil
	}
	return r.units[u].codes[i]
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
			r.frame(f, func(n int) []Value {
				if !r.alloc(int64(n) * valueBytes) {
					return nil
				}
				return make([]Value, n)
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

// frame reads a frame. window makes room for its values.
func (r *dumpReader) frame(f *Frame, window func(n int) []Value) {
	c := r.code()
	layouts().frame.read(r, reflect.ValueOf(f).Elem())
	if r.err != nil {
		return
	}
	f.code, f.run = c, r.vm.running(c)
	r.frames = append(r.frames, f)
	if f.sp < len(c.slots) || f.sp > len(c.slots)+c.stack || f.ip < 0 || f.ip >= len(c.instrs) || !rests(c, f.ip) || f.mode >= retModes {
		r.fail("a frame does not belong to its code")
		return
	}
	if f.sp > len(r.in) {
		r.fail("it ends too early")
		return
	}
	if f.st = window(f.run.need); f.st == nil {
		return
	}
	for i := range f.sp {
		f.st[i] = r.value()
	}
}

// rests says whether a frame can rest at pc: where an instruction begins, or at
// its second word, which is read when the value that it waits for is there.
func rests(c *Code, pc int) bool {
	at := 0
	for at < pc {
		words := c.instrs[at].op().words()
		if words == 2 && at+1 == pc {
			return true
		}
		at += words
	}
	return at == pc
}

// words says how many words an instruction has.
func (op Op) words() int {
	switch op {
	case opCompareJump, opCmpFastFast, opCmpFastConst, opForIterFast, opCallKw, opCallMethodKw,
		opMakeFunction, opMakeClass, opAnnotate, opTypeAlias, opMatchClass, opImport,
		opPcBoundFast, opPcBoundDeref, opPcBoundGlobal, opPcBoundName:
		return 2
	}
	return 1
}

// check looks whether an object that was read has what the machine relies on.
func (r *dumpReader) check(o Object) {
	ok := true
	switch o := o.(type) {
	case *Big:
		ok = o.v != nil && !o.v.IsInt64()
	case *Set:
		ok = checkSet(o)
	case *Range:
		ok = isWhole(o.start) && isWhole(o.stop) && isWhole(o.step)
	case *Func:
		ok = o.code != nil && o.globals != nil && len(o.closure) == o.code.free && !slicesHasNil(o.closure) &&
			len(o.defaults) <= o.code.posOnly+o.code.pos
		if ok {
			o.run = r.vm.running(o.code)
		}
	case *Class:
		ok = len(o.mro) > 0 && !slicesHasNil(o.mro) && !slicesHasNil(o.bases) && o.mro[0] == o && !o.static && !o.core
	case *Instance:
		ok = o.cls != nil
	case *Exception:
		ok = o.cls != nil && o.cls.isExc && o.args.k == kTuple
	case *View:
		ok = o.d != nil && o.kind >= viewKeys && o.kind <= viewItems
	case *Iter:
		ok = checkIter(o)
	case *Gen:
		ok = o.f == nil || o.f.code.flags&(flagGenerator|flagCoroutine) != 0
		if ok && o.f != nil {
			o.f.gen = o
		}
	case *Method:
		n := 0
		for m, is := o, true; is && n < maxMethods; n++ {
			m, is = m.fn.o.(*Method)
		}
		ok = n < maxMethods
	case *Super:
		ok = o.cls != nil && o.of != nil
	}
	if !ok {
		r.fail("an object is not what it should be")
	}
}

// maxMethods bounds how often a method is that of a method.
const maxMethods = 100

func isWhole(v Value) bool { return v.k == kInt || v.k == kBig }

func slicesHasNil[T any](list []*T) bool {
	for _, p := range list {
		if p == nil {
			return true
		}
	}
	return false
}

// checkSet: probing ends only where a place is free.
func checkSet(s *Set) bool {
	n := len(s.table)
	used, filled := 0, 0
	for i := range s.table {
		if e := &s.table[i]; e.key.k != kUnset {
			used, filled = used+1, filled+1
		} else if e.gone {
			filled++
		}
	}
	return used == s.used && filled == s.filled && (n == 0 || bits.OnesCount(uint(n)) == 1 && n >= minSet && filled < n && s.finger >= 0)
}

// checkIter: what is walked over has the type that the kind of the iterator says.
func checkIter(it *Iter) bool {
	if it.kind == iterNone || it.kind >= iterKinds || it.i < -1 && it.kind != iterRange {
		return false
	}
	if it.src.k == kUnset {
		return true
	}
	switch it.kind {
	case iterList, iterListReverse:
		return it.src.k == kList
	case iterTuple:
		return it.src.k == kTuple && it.i >= 0
	case iterStr:
		return it.src.k == kStr && it.i >= 0
	case iterBytes:
		return it.src.k == kBytes && it.i >= 0
	case iterRange:
		return it.src.k == kRange
	case iterBigRange:
		return it.src.k == kRange && isWhole(it.stop)
	case iterKeys, iterValues, iterItems, iterKeysReverse, iterValuesReverse, iterItemsReverse:
		return it.src.k == kDict
	case iterSet:
		return it.src.k == kSet && it.i >= 0
	}
	return true
}

// identityCodec stores which numbers objects have got as their identities.
type identityCodec struct{}

func (identityCodec) write(w *dumpWriter, v reflect.Value) {
	ids := *pointer[map[Object]uint64](v)
	w.uint(uint64(len(ids)))
	for _, o := range slices.SortedFunc(maps.Keys(ids), func(a, b Object) int { return cmp.Compare(ids[a], ids[b]) }) {
		w.ref(o)
		w.uint(ids[o])
	}
}

func (identityCodec) read(r *dumpReader, v reflect.Value) {
	n := r.count(64)
	if n == 0 {
		return
	}
	ids := make(map[Object]uint64, n)
	for ; n > 0 && r.err == nil; n-- {
		o := r.ref()
		if o != nil {
			ids[o] = r.uint()
		}
	}
	*pointer[map[Object]uint64](v) = ids
}
