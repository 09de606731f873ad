package jsondoc

import (
	"strings"
	"unicode"
)

// Quote writes s for a message: in double quotes, cut when it is long.
func Quote(s string) string { return `"` + Clip(s, 80) + `"` }

// Clip is cut, and writes quotes and control characters as escapes.
func Clip(s string, n int) string {
	quoted := appendString(nil, Cut(s, n))
	return string(quoted[1 : len(quoted)-1])
}

// Cut cuts s to n characters for a message.
func Cut(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// OneLine is cut, with control characters as spaces: for text that is shown as it is.
func OneLine(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, Cut(s, n))
}
