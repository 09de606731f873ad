package decimal

import (
	"math/big"
	"strings"
	"testing"
)

func must(t testing.TB, s string) *Decimal {
	t.Helper()
	d, ok := Parse(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return d
}

func TestText(t *testing.T) {
	for _, c := range []struct{ in, sci, eng string }{
		{"0", "0", "0"}, {"-0.00", "-0.00", "-0.00"}, {"1e5", "1E+5", "100E+3"}, {"123.45e-10", "1.2345E-8", "12.345E-9"},
		{"0e3", "0E+3", "0E+3"}, {"0e4", "0E+4", "0.00E+6"}, {"1_000.50", "1000.50", "1000.50"}, {" +.5 ", "0.5", "0.5"},
		{"-Inf", "-Infinity", "-Infinity"}, {"nan007", "NaN7", "NaN7"}, {"sNaN", "sNaN", "sNaN"}, {"1E-7", "1E-7", "100E-9"},
	} {
		d := must(t, c.in)
		if got := d.String(); got != c.sci {
			t.Errorf("%s: got %s, want %s", c.in, got, c.sci)
		}
		if got := d.Text(true, true); got != c.eng {
			t.Errorf("%s for engineers: got %s, want %s", c.in, got, c.eng)
		}
	}
	for _, bad := range []string{"", "+", ".", "1e", "e5", "1.2.3", "1e1.5", "infin", "nanx", "0x1", "1 2"} {
		if d, ok := Parse(bad); ok {
			t.Errorf("%q was read as %v", bad, d)
		}
	}
}

// TestExponents checks that exponents that no number can have neither hang nor wrap around.
func TestExponents(t *testing.T) {
	c := Default()
	for _, s := range []string{"1e999999999999999999", "1e-999999999999999999", "1e99999999999999999999999", "-1e-99999999999999999999999"} {
		d := must(t, s)
		big := strings.Contains(s, "e9")
		if r := c.Plus(d); (r.Form == Infinite) != big || !big && !r.IsZero() {
			t.Errorf("+%s: got %v", s, r)
		}
		c.Add(d, must(t, "1"))
		c.Sqrt(d)
		c.Exp(d)
		d.Hash()
		if Cmp(d, must(t, "1")) == 0 {
			t.Errorf("%s is 1", s)
		}
	}
}

// TestSettled checks that the elementary functions give the digits that many more digits round to.
func TestSettled(t *testing.T) {
	args := []string{"0.5", "2", "10", "1.0000001", "0.99999999999", "123456789.987654321", "1e-20", "3.7e15"}
	for _, s := range args {
		d := must(t, s)
		for name, f := range map[string]func(c *Context) *Decimal{
			"exp":   func(c *Context) *Decimal { return c.Exp(must(t, "0."+strings.ReplaceAll(s, ".", "")[:1]+"7")) },
			"ln":    func(c *Context) *Decimal { return c.Ln(d) },
			"log10": func(c *Context) *Decimal { return c.Log10(d) },
			"sqrt":  func(c *Context) *Decimal { return c.Sqrt(d) },
		} {
			long := Default()
			long.Prec = 120
			want := f(long)
			for prec := int64(1); prec < 60; prec += 7 {
				c := Default()
				c.Prec = prec
				got := f(c)
				if r := c.Round(want); Cmp(got, r) != 0 {
					t.Errorf("%s(%s) to %d digits: got %v, want %v", name, s, prec, got, r)
				}
			}
		}
	}
}

// TestFloat checks that each float is read exactly.
func TestFloat(t *testing.T) {
	for _, f := range []float64{0.1, 1e300, 5e-324, -2.5, 1 << 60, 0} {
		n, den, ok := FromFloat(f).Ratio()
		want := new(big.Rat).SetFloat64(f)
		if !ok || new(big.Rat).SetFrac(n, den).Cmp(want) != 0 {
			t.Errorf("%v: got %v/%v", f, n, den)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.5e3", "-inf", "snan12", "0e-99999999999999999999", "1_0.0_1", ".", "9e9999999999999999999"} {
		f.Add(s, "1e-5", ".3e")
	}
	f.Fuzz(func(t *testing.T, a, b, spec string) {
		if len(a) > 60 || len(b) > 60 || len(spec) > 8 {
			return
		}
		x, ok := Parse(a)
		if !ok || x.Exp > MaxExp || x.Exp < -MaxExp {
			return
		}
		again, ok := Parse(x.String())
		if !ok || again.String() != x.String() {
			t.Fatalf("%q became %q", a, x)
		}
		y, ok := Parse(b)
		if !ok {
			return
		}
		c := Default()
		for _, op := range []func(a, b *Decimal) *Decimal{c.Add, c.Sub, c.Mul, c.Quo, c.QuoInt, c.Rem, c.RemNear, c.Max, c.Pow} {
			r := op(x, y)
			if r.Form == Finite && (r.Digits() > c.Prec || !r.IsZero() && r.Adjusted() > c.Emax) {
				t.Fatalf("%v and %v gave %v", x, y, r)
			}
		}
		c.Exp(x)
		c.Ln(x)
		if x.Exp < 1000 && x.Exp > -1000 {
			c.Format(x, spec, true)
		}
	})
}
