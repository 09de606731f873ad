package vm

import (
	"math"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// isASCII reports whether a string has ASCII characters alone, and remembers it.
func isASCII(s *Str) bool {
	if s.ascii == 0 {
		s.ascii = -1
		if pytext.IsASCII(s.s) {
			s.ascii = 1
		}
	}
	return s.ascii > 0
}

// strLen returns the number of code points.
func strLen(s *Str) int {
	if isASCII(s) {
		return len(s.s)
	}
	if s.runes != nil {
		return len(s.runes)
	}
	return pytext.RuneCount(s.s)
}

// runesOf returns the code points of a string that is not ASCII, and keeps them.
func (t *Thread) runesOf(s *Str) ([]rune, error) {
	if s.runes == nil {
		if err := t.alloc(int64(len(s.s)) * 4); err != nil {
			return nil, err
		}
		if err := t.step(int64(len(s.s)) / 32); err != nil {
			return nil, err
		}
		s.runes = pytext.Runes(s.s)
	}
	return s.runes, nil
}

// newStr makes a string value without a label and accounts for it.
func (t *Thread) newStr(s string) (Value, error) {
	if len(s) == 0 {
		return t.types.empty, nil
	}
	if len(s) == 1 && s[0] < 0x80 {
		return t.types.chars[s[0]], nil
	}
	return Value{k: kStr, o: &Str{s: s}}, t.alloc(int64(len(s)) + strBytes)
}

// charAt is the i-th code point of a string; i may count from the end.
func (t *Thread) charAt(s *Str, i int64) (Value, error) {
	if isASCII(s) {
		if i < 0 {
			i += int64(len(s.s))
		}
		if uint64(i) >= uint64(len(s.s)) {
			return Value{}, t.raise(t.types.IndexError, "string index out of range")
		}
		return t.types.chars[s.s[i]], nil
	}
	runes, err := t.runesOf(s)
	if err != nil {
		return Value{}, err
	}
	if i < 0 {
		i += int64(len(runes))
	}
	if uint64(i) >= uint64(len(runes)) {
		return Value{}, t.raise(t.types.IndexError, "string index out of range")
	}
	return t.newStr(pytext.FromRunes(runes[i : i+1]))
}

// sliceStr is o[s] of a string.
func (t *Thread) sliceStr(o Value, s *Slice) (Value, error) {
	str := o.o.(*Str)
	lo, n, step, err := t.bounds(s, strLen(str))
	if err != nil {
		return Value{}, err
	}
	if n == 0 {
		return t.types.empty, nil
	}
	if step == 1 && n == strLen(str) {
		return o, nil
	}
	if err := t.step(int64(n) / 64); err != nil {
		return Value{}, err
	}
	if isASCII(str) {
		if step == 1 {
			return t.newStr(strings.Clone(str.s[lo : lo+n]))
		}
		if err := t.alloc(int64(n)); err != nil {
			return Value{}, err
		}
		out := make([]byte, n)
		for i := range out {
			out[i] = str.s[lo+i*step]
		}
		return t.newStr(string(out))
	}
	if step == 1 {
		if err := t.step(int64(len(str.s)) / 128); err != nil {
			return Value{}, err
		}
		a := pytext.Offset(str.s, lo)
		b := a + pytext.Offset(str.s[a:], n)
		return t.newStr(strings.Clone(str.s[a:b]))
	}
	runes, err := t.runesOf(str)
	if err != nil {
		return Value{}, err
	}
	if err := t.alloc(int64(n) * 8); err != nil {
		return Value{}, err
	}
	out := make([]byte, 0, n)
	for i := 0; i < n; i++ {
		out = pytext.AppendRune(out, runes[lo+i*step])
	}
	return t.newStr(string(out))
}

// seqOp is an operator on a string, bytes object, list or tuple.
func (t *Thread) seqOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	switch op {
	case syntax.Add:
		if a.k != b.k {
			return Value{}, false, nil
		}
		v, err := t.concat(a, b)
		return v, true, err
	case syntax.Mult:
		return t.repeat(a, b)
	case syntax.Mod:
		if a.k == kStr || a.k == kBytes {
			v, err := t.percent(a, b)
			return v, true, err
		}
	}
	return Value{}, false, nil
}

// concat is a + b of two sequences of one kind.
func (t *Thread) concat(a, b Value) (Value, error) {
	switch x := a.o.(type) {
	case *Str:
		y := b.o.(*Str)
		switch {
		case x.s == "":
			return b, nil
		case y.s == "":
			return a, nil
		}
		return t.concatStr(x, y)
	case *Bytes:
		y := b.o.(*Bytes)
		if err := t.alloc(int64(len(x.b)+len(y.b)) + strBytes); err != nil {
			return Value{}, err
		}
		return t.bytes(x.b + y.b), nil
	case *Tuple:
		items, err := t.concatItems(x.items, b.o.(*Tuple).items)
		return t.tuple(items), err
	}
	x, y := a.o.(*List), b.o.(*List)
	items, err := t.concatItems(x.items, y.items)
	return t.newList(items, t.join(x.shape, y.shape)), err
}

// concatStr is x + y of two strings that are not empty.
func (t *Thread) concatStr(x, y *Str) (Value, error) {
	n := len(x.s) + len(y.s) // bytes to copy
	long := len(x.s) >= longStr && len(y.s) <= len(x.s)
	if long && x.inPlace(len(y.s)) {
		n = len(y.s)
	}
	if err := t.alloc(int64(n) + strBytes); err != nil {
		return Value{}, err
	}
	if n > 256 {
		if err := t.step(int64(n) / 128); err != nil {
			return Value{}, err
		}
	}
	var out *Str
	if long {
		out = extended(x, y)
	} else {
		out = &Str{s: x.s + y.s}
	}
	if x.ascii > 0 && y.ascii > 0 {
		out.ascii = 1
	}
	return Value{k: kStr, o: out}, nil
}

