package linediff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"praxis/internal/linediff"
)

// apply makes the second list of the first.
func apply(a, b []string, edits []linediff.Edit) []string {
	var out []string
	at := 0
	for _, e := range edits {
		out = append(append(out, a[at:e.A0]...), b[e.B0:e.B1]...)
		at = e.A1
	}
	return append(out, a[at:]...)
}

func TestEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n, kinds int) []string {
		var out []string
		for range n {
			out = append(out, fmt.Sprintln(r.IntN(kinds)))
		}
		return out
	}
	for i := range 3000 {
		a, b := text(r.IntN(30), 1+i%7), text(r.IntN(30), 1+i%7)
		edits := linediff.Edits(a, b)
		if got := apply(a, b, edits); !slices.Equal(got, b) {
			t.Fatalf("%q to %q: the changes %v make %q", a, b, edits, got)
		}
		size := 0
		for j, c := range edits {
			size += c.A1 - c.A0 + c.B1 - c.B0
			if j > 0 && c.A0 == edits[j-1].A1 {
				t.Fatalf("%q to %q: the changes %v touch", a, b, edits)
			}
		}
		if want := len(a) + len(b) - 2*common(a, b); size != want {
			t.Fatalf("%q to %q: %d lines changed, the least is %d", a, b, size, want)
		}
	}
	// Past the bound of the search the result is longer, and still right.
	a, b := text(4000, 1<<40), text(3000, 1<<40)
	edits := linediff.Edits(a, b)
	if got := apply(a, b, edits); !slices.Equal(got, b) {
		t.Error("a long difference does not make the second text of the first")
	}
}

// common is the length of the longest common subsequence, computed by the book.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func FuzzEdits(f *testing.F) {
	f.Add("a b c d", "a x c d e")
	f.Add("", "a")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := strings.Fields(x), strings.Fields(y)
		edits := linediff.Edits(a, b)
		if got := apply(a, b, edits); !slices.Equal(got, b) {
			t.Errorf("%q to %q by %v: %q", a, b, edits, got)
		}
		for i := 1; i < len(edits); i++ {
			if edits[i].A0 <= edits[i-1].A1 && edits[i].B0 <= edits[i-1].B1 {
				t.Errorf("edits touch: %v", edits)
			}
		}
	})
}
