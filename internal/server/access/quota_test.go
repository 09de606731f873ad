package access

import (
	"testing"

	"praxis/fault"
)

func bytesOf(string) (int64, error) { return 1 << 30, nil }

func TestQuota(t *testing.T) {
	var q Quota
	for _, name := range QuotaNames() {
		if err := q.Set(name+"=2", bytesOf); err != nil {
			t.Fatal(err)
		}
	}
	const want = "sessions=2 memory=1GiB disk=1GiB requests=2 cpu-day=2 cpu-month=2 egress-day=1GiB egress-month=1GiB tokens-day=2 tokens-month=2 usd-day=2 usd-month=2"
	if got := q.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []string{"", "x=1", "cpu=1", "cpu-year=1", "sessions-day=1", "sessions=0", "sessions=1.5", "tokens-day=-1", "usd-day=NaN", "usd-day=x", "requests=Inf"} {
		if err := q.Set(bad, bytesOf); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got := (Quota{Sessions: 3, Day: Amounts{USD: 5}}).Least(Quota{Sessions: 2, Memory: 7, Day: Amounts{USD: 9}}); got != (Quota{Sessions: 2, Memory: 7, Day: Amounts{USD: 5}}) {
		t.Errorf("got %+v", got)
	}
}

func TestTenants(t *testing.T) {
	dir := t.TempDir()
	one, err := OpenTenants(dir)
	if err != nil {
		t.Fatal(err)
	}
	other, err := OpenTenants(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Quota{Sessions: 3}
	if err := one.Put("team-a", want); err != nil {
		t.Fatal(err)
	}
	if got, err := other.Get("team-a"); got != want || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := other.Get("team-b"); got != (Quota{}) || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := one.Put("../x", want); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	if err := other.Put("team-a", Quota{}); err != nil {
		t.Fatal(err)
	}
	if all, err := one.All(); len(all) != 0 || err != nil {
		t.Errorf("got %v, %v", all, err)
	}
}

func FuzzQuotas(f *testing.F) {
	f.Add([]byte(`{"team-a":{"sessions":3,"day":{"usd":1}}}`))
	f.Add([]byte(`{"../x":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := decodeQuotas(data)
		for name := range all {
			if err != nil || !tenantPattern.MatchString(name) {
				t.Fatalf("accepted %q, %v", name, err)
			}
		}
	})
}
