package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPreview(t *testing.T) {
	line := strings.Repeat("é", 20) + "\n"
	for _, c := range []struct{ data, head, note string }{
		{"a,b\n1,2\n", "a,b\n1,2\n", ""},
		{"", "", "is empty"},
		{"\x89PNG\r\n\x1a\n\x00\x00", "", "is not text"},
		{"PK\x03\x04", "", "is not text"},
		{"name\nJos\xe9\n", "name\nJosé\n", "is not UTF-8; it looks like latin-1"},
		{"it\x92s \x80 5\n", "it\ufffds \ufffd 5\n", "is not UTF-8; it looks like cp1252"},
		{"\x81\xff\xfe", "", "is not text"},
		{"\xff\xfea\x00", "", "is not UTF-8; it looks like UTF-16"},
		{"1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\n", ""},
		{strings.Repeat("é", maxLook), strings.Repeat("é", maxPreview/2), ""},
		{"x" + strings.Repeat("é", maxLook), "x" + strings.Repeat("é", maxPreview/2-1), ""},
		{strings.Repeat(line, 100), strings.Repeat(line, previewLines), ""},
		{strings.Repeat("a\n", maxLook) + "\xe9", strings.Repeat("a\n", previewLines), ""},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := LocalFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, note, err := preview(in)
		if err != nil || head != c.head || note != c.note {
			t.Errorf("%.20q: got %.40q, %q, %v, want %.40q, %q", c.data, head, note, err, c.head, c.note)
		}
	}
}
