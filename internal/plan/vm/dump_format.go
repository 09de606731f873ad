package vm

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// The state of a VM as bytes. All numbers are uvarints, signed ones zigzag;
// strings are numbers in the table of strings.
//
//	magic, version of the format
//	sum of the program (with its strictness, tools and inputs)
//	sum of the machine: its types, natives and instructions
//	labels     length, and label.Table's own form
//	units      count, and for each unit that is used, but the program: name of the
//	           module, text that it was made of while the program ran, sum
//	strings    count, and for each length and bytes
//	objects    count, and for each what it is; see objectTag
//	state      the VM's own fields, then its frames
//	contents   of the objects that are not known by name, in their order
//	sum of all that
//
// A value is one byte (its kind, bit 6: it has a label), the label, and what
// the kind needs: a number or the number of an object. Fields of structs are
// in the order of their declaration; the sum of the machine covers that.
const (
	dumpMagic   = "praxis plan state\n"
	dumpVersion = 2
	sumSize     = 16
)

// objectTag says what an object of a dump is. From tagType on it is the number of
// a type in dumpTypes.
type objectTag = uint64

const (
	tagInside objectTag = iota // a dict that is a field: number of the owner, number of the field
	tagNative                  // name
	tagClass                   // a built-in class: name
	tagChar                    // the string of one ASCII character: code
	tagEmpty                   // the empty string
	tagConst                   // a literal: number of the unit, of the code, of the constant
	tagType
)

const labelBit = 1 << 6

// dumpWriter writes the graph of objects.
type dumpWriter struct {
	out     []byte
	vm      *VM
	ids     map[value.Object]int
	objects []value.Object
	strs    map[string]int
	strings []string
	units   []*value.Unit // units[0] is the program
	unitIDs map[*value.Unit]int
	consts  map[value.Object]constRef
	inside  map[*value.Dict]insideRef
	current int // number of the object that is being written
	dicts   int // dicts that are fields of it, so far
	err     error
}

type constRef struct {
	code  *value.Code
	index int
}

type insideRef struct{ owner, field int }

func (w *dumpWriter) uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

func (w *dumpWriter) int(n int64) { w.out = binary.AppendVarint(w.out, n) }

func (w *dumpWriter) string(s string) {
	i, ok := w.strs[s]
	if !ok {
		i = len(w.strings)
		w.strs[s] = i
		w.strings = append(w.strings, s)
	}
	w.uint(uint64(i))
}

// ref writes the number of an object, which will be written when it is its turn.
func (w *dumpWriter) ref(o value.Object) {
	i, ok := w.ids[o]
	if !ok {
		i = len(w.objects)
		w.ids[o] = i
		w.objects = append(w.objects, o)
	}
	w.uint(uint64(i))
}

func (w *dumpWriter) label(l label.ID) { w.uint(uint64(l)) }

func (w *dumpWriter) value(v value.Value) {
	k := byte(v.Kind)
	if v.Label != 0 {
		w.out = append(w.out, k|labelBit)
		w.label(v.Label)
	} else {
		w.out = append(w.out, k)
	}
	switch {
	case v.Kind == value.KInt:
		w.int(v.N)
	case v.Kind == value.KBool:
		w.uint(uint64(v.N))
	case v.Kind == value.KFloat:
		w.out = binary.LittleEndian.AppendUint64(w.out, uint64(v.N))
	case hasObject(v.Kind):
		w.ref(v.Obj)
	}
}

