package cmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const timeRemedy = `Write a day such as 2026-11-21, "yesterday", an age such as 7d or 12h, or a time such as 2026-11-21T14:00:00Z.`

// parseTime reads a point in time as a person names it, in the zone of now. A
// day stands for its beginning, or as the end of a range for its end.
func parseTime(now time.Time, text string, end bool) (time.Time, error) {
	bad := func(why string) (time.Time, error) {
		return time.Time{}, fault.New(fault.Invalid, timeRemedy, "cannot use time %q: %s", safetext.Line(text), why)
	}
	s := strings.ToLower(strings.TrimSpace(text))
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	day, isDay := midnight, true
	switch s {
	case "now":
		return now, nil
	case "today":
	case "yesterday":
		day = midnight.AddDate(0, 0, -1)
	default:
		d, err := time.ParseInLocation(time.DateOnly, s, now.Location())
		day, isDay = d, err == nil
	}
	if isDay {
		if end {
			day = day.AddDate(0, 0, 1)
		}
		return day, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02t15:04:05", "2006-01-02t15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return t, nil
	}
	if age, ok := readAge(strings.TrimSpace(strings.TrimSuffix(s, "ago"))); ok {
		return now.Add(-age), nil
	}
	return bad("it is neither a day, a time nor an age")
}

// maxAge is more than any record is old.
const maxAge = 200 * 365 * 24 * time.Hour

// readAge reads "7d", "2w" and what time.ParseDuration does.
func readAge(s string) (time.Duration, bool) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(s, suffix); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !(n >= 0 && n*float64(unit) <= float64(maxAge)) {
				return 0, false
			}
			return time.Duration(n * float64(unit)), true
		}
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0 && d <= maxAge
}

// ago says how long ago something was, short enough for a column; what is older
// than a week is named by its day.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < -time.Minute: // a clock that was set back, or a run of another machine
		return t.In(now.Location()).Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	}
	return t.In(now.Location()).Format(time.DateOnly)
}

// brief writes how long something took in a few characters.
func brief(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", (d+30*time.Second)/time.Minute)
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// parseAge reads how old something must be: "30d", "12h", "0s".
func parseAge(s string) (time.Duration, error) {
	d, ok := readAge(strings.TrimSpace(s))
	if !ok {
		return 0, fault.New(fault.Invalid, "Write a time such as 30d, 12h or 0s.", "cannot use age %q: it is not a time", safetext.Line(s))
	}
	return d, nil
}

// spanFlags are the flags that name a span of time in which runs began.
type spanFlags struct{ since, until flagValue[time.Time] }

func (s *spanFlags) register(cmd *cobra.Command) {
	now := time.Now()
	timeFlag := func(end bool) flagValue[time.Time] {
		return flagValue[time.Time]{parse: func(text string) (time.Time, error) { return parseTime(now, text, end) }, kind: "time"}
	}
	s.since, s.until = timeFlag(false), timeFlag(true)
	fs := cmd.Flags()
	fs.Var(&s.since, "since", "runs that began then or later: 2026-11-21, yesterday, 7d")
	fs.Var(&s.until, "until", "runs that began before, or on that day")
}

// narrow has a query find what lies in the span, and refuses one that nothing
// can lie in.
func (s *spanFlags) narrow(q *app.RunQuery) error {
	if s.since.value != nil {
		q.Since = *s.since.value
	}
	if s.until.value != nil {
		q.Until = *s.until.value
	}
	if q.Since.IsZero() || q.Until.IsZero() || q.Since.Before(q.Until) {
		return nil
	}
	return fault.New(fault.Invalid, "Write the earlier one after --since.", "cannot list runs: %s is not before %s", when(q.Since), when(q.Until))
}
