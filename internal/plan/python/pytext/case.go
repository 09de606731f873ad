package pytext

import "unicode/utf8"

const flagCased = flagUpper | flagLower | flagTitle

// appendMapped appends what a mapping of the record makes of r.
func appendMapped(dst []byte, r rune, rec record, by mapping) []byte {
	if rec.flags()&flagSpecial == 0 {
		return utf8.AppendRune(dst, r+rec.mapped(by))
	}
	for _, m := range special(rec.mapped(by)) {
		if m != 0 {
			dst = utf8.AppendRune(dst, m)
		}
	}
	return dst
}

// asciiCase returns s with the letters from first to first+25 in the other
// case, and whether s is ASCII. It returns s itself when nothing changes.
func asciiCase(s string, first byte) (string, bool) {
	change := -1
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return "", false
		}
		if change < 0 && s[i]-first < 26 {
			change = i
		}
	}
	if change < 0 {
		return s, true
	}
	out := []byte(s)
	for i := change; i < len(out); i++ {
		if out[i]-first < 26 {
			out[i] ^= 0x20
		}
	}
	return string(out), true
}

// convert makes a string of what f appends for each character, which is r at s[i].
func convert(s string, f func(dst []byte, i int, r rune) []byte) string {
	out := make([]byte, 0, len(s)+8)
	for i, r := range s {
		out = f(out, i, r)
	}
	return string(out)
}

// Upper is str.upper.
func Upper(s string) string {
	if out, ok := asciiCase(s, 'a'); ok {
		return out
	}
	return convert(s, func(dst []byte, _ int, r rune) []byte { return appendMapped(dst, r, recordOf(r), upper) })
}

// Lower is str.lower; a sigma that ends a word becomes a final one.
func Lower(s string) string {
	if out, ok := asciiCase(s, 'A'); ok {
		return out
	}
	return convert(s, func(dst []byte, i int, r rune) []byte { return appendLower(dst, s, i, r) })
}

// appendLower appends the lower case of r, the character at s[i].
func appendLower(dst []byte, s string, i int, r rune) []byte {
	if r == 'Σ' {
		if finalSigma(s, i) {
			return append(dst, "ς"...)
		}
		return append(dst, "σ"...)
	}
	return appendMapped(dst, r, recordOf(r), lower)
}

// finalSigma reports whether the sigma at s[i] has a cased letter before it
// and none after it, looking past what is ignorable.
func finalSigma(s string, i int) bool {
	cased := false
	for j := i; j > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:j])
		j -= n
		if flags := recordOf(r).flags(); flags&flagIgnorable == 0 {
			cased = flags&flagCased != 0
			break
		}
	}
	if !cased {
		return false
	}
	for _, r := range s[i+len("Σ"):] {
		if flags := recordOf(r).flags(); flags&flagIgnorable == 0 {
			return flags&flagCased == 0
		}
	}
	return true
}

// Title is str.title.
func Title(s string) string {
	inWord := false
	return convert(s, func(dst []byte, i int, r rune) []byte {
		rec, inside := recordOf(r), inWord
		if inWord = rec.flags()&flagCased != 0; inside {
			return appendLower(dst, s, i, r)
		}
		return appendMapped(dst, r, rec, title)
	})
}

// Capitalize is str.capitalize.
func Capitalize(s string) string {
	return convert(s, func(dst []byte, i int, r rune) []byte {
		if i > 0 {
			return appendLower(dst, s, i, r)
		}
		return appendMapped(dst, r, recordOf(r), title)
	})
}

// SwapCase is str.swapcase.
func SwapCase(s string) string {
	return convert(s, func(dst []byte, i int, r rune) []byte {
		switch rec := recordOf(r); {
		case rec.flags()&flagUpper != 0:
			return appendLower(dst, s, i, r)
		case rec.flags()&flagLower != 0:
			return appendMapped(dst, r, rec, upper)
		}
		return utf8.AppendRune(dst, r)
	})
}

// CaseFold is str.casefold.
func CaseFold(s string) string {
	if out, ok := asciiCase(s, 'A'); ok {
		return out
	}
	return convert(s, func(dst []byte, _ int, r rune) []byte { return appendMapped(dst, r, recordOf(r), fold) })
}
