package pytext

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

func showInt(v int64, b *big.Int, err error) string {
	if b != nil {
		return shown(b.String(), err)
	}
	return shown(strconv.FormatInt(v, 10), err)
}

func showFloat(f float64, err error) string { return shown(string(AppendFloat(nil, f)), err) }

// literal makes a text that is nearly a number.
func (d dice) literal() string {
	var b strings.Builder
	if d.IntN(5) == 0 {
		b.WriteString(of(d, " ", "\t", "\n ", "\u00a0", "\x1c", "\u2003", "\x85"))
	}
	if d.IntN(3) == 0 {
		b.WriteString(of(d, "-", "+", "--", "- "))
	}
	if d.IntN(4) == 0 {
		b.WriteString(of(d, "0x", "0b", "0o", "0X", "0_", "0", "00", "0x_"))
	}
	for range d.IntN(5) {
		b.WriteString(of(d, "1", "7", "23", "_", ".", "e", "E5", "e-3", "e+", "f", "a", "0", "٣", "１", "inf", "nan", "9999999999", "00000", "Infinity", "ı", "ſ", "\x00"))
	}
	if d.IntN(8) == 0 {
		b.WriteString(of(d, " ", "\r\n", "\u3000", "x", "\x1f"))
	}
	return b.String()
}

func TestParse(t *testing.T) {
	d := newDice(10)
	var pairs []pair
	add := func(text string, base int) {
		pairs = append(pairs, pair{fmt.Sprintf("int(%s, %d)", asciiOf(text), base), showInt(ParseInt(text, base))})
		if len(text) > maxFloatText {
			return
		}
		pairs = append(pairs, pair{fmt.Sprintf("float(%s)", asciiOf(text)), showFloat(ParseFloat(text))})
	}
	for range *cases {
		add(d.literal(), of(d, 10, 10, 0, 0, 2, 8, 16, 36, 3, 1, 37, -1))
	}
	for _, text := range []string{
		"", " ", "_1", "1_", "1__2", "1_2", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
		strings.Repeat("1", 4300), strings.Repeat("1", 4301), strings.Repeat("0", 4301), strings.Repeat("1_", 3900) + "1", strings.Repeat("1", 5000) + "x",
		strings.Repeat("1", 5000) + "_", "-" + strings.Repeat("a", 300), "1e400", "-1e400", "1e-400", "0x1p1023", "0x1p1024", "0x1p-1074", "0x1p-1075", "0x1.8p-1075",
		"0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x1.00000000000008p0", "0x1.000000000000080000000000001p0", "0x1.fffffffffffffp1023", "0x1.fffffffffffff8p1023", "0x.8", "0x", ".", "1.", "0x1.p2",
		"9007199254740993" + strings.Repeat("0", 700) + "e-700", "9007199254740993." + strings.Repeat("0", 700) + "1", "1e99999999999999999999999", "1e-99999999999999999999999", "0e99999999999999999999999",
		strings.Repeat("0", 700) + ".5", "." + strings.Repeat("0", 700), strings.Repeat("123_", 190) + "4.5e-560",
		"2.2250738585072011e-308", "1.7976931348623158e308", "1.7976931348623159e308", "9007199254740993", "5e-324", "2e-324", "3e-324", "İnf", "nan ", "-inf", "infinit",
	} {
		for _, base := range []int{10, 0, 16, 36} {
			if len(text) < 1000 || base == 10 || base == 0 {
				add(text, base)
			}
		}
	}
	compare(t, cpython.Start(t), pairs)
}