// newList makes a list value whose shape is s; it keeps items.
func (t *Thread) newList(items []Value, s label.ID) Value {
	return Value{k: kList, o: &List{items: items, shape: t.join(s, t.pc)}}
}

// concatItems returns the elements of a and then those of b.
func (t *Thread) concatItems(a, b []Value) ([]Value, error) {
	n := len(a) + len(b)
	if err := t.alloc(int64(n)*valueBytes + strBytes); err != nil {
		return nil, err
	}
	if err := t.step(int64(n) / 8); err != nil {
		return nil, err
	}
	return append(append(make([]Value, 0, n), a...), b...), nil
}

// repeat is seq * n; ok is false when n is not an int or seq is not a sequence.
func (t *Thread) repeat(seq, n Value) (Value, bool, error) {
	if !isSequence(seq) {
		return Value{}, false, nil
	}
	if !t.isIndex(n) {
		return Value{}, false, nil
	}
	times, l, err := t.repeats(n)
	if err != nil {
		return Value{}, true, err
	}
	v, err := t.repeated(seq, times)
	return v.with(t.join(v.l, l)), true, err
}

// repeats returns how often something is repeated, and what that depends on: an
// object's __index__ may know more than the object shows.
func (t *Thread) repeats(n Value) (int64, label.ID, error) {
	seen := t.seen
	t.seen = 0
	x, err := t.index(n)
	l := t.join(t.seen, x.l)
	t.seen = seen
	if err != nil {
		return 0, l, err
	}
	if x.k == kBig {
		return 0, l, t.failOf(n, t.types.OverflowError, "cannot fit '%s' into an index-sized integer", t.className(n))
	}
	return max(x.n, 0), l, nil
}

// tooLarge reports whether n things of so many bytes cannot exist at all.
func tooLarge(n, times, bytes int64) bool {
	over, total := mulHi(n, times)
	if over {
		return true
	}
	over, _ = mulHi(total, bytes)
	return over
}

// repeated makes times copies of seq in a row, after it has accounted for them.
func (t *Thread) repeated(seq Value, times int64) (Value, error) {
	switch o := seq.o.(type) {
	case *Str, *Bytes:
		n := int64(textLen(seq))
		if tooLarge(n, times, 1) {
			return Value{}, t.failOf(seq, t.types.MemoryError, "")
		}
		if err := t.alloc(n*times + strBytes); err != nil {
			return Value{}, err
		}
		if err := t.step(n * times / 256); err != nil {
			return Value{}, err
		}
		if s, ok := o.(*Str); ok {
			if times == 1 {
				return seq, nil
			}
			return Value{k: kStr, o: &Str{s: strings.Repeat(s.s, int(times)), ascii: s.ascii}}, nil
		}
		return t.bytes(strings.Repeat(o.(*Bytes).b, int(times))), nil
	case *Tuple:
		if times == 1 {
			return seq, nil
		}
		items, err := t.repeatItems(o.items, times, seq)
		return t.tuple(items), err
	case *List:
		items, err := t.repeatItems(o.items, times, seq)
		return t.newList(items, o.shape), err
	}
	return Value{}, nil
}

func (t *Thread) repeatItems(items []Value, times int64, seq Value) ([]Value, error) {
	n := int64(len(items))
	if tooLarge(n, times, 8) {
		return nil, t.raiseArgs(t.types.MemoryError)
	}
	if n*times > math.MaxInt64/valueBytes/2 {
		return nil, t.OutOfMemory(math.MaxInt64 / 2)
	}
	if err := t.alloc(n*times*valueBytes + strBytes); err != nil {
		return nil, err
	}
	if err := t.step(n * times / 8); err != nil {
		return nil, err
	}
	out := make([]Value, 0, n*times)
	if n == 1 {
		out = out[:times]
		for i := range out {
			out[i] = items[0]
		}
		return out, nil
	}
	for ; times > 0; times-- {
		out = append(out, items...)
	}
	return out, nil
}

// repeatInplace is list *= n.
func (t *Thread) repeatInplace(a, b Value) (Value, error) {
	if !t.isIndex(b) {
		return Value{}, t.noOperator(syntax.Mult, "*=", a, b)
	}
	times, by, err := t.repeats(b)
	if err != nil {
		return Value{}, err
	}
	l := a.o.(*List)
	items, err := t.repeatItems(l.items, times, a)
	if err != nil {
		return Value{}, err
	}
	l.items = items
	t.mark(&l.shape, t.join(a.l, by))
	return a, nil
}

// extend appends the elements of b to the list a.
func (t *Thread) extend(a, b Value) error {
	l := a.o.(*List)
	seen := t.seen
	t.seen = 0
	err := t.extendList(l, b)
	t.mark(&l.shape, t.join(t.seen, a.l))
	t.seen = seen
	return err
}

// extendList appends the elements of b; it sees what their number depends on.
func (t *Thread) extendList(l *List, b Value) error {
	if p := t.plainSeq(b); p.k == kList || p.k == kTuple {
		items, err := t.collect(p)
		if err != nil {
			return err
		}
		if err := t.room(l, len(items)); err != nil {
			return err
		}
		if t.pc|p.l != 0 {
			for i := range items {
				items[i] = t.under(items[i].with(t.join(items[i].l, p.l)))
			}
		}
		l.items = append(l.items, items...)
		return nil
	}
	return t.each(b, func(x Value) error { return t.push(l, t.under(x)) })
}
