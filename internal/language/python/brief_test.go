package python

import (
	"strings"
	"testing"
)

func TestBrief(t *testing.T) {
	frame := func(n string) string {
		return "  File \"<cell 1>\", line " + n + ", in f\n    f(" + n + ")\n    ~^^^\n"
	}
	const head = "Traceback (most recent call last):\n"
	deep := head + frame("1") + frame("2") + frame("3") + "  … 4 frames in pandas, the last is get\n" + frame("5") + frame("6") + frame("7") + "ValueError: no\n"
	for in, want := range map[string]string{
		"":                                    "",
		head + frame("1") + "KeyError: 'x'\n": head + frame("1") + "KeyError: 'x'\n",
		deep:                                  head + frame("1") + frame("2") + "  … 2 more\n" + frame("5") + frame("6") + frame("7") + "ValueError: no\n",
		head + frame("1") + "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n" + head + frame("2") + "ValueError: y\n": "after KeyError: 'x'\n" + head + frame("2") + "ValueError: y\n",
		"ValueError: a\n\nThe above exception was the direct cause of the following exception:\n\nTypeError: b\n":                                              "after ValueError: a\nTypeError: b\n",
	} {
		if got := brief(in); got != want {
			t.Errorf("%q becomes\n%s\nwant\n%s", in, got, want)
		}
	}
}

// FuzzBrief checks that the last line stays, and that nothing becomes much longer.
func FuzzBrief(f *testing.F) {
	f.Add("Traceback (most recent call last):\n" + strings.Repeat("  File \"a\", line 1, in f\n", 9) + "E: x\n")
	f.Add("E\n\nDuring handling of the above exception, another exception occurred:\n\nF: 1")
	f.Fuzz(func(t *testing.T, traceback string) {
		got := brief(traceback)
		if len(got) > 2*len(traceback)+40 {
			t.Fatalf("%q becomes %q", traceback, got)
		}
		if i := strings.LastIndexByte(traceback, '\n'); !strings.HasSuffix(got, traceback[i+1:]) {
			t.Fatalf("%q becomes %q", traceback, got)
		}
	})
}
