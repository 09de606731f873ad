package regex

import (
	"slices"

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
		var buf [maxSame]rune
		for _, f := range foldings(buf[:0], r) {
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

func lowerASCII(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 0x20
	}
	return r
}

func inCategory(c category, r rune, unicode bool) bool {
	var ok bool
	switch c &^ 1 {
	case catDigit:
		if unicode {
			ok = isDigit(r)
		} else {
			ok = r >= '0' && r <= '9'
		}
	case catSpace:
		if unicode {
			ok = pytext.IsSpace(r)
		} else {
			ok = isASCIISpace(r)
		}
	case catWord:
		if unicode {
			ok = isWord(r)
		} else {
			ok = r < 0x80 && isASCIIWord(r)
		}
	}
	return ok != (c&1 != 0)
}

// latin holds the characters below 256 of the categories, as ASCII and as Unicode
// have them.
var latin = [2][catWord + 1][4]uint64{
	{
		catDigit: {0x3ff000000000000, 0, 0, 0},
		catSpace: {0x100003e00, 0, 0, 0},
		catWord:  {0x3ff000000000000, 0x7fffffe87fffffe, 0, 0},
	},
	{
		catDigit: {0x3ff000000000000, 0, 0, 0},
		catSpace: {0x1f0003e00, 0, 0x100000020, 0},
		catWord:  {0x3ff000000000000, 0x7fffffe87fffffe, 0x762c040000000000, 0xff7fffffff7fffff},
	},
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
	s.fillLow()
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

// fillLow computes the table of answers below 256. Where case does not matter
// it is made of whole words.
func (s *charset) fillLow() {
	for _, r := range s.ranges {
		for c := r.lo; c <= min(r.hi, 255); c++ {
			s.low[c>>6] |= 1 << (c & 63)
		}
	}
	u := 0
	if s.unicode {
		u = 1
	}
	for _, c := range s.cats {
		for i, w := range latin[u][c&^1] {
			if c&1 != 0 {
				w = ^w
			}
			s.low[i] |= w
		}
	}
	if s.not {
		for i := range s.low {
			s.low[i] = ^s.low[i]
		}
	}
	if s.mode == exact {
		return
	}
	for r := range rune(256) {
		if isASCIILetter(r) || r >= 0x80 && s.mode == foldUnicode {
			s.low[r>>6] &^= 1 << (r & 63)
			if s.compute(r) {
				s.low[r>>6] |= 1 << (r & 63)
			}
		}
	}
}

// alone gives the only character that a set has, whatever the case; ok is false
// if it has none or several.
func (s *charset) alone() (rune, bool) {
	if s.not || len(s.cats) > 0 || len(s.ranges) != 1 || s.ranges[0].lo != s.ranges[0].hi {
		return 0, false
	}
	r := s.ranges[0].lo
	switch s.mode {
	case foldUnicode:
		var buf [maxSame]rune
		return r, len(foldings(buf[:0], r)) == 1
	case foldASCII:
		return r, !isASCIILetter(r)
	}
	return r, true
}
