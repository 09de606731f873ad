package pytext

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

// renderPercent fills one value into a template of one conversion, as the
// interpreter does with more.
func renderPercent(template string, value any) (out []byte, err error) {
	pieces, err := ParsePercent(template)
	for _, c := range pieces {
		out = append(out, c.Literal...)
		if c.Verb != 0 && err == nil {
			out, err = renderVerb(out, &c, value)
		}
	}
	return out, err
}

func renderVerb(out []byte, c *Conversion, value any) ([]byte, error) {
	switch v := value.(type) {
	case int64:
		return FormatInt(out, v, &c.Spec, testLimit)
	case *big.Int:
		return FormatBig(out, v, &c.Spec, testLimit)
	case float64:
		return FormatFloat(out, v, &c.Spec, testLimit)
	}
	v := value.(string)
	switch c.Verb {
	case 'r':
		v = ReprStr(v)
	case 'a':
		v = asciiOf(v)
	}
	return FormatStr(out, v, &c.Spec, testLimit)
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
	var value any
	var text string
	kind := d.IntN(4)
	if kind == 0 || kind == 3 {
		maybe(3, ".", ".0", ".1", ".3", ".10", ".25", ".400")
	}
	maybe(10, "l", "h", "L")
	switch kind {
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
		b.WriteString(of(d, "d", "i", "u", "o", "x", "X", "d", "f", "g"))
	case 2:
		v := d.integer(1100)
		if v.BitLen() < 21 {
			v.Lsh(v, 60)
		}
		value, text = v, v.String()
		b.WriteString(of(d, "d", "i", "u", "o", "x", "X", "f"))
	case 3:
		v := d.text(8)
		value, text = v, asciiOf(v)
		b.WriteString(of(d, "s", "r", "a", "s"))
	}
	maybe(10, "%%", "é%%")
	template := b.String()
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
	got, err := ParsePercent("a%(k)-+ #08.3ld|%%é%r")
	number := Spec{Fill: ' ', Type: 'd', Width: 8, Precision: 3, Align: '<', Sign: '+', Alternate: true}
	want := []Conversion{
		{Literal: "a", Key: "k", HasKey: true, Verb: 'd', Spec: number},
		{Literal: "|%"},
		{Literal: "é", Verb: 'r', Spec: Spec{Fill: ' ', Type: 's', Width: -1, Precision: -1, Align: '>'}},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for template, text := range map[string]string{
		"%": "incomplete format", "%5.": "incomplete format", "%(a": "incomplete format key", "%é": "unsupported format character 'é' (0xe9) at index 5",
		"%*d": "unsupported format character '*' (0x2a) at index 5", "%99999999999999999999d": "Too many decimal digits in format string",
	} {
		if _, err := ParsePercent("x%dy" + template); err == nil || err.Error() != text {
			t.Errorf("%s: got %v", template, err)
		}
	}
}

// FuzzPercent checks that no template makes the parser or the layout fail.
func FuzzPercent(f *testing.F) {
	d := newDice(3)
	for range 50 {
		f.Add(strings.Split(percentPair(d).expr, " % (")[0], 1.5, int64(7), "é")
	}
	f.Fuzz(func(t *testing.T, template string, x float64, n int64, s string) {
		pieces, err := ParsePercent(template)
		checkPythonError(t, err)
		for _, c := range pieces {
			const limit = 2000
			for _, render := range []func() ([]byte, error){
				func() ([]byte, error) { return FormatInt(nil, n, &c.Spec, limit) },
				func() ([]byte, error) { return FormatBig(nil, big.NewInt(n), &c.Spec, limit) },
				func() ([]byte, error) { return FormatFloat(nil, x, &c.Spec, limit) },
				func() ([]byte, error) { return FormatStr(nil, s, &c.Spec, limit) },
			} {
				out, err := render()
				checkPythonError(t, err)
				if len(out) > limit {
					t.Fatalf("%q made %d bytes", template, len(out))
				}
			}
		}
	})
}
