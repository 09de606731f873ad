package vm

import (
	"math"

	"praxis/internal/plan/pytext"
)

// jsonWriter writes JSON as Python does. It sees all that it writes.
type jsonWriter struct {
	t                                               *Thread
	b                                               []byte
	paid                                            int // bytes of b that are accounted for
	skip, ascii, circular, allowNaN, pretty, sorted bool
	indent, item, key                               string
	open                                            map[Object]bool // what is being written
	level                                           int
}

func jsonDumps(t *Thread, a *Args) (Value, error) {
	w := &jsonWriter{t: t}
	for i, p := range []*bool{1: &w.skip, 2: &w.ascii, 3: &w.circular, 4: &w.allowNaN, 8: &w.sorted} {
		if p == nil {
			continue
		}
		var err error
		if *p, err = t.truth(a.Pos[i]); err != nil {
			return Value{}, err
		}
	}
	for i, p := range map[int]*string{5: &w.indent, 6: &w.item, 7: &w.key} {
		if s, ok := t.payload(a.Pos[i], kStr); ok {
			t.see(a.Pos[i].l)
			*p = s.o.(*Str).s
			w.pretty = w.pretty || i == 5
		}
	}
	if err := w.value(a.Pos[0]); err != nil {
		return Value{}, err
	}
	return t.newStr(string(w.b))
}

func (w *jsonWriter) value(v Value) error {
	t := w.t
	t.see(v.l)
	if n := len(w.b) - w.paid; n > 1<<12 {
		w.paid = len(w.b)
		if err := t.alloc(int64(n)); err != nil {
			return err
		}
	}
	if err := t.step(1); err != nil {
		return err
	}
	b := t.base(v)
	switch b.k {
	case kNone:
		w.b = append(w.b, "null"...)
	case kBool, kInt, kBig, kFloat:
		return w.number(b)
	case kStr:
		w.text(b.o.(*Str).s)
	case kList, kTuple:
		return w.nested(v, func() error { return w.array(v, b) })
	case kDict:
		return w.nested(v, func() error { return w.object(v, b) })
	default:
		return t.raise(t.types.TypeError, "Object of type %s is not JSON serializable", t.className(v))
	}
	return nil
}

func (w *jsonWriter) number(v Value) error {
	switch v.k {
	case kBool:
		if v.n != 0 {
			w.b = append(w.b, "true"...)
		} else {
			w.b = append(w.b, "false"...)
		}
	case kInt:
		w.b = pytext.AppendInt(w.b, v.n)
	case kBig:
		var err error
		w.b, err = w.t.appendBig(w.b, v)
		return err
	default:
		return w.float(v.float())
	}
	return nil
}

func (w *jsonWriter) float(f float64) error {
	if f-f == 0 {
		w.b = pytext.AppendFloat(w.b, f)
		return nil
	}
	if !w.allowNaN {
		return w.t.raise(w.t.types.ValueError, "Out of range float values are not JSON compliant: %s", pytext.AppendFloat(nil, f))
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
func (w *jsonWriter) nested(v Value, f func() error) error {
	t := w.t
	if w.open[v.o] {
		if w.circular {
			return t.raise(t.types.ValueError, "Circular reference detected")
		}
	}
	if err := t.enter(" while encoding a JSON object"); err != nil {
		return err
	}
	defer t.leave()
	if w.open == nil {
		w.open = map[Object]bool{}
	}
	w.open[v.o] = true
	w.level++
	err := f()
	w.level--
	delete(w.open, v.o)
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

func (w *jsonWriter) array(v, b Value) error {
	items, err := w.t.collect(v)
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

func (w *jsonWriter) object(v, b Value) error {
	t := w.t
	d := b.o.(*Dict)
	t.see(d.shape)
	if d.live == 0 {
		w.b = append(w.b, "{}"...)
		return nil
	}
	var keys, vals []Value
	for i := range d.entries {
		if e := &d.entries[i]; e.key.k != kUnset {
			keys, vals = append(keys, e.key), append(vals, e.val)
		}
	}
	if w.sorted {
		order := make([]Value, len(keys))
		for i := range order {
			order[i] = intValue(int64(i))
		}
		if err := t.sortValues(order, keys, false); err != nil {
			return err
		}
		ks, vs := make([]Value, len(keys)), make([]Value, len(keys))
		for i, n := range order {
			ks[i], vs[i] = keys[n.n], vals[n.n]
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
func (w *jsonWriter) name(k Value) (ok bool, err error) {
	t := w.t
	t.see(k.l)
	switch b := t.base(k); b.k {
	case kStr:
		w.text(b.o.(*Str).s)
		return true, nil
	case kBool, kInt, kBig, kFloat, kNone:
		w.b = append(w.b, '"')
		if b.k == kNone {
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
	return false, t.raise(t.types.TypeError, "keys must be str, int, float, bool or None, not %s", t.className(k))
}
