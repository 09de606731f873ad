package builtin

import (
	"strings"

	"praxis/internal/plan/value"
)

// How strings and bytes objects are padded.

// fillArg returns the character that a text is padded with.
func fillArg(t *value.Thread, x text, v value.Value, method string) (string, error) {
	if v.Kind == value.KUnset {
		return " ", nil
	}
	t.See(v.Label)
	if x.bytes {
		b, ok := t.Payload(v, value.KBytes)
		if !ok {
			return "", t.Raise(t.Types.TypeError, "%s() argument 2 must be a byte string of length 1, not %s", method, t.ClassName(v))
		}
		if n := len(b.Obj.(*value.Bytes).Data); n != 1 {
			return "", t.Raise(t.Types.TypeError, "%s(): argument 2 must be a byte string of length 1, not a bytes object of length %d", method, n)
		}
		return b.Obj.(*value.Bytes).Data, nil
	}
	s, ok := t.Payload(v, value.KStr)
	if !ok {
		return "", t.Raise(t.Types.TypeError, "The fill character must be a unicode character, not %s", t.ClassName(v))
	}
	if value.StrLen(s.Obj.(*value.Str)) != 1 {
		return "", t.Raise(t.Types.TypeError, "The fill character must be exactly one character long")
	}
	return s.Obj.(*value.Str).Text, nil
}

// pad puts left and right fill characters around s.
func pad(t *value.Thread, x text, s, fill string, left, right int64) (value.Value, error) {
	if value.TooLarge(left+right, int64(len(fill)), 1) {
		return value.Value{}, t.RaiseArgs(t.Types.MemoryError)
	}
	size := (left+right)*int64(len(fill)) + int64(len(s))
	if err := t.Alloc(size); err != nil {
		return value.Value{}, err
	}
	if err := t.Step(size / 256); err != nil {
		return value.Value{}, err
	}
	return textValue(t, x, strings.Repeat(fill, int(left))+s+strings.Repeat(fill, int(right)))
}

func padder(method string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		width, err := t.IntArg(a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		fill, err := fillArg(t, x, a.Pos[2], method)
		if err != nil {
			return value.Value{}, err
		}
		n := width - int64(x.len())
		if n <= 0 {
			return a.Pos[0], nil
		}
		var left int64
		switch method {
		case "center":
			left = n/2 + n&width&1
		case "rjust":
			left = n
		}
		return pad(t, x, x.s, fill, left, n-left)
	}
}

func textZfill(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	width, err := t.IntArg(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	n := width - int64(x.len())
	if n <= 0 {
		return a.Pos[0], nil
	}
	s, sign := x.s, ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	if sign == "" {
		return pad(t, x, s, "0", n, 0)
	}
	v, err := pad(t, x, s, "0", n, 0)
	if err != nil {
		return value.Value{}, err
	}
	return textValue(t, x, sign+textOf(v).s)
}

func textExpandTabs(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	size := int64(8)
	if a.Pos[1].Kind != value.KUnset {
		n, err := t.Index(a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		if size = n.N; n.Kind == value.KBig || size > 1<<31-1 || size < -1<<31 {
			return value.Value{}, t.Raise(t.Types.OverflowError, "Python int too large to convert to C int")
		}
	}
	if err := t.Step(int64(len(x.s)) / 16); err != nil {
		return value.Value{}, err
	}
	var b strings.Builder
	column := int64(0)
	for s := x.s; s != ""; {
		n := x.first(s)
		switch c := s[0]; {
		case c == '\t':
			if size > 0 {
				pad := size - column%size
				if err := t.Alloc(pad); err != nil {
					return value.Value{}, err
				}
				if err := t.Step(pad / 256); err != nil {
					return value.Value{}, err
				}
				b.WriteString(strings.Repeat(" ", int(pad)))
				column += pad
			}
		default:
			b.WriteString(s[:n])
			if column++; c == '\n' || c == '\r' {
				column = 0
			}
		}
		s = s[n:]
	}
	return textValue(t, x, b.String())
}
