package vm

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"

	"praxis/internal/plan/value"
)

// dataCodec stores the arguments of the call that is awaited.
type dataCodec struct{}

// What a piece of data is.
const (
	dataNil byte = iota
	dataFalse
	dataTrue
	dataInt
	dataBig
	dataFloat
	dataText
	dataList
	dataObject
)

func (dataCodec) write(w *dumpWriter, v reflect.Value) { w.data(pointer[value.Data](v)) }

func (dataCodec) read(r *dumpReader, v reflect.Value) {
	r.data(pointer[value.Data](v), value.MaxDataDepth)
}

func (w *dumpWriter) data(d *value.Data) {
	w.label(d.Label)
	switch {
	case d.Items != nil:
		w.out = append(w.out, dataList)
		w.uint(uint64(len(d.Items)))
		for i := range d.Items {
			w.data(&d.Items[i])
		}
		return
	case d.Fields != nil:
		w.out = append(w.out, dataObject)
		w.uint(uint64(len(d.Fields)))
		for i := range d.Fields {
			w.string(d.Fields[i].Name)
			w.data(&d.Fields[i].Data)
		}
		return
	}
	switch x := d.Value.(type) {
	case nil:
		w.out = append(w.out, dataNil)
	case bool:
		if x {
			w.out = append(w.out, dataTrue)
		} else {
			w.out = append(w.out, dataFalse)
		}
	case int64:
		w.out = append(w.out, dataInt)
		w.int(x)
	case *big.Int:
		w.out = append(w.out, dataBig)
		writeBig(w, x)
	case float64:
		w.out = append(w.out, dataFloat)
		w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(x))
	case string:
		w.out = append(w.out, dataText)
		w.string(x)
	}
}

func (r *dumpReader) data(d *value.Data, depth int) {
	if depth == 0 {
		r.fail("a value nests too deep")
		return
	}
	d.Label = r.label()
	switch r.byte() {
	case dataNil:
	case dataFalse:
		d.Value = false
	case dataTrue:
		d.Value = true
	case dataInt:
		d.Value = r.int()
	case dataBig:
		var n *big.Int
		readBig(r, &n)
		if n == nil {
			r.fail("a number is missing")
		}
		d.Value = n
	case dataFloat:
		if b := r.bytes(8); b != nil {
			d.Value = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case dataText:
		d.Value = r.string()
	case dataList:
		d.Items = make([]value.Data, r.count(reflect.TypeFor[value.Data]().Size()))
		for i := range d.Items {
			r.data(&d.Items[i], depth-1)
		}
	case dataObject:
		d.Fields = make([]value.Field, r.count(reflect.TypeFor[value.Field]().Size()))
		for i := range d.Fields {
			d.Fields[i].Name = r.string()
			r.data(&d.Fields[i].Data, depth-1)
		}
	default:
		r.fail("there is no such kind of data")
	}
}
