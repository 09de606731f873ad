package regex

import (
	"errors"
	"testing"
)

// FuzzCompile compiles anything. What compiles must run within its budget.
func FuzzCompile(f *testing.F) {
	for _, c := range tableCases {
		f.Add(c.pattern, uint16(0))
		f.Add(c.pattern, uint16(IgnoreCase|MultiLine))
	}
	f.Fuzz(func(t *testing.T, pattern string, flags uint16) {
		text := Str
		p, bad := Compile(text(pattern), Flags(flags))
		if bad != nil {
			if bad.Msg == "" || bad.Pos > text(pattern).Len() {
				t.Fatalf("%q: %+v", pattern, bad)
			}
			return
		}
		run(t, p, text("aabab a1\n"))
	})
}

// FuzzMatch matches anything with anything.
func FuzzMatch(f *testing.F) {
	for _, c := range tableCases {
		for _, s := range c.subjects {
			f.Add(c.pattern, s, `<\1>`)
		}
	}
	f.Add(`(a*)*\1b`, "aaaaaaaaaaaaaaaaaaaaaaaaa", `\g<0>`)
	f.Fuzz(func(t *testing.T, pattern, subject, repl string) {
		text := Str
		p, bad := Compile(text(pattern), 0)
		if bad != nil {
			return
		}
		s := text(subject)
		run(t, p, s)
		tpl, bad := ParseTemplate(text(repl), p)
		if bad != nil {
			return
		}
		budget := int64(100_000)
		out, n, err := p.Sub(s, tpl, 0, 1<<16, &budget)
		if err == nil && (len(out) > 1<<16 && n > 0 || n > 2*s.Len()+1) {
			t.Fatalf("%d bytes after %d substitutions", len(out), n)
		}
	})
}

// run searches a text in every way, and checks what must hold of all matches.
func run(t *testing.T, p *Program, s Text) {
	t.Helper()
	const steps = 100_000
	for _, mode := range []Mode{Search, Prefix, FullMatch} {
		budget := int64(steps)
		m, err := p.Exec(s, mode, 0, s.Len(), &budget)
		if budget < 0 || err != nil && !errors.Is(err, ErrSteps) && !errors.Is(err, ErrStack) {
			t.Fatalf("%v with %d steps left", err, budget)
		}
		if m != nil {
			check(t, m, s.Len())
		}
	}
	budget := int64(steps)
	all, err := p.FindAll(s, 0, s.Len(), &budget)
	last := 0
	for _, m := range all {
		check(t, m, s.Len())
		b, e, _ := m.Span(0)
		if b < last {
			t.Fatalf("a match at %d after one that ends at %d", b, last)
		}
		last = e
	}
	if err != nil {
		return
	}
	budget = steps
	pieces, err := p.Split(s, 0, &budget)
	if err == nil && len(pieces) != 1+len(all)*(1+p.Groups()) {
		t.Fatalf("%d pieces of %d matches with %d groups", len(pieces), len(all), p.Groups())
	}
}

func check(t *testing.T, m *Match, n int) {
	t.Helper()
	for g := 0; g <= m.Groups(); g++ {
		b, e, ok := m.Span(g)
		if ok && (b < 0 || e < b || e > n) || !ok && (b != -1 || g == 0) {
			t.Fatalf("group %d spans %d to %d of %d", g, b, e, n)
		}
	}
	if m.LastIndex < 0 || m.LastIndex > m.Groups() {
		t.Fatalf("last index %d of %d groups", m.LastIndex, m.Groups())
	}
}
