package grounding_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"praxis/internal/agent/grounding"
)

// hostile are outputs and answers that are made to cost as much as they can.
func hostile() map[string][2]string {
	var long, close, dollars, versions strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&long, "0.1234567890123456%07d\n", i)
		fmt.Fprintf(&close, "1.%09d ", i)
		fmt.Fprintf(&dollars, "$%d ", i)
		fmt.Fprintf(&versions, "v1.%d\n", i)
	}
	return map[string][2]string{
		"long fractions":  {long.String(), strings.Repeat("0.12345678901234560 0.9999999999999999999 ", 500)},
		"close numbers":   {close.String(), strings.Repeat("1.0 1.00 ", 500)},
		"currency":        {dollars.String(), strings.Repeat("€17 ", 300)},
		"releases":        {versions.String(), strings.Repeat("v7.1 ", 300)},
		"comparisons":     {"12 24", strings.Repeat("doubled 17 ", 300)},
		"listed":          {"1", strings.Repeat("the 17 a, ", 300)},
		"lines of nobody": {strings.Repeat("\n", 20_000), strings.Repeat("the three\n", 300)},
	}
}

// TestBounds counts the numbers that figures are compared with: a figure has a few ranges,
// each with a bound of its own.
func TestBounds(t *testing.T) {
	for name, c := range hostile() {
		var s grounding.Sources
		s.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, c[0])
		n := len(s.Trace(c[1]))
		if most := 10_000 * (n + 1); s.Tried() > most {
			t.Errorf("%s: %d numbers tried for %d figures, want at most %d", name, s.Tried(), n, most)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, c := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				var s grounding.Sources
				s.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, c[0])
				s.Trace(c[1])
			}
		})
	}
}

// A fraction that several longer ones can be rounded to is found as the first that was
// shown, and in every run as the same.
func TestLongFractions(t *testing.T) {
	var first []string
	for range 20 {
		var s grounding.Sources
		for step := 3; step > 0; step-- {
			s.AddOutput(grounding.Origin{Step: step, In: grounding.InStdout}, fmt.Sprintf("x\n0.123456789012345678%d 2.999999999999999999%d 0.12345678901234567%d", step, step+4, step+5))
		}
		var got []string
		for _, f := range s.Trace("0.12345678901234568 and 3.0000000000000000000001, 0.1234567890123456789, 3.00000000000000001 and 0.123456789012345678") {
			text := f.Source
			if f.Match != nil {
				text = f.Match.Text + " " + f.Match.Place()
			}
			got = append(got, text)
		}
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Fatalf("got %q, and before %q", got, first)
		}
	}
	if want := []string{"0.123456789012345676 step 1, line 2", "unverified", "unverified", "unverified", "0.123456789012345678 step 3, line 2"}; !reflect.DeepEqual(first, want) {
		t.Errorf("got %q, want %q", first, want)
	}
}
