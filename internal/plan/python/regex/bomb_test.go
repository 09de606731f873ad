package regex

import (
	"errors"
	"strings"
	"testing"
)

// TestBudgetEndsBombs runs bombs that the budget must stop, and checks that
// they stop soon after it is used up.
func TestBudgetEndsBombs(t *testing.T) {
	a := strings.Repeat("a", 60)
	cases := []struct{ pattern, subject string }{
		{`(a+)+\1$`, a + "b"},
		{`(a+)+$`, a + "b"},
		{`^(a|aa)+$`, a + "b"},
		{`^(a|a?)+$`, a + "b"},
		{`^((a*)*)*b$`, a},
		{`(x+x+)+y`, strings.Repeat("x", 60)},
		{`^(\w+\s?)*$`, strings.Repeat("word ", 20) + "!"},
		{`(?:(?:(?:(?:a*)*)*)*)*b`, a},
		{`(.*)(.*)(.*)(.*)(.*)x`, strings.Repeat("a", 800)},
		{`(?i)^(é+)+$`, strings.Repeat("éÉ", 30) + "b"},
		{`^(?=(a+)+b)`, a},
		{`^(?:a|aa)+(?!a)$`, a + "b"},
		{`(?<=a)(a*)*\1b`, a},
		{`^(a?){60}\1a{60}b$`, a},
		{`()(?:\1|()){4294967294}`, "a"},
		{`()(?:\1){4294967294}`, "a"},
		{`(?:(?:a|b|){4000}){4000}c`, strings.Repeat("ab", 500)},
		{`(?=(a*))\1*b`, strings.Repeat("a", 100_000)},
		{`(a*)*b\1`, a},
	}
	for _, c := range cases {
		p, bad := Compile(Str(c.pattern), 0)
		if bad != nil {
			t.Fatalf("%s: %v", c.pattern, bad)
		}
		budget := int64(3_000_000)
		m, err := p.Exec(Str(c.subject), Search, 0, len(c.subject), &budget)
		if !errors.Is(err, ErrSteps) && !errors.Is(err, ErrStack) {
			t.Errorf("%s: match %v, error %v, budget left %d", c.pattern, m != nil, err, budget)
		}
		if errors.Is(err, ErrSteps) && budget != 0 {
			t.Errorf("%s: %d steps are left", c.pattern, budget)
		}
	}
}

// TestBudgetIsSpent checks that work costs something, and that nothing runs without
// budget.
func TestBudgetIsSpent(t *testing.T) {
	text := strings.Repeat("word another 12345 ", 500)
	for _, s := range []string{`\d+x`, `nothing`, `(\w+) (\w+)!`, `[xyz]q`, `.*?!`, `(?s).*!`, `[^!]*!`, `(?=\d)x`, `a*b*!`} {
		p, bad := Compile(Str(s), 0)
		if bad != nil {
			t.Fatal(bad)
		}
		budget := int64(50_000_000)
		if _, err := p.Exec(Str(text), Search, 0, len(text), &budget); err != nil {
			t.Fatal(s, err)
		}
		if spent := 50_000_000 - budget; spent < int64(len(text))/40 {
			t.Errorf("%s: only %d steps for %d characters", s, spent, len(text))
		}
		budget = 10
		if _, err := p.Exec(Str(text), Search, 0, len(text), &budget); !errors.Is(err, ErrSteps) {
			t.Errorf("%s with ten steps: %v", s, err)
		}
	}
	p, _ := Compile(Str(`a`), 0)
	budget := int64(0)
	if _, err := p.FindAll(Str("aaa"), 0, 3, &budget); !errors.Is(err, ErrSteps) {
		t.Errorf("without budget: %v", err)
	}
}

// TestLargePatterns compiles patterns that are large or deep.
func TestLargePatterns(t *testing.T) {
	n := 6_000
	for _, s := range []string{
		strings.Repeat("a", n), strings.Repeat("(a)", n), strings.Repeat("[a-z0-9]", n), strings.Repeat("a|", n),
		strings.Repeat("(?:a|b)?", n), strings.Repeat("a{1000}", n), strings.Repeat("(?i)", n), strings.Repeat(`[\u0000-\U0010ffff]`, n/2),
		"[" + strings.Repeat("a-z", n) + "]", strings.Repeat("(?P<a>", 1) + strings.Repeat("a", n) + ")", strings.Repeat(`(?i:[é-ü])`, n),
		strings.Repeat("(a)", 200) + strings.Repeat(`\99`, n),
	} {
		p, bad := Compile(Str(s), 0)
		if bad != nil {
			t.Errorf("%.20q…: %v", s, bad)
			continue
		}
		budget := int64(2_000_000)
		if _, err := p.Exec(Str(strings.Repeat("ab", 500)), Search, 0, 1000, &budget); err != nil && !errors.Is(err, ErrSteps) {
			t.Errorf("%.20q…: %v", s, err)
		}
	}
	for _, s := range []string{strings.Repeat("(", 100_000), strings.Repeat("(?:", 60_000) + strings.Repeat(")", 60_000)} {
		if _, bad := Compile(Str(s), 0); bad == nil {
			t.Errorf("%.20q…: %v", s, bad)
		}
	}
	deep := strings.Repeat("(", 450) + "a" + strings.Repeat(")*", 450)
	p, bad := Compile(Str(deep), 0)
	if bad != nil {
		t.Fatal(bad)
	}
	budget := int64(10_000_000)
	if m, err := p.Exec(Str("aaa"), Search, 0, 3, &budget); err != nil || m == nil {
		t.Errorf("a deep pattern: %v, %v", m, err)
	}
	if _, bad := Compile(Str(strings.Repeat("a{2}?(b)", maxPattern/8)), 0); bad != nil && bad != errLarge {
		t.Error(bad)
	}
	if _, bad := Compile(Str(strings.Repeat("a", maxPattern+1)), 0); bad == nil || bad != errLarge {
		t.Errorf("a pattern of %d characters: %v", maxPattern+1, bad)
	}
}
