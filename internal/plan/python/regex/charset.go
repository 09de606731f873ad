package regex

import (
	"slices"
	"unicode"

	"praxis/internal/plan/python/pytext"
)

// caseMode says how a set compares.
type caseMode uint8

const (
	exact caseMode = iota
	foldUnicode
	foldASCII
)

// charset is a compiled set of characters.
type charset struct {
	low     [4]uint64 // the answers below 256
	high    bool      // some character above may be in it
	not     bool
	mode    caseMode
	unicode bool // categories are Unicode's
	ranges  []span
	cats    []category
}

// has reports whether r is in the set.
func (s *charset) has(r rune) bool {
	if r < 256 {
		return s.low[r>>6]&(1<<(r&63)) != 0
	}
	return s.high && s.compute(r)
}

// compute is has without the table.
func (s *charset) compute(r rune) bool {
	return s.matches(r) != s.not
}

// matches reports whether r is among the items. Items that are not categories match
// it in any of its cases.
func (s *charset) matches(r rune) bool {
	if s.contains(r) {
		return true
	}
	switch s.mode {
	case foldASCII:
		if r < 0x80 && isASCIILetter(r) {
			return isIn(s.ranges, r^0x20)
		}
	case foldUnicode:
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if isIn(s.ranges, f) {
				return true
			}
		}
	}
	return false
}

// contains reports whether r itself is among the items.
func (s *charset) contains(r rune) bool {
	if isIn(s.ranges, r) {
		return true
	}
	for _, c := range s.cats {
		if inCategory(c, r, s.unicode) {
			return true
		}
	}
	return false
}

func inCategory(c category, r rune, wide bool) bool {
	var ok bool
	switch c &^ 1 {
	case catDigit:
		ok = (wide || r < 0x80) && pytext.DecimalValue(r) >= 0
	case catSpace:
		ok = wide && pytext.IsSpace(r) || isASCIISpace(r)
	case catWord:
		ok = (wide || r < 0x80) && isWord(r)
	}
	return ok != (c&1 != 0)
}

// newCharset makes a set of the items of a node under some flags.
func newCharset(items []item, not bool, flags Flags) *charset {
	s := &charset{not: not, mode: modeOf(flags), unicode: flags&Unicode != 0}
	for _, it := range items {
		if it.cat == noCategory {
			s.ranges = append(s.ranges, span{it.lo, it.hi})
		} else if !slices.Contains(s.cats, it.cat) {
			s.cats = append(s.cats, it.cat)
		}
	}
	s.ranges = merge(s.ranges)
	for r := range rune(256) {
		if s.compute(r) {
			s.low[r>>6] |= 1 << (r & 63)
		}
	}
	s.high = not || len(s.cats) > 0 || s.mode == foldUnicode
	if n := len(s.ranges); n > 0 && s.ranges[n-1].hi >= 256 {
		s.high = true
	}
	return s
}

func modeOf(flags Flags) caseMode {
	switch {
	case flags&IgnoreCase == 0:
		return exact
	case flags&Unicode != 0:
		return foldUnicode
	}
	return foldASCII
}

// merge sorts ranges and joins those that touch.
func merge(rs []span) []span {
	slices.SortFunc(rs, func(a, b span) int { return int(a.lo - b.lo) })
	out := rs[:0]
	for _, r := range rs {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// alone reports whether a set of one character has no other, whatever the case.
func (s *charset) alone() bool {
	r := s.ranges[0].lo
	if s.mode == foldUnicode {
		return unicode.SimpleFold(r) == r
	}
	return !isASCIILetter(r)
}
