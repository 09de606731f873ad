package bash

import (
	"strings"
	"testing"

	"praxis/internal/language"
)

func TestIncomplete(t *testing.T) {
	for source, want := range map[string]bool{
		"":                             false,
		"echo a":                       false,
		"echo 'a":                      true,
		"echo \"a":                     true,
		"echo \"a $(ls":                true,
		"echo \"a $(ls \"x\")\"":       false,
		"echo $'it\\'s'":               false,
		"echo $'it\\'":                 true,
		"if true":                      true,
		"if true; then\n echo":         true,
		"if true; then echo; fi":       false,
		"echo if":                      false,
		"for i in 1 2":                 true,
		"for i in 1 2; do":             true,
		"for i in 1; do echo $i; done": false,
		"for ((i=0; i<3; i++)); do echo $i; done": false,
		"for ((i=0; i<3":                           true,
		"while read -r x; do echo; done < f":       false,
		"case $x in":                               true,
		"case $x in a) echo;; esac":                false,
		"case $x in (a|b) (cd /; ls);; *) ;; esac": false,
		"case $x in a) echo;;":                     true,
		"f() {":                                    true,
		"f() { echo; }":                            false,
		"function f {\n echo":                      true,
		"cat <<EOF":                                true,
		"cat <<EOF\na":                             true,
		"cat <<EOF\na\nEOF":                        false,
		"cat <<-'EOF'\n\ta\n\tEOF\n":               false,
		"cat <<EOF\nif 'a\nEOF\n":                  false,
		"cat <<< word":                             false,
		"echo $((1 << 2))":                         false,
		"echo $((1 + (2":                           true,
		"echo a |":                                 true,
		"echo a | cat":                             false,
		"true &&":                                  true,
		"sleep 1 &":                                false,
		"echo a \\":                                true,
		"echo a \\\n":                              true,
		"echo a \\\nb":                             false,
		"# if":                                     false,
		"echo a#b '":                               true,
		"echo ${x:-`ls`}":                          false,
		"echo ${x:-":                               true,
		"echo \"${x:-it's}\"":                      false,
		"[[ a < b && ( c || d ) ]]":                false,
		"[[ a":                                     true,
		"a=(1 2":                                   true,
		"a=(1 2)":                                  false,
		"fi":                                       false,
		"x=$(case a in a) echo;; esac)":            false,
	} {
		if got := incomplete(source); got != want {
			t.Errorf("%q: got %v, open %+v", source, got, scan(source).open)
		}
	}
}

func TestHighlight(t *testing.T) {
	source := "# says hello\nhello() {\n  local name=${1:-you} n=3\n  echo \"Hello, $name\" 42 'x' # ok\n}\nif [[ -n $x ]]; then cd /; fi\n"
	want := map[string]language.Class{
		"# says hello": language.Comment, "hello": language.Definition, "if": language.Keyword, "[[": language.Keyword,
		"echo": language.Builtin, "${1:-you}": language.Decorator, "$name": language.Decorator, "42": language.Number,
		"\"Hello, ": language.Text, "'x'": language.Text, "# ok": language.Comment, "then": language.Keyword, "fi": language.Keyword,
	}
	for _, s := range highlight(source) {
		if class, ok := want[s.Text]; ok && class == s.Class {
			delete(want, s.Text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v\nin %+v", want, highlight(source))
	}
	if got := indent("for i in 1 2; do\n  if true; then"); got != strings.Repeat(" ", 8) {
		t.Errorf("indent %q", got)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "a=(1 2)\n", "cat <<EOF\na\nEOF\n", "case x in a) ;; esac", "echo \"$(ls `x`)${y:-'z'}\" \\", "$'", "((", "${", "<<", "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		var b strings.Builder
		for _, s := range highlight(source) {
			if s.Text == "" {
				t.Error("an empty span")
			}
			b.WriteString(s.Text)
		}
		if b.String() != source {
			t.Errorf("%q became %q", source, b.String())
		}
		incomplete(source)
		indent(source)
	})
}
