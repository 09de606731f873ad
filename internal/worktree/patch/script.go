package patch

import "slices"

// edit replaces the lines a0 to a1 of the one text by the lines b0 to b1 of the other.
type edit struct{ a0, a1, b0, b1 int }

// maxEdits bounds how many lines may differ before a difference is no longer searched for
// the shortest: the memory that the search takes grows with the square of it.
const maxEdits = 2000

// script returns the shortest edits that make b of a (E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations", 1986). Texts that differ too much are replaced as a whole, but
// for what they have in common at both ends.
func script(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	var out []edit
	for _, e := range middle(a, b) {
		out = append(out, edit{e.a0 + head, e.a1 + head, e.b0 + head, e.b1 + head})
	}
	return out
}

func middle(a, b []string) []edit {
	whole := []edit{{0, len(a), 0, len(b)}}
	if len(a) == 0 || len(b) == 0 {
		return whole
	}
	most := min(len(a)+len(b), maxEdits)
	// furthest holds how far the paths with d edits come on each diagonal, and trace what it
	// was before each d.
	furthest := make([]int, 2*most+3)
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), furthest[most+1-d:most+2+d]...))
		for k := -d; k <= d; k += 2 {
			i := most + 1 + k
			x := furthest[i-1] + 1
			if k == -d || k != d && furthest[i-1] < furthest[i+1] {
				x = furthest[i+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			furthest[i] = x
			if x >= len(a) && x-k >= len(b) {
				return back(a, b, trace)
			}
		}
	}
	return whole
}

// back walks the path back from the end and joins single edits that touch. What lies between
// two of them on the path is common to both texts.
func back(a, b []string, trace [][]int) []edit {
	var out []edit
	x, y := len(a), len(b)
	for d := len(trace) - 1; d > 0; d-- {
		k, was := x-y, trace[d] // was holds the diagonals -d to d
		e := edit{}
		if k == -d || k != d && was[k-1+d] < was[k+1+d] {
			x = was[k+1+d]
			y = x - (k + 1)
			e = edit{x, x, y, y + 1}
		} else {
			x = was[k-1+d]
			y = x - (k - 1)
			e = edit{x, x + 1, y, y}
		}
		if n := len(out) - 1; n >= 0 && out[n].a0 == e.a1 && out[n].b0 == e.b1 {
			out[n].a0, out[n].b0 = e.a0, e.b0
		} else {
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out
}
