package grounding

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// What JSON writes as escapes is read as the value that it is: a figure must not hide in
// "\u0034711", nor behind the n of "\n4711".

var (
	escapeRE = lazyregexp.New(`\\(?:u[0-9a-fA-F]{4}|.)`)
	fenceRE  = lazyregexp.New("(?s)^```(?:[\\w-]*[ \t]*\r?\n|json)?(.*?)(?:```)?$")
)

// Unfenced is the text within the one block of code that a text is, or the text. The value
// may stand in the line of the fence, and the end of the block may be missing.
func Unfenced(text string) string {
	text = strings.TrimSpace(text)
	if m := fenceRE.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1])
	}
	return text
}

// escaped says that a text is a JSON value, within a fence or not, with escapes in it.
func escaped(text string) bool {
	return strings.Contains(text, `\`) && json.Valid([]byte(Unfenced(text)))
}

// withoutEscapes returns the text with the escapes of JSON blanked out, if it is JSON.
func withoutEscapes(text string) string {
	if !escaped(text) {
		return text
	}
	return hide(text, escapeRE)
}

// unescaped writes the characters of a JSON value that need no escape as they are.
func unescaped(text string) string {
	return escapeRE.ReplaceAllStringFunc(text, func(escape string) string {
		if escape[1] == '/' {
			return "/"
		}
		if escape[1] != 'u' {
			return escape
		}
		n, err := strconv.ParseUint(escape[2:], 16, 16)
		r := rune(n)
		if err != nil || r < ' ' || r == '"' || r == '\\' || r == mask || !unicode.IsPrint(r) || safetext.Line(string(r)) != string(r) {
			return escape
		}
		return string(r)
	})
}
