package vm

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"sync"

	"praxis/internal/plan/label"
	"praxis/internal/plan/library/native"
	"praxis/internal/plan/library/native/decimal"
	"praxis/internal/plan/library/native/re"
	"praxis/internal/plan/value"
)

// codec writes and reads the values of one Go type. What it is given is addressable.
type codec interface {
	write(w *dumpWriter, v reflect.Value)
	read(r *dumpReader, v reflect.Value)
}

// dumpType is a type of objects.
type dumpType struct {
	name  string
	typ   reflect.Type // the struct
	codec codec
	dicts [][]int // the fields of it that are dicts
}

// layout is what is known of the types of a dump. It is made once a process.
type layout struct {
	types  []dumpType
	byType map[reflect.Type]int // of the pointer
	vm     codec
	frame  codec
	codecs map[reflect.Type]codec
	text   strings.Builder // describes all types
}

// skipped are fields that are no part of a dump: caches, and what Load makes anew.
var skipped = map[string]bool{
	"Str.Runes": true, "Str.hash": true, "Str.Ascii": true,
	"Func.Run": true, "Class.traits": true,
	"Thread.Labels": true, "Thread.Types": true, "Thread.Machine": true, "Thread.names": true, "Thread.Natives": true, "Thread.Tail": true, "Thread.Regexes": true, "Thread.Built": true,
	"VM.prog": true, "VM.runs": true, "VM.stop": true, "VM.loaded": true,
	"VM.frames": true, "VM.pool": true, "VM.depth": true, "VM.slab": true, "VM.top": true, "VM.segs": true,
	"VM.spare": true, "VM.grew": true, "VM.args": true, "VM.argTop": true,
	"Pattern.prog": true, "Match.m": true, "Match.subject": true,
	"Frame.st": true, "Frame.code": true, "Frame.run": true, "Frame.base": true, "Frame.grown": true, "Frame.gen": true,
}

// layouts returns the layout of this process.
var layouts = sync.OnceValue(makeLayout)

func makeLayout() *layout {
	l := &layout{byType: make(map[reflect.Type]int), codecs: make(map[reflect.Type]codec)}
	l.codecs[reflect.TypeFor[map[value.Object]uint64]()] = numbersCodec{}
	l.codecs[reflect.TypeFor[value.Value]()] = valueCodec{}
	l.codecs[reflect.TypeFor[label.ID]()] = labelCodec{}
	l.codecs[reflect.TypeFor[value.Dict]()] = dictCodec{}
	l.codecs[reflect.TypeFor[*big.Int]()] = bigCodec{}
	l.codecs[reflect.TypeFor[*value.Code]()] = codeCodec{}
	l.codecs[reflect.TypeFor[*Frame]()] = frameCodec{}
	l.codecs[reflect.TypeFor[value.Data]()] = dataCodec{}
	l.codecs[reflect.TypeFor[value.Object]()] = refCodec{reflect.TypeFor[value.Object]()}
	for i, o := range dumpObjects() {
		p := reflect.TypeOf(o)
		l.byType[p] = i
		l.types = append(l.types, dumpType{name: p.Elem().Name(), typ: p.Elem()})
	}
	for i := range l.types {
		t := &l.types[i]
		if t.codec = l.of(t.typ); t.typ == reflect.TypeFor[value.Dict]() {
			continue
		}
		t.dicts = dictFields(t.typ, nil)
	}
	l.vm = l.of(reflect.TypeFor[VM]())
	l.frame = l.of(reflect.TypeFor[Frame]())
	return l
}

// dumpObjects are the types of objects that a dump may hold, one of each. Their
// order is part of the format.
func dumpObjects() []value.Object {
	return []value.Object{
		&value.Str{}, &value.Big{}, &value.Bytes{}, &value.Tuple{}, &value.List{}, &value.Dict{}, &value.Set{}, &value.Range{}, &value.Slice{}, &value.Cell{},
		&value.Func{}, &value.Method{}, &value.Module{}, &value.ToolRef{}, &value.Class{}, &value.Instance{}, &value.Exception{}, &value.Property{}, &value.Wrapper{},
		&value.Iter{}, &value.View{}, &Gen{}, &value.Super{}, &TypeAlias{}, &value.Union{}, &value.Alias{}, &native.Dice{}, &re.Pattern{}, &re.Match{}, &decimal.Number{},
	}
}

// dictFields lists the fields of a struct that are dicts, with those of embedded structs.
func dictFields(t reflect.Type, path []int) [][]int {
	var out [][]int
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(path[:len(path):len(path)], i)
		switch {
		case skipped[t.Name()+"."+f.Name]:
		case f.Type == reflect.TypeFor[value.Dict]():
			out = append(out, at)
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[value.Value]():
			out = append(out, dictFields(f.Type, at)...)
		}
	}
	return out
}

