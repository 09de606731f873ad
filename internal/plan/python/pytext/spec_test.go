package pytext

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

const testLimit = 100_000

// spec makes a specifier that is more often right than wrong.
func (d dice) spec(types string) string {
	var b strings.Builder
	maybe := func(chance int, options ...string) {
		if d.IntN(chance) == 0 {
			b.WriteString(of(d, options...))
		}
	}
	maybe(3, "<", ">", "^", "=", "*<", "*>", "é^", "0=", "\U0001F600>", "<<", "0<", "{=", "==")
	maybe(3, "+", "-", " ")
	maybe(6, "#")
	maybe(5, "0", "00")
	maybe(2, "1", "5", "10", "13", "24", "40", "007")
	maybe(4, ",", "_")
	maybe(3, ".0", ".1", ".2", ".3", ".6", ".10", ".17", ".30", ".", ".400")
	if d.IntN(4) != 0 {
		b.WriteByte(types[d.IntN(len(types))])
	}
	maybe(30, "q", "é", "ff", " ", "\n", "s", "d", "\ud7ff")
	return b.String()
}

func formatPair(d dice) pair {
	switch d.IntN(4) {
	case 0:
		f := d.float()
		if d.IntN(20) == 0 {
			f = of(d, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1))
		}
		text := d.spec("eEfFgGn%fg")
		s, err := ParseSpec(text, ForFloat, "float")
		var out []byte
		if err == nil {
			out, err = FormatFloat(nil, f, &s, testLimit)
		}
		return pair{fmt.Sprintf("format(%s, %s)", pyFloat(f), asciiOf(text)), shownStr(out, err)}
	case 1:
		v := d.integer(of(d, 4, 8, 20, 63)).Int64()
		text := d.spec("bdoxXneEfFgG%dd")
		s, err := ParseSpec(text, ForInt, "int")
		var out []byte
		if err == nil {
			out, err = FormatInt(nil, v, &s, testLimit)
		}
		return pair{fmt.Sprintf("format(%d, %s)", v, asciiOf(text)), shownStr(out, err)}
	case 2:
		v := d.integer(of(d, 10, 64, 300, 1100))
		text := d.spec("bdoxXneEfFgG%dd")
		s, err := ParseSpec(text, ForInt, "int")
		var out []byte
		if err == nil {
			out, err = FormatBig(nil, v, &s, testLimit)
		}
		return pair{fmt.Sprintf("format(%d, %s)", v, asciiOf(text)), shownStr(out, err)}
	}
	v := d.text(8)
	text := d.spec("sss ")
	s, err := ParseSpec(text, ForStr, "str")
	var out []byte
	if err == nil {
		out, err = FormatStr(nil, v, &s, testLimit)
	}
	return pair{fmt.Sprintf("format(%s, %s)", asciiOf(v), asciiOf(text)), shownStr(out, err)}
}

func TestFormat(t *testing.T) {
	py := cpython.Start(t)
	d := newDice(1)
	var pairs []pair
	for range *cases {
		pairs = append(pairs, formatPair(d))
	}
	for _, c := range []struct {
		expr string
		v    any
		spec string
	}{
		{"1.5", 1.5, "99999999999999999999"}, {"'a'", "a", "999999999999999999999"}, {"10**4300", pow10(4300), "d"}, {"10**4300", pow10(4300), ","},
		{"10**4299", pow10(4299), ","}, {"10**400", pow10(400), "f"},
	} {
		target, name := ForStr, "str"
		switch c.v.(type) {
		case float64:
			target, name = ForFloat, "float"
		case int64, *big.Int:
			target, name = ForInt, "int"
		}
		s, err := ParseSpec(c.spec, target, name)
		var out []byte
		if err == nil {
			switch v := c.v.(type) {
			case float64:
				out, err = FormatFloat(nil, v, &s, testLimit)
			case int64:
				out, err = FormatInt(nil, v, &s, testLimit)
			case *big.Int:
				out, err = FormatBig(nil, v, &s, testLimit)
			case string:
				out, err = FormatStr(nil, v, &s, testLimit)
			}
		}
		pairs = append(pairs, pair{fmt.Sprintf("format(%s, %s)", c.expr, asciiOf(c.spec)), shownStr(out, err)})
	}
	compare(t, py, pairs)
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// TestLimits checks that nothing is built beyond the limit.
func TestLimits(t *testing.T) {
	const limit = 1000
	for _, c := range []struct {
		spec    string
		v       any
		tooLong bool
	}{
		{"1000d", int64(7), false}, {"1001d", int64(7), true}, {"0999999999", int64(7), true}, {"01000,", int64(7), true}, {"0999,", int64(7), false}, {"0998,", int64(7), false},
		{"\U0001F600<251", int64(7), true}, {"\U0001F600<250", int64(7), false}, {"*^2000000000d", int64(65), true},
		{"", pow10(999), false}, {"", pow10(1000), true}, {",", pow10(800), true}, {"b", pow10(400), true}, {"x", pow10(900), false}, {"x", pow10(4000), true}, {"o", pow10(100000), true},
		{".998f", 1.5, false}, {".999f", 1.5, true}, {".1001f", 1.5, true}, {".2000000000f", 1.5, true}, {".2000000000e", 1.5, true}, {"#.2000000000g", 1.5, true},
		{".700f", 1e300, true}, {".690f", 1e300, false}, {"1001", 1.5, true}, {"é^502", 1.5, true},
		{"", strings.Repeat("a", 1000), false}, {"", strings.Repeat("a", 1001), true}, {".1000", strings.Repeat("a", 1001), false}, {"1001", "a", true}, {"é^501", "a", true}, {"é^500", "aa", false},
	} {
		target := ForFloat
		switch c.v.(type) {
		case int64, *big.Int:
			target = ForInt
		case string:
			target = ForStr
		}
		s, err := ParseSpec(c.spec, target, "t")
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		switch v := c.v.(type) {
		case float64:
			out, err = FormatFloat(nil, v, &s, limit)
		case int64:
			out, err = FormatInt(nil, v, &s, limit)
		case *big.Int:
			out, err = FormatBig(nil, v, &s, limit)
		case string:
			out, err = FormatStr(nil, v, &s, limit)
		}
		if (err == ErrTooLong) != c.tooLong || err != nil && !c.tooLong || len(out) > limit {
			t.Errorf("%.20v with %q: %d bytes, %v", c.v, c.spec, len(out), err)
		}
	}
}

// FuzzSpec checks that no specifier makes the parser or a layout fail, or
// exceed the limit.
func FuzzSpec(f *testing.F) {
	d := newDice(7)
	for range 100 {
		f.Add(d.spec("bcdoxXneEfFgG%s"), d.float(), d.Int64(), d.text(5))
	}
	f.Fuzz(func(t *testing.T, text string, x float64, n int64, v string) {
		const limit = 2000
		for _, target := range []Target{ForStr, ForInt, ForFloat} {
			s, err := ParseSpec(text, target, "t")
			checkPythonError(t, err)
			if err != nil {
				continue
			}
			for _, format := range []func() ([]byte, error){
				func() ([]byte, error) { return FormatFloat(nil, x, &s, limit) },
				func() ([]byte, error) { return FormatInt(nil, n, &s, limit) },
				func() ([]byte, error) { return FormatBig(nil, new(big.Int).Lsh(big.NewInt(n), 100), &s, limit) },
				func() ([]byte, error) { return FormatStr(nil, v, &s, limit) },
			} {
				out, err := format()
				checkPythonError(t, err)
				if len(out) > limit {
					t.Fatalf("%q made %d bytes", text, len(out))
				}
			}
		}
	})
}
