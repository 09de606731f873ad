package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/internal/linediff"
	"praxis/internal/safetext"
)

// Bounds of a difference. Past maxShown lines the rest is counted.
const (
	context     = 3 // equal lines around a change
	maxShown    = 400
	maxLineText = 400 // bytes of one line
)

// Lines returns the lines that two texts differ in as a unified diff, or ""
// when the texts are equal. The names are those of a and b, "a" and "b" when
// they are left out. What would act on a terminal is made visible, long lines
// are cut to the part that differs, and long differences are cut with a note.
func Lines(a, b string, names ...string) string {
	if a == b {
		return ""
	}
	label := [2]string{"a", "b"}
	copy(label[:], names)
	d := diff{a: split(a), b: split(b)}
	d.changes = linediff.Edits(d.a, d.b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", safetext.Line(label[0]), safetext.Line(label[1]))
	shown, hidden := 0, 0
	for _, h := range d.hunks() {
		for _, line := range d.render(h) {
			if shown == maxShown {
				hidden++
				continue
			}
			shown++
			out.WriteString(line + "\n")
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&out, "[%s of the difference left out]\n", safetext.Count(hidden, "more line"))
	}
	return out.String()
}

// split cuts a text after its newlines.
func split(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// diff compares two lists of lines.
type diff struct {
	a, b    []string
	changes []linediff.Edit
}

// hunks puts changes together that share lines of context.
func (d *diff) hunks() [][]linediff.Edit {
	var out [][]linediff.Edit
	for _, c := range d.changes {
		if n := len(out); n > 0 {
			last := out[n-1][len(out[n-1])-1]
			if c.A0-last.A1 <= 2*context {
				out[n-1] = append(out[n-1], c)
				continue
			}
		}
		out = append(out, []linediff.Edit{c})
	}
	return out
}

// render writes one hunk, without newlines at the end of its lines.
func (d *diff) render(h []linediff.Edit) []string {
	first, last := h[0], h[len(h)-1]
	a0, b0 := max(0, first.A0-context), max(0, first.B0-context)
	a1, b1 := min(len(d.a), last.A1+context), min(len(d.b), last.B1+context)
	out := []string{fmt.Sprintf("@@ -%s +%s @@", lineRange(a0, a1), lineRange(b0, b1))}
	at := a0
	for _, c := range h {
		for ; at < c.A0; at++ {
			out = append(out, marked(" ", d.a[at], 0)...)
		}
		for i := c.A0; i < c.A1; i++ {
			out = append(out, marked("-", d.a[i], d.partner(i-c.A0, c))...)
		}
		for i := c.B0; i < c.B1; i++ {
			out = append(out, marked("+", d.b[i], d.partner(i-c.B0, c))...)
		}
		at = c.A1
	}
	for ; at < a1; at++ {
		out = append(out, marked(" ", d.a[at], 0)...)
	}
	return out
}

// partner returns where the i-th removed and the i-th added line of a change begin to differ.
func (d *diff) partner(i int, c linediff.Edit) int {
	if c.A0+i >= c.A1 || c.B0+i >= c.B1 {
		return 0
	}
	a, b, n := d.a[c.A0+i], d.b[c.B0+i], 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// lineRange writes the lines from to to, counted from 0, as diff does.
func lineRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// marked writes a line with its mark. Of a long one only the part from where it
// begins to differ is shown.
func marked(mark, line string, differs int) []string {
	text, whole := strings.CutSuffix(line, "\n")
	if len(text) > maxLineText {
		start := 0
		if differs > maxLineText/2 {
			start = min(differs-maxLineText/4, len(text)-maxLineText)
		}
		end := start + maxLineText
		for start > 0 && !utf8.RuneStart(text[start]) {
			start--
		}
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		cut := text[start:end]
		if start > 0 {
			cut = "…" + cut
		}
		if end < len(text) {
			cut += "…"
		}
		text = cut
	}
	out := []string{mark + safetext.Text(text)}
	if !whole {
		out = append(out, `\ no newline at the end`)
	}
	return out
}
