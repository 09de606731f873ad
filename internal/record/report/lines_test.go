package report

import (
	"fmt"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for name, tt := range map[string]struct{ a, b, want string }{
		"equal":  {"x\n", "x\n", ""},
		"added":  {"", "x\n", "@@ -0,0 +1 @@\n+x\n"},
		"gone":   {"x\ny\n", "", "@@ -1,2 +0,0 @@\n-x\n-y\n"},
		"change": {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		"two hunks": {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
		"one hunk": {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
			"@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
		"newline":  {"x", "x\n", "@@ -1 +1 @@\n-x\n\\ no newline at the end\n+x\n"},
		"terminal": {"x\n", "\x1b[2Jx\u202e\xff\n", "@@ -1 +1 @@\n-x\n+\\x1b[2Jx\\u202e\\xff\n"},
		"crlf":     {"x\n", "x\r\n", "@@ -1 +1 @@\n-x\n+x\\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			want := tt.want
			if want != "" {
				want = "--- old\n+++ new\n" + want
			}
			if got := Lines(tt.a, tt.b, "old", "new"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if got := Lines("x\n", "y\n"); !strings.HasPrefix(got, "--- a\n+++ b\n") {
		t.Errorf("without names: %s", got)
	}
}

// What is long is shown where it differs, and within bounds.
func TestLinesBounds(t *testing.T) {
	long := strings.Repeat("é", 5000)
	got := Lines(long+"1"+long+"\n", long+"2"+long+"\n")
	if len(got) > 2000 || !strings.Contains(got, "é1é") || !strings.Contains(got, "é2é") || strings.Contains(got, `\x`) {
		t.Errorf("long lines: %d bytes: %.200s", len(got), got)
	}
	var a, b strings.Builder
	for i := range 5000 {
		fmt.Fprintln(&a, "a", i)
		fmt.Fprintln(&b, "b", i)
	}
	got = Lines("same\n"+a.String()+"end\n", "same\n"+b.String()+"end\n")
	if n := strings.Count(got, "\n"); n != maxShown+3 || !strings.HasSuffix(got, "\n[9,603 more lines of the difference left out]\n") {
		t.Errorf("%d lines, the end is %q", n, got[max(0, len(got)-80):])
	}
}

func TestBound(t *testing.T) {
	for name, tt := range map[string]struct {
		text         string
		lines, bytes int
		want         excerpt
	}{
		"short":     {"a\nb\n", 4, 100, excerpt{Head: "a\nb\n"}},
		"empty":     {"", 4, 100, excerpt{}},
		"lines":     {"a\nb\nc\nd\ne\nf\n", 4, 100, excerpt{"a\nb\n", "e\nf\n", "2 lines, 4B"}},
		"no end":    {"a\nb\nc\nd\ne", 4, 100, excerpt{"a\nb\n", "d\ne", "1 line, 2B"}},
		"one line":  {"aaaaaaaaaabbbbbbbbbb", 4, 8, excerpt{"aaaa", "bbbb", "12B"}},
		"character": {"éééééé", 4, 6, excerpt{"é", "é", "8B"}},
		"exact":     {"a\nb\nc\nd\n", 4, 8, excerpt{Head: "a\nb\nc\nd\n"}},
	} {
		got := bound(tt.text, tt.lines, tt.bytes)
		if got.Left == "" {
			got.Head += got.Tail
			got.Tail = ""
		}
		if got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}
