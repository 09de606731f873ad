package tool

import (
	"strconv"
	"strings"
	"time"

	"praxis/internal/tool/jsondoc"
)

// Identifier returns the nearest name to s that plans and code can use: for what
// others named, such as the tools of a server. It is "" when s has nothing that
// a name could have.
func Identifier(s string) string {
	if len(s) > MaxName {
		s = s[:MaxName]
	}
	for range 4 {
		why, near := BadIdentifier(s)
		if why == "" {
			return s
		}
		s = near
	}
	return ""
}

// Bounds of what definitions say.
const (
	MaxName        = 128    // characters of a tool's name
	MaxDescription = 20_000 // characters
	MaxPrincipals  = 10_000
	MaxTimeout     = 30 * 24 * time.Hour
)

// BadIdentifier says why s cannot be a name in a plan, and the nearest that can.
func BadIdentifier(s string) (why, near string) {
	switch {
	case s == "":
		return "a name is empty", ""
	case len(s) > MaxName:
		return "longer than " + strconv.Itoa(MaxName) + " characters", ""
	case strings.HasPrefix(s, "__"):
		return "names that begin with two underscores are Python's", strings.TrimLeft(s, "_")
	case IsKeyword(s):
		return "a plan cannot use this word of Python as a name", s + "_"
	}
	ok := !(s[0] >= '0' && s[0] <= '9')
	fixed := []byte(s)
	for i := range fixed {
		if !jsondoc.IsAlnum(fixed[i]) && fixed[i] != '_' {
			ok, fixed[i] = false, '_'
		}
	}
	if ok {
		return "", ""
	}
	near = strings.Trim(string(fixed), "_")
	if near != "" && near[0] <= '9' {
		near = "n" + near
	}
	return "a name has letters, digits and underscores and does not begin with a digit", near
}

// IsKeyword says whether s is a word of Python that cannot be a name.
func IsKeyword(s string) bool {
	switch s {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
		"else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
		"pass", "raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}
