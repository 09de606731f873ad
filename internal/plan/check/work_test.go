package check_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"
)

// hardToFollow writes a program whose values, attributes and functions are all mixed up:
// the analysis has to give up on most of them, and soon.
func hardToFollow(r *rand.Rand) string {
	vars := []string{"a", "b", "c", "x", "self", "f", "g", "A", "B"}
	v := func() string { return vars[r.Intn(len(vars))] }
	attr := func() string { return []string{"p", "q", "n", "__add__", "get"}[r.Intn(5)] }
	var expr func(d int) string
	expr = func(d int) string {
		if d == 0 {
			return []string{v(), "calendar.read('x')", "calendar", "[]", "{}", "'k'", "(1)"}[r.Intn(7)]
		}
		switch r.Intn(16) {
		case 0:
			return expr(d-1) + "." + attr()
		case 1:
			return fmt.Sprintf("%s[%s]", expr(d-1), expr(d-1))
		case 2:
			return fmt.Sprintf("%s(%s)", expr(d-1), expr(d-1))
		case 3:
			return fmt.Sprintf("%s.%s(%s)", expr(d-1), attr(), expr(d-1))
		case 4:
			return fmt.Sprintf("[%s, %s]", expr(d-1), expr(d-1))
		case 5:
			return fmt.Sprintf("{%s: %s}", expr(d-1), expr(d-1))
		case 6:
			return fmt.Sprintf("(%s + %s)", expr(d-1), expr(d-1))
		case 7:
			return fmt.Sprintf("(lambda x: %s)", expr(d-1))
		case 8:
			return fmt.Sprintf("[%s for %s in %s]", expr(d-1), v(), expr(d-1))
		case 9:
			return fmt.Sprintf("getattr(%s, %s)", expr(d-1), expr(d-1))
		case 10:
			return fmt.Sprintf("sorted(%s, key=%s)", expr(d-1), v())
		case 11:
			return fmt.Sprintf("list(map(%s, %s))", v(), expr(d-1))
		case 12:
			return fmt.Sprintf("(%s if %s else %s)", expr(d-1), expr(d-1), expr(d-1))
		case 13:
			return fmt.Sprintf("f(%s, %s)", expr(d-1), expr(d-1))
		case 14:
			return fmt.Sprintf("A(%s)", expr(d-1))
		default:
			return expr(0)
		}
	}
	var b strings.Builder
	var stmt func(ind string, d int)
	stmt = func(ind string, d int) {
		switch r.Intn(12) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "%s%s = %s\n", ind, v(), expr(2))
		case 3, 4:
			fmt.Fprintf(&b, "%s%s.%s = %s\n", ind, v(), attr(), expr(2))
		case 5:
			fmt.Fprintf(&b, "%s%s[%s] = %s\n", ind, v(), expr(1), expr(2))
		case 6:
			fmt.Fprintf(&b, "%s%s\n", ind, expr(3))
		case 7:
			fmt.Fprintf(&b, "%ssetattr(%s, %s, %s)\n", ind, v(), expr(1), expr(1))
		case 8:
			if d > 0 {
				fmt.Fprintf(&b, "%sfor %s in %s:\n", ind, v(), expr(1))
				stmt(ind+"    ", d-1)
				return
			}
			fmt.Fprintf(&b, "%spass\n", ind)
		case 9:
			if d > 0 {
				fmt.Fprintf(&b, "%sif %s:\n", ind, expr(1))
				stmt(ind+"    ", d-1)
				return
			}
			fmt.Fprintf(&b, "%s%s += %s\n", ind, v(), expr(1))
		default:
			if ind != "" {
				fmt.Fprintf(&b, "%sreturn %s\n", ind, expr(2))
			} else {
				fmt.Fprintf(&b, "%s\n", expr(2))
			}
		}
	}
	b.WriteString("a = calendar.read('x')\nb = c = x = self = None\n")
	def := func(ind, name, params string) {
		fmt.Fprintf(&b, "%sdef %s(%s):\n", ind, name, params)
		for range 1 + r.Intn(3) {
			stmt(ind+"    ", 1)
		}
	}
	b.WriteString("class A:\n")
	for _, m := range []string{"__init__", "p", "__add__", "__call__", "__getattr__"}[:1+r.Intn(5)] {
		def("    ", m, "self, x=None")
	}
	if r.Intn(2) == 0 {
		b.WriteString("class B(A):\n")
		def("    ", "q", "self, x=None")
	} else {
		b.WriteString("B = A\n")
	}
	def("", "f", "x, a=None")
	def("", "g", "x, b=None")
	for range 2 + r.Intn(4) {
		stmt("", 2)
	}
	b.WriteString("email.write('bob', str(a))\n")
	return b.String()
}

// TestWorkIsBounded checks programs that the analysis cannot follow. What it
// allocates measures its work, which no load of the machine changes; it ran for
// a minute on the program of seed 9297.
func TestWorkIsBounded(t *testing.T) {
	w := newWorld(t)
	sources := map[string]string{"functions that call each other out of a dict": callsOutOfDict(400)}
	for _, seed := range []int64{9297, 8833, 4783, 287} {
		sources[fmt.Sprint("seed ", seed)] = hardToFollow(rand.New(rand.NewSource(seed)))
	}
	for seed := range int64(250) {
		sources[fmt.Sprint("seed ", seed)] = hardToFollow(rand.New(rand.NewSource(seed)))
	}
	for name, src := range sources {
		for _, strict := range []bool{false, true} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w.check(t, src, strict)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 2<<30 {
				t.Errorf("%s, strict %v: the check allocated %d MiB\n%s", name, strict, n>>20, src)
			}
		}
	}
}

// callsOutOfDict writes n functions that each call two others, any of all as far as the check knows.
func callsOutOfDict(n int) string {
	var b strings.Builder
	b.WriteString("d = {}\n")
	for i := range n {
		fmt.Fprintf(&b, "d['f%d'] = lambda x: d['f%d'](x) + d['f%d'](x)\n", i, (i+1)%n, (7*i+3)%n)
	}
	b.WriteString("print(d['f0'](1))\n")
	return b.String()
}
