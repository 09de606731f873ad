package tui

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// Folding breaks the lines of an indented text for a terminal, so that what is
// broken goes on below its own beginning. Prose is broken between words; code,
// which stands behind a bar, where the line is full.
type Folding struct {
	W     io.Writer
	Width int
	part  []byte // a line that has no end yet
}

// Write passes whole lines on. The count is of p's bytes.
func (f *Folding) Write(p []byte) (int, error) {
	f.part = append(f.part, p...)
	end := bytes.LastIndexByte(f.part, '\n') + 1
	var out strings.Builder
	for line := range strings.Lines(string(f.part[:end])) {
		for _, part := range foldLine(strings.TrimSuffix(line, "\n"), f.Width) {
			out.WriteString(part + "\n")
		}
	}
	f.part = append(f.part[:0], f.part[end:]...)
	if _, err := io.WriteString(f.W, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes a last line without an end.
func (f *Folding) Flush() error {
	_, err := f.W.Write(f.part)
	f.part = nil
	return err
}

// labelWidth is what the labels at the head of a transcript take.
const labelWidth = 10

// foldLine breaks one line, which may contain our own colours.
func foldLine(line string, width int) []string {
	plain := withoutColours(line)
	if format.ColumnsOf(plain) <= width {
		return []string{line}
	}
	indent := len(plain) - len(strings.TrimLeft(plain, " "))
	if rest, ok := strings.CutPrefix(plain[indent:], "│ "); ok {
		indent += 2 + len(rest) - len(strings.TrimLeft(rest, " "))
		bar := plain[:strings.Index(plain, "│")] + "│"
		parts := format.BreakPainted(line, width, max(width-format.ColumnsOf(bar)-3, 16))
		for i := range parts[1:] {
			parts[i+1] = bar + "   " + parts[i+1]
		}
		return parts
	}
	if indent == 0 && format.ColumnsOf(plain) > labelWidth {
		indent = labelWidth
	}
	below := strings.Repeat(" ", min(indent, width/2))
	var out []string
	var part strings.Builder
	n, empty := 0, true
	for i, word := range strings.Split(line, " ") {
		long := format.ColumnsOf(withoutColours(word))
		if !empty && n+1+long > width {
			out = append(out, part.String())
			part.Reset()
			part.WriteString(below)
			n, empty = len(below), true
		} else if i > 0 {
			part.WriteString(" ")
			n++
		}
		part.WriteString(word)
		n += long
		empty = empty && word == ""
	}
	return append(out, part.String())
}

// withoutColours leaves our own colours out of a line.
func withoutColours(line string) string {
	if !strings.Contains(line, "\x1b[") {
		return line
	}
	var out strings.Builder
	for line != "" {
		if strings.HasPrefix(line, "\x1b[") {
			if end := strings.IndexByte(line, 'm'); end > 0 {
				line = line[end+1:]
				continue
			}
		}
		_, n := utf8.DecodeRuneInString(line)
		out.WriteString(line[:n])
		line = line[n:]
	}
	return out.String()
}

// columnsLeft is how many columns a line has left when some are taken; 0: any number.
func (s *Screen) columnsLeft(taken int) int {
	if s.Wrap == 0 {
		return 0
	}
	return max(s.Wrap-taken, 16)
}

// paragraphs writes prose with an indent, its lines broken between words. What
// is laid out in columns, as a table is, has lines that begin alike: a broken
// line goes on below its own first word.
func (s *Screen) paragraphs(indent, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(safetext.Text(text), "\n "), "\n") {
		for _, part := range format.BreakWords(line, s.columnsLeft(len(indent))) {
			s.printf("%s\n", strings.TrimRight(indent+part, " "))
		}
	}
}
