package value

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/tool/jsondoc"
)

// DataOf gives a JSON value, all of it under one label. The value is one of those
// that [praxis/internal/tool] describes.
func DataOf(v any, l label.ID) (Data, error) { return dataOf(v, l, MaxDataDepth) }

// MaxDataDepth bounds how deep values nest that go to the host or come from it.
const MaxDataDepth = 1000

func dataOf(v any, l label.ID, depth int) (Data, error) {
	d := Data{Value: v, Label: l}
	if depth == 0 {
		return d, fmt.Errorf("cannot convert a JSON value: it nests deeper than %d", MaxDataDepth)
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
	case *jsondoc.Object:
		d.Value, d.Fields = nil, make([]Field, 0, x.Len())
		for name, e := range x.All() {
			f, err := dataOf(e, l, depth-1)
			if err != nil {
				return d, err
			}
			d.Fields = append(d.Fields, Field{name, f})
		}
	case map[string]any:
		o := jsondoc.NewObject()
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
		o := jsondoc.NewObject()
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

// FromData makes a value of d. The error is a limit, or that d is no JSON value.
func (t *Thread) FromData(d Data) (Value, error) { return t.fromDataAt(d, MaxDataDepth) }

func (t *Thread) fromDataAt(d Data, depth int) (Value, error) {
	if depth == 0 {
		return None, fmt.Errorf("cannot convert a value: it nests deeper than %d", MaxDataDepth)
	}
	switch {
	case d.Items != nil:
		return t.listOf(d, depth)
	case d.Fields != nil:
		return t.dictOf(d, depth)
	}
	v := None
	switch x := d.Value.(type) {
	case nil:
	case bool:
		v = Bool(x)
	case int64:
		v = Int(x)
	case *big.Int:
		if err := t.Alloc(int64(x.BitLen() / 8)); err != nil {
			return None, err
		}
		v = BigInt(x)
	case float64:
		v = Float(x)
	case string:
		if err := t.Alloc(int64(len(x)) + ValueBytes); err != nil {
			return None, err
		}
		v = t.Str(strings.ToValidUTF8(x, "\uFFFD"))
	default:
		return None, fmt.Errorf("cannot convert a value: %T is no JSON value", d.Value)
	}
	return v.With(d.Label), nil
}

func (t *Thread) listOf(d Data, depth int) (Value, error) {
	if err := t.Alloc(int64(len(d.Items)) * ValueBytes); err != nil {
		return None, err
	}
	items := make([]Value, len(d.Items))
	for i, e := range d.Items {
		var err error
		if items[i], err = t.fromDataAt(e, depth-1); err != nil {
			return None, err
		}
	}
	return Value{Kind: KList, Obj: &List{Items: items, Shape: d.Label}, Label: d.Label}, nil
}

func (t *Thread) dictOf(d Data, depth int) (Value, error) {
	if err := t.Alloc(int64(len(d.Fields)) * EntryBytes); err != nil {
		return None, err
	}
	dict := &Dict{}
	for _, f := range d.Fields {
		v, err := t.fromDataAt(f.Data, depth-1)
		if err != nil {
			return None, err
		}
		key, err := t.fromDataAt(Data{Value: f.Name, Label: d.Label}, depth)
		if err != nil {
			return None, err
		}
		if err := dict.Set(t, key, v); err != nil {
			return None, err
		}
	}
	dict.Shape = t.Join(dict.Shape, d.Label)
	return Value{Kind: KDict, Obj: dict, Label: d.Label}, nil
}

// ToData makes a JSON value of v, by the rules of json.dumps. What cannot be one
// is an exception of the program.
func (t *Thread) ToData(v Value) (Data, error) {
	c := &outgoing{t: t, open: map[Object]bool{}}
	return c.data(v, MaxDataDepth)
}

// outgoing is one conversion of a value of the program.
type outgoing struct {
	t    *Thread
	open map[Object]bool // the containers around
	size int64           // bytes so far
}

// buildShare is the part of a plan's memory that one value may take while the
// program cannot reach it: a text that repr writes, or data on its way to the
// host. A list that holds another twice gives it twice, and the host copies data
// again to check it, to record it and to send it.
const buildShare = 4

// building refuses a value under construction that is too large.
func (t *Thread) building(bytes int64) error {
	if bytes > t.Limits.Memory/buildShare {
		return t.OutOfMemory(t.Limits.Memory)
	}
	return nil
}

// alloc accounts for bytes of the value.
func (c *outgoing) alloc(bytes int64) error {
	c.size += bytes
	if err := c.t.building(c.size); err != nil {
		return err
	}
	return c.t.Alloc(bytes)
}

func (c *outgoing) data(v Value, depth int) (Data, error) {
	t := c.t
	if err := t.Step(1); err != nil {
		return Data{}, err
	}
	d := Data{Label: v.Label}
	switch v.Kind {
	case KNone:
		return d, nil
	case KBool:
		d.Value = v.N != 0
		return d, nil
	case KInt:
		d.Value = v.N
		return d, nil
	case KBig:
		d.Value = v.Obj.(*Big).Int
		return d, nil
	case KFloat:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			t.See(v.Label)
			return d, t.Raise(t.Types.ValueError, "Out of range float values are not JSON compliant: %s", pytext.AppendFloat(nil, f))
		}
		d.Value = f
		return d, nil
	case KStr:
		return c.text(v)
	case KTuple, KList, KDict:
		if depth == 0 || c.open[v.Obj] {
			t.See(v.Label)
			if c.open[v.Obj] {
				return d, t.Raise(t.Types.ValueError, "Circular reference detected")
			}
			return d, t.Raise(t.Types.ValueError, "cannot pass a value that nests deeper than %d", MaxDataDepth)
		}
		c.open[v.Obj] = true
		defer delete(c.open, v.Obj)
		if v.Kind == KDict {
			return c.object(v, depth)
		}
		return c.array(v, depth)
	}
	for _, k := range [...]Kind{KBool, KInt, KBig, KFloat, KStr, KTuple, KList, KDict} {
		if base, ok := t.Payload(v, k); ok && base.Kind != v.Kind {
			base.Label = t.Join(base.Label, v.Label)
			return c.data(base, depth)
		}
	}
	cls := t.ClassOf(v)
	if v.Kind == KObject && cls.Module == "datetime" {
		// A date, a time or both become text, as in the code of a session.
		if s, ok, err := t.CallSpecial(v, "isoformat"); ok || err != nil {
			if err != nil {
				return d, err
			}
			return c.text(s)
		}
	}
	t.See(v.Label)
	err := t.Raise(t.Types.TypeError, "Object of type %s is not JSON serializable", cls.shown())
	if cls.Static || cls.Module == "datetime" {
		return d, Plainly(err, "Object of type "+cls.shown()+" is not JSON serializable")
	}
	return d, err
}

// text converts a string.
func (c *outgoing) text(v Value) (Data, error) {
	s := v.Obj.(*Str).Text
	if err := c.alloc(int64(len(s))); err != nil {
		return Data{}, err
	}
	return Data{Value: s, Label: v.Label}, nil
}

func (c *outgoing) array(v Value, depth int) (Data, error) {
	items, l := []Value(nil), v.Label
	if v.Kind == KList {
		list := v.Obj.(*List)
		items, l = list.Items, c.t.Join(l, list.Shape)
	} else {
		items = v.Obj.(*Tuple).Items
	}
	if err := c.alloc(int64(len(items)) * 3 * ValueBytes); err != nil {
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
	t, dict := c.t, v.Obj.(*Dict)
	if err := c.alloc(int64(dict.Live) * 4 * ValueBytes); err != nil {
		return Data{}, err
	}
	d := Data{Label: t.Join(v.Label, dict.Shape), Fields: make([]Field, 0, dict.Live)}
	for i := range dict.Entries {
		e := &dict.Entries[i]
		if e.Key.Kind == KUnset {
			continue
		}
		d.Label = t.Join(d.Label, e.Key.Label)
		name, err := c.key(e.Key)
		if err != nil {
			return d, err
		}
		f, err := c.data(e.Val, depth-1)
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
	switch k.Kind {
	case KStr:
		d, err := c.text(k)
		s, _ := d.Value.(string)
		return s, err
	case KNone:
		return "null", nil
	case KBool, KInt, KBig, KFloat:
		s, err := t.Repr(k)
		return strings.ToLower(s), err
	}
	if base, ok := t.Payload(k, KStr); ok {
		return c.key(base)
	}
	t.See(k.Label)
	return "", t.Raise(t.Types.TypeError, "keys must be str, int, float, bool or None, not %s", t.ClassName(k))
}

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

// Unlabelled returns the value without any label.
func (d Data) Unlabelled() Data {
	out := Data{Value: d.Value}
	if d.Items != nil {
		out.Items = make([]Data, len(d.Items))
		for i, e := range d.Items {
			out.Items[i] = e.Unlabelled()
		}
	}
	if d.Fields != nil {
		out.Fields = make([]Field, len(d.Fields))
		for i, f := range d.Fields {
			out.Fields[i] = Field{f.Name, f.Data.Unlabelled()}
		}
	}
	return out
}
