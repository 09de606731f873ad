package python

import (
	"regexp"
	"strings"
)

// assigned is a command of a notebook whose output gets a name.
var assigned = regexp.MustCompile(`^([A-Za-z_][\w.,\[\] ]*=[ \t]*)([%!])(.*)$`)

// Interactive returns the code that an interpreter for people would run of a cell: indentation that all
// of it has is taken off, and commands, such as !ls or %cd, become calls that rich.py
// answers. Lines keep their numbers. Code without them is returned as it is.
func Interactive(source string) string {
	source = dedent(source)
	if body, ok := strings.CutPrefix(strings.TrimLeft(source, "\n"), "%%"); ok {
		line, rest, _ := strings.Cut(body, "\n")
		if needless.MatchString("%%" + strings.TrimRight(line, " \t\r")) {
			return "#\n" + rest
		}
		return call("%%", line) + quote(rest) + ")"
	}
	s := &scan{src: source, fresh: true}
	var b strings.Builder
	from, begins := 0, true // what is not in b yet; no statement goes on in this line
	for s.pos < len(source) {
		if before, ends := s.line(); ends {
			begins = s.open.brackets == 0 && before != "\\"
		}
		rest := source[s.pos:]
		if !s.fresh || !begins || !command.MatchString(rest) {
			s.next()
			continue
		}
		text, _, _ := strings.Cut(rest, "\n")
		made := commandCall(strings.TrimRight(text, " \t\r"))
		if made == "" {
			s.next()
			continue
		}
		b.WriteString(source[from:s.pos])
		b.WriteString(made)
		from = s.pos + len(text)
		s.add(comment, from)
	}
	return b.String() + source[from:]
}

// commandCall is the call for a command, "" for what is none that has one.
func commandCall(text string) string {
	if m := assigned.FindStringSubmatch(text); m != nil {
		return m[1] + call(m[2]+"=", m[3]) + `"")`
	}
	if word := text[:1]; word == "!" || word == "%" {
		return call(word, text[1:]) + `"")`
	}
	return ""
}

// call begins a call for a command.
func call(word, text string) string {
	return `__import__("_praxis").command(` + quote(word) + ", " + quote(strings.TrimSpace(text)) + ", "
}

// dedent takes the indentation of the first line that has text off all lines.
func dedent(source string) string {
	indent := ""
	for line := range strings.Lines(source) {
		if text := strings.TrimLeft(line, " \t"); strings.TrimSpace(text) != "" {
			indent = line[:len(line)-len(text)]
			break
		}
	}
	if indent == "" {
		return source
	}
	var b strings.Builder
	for line := range strings.Lines(source) {
		b.WriteString(strings.TrimPrefix(line, indent))
	}
	return b.String()
}
