package config_test

import (
	"regexp"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
)

// TestRemediesAreInRange: what a remedy tells a person to write is taken.
func TestRemediesAreInRange(t *testing.T) {
	t.Parallel()
	type parsed struct {
		name  string
		parse func(string) error
	}
	limits := []parsed{
		{"output", func(s string) error { _, err := config.Output.Parse(s); return err }},
		{"quota", func(s string) error { _, err := config.Quota.Parse(s); return err }},
		{"timeout", func(s string) error { _, err := config.Timeout.Parse(s); return err }},
		{"cpu time", func(s string) error { _, err := config.CPUTime.Parse(s); return err }},
	}
	for _, spec := range event.LimitTable() {
		limits = append(limits, parsed{spec.Name, func(s string) error { _, err := config.ParseLimit(spec, s); return err }})
	}
	value := regexp.MustCompile(`[0-9][0-9.]*[A-Za-z]*`)
	for _, l := range limits {
		for _, wrong := range []string{"x", "-1", "999999999999999999TiB", "1e99"} {
			err := l.parse(wrong)
			if err == nil {
				t.Errorf("%s takes %q", l.name, wrong)
				continue
			}
			remedy := fault.RemedyOf(err)
			values := value.FindAllString(remedy, -1)
			if len(values) < 2 {
				t.Errorf("%s: the remedy %q names no range", l.name, remedy)
			}
			for _, v := range values {
				if err := l.parse(strings.TrimSuffix(v, ".")); err != nil {
					t.Errorf("%s: the remedy is %q: %v", l.name, remedy, err)
				}
			}
		}
	}
}
