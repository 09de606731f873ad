package ignore_test

import (
	"testing"

	"praxis/internal/worktree/ignore"
)

func TestMatch(t *testing.T) {
	var r ignore.Rules
	r.Add("", []byte("*.log\r\n/top\n!keep.log\nbuild/\n"))
	r.Add("sub", []byte("/here\n"))
	for p, want := range map[string]bool{"a.log": true, "x/a.log": true, "keep.log": false, "top": true, "x/top": false, "build/a": true, "sub/here": true, "here": false, "sub/x/here": false, "a.go": false} {
		if got := r.Match(p, false); got != want {
			t.Errorf("%s: %t", p, got)
		}
	}
}

func TestMade(t *testing.T) {
	for p, want := range map[string]bool{"a/__pycache__/b.cpython-314.pyc": true, "x.o": true, "node_modules/a/index.js": true, "src/main.c": false, "a.out": true, "test.py": false} {
		if got := ignore.Made(p); got != want {
			t.Errorf("%s: %t", p, got)
		}
	}
}

func FuzzRules(f *testing.F) {
	f.Add("*.log\n!a\n/b/\n**/c\n[", "a/b/c.log")
	f.Fuzz(func(t *testing.T, rules, p string) {
		var r ignore.Rules
		r.Add("d", []byte(rules))
		r.Match(p, false)
	})
}
