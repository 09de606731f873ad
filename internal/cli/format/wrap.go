package format

import (
	"strings"
	"unicode/utf8"
)

// BreakWords breaks a line between words so that no part is wider than width,
// but for a word that is. The parts after the first get the indent of the line,
// and of the mark of a list. A width of 0 breaks nothing.
func BreakWords(line string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	if mark, _, ok := strings.Cut(body, " "); ok && len(mark) <= 3 && strings.ContainsAny(mark, "-*•.)") {
		indent += utf8.RuneCountInString(mark) + 1
	}
	below := strings.Repeat(" ", min(indent, width/2))
	var out []string
	part, n := line[:len(line)-len(body)], len(line)-len(body)
	empty := true
	for i, word := range strings.Split(body, " ") {
		long := utf8.RuneCountInString(word)
		if !empty && n+1+long > width {
			out = append(out, part)
			part, n, empty = below, len(below), true
			if word == "" {
				continue
			}
		}
		if i > 0 && !empty {
			part, n = part+" ", n+1
		}
		part, n = part+word, n+long
		empty = empty && word == ""
	}
	return append(out, part)
}

// BreakPainted breaks a line that may contain our own colours, so that the first
// part has at most first columns and the others rest. Colours go on over a
// break. A width of 0 breaks nothing.
func BreakPainted(line string, first, rest int) []string {
	if first <= 0 {
		return []string{line}
	}
	var out []string
	var part strings.Builder
	colour, n, width := "", 0, first
	for line != "" {
		if strings.HasPrefix(line, "\x1b[") {
			if end := strings.IndexByte(line, 'm'); end > 0 {
				colour = line[:end+1]
				if colour == "\x1b[0m" {
					colour = ""
				}
				part.WriteString(line[:end+1])
				line = line[end+1:]
				continue
			}
		}
		if n == width {
			if colour != "" {
				part.WriteString("\x1b[0m")
			}
			out = append(out, part.String())
			part.Reset()
			part.WriteString(colour)
			n, width = 0, rest
		}
		_, size := utf8.DecodeRuneInString(line)
		part.WriteString(line[:size])
		line = line[size:]
		n++
	}
	return append(out, part.String())
}
