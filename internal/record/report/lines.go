package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/internal/safetext"
)

// Bounds of a difference. Past maxEdits, what lies between the first and the
// last line that differ is shown as replaced; past maxShown lines the rest is
// counted.
const (
	context     = 3    // equal lines around a change
	maxEdits    = 1000 // of Myers' search: its memory grows with the square
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
	d.compare()
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

// change replaces the lines a0 to a1 of a with b0 to b1 of b.
type change struct{ a0, a1, b0, b1 int }

// diff compares two lists of lines.
type diff struct {
	a, b    []string
	changes []change
}

// compare finds the changes, in order, none touching the next.
func (d *diff) compare() {
	numbers := map[string]int{}
	intern := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			n, known := numbers[l]
			if !known {
				n = len(numbers)
				numbers[l] = n
			}
			out[i] = n
		}
		return out
	}
	a, b := intern(d.a), intern(d.b)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for _, c := range myers(a[head:len(a)-tail], b[head:len(b)-tail]) {
		d.changes = append(d.changes, change{c.a0 + head, c.a1 + head, c.b0 + head, c.b1 + head})
	}
}

// myers returns the shortest list of changes from a to b, or a single one when
// it would be longer than maxEdits (E. Myers, "An O(ND) difference algorithm
// and its variations", 1986, the greedy search).
func myers(a, b []int) []change {
	limit := min(len(a)+len(b), maxEdits)
	reach := make([]int, 2*limit+2) // on diagonal k: the farthest line of a, at limit+k
	var trace [][]int               // reach before each round, its diagonals -d … d
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), reach[limit-d:limit+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || (k != d && reach[limit+k-1] < reach[limit+k+1]):
				x = reach[limit+k+1]
			default:
				x = reach[limit+k-1] + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && x >= 0 && y >= 0 && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[limit+k] = x
			if x >= len(a) && y >= len(b) {
				return backtrack(trace, len(a), len(b))
			}
		}
	}
	if len(a)+len(b) == 0 {
		return nil
	}
	return []change{{0, len(a), 0, len(b)}}
}

// backtrack follows the search from its end to the start.
func backtrack(trace [][]int, x, y int) []change {
	var out []change // from the last to the first
	for d := len(trace) - 1; d > 0; d-- {
		// trace[d] holds the diagonals -d … d+1 as they were before round d.
		reach := func(k int) int { return trace[d][k+d] }
		k := x - y
		from := k - 1
		if k == -d || (k != d && reach(k-1) < reach(k+1)) {
			from = k + 1
		}
		px := reach(from)
		py := px - from
		c := change{px, px, py, py + 1} // an insertion
		if from == k-1 {
			c = change{px, px + 1, py, py}
		}
		if n := len(out); n > 0 && out[n-1].a0 == c.a1 && out[n-1].b0 == c.b1 {
			out[n-1].a0, out[n-1].b0 = c.a0, c.b0
		} else {
			out = append(out, c)
		}
		x, y = px, py
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// hunks puts changes together that share lines of context.
func (d *diff) hunks() [][]change {
	var out [][]change
	for _, c := range d.changes {
		if n := len(out); n > 0 {
			last := out[n-1][len(out[n-1])-1]
			if c.a0-last.a1 <= 2*context {
				out[n-1] = append(out[n-1], c)
				continue
			}
		}
		out = append(out, []change{c})
	}
	return out
}

// render writes one hunk, without newlines at the end of its lines.
func (d *diff) render(h []change) []string {
	first, last := h[0], h[len(h)-1]
	a0, b0 := max(0, first.a0-context), max(0, first.b0-context)
	a1, b1 := min(len(d.a), last.a1+context), min(len(d.b), last.b1+context)
	out := []string{fmt.Sprintf("@@ -%s +%s @@", lineRange(a0, a1), lineRange(b0, b1))}
	at := a0
	for _, c := range h {
		for ; at < c.a0; at++ {
			out = append(out, marked(" ", d.a[at], 0)...)
		}
		for i := c.a0; i < c.a1; i++ {
			out = append(out, marked("-", d.a[i], d.partner(i-c.a0, c))...)
		}
		for i := c.b0; i < c.b1; i++ {
			out = append(out, marked("+", d.b[i], d.partner(i-c.b0, c))...)
		}
		at = c.a1
	}
	for ; at < a1; at++ {
		out = append(out, marked(" ", d.a[at], 0)...)
	}
	return out
}

// partner returns where the i-th removed and the i-th added line of a change begin to differ.
func (d *diff) partner(i int, c change) int {
	if c.a0+i >= c.a1 || c.b0+i >= c.b1 {
		return 0
	}
	a, b, n := d.a[c.a0+i], d.b[c.b0+i], 0
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
