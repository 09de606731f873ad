package server

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"praxis/internal/server/access"
	"praxis/internal/server/observe"
)

// seenBy collects what a server reports of the requests that it answered.
type seenBy struct {
	mu   sync.Mutex
	list []observe.Request
}

func (s *seenBy) add(r observe.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, r)
}

// find waits for nothing: what a client got the answer of may be reported a moment later.
func (s *seenBy) find(id string) (observe.Request, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.list {
		if r.ID == id {
			return r, true
		}
	}
	return observe.Request{}, false
}

// Of every request it reports who asked for what and what became of it, under an id that the
// client has, too; and nothing of its path, its query, its body or its key.
func TestRequestsAreReported(t *testing.T) {
	w := newWorld(t)
	seen := &seenBy{}
	w.s.cfg.Served = seen.add
	reader := w.key("team-a", access.Read)
	admin := w.key("team-a", access.Admin)
	var ids []string
	send := func(key, method, path string, body any) {
		res, err := http.DefaultClient.Do(w.request(key, method, path, body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, res.Header.Get("X-Request-Id"))
	}
	send("", "GET", "/v1/sessions", nil)
	send(reader, "POST", "/v1/sessions", object{"id": "s"})
	send(admin, "POST", "/v1/sessions", object{"id": "s"})
	send(admin, "GET", "/v1/sessions/s/file?path=hidden.txt", nil)
	send(admin, "GET", "/v9/hidden", nil)
	if _, got := w.call(reader, "POST", "/v1/sessions", object{}); len(fmt.Sprint(got["request_id"])) != 16 {
		t.Errorf("the problem has no request id: %v", got)
	}
	w.web.Close() // waits until all are answered and reported
	for i, want := range []string{
		"GET GET /v1/sessions sessions.list  401 denied ",
		"POST POST /v1/sessions sessions.create team-a 403 denied ",
		"POST POST /v1/sessions sessions.create team-a 201 kind(0) id=s",
		"GET GET /v1/sessions/{session}/file files.read team-a 404 not_found session=s",
		"GET /  0 404 kind(0) ",
	} {
		r, found := seen.find(ids[i])
		got := fmt.Sprintf("%s %s %s %s %d %s %s", r.Method, r.Route, r.Operation, r.Tenant, r.Status, r.Kind, r.Object)
		if i == 4 {
			got = fmt.Sprintf("%s %s %s 0 %d %s %s", r.Method, r.Route, r.Operation, r.Status, r.Kind, r.Object)
		}
		if !found || got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
