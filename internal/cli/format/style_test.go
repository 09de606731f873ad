package format

import (
	"strings"
	"testing"
)

func TestRuleFits(t *testing.T) {
	const title = "step 2 of 10 · after the failure of step 1"
	for width := 40; width < 90; width++ {
		got := Style{Width: width}.Rule(title)
		if n := len([]rune(got)); n > max(min(width, 78), len([]rune(title))+3) || strings.HasSuffix(got, " ") {
			t.Errorf("%d columns: %q", width, got)
		}
	}
}
