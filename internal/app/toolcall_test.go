package app

import (
	"strings"
	"testing"

	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

func TestArgumentValue(t *testing.T) {
	doc, err := jsondoc.Decode([]byte(`{"name": "x.y", "version": "1.0.0", "effects": "pure", "input": {"type": "object", "properties": {
		"s": {"type": "string"}, "n": {"type": "number"}, "b": {"type": "boolean"}, "l": {"type": "array"}, "o": {"type": "object"},
		"u": {"type": ["string", "null"]}, "any": {}, "v": {"anyOf": [{"type": "array"}, {"type": "object"}]}, "w": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d, err := toolfile.Define("test", doc.(*jsondoc.Object))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"s=3", `{"s":"3"}`}, {"s=", `{"s":""}`}, {"s=a=b", `{"s":"a=b"}`}, {"n=3.50", `{"n":3.5}`}, {"b=true", `{"b":true}`},
		{"l=[1, 2]", `{"l":[1,2]}`}, {`o={"a": 1}`, `{"o":{"a":1}}`}, {"u=null", `{"u":"null"}`},
		{"any=3", `{"any":3}`}, {"any=three", `{"any":"three"}`}, {`any="3"`, `{"any":"3"}`}, {`v=["a"]`, `{"v":["a"]}`}, {"w=3", `{"w":"3"}`},
		{"n=x", "expected"}, {"b=yes", "expected boolean"}, {"l=a", "expected array"}, {"o=a", "expected object"}, {"v=a", "expected object or array"},
		{"other=1", `{"other":1}`}, {"=1", "names no value"}, {"n", "names no value"},
	} {
		got := ""
		o, err := callArguments(d, []string{c.text}, "")
		if err != nil {
			got = err.Error()
		} else if text, err := jsondoc.Canonical(o); err == nil {
			got = string(text)
		}
		if err == nil && got != c.want || err != nil && (strings.HasPrefix(c.want, "{") || !strings.Contains(got, c.want)) {
			t.Errorf("%q gives %s, want %s", c.text, got, c.want)
		}
	}
}
