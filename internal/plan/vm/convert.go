package vm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
	"praxis/internal/tool"
)

// Data is a JSON value with labels, as it goes to the host and comes from it.
type Data struct {
	// Value is nil, a bool, int64, *big.Int, float64 or string. It is not used
	// when there are Items or Fields.
	Value any
	// Label is what the value depends on; of a list or an object, what its
	// length, order and keys depend on. The parts have labels of their own.
	Label  label.ID
	Items  []Data  // of a list; then not nil
	Fields []Field // of an object, in order; then not nil
}

// Field is one member of an object.
type Field struct {
	Name string
	Data
}

// DataOf gives a JSON value, all of it under one label. The value is one of those
// that [praxis/internal/tool] describes.
func DataOf(v any, l label.ID) (Data, error) { return dataOf(v, l, maxDataDepth) }

// maxDataDepth bounds how deep values nest that go to the host or come from it.
const maxDataDepth = 1000

func dataOf(v any, l label.ID, depth int) (Data, error) {
	d := Data{Value: v, Label: l}
	if depth == 0 {
		return d, fmt.Errorf("cannot convert a JSON value: it nests deeper than %d", maxDataDepth)
	}
	switch x := v.(type) {
	case nil, bool, int64, *big.Int, string:
	case float64:
	case int:
		d.Value = int64(x)
	case int32:
		d.Value = int64(x)
	case uint64:
		d.Value = new(big.Int).SetUint64(x)
	case json.Number:
		n, err := numberOf(string(x))
		if err != nil {
			return d, err
		}
		d.Value = n
	case []any:
		d.Value, d.Items = nil, make([]Data, len(x))
		for i, e := range x {
			var err error
			if d.Items[i], err = dataOf(e, l, depth-1); err != nil {
				return d, err
			}
		}
	case *tool.Object:
		d.Value, d.Fields = nil, make([]Field, 0, x.Len())
		for name, e := range x.All() {
			f, err := dataOf(e, l, depth-1)
			if err != nil {
				return d, err
			}
			d.Fields = append(d.Fields, Field{name, f})
		}
	case map[string]any:
		o := tool.NewObject()
		for _, name := range slices.Sorted(maps.Keys(x)) {
			o.Set(name, x[name])
		}
		return dataOf(o, l, depth)
	default:
		return d, fmt.Errorf("cannot convert a JSON value: %T is none", v)
	}
	return d, nil
}

// numberOf reads a JSON number: an int when it is written like one.
func numberOf(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		n, wide, err := pytext.ParseInt(text, 10)
		if err != nil {
			return nil, fmt.Errorf("cannot convert a JSON number: %w", err)
		}
		if wide != nil {
			return wide, nil
		}
		return n, nil
	}
	f, err := pytext.ParseFloat(text)
	if err != nil {
		return nil, fmt.Errorf("cannot convert a JSON number: %w", err)
	}
	return f, nil
}

// JSON returns the value without its labels, as [praxis/internal/tool] has values.
func (d Data) JSON() any {
	switch {
	case d.Items != nil:
		list := make([]any, len(d.Items))
		for i, e := range d.Items {
			list[i] = e.JSON()
		}
		return list
	case d.Fields != nil:
		o := tool.NewObject()
		for _, f := range d.Fields {
			o.Set(f.Name, f.Data.JSON())
		}
		return o
	}
	return d.Value
}

// Join returns the label of the value with all that is in it.
func (d Data) Join(t *label.Table) label.ID {
	l := d.Label
	for _, e := range d.Items {
		l = t.Join(l, e.Join(t))
	}
	for _, f := range d.Fields {
		l = t.Join(l, f.Data.Join(t))
	}
	return l
}

// fromData makes a value of d. The error is a limit, or that d is no JSON value.
func (t *Thread) fromData(d Data) (Value, error) { return t.fromDataAt(d, maxDataDepth) }

func (t *Thread) fromDataAt(d Data, depth int) (Value, error) {
	if depth == 0 {
		return none, fmt.Errorf("cannot convert a value: it nests deeper than %d", maxDataDepth)
	}
	switch {
	case d.Items != nil:
		return t.listOf(d, depth)
	case d.Fields != nil:
		return t.dictOf(d, depth)
	}
	v := none
	switch x := d.Value.(type) {
	case nil:
	case bool:
		v = boolValue(x)
	case int64:
		v = intValue(x)
	case *big.Int:
		if err := t.alloc(int64(x.BitLen() / 8)); err != nil {
			return none, err
		}
		v = bigValue(x)
	case float64:
		v = floatValue(x)
	case string:
		if err := t.alloc(int64(len(x)) + valueBytes); err != nil {
			return none, err
		}
		v = t.str(strings.ToValidUTF8(x, "\uFFFD"))
	default:
		return none, fmt.Errorf("cannot convert a value: %T is no JSON value", d.Value)
	}
	return v.with(d.Label), nil
}

func (t *Thread) listOf(d Data, depth int) (Value, error) {
	if err := t.alloc(int64(len(d.Items)) * valueBytes); err != nil {
		return none, err
	}
	items := make([]Value, len(d.Items))
	for i, e := range d.Items {
		var err error
		if items[i], err = t.fromDataAt(e, depth-1); err != nil {
			return none, err
		}
	}
	return Value{k: kList, o: &List{items: items, shape: d.Label}, l: d.Label}, nil
}

