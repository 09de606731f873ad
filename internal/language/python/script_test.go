package python

import (
	"slices"
	"strings"
	"testing"
)

func TestScriptPackages(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       []string
		wrong      string
	}{
		{"none", "print(1)\n", nil, ""},
		{"packages", "#!/usr/bin/env python\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"requests<3\",\n#   \"rich\",\n# ]\n# ///\nimport rich\n", []string{"requests<3", "rich"}, ""},
		{"windows lines", "# /// script\r\n# dependencies = [\"a\"]\r\n# ///\r\n", []string{"a"}, ""},
		{"an empty comment", "# /// script\n#\n# dependencies = [\"a\"]\n#\n# ///", []string{"a"}, ""},
		{"another block", "# /// pyproject\n# x = 1\n# ///\n", nil, ""},
		{"not closed", "# /// script\n# dependencies = [\"a\"]\nimport a\n", nil, ""},
		{"two", "# /// script\n# dependencies = []\n# ///\n\n# /// script\n# dependencies = []\n# ///\n", nil, "two blocks"},
		{"no TOML", "# /// script\n# dependencies = [a\n# ///\n", nil, "block of metadata"},
		{"no list", "# /// script\n# dependencies = \"a\"\n# ///\n", nil, "block of metadata"},
		{"too new", "# /// script\n# requires-python = \">=3.99\"\n# ///\n", nil, "for Python >=3.99"},
		{"too old", "# /// script\n# requires-python = \"<3.12\"\n# ///\n", nil, "for Python <3.12"},
		{"nonsense", "# /// script\n# requires-python = \"three\"\n# ///\n", nil, "cannot be read"},
	} {
		got, err := scriptPackages(c.code)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !slices.Equal(got, c.want) || (err != nil) != (c.wrong != "") || !strings.Contains(text, c.wrong) {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

func TestAccepts(t *testing.T) {
	for conditions, want := range map[string]bool{
		"": true, ">=3.9": true, ">=3.14": true, ">=3.14.2": true, ">3.13": true, ">3.14": true, ">3": true, ">3.15": false, "<4": true, "<3.14": false, "<=3.14": true,
		"==3.14.*": true, "==3.13.*": false, "==3": true, "!=3.13.*": true, "!=3.14.*": false, "~=3.12": true, "~=3.15": false, "~=2.7": false,
		"!=3": true, "!=3.14.0": true, ">=3.11,!=3.14.1": true, ">3.14.1": true, "<3.14.9": true, "<3.14.0": false, "<3": false,
		">=3.9,<3.14": false, ">=3.9, <4, !=3.10.*": true, ">= 3.9": true,
	} {
		if got, err := accepts(conditions, "3.14"); got != want || err != nil {
			t.Errorf("%q: got %t, %v", conditions, got, err)
		}
	}
	for _, wrong := range []string{"3.9", ">=x", ">=3.9;<4", ">=3..9", ">=99999999999999999999"} {
		if _, err := accepts(wrong, "3.14"); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

func FuzzScriptPackages(f *testing.F) {
	f.Add("# /// script\n# requires-python = \">=3.11,<4\"\n# dependencies = [\"requests<3\", \"rich\"]\n# ///\n")
	f.Add("# /// script\n#\n# ///\r\n# /// script\n# a.b = {c = 1}\n# ///")
	f.Fuzz(func(t *testing.T, code string) {
		if list, err := scriptPackages(code); err != nil && list != nil {
			t.Errorf("%q, %v", list, err)
		}
	})
}
