package vm

import (
	"strings"
	"testing"
)

// TestNamesContainNoData checks that labelled text gets into no name, whose readers
// would not see its label.
func TestNamesContainNoData(t *testing.T) {
	for _, set := range []string{
		"class E(Exception): pass\nE.__name__ = s", "class E(Exception): pass\nE.__qualname__ = s",
		"class E: pass\nE.__module__ = s", "def f(): pass\nf.__name__ = s", "def f(): pass\nsetattr(f, '__qualname__', s)",
	} {
		h := newHost(t, "s = secret()\n"+set, false)
		out, err := h.run()
		f, ok := out.(*Failed)
		if err != nil || !ok || f.Class != "TypeError" || strings.Contains(f.Full, "s3cret") {
			t.Errorf("%s: got %+v, %v", set, out, err)
		}
	}
}

// TestKeywordNamesAreLabelled checks that the names of f(**m) keep the labels of m's keys.
func TestKeywordNamesAreLabelled(t *testing.T) {
	src := "def f(**k): return list(k)[0], len(k), k\nclass C:\n    def __init__(self, **k): self.k = k\n" +
		"m = {secret(): 1}\na, n, k = f(**m)\nsend(a)\nsend(n)\nsend(list(C(**m).k)[0])\nsend(list(f(x=1)[2])[0])\nsend(list(dict(**m))[0])\n"
	h := newHost(t, src, false)
	if out, err := h.run(); err != nil {
		t.Fatal(out, err)
	}
	got := strings.Join(h.log[1:], " ")
	want := "send(s3cret/secret#1) send(1/secret#1) send(s3cret/secret#1) send(x/-) send(s3cret/secret#1)"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRepetitionsAreLabelled checks that a repetition depends on what __index__ knows.
func TestRepetitionsAreLabelled(t *testing.T) {
	src := "s = secret()\nclass F:\n    def __index__(self): return len(s)\nl = [1]\nl *= F()\nsend('a' * F())\nsend(len([1] * F()))\nsend(len(l))\nsend('a' * 2)\n"
	h := newHost(t, src, false)
	if out, err := h.run(); err != nil {
		t.Fatal(out, err)
	}
	for i, want := range []string{"secret#1", "secret#1", "secret#1", ""} {
		if got := h.log[i+1]; strings.Contains(got, "secret#1") != (want != "") {
			t.Errorf("call %d: %s", i, got)
		}
	}
}
