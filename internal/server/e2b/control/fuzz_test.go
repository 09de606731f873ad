package control

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"praxis/internal/server/e2b/registry"
)

// FuzzRequest: what asks for a sandbox, for rules and for a page is read, or is refused.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"templateID":"base","timeout":15,"metadata":{"a":"b"},"network":{"allowOut":["x"]}}`), "limit=2&nextToken=AA&metadata=a%3Db")
	f.Add([]byte(`{"timeout":1e309}`), "state=running,paused&order=asc")
	f.Add([]byte(`{"network":{"denyOut":["0.0.0.0/0"],"allowPublicTraffic":false}}`), "startedAfter=2026-01-01T00:00:00Z")
	f.Fuzz(func(t *testing.T, body []byte, query string) {
		var q newSandbox
		if decode(body, &q) == nil {
			if d, err := seconds(q.Timeout); err == nil && (d < 0 || d > maxLasts) {
				t.Errorf("lasts %s", d)
			}
			var rec registry.Record
			if present(q.Network) && readNetwork(q.Network, &rec) == nil && len(rec.AllowOut)+len(rec.DenyOut) > maxRules {
				t.Error("there are too many rules")
			}
		}
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		if p, err := pageOf(values); err == nil && (p.limit < 1 || p.limit > maxPage) {
			t.Errorf("a page of %d", p.limit)
		}
		_, _ = pairs(values.Get("metadata")) // they are read, or refused
	})
}

// Pages follow one another, whichever way a list is read, until all was seen once.
func TestPages(t *testing.T) {
	now := time.Now()
	var all []registry.Record
	for i := range 7 {
		all = append(all, registry.Record{ID: registry.NewID(), Began: now.Add(-time.Duration(i/2) * time.Second)})
	}
	slices.SortFunc(all, func(a, b registry.Record) int {
		if c := b.Began.Compare(a.Began); c != 0 {
			return c
		}
		return map[bool]int{true: -1, false: 1}[a.ID < b.ID]
	})
	for _, order := range []string{"desc", "asc"} {
		want := slices.Clone(all)
		if order == "asc" {
			slices.Reverse(want)
		}
		var seen []registry.Record
		token := ""
		for range 10 {
			p, err := pageOf(url.Values{"limit": {"3"}, "order": {order}, "nextToken": {token}})
			if err != nil {
				t.Fatal(err)
			}
			var part []registry.Record
			part, token = p.cut(slices.Clone(all))
			seen = append(seen, part...)
			if token == "" {
				break
			}
		}
		if !slices.EqualFunc(seen, want, func(a, b registry.Record) bool { return a.ID == b.ID }) {
			t.Errorf("%s: got %d records", order, len(seen))
		}
	}
	for _, token := range []string{"?", base64.RawURLEncoding.EncodeToString([]byte("x y")), base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "1 short"))} {
		if _, err := pageOf(url.Values{"nextToken": {token}}); err == nil {
			t.Errorf("%q is read", token)
		}
	}
	if got, err := pairs("a%2520b=c%252Bd&e=f"); err != nil || got["a b"] != "c+d" || got["e"] != "f" {
		t.Errorf("got %v, %v", got, err)
	}
}
