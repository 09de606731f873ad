package journal

import (
	"strings"
	"testing"
)

// TestForms looks for a secret in the forms that other programs give it.
func TestForms(t *testing.T) {
	const secret = `k"e'y/1+2 \x~!(*)`
	r := newRedactor(map[string]string{"KEY": secret}, keyed(nil))
	for what, text := range map[string]string{
		"repr of Python":                 `'k"e\'y/1+2 \\x~!(*)'`,
		"repr of Python, as JSON":        `"'k\"e\\'y/1+2 \\\\x~!(*)'"`,
		"urllib.parse.quote":             `k%22e%27y/1%2B2%20%5Cx~%21%28%2A%29`,
		"urllib.parse.quote, all":        `k%22e%27y%2F1%2B2%20%5Cx~%21%28%2A%29`,
		"urllib.parse.quote_plus":        `k%22e%27y%2F1%2B2+%5Cx~%21%28%2A%29`,
		"encodeURIComponent":             `k%22e'y%2F1%2B2%20%5Cx~!(*)`,
		"the same with small digits":     `k%22e%27y%2f1%2b2%20%5cx~%21%28%2a%29`,
		"JSON in JSON":                   `"\"k\\\"e'y/1+2 \\\\x~!(*)\""`,
		"in the middle of another value": `a=1&k=k%22e'y%2F1%2B2%20%5Cx~!(*)&b=2`,
	} {
		got := r.text(text)
		if !strings.Contains(got, "[secret KEY]") || strings.Contains(got, "1%2") || strings.Contains(got, "y/1") {
			t.Errorf("%s: %s became %s", what, text, got)
		}
	}
	// A value without quotes in it is shown with its backslashes doubled alone.
	r = newRedactor(map[string]string{"KEY": `say "ab\cd"`}, keyed(nil))
	if got := r.text(`['say "ab\\cd"']`); got != `['[secret KEY]']` {
		t.Errorf("got %s", got)
	}
}