func (w *dumpWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// hasObject says whether values of a kind point to an object.
func hasObject(k value.Kind) bool { return k >= value.KBig }

// dumpReader reads what a dumpWriter wrote. It does not trust a byte: after the
// first thing that is wrong everything reads as nothing, and err says why.
type dumpReader struct {
	in      []byte
	vm      *VM
	labels  *label.Table
	strings []string
	objects []value.Object
	units   []*value.Unit
	budget  int64 // bytes that may still be allocated
	hashes  []hashLater
	dicts   []*value.Dict
	frames  []*Frame
	typed   []int // of each object: its type, or -1 when it is known by name
	active  []activeGen
	err     error
}

func (r *dumpReader) fail(why string) {
	if r.err == nil {
		r.err = fault.New(fault.Invalid, "Use the state as it was stored, or run the plan again.", "cannot load the plan's state: %s", why)
		r.in = nil
	}
}

func (r *dumpReader) byte() byte {
	if len(r.in) == 0 {
		r.fail("it ends too early")
		return 0
	}
	b := r.in[0]
	r.in = r.in[1:]
	return b
}

func (r *dumpReader) uint() uint64 {
	n, size := binary.Uvarint(r.in)
	if size <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.in = r.in[size:]
	return n
}

func (r *dumpReader) int() int64 {
	n, size := binary.Varint(r.in)
	if size <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.in = r.in[size:]
	return n
}

// count reads how many of something follow that take at least one byte each,
// and each size bytes of memory.
func (r *dumpReader) count(size uintptr) int {
	n := r.uint()
	if n > uint64(len(r.in)) {
		r.fail("a count is larger than what follows")
		return 0
	}
	if !r.alloc(int64(n) * int64(size)) {
		return 0
	}
	return int(n)
}

// alloc takes bytes of the budget.
func (r *dumpReader) alloc(n int64) bool {
	if r.budget -= n; r.budget < 0 {
		r.fail("it stands for more than may be stored")
		return false
	}
	return r.err == nil
}

func (r *dumpReader) bytes(n uint64) []byte {
	if n > uint64(len(r.in)) {
		r.fail("it ends too early")
		return nil
	}
	b := r.in[:n]
	r.in = r.in[n:]
	return b
}

func (r *dumpReader) string() string {
	i := r.uint()
	if i >= uint64(len(r.strings)) {
		r.fail("there is no such string")
		return ""
	}
	return r.strings[i]
}

func (r *dumpReader) ref() value.Object {
	i := r.uint()
	if i >= uint64(len(r.objects)) {
		r.fail("there is no such object")
		return nil
	}
	return r.objects[i]
}

func (r *dumpReader) label() label.ID {
	l := r.uint()
	if l > math.MaxUint32 || !r.labels.Has(label.ID(l)) {
		r.fail("there is no such label")
		return 0
	}
	return label.ID(l)
}

func (r *dumpReader) value() value.Value {
	b := r.byte()
	v := value.Value{Kind: value.Kind(b &^ labelBit)}
	if b&labelBit != 0 {
		v.Label = r.label()
	}
	switch {
	case v.Kind == value.KInt:
		v.N = r.int()
	case v.Kind == value.KBool:
		if v.N = int64(r.uint()); v.N&^1 != 0 {
			r.fail("a truth is neither")
		}
	case v.Kind == value.KFloat:
		if b := r.bytes(8); b != nil {
			v.N = int64(binary.LittleEndian.Uint64(b))
		}
	case v.Kind > value.KSpecial:
		r.fail("there is no such kind of value")
	case hasObject(v.Kind):
		if v.Obj = r.ref(); v.Obj != nil && !fits(v.Kind, v.Obj) {
			r.fail("a value has an object of another kind")
		}
	}
	if r.err != nil {
		return value.Value{}
	}
	return v
}

// fits says whether an object can be that of a value of kind k.
func fits(k value.Kind, o value.Object) bool {
	switch o.(type) {
	case *value.Big:
		return k == value.KBig
	case *value.Str:
		return k == value.KStr
	case *value.Bytes:
		return k == value.KBytes
	case *value.Tuple:
		return k == value.KTuple
	case *value.List:
		return k == value.KList
	case *value.Dict:
		return k == value.KDict
	case *value.Set:
		return k == value.KSet
	case *value.Range:
		return k == value.KRange
	case *value.Slice:
		return k == value.KSlice
	case *value.Func:
		return k == value.KFunc
	case *value.Native:
		return k == value.KNative
	case *value.Method:
		return k == value.KMethod
	case *value.Class:
		return k == value.KClass
	case *value.Instance, *value.Exception:
		return k == value.KObject
	case *value.Module:
		return k == value.KModule
	case *value.ToolRef:
		return k == value.KTool
	case *Gen:
		return k == value.KGen
	case *value.View:
		return k == value.KView
	case *value.Property, *value.Wrapper:
		return k == value.KProp
	case *value.Iter:
		return k == value.KIter
	}
	return k == value.KSpecial
}

// bigCodec stores the number of a large int.
type bigCodec struct{}

func (bigCodec) write(w *dumpWriter, v reflect.Value) { writeBig(w, *pointer[*big.Int](v)) }

func (bigCodec) read(r *dumpReader, v reflect.Value) { readBig(r, pointer[*big.Int](v)) }

func writeBig(w *dumpWriter, n *big.Int) {
	if n == nil {
		w.uint(0)
		return
	}
	b := n.Bytes()
	w.uint(uint64(len(b))<<2 | uint64(n.Sign()+1)&2 | 1)
	w.out = append(w.out, b...)
}

func readBig(r *dumpReader, to **big.Int) {
	head := r.uint()
	if head == 0 {
		return
	}
	b := r.bytes(head >> 2)
	if !r.alloc(int64(len(b)) + 64) {
		return
	}
	n := new(big.Int).SetBytes(b)
	if head&2 == 0 {
		n.Neg(n)
	}
	*to = n
}
