package random

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

// number parses a number of the tests.
func number(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

// pyFloat is Python's repr of a float of [0, 1).
func pyFloat(f float64) string {
	if f != 0 && f < 1e-4 {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// TestGolden compares the first numbers of some seeds with those that CPython 3.14
// gave for random(), getrandbits(70), randrange(10**30) and randrange(7).
func TestGolden(t *testing.T) {
	cases := []struct {
		seed  string // a number, or a quoted text
		float string
		bits  string
		below string
		small uint64
	}{
		{`0`, "0.8444218515250481", "496037447641349049516", "710317309215200623862088544052", 3},
		{`1`, "0.13436424411240122", "900242893768093690591", "563939619696045208395865113809", 6},
		{`-1`, "0.13436424411240122", "900242893768093690591", "563939619696045208395865113809", 6},
		{`4294967296`, "0.11299430095636409", "35689308314463032582", "700206096604902447315841205089", 3},
		{`18446744073709551621`, "0.5105783769365112", "600761027950519246075", "899012712435913453404965161607", 0},
		{`100000000000000000000000000000000000000000000000000`, "0.8266205292084633", "567407585215194959743", "601349077049453578406430024034", 1},
		{`"hello"`, "0.3537754404730722", "659623273764508623311", "28100859669716678190534808369", 5},
		{`""`, "0.9602256525641875", "446538245589166779136", "297331751877652332165653204682", 6},
		{`"é"`, "0.9689252893653495", "204647028405121159594", "107179757347230924833252003006", 5},
	}
	for _, c := range cases {
		s := new(Source)
		if text, err := strconv.Unquote(c.seed); err == nil {
			s.SeedBytes([]byte(text))
		} else {
			s.Seed(number(c.seed))
		}
		if got := strconv.FormatFloat(s.Random(), 'g', -1, 64); got != c.float {
			t.Errorf("seed %s: Random gave %s, want %s", c.seed, got, c.float)
		}
		if got, err := s.GetRandBits(70); err != nil || got.String() != c.bits {
			t.Errorf("seed %s: GetRandBits gave %v, %v, want %s", c.seed, got, err, c.bits)
		}
		if got, err := s.RandBelow(number("1" + strings.Repeat("0", 30))); err != nil || got.String() != c.below {
			t.Errorf("seed %s: RandBelow gave %v, %v, want %s", c.seed, got, err, c.below)
		}
		if got := s.Below(7); got != c.small {
			t.Errorf("seed %s: Below gave %d, want %d", c.seed, got, c.small)
		}
	}
}

// TestSequencesAgainstCPython draws long mixed sequences from many seeds.
func TestSequencesAgainstCPython(t *testing.T) {
	const code = `
import random
r = random.Random()
def draw(seed):
    r.seed(seed)
    for i in range(400):
        k = i * 7 % 131
        print(repr(r.random()), r.getrandbits(k), r._randbelow(i + 1), r._randbelow(3 ** (i % 100 + 1)))
for n in [0, 1, 2, 12345, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, 3**5000, -17]:
    draw(n)
for text in ['', 'a', 'the seed', 'é日\U0001F600', b'\x00\xff' * 1000]:
    draw(text)
for x in [0.5, -1.25, 1e300, 3.0]:
    draw(x)
`
	reply, err := cpython.Start(t).Run(cpython.Program{Code: code, Seconds: 60})
	if err != nil || reply.Error != "" {
		t.Fatal(err, reply.Error)
	}
	var out strings.Builder
	s := new(Source)
	draw := func() {
		for i := range 400 {
			k := i * 7 % 131
			f := pyFloat(s.Random())
			b, err := s.GetRandBits(k)
			if err != nil {
				t.Fatal(err)
			}
			small := s.Below(uint64(i + 1))
			n, err := s.RandBelow(new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(i%100+1)), nil))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&out, f, b, small, n)
		}
	}
	for _, n := range []string{"0", "1", "2", "12345", "2147483648", "4294967295", "4294967296", "9223372036854775808", "18446744073709551616"} {
		s.Seed(number(n))
		draw()
	}
	s.Seed(new(big.Int).Exp(big.NewInt(3), big.NewInt(5000), nil))
	draw()
	s.Seed(big.NewInt(-17))
	draw()
	for _, text := range []string{"", "a", "the seed", "é日\U0001F600", strings.Repeat("\x00\xff", 1000)} {
		s.SeedBytes([]byte(text))
		draw()
	}
	for _, hash := range []string{"1152921504606846976", "17870283321406128127", "1224995262755759164", "3"} {
		s.Seed(number(hash))
		draw()
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(reply.Out, "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("line %d (sequence %d)\n got %s\nwant %s", i, i/400, got[i], want[i])
		}
	}
}

// FuzzSeed seeds with anything: the same seed gives the same bits, as many as asked for.
func FuzzSeed(f *testing.F) {
	f.Add([]byte(nil), uint16(0))
	f.Add([]byte("seed"), uint16(70))
	f.Fuzz(func(t *testing.T, seed []byte, k uint16) {
		a, b := seeded(new(big.Int).SetBytes(seed)), seeded(new(big.Int).SetBytes(seed))
		x, err := a.GetRandBits(int(k))
		if err != nil || x.BitLen() > int(k) {
			t.Fatalf("%d bits: %v, %v", k, x, err)
		}
		if y, _ := b.GetRandBits(int(k)); x.Cmp(y) != 0 {
			t.Fatalf("%v, and %v from the same seed", x, y)
		}
	})
}

func TestZeroSourceIsSeededWithZero(t *testing.T) {
	var s Source
	if got, want := s.Random(), seeded(new(big.Int)).Random(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNumbersOfBits(t *testing.T) {
	s := seeded(big.NewInt(1))
	for _, k := range []int{-1, MaxBits + 1} {
		if _, err := s.GetRandBits(k); !errors.Is(err, ErrBits) {
			t.Errorf("%d bits: %v", k, err)
		}
	}
	before := *s
	if n, err := s.GetRandBits(0); err != nil || n.Sign() != 0 || *s != before {
		t.Errorf("no bits are %v, %v", n, err)
	}
	for _, n := range []*big.Int{new(big.Int), big.NewInt(-5)} {
		if r, err := s.RandBelow(n); err != nil || r.Sign() != 0 {
			t.Errorf("below %v: %v, %v", n, r, err)
		}
	}
	if s.Below(0) != 0 {
		t.Error("a number below 0")
	}
	for k := range 65 {
		if r := s.Bits(k); k < 64 && r>>k != 0 {
			t.Errorf("%d bits are %d", k, r)
		}
	}
}

// seeded is a generator seeded with a number.
func seeded(seed *big.Int) *Source {
	s := new(Source)
	s.Seed(seed)
	return s
}
