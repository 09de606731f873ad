package tui

import (
	"strings"

	"praxis/internal/cli/format"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// What answers use of Markdown: line by line, so that a line that is no Markdown
// stays as it is.
var (
	headingRE = lazyregexp.New(`^ {0,3}#{1,6} +(.+?)[ #]*$`)
	bulletRE  = lazyregexp.New(`^( *)[-*+] +(.*)$`)
	numberRE  = lazyregexp.New(`^( *)([0-9]{1,3}[.)]) +(.*)$`)
	ruleRE    = lazyregexp.New(`^ {0,3}(-{3,}|\*{3,}|_{3,}) *$`)
	dashesRE  = lazyregexp.New(`^ *\|? *:?-+:? *(\| *:?-+:? *)*\|? *$`)
	strongRE  = lazyregexp.New(`\*\*([^* ](?:[^*]*[^* ])?)\*\*`)
	linkRE    = lazyregexp.New(`\[([^\]\n]+)\]\(([^)\s]+)\)`)
)

// markdown shows an answer at a terminal: headings, lists, tables, code, bold. What
// is no terminal gets the text as the model wrote it.
func (s *Screen) markdown(indent, text string) {
	if s.Wrap == 0 {
		s.paragraphs(indent, text)
		return
	}
	lines := strings.Split(strings.TrimRight(safetext.Text(text), "\n "), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		body := strings.TrimLeft(line, " ")
		switch fence := body[:len(body)-len(strings.TrimLeft(body, "`~"))]; {
		case len(fence) >= 3:
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(strings.TrimLeft(lines[end], " "), fence) {
				end++
			}
			s.fenced(strings.TrimSpace(body[len(fence):]), strings.Join(lines[i+1:end], "\n"))
			i = end
		case strings.Contains(line, "|") && i+1 < len(lines) && strings.Contains(lines[i+1], "|") && dashesRE.MatchString(lines[i+1]):
			end := i + 2
			for end < len(lines) && strings.Contains(lines[end], "|") {
				end++
			}
			s.table(indent, line, lines[i+1], lines[i+2:end])
			i = end - 1
		default:
			s.markdownLine(indent, line)
		}
	}
}

// markdownLine shows a line that stands for itself.
func (s *Screen) markdownLine(indent, line string) {
	switch m := headingRE.FindStringSubmatch(line); {
	case m != nil:
		s.wrapped(indent, "", s.Style.Paint(format.Bold, strings.ReplaceAll(m[1], "**", "")))
	case ruleRE.MatchString(line):
		s.printf("%s%s\n", indent, strings.Repeat("─", min(s.columnsLeft(len(indent)), 40)))
	case bulletRE.MatchString(line):
		m := bulletRE.FindStringSubmatch(line)
		s.wrapped(indent+m[1], "• ", s.inline(m[2]))
	case numberRE.MatchString(line):
		m := numberRE.FindStringSubmatch(line)
		s.wrapped(indent+m[1], m[2]+" ", s.inline(m[3]))
	default:
		blanks := line[:len(line)-len(strings.TrimLeft(line, " "))]
		s.wrapped(indent+blanks, "", s.inline(line[len(blanks):]))
	}
}

// fenced shows a block of code, in the colours of its language where that is known.
func (s *Screen) fenced(tag, code string) {
	name := tag
	for _, l := range s.languages {
		if l.HasFence(tag) {
			name = l.Name
		}
	}
	if name == "" {
		name = "text"
	}
	s.code(name, code)
}

// inline paints bold text and code, and writes out where links lead.
func (s *Screen) inline(text string) string {
	var b strings.Builder
	parts := strings.Split(text, "`")
	for i, part := range parts {
		switch {
		case i%2 == 1 && i+1 < len(parts) && s.Style.On:
			b.WriteString(s.Style.Paint(format.Cyan, part))
			continue
		case i%2 == 1:
			b.WriteString("`" + part)
			if i+1 < len(parts) {
				b.WriteString("`")
			}
			continue
		}
		part = linkRE.ReplaceAllString(part, "$1 ($2)")
		b.WriteString(strongRE.ReplaceAllStringFunc(part, func(m string) string { return s.Style.Paint(format.Bold, m[2:len(m)-2]) }))
	}
	return b.String()
}

// wrapped writes painted text behind a mark, broken between words; what is broken
// goes on below the text.
func (s *Screen) wrapped(indent, mark, text string) {
	line := indent + mark
	below := strings.Repeat(" ", len([]rune(line)))
	space := s.columnsLeft(len(below))
	n := 0
	for i, word := range strings.Split(text, " ") {
		size := format.ColumnsOf(withoutColours(word))
		if n > 0 && n+1+size > space {
			s.printf("%s\n", strings.TrimRight(line, " "))
			line, n = below, 0
		} else if i > 0 {
			line, n = line+" ", n+1
		}
		line, n = line+word, n+size
	}
	s.printf("%s\n", strings.TrimRight(line, " "))
}

// cells splits a row of a table.
func cells(row string) []string {
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, "\x00")
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	out := strings.Split(row, "|")
	for i, c := range out {
		c = strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|")
		out[i] = strongRE.ReplaceAllString(c, "$1")
	}
	return out
}

// table lines a table up. One that is wider than the terminal is shown as a list
// of its rows: nothing of an answer is cut.
func (s *Screen) table(indent, head, dashes string, rows []string) {
	heads, sides := cells(head), cells(dashes)
	t := format.Headed(heads...)
	for i := range t {
		t[i].Right = i < len(sides) && strings.HasSuffix(sides[i], ":") && !strings.HasPrefix(sides[i], ":")
	}
	var all [][]string
	for _, row := range rows {
		c := append(cells(row), make([]string, len(heads))...)[:len(heads)]
		all = append(all, c)
		t.Add(c...)
	}
	lines := strings.Split(strings.TrimRight(t.String(), "\n"), "\n")
	for _, line := range lines {
		if format.ColumnsOf(line) > s.columnsLeft(len(indent)) {
			s.records(indent, heads, all)
			return
		}
	}
	for i, line := range lines {
		if i == 0 {
			line = s.Style.Paint(format.Bold, line)
		}
		s.printf("%s%s\n", indent, line)
	}
}

// records shows rows one below the other, each cell with the head of its column.
func (s *Screen) records(indent string, heads []string, rows [][]string) {
	for _, row := range rows {
		mark := "• "
		for i, c := range row {
			s.wrapped(indent, mark, heads[i]+": "+c)
			mark = "  "
		}
	}
}