// arithmetic gives expressions of one or two floats and what they come to.
func arithmetic(d dice) (pairs []pair) {
	special := func(f float64) float64 {
		if d.IntN(12) == 0 {
			return of(d, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 0)
		}
		return f
	}
	a, b := special(d.float()), special(d.float())
	pa, pb := pyFloat(a), pyFloat(b)
	add := func(got, format string, args ...any) { pairs = append(pairs, pair{fmt.Sprintf(format, args...), got}) }
	add(showFloat(a, nil), "%s", pa)
	add(showFloat(FloatDiv(a, b)), "%s / %s", pa, pb)
	add(showFloat(FloatMod(a, b)), "%s %% %s", pa, pb)
	q, m, err := FloatDivMod(a, b)
	add(showFloat(q, err), "%s // %s", pa, pb)
	add(shown("("+showFloat(q, nil)+", "+showFloat(m, nil)+")", err), "divmod(%s, %s)", pa, pb)
	places := int64(d.IntN(24) - 6)
	if d.IntN(10) == 0 {
		places = int64(d.IntN(800) - 400)
	}
	add(showFloat(RoundFloat(a, places)), "round(%s, %d)", pa, places)
	v, big1, err := FloatToInt(a)
	add(showInt(v, big1, err), "int(%s)", pa)
	num, den, err := Ratio(a)
	add(shown(fmt.Sprintf("(%v, %v)", num, den), err), "%s.as_integer_ratio()", pa)
	if a == a {
		add(strconv.FormatInt(HashFloat(a), 10), "hash(%s)", pa)
	}
	return pairs
}

func TestFloats(t *testing.T) {
	d := newDice(11)
	var pairs []pair
	for range *cases / 2 {
		pairs = append(pairs, arithmetic(d)...)
	}
	for _, f := range []float64{2.675, 0.5, 1.5, 2.5, 1e22, 1e23, 5e-324, math.MaxFloat64, 25, 35, 15.5, 1e16, 123456789.5, -0.0001} {
		for places := int64(-330); places <= 330; places++ {
			pairs = append(pairs, pair{fmt.Sprintf("round(%s, %d)", pyFloat(f), places), showFloat(RoundFloat(f, places))})
		}
	}
	compare(t, cpython.Start(t), pairs)
}

func TestIntegers(t *testing.T) {
	d := newDice(12)
	var pairs []pair
	add := func(got, format string, args ...any) { pairs = append(pairs, pair{fmt.Sprintf(format, args...), got}) }
	for range *cases / 2 {
		v, w := d.integer(of(d, 8, 64, 70, 300, 1200, 2200)), d.integer(of(d, 8, 64, 70, 300, 1200, 2200))
		f := d.float()
		if d.IntN(2) == 0 {
			f, _ = v.Float64()
		}
		small := d.integer(63).Int64()
		text, err := AppendBig(nil, v)
		add(shown(string(text), err), "%v", v)
		add(showFloat(BigToFloat(v)), "float(%v)", v)
		add(showFloat(BigTrueDiv(v, w)), "%v / %v", v, w)
		places := int64(d.IntN(40))
		if d.IntN(10) == 0 {
			places = int64(d.IntN(1000))
		}
		add(RoundInt(v, places).String(), "round(%v, -%d)", v, places)
		add(strconv.FormatInt(HashBig(v), 10), "hash(%v)", v)
		add(strconv.FormatInt(HashInt(small), 10), "hash(%v)", small)
		if !math.IsInf(f, 0) {
			order, _ := CompareBigFloat(v, f)
			add(strconv.Itoa(order), "(%v > %s) - (%v < %s)", v, pyFloat(f), v, pyFloat(f))
			order, _ = CompareIntFloat(small, f)
			add(strconv.Itoa(order), "(%v > %s) - (%v < %s)", small, pyFloat(f), small, pyFloat(f))
		}
	}
	for _, text := range []string{"0", "-1", "2305843009213693951", "2305843009213693950", "-2305843009213693951", "-2305843009213693952", "9223372036854775807", "-9223372036854775808"} {
		v, _ := new(big.Int).SetString(text, 10)
		add(strconv.FormatInt(HashBig(v), 10), "hash(%v)", v)
		add(strconv.FormatInt(HashInt(v.Int64()), 10), "hash(%v)", v)
		add(RoundInt(v, 19).String(), "round(%v, -19)", v)
	}
	huge := pow10(4300)
	_, err := AppendBig(nil, huge)
	add(shown("", err), "str(10**4300)")
	nines := new(big.Int).Sub(huge, big.NewInt(1))
	text, err := AppendBig(nil, nines)
	add(shown(string(text), err), "10**4300-1")
	add(showFloat(BigTrueDiv(huge, big.NewInt(1))), "10**4300 / 1")
	add(showFloat(BigTrueDiv(big.NewInt(-1), huge)), "-1 / 10**4300")
	add(showFloat(BigTrueDiv(huge, nines)), "10**4300 / (10**4300-1)")
	add(showFloat(BigTrueDiv(huge, new(big.Int))), "10**4300 / 0")
	add(showFloat(BigTrueDiv(new(big.Int), new(big.Int).Neg(huge))), "0 / -10**4300")
	compare(t, cpython.Start(t), pairs)
}

