package pytext

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"praxis/internal/plan/cpython"
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
	maybe(8, "z")
	maybe(6, "#")
	maybe(5, "0", "00")
	maybe(2, "1", "5", "10", "13", "24", "40", "٣", "007")
	maybe(4, ",", "_", ",_", "_,", ",,")
	maybe(3, ".0", ".1", ".2", ".3", ".6", ".10", ".17", ".30", ".", ".400", ".2,", ".5_", ".,", "._", ".7,_", ".٢")
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
		text := d.spec("bcdoxXneEfFgG%dd")
		s, err := ParseSpec(text, ForInt, "int")
		var out []byte
		if err == nil {
			out, err = FormatInt(nil, v, &s, testLimit)
		}
		return pair{fmt.Sprintf("format(%d, %s)", v, asciiOf(text)), shownStr(out, err)}
	case 2:
		v := d.integer(of(d, 10, 64, 300, 1100))
		text := d.spec("bcdoxXneEfFgG%dd")
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
		{"1.5", 1.5, ".99999999999f"}, {"1.5", 1.5, "99999999999999999999"}, {"1", int64(1), "2147483648.2147483648q"},
		{"'a'", "a", "999999999999999999999"}, {"10**4300", pow10(4300), "d"}, {"10**4300", pow10(4300), ","},
		{"10**4299", pow10(4299), ","}, {"10**400", pow10(400), "f"}, {"-5", int64(-5), "c"}, {"0x110000", int64(0x110000), "c"},
		{"0xd800", int64(0xd800), "*^5c"}, {"2**63", pow10(300), "zc"},
	} {
		if c.expr == "2**63" {
			c.v = new(big.Int).Lsh(big.NewInt(1), 63)
		}
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
