package tool

import (
	"testing"

	"praxis/fault"
)

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		value, deeper string
		ok            bool
	}{
		{"", "1", true}, {"0", "1", true}, {"1", "2", true}, {"2", "3", false}, {"3", "3", false},
		{"-1", "3", false}, {"many", "3", false}, {"99999999999999999999", "3", false},
	} {
		getenv := func(name string) string { return map[string]string{DepthVariable: c.value}[name] }
		err := CheckDepth(getenv)
		if (err == nil) != c.ok || err != nil && (fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "") {
			t.Errorf("%q: %v", c.value, err)
		}
		if got := Deeper(getenv); got != c.deeper {
			t.Errorf("%q: deeper is %q, want %q", c.value, got, c.deeper)
		}
	}
}
