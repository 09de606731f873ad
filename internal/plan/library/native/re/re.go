// Package re has what module re does in Go: patterns, matches and what can be done
// with them, over the engine of [praxis/internal/plan/python/regex].
package re

import (
	"errors"
	"math"

	"praxis/internal/plan/python/regex"
	"praxis/internal/plan/value"
)

// Pattern is a compiled regular expression.
type Pattern struct {
	src   value.Value // what it was compiled from
	flags int64       // as they were given
	prog  *regex.Program
}

func (*Pattern) Class(t *value.Thread) *value.Class { return t.Types.RePattern }

// Walk gives the memory account what the pattern holds.
func (p *Pattern) Walk(f func(value.Value)) int64 {
	f(p.src)
	return 1024
}

// Match is a match of a regular expression.
type Match struct {
	*regex.Match
	pat  *Pattern
	v    value.Value // that was searched
	text regex.Text
}

func (*Match) Class(t *value.Thread) *value.Class { return t.Types.ReMatch }

// Walk gives the memory account what the match holds.
func (m *Match) Walk(f func(value.Value)) int64 {
	f(m.v)
	f(value.Value{Kind: value.KSpecial, Obj: m.pat})
	return int64(m.Groups()+1)*24 + 64
}

// maxRegexes bounds how many compiled patterns a VM keeps.
const maxRegexes = 256

// compiled returns what a pattern is compiled to; it keeps it.
func compiled(t *value.Thread, p *Pattern) (*regex.Program, error) {
	if p.prog != nil {
		return p.prog, nil
	}
	key := value.RegexKey{Text: p.src.Obj.(*value.Str).Text, Flags: p.flags}
	if p.prog = t.Regexes[key]; p.prog != nil {
		return p.prog, nil
	}
	if err := t.Step(int64(len(key.Text)) * 8); err != nil {
		return nil, err
	}
	prog, fail := regex.Compile(regex.Str(key.Text), regex.Flags(p.flags))
	if fail != nil {
		return nil, regexError(t, fail, p.src)
	}
	if len(t.Regexes) >= maxRegexes {
		clear(t.Regexes)
	}
	if t.Regexes == nil {
		t.Regexes = map[value.RegexKey]*regex.Program{}
	}
	t.Regexes[key] = prog
	p.prog = prog
	return prog, t.Alloc(int64(len(key.Text))*64 + 1024)
}

// regexError makes an exception of an error of package regex.
func regexError(t *value.Thread, e *regex.Error, src value.Value) error {
	t.See(src.Label)
	m, err := t.Import("re")
	if err != nil {
		return err
	}
	cls, _ := m.Names.Str("PatternError")
	v, err := t.Call(cls, []value.Value{t.Str(e.Msg), src, value.Int(int64(e.Pos))}, nil, nil)
	if err != nil {
		return err
	}
	return &value.Raise{Exc: v.Obj.(*value.Exception), Label: t.Seen}
}

// pattern reads the argument that is a pattern, or the text of one.
func pattern(t *value.Thread, v, flags value.Value) (*Pattern, error) {
	f := int64(0)
	if flags.Kind != value.KUnset {
		n, err := t.Index(flags)
		if err != nil {
			return nil, err
		}
		if f = n.N; n.Kind == value.KBig {
			f = math.MaxInt32
		}
	}
	if p, ok := v.Obj.(*Pattern); ok {
		t.See(p.src.Label)
		if f != 0 {
			return nil, t.Raise(t.Types.ValueError, "cannot process flags argument with a compiled pattern")
		}
		_, err := compiled(t, p)
		return p, err
	}
	src := t.Base(v)
	if src.Kind != value.KStr {
		return nil, t.Raise(t.Types.TypeError, "first argument must be string or compiled pattern")
	}
	t.See(src.Label)
	p := &Pattern{src: src, flags: f & 0xFFFFFFFF}
	_, err := compiled(t, p)
	return p, err
}

