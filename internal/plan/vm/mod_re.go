package vm

import (
	"errors"
	"math"

	"praxis/internal/plan/regex"
)

// RePattern is a compiled regular expression.
type RePattern struct {
	src   Value // what it was compiled from
	flags int64 // as they were given
	prog  *regex.Program
}

func (*RePattern) class(t *Thread) *Class { return t.types.RePattern }

// walk gives the memory account what the pattern holds.
func (p *RePattern) walk(f func(Value)) int64 {
	f(p.src)
	return 1024
}

// ReMatch is a match of a regular expression.
type ReMatch struct {
	pat      *RePattern
	text     Value // that was searched
	pos, end int64 // the part of it
	last     int64 // the group that was closed last; 0: none
	spans    []int64
	m        *regex.Match
	subject  *regex.Text
}

func (*ReMatch) class(t *Thread) *Class { return t.types.ReMatch }

// walk gives the memory account what the match holds.
func (m *ReMatch) walk(f func(Value)) int64 {
	f(m.text)
	f(Value{k: kSpecial, o: m.pat})
	return int64(len(m.spans))*12 + 64
}

// regexKey names a compiled pattern: its text, whether that is bytes, and its flags.
type regexKey struct {
	text  string
	bytes bool
	flags int64
}

// maxRegexes bounds how many compiled patterns a VM keeps.
const maxRegexes = 256

// program returns what a pattern is compiled to; it keeps it.
func (t *Thread) program(p *RePattern) (*regex.Program, error) {
	if p.prog != nil {
		return p.prog, nil
	}
	key := regexKey{flags: p.flags}
	var text regex.Text
	switch o := p.src.o.(type) {
	case *Str:
		key.text, text = o.s, regex.Str(o.s)
	case *Bytes:
		key.text, key.bytes, text = o.b, true, regex.Bytes(o.b)
	}
	if p.prog = t.regexes[key]; p.prog != nil {
		return p.prog, nil
	}
	if err := t.step(int64(len(key.text)) * 8); err != nil {
		return nil, err
	}
	prog, fail := regex.Compile(text, regex.Flags(p.flags))
	if fail != nil {
		return nil, t.regexError(fail, p.src)
	}
	if len(t.regexes) >= maxRegexes {
		clear(t.regexes)
	}
	if t.regexes == nil {
		t.regexes = map[regexKey]*regex.Program{}
	}
	t.regexes[key] = prog
	p.prog = prog
	return prog, t.alloc(int64(len(key.text))*64 + 1024)
}

// regexError makes an exception of an error of package regex.
func (t *Thread) regexError(e *regex.Error, src Value) error {
	t.see(src.l)
	ts := t.types
	switch e.Kind {
	case regex.Value:
		return t.raiseArgs(ts.ValueError, t.str(e.Error()))
	case regex.Overflow:
		return t.raiseArgs(ts.OverflowError, t.str(e.Error()))
	case regex.Recursion:
		return t.raiseArgs(ts.RecursionError, t.str(e.Error()))
	case regex.Index:
		return t.raiseArgs(ts.IndexError, t.str(e.Error()))
	case regex.Memory:
		return t.raiseArgs(ts.MemoryError, t.str(e.Error()))
	}
	m, err := t.Import("re")
	if err != nil {
		return err
	}
	cls, _ := m.names.str("PatternError")
	pos := none
	if e.Pos >= 0 {
		pos = intValue(int64(e.Pos))
	}
	v, err := t.Call(cls, []Value{t.str(e.Msg), src, pos}, nil, nil)
	if err != nil {
		return err
	}
	return &Raise{exc: v.o.(*Exception), l: t.seen}
}

// pattern reads the argument that is a pattern, or the text of one.
func (t *Thread) pattern(v, flags Value) (*RePattern, error) {
	f := int64(0)
	if flags.k != kUnset {
		n, err := t.index(flags)
		if err != nil {
			return nil, err
		}
		if f = n.n; n.k == kBig {
			f = math.MaxInt32
		}
	}
	if p, ok := v.o.(*RePattern); ok {
		t.see(p.src.l)
		if f != 0 {
			return nil, t.raise(t.types.ValueError, "cannot process flags argument with a compiled pattern")
		}
		_, err := t.program(p)
		return p, err
	}
	src := t.base(v)
	if src.k != kStr && src.k != kBytes {
		return nil, t.raise(t.types.TypeError, "first argument must be string or compiled pattern")
	}
	t.see(src.l)
	p := &RePattern{src: src, flags: f & 0xFFFFFFFF}
	_, err := t.program(p)
	return p, err
}

