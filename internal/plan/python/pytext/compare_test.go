package pytext

import (
	"errors"
	"flag"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"praxis/internal/test/cpython"
)

// pair is an expression of Python and what this package says it gives: the
// ASCII of its value, or the exception.
type pair struct{ expr, got string }

// evaluator prints what each expression of a list gives, one a line.
const evaluator = `
import builtins, math, fractions, decimal, codecs, struct, sys
for text in EXPRESSIONS.split("\n"):
    try:
        print(ascii(eval(text)))
    except Exception as e:
        print(type(e).__name__ + ": " + ascii(str(e)))
`

var (
	// cases is how many generated cases each comparison makes.
	cases = flag.Int("cases", 200, "generated cases of each comparison with CPython")
	// everyPoint compares every code point.
	everyPoint = flag.Bool("all", false, "compare all code points with CPython's, not a sample")
)

// compare compares each pair with CPython.
func compare(t *testing.T, py *cpython.Python, pairs []pair) {
	t.Helper()
	compareWith(t, py, "", pairs)
}

// compareWith is compare for expressions that need a program before them.
func compareWith(t *testing.T, py *cpython.Python, program string, pairs []pair) {
	t.Helper()
	failures := 0
	for len(pairs) > 0 {
		n := min(len(pairs), 5000)
		var exprs strings.Builder
		for i, p := range pairs[:n] {
			if i > 0 {
				exprs.WriteByte('\n')
			}
			exprs.WriteString(p.expr)
		}
		reply, err := py.Run(cpython.Program{Code: "EXPRESSIONS = " + asciiOf(exprs.String()) + "\n" + program + evaluator, Seconds: 60})
		if err != nil {
			t.Fatal(err)
		}
		if reply.Error != "" {
			t.Fatal(reply.Error)
		}
		lines := strings.Split(strings.TrimSuffix(reply.Out, "\n"), "\n")
		if len(lines) != n {
			t.Fatalf("CPython gave %d lines for %d expressions", len(lines), n)
		}
		for i, want := range lines {
			if got := pairs[i].got; got != want {
				t.Errorf("%s: got %s, want %s", cut(pairs[i].expr), cut(got), cut(want))
				if failures++; failures > 10 {
					t.FailNow()
				}
			}
		}
		pairs = pairs[n:]
	}
}

// cut shows the ends of a long text.
func cut(s string) string {
	if len(s) > 300 {
		return s[:100] + "…" + s[len(s)-160:]
	}
	return s
}

// asciiOf is ascii(s).
func asciiOf(s string) string { return string(AppendASCII(nil, s)) }

// shown is how the evaluator shows the error, or else the text.
func shown(text string, err error) string {
	if err == nil {
		return text
	}
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Kind.String() + ": " + asciiOf(e.Text)
}

// shownStr is how the evaluator shows a string, or the error.
func shownStr(text []byte, err error) string { return shown(asciiOf(string(text)), err) }

// dice makes test cases; the same ones each time.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 4))} }

// of returns one of the values.
func of[T any](d dice, values ...T) T { return values[d.IntN(len(values))] }

// float returns a float of any kind that programs meet.
func (d dice) float() float64 {
	switch d.IntN(8) {
	case 0:
		return of(d, 0.0, 1, -1, 0.5, 1.5, 2.5, 1e15, 1e16, 123456789, 1e-4, 1e-5, 0.1, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 999999.5, 0.000099999)
	case 1:
		return float64(d.IntN(2001)-1000) / of(d, 1.0, 2, 4, 8, 10, 100, 1000)
	case 2:
		return float64(d.Int64()) * of(d, 1.0, -1)
	case 3:
		return d.NormFloat64() * 1000
	case 4:
		for {
			b := new(big.Float).SetMantExp(big.NewFloat(d.Float64()+0.5), d.IntN(2000)-1000)
			if f, _ := b.Float64(); f-f == 0 {
				return f
			}
		}
	case 5:
		return of(d, 1.0, -1) * float64(d.IntN(1000000)) / 1000
	case 6:
		return d.Float64()
	}
	return float64(d.IntN(200) - 100)
}

// pyFloat is an expression of Python for f.
func pyFloat(f float64) string { return "float('" + strconv.FormatFloat(f, 'g', -1, 64) + "')" }

// integer returns an integer of up to bits bits.
func (d dice) integer(bits int) *big.Int {
	n := d.IntN(bits) + 1
	v := new(big.Int)
	for v.BitLen() < n {
		v.Lsh(v, 32)
		v.Or(v, big.NewInt(int64(d.Uint32())))
	}
	v.Rsh(v, uint(v.BitLen()-n))
	if d.IntN(3) == 0 {
		v.Neg(v)
	}
	return v
}

// text returns a string of all sorts of characters.
func (d dice) text(most int) string {
	n := d.IntN(most + 1)
	out := make([]byte, 0, n)
	for range n {
		switch d.IntN(8) {
		case 0, 1, 2:
			out = utf8.AppendRune(out, rune(' '+d.IntN(95)))
		case 3:
			out = utf8.AppendRune(out, rune(d.IntN(256)))
		case 4:
			out = utf8.AppendRune(out, rune(d.IntN(0x3000)))
		case 5:
			out = utf8.AppendRune(out, of(d, 'ß', 'Σ', 'ς', 'ǆ', 'ŉ', 'ﬁ', 'İ', 'ı', '\'', '"', '\\', '\n', 0x301, 0xAD, 0x1F600, 0x10FFFF, '٣', '１', 0x2028, 0xFEFF))
		case 6:
			out = utf8.AppendRune(out, rune(d.IntN(utf8.MaxRune+1)))
		default:
			out = append(out, of(d, "abc", "ΑΣ", "0", " ", "A", "z")...)
		}
	}
	return string(out)
}

// checkPythonError fails when the error is none that a program may see.
func checkPythonError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if err != nil && !errors.Is(err, ErrTooLong) && (!errors.As(err, &e) || e.Kind.String() == "InvalidKind" || e.Text == "") {
		t.Fatalf("got the error %#v", err)
	}
}
