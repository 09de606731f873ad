package python

import (
	"strings"

	"praxis/internal/lazyregexp"
)

// command is the beginning of a statement that is a notebook's and no Python: a command of
// its interpreter, one for a shell, either of them whose output gets a name, or a question
// about a name.
var command = lazyregexp.New(`^(?:%%?[A-Za-z_]|!|\?|[A-Za-z_][\w.,\[\] ]*=[ \t]*(?:%[A-Za-z_]|!)|[A-Za-z_][\w.]*\?\??[ \t\r]*(?:\n|$))`)

// needless is a command without which code comes to the same here: figures are shown by
// themselves, modules do not change while the cells run, and how long each took is recorded.
var needless = lazyregexp.New(`^(?:%matplotlib(?:\s+(?:inline|notebook|widget|ipympl))?|%load_ext\s+autoreload|%autoreload(?:\s+\w+)?|%config\s+(?:InlineBackend|IPCompleter|Completer)\..*|%%time)\s*$`)

// cellCode returns the code of a notebook's cell. Commands that change nothing here are
// made comments; line and text are the first of the others, 0 where there is none.
func cellCode(source string) (code string, line int, text string) {
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
		if !needless.MatchString(text) {
			return source, 1 + strings.Count(source[:s.pos], "\n"), strings.TrimSpace(text)
		}
		b.WriteString(source[from:s.pos])
		if s.pos > 0 && source[s.pos-1] != '\n' {
			b.WriteString("pass  ") // a block must not lose its only statement
		}
		b.WriteString("# ")
		from = s.pos
		s.add(comment, s.pos+len(text))
	}
	return b.String() + source[from:], 0, ""
}

// line returns what the line that was just ended had last, and whether there is one.
func (s *scan) line() (last string, ends bool) {
	i := len(s.tokens) - 1
	if i < 0 || s.tokens[i].kind != newline {
		return "", false
	}
	for i--; i >= 0 && last == ""; i-- { // a carriage return is nothing
		last = strings.TrimRight(s.tokens[i].text, "\r")
	}
	return last, true
}
