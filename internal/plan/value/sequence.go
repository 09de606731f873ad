package value

import (
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
)

// IsASCII reports whether a string has ASCII characters alone, and remembers it.
func IsASCII(s *Str) bool {
	if s.Ascii == 0 {
		s.Ascii = -1
		if pytext.IsASCII(s.Text) {
			s.Ascii = 1
		}
	}
	return s.Ascii > 0
}

// StrLen returns the number of code points.
func StrLen(s *Str) int {
	if IsASCII(s) {
		return len(s.Text)
	}
	if s.Runes != nil {
		return len(s.Runes)
	}
	return pytext.RuneCount(s.Text)
}

// RunesOf returns the code points of a string that is not ASCII, and keeps them.
func (t *Thread) RunesOf(s *Str) ([]rune, error) {
	if s.Runes == nil {
		if err := t.Charge(int64(len(s.Text))*4, int64(len(s.Text))/32); err != nil {
			return nil, err
		}
		s.Runes = []rune(s.Text)
	}
	return s.Runes, nil
}

// NewStr makes a string value without a label and accounts for it.
func (t *Thread) NewStr(s string) (Value, error) {
	if len(s) == 0 {
		return t.Types.Empty, nil
	}
	if len(s) == 1 && s[0] < 0x80 {
		return t.Types.Chars[s[0]], nil
	}
	return Value{Kind: KStr, Obj: &Str{Text: s}}, t.Alloc(int64(len(s)) + StrBytes)
}

// charAt is one code point of a string.
func (t *Thread) charAt(s *Str, k Value) (Value, error) {
	if IsASCII(s) {
		i, err := t.place("string", k, len(s.Text))
		if err != nil {
			return Value{}, err
		}
		return t.Types.Chars[s.Text[i]], nil
	}
	runes, err := t.RunesOf(s)
	if err != nil {
		return Value{}, err
	}
	i, err := t.place("string", k, len(runes))
	if err != nil {
		return Value{}, err
	}
	return t.NewStr(string(runes[i : i+1]))
}

// sliceStr is o[s] of a string.
func (t *Thread) sliceStr(o Value, s *Slice) (Value, error) {
	str := o.Obj.(*Str)
	lo, n, step, err := t.bounds(s, StrLen(str))
	if err != nil {
		return Value{}, err
	}
	if n == 0 {
		return t.Types.Empty, nil
	}
	if step == 1 && n == StrLen(str) {
		return o, nil
	}
	if err := t.Step(int64(n) / 64); err != nil {
		return Value{}, err
	}
	if IsASCII(str) {
		if step == 1 {
			return t.NewStr(strings.Clone(str.Text[lo : lo+n]))
		}
		if err := t.Alloc(int64(n)); err != nil {
			return Value{}, err
		}
		out := make([]byte, n)
		for i := range out {
			out[i] = str.Text[lo+i*step]
		}
		return t.NewStr(string(out))
	}
	if step == 1 {
		if err := t.Step(int64(len(str.Text)) / 128); err != nil {
			return Value{}, err
		}
		a := pytext.Offset(str.Text, lo)
		b := a + pytext.Offset(str.Text[a:], n)
		return t.NewStr(strings.Clone(str.Text[a:b]))
	}
	runes, err := t.RunesOf(str)
	if err != nil {
		return Value{}, err
	}
	if err := t.Alloc(int64(n) * 8); err != nil {
		return Value{}, err
	}
	out := make([]byte, 0, n)
	for i := 0; i < n; i++ {
		out = utf8.AppendRune(out, runes[lo+i*step])
	}
	return t.NewStr(string(out))
}

// seqOp is an operator on a string, bytes object, list or tuple.
func (t *Thread) seqOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	switch op {
	case syntax.Add:
		if a.Kind != b.Kind {
			return Value{}, false, nil
		}
		v, err := t.concat(a, b)
		return v, true, err
	case syntax.Mult:
		return t.repeat(a, b)
	case syntax.Mod:
		if a.Kind == KStr {
			if err := t.Mixed([]Value{a, b}); err != nil {
				return Value{}, true, err
			}
			v, err := t.percent(a, b)
			return v, true, err
		}
	}
	return Value{}, false, nil
}

// concat is a + b of two sequences of one kind.
func (t *Thread) concat(a, b Value) (Value, error) {
	switch x := a.Obj.(type) {
	case *Str:
		y := b.Obj.(*Str)
		switch {
		case x.Text == "":
			return b, nil
		case y.Text == "":
			return a, nil
		}
		return t.concatStr(x, y)
	case *Bytes:
		y := b.Obj.(*Bytes)
		if err := t.Alloc(int64(len(x.Data)+len(y.Data)) + StrBytes); err != nil {
			return Value{}, err
		}
		return t.Bytes(x.Data + y.Data), nil
	case *Tuple:
		items, err := t.ConcatItems(x.Items, b.Obj.(*Tuple).Items)
		return t.Tuple(items), err
	}
	x, y := a.Obj.(*List), b.Obj.(*List)
	items, err := t.ConcatItems(x.Items, y.Items)
	return t.NewList(items, t.Join(x.Shape, y.Shape)), err
}

