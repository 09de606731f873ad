package cmd

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// TestJSONHidesNothing checks that no JSON contains what a terminal acts on, and
// that it means the same as what went in.
func TestJSONHidesNothing(t *testing.T) {
	const hostile = "a\x1b[2J\x7f\u0085\u009b31m\u009d0;t\u009c\u200e\u200f\u061c\u202a\u202e\u2066\u2069\u2028\ufeff\U000e0041 größe 🙂 <b> \\ \""
	for name, print := range map[string]func(*bytes.Buffer){
		"printJSON": func(b *bytes.Buffer) {
			p := program{stdout: b}
			if err := p.printJSON(map[string]string{hostile: hostile}); err != nil {
				t.Fatal(err)
			}
		},
		"lines": func(b *bytes.Buffer) {
			j := format.NewJSONLines(b)
			j.Emit(event.ExecutionBegan{Code: hostile})
			j.Emit(event.Output{Stream: event.Stdout, Data: []byte(hostile)})
			j.Emit(event.Display{Bundle: event.Bundle{hostile: hostile}})
			if j.Err != nil {
				t.Fatal(j.Err)
			}
		},
	} {
		var b bytes.Buffer
		print(&b)
		for _, r := range b.String() {
			if (r < 0x20 && r != '\n') || safetext.Hidden(r) {
				t.Errorf("%s: %U got through in %q", name, r, b.String())
			}
		}
		for line := range strings.Lines(b.String()) {
			var v any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(hostile)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(again, want) {
				t.Errorf("%s: %s means something else than %s", name, line, want)
			}
		}
		for _, seen := range []string{"größe 🙂 <b>", `\u007f`, `\u0085`, `\u202e`, `\udb40\udc41`} {
			if !strings.Contains(b.String(), seen) {
				t.Errorf("%s: %s is not in %s", name, seen, b.String())
			}
		}
	}
}

// FuzzSafeJSON checks that the escaping changes no meaning.
func FuzzSafeJSON(f *testing.F) {
	f.Add("a\u202eb\U000e0001\x7f\u009b")
	f.Fuzz(func(t *testing.T, in string) {
		var b bytes.Buffer
		if err := format.NewEncoder(&b).Encode(in); err != nil {
			t.Fatal(err)
		}
		var out string
		if err := json.Unmarshal(b.Bytes(), &out); err != nil || out != strings.ToValidUTF8(in, "") && utf8.ValidString(in) {
			t.Fatalf("%q became %q, %v", in, out, err)
		}
		if bytes.ContainsFunc(b.Bytes(), safetext.Hidden) {
			t.Fatalf("%q became %q", in, b.Bytes())
		}
	})
}
