package pytext

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

// renderPercent fills one value into a template of one conversion, as the
// interpreter does with more.
func renderPercent(template string, value any) (out []byte, err error) {
	pieces, fault := ParsePercent(template)
	used := false
	for _, c := range pieces {
		out = append(out, c.Literal...)
		if c.HasKey {
			return nil, &Error{Kind: TypeError, Text: "format requires a mapping"}
		}
		if c.Verb == 0 {
			continue
		}
		if c.WidthArg || c.PrecArg || used {
			return nil, fmt.Errorf("not a template for one value")
		}
		used = true
		if out, err = renderVerb(out, &c, value); err != nil {
			return nil, err
		}
	}
	if fault == nil && !used {
		fault = &Error{Kind: TypeError, Text: "not all arguments converted during string formatting"}
	}
	return out, fault
}

func renderVerb(out []byte, c *Conversion, value any) ([]byte, error) {
	switch c.Verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		switch v := value.(type) {
		case int64:
			return c.AppendInt(out, v, testLimit)
		case *big.Int:
			return c.AppendBig(out, v, testLimit)
		}
	case 'e', 'E', 'f', 'F', 'g', 'G':
		switch v := value.(type) {
		case int64:
			return c.AppendFloat(out, float64(v), testLimit)
		case float64:
			return c.AppendFloat(out, v, testLimit)
		case *big.Int:
			f, err := BigToFloat(v)
			if err != nil {
				return nil, err
			}
			return c.AppendFloat(out, f, testLimit)
		}
	case 's', 'r', 'a':
		v := value.(string)
		switch c.Verb {
		case 'r':
			v = ReprStr(v)
		case 'a':
			v = asciiOf(v)
		}
		return c.AppendStr(out, v, testLimit)
	case 'c':
		v, ok := value.(int64)
		if !ok {
			v = -1
		}
		text, err := CharOf(v)
		if err != nil {
			return nil, err
		}
		return c.AppendStr(out, text, testLimit)
	}
	return nil, c.Unsupported()
}

func percentPair(d dice) pair {
	var b strings.Builder
	maybe := func(chance int, options ...string) {
		if d.IntN(chance) == 0 {
			b.WriteString(of(d, options...))
		}
	}
	maybe(4, "a", "é%%", "%%", "\U0001F600 ", "%%%%x")
	b.WriteByte('%')
	maybe(3, "-", "+", " ", "#", "0")
	maybe(4, "-", "+", " ", "#", "0", "+#0")
	maybe(2, "1", "5", "12", "30", "05")
	maybe(3, ".", ".0", ".1", ".3", ".10", ".25", ".400")
	maybe(10, "l", "h", "L")
	var value any
	var text string
	switch d.IntN(4) {
	case 0:
		f := d.float()
		if d.IntN(20) == 0 {
			f = of(d, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1))
		}
		value, text = f, pyFloat(f)
		b.WriteString(of(d, "e", "E", "f", "F", "g", "G", "f"))
	case 1:
		v := d.integer(of(d, 4, 20, 63)).Int64()
		value, text = v, fmt.Sprint(v)
		b.WriteString(of(d, "d", "i", "u", "o", "x", "X", "d", "c", "f", "g"))
	case 2:
		v := d.integer(1100)
		if v.BitLen() < 21 {
			v.Lsh(v, 60)
		}
		value, text = v, v.String()
		b.WriteString(of(d, "d", "i", "u", "o", "x", "X", "c", "f"))
	case 3:
		v := d.text(8)
		value, text = v, asciiOf(v)
		b.WriteString(of(d, "s", "r", "a", "s"))
	}
	template := b.String()
	switch d.IntN(20) {
	case 0:
		template = template[:len(template)-1]
	case 1:
		template = template[:len(template)-1] + of(d, "y", "é", "\n", "%", "\U0001F600", "b", "~", "\x7f", "ll")
	case 2:
		template += of(d, "%", "%%", "é", "%(a", "%5", "%99999999999999999999d", "%.3000000000d")
	}
	out, err := renderPercent(template, value)
	return pair{fmt.Sprintf("%s %% (%s,)", asciiOf(template), text), shownStr(out, err)}
}

func TestPercent(t *testing.T) {
	d := newDice(2)
	var pairs []pair
	for range *cases {
		pairs = append(pairs, percentPair(d))
	}
	compare(t, cpython.Start(t), pairs)
}

func TestPercentPieces(t *testing.T) {
	got, err := ParsePercent("a%(k(x)y)-+ #0*.*ld|%%é%q")
	want := []Conversion{
		{Literal: "a", Key: "k(x)y", HasKey: true, Left: true, Plus: true, Space: true, Hash: true, Zero: true,
			WidthArg: true, PrecArg: true, Width: -1, Prec: -1, Verb: 'd', Index: 18},
		{Literal: "|%é", Width: -1, Prec: -1, Verb: 'q', Index: 24},
	}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := ParsePercent("x%dy%("); err == nil || len(got) != 2 || got[1].Literal != "y" {
		t.Errorf("broken: got %+v, %v", got, err)
	}
}

// FuzzPercent checks that no template makes the parser or the layout fail.
func FuzzPercent(f *testing.F) {
	d := newDice(3)
	for range 50 {
		f.Add(strings.Split(percentPair(d).expr, " % (")[0], 1.5, int64(7), "é")
	}
	f.Fuzz(func(t *testing.T, template string, x float64, n int64, s string) {
		for _, parse := range []func(string) ([]Conversion, error){ParsePercent} {
			pieces, err := parse(template)
			checkPythonError(t, err)
			for _, c := range pieces {
				const limit = 2000
				for _, render := range []func() ([]byte, error){
					func() ([]byte, error) { return c.AppendInt(nil, n, limit) },
					func() ([]byte, error) { return c.AppendBig(nil, big.NewInt(n), limit) },
					func() ([]byte, error) { return c.AppendFloat(nil, x, limit) },
					func() ([]byte, error) { return c.AppendStr(nil, s, limit) },
					func() ([]byte, error) { return nil, c.Unsupported() },
				} {
					out, err := render()
					checkPythonError(t, err)
					if len(out) > limit+400 {
						t.Fatalf("%q made %d bytes", template, len(out))
					}
				}
			}
		}
	})
}
