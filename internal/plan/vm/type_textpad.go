package vm

import (
	"strings"
)

// How strings and bytes objects are padded.

// fillArg returns the character that a text is padded with.
func (t *Thread) fillArg(x text, v Value, method string) (string, error) {
	if v.k == kUnset {
		return " ", nil
	}
	t.see(v.l)
	if x.bytes {
		b, ok := t.payload(v, kBytes)
		if !ok {
			return "", t.raise(t.types.TypeError, "%s() argument 2 must be a byte string of length 1, not %s", method, t.className(v))
		}
		if n := len(b.o.(*Bytes).b); n != 1 {
			return "", t.raise(t.types.TypeError, "%s(): argument 2 must be a byte string of length 1, not a bytes object of length %d", method, n)
		}
		return b.o.(*Bytes).b, nil
	}
	s, ok := t.payload(v, kStr)
	if !ok {
		return "", t.raise(t.types.TypeError, "The fill character must be a unicode character, not %s", t.className(v))
	}
	if strLen(s.o.(*Str)) != 1 {
		return "", t.raise(t.types.TypeError, "The fill character must be exactly one character long")
	}
	return s.o.(*Str).s, nil
}

// pad puts left and right fill characters around s.
func (t *Thread) pad(x text, s, fill string, left, right int64) (Value, error) {
	if tooLarge(left+right, int64(len(fill)), 1) {
		return Value{}, t.raiseArgs(t.types.MemoryError)
	}
	size := (left+right)*int64(len(fill)) + int64(len(s))
	if err := t.alloc(size); err != nil {
		return Value{}, err
	}
	if err := t.step(size / 256); err != nil {
		return Value{}, err
	}
	return t.textValue(x, strings.Repeat(fill, int(left))+s+strings.Repeat(fill, int(right)))
}

func padder(method string) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x := t.text(a.Pos[0])
		width, err := t.intArg(a.Pos[1])
		if err != nil {
			return Value{}, err
		}
		fill, err := t.fillArg(x, a.Pos[2], method)
		if err != nil {
			return Value{}, err
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
		return t.pad(x, x.s, fill, left, n-left)
	}
}

func textZfill(t *Thread, a *Args) (Value, error) {
	x := t.text(a.Pos[0])
	width, err := t.intArg(a.Pos[1])
	if err != nil {
		return Value{}, err
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
		return t.pad(x, s, "0", n, 0)
	}
	v, err := t.pad(x, s, "0", n, 0)
	if err != nil {
		return Value{}, err
	}
	return t.textValue(x, sign+textOf(v).s)
}

func textExpandTabs(t *Thread, a *Args) (Value, error) {
	x := t.text(a.Pos[0])
	size := int64(8)
	if a.Pos[1].k != kUnset {
		n, err := t.index(a.Pos[1])
		if err != nil {
			return Value{}, err
		}
		if size = n.n; n.k == kBig || size > 1<<31-1 || size < -1<<31 {
			return Value{}, t.raise(t.types.OverflowError, "Python int too large to convert to C int")
		}
	}
	if err := t.step(int64(len(x.s)) / 16); err != nil {
		return Value{}, err
	}
	var b strings.Builder
	column := int64(0)
	for s := x.s; s != ""; {
		n := x.first(s)
		switch c := s[0]; {
		case c == '\t':
			if size > 0 {
				pad := size - column%size
				if err := t.alloc(pad); err != nil {
					return Value{}, err
				}
				if err := t.step(pad / 256); err != nil {
					return Value{}, err
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
	return t.textValue(x, b.String())
}
