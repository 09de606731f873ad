package cli

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// folding breaks the lines of an indented text for a terminal, so that what is
// broken goes on below its own beginning. Prose is broken between words; code,
// which stands behind a bar, where the line is full.
type folding struct {
	w     io.Writer
	width int
	part  []byte // a line that has no end yet
}

// Write passes whole lines on. The count is of p's bytes.
func (f *folding) Write(p []byte) (int, error) {
	f.part = append(f.part, p...)
	end := bytes.LastIndexByte(f.part, '\n') + 1
	var out strings.Builder
	for line := range strings.Lines(string(f.part[:end])) {
		for _, part := range foldLine(strings.TrimSuffix(line, "\n"), f.width) {
			out.WriteString(part + "\n")
		}
	}
	f.part = append(f.part[:0], f.part[end:]...)
	if _, err := io.WriteString(f.w, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes a last line without an end.
func (f *folding) flush() error {
	_, err := f.w.Write(f.part)
	f.part = nil
	return err
}

// labelRoom is what the labels at the head of a transcript take.
const labelRoom = 10

// foldLine breaks one line, which may hold our own colours.
func foldLine(line string, width int) []string {
	plain := withoutColours(line)
	if columnsOf(plain) <= width {
		return []string{line}
	}
	indent := len(plain) - len(strings.TrimLeft(plain, " "))
	if rest, ok := strings.CutPrefix(plain[indent:], "│ "); ok {
		indent += 2 + len(rest) - len(strings.TrimLeft(rest, " "))
		bar := plain[:strings.Index(plain, "│")] + "│"
		parts := breakPainted(line, width, max(width-columnsOf(bar)-3, 16))
		for i := range parts[1:] {
			parts[i+1] = bar + "   " + parts[i+1]
		}
		return parts
	}
	if indent == 0 && columnsOf(plain) > labelRoom {
		indent = labelRoom
	}
	below := strings.Repeat(" ", min(indent, width/2))
	var out []string
	var part strings.Builder
	n, empty := 0, true
	for i, word := range strings.Split(line, " ") {
		long := columnsOf(withoutColours(word))
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
