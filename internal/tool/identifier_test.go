package tool

import (
	"strings"
	"testing"
)

func TestIdentifier(t *testing.T) {
	for in, want := range map[string]string{
		"get_user": "get_user", "get-user": "get_user", "a.b/c d": "a_b_c_d", "class": "class_", "9": "n9", "__init__": "init__",
		"-class-": "class_", "": "", "日本": "", "___": "", strings.Repeat("a", 500): strings.Repeat("a", MaxName),
	} {
		got := Identifier(in)
		if got != want {
			t.Errorf("Identifier(%q) = %q, want %q", in, got, want)
		}
		if why, _ := BadIdentifier(got); got != "" && why != "" {
			t.Errorf("Identifier(%q) = %q: %s", in, got, why)
		}
	}
}