// of returns the codec of a type. A type that cannot be stored is a mistake of
// ours, which a test finds.
func (l *layout) of(t reflect.Type) codec {
	if c, ok := l.codecs[t]; ok {
		return c
	}
	fmt.Fprintf(&l.text, "%v;", t)
	var c codec
	switch t.Kind() {
	case reflect.Bool:
		c = boolCodec{}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c = intCodec{}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c = uintCodec{}
	case reflect.Float64:
		c = floatCodec{}
	case reflect.String:
		c = stringCodec{}
	case reflect.Slice:
		c = sliceCodec{l.of(t.Elem()), t.Elem().Size()}
	case reflect.Array:
		c = arrayCodec{l.of(t.Elem())}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			c = mapCodec{l.of(t.Elem())}
		}
	case reflect.Pointer:
		switch {
		case t.Implements(reflect.TypeFor[value.Object]()):
			c = refCodec{t}
		case t.Elem().Kind() == reflect.Struct && (samePackage[VM](t.Elem()) || samePackage[value.Value](t.Elem())):
			c = ownCodec{l.of(t.Elem())}
		}
	case reflect.Struct:
		c = l.ofStruct(t)
	}
	if c == nil {
		panic("vm: values of type " + t.String() + " cannot be part of a dump")
	}
	l.codecs[t] = c
	return c
}

// samePackage says whether a type is of the package of T.
func samePackage[T any](t reflect.Type) bool { return t.PkgPath() == reflect.TypeFor[T]().PkgPath() }

func (l *layout) ofStruct(t reflect.Type) codec {
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) && p.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]()):
		return marshalCodec{}
	case p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return marshalCodec{text: true}
	}
	s := structCodec{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !skipped[t.Name()+"."+f.Name] {
			fmt.Fprintf(&l.text, "%s.%s ", t.Name(), f.Name)
			s.fields = append(s.fields, i)
			s.codecs = append(s.codecs, l.of(f.Type))
		}
	}
	return s
}

type (
	valueCodec   struct{}
	labelCodec   struct{}
	boolCodec    struct{}
	intCodec     struct{}
	uintCodec    struct{}
	floatCodec   struct{}
	stringCodec  struct{}
	refCodec     struct{ typ reflect.Type } // an object, by its number plus 1
	ownCodec     struct{ elem codec }       // a struct that one pointer alone points to
	arrayCodec   struct{ elem codec }
	mapCodec     struct{ elem codec }
	marshalCodec struct{ text bool }
	sliceCodec   struct {
		elem codec
		size uintptr
	}
	structCodec struct {
		fields []int
		codecs []codec
	}
)

func (valueCodec) write(w *dumpWriter, v reflect.Value) { w.value(*pointer[value.Value](v)) }

func (valueCodec) read(r *dumpReader, v reflect.Value) { *pointer[value.Value](v) = r.value() }

func (labelCodec) write(w *dumpWriter, v reflect.Value) { w.label(*pointer[label.ID](v)) }

func (labelCodec) read(r *dumpReader, v reflect.Value) { *pointer[label.ID](v) = r.label() }

func (boolCodec) write(w *dumpWriter, v reflect.Value) {
	if v.Bool() {
		w.out = append(w.out, 1)
	} else {
		w.out = append(w.out, 0)
	}
}

func (boolCodec) read(r *dumpReader, v reflect.Value) {
	switch r.byte() {
	case 0:
	case 1:
		v.SetBool(true)
	default:
		r.fail("a truth is neither")
	}
}

func (intCodec) write(w *dumpWriter, v reflect.Value) { w.int(v.Int()) }

func (intCodec) read(r *dumpReader, v reflect.Value) {
	n := r.int()
	if v.OverflowInt(n) {
		r.fail("a number is too large")
		return
	}
	v.SetInt(n)
}

func (uintCodec) write(w *dumpWriter, v reflect.Value) { w.uint(v.Uint()) }

func (uintCodec) read(r *dumpReader, v reflect.Value) {
	n := r.uint()
	if v.OverflowUint(n) {
		r.fail("a number is too large")
		return
	}
	v.SetUint(n)
}

func (floatCodec) write(w *dumpWriter, v reflect.Value) {
	w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(v.Float()))
}

