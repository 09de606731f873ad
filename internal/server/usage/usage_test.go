package usage

import (
	"path/filepath"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/server/access"
)

// What was used is counted for the tenant and the key, outlasts a start, and is forgotten when
// its day and its month are over.
func TestLedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), "usage.json")
	now := time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)
	open := func() *Ledger {
		l, err := Open(file, func() time.Time { return now }, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open()
	l.Add("a", access.Amounts{CPU: 2, Tokens: 60})
	l.Add("b", access.Amounts{Tokens: 40, USD: 0.5})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	day, month := access.Quota{Day: access.Amounts{Tokens: 100}}, access.Quota{Month: access.Amounts{CPU: 2}}
	for name, tt := range map[string]struct {
		tenant, own access.Quota
		key, wait   string
	}{
		"nothing bounded": {},
		"the tenant":      {tenant: day, key: "c", wait: "3600"},
		"another key":     {own: day, key: "a"},
		"the key's month": {own: month, key: "a", wait: "3600"},
		"a key without":   {own: month, key: "b"},
	} {
		err := l.Check(tt.key, tt.tenant, tt.own)
		if (tt.wait == "") != (err == nil) || err != nil && (fault.CodeOf(err) != fault.AllowanceUsedUp || fault.Of(err).Data["retry_after_s"] != tt.wait) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tokens, usd := l.Left("b", access.Quota{Day: access.Amounts{Tokens: 150, USD: 2}}, access.Quota{Month: access.Amounts{Tokens: 1000}}); tokens != 50 || usd != 1.5 {
		t.Errorf("left: %d, %v", tokens, usd)
	}
	if tokens, _ := l.Left("b", day, access.Quota{}); tokens != 1 {
		t.Errorf("left of nothing: %d", tokens)
	}
	now = now.Add(2 * time.Hour)
	if err := l.Check("a", day, month); err != nil {
		t.Errorf("on the next day: %v", err)
	}
	l.Add("a", access.Amounts{USD: 1})
	if m := l.Months(); len(m) != 2 || m["2026-01"].Tokens != 100 {
		t.Errorf("got %v", m)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"tenant":{"day":"2026-01-01","month":"2026-01","in_day":{"usd":1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := decode(data); err == nil && (s.Keys == nil || s.Months == nil) {
			t.Fatal("it cannot be added to")
		}
	})
}
