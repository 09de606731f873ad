package cmd

import (
	"testing"
	"time"

	"praxis/fault"
)

func TestParseTime(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	now := time.Date(2026, 11, 21, 14, 30, 0, 0, zone)
	for _, c := range []struct {
		text       string
		begin, end string // in the zone; "" is refused
	}{
		{"2026-11-20", "2026-11-20 00:00", "2026-11-21 00:00"},
		{"today", "2026-11-21 00:00", "2026-11-22 00:00"},
		{"Yesterday", "2026-11-20 00:00", "2026-11-21 00:00"},
		{"now", "2026-11-21 14:30", "2026-11-21 14:30"},
		{"7d", "2026-11-14 14:30", "2026-11-14 14:30"},
		{"2w", "2026-11-07 14:30", "2026-11-07 14:30"},
		{"1.5d", "2026-11-20 02:30", "2026-11-20 02:30"},
		{"90m", "2026-11-21 13:00", "2026-11-21 13:00"},
		{"2h ago", "2026-11-21 12:30", "2026-11-21 12:30"},
		{"2026-11-20 08:15", "2026-11-20 08:15", "2026-11-20 08:15"},
		{"2026-11-20T08:15:00", "2026-11-20 08:15", "2026-11-20 08:15"},
		{"2026-11-20T08:15:00Z", "2026-11-20 09:15", "2026-11-20 09:15"},
		{"2026-11-20t08:15:00+03:00", "2026-11-20 06:15", "2026-11-20 06:15"},
		{"2026-13-01", "", ""}, {"2026-02-30", "", ""}, {"", "", ""}, {"soon", "", ""}, {"-7d", "", ""},
		{"7", "", ""}, {"1e300d", "", ""}, {"NaNd", "", ""}, {"9999999h", "", ""}, {"d", "", ""},
	} {
		for _, end := range []bool{false, true} {
			want := c.begin
			if end {
				want = c.end
			}
			got, err := parseTime(now, c.text, end)
			if want == "" {
				if fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" {
					t.Errorf("%q: got %v, error %v, want a fault with a remedy", c.text, got, err)
				}
				continue
			}
			if text := got.In(zone).Format("2006-01-02 15:04"); err != nil || text != want {
				t.Errorf("%q (end %v): got %s, %v, want %s", c.text, end, text, err, want)
			}
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 30, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		time.Hour: "1 h ago", 47 * time.Hour: "47 h ago", 48 * time.Hour: "2 d ago", 8 * 24 * time.Hour: "2026-11-13",
		-time.Second: "just now", -48 * time.Hour: "2026-11-23",
	} {
		if got := ago(now, now.Add(-d)); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
	if got := ago(now, time.Time{}); got != "" {
		t.Errorf("no time: got %q", got)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", time.Microsecond: "1 ms", 250 * time.Millisecond: "250 ms", 1500 * time.Millisecond: "1.5 s",
		99 * time.Second: "99.0 s", 100 * time.Second: "2 min", 90 * time.Minute: "90 min", 3 * time.Hour: "3.0 h",
	} {
		if got := brief(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// FuzzParseTime requires that any text is a time, or refused with what to write.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-11-21", "yesterday", "7d", "12h ago", "2026-11-21T14:00:00Z", "\x00", "1e9w"} {
		f.Add(s, true)
	}
	now := time.Date(2026, 11, 21, 14, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string, end bool) {
		if _, err := parseTime(now, s, end); err != nil && (fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "") {
			t.Errorf("%q: error %v", s, err)
		}
	})
}