func (floatCodec) read(r *dumpReader, v reflect.Value) {
	if b := r.bytes(8); b != nil {
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
}

func (stringCodec) write(w *dumpWriter, v reflect.Value) { w.string(v.String()) }

func (stringCodec) read(r *dumpReader, v reflect.Value) { v.SetString(r.string()) }

func (c refCodec) write(w *dumpWriter, v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	o := v.Interface().(value.Object)
	i, ok := w.ids[o]
	if !ok {
		i = len(w.objects)
		w.ids[o] = i
		w.objects = append(w.objects, o)
	}
	w.uint(uint64(i) + 1)
}

func (c refCodec) read(r *dumpReader, v reflect.Value) {
	i := r.uint()
	switch {
	case i == 0:
	case i > uint64(len(r.objects)):
		r.fail("there is no such object")
	default:
		o := reflect.ValueOf(r.objects[i-1])
		if !o.Type().AssignableTo(c.typ) {
			r.fail("an object is of another type")
			return
		}
		v.Set(o)
	}
}

func (c ownCodec) write(w *dumpWriter, v reflect.Value) {
	if v.IsNil() {
		w.out = append(w.out, 0)
		return
	}
	w.out = append(w.out, 1)
	c.elem.write(w, v.Elem())
}

func (c ownCodec) read(r *dumpReader, v reflect.Value) {
	switch r.byte() {
	case 0:
	case 1:
		if r.alloc(int64(v.Type().Elem().Size())) {
			v.Set(reflect.New(v.Type().Elem()))
			c.elem.read(r, v.Elem())
		}
	default:
		r.fail("a part is neither there nor missing")
	}
}

func (c arrayCodec) write(w *dumpWriter, v reflect.Value) {
	for i := range v.Len() {
		c.elem.write(w, v.Index(i))
	}
}

func (c arrayCodec) read(r *dumpReader, v reflect.Value) {
	for i := 0; i < v.Len() && r.err == nil; i++ {
		c.elem.read(r, v.Index(i))
	}
}

func (c sliceCodec) write(w *dumpWriter, v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(uint64(v.Len()) + 1)
	if _, ok := c.elem.(valueCodec); ok {
		for _, x := range *pointer[[]value.Value](v) {
			w.value(x)
		}
		return
	}
	for i := range v.Len() {
		c.elem.write(w, v.Index(i))
	}
}

func (c sliceCodec) read(r *dumpReader, v reflect.Value) {
	n := r.uint()
	if n == 0 {
		return
	}
	if n--; n > uint64(len(r.in)) {
		r.fail("a count is larger than what follows")
		return
	}
	if !r.alloc(int64(n) * int64(c.size)) {
		return
	}
	if _, ok := c.elem.(valueCodec); ok {
		list := make([]value.Value, n)
		for i := range list {
			list[i] = r.value()
		}
		*pointer[[]value.Value](v) = list
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	for i := 0; i < int(n) && r.err == nil; i++ {
		c.elem.read(r, v.Index(i))
	}
}

func (c mapCodec) write(w *dumpWriter, v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(uint64(v.Len()) + 1)
	keys := make(map[string]reflect.Value, v.Len())
	for _, k := range v.MapKeys() {
		keys[k.String()] = k
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		w.string(name)
		elem := reflect.New(v.Type().Elem()).Elem()
		elem.Set(v.MapIndex(keys[name]))
		c.elem.write(w, elem)
	}
}

func (c mapCodec) read(r *dumpReader, v reflect.Value) {
	n := r.uint()
	if n == 0 {
		return
	}
	if n--; n > uint64(len(r.in)) || !r.alloc(int64(n)*int64(v.Type().Elem().Size()+64)) {
		r.fail("a count is larger than what follows")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), int(n)))
	for ; n > 0 && r.err == nil; n-- {
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(r.string())
		elem := reflect.New(v.Type().Elem()).Elem()
		c.elem.read(r, elem)
		v.SetMapIndex(key, elem)
	}
}

func (c structCodec) write(w *dumpWriter, v reflect.Value) {
	for i, f := range c.fields {
		c.codecs[i].write(w, open(v.Field(f)))
	}
}

func (c structCodec) read(r *dumpReader, v reflect.Value) {
	for i, f := range c.fields {
		if r.err != nil {
			return
		}
		c.codecs[i].read(r, open(v.Field(f)))
	}
}

// marshalCodec stores what another package knows how to store.
func (c marshalCodec) write(w *dumpWriter, v reflect.Value) {
	var b []byte
	var err error
	if p := v.Addr().Interface(); c.text {
		b, err = p.(encoding.TextMarshaler).MarshalText()
	} else {
		b, err = p.(encoding.BinaryMarshaler).MarshalBinary()
	}
	if err != nil {
		w.fail(err)
	}
	w.uint(uint64(len(b)))
	w.out = append(w.out, b...)
}

func (c marshalCodec) read(r *dumpReader, v reflect.Value) {
	b := r.bytes(r.uint())
	if !r.alloc(int64(len(b)) * 4) {
		return
	}
	var err error
	if p := v.Addr().Interface(); c.text {
		err = p.(encoding.TextUnmarshaler).UnmarshalText(b)
	} else {
		err = p.(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
	}
	if err != nil {
		r.fail("a part is not what it should be: " + err.Error())
	}
}
