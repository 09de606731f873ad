package vm

import "testing"

// TestZones checks time zones where no CPython is needed to compare with: on both
// sides of the hours at which Berlin sets its clocks.
func TestZones(t *testing.T) {
	t.Parallel()
	got := runPlan(`from datetime import datetime, timezone
from zoneinfo import ZoneInfo
berlin = ZoneInfo("Europe/Berlin")
for d in [datetime(2026, 3, 29, 1, 59), datetime(2026, 3, 29, 3, 0), datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 2, 30, fold=1)]:
    print(d.replace(tzinfo=berlin).isoformat(), d.replace(tzinfo=berlin).tzname())
print(datetime(2026, 3, 29, 2, 30, tzinfo=berlin).astimezone(timezone.utc), datetime(2026, 7, 1, tzinfo=ZoneInfo("Asia/Kolkata")).dst())
ZoneInfo("Nowhere")
`, false)
	const want = `2026-03-29T01:59:00+01:00 CET
2026-03-29T03:00:00+02:00 CEST
2026-10-25T02:30:00+02:00 CEST
2026-10-25T02:30:00+01:00 CET
2026-03-29 01:30:00+00:00 0:00:00
`
	if got.Out != want || got.Error != "ZoneInfoNotFoundError: 'No time zone found with key Nowhere'" {
		t.Errorf("got\n%s%s", got.Out, got.Error)
	}
}
