package server

import (
	"fmt"
	"strings"
	"testing"

	"praxis/internal/server/access"
	"praxis/internal/server/audit"
)

// Who does something and who was refused is in the audit log, before it is done and after it,
// over every door; a tenant sees its own, and a run's record names the key.
func TestAudit(t *testing.T) {
	w := newWorld(t)
	admin, reader, other := w.key("team-a", access.Admin), w.key("team-a", access.Read), w.key("team-b", access.Admin)
	w.must(admin, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(reader, "DELETE", "/v1/sessions/s", nil, 403)
	w.must(reader, "GET", "/v1/sessions", nil, 200)
	w.must("", "GET", "/v1/sessions", nil, 401)
	w.must(admin, "POST", "/rpc", object{"jsonrpc": "2.0", "id": 1, "method": "sessions.delete", "params": object{"SESSION": "s"}}, 200) // as JSON is read
	run := w.must(admin, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)
	_, text := w.call(admin, "GET", fmt.Sprint("/v1/records/", run["record"], "/export?format=jsonl"), nil)
	keys, err := w.s.shared.Keys.List()
	if err != nil {
		t.Fatal(err)
	}
	adminID := keys[0].ID
	for _, k := range keys {
		if k.Tenant == "team-a" && k.May(access.Admin) {
			adminID = k.ID
		}
	}
	if want := `"client":{"tenant":"team-a","key":"` + adminID + `"}`; !strings.Contains(fmt.Sprint(text["text"]), want) {
		t.Errorf("the record has no %s: %.400v", want, text)
	}
	if list := w.must(other, "GET", "/v1/audit", nil, 200)["entries"].([]any); len(list) != 0 {
		t.Errorf("another tenant sees %v", list)
	}
	w.web.Close() // waits until all are answered and reported
	list, err := audit.List(Audit(w.home), audit.Query{Tenant: "team-a", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if e.Operation == "runs.code" {
			e.Object = "" // its id
		}
		got = append(got, strings.TrimSpace(fmt.Sprint(e.Operation, " ", e.Object, " ", e.Status)))
	}
	want := "sessions.create  begun, sessions.create id=s done, sessions.delete session=s denied, sessions.delete session=s begun, sessions.delete session=s done, runs.code  begun, runs.code  done"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %v\nwant %s", strings.Join(got, ", "), want)
	}
	if n, broken, err := audit.Check(Audit(w.home)); n != int64(len(list)+1) || broken != "" || err != nil {
		t.Errorf("%d entries, broken %q, %v", n, broken, err)
	}
}