// search is one use of a pattern on a text.
type search struct {
	t        *value.Thread
	p        *Pattern
	prog     *regex.Program
	v        value.Value // the text
	text     regex.Text
	pos, end int
	budget   int64
	whole    int64 // the budget at the beginning
}

// newSearch prepares the search of a text; pos and end may be unset.
func newSearch(t *value.Thread, p *Pattern, v, pos, end value.Value) (*search, error) {
	s := &search{t: t, p: p, v: t.Base(v), end: math.MaxInt}
	var err error
	if s.prog, err = compiled(t, p); err != nil {
		return nil, err
	}
	t.See(v.Label)
	switch s.v.Kind {
	case value.KStr:
	case value.KBytes:
		return nil, t.Raise(t.Types.TypeError, "cannot use a string pattern on a bytes-like object")
	default:
		return nil, t.Raise(t.Types.TypeError, "expected string or bytes-like object, got '%s'", t.ClassName(v))
	}
	if s.text, err = subject(t, s.v); err != nil {
		return nil, err
	}
	for i, x := range [...]value.Value{pos, end} {
		if x.Kind == value.KUnset {
			continue
		}
		n, err := t.Index(x)
		if err != nil {
			return nil, err
		}
		if n.Kind == value.KBig {
			n.N = int64(value.ToBig(n).Sign()) * math.MaxInt64
		}
		at := int(min(max(n.N, 0), int64(s.text.Len())))
		if i == 0 {
			s.pos = at
		} else {
			s.end = at
		}
	}
	s.whole = max(t.Steps, 0) + t.StepsLeft
	s.budget = s.whole
	return s, nil
}

// subject is a str as package regex reads it.
func subject(t *value.Thread, v value.Value) (regex.Text, error) {
	s := v.Obj.(*value.Str)
	if value.IsASCII(s) {
		return regex.Str(s.Text), nil
	}
	r, err := t.RunesOf(s)
	return regex.Runes(r), err
}

// spent takes off the steps that the search has used, and turns its errors into the program's.
func (s *search) spent(err error) error {
	used := s.whole - s.budget
	if errors.Is(err, regex.ErrSteps) {
		used = s.whole + 1
	}
	s.whole = s.budget
	if e := s.t.Step(used); e != nil {
		return e
	}
	switch {
	case errors.Is(err, regex.ErrStack), errors.Is(err, regex.ErrTooLarge):
		return s.t.OutOfMemory(math.MaxInt32)
	}
	return err
}

// exec searches once.
func (s *search) exec(mode regex.Mode) (value.Value, error) {
	m, err := s.prog.Exec(s.text, mode, s.pos, s.end, &s.budget)
	if err = s.spent(err); err != nil || m == nil {
		return value.None, err
	}
	return s.match(m)
}

// match makes the value of a match.
func (s *search) match(m *regex.Match) (value.Value, error) {
	o := &Match{Match: m, pat: s.p, v: s.v, text: s.text}
	return value.Value{Kind: value.KSpecial, Obj: o, Label: s.t.Seen}, s.t.Alloc(int64(m.Groups()+1)*16 + 256)
}

// piece is a part of the text as a value.
func (s *search) piece(i, j int) (value.Value, error) {
	v, err := textPiece(s.t, s.text, i, j)
	v.Label = s.t.Seen
	return v, err
}

func textPiece(t *value.Thread, text regex.Text, i, j int) (value.Value, error) {
	if j == i+1 {
		if r := text.At(i); r < 128 {
			return t.Types.Chars[r], nil
		}
	}
	return t.NewStr(text.Slice(i, j))
}

// all finds all matches.
func (s *search) all() ([]*regex.Match, error) {
	ms, err := s.prog.FindAll(s.text, s.pos, s.end, &s.budget)
	if err = s.spent(err); err != nil {
		return nil, err
	}
	return ms, s.t.Alloc(int64(len(ms)) * int64(s.prog.Groups()+2) * 16)
}