// concatStr is x + y of two strings that are not empty.
func (t *Thread) concatStr(x, y *Str) (Value, error) {
	n := len(x.Text) + len(y.Text) // bytes to copy
	long := len(x.Text) >= longStr && len(y.Text) <= len(x.Text)
	if long && x.inPlace(len(y.Text)) {
		n = len(y.Text)
	}
	if err := t.Alloc(int64(n) + StrBytes); err != nil {
		return Value{}, err
	}
	if n > 256 {
		if err := t.Step(int64(n) / 128); err != nil {
			return Value{}, err
		}
	}
	var out *Str
	if long {
		out = extended(x, y)
	} else {
		out = &Str{Text: x.Text + y.Text}
	}
	if x.Ascii > 0 && y.Ascii > 0 {
		out.Ascii = 1
	}
	return Value{Kind: KStr, Obj: out}, nil
}

// NewList makes a list value whose shape is s; it keeps items.
func (t *Thread) NewList(items []Value, s label.ID) Value {
	return Value{Kind: KList, Obj: &List{Items: items, Shape: t.Join(s, t.PC)}}
}

// ConcatItems returns the elements of a and then those of b.
func (t *Thread) ConcatItems(a, b []Value) ([]Value, error) {
	n := len(a) + len(b)
	if err := t.Charge(int64(n)*ValueBytes+StrBytes, int64(n)/8); err != nil {
		return nil, err
	}
	return append(append(make([]Value, 0, n), a...), b...), nil
}

// repeat is seq * n; ok is false when n is not an int or seq is not a sequence.
func (t *Thread) repeat(seq, n Value) (Value, bool, error) {
	if !IsSequence(seq) {
		return Value{}, false, nil
	}
	if !t.IsIndex(n) {
		return Value{}, false, nil
	}
	times, l, err := t.repeats(n)
	if err != nil {
		return Value{}, true, err
	}
	v, err := t.repeated(seq, times)
	return v.With(t.Join(v.Label, l)), true, err
}

// repeats returns how often something is repeated, and what that depends on: an
// object's __index__ may know more than the object shows.
func (t *Thread) repeats(n Value) (int64, label.ID, error) {
	times := int64(0)
	l, err := t.Shaped(func() (err error) {
		times, err = t.IntArg(n)
		return err
	})
	return max(times, 0), l, err
}

// TooLarge reports whether n things of so many bytes cannot exist at all.
func TooLarge(n, times, bytes int64) bool {
	over, total := mulHi(n, times)
	if over {
		return true
	}
	over, _ = mulHi(total, bytes)
	return over
}

// repeated makes times copies of seq in a row, after it has accounted for them.
func (t *Thread) repeated(seq Value, times int64) (Value, error) {
	switch o := seq.Obj.(type) {
	case *Str, *Bytes:
		n := int64(TextLen(seq))
		if TooLarge(n, times, 1) {
			return Value{}, t.FailOf(seq, t.Types.MemoryError, "")
		}
		if err := t.Charge(n*times+StrBytes, n*times/256); err != nil {
			return Value{}, err
		}
		if s, ok := o.(*Str); ok {
			if times == 1 {
				return seq, nil
			}
			return Value{Kind: KStr, Obj: &Str{Text: strings.Repeat(s.Text, int(times)), Ascii: s.Ascii}}, nil
		}
		return t.Bytes(strings.Repeat(o.(*Bytes).Data, int(times))), nil
	case *Tuple:
		if times == 1 {
			return seq, nil
		}
		items, err := t.repeatItems(o.Items, times, seq)
		return t.Tuple(items), err
	case *List:
		items, err := t.repeatItems(o.Items, times, seq)
		return t.NewList(items, o.Shape), err
	}
	return Value{}, nil
}

func (t *Thread) repeatItems(items []Value, times int64, seq Value) ([]Value, error) {
	n := int64(len(items))
	if TooLarge(n, times, 8) {
		return nil, t.RaiseArgs(t.Types.MemoryError)
	}
	if err := t.Charge(min(n*times, 1<<50)*ValueBytes+StrBytes, n*times/8); err != nil {
		return nil, err
	}
	return slices.Repeat(items, int(times)), nil
}

// repeatInplace is list *= n.
func (t *Thread) repeatInplace(a, b Value) (Value, error) {
	if !t.IsIndex(b) {
		return Value{}, t.NoOperator(syntax.Mult, a, b)
	}
	times, by, err := t.repeats(b)
	if err != nil {
		return Value{}, err
	}
	l := a.Obj.(*List)
	items, err := t.repeatItems(l.Items, times, a)
	if err != nil {
		return Value{}, err
	}
	l.Items = items
	t.Mark(&l.Shape, t.Join(a.Label, by))
	return a, nil
}

// Extend appends the elements of b to the list a.
func (t *Thread) Extend(a, b Value) error {
	l := a.Obj.(*List)
	s, err := t.Shaped(func() error { return t.extendList(l, b) })
	t.Mark(&l.Shape, t.Join(s, a.Label))
	return err
}

// extendList appends the elements of b; it sees what their number depends on.
func (t *Thread) extendList(l *List, b Value) error {
	if p := t.PlainSeq(b); p.Kind == KList || p.Kind == KTuple {
		items, err := t.Collect(p)
		if err != nil {
			return err
		}
		if err := t.reserve(l, len(items)); err != nil {
			return err
		}
		if t.PC|p.Label != 0 {
			for i := range items {
				items[i] = t.Under(items[i].With(t.Join(items[i].Label, p.Label)))
			}
		}
		l.Items = append(l.Items, items...)
		return nil
	}
	return t.Each(b, func(x Value) error { return t.Push(l, t.Under(x)) })
}
