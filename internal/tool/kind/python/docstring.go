package python

import (
	"strings"
	"unicode"

	"praxis/internal/safetext"
)

// words are what a docstring says.
type words struct {
	text      string            // before the first section
	arguments map[string]string // by name
	returns   string
}

const maxDocstring = 100_000

// readDocstring reads a docstring in Google's, NumPy's or Sphinx's form.
func readDocstring(s string) words {
	w := words{arguments: map[string]string{}}
	if len(s) > maxDocstring {
		s = s[:maxDocstring]
	}
	lines := cleaned(strings.ToValidUTF8(s, "\uFFFD"))
	var text []string
	section := ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if name, n := heading(lines[i:]); n > 0 {
			body, used := block(lines[i+n:], n == 2)
			i += n + used - 1
			section = name
			switch kindOf(name) {
			case "arguments":
				w.take(body, n == 2)
			case "returns":
				w.returns = safetext.Clip(returned(body, n == 2), maxWords)
			}
			continue
		}
		if name, rest, ok := field(line); ok {
			body := []string{rest}
			for i+1 < len(lines) && indent(lines[i+1]) > 0 {
				i++
				body = append(body, strings.TrimSpace(lines[i]))
			}
			section = "fields"
			w.field(name, joined(body))
			continue
		}
		if section == "" {
			text = append(text, line)
		}
	}
	w.text = safetext.Clip(strings.TrimSpace(strings.Join(text, "\n")), maxWords)
	return w
}

// cleaned drops the indentation that all lines but the first share.
func cleaned(s string) []string {
	if strings.ContainsAny(s, "\r\t") {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "        ").Replace(s)
	}
	lines := strings.Split(s, "\n")
	least := -1
	for _, l := range lines[1:] {
		if strings.TrimSpace(l) != "" && (least < 0 || indent(l) < least) {
			least = indent(l)
		}
	}
	for i, l := range lines {
		if i == 0 {
			l = strings.TrimLeft(l, " ")
		} else if least > 0 {
			l = l[min(least, len(l)):]
		}
		lines[i] = strings.TrimRightFunc(l, unicode.IsSpace)
	}
	return lines
}

func indent(l string) int {
	if strings.TrimSpace(l) == "" {
		return 0
	}
	return len(l) - len(strings.TrimLeft(l, " "))
}

// kindOf says what a section is about; "" when its name is no section's.
func kindOf(name string) string {
	switch strings.ToLower(name) {
	case "args", "arguments", "parameters", "params", "other parameters", "keyword args", "keyword arguments", "attributes":
		return "arguments"
	case "returns", "return", "yields", "yield":
		return "returns"
	case "raises", "raise", "except", "exceptions", "example", "examples", "note", "notes", "warning", "warnings", "warns", "see also", "references", "todo", "usage":
		return "other"
	}
	return ""
}

// heading reports whether a section begins here, and how many lines its heading
// has: one in Google's form ("Args:"), two in NumPy's (underlined).
func heading(lines []string) (string, int) {
	if len(lines) > 1 && indent(lines[0]) == 0 && kindOf(lines[0]) != "" {
		if under := lines[1]; len(under) >= 3 && strings.Trim(under, "-") == "" {
			return lines[0], 2
		}
	}
	if name, ok := strings.CutSuffix(lines[0], ":"); ok && indent(lines[0]) == 0 && kindOf(name) != "" {
		return name, 1
	}
	return "", 0
}

// block returns the lines of a section and how many there are. In Google's form it
// ends before the next line that is not indented, in NumPy's before the next heading.
func block(lines []string, numpy bool) ([]string, int) {
	for i, l := range lines {
		if _, n := heading(lines[i:]); n > 0 {
			return lines[:i], i
		}
		if _, _, ok := field(l); ok {
			return lines[:i], i
		}
		if !numpy && l != "" && indent(l) == 0 {
			return lines[:i], i
		}
	}
	return lines, len(lines)
}

// take reads the arguments of a section.
func (w *words) take(body []string, numpy bool) {
	base := -1
	var names []string
	var text []string
	flush := func() {
		for _, name := range names {
			if t := joined(text); t != "" {
				w.arguments[name] = t
			}
		}
		names, text = nil, nil
	}
	for _, l := range body {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if base < 0 {
			base = indent(l)
		}
		if indent(l) > base {
			text = append(text, strings.TrimSpace(l))
			continue
		}
		flush()
		head, rest, found := cutColon(strings.TrimSpace(l))
		if !numpy && !found {
			continue
		}
		if !numpy {
			text = append(text, rest)
		}
		names = namesOf(head)
	}
	flush()
}

// cutColon cuts at the first colon outside of brackets.
func cutColon(s string) (string, string, bool) {
	depth := 0
	for i, c := range s {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ':':
			if depth <= 0 {
				return s[:i], strings.TrimSpace(s[i+1:]), true
			}
		}
	}
	return s, "", false
}

// namesOf reads "name", "name (type)" and "a, b".
func namesOf(head string) []string {
	head, _, _ = strings.Cut(head, "(")
	var out []string
	for name := range strings.SplitSeq(head, ",") {
		if name = strings.Trim(strings.TrimSpace(name), "*`"); name != "" && !strings.ContainsAny(name, " \t") {
			out = append(out, name)
		}
	}
	return out
}

// returned reads the section on the result. A type before the description is
// dropped where it can be recognised.
func returned(body []string, numpy bool) string {
	var lines []string
	for _, l := range body {
		lines = append(lines, strings.TrimSpace(l))
	}
	if numpy {
		for i, l := range body {
			if indent(l) > 0 {
				return joined(lines[i:])
			}
		}
		return joined(lines)
	}
	text := joined(lines)
	if head, rest, ok := cutColon(text); ok && rest != "" && !strings.ContainsAny(strings.ReplaceAll(head, ", ", ","), " ") {
		return rest
	}
	return text
}

// field reads a line of Sphinx's form: ":param int x: words".
func field(l string) (name, rest string, ok bool) {
	if !strings.HasPrefix(l, ":") {
		return "", "", false
	}
	name, rest, ok = strings.Cut(l[1:], ":")
	if !ok {
		return "", "", false
	}
	switch first, _, _ := strings.Cut(name, " "); first {
	case "param", "parameter", "arg", "argument", "key", "keyword", "return", "returns", "raise", "raises", "type", "rtype", "except", "exception", "yields", "var", "ivar", "cvar", "vartype", "meta":
		return name, strings.TrimSpace(rest), true
	}
	return "", "", false
}

func (w *words) field(name, text string) {
	parts := strings.Fields(name)
	switch parts[0] {
	case "param", "parameter", "arg", "argument", "key", "keyword", "ivar", "var":
		if len(parts) > 1 && text != "" {
			for _, n := range namesOf(parts[len(parts)-1]) {
				w.arguments[n] = text
			}
		}
	case "return", "returns", "yields":
		w.returns = text
	}
}

// joined makes one line of several.
func joined(lines []string) string {
	return safetext.Clip(strings.Join(strings.Fields(strings.Join(lines, " ")), " "), maxWords)
}
