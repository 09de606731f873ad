package syntax_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
)

// words are what a change puts into a program.
const words = `( ) [ ] { } : , ; . = == := -> + - * ** / @ | ~ < != += and as assert async await break class continue def del
elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with
yield x y 1 2.5 "s" f'{a}' match case type _ print ! $ ? 0x " ' ''' b"x" ... \ # é`

// change makes one or two small changes to a program.
func change(r *rand.Rand, src string, insert []string) string {
	parts := regexp.MustCompile(`\s+|\w+|"[^"\n]*"|'[^'\n]*'|[^\w\s]`).FindAllString(src, -1)
	for range 1 + r.IntN(4)/3 {
		i := r.IntN(len(parts))
		switch k := r.IntN(20); {
		case k < 6:
			parts[i] = ""
		case k < 12:
			parts[i] = " " + insert[r.IntN(len(insert))] + " "
		case k < 17:
			parts[i] += " " + insert[r.IntN(len(insert))] + " "
		default:
			j := r.IntN(len(parts))
			parts[i], parts[j] = parts[j], parts[i]
		}
	}
	return strings.Join(parts, "")
}

// TestChanged changes the programs of testdata/valid.txt at random and
// compares the verdict of the grammar with CPython's: what is a program must be the same without
// exception, the line of an error nearly always.
func TestChanged(t *testing.T) {
	o := newOracle(t)
	n := 2000
	if *all {
		n = 100_000
	}
	r := rand.New(rand.NewPCG(3, 14))
	sources := read(t, "valid.txt")
	insert := append(strings.Fields(words), "\n", "\n    ", "\n  ")
	refused, differ := 0, 0
	for range n {
		src := change(r, sources[r.IntN(len(sources))], insert)
		want := o.theirs(src)
		if strings.HasPrefix(want, "too much") {
			continue
		}
		got := verdict([]byte(src))
		if got == "left out" {
			continue
		}
		if _, errs := syntax.Parse([]byte(src), syntax.Options{}); len(errs) > 0 && strings.HasPrefix(errs[0].Message, "duplicate argument") {
			continue // CPython refuses it, too, but not by its grammar
		}
		if (got == "ok") != (want == "ok") {
			t.Errorf("%q:\n got %s\nwant %s", src, got, want)
		}
		if want != "ok" {
			refused++
			if got != want {
				differ++
				if *all || testing.Verbose() {
					t.Logf("%q:\n got %s\nwant %s", src, got, want)
				}
			}
		}
	}
	t.Logf("%d of %d programs are refused, %d at another line", refused, n, differ)
	if differ*20 > refused {
		t.Errorf("%d of %d errors differ from CPython's, at most 5 %% may", differ, refused)
	}
}