// search is one use of a pattern on a text.
type search struct {
	t        *Thread
	p        *RePattern
	prog     *regex.Program
	v        Value // the text
	text     regex.Text
	pos, end int
	budget   int64
	whole    int64 // the budget at the beginning
}

// newSearch prepares the search of a text; pos and end may be unset.
func (t *Thread) newSearch(p *RePattern, v, pos, end Value) (*search, error) {
	s := &search{t: t, p: p, v: t.base(v), end: math.MaxInt}
	var err error
	if s.prog, err = t.program(p); err != nil {
		return nil, err
	}
	t.see(v.l)
	isBytes := p.src.k == kBytes
	switch {
	case s.v.k != kStr && s.v.k != kBytes:
		return nil, t.raise(t.types.TypeError, "expected string or bytes-like object, got '%s'", t.className(v))
	case isBytes && s.v.k == kStr:
		return nil, t.raise(t.types.TypeError, "cannot use a bytes pattern on a string-like object")
	case !isBytes && s.v.k == kBytes:
		return nil, t.raise(t.types.TypeError, "cannot use a string pattern on a bytes-like object")
	}
	if s.text, err = t.subject(s.v); err != nil {
		return nil, err
	}
	for i, x := range [...]Value{pos, end} {
		if x.k == kUnset {
			continue
		}
		n, err := t.index(x)
		if err != nil {
			return nil, err
		}
		if n.k == kBig {
			n.n = int64(toBig(n).Sign()) * math.MaxInt64
		}
		at := int(min(max(n.n, 0), int64(s.text.Len())))
		if i == 0 {
			s.pos = at
		} else {
			s.end = at
		}
	}
	s.whole = max(t.steps, 0) + t.stepsLeft
	s.budget = s.whole
	return s, nil
}

// subject is a str or a bytes object as package regex reads it.
func (t *Thread) subject(v Value) (regex.Text, error) {
	if b, ok := v.o.(*Bytes); ok {
		return regex.Bytes(b.b), nil
	}
	s := v.o.(*Str)
	if isASCII(s) {
		return regex.Str(s.s), nil
	}
	r, err := t.runesOf(s)
	return regex.Runes(r), err
}

// spent takes off the steps that the search has used, and turns its errors into the program's.
func (s *search) spent(err error) error {
	used := s.whole - s.budget
	if errors.Is(err, regex.ErrSteps) {
		used = s.whole + 1
	}
	s.whole = s.budget
	if e := s.t.step(used); e != nil {
		return e
	}
	switch {
	case errors.Is(err, regex.ErrStack), errors.Is(err, regex.ErrRoom):
		return s.t.OutOfMemory(math.MaxInt32)
	}
	return err
}

// exec searches once.
func (s *search) exec(mode regex.Mode) (Value, error) {
	m, err := s.prog.Exec(s.text, mode, s.pos, s.end, &s.budget)
	if err = s.spent(err); err != nil || m == nil {
		return none, err
	}
	return s.match(m)
}

// match makes the value of a match.
func (s *search) match(m *regex.Match) (Value, error) {
	n := m.Groups() + 1
	o := &ReMatch{pat: s.p, text: s.v, pos: int64(m.Pos), end: int64(m.End), last: int64(m.LastIndex), m: m, subject: &s.text}
	o.spans = make([]int64, 0, 2*n)
	for i := range n {
		b, e, _ := m.Span(i)
		o.spans = append(o.spans, int64(b), int64(e))
	}
	return Value{k: kSpecial, o: o, l: s.t.seen}, s.t.alloc(int64(n)*16 + 256)
}

// piece is a part of the text as a value.
func (s *search) piece(i, j int) (Value, error) {
	v, err := s.t.textPiece(&s.text, i, j)
	v.l = s.t.seen
	return v, err
}

func (t *Thread) textPiece(text *regex.Text, i, j int) (Value, error) {
	if text.IsBytes() {
		return t.bytes(text.Slice(i, j)), t.alloc(int64(j-i) + strBytes)
	}
	if j == i+1 {
		if r := text.At(i); r < 128 {
			return t.types.chars[r], nil
		}
	}
	return t.newStr(text.Slice(i, j))
}

// all finds all matches.
func (s *search) all() ([]*regex.Match, error) {
	ms, err := s.prog.FindAll(s.text, s.pos, s.end, &s.budget)
	if err = s.spent(err); err != nil {
		return nil, err
	}
	return ms, s.t.alloc(int64(len(ms)) * int64(s.prog.Groups()+2) * 16)
}
