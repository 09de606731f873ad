package sql

import (
	"strings"
	"testing"

	"praxis/internal/language"
)

func TestIncomplete(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"": false, "  -- nothing\n": false, "select 1": true, "select 1;": false, "select 1; -- done\n": false, "select ';": true,
		"select 'a;'": true, "select 'a;';": false, "select 'it''s;": true, "select /* ; ": true, "select \"a;": true, "select $$ a; ": true,
		"select $$ a $$;": false, "select $tag$ $$; $tag$;": false, "select 1;\nselect 2": true, "select 1\n\n": false, "select e'\\';": true, "select e'\\'';": false,
		"select `a`;": false, "select 1; /* end": true,
	} {
		if got := incomplete(source); got != want {
			t.Errorf("incomplete(%q) is %t", source, got)
		}
	}
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range highlight("select sum(x), 'a' from t -- end\nwhere y > $least + 1.5") {
		if s.Class != language.Plain {
			got = append(got, s.Text)
		}
	}
	want := "select|sum|'a'|from|-- end|where|$least|1.5"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

func FuzzHighlight(f *testing.F) {
	for _, s := range []string{"select 'a''b' /* x */ -- y\n", "$a$ b $a", "e'\\'", "\"x", "\xff\x00'", "日本 é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		var b strings.Builder
		for _, s := range highlight(source) {
			b.WriteString(s.Text)
		}
		if b.String() != source {
			t.Errorf("the spans of %q are %q", source, b.String())
		}
		incomplete(source)
	})
}

// TestCall checks that the call of a cell is one expression of Python, whatever the cell is.
func TestCall(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"select 'a\"\\'\n", "\x00\xff\u2028", strings.Repeat("x", 1<<16)} {
		if got := Language().Translate(code); strings.Contains(got, "\n") || !strings.HasSuffix(got, ", False)") || !strings.HasSuffix(Language().ReadOnly(code), ", True)") {
			t.Errorf("the call is %.200s", got)
		}
	}
}
