package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"praxis/internal/lazyregexp"
	"praxis/internal/llm"
)

// lenient reads JSON as models write it: with bare line breaks in strings, escapes that
// JSON does not know, commas before a bracket. Where that does not help, an object whose
// only text stands under one of names is read by its outermost quotes.
func lenient(raw string, names []string) (any, error) {
	var v any
	first := json.Unmarshal([]byte(raw), &v)
	if first == nil || json.Unmarshal([]byte(mended(raw)), &v) == nil {
		return v, nil
	}
	if m := onlyTextRE.FindStringSubmatch(raw); m != nil && slices.Contains(names, m[1]) {
		return map[string]any{m[1]: unescaped(m[2])}, nil
	}
	return nil, first
}

// onlyTextRE is an object with a single text, which may hold quotes that are not escaped.
var onlyTextRE = lazyregexp.New(`(?s)^\{\s*"([A-Za-z_]+)"\s*:\s*"(.*)"\s*,?\s*\}$`)

// mended writes what is plain in its meaning as JSON requires it: control characters
// inside strings, backslashes that escape nothing, and commas with nothing behind them.
func mended(raw string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '"':
			inside = !inside
		case !inside && c == ',' && ends(raw[i+1:]):
			continue
		case inside && c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		case inside && c == '\\':
			next, known := escape(raw[i+1:])
			b.WriteString(next)
			if known {
				i++
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// escape returns what a backslash before rest is written as, and whether it takes the
// next character with it.
func escape(rest string) (text string, known bool) {
	switch {
	case strings.HasPrefix(rest, "'"):
		return "'", true // a quote of Python's, which needs no escape here
	case rest == "" || !strings.ContainsRune(`"\/bfnrtu`, rune(rest[0])):
		return `\\`, false
	case rest[0] == 'u' && (len(rest) < 5 || strings.Trim(rest[1:5], "0123456789abcdefABCDEF") != ""):
		return `\\`, false
	}
	return `\` + rest[:1], true
}

// ends says that nothing but a closing bracket follows.
func ends(rest string) bool {
	for i := range len(rest) {
		switch rest[i] {
		case ' ', '\t', '\r', '\n':
		case '}', ']':
			return true
		default:
			return false
		}
	}
	return false
}

// unescaped reads the text between quotes, whatever stands in it.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			if at := strings.IndexByte(`nrt"\/'`, text[i+1]); at >= 0 {
				c = "\n\r\t\"\\/'"[at]
				i++
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// jsonProblem says what is wrong with JSON, and where.
func jsonProblem(raw string, err error) string {
	var syntax *json.SyntaxError
	switch {
	case raw == "":
		return "it is empty"
	case err == nil:
		return "it is encoded too often"
	case errors.As(err, &syntax) && syntax.Offset < int64(len(raw)):
		at := int(syntax.Offset)
		return fmt.Sprintf("%s at byte %d, after %q", err, at, strings.ToValidUTF8(raw[max(0, at-20):at], ""))
	case errors.Is(err, io.ErrUnexpectedEOF) || syntax != nil:
		return "its end is missing"
	}
	return err.Error()
}

var (
	templateRE  = lazyregexp.New(`(?is)^<(?:function=([\w.:-]+)|invoke name="([\w.:-]+)")>\s*(.*?)\s*</(?:function|invoke)>$`)
	parameterRE = lazyregexp.New(`(?is)<parameter(?:=([\w-]+)| name="([\w-]+)")>\n?(.*?)\n?</parameter>`)
)

// templateCall reads a call in the tags of a model's template.
func templateCall(text string) (llm.Call, bool) {
	m := templateRE.FindStringSubmatch(text)
	if m == nil {
		return llm.Call{}, false
	}
	c := llm.Call{Name: m[1] + m[2]}
	for _, p := range parameterRE.FindAllStringSubmatch(m[3], -1) {
		if c.Input == nil {
			c.Input = map[string]any{}
		}
		c.Input[strings.ToLower(p[1]+p[2])] = p[3]
	}
	if c.Input == nil {
		c.SetInput(m[3])
	}
	return c, true
}