func (t *Thread) dictOf(d Data, depth int) (Value, error) {
	if err := t.alloc(int64(len(d.Fields)) * entryBytes); err != nil {
		return none, err
	}
	dict := &Dict{}
	for _, f := range d.Fields {
		v, err := t.fromDataAt(f.Data, depth-1)
		if err != nil {
			return none, err
		}
		key, err := t.fromDataAt(Data{Value: f.Name, Label: d.Label}, depth)
		if err != nil {
			return none, err
		}
		if err := dict.set(t, key, v); err != nil {
			return none, err
		}
	}
	dict.shape = t.join(dict.shape, d.Label)
	return Value{k: kDict, o: dict, l: d.Label}, nil
}

// toData makes a JSON value of v, by the rules of json.dumps. What cannot be one
// is an exception of the program.
func (t *Thread) toData(v Value) (Data, error) {
	c := &outgoing{t: t, open: map[Object]bool{}}
	return c.data(v, maxDataDepth)
}

// outgoing is one conversion of a value of the program.
type outgoing struct {
	t    *Thread
	open map[Object]bool // the containers around
}

func (c *outgoing) data(v Value, depth int) (Data, error) {
	t := c.t
	if err := t.step(1); err != nil {
		return Data{}, err
	}
	d := Data{Label: v.l}
	switch v.k {
	case kNone:
		return d, nil
	case kBool:
		d.Value = v.n != 0
		return d, nil
	case kInt:
		d.Value = v.n
		return d, nil
	case kBig:
		d.Value = v.o.(*Big).v
		return d, nil
	case kFloat:
		return c.float(v)
	case kStr:
		return c.text(v)
	case kTuple, kList, kDict:
		if depth == 0 || c.open[v.o] {
			t.see(v.l)
			if c.open[v.o] {
				return d, t.raise(t.types.ValueError, "Circular reference detected")
			}
			return d, t.raise(t.types.ValueError, "cannot pass a value that nests deeper than %d", maxDataDepth)
		}
		c.open[v.o] = true
		defer delete(c.open, v.o)
		if v.k == kDict {
			return c.object(v, depth)
		}
		return c.array(v, depth)
	}
	for _, k := range [...]Kind{kBool, kInt, kBig, kFloat, kStr, kTuple, kList, kDict} {
		if base, ok := t.payload(v, k); ok && base.k != v.k {
			base.l = t.join(base.l, v.l)
			return c.data(base, depth)
		}
	}
	t.see(v.l)
	return d, t.raise(t.types.TypeError, "Object of type %s is not JSON serializable", t.className(v))
}

func (c *outgoing) float(v Value) (Data, error) {
	f := v.float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		c.t.see(v.l)
		return Data{}, c.t.raise(c.t.types.ValueError, "Out of range float values are not JSON compliant: %s", pytext.AppendFloat(nil, f))
	}
	return Data{Value: f, Label: v.l}, nil
}

// text converts a string; the host's strings are UTF-8 without lone surrogates.
func (c *outgoing) text(v Value) (Data, error) {
	s := v.o.(*Str).s
	if err := c.t.alloc(int64(len(s))); err != nil {
		return Data{}, err
	}
	return Data{Value: strings.ToValidUTF8(s, "\uFFFD"), Label: v.l}, nil
}

func (c *outgoing) array(v Value, depth int) (Data, error) {
	items, l := []Value(nil), v.l
	if v.k == kList {
		list := v.o.(*List)
		items, l = list.items, c.t.join(l, list.shape)
	} else {
		items = v.o.(*Tuple).items
	}
	if err := c.t.alloc(int64(len(items)) * 3 * valueBytes); err != nil {
		return Data{}, err
	}
	d := Data{Label: l, Items: make([]Data, len(items))}
	for i, e := range items {
		var err error
		if d.Items[i], err = c.data(e, depth-1); err != nil {
			return d, err
		}
	}
	return d, nil
}

func (c *outgoing) object(v Value, depth int) (Data, error) {
	t, dict := c.t, v.o.(*Dict)
	if err := t.alloc(int64(dict.live) * 4 * valueBytes); err != nil {
		return Data{}, err
	}
	d := Data{Label: t.join(v.l, dict.shape), Fields: make([]Field, 0, dict.live)}
	for i := range dict.entries {
		e := &dict.entries[i]
		if e.key.k == kUnset {
			continue
		}
		d.Label = t.join(d.Label, e.key.l)
		name, err := c.key(e.key)
		if err != nil {
			return d, err
		}
		f, err := c.data(e.val, depth-1)
		if err != nil {
			return d, err
		}
		d.Fields = append(d.Fields, Field{name, f})
	}
	return d, nil
}

// key converts a key as json.dumps does: numbers, truths and None by their text.
func (c *outgoing) key(k Value) (string, error) {
	t := c.t
	switch k.k {
	case kStr:
		d, err := c.text(k)
		s, _ := d.Value.(string)
		return s, err
	case kNone:
		return "null", nil
	case kBool:
		if k.n != 0 {
			return "true", nil
		}
		return "false", nil
	case kInt, kBig, kFloat:
		return t.repr(k)
	}
	if base, ok := t.payload(k, kStr); ok {
		return c.key(base)
	}
	t.see(k.l)
	return "", t.raise(t.types.TypeError, "keys must be str, int, float, bool or None, not %s", t.className(k))
}
