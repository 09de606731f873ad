package json

import (
	"math"
	"strings"
	"unicode/utf8"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// jsonWriter writes JSON as Python does. It sees all that it writes.
type jsonWriter struct {
	t                     *value.Thread
	b                     []byte
	paid                  int // bytes of b that are accounted for
	ascii, pretty, sorted bool
	indent, item, key     string
	open                  map[value.Object]bool // what is being written
	level                 int
}

func jsonDumps(t *value.Thread, a *value.Args) (value.Value, error) {
	w := &jsonWriter{t: t, open: map[value.Object]bool{}}
	var err error
	if w.ascii, err = t.Truth(a.Pos[1]); err != nil {
		return value.Value{}, err
	}
	if w.sorted, err = t.Truth(a.Pos[5]); err != nil {
		return value.Value{}, err
	}
	for i, p := range []*string{&w.indent, &w.item, &w.key} {
		if s, ok := t.Payload(a.Pos[2+i], value.KStr); ok {
			t.See(a.Pos[2+i].Label)
			*p = s.Obj.(*value.Str).Text
			w.pretty = w.pretty || i == 0
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
	case value.KNone, value.KBool, value.KInt, value.KBig, value.KFloat:
		return w.scalar(b)
	case value.KStr:
		w.text(b.Obj.(*value.Str).Text)
	case value.KList, value.KTuple:
		return w.nested(v, func() error { return w.array(v) })
	case value.KDict:
		return w.nested(v, func() error { return w.object(b) })
	default:
		return t.Raise(t.Types.TypeError, "Object of type %s is not JSON serializable", t.ClassName(v))
	}
	return nil
}

func (w *jsonWriter) scalar(v value.Value) (err error) {
	switch v.Kind {
	case value.KInt:
		w.b = pytext.AppendInt(w.b, v.N)
	case value.KBig:
		w.b, err = w.t.AppendBig(w.b, v)
	case value.KFloat:
		if f := v.Float(); f-f == 0 {
			w.b = pytext.AppendFloat(w.b, f)
			return nil
		}
		fallthrough
	default:
		for _, c := range words {
			if c.v.Kind == v.Kind && (c.v.N == v.N || c.v.Kind == value.KFloat && math.IsNaN(c.v.Float()) && math.IsNaN(v.Float())) {
				w.b = append(w.b, c.word...)
				return nil
			}
		}
	}
	return err
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
			r, size := utf8.DecodeRuneInString(s[i:])
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
		if c >= 0x20 && c != '"' && c != '\\' && (c != 0x7F || !w.ascii) {
			w.b = append(w.b, c)
		} else if at := strings.IndexByte(escaped, c); at >= 0 {
			w.b = append(w.b, '\\', escapes[at])
		} else {
			escape(rune(c))
		}
	}
	w.b = append(w.b, '"')
}

// nested writes a container, which must not hold itself.
func (w *jsonWriter) nested(v value.Value, f func() error) error {
	t := w.t
	if w.open[v.Obj] {
		return t.Raise(t.Types.ValueError, "Circular reference detected")
	}
	if err := t.Enter(" while encoding a JSON object"); err != nil {
		return err
	}
	defer t.Leave()
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

func (w *jsonWriter) array(v value.Value) error {
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

func (w *jsonWriter) object(b value.Value) error {
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
		if err := t.SortValues(vals, keys, false); err != nil {
			return err
		}
		if err := t.SortValues(keys, nil, false); err != nil {
			return err
		}
	}
	w.b = append(w.b, '{')
	for i, k := range keys {
		if i > 0 {
			w.b = append(w.b, w.item...)
		}
		w.line()
		if err := w.name(k); err != nil {
			return err
		}
		w.b = append(w.b, w.key...)
		if err := w.value(vals[i]); err != nil {
			return err
		}
	}
	w.close('}')
	return nil
}

// name writes a key.
func (w *jsonWriter) name(k value.Value) error {
	t := w.t
	t.See(k.Label)
	switch b := t.Base(k); b.Kind {
	case value.KStr:
		w.text(b.Obj.(*value.Str).Text)
	case value.KBool, value.KInt, value.KBig, value.KFloat, value.KNone:
		w.b = append(w.b, '"')
		err := w.scalar(b)
		w.b = append(w.b, '"')
		return err
	default:
		return t.Raise(t.Types.TypeError, "keys must be str, int, float, bool or None, not %s", t.ClassName(k))
	}
	return nil
}