func TestPow(t *testing.T) {
	var pairs []pair
	values := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, 0.1, 1.5, -1.5, 10, 53, 1e-200, 1e200, 1e20, -1e20, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1.05, 1.1, 1023, -1074, -1075, -1022, 360}
	for _, a := range values {
		for _, b := range values {
			got, err := FloatPow(a, b)
			if err == ErrComplex {
				pairs = append(pairs, pair{fmt.Sprintf("type((%s) ** (%s)).__name__", pyFloat(a), pyFloat(b)), "'complex'"})
				continue
			}
			pairs = append(pairs, pair{fmt.Sprintf("(%s) ** (%s)", pyFloat(a), pyFloat(b)), showFloat(got, err)})
		}
	}
	compare(t, cpython.Start(t), pairs)
}

// TestPowRounded compares powers with ones of 200 bits: each must be the
// nearest float. C's libraries miss it about once in a thousand times.
func TestPowRounded(t *testing.T) {
	d := newDice(13)
	for range *cases {
		a := of(d, math.Abs(d.float()), 1+d.Float64()/5, d.Float64()*100)
		n := d.IntN(60) + 1
		exact := new(big.Float).SetPrec(4000).SetInt64(1)
		base := new(big.Float).SetPrec(4000).SetFloat64(a)
		for range n {
			exact.Mul(exact, base)
		}
		want, _ := exact.Float64()
		got, err := FloatPow(a, float64(n))
		if math.IsInf(want, 0) {
			if err != errRange {
				t.Errorf("%v ** %v: got %v, %v", a, n, got, err)
			}
		} else if got != want {
			t.Errorf("%v ** %v: got %v, want %v", a, n, got, want)
		}
	}
}

// FuzzParse checks that no text makes a parser of numbers fail, and that what
// it reads is what it writes.
func FuzzParse(f *testing.F) {
	d := newDice(14)
	for range 100 {
		f.Add(d.literal(), of(d, 10, 0, 16))
	}
	f.Fuzz(func(t *testing.T, text string, base int) {
		v, b, err := ParseInt(text, base)
		checkPythonError(t, err)
		if err == nil && b == nil {
			if again, _, err := ParseInt(strconv.FormatInt(v, 10), 10); err != nil || again != v {
				t.Fatalf("%q: %d became %d, %v", text, v, again, err)
			}
		}
		if b != nil && b.IsInt64() {
			t.Fatalf("%q: %v is small", text, b)
		}
		x, err := ParseFloat(text)
		checkPythonError(t, err)
		if again, err := ParseFloat(string(AppendFloat(nil, x))); err != nil || again != x && x == x {
			t.Fatalf("%q: %v became %v, %v", text, x, again, err)
		}
	})
}

// TestLongFloats reads texts that strconv alone would not read exactly.
func TestLongFloats(t *testing.T) {
	zeros, ones := strings.Repeat("0", 5000), strings.Repeat("1", 5000)
	for text, want := range map[string]string{
		ones + "e999999999":                    "inf",
		"-1" + zeros + "e99999999999999999999": "-inf",
		ones + "e-999999999":                   "0.0",
		"-" + zeros:                            "-0.0",
		"0." + zeros + "1e5001":                "1.0",
		"1" + zeros + "e-5000":                 "1.0",
		"9007199254740993" + zeros + "e-5000":  "9007199254740992.0",
		"9007199254740993" + zeros + "1e-5001": "9007199254740994.0",
		"0." + ones:                            "0.1111111111111111",
		ones + "e":                             "", ones + "e+-1": "", "+-" + ones: "", ones + "x": "", strings.Repeat(".", 5000): "",
	} {
		f, err := ParseFloat(text)
		if got := string(AppendFloat(nil, f)); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%.10s… of %d characters gives %s, %v; want %s", text, len(text), got, err, want)
		}
	}
}
