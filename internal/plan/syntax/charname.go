package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// maxCharName bounds the names that are looked up; the longest has 88 bytes.
const maxCharName = 128

// characterNamed finds the character with a Unicode name, as `\N{…}` writes it.
func (p *parser) characterNamed(name string) (rune, bool) {
	if len(name) > maxCharName {
		return 0, false
	}
	name = strings.ToUpper(name)
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		r := rune(n)
		return r, err == nil && len(hex) >= 4 && len(hex) <= 5 && unicode.Is(unicode.Unified_Ideograph, r) && fmt.Sprintf("%04X", r) == hex
	}
	if syllable, ok := strings.CutPrefix(name, "HANGUL SYLLABLE "); ok {
		return hangul(syllable)
	}
	if p.charNames == nil {
		p.charNames = charNames()
	}
	r, ok := p.charNames[name]
	return r, ok
}

// charNames maps the names to their characters. Building it takes some tens
// of milliseconds, which only programs with a `\N{…}` pay.
func charNames() map[string]rune {
	names := make(map[string]rune, 40000)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r < 0xF900 || r >= 0x20000 && r < 0xE0000 && (r < 0x2F800 || r > 0x2FA20) {
			continue // ideographs, syllables, surrogates, private use
		}
		if n := runenames.Name(r); n != "" && n[0] != '<' {
			names[n] = r
		}
	}
	for line := range strings.Lines(charAliases) {
		code, alias, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, _ := strconv.ParseUint(code, 16, 32)
		names[alias] = rune(n)
	}
	return names
}

// hangul finds a syllable by the short names of its letters.
func hangul(s string) (rune, bool) {
	lead, rest, ok := longest(s, hangulLead[:])
	if !ok {
		return 0, false
	}
	vowel, rest, ok := longest(rest, hangulVowel[:])
	if !ok {
		return 0, false
	}
	for i, t := range hangulTail {
		if t == rest {
			return rune(0xAC00 + (lead*len(hangulVowel)+vowel)*len(hangulTail) + i), true
		}
	}
	return 0, false
}

// longest finds the longest of names that s begins with.
func longest(s string, names []string) (int, string, bool) {
	best := -1
	for i, n := range names {
		if strings.HasPrefix(s, n) && (best < 0 || len(n) > len(names[best])) {
			best = i
		}
	}
	if best < 0 {
		return 0, s, false
	}
	return best, s[len(names[best]):], true
}

// The short names of the letters of Hangul, from Unicode's Jamo.txt.
var (
	hangulLead  = [...]string{"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"}
	hangulVowel = [...]string{"A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE", "WI", "YU", "EU", "YI", "I"}
	hangulTail  = [...]string{"", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M", "B", "BS", "S", "SS", "NG", "J", "C", "K", "T", "P", "H"}
)
