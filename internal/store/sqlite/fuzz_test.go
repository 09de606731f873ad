package sqlite

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/store"
)

// FuzzMatch searches for anything: no words of a person become the syntax of
// FTS5, and a text is found by the words that it was written with.
func FuzzMatch(f *testing.F) {
	for _, q := range []string{`co2 "rise of"`, `"`, `a"b"c*`, "NEAR(a b)", "a AND NOT b OR", "-a:b^2", "*", "(x", "ü\u0301*", "\x00a", "売上", "k1", "text:"} {
		f.Add(q)
	}
	x := fresh(f).Index()
	f.Fuzz(func(t *testing.T, query string) {
		expr, err := match(query)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatalf("match: %v", err)
		}
		if strings.Count(expr, `"`)%2 != 0 || strings.ContainsRune(expr, 0) || !utf8.ValidString(expr) {
			t.Errorf("%q became %q", query, expr)
		}
		if _, err := x.Find(t.Context(), store.Query{Kind: "note", Words: query, Limit: 5}); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("find %q: %v", query, err)
		}
	})
}

// FuzzFields reads fields that something else may have changed: those that are
// taken are the same when they are written and read again.
func FuzzFields(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":1.0,"c":"x","d":true}`, `{"a":1e400}`, `{"a":99999999999999999999}`, `{"a":[1,{}]}`, `null`, `[]`, `{"a":-0.0}`, `{`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		fields, err := decodeFields(text)
		if err != nil {
			return
		}
		attrs, err := attrsOf(fields)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		want := map[string]any{}
		for _, a := range attrs {
			want[a.field] = a.value
		}
		if got, err := decodeFields([]byte(encodeFields(attrs))); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	})
}
