package safetext

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Odd describes the characters of a text that are not what they seem, each once, in
// their order: those that show nothing of themselves or turn the text beside them
// around, blanks that are no plain blank, wide forms of ASCII, and letters of other
// alphabets that look like Latin ones, in words where they can be mistaken for them.
// Words that are wholly of another alphabet are not odd, unless they have
// four letters or more and each looks Latin. What is behind the first 256 KiB is not looked at.
func Odd(s string) []string {
	var out []string
	s = Clip(s, maxOdd)
	add := func(r rune, what string) {
		if line := fmt.Sprintf("U+%04X %s", r, what); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	for _, word := range strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return r == ' ' || r == '\n' }) {
		mixed := mistakable(word)
		for _, r := range word {
			switch like := lookalike(r); {
			case r < ' ' && r != '\t':
				add(r, "is a control character")
			case r < 0x7f:
			case Hidden(r) || r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f:
				add(r, "is invisible: "+hiddenName(r))
			case r == 0xa0 || r == 0x2007 || r == 0x202f:
				add(r, "is a blank at which no line is broken")
			case unicode.Is(unicode.Zs, r):
				add(r, "is a blank of an unusual width")
			case r >= 0xff01 && r <= 0xff5e:
				add(r, fmt.Sprintf("is the wide form of %q", r-0xff01+'!'))
			case mixed && like != 0:
				add(r, fmt.Sprintf("is a %s letter that looks like %q", alphabet(r), like))
			case mixed && alphabet(r) != "":
				add(r, fmt.Sprintf("is a %s letter in a word with Latin ones", alphabet(r)))
			}
		}
	}
	return out
}

const maxOdd = 256 << 10

// mistakable says whether a word has letters of another alphabet that can be taken for
// Latin ones. What stands between signs, as in a name of a host, is a word of its own.
func mistakable(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) && !Hidden(r) }) {
		latin, other, alike := 0, 0, 0
		for _, r := range word {
			switch {
			case lookalike(r) != 0:
				alike++
				other++
			case alphabet(r) != "":
				other++
			case unicode.Is(unicode.Latin, r):
				latin++
			}
		}
		if other > 0 && latin > 0 || alike > 3 && alike == other {
			return true
		}
	}
	return false
}

// alphabet names the alphabets whose letters are taken for Latin ones.
func alphabet(r rune) string {
	switch {
	case unicode.Is(unicode.Cyrillic, r):
		return "Cyrillic"
	case r != 'µ' && unicode.Is(unicode.Greek, r):
		return "Greek"
	case unicode.Is(unicode.Armenian, r):
		return "Armenian"
	case unicode.Is(unicode.Cherokee, r):
		return "Cherokee"
	}
	return ""
}

// lookalike returns the Latin letter that a letter of another alphabet looks like, or 0.
// The pairs are those of Unicode's confusables that common typefaces draw alike.
func lookalike(r rune) rune {
	const others = "аеорсухѕіјԁԛԝһӏүАВЕКМНОРСТХУЅІЈԚԜҺӀ" + "ονιαρυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "օսոհցքՕՍԼ" + "ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ"
	const latin = "aeopcyxsijdqwhlyABEKMHOPCTXYSIJQWHI" + "oviapukABEZHIKMNOPTYX" + "ounhgpOUL" + "ABCDEHJKLMPRSTVWZ"
	if r < 0x370 {
		return 0
	}
	i := 0
	for _, o := range others {
		if o == r {
			return rune(latin[i])
		}
		i++
	}
	return 0
}

// hiddenName says what an invisible character does.
func hiddenName(r rune) string {
	switch {
	case r == 0xad:
		return "a soft hyphen"
	case r == 0x200c || r == 0x200d || r == 0x34f || r == 0x2060:
		return "a joiner"
	case r == 0x200b || r == 0xfeff:
		return "a blank without width"
	case r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return "it changes the direction of the text"
	case r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef:
		return "it selects a variant of a character"
	case r >= 0xe0000 && r <= 0xe007f:
		return "a tag"
	case r < 0xa0:
		return "a control character"
	}
	return "it shows nothing of itself"
}
