// Package linediff finds the shortest changes between two lists of lines.
package linediff

import "slices"

// Edit replaces the lines A0 to A1 of the one list by the lines B0 to B1 of the other, each
// counted from 0, the last not included.
type Edit struct{ A0, A1, B0, B1 int }

// maxEdits bounds the search: its memory grows with the square of it. Past it, what lies
// between the first and the last line that differ is replaced as a whole.
const maxEdits = 1000

// Edits returns what makes after of before, in order, none touching the next.
func Edits(before, after []string) []Edit {
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
	a, b := intern(before), intern(after)
	var out []Edit
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for _, c := range myers(a[head:len(a)-tail], b[head:len(b)-tail]) {
		out = append(out, Edit{c.A0 + head, c.A1 + head, c.B0 + head, c.B1 + head})
	}
	return out
}

// myers returns the shortest list of changes from a to b, or a single one when
// it would be longer than maxEdits (E. Myers, "An O(ND) difference algorithm
// and its variations", 1986, the greedy search).
func myers(a, b []int) []Edit {
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
	return []Edit{{0, len(a), 0, len(b)}}
}

// backtrack follows the search from its end to the start.
func backtrack(trace [][]int, x, y int) []Edit {
	var out []Edit // from the last to the first
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
		c := Edit{px, px, py, py + 1} // an insertion
		if from == k-1 {
			c = Edit{px, px + 1, py, py}
		}
		if n := len(out); n > 0 && out[n-1].A0 == c.A1 && out[n-1].B0 == c.B1 {
			out[n-1].A0, out[n-1].B0 = c.A0, c.B0
		} else {
			out = append(out, c)
		}
		x, y = px, py
	}
	slices.Reverse(out)
	return out
}
