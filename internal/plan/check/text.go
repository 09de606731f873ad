package check

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown bounds how much of a line of the source is shown.
const maxShown = 160

// Of returns the result for a program's text, which it was read without. What it says of
// places that are not in the text is shown without them.
func (r *Result) Of(source []byte) *Result {
	out := *r
	out.source = source
	return &out
}

// Text returns the findings for people: each with the line it is about, carets
// below, and the path that data take.
func (r *Result) Text() string {
	var b strings.Builder
	lines := newLines(r.source)
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s\n", clean(r.Name), f.Line, lines.col(f.Line, f.Col), f.Level, clean(f.Message))
		lines.show(&b, f)
		for _, p := range f.Paths {
			fmt.Fprintf(&b, "  %s reaches %s:\n", clean(p.from()), clean(p.Argument))
			for _, s := range p.Steps {
				fmt.Fprintf(&b, "    %d:%d  %s\n", s.Line, lines.col(s.Line, s.Col), clean(s.Text))
			}
		}
		if f.Remedy != "" {
			fmt.Fprintf(&b, "  %s\n", clean(f.Remedy))
		}
	}
	b.WriteString(r.summary())
	b.WriteByte('\n')
	return b.String()
}

func (p Path) from() string {
	if p.Trusted {
		return p.Source
	}
	return p.Source + " (not trusted)"
}

// summary is one line on the whole.
func (r *Result) summary() string {
	count := map[Verdict]int{}
	for _, f := range r.Flows {
		count[f.Verdict]++
	}
	verdict := "accepted"
	if !r.Accepted {
		verdict = "refused"
	}
	out := fmt.Sprintf("%s: %s", clean(r.Name), verdict)
	sep := ": "
	for _, v := range []Verdict{Safe, Open, Violating, Unjudged, Dead} {
		if n := count[v]; n > 0 {
			calls := "calls"
			if n == 1 {
				calls = "call"
			}
			out += fmt.Sprintf("%s%d %s %s", sep, n, calls, v)
			sep = ", "
		}
	}
	return out
}

// clean makes text safe to print: control characters are escaped.
func clean(s string) string {
	if !strings.ContainsFunc(s, strange) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if strange(c) {
			fmt.Fprintf(&b, "\\u%04x", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func strange(c rune) bool {
	return c == utf8.RuneError || unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029'
}

// lines finds lines of the source.
type lines struct {
	text  []byte
	start []int
}

func newLines(src []byte) *lines { return &lines{text: src} }

// line returns a line without its end, "" when there is none of that number.
func (l *lines) line(n int) []byte {
	if l.start == nil {
		l.start = append(l.start, 0)
		for i, c := range l.text {
			if c == '\n' || c == '\r' && (i+1 == len(l.text) || l.text[i+1] != '\n') {
				l.start = append(l.start, i+1)
			}
		}
	}
	if n < 1 || n > len(l.start) {
		return nil
	}
	end := len(l.text)
	if n < len(l.start) {
		end = l.start[n]
	}
	return bytes.TrimRight(l.text[l.start[n-1]:end], "\r\n")
}

// col is a column in characters, from 1, of one in bytes, from 0.
func (l *lines) col(line, col int) int {
	text := l.line(line)
	return utf8.RuneCount(text[:min(max(col, 0), len(text))]) + 1
}

// show writes the line that a finding is about, with carets.
func (l *lines) show(b *strings.Builder, f *Finding) {
	text := l.line(f.Line)
	if len(text) == 0 {
		return
	}
	from, to := min(max(f.Col, 0), len(text)), len(text)
	if f.EndLine == f.Line && f.EndCol > f.Col {
		to = min(f.EndCol, len(text))
	} else if f.EndLine == 0 {
		to = min(from+1, len(text))
	}
	lead := len(text) - len(bytes.TrimLeft(text, " \t"))
	lead = min(lead, from)
	if from-lead > maxShown/2 {
		lead = from - maxShown/2
	}
	end := min(len(text), lead+maxShown)
	to = max(min(to, end), from)
	shown := func(part []byte) string { return clean(strings.ReplaceAll(string(part), "\t", " ")) }
	head, mid := shown(text[lead:from]), shown(text[from:to])
	fmt.Fprintf(b, "  %s%s%s\n", head, mid, shown(text[to:end]))
	fmt.Fprintf(b, "  %s%s\n", strings.Repeat(" ", utf8.RuneCountInString(head)), strings.Repeat("^", max(1, utf8.RuneCountInString(mid))))
}
