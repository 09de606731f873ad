package cmd

import (
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/cli/format"
)

func TestInputValue(t *testing.T) {
	for _, c := range []struct{ text, name, want, remedy string }{
		{text: `who="Ann"`, name: "who", want: `"Ann"`},
		{text: `n=1e400`, name: "n", want: `1e400`},
		{text: `o={"b": 1, "a": [null]}`, name: "o", want: `{"b":1,"a":[null]}`},
		{text: `who=Ann`, remedy: `--input who='"Ann"'`},
		{text: `who={"a": 1`, remedy: "as JSON."},
		{text: `who`, remedy: "NAME=JSON"},
		{text: `="x"`, remedy: "NAME=JSON"},
	} {
		name, v, err := inputValue(c.text)
		if c.remedy != "" {
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.RemedyOf(err), c.remedy) {
				t.Errorf("%s: error %v (%s), want the remedy %q", c.text, err, fault.RemedyOf(err), c.remedy)
			}
			continue
		}
		var b strings.Builder
		if err != nil || format.NewEncoder(&b).Encode(v) != nil || name != c.name || strings.TrimSpace(b.String()) != c.want {
			t.Errorf("%s: got %s = %s, %v", c.text, name, b.String(), err)
		}
	}
}
