package pytext

import "unicode/utf8"

const flagCased = flagUpper | flagLower | flagTitle

// appendMapped appends what a mapping of the record makes of r.
func appendMapped(dst []byte, r rune, rec record, by mapping) []byte {
	if rec.flags()&flagSpecial == 0 {
		return AppendRune(dst, r+rec.mapped(by))
	}
	for _, m := range special(rec.mapped(by)) {
		if m != 0 {
			dst = AppendRune(dst, m)
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

// Upper is str.upper.
func Upper(s string) string {
	if out, ok := asciiCase(s, 'a'); ok {
		return out
	}
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		rec := recordOf(r)
		out = appendMapped(out, r, rec, upper)
		i += n
	}
	return string(out)
}

// Lower is str.lower; a sigma that ends a word becomes a final one.
func Lower(s string) string {
	if out, ok := asciiCase(s, 'A'); ok {
		return out
	}
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		out = appendLower(out, s, i, r)
		i += n
	}
	return string(out)
}

// appendLower appends the lower case of r, the character at s[i].
func appendLower(dst []byte, s string, i int, r rune) []byte {
	if r == 'Σ' {
		if finalSigma(s, i) {
			return append(dst, "ς"...)
		}
		return append(dst, "σ"...)
	}
	rec := recordOf(r)
	return appendMapped(dst, r, rec, lower)
}

// finalSigma reports whether the sigma at s[i] has a cased letter before it
// and none after it, looking past what is ignorable.
func finalSigma(s string, i int) bool {
	cased := false
	for j := i; j > 0; {
		r, n := DecodeLastRune(s[:j])
		j -= n
		if flags := recordOf(r).flags(); flags&flagIgnorable == 0 {
			cased = flags&flagCased != 0
			break
		}
	}
	if !cased {
		return false
	}
	for j := i + len("Σ"); j < len(s); {
		r, n := DecodeRune(s[j:])
		j += n
		if flags := recordOf(r).flags(); flags&flagIgnorable == 0 {
			return flags&flagCased == 0
		}
	}
	return true
}

// Title is str.title.
func Title(s string) string {
	out := make([]byte, 0, len(s)+8)
	inWord := false
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		rec := recordOf(r)
		if inWord {
			out = appendLower(out, s, i, r)
		} else {
			out = appendMapped(out, r, rec, title)
		}
		inWord = rec.flags()&flagCased != 0
		i += n
	}
	return string(out)
}

// Capitalize is str.capitalize.
func Capitalize(s string) string {
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		if i == 0 {
			rec := recordOf(r)
			out = appendMapped(out, r, rec, title)
		} else {
			out = appendLower(out, s, i, r)
		}
		i += n
	}
	return string(out)
}

// SwapCase is str.swapcase.
func SwapCase(s string) string {
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		switch rec := recordOf(r); {
		case rec.flags()&flagUpper != 0:
			out = appendLower(out, s, i, r)
		case rec.flags()&flagLower != 0:
			out = appendMapped(out, r, rec, upper)
		default:
			out = AppendRune(out, r)
		}
		i += n
	}
	return string(out)
}

// CaseFold is str.casefold.
func CaseFold(s string) string {
	if out, ok := asciiCase(s, 'A'); ok {
		return out
	}
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		rec := recordOf(r)
		out = appendMapped(out, r, rec, fold)
		i += n
	}
	return string(out)
}
