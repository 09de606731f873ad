package grounding

import "unicode"

// normalized is a text whose digits of every script are European ones. at gives, for
// each byte, the byte of the original text that it comes from; nil: the same.
type normalized struct {
	text string
	at   []int
}

// normalize replaces digits such as those of Arabic, Devanagari or full-width text, and
// the Arabic separators. A false figure would pass unread in them otherwise.
func normalize(text string) normalized {
	foreign := false
	for _, r := range text {
		if r > unicode.MaxLatin1 && european(r) != 0 {
			foreign = true
			break
		}
	}
	if !foreign {
		return normalized{text: text}
	}
	var out []byte
	var at []int
	for i, r := range text {
		if c := european(r); c != 0 {
			out, at = append(out, c), append(at, i)
			continue
		}
		for k, c := range []byte(string(r)) {
			out, at = append(out, c), append(at, i+k)
		}
	}
	return normalized{string(out), append(at, len(text))}
}

// european returns the ASCII digit or separator that a rune stands for, or 0.
func european(r rune) byte {
	switch {
	case r < unicode.MaxLatin1:
		return 0
	case r == '٫' || r == '．':
		return '.'
	case r == '٬' || r == '，':
		return ','
	case r == '％' || r == '٪':
		return '%'
	case !unicode.Is(unicode.Nd, r):
		return 0
	}
	// The digits of a script are ten runes in a row that begin with its zero.
	for _, in := range unicode.Nd.R16 {
		if lo := rune(in.Lo); r >= lo && r <= rune(in.Hi) {
			return byte('0' + (r-lo)%10)
		}
	}
	for _, in := range unicode.Nd.R32 {
		if lo := rune(in.Lo); r >= lo && r <= rune(in.Hi) {
			return byte('0' + (r-lo)%10)
		}
	}
	return 0
}

// original returns where a byte of the normalized text stands in the original one.
func (n normalized) original(i int) int {
	if n.at == nil {
		return i
	}
	return n.at[i]
}
