package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzJSON checks that JSON is read as the standard library reads it, but for
// what is documented: duplicate names, depth, and numbers out of bounds.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a": [1, -0.5e+3, "x\u00e4\ud83d\ude00\n", null, true, false], "b": {}}`, `[`, `"\ud800"`, `01`, `1.`, `-`, `nul`, `{"a":1,}`, `{"a" 1}`, "\"\n\"", ` [ ] `, `tru`, `truex`, `"\q"`, `1e5x`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Decode(data)
		r := &Report{}
		n := (*Node)(nil)
		if utf8.Valid(data) {
			n = ReadJSON(r, data)
		}
		if (err == nil) != (n != nil) {
			t.Fatalf("as a value %v, as a document %v", err, r.Problems)
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		valid := utf8.Valid(data) && json.Valid(data) && d.Decode(&want) == nil
		if err != nil {
			if valid && !strings.Contains(err.Error(), "stands twice") && !strings.Contains(err.Error(), "deeper than") && !strings.Contains(err.Error(), "out of bounds") {
				t.Fatalf("%q is refused: %v", data, err)
			}
			return
		}
		if !valid {
			t.Fatalf("%q is read as %v", data, v)
		}
		x, err1 := Canonical(v)
		y, err2 := Canonical(want)
		z, err3 := Canonical(n.Value())
		if !bytes.Equal(x, y) || !bytes.Equal(x, z) || err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("%q is read as %s, %s as a document, and %s by the standard library", data, x, z, y)
		}
	})
}
