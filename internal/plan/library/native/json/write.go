package json

import (
	"math"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// jsonWriter writes JSON as Python does. It sees all that it writes.
type jsonWriter struct {
	t                                               *value.Thread
	b                                               []byte
	paid                                            int // bytes of b that are accounted for
	skip, ascii, circular, allowNaN, pretty, sorted bool
	indent, item, key                               string
	open                                            map[value.Object]bool // what is being written
	level                                           int
}

func jsonDumps(t *value.Thread, a *value.Args) (value.Value, error) {
	w := &jsonWriter{t: t}
	for i, p := range []*bool{1: &w.skip, 2: &w.ascii, 3: &w.circular, 4: &w.allowNaN, 8: &w.sorted} {
		if p == nil {
			continue
		}
		var err error
		if *p, err = t.Truth(a.Pos[i]); err != nil {
			return value.Value{}, err
		}
	}
	for i, p := range map[int]*string{5: &w.indent, 6: &w.item, 7: &w.key} {
		if s, ok := t.Payload(a.Pos[i], value.KStr); ok {
			t.See(a.Pos[i].Label)
			*p = s.Obj.(*value.Str).Text
			w.pretty = w.pretty || i == 5
		}
	}
	if err := w.value(a.Pos[0]); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(string(w.b))
}

func (w *jsonWriter) value(v value.Value) error {
	t := w.t
	t.See(v.Label)
	if n := len(w.b) - w.paid; n > 1<<12 {
		w.paid = len(w.b)
		if err := t.Alloc(int64(n)); err != nil {
			return err
		}
	}
	if err := t.Step(1); err != nil {
		return err
	}
	b := t.Base(v)
	switch b.Kind {
	case value.KNone:
		w.b = append(w.b, "null"...)
	case value.KBool, value.KInt, value.KBig, value.KFloat:
		return w.number(b)
	case value.KStr:
		w.text(b.Obj.(*value.Str).Text)
	case value.KList, value.KTuple:
		return w.nested(v, func() error { return w.array(v, b) })
	case value.KDict:
		return w.nested(v, func() error { return w.object(v, b) })
	default:
		return t.Raise(t.Types.TypeError, "Object of type %s is not JSON serializable", t.ClassName(v))
	}
	return nil
}

func (w *jsonWriter) number(v value.Value) error {
	switch v.Kind {
	case value.KBool:
		if v.N != 0 {
			w.b = append(w.b, "true"...)
		} else {
			w.b = append(w.b, "false"...)
		}
	case value.KInt:
		w.b = pytext.AppendInt(w.b, v.N)
	case value.KBig:
		var err error
		w.b, err = w.t.AppendBig(w.b, v)
		return err
	default:
		return w.float(v.Float())
	}
	return nil
}

func (w *jsonWriter) float(f float64) error {
	if f-f == 0 {
		w.b = pytext.AppendFloat(w.b, f)
		return nil
	}
	if !w.allowNaN {
		return w.t.Raise(w.t.Types.ValueError, "Out of range float values are not JSON compliant: %s", pytext.AppendFloat(nil, f))
	}
	switch {
	case f != f:
		w.b = append(w.b, "NaN"...)
	case math.IsInf(f, 1):
		w.b = append(w.b, "Infinity"...)
	default:
		w.b = append(w.b, "-Infinity"...)
	}
	return nil
}

func (w *jsonWriter) text(s string) {
	const hex = "0123456789abcdef"
	w.b = append(w.b, '"')
	escape := func(r rune) {
		w.b = append(w.b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x80 {
			r, size := pytext.DecodeRune(s[i:])
			switch {
			case !w.ascii:
				w.b = append(w.b, s[i:i+size]...)
			case r > 0xFFFF:
				r -= 0x10000
				escape(0xD800 + r>>10)
				escape(0xDC00 + r&0x3FF)
			default:
				escape(r)
			}
			i += size
			continue
		}
		i++
		switch c {
		case '"', '\\':
			w.b = append(w.b, '\\', c)
		case '\n':
			w.b = append(w.b, '\\', 'n')
		case '\r':
			w.b = append(w.b, '\\', 'r')
		case '\t':
			w.b = append(w.b, '\\', 't')
		case '\f':
			w.b = append(w.b, '\\', 'f')
		case '\b':
			w.b = append(w.b, '\\', 'b')
		default:
			if c < 0x20 || c == 0x7F && w.ascii {
				escape(rune(c))
			} else {
				w.b = append(w.b, c)
			}
		}
	}
	w.b = append(w.b, '"')
}

// nested writes a container, which must not hold itself.
func (w *jsonWriter) nested(v value.Value, f func() error) error {
	t := w.t
	if w.open[v.Obj] {
		if w.circular {
			return t.Raise(t.Types.ValueError, "Circular reference detected")
		}
	}
	if err := t.Enter(" while encoding a JSON object"); err != nil {
		return err
	}
	defer t.Leave()
	if w.open == nil {
		w.open = map[value.Object]bool{}
	}
	w.open[v.Obj] = true
	w.level++
	err := f()
	w.level--
	delete(w.open, v.Obj)
	return err
}

func (w *jsonWriter) line() {
	if !w.pretty {
		return
	}
	w.b = append(w.b, '\n')
	for i := 0; i < w.level; i++ {
		w.b = append(w.b, w.indent...)
	}
}

func (w *jsonWriter) close(bracket byte) {
	w.level--
	w.line()
	w.level++
	w.b = append(w.b, bracket)
}

func (w *jsonWriter) array(v, b value.Value) error {
	items, err := w.t.Collect(v)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		w.b = append(w.b, "[]"...)
		return nil
	}
	w.b = append(w.b, '[')
	for i, x := range items {
		if i > 0 {
			w.b = append(w.b, w.item...)
		}
		w.line()
		if err := w.value(x); err != nil {
			return err
		}
	}
	w.close(']')
	return nil
}

func (w *jsonWriter) object(v, b value.Value) error {
	t := w.t
	d := b.Obj.(*value.Dict)
	t.See(d.Shape)
	if d.Live == 0 {
		w.b = append(w.b, "{}"...)
		return nil
	}
	var keys, vals []value.Value
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Key.Kind != value.KUnset {
			keys, vals = append(keys, e.Key), append(vals, e.Val)
		}
	}
	if w.sorted {
		order := make([]value.Value, len(keys))
		for i := range order {
			order[i] = value.Int(int64(i))
		}
		if err := t.SortValues(order, keys, false); err != nil {
			return err
		}
		ks, vs := make([]value.Value, len(keys)), make([]value.Value, len(keys))
		for i, n := range order {
			ks[i], vs[i] = keys[n.N], vals[n.N]
		}
		keys, vals = ks, vs
	}
	w.b = append(w.b, '{')
	first := true
	for i, k := range keys {
		mark := len(w.b)
		if !first {
			w.b = append(w.b, w.item...)
		}
		w.line()
		ok, err := w.name(k)
		if err != nil {
			return err
		}
		if !ok {
			w.b = w.b[:mark]
			continue
		}
		first = false
		w.b = append(w.b, w.key...)
		if err := w.value(vals[i]); err != nil {
			return err
		}
	}
	if first {
		w.b = append(w.b, '}')
		return nil
	}
	w.close('}')
	return nil
}

// name writes a key; ok is false when it is left out.
func (w *jsonWriter) name(k value.Value) (ok bool, err error) {
	t := w.t
	t.See(k.Label)
	switch b := t.Base(k); b.Kind {
	case value.KStr:
		w.text(b.Obj.(*value.Str).Text)
		return true, nil
	case value.KBool, value.KInt, value.KBig, value.KFloat, value.KNone:
		w.b = append(w.b, '"')
		if b.Kind == value.KNone {
			w.b = append(w.b, "null"...)
		} else if err := w.number(b); err != nil {
			return false, err
		}
		w.b = append(w.b, '"')
		return true, nil
	}
	if w.skip {
		return false, nil
	}
	return false, t.Raise(t.Types.TypeError, "keys must be str, int, float, bool or None, not %s", t.ClassName(k))
}
