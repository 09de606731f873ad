package python

import "testing"

func TestCrashLine(t *testing.T) {
	const head = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 [python3] (most recent call first):\n"
	for report, want := range map[string]int{
		head + "  File \"<cell 2>\", line 4 in f\n  File \"<cell 2>\", line 7 in <module>\n":          7,
		head + "  File \"<cell 12>\", line 1 in <module>\n":                                           1,
		head + "  File \"/work/a.py\", line 3 in <module>\n  File \"<cell 2>\", line 9 in <module>\n": 9,
		head + "  File \"/work/a.py\", line 3 in <module>\n":                                          0,
		head + "  File \"<cell 2>\", line 99999999999999999999 in <module>\n":                         0,
		"": 0,
	} {
		if line, ok := crashLine(report); line != want || ok != (want > 0) {
			t.Errorf("%q: line %d, %v", report, line, ok)
		}
	}
}
