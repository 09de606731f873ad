package server

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/mcp"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// What a tenant or a key used up is refused with the time to wait for, is counted over starts,
// and others go on.
func TestQuotas(t *testing.T) {
	w := newWorld(t)
	script := filepath.Join(t.TempDir(), "script.txt")
	if err := os.WriteFile(script, []byte("=== reply\nFINAL ANSWER: It is 42.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	question := object{"question": "What is it? 42?", "model": "scripted:" + script}
	few, made, err := w.s.shared.Keys.Add(access.Key{Tenant: "team-a", Quota: access.Quota{Day: access.Amounts{Tokens: 10}}})
	if err != nil {
		t.Fatal(err)
	}
	other := w.key("team-a")
	w.must(other, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(few, "POST", "/v1/runs", question, 201)
	team, err := w.s.tenant(t.Context(), "team-a")
	if err != nil {
		t.Fatal(err)
	}
	// A scripted model uses nothing: what another would have used, as a run reports it.
	sink := w.s.watch(observe.With(t.Context(), &observe.Request{Key: made.ID}), team.Usage, "run")
	sink.Emit(event.ModelReplied{Model: "m", Tokens: event.Tokens{Input: 4, Output: 3}})
	sink.Emit(event.ChildBegan{N: 1, Model: "m"})
	sink.Emit(event.ChildEnded{N: 1, Tokens: event.Tokens{Input: 3}})
	sink.Emit(event.ChildBegan{N: 2, Model: "m", Run: "counted-for-itself"})
	sink.Emit(event.ChildEnded{N: 2, Tokens: event.Tokens{Input: 100}})
	w.must(few, "POST", "/v1/runs", question, 429)
	w.must(other, "POST", "/v1/runs", question, 201)
	if used := w.must(few, "GET", "/v1/usage", nil, 200); used["tenant"].(object)["in_day"].(object)["tokens"] != 10.0 {
		t.Fatalf("got %v", used)
	}
	if err := w.s.quotas.Put("team-a", access.Quota{Month: access.Amounts{Tokens: 1}}); err != nil {
		t.Fatal(err)
	}
	w.stop()
	w.start()
	for path, body := range map[string]object{
		"/v1/runs": question, "/v1/sessions": {}, "/v1/sessions/s/executions": {"code": "print 1"}, "/v1/sessions/s/processes": {"argv": []string{"echo"}},
		"/v1/sessions/s/packages": {"packages": []string{"pandas"}}, "/v1/images": {"with": []string{"pandas"}}, "/v1/skills/test": {}, "/v1/records/last/replay": nil,
	} {
		res, err := http.DefaultClient.Do(w.request(other, "POST", path, body))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 429 || len(res.Header.Get("Retry-After")) < 2 {
			t.Errorf("%s: status %d, Retry-After %q", path, res.StatusCode, res.Header.Get("Retry-After"))
		}
	}
	w.must(other, "DELETE", "/v1/sessions/s", nil, 204)
	w.must(w.key("team-b"), "POST", "/v1/runs", question, 201)
}

// Sessions of a key and of a tenant give way to each other, and memory is a bound as well.
func TestSessionQuotas(t *testing.T) {
	w := newWorld(t)
	one, _, err := w.s.shared.Keys.Add(access.Key{Quota: access.Quota{Sessions: 1}})
	if err != nil {
		t.Fatal(err)
	}
	other := w.key("default")
	live := func() (ids []string) {
		for _, s := range w.must(other, "GET", "/v1/sessions", nil, 200)["sessions"].([]any) {
			if s := s.(object); s["state"] == "live" {
				ids = append(ids, fmt.Sprint(s["id"]))
			}
		}
		return ids
	}
	w.must(other, "POST", "/v1/sessions", object{"id": "o"}, 201)
	w.must(one, "POST", "/v1/sessions", object{"id": "a"}, 201)
	w.must(one, "POST", "/v1/sessions", object{"id": "b"}, 201)
	if got := strings.Join(live(), " "); got != "o b" {
		t.Errorf("live are %s", got)
	}
	if err := w.s.quotas.Put("default", access.Quota{Memory: 3 << 29}); err != nil { // of 1 GiB each
		t.Fatal(err)
	}
	w.must(other, "POST", "/v1/sessions", object{"id": "c"}, 201)
	if got := strings.Join(live(), " "); got != "c" {
		t.Errorf("live are %s", got)
	}
	if got := w.must(other, "POST", "/v1/sessions", object{"id": "d", "limits": object{"memory_bytes": 2 << 30}}, 429); got["code"] != "memory_used_up" {
		t.Errorf("got %v", got)
	}
}

// A question that goes on, and another way from one of its steps, get no more than is left of a
// quota, whatever budget they ask for.
func TestQuotasOfWhatGoesOn(t *testing.T) {
	w := newWorld(t)
	few, _, err := w.s.shared.Keys.Add(access.Key{Quota: access.Quota{Day: access.Amounts{Tokens: 7000}}})
	if err != nil {
		t.Fatal(err)
	}
	step := "=== reply\n```python\nprint 42\n```\n"
	model := "scripted:" + w.file("script.txt", step+"=== reply\nFINAL ANSWER: It is 42.\n")
	broken := w.must(w.key("default"), "POST", "/v1/runs", object{"question": "What is it?", "model": "scripted:" + w.file("short.txt", step)}, 201)
	for _, c := range []struct {
		way  string
		body object
	}{
		{"branch", object{"from": 1, "question": "What else?", "model": model}},
		{"resume", object{"model": model, "budget": object{"tokens": 1 << 30}}},
	} {
		got := w.must(few, "POST", fmt.Sprintf("/v1/records/%s/%s", broken["record"], c.way), c.body, 201)
		began := objects(w.must(few, "GET", fmt.Sprint("/v1/records/", got["record"]), nil, 200)["events"])[0]
		if budget := fmt.Sprint(began["data"].(object)["budget"]); !strings.Contains(budget, "run:7000") {
			t.Errorf("%s: its budget is %s", c.way, budget)
		}
	}
}

// A key has a rate of its own.
func TestRequestQuota(t *testing.T) {
	w := newWorld(t)
	slow, _, err := w.s.shared.Keys.Add(access.Key{Quota: access.Quota{Requests: 0.001}})
	if err != nil {
		t.Fatal(err)
	}
	w.must(slow, "GET", "/v1/sessions", nil, 200)
	if got := w.must(slow, "GET", "/v1/sessions", nil, 429); got["code"] != "requests_used_up" || got["remedy"] == "" {
		t.Errorf("got %v", got)
	}
	w.must(w.key("default"), "GET", "/v1/sessions", nil, 200)
}

// The metrics are for those who look after the whole server, the probes for everybody.
func TestProbes(t *testing.T) {
	w := newWorld(t)
	admin := w.key("default", access.Admin)
	w.must(admin, "POST", "/v1/sessions", object{"id": "very-secret"}, 201)
	w.execute(admin, "very-secret", "print 1")
	w.must(w.key("default", access.Read), "GET", "/metrics", nil, 403)
	w.must(w.key("team-a", access.Admin), "GET", "/metrics", nil, 403)
	w.must("", "GET", "/metrics", nil, 401)
	_, got := w.call(admin, "GET", "/metrics", nil)
	text := fmt.Sprint(got["text"])
	for _, want := range []string{
		`praxis_requests_total{operation="sessions.create",status="201"} 1`, `praxis_requests_total{operation="GET /metrics",status="401"} 1`,
		`praxis_sessions{state="live"} 1`, `praxis_executions_total{language="first",status="ok"} 1`, "praxis_pool_hits_total ", "praxis_execution_seconds_count",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") || strings.Contains(text, admin) {
		t.Error("the metrics name a session or a key")
	}
	w.s.cfg.OpenMetrics = true
	w.must("", "GET", "/metrics", nil, 200)
	if got := w.must("", "GET", "/readyz", nil, 200); got["ready"] != true || len(got["checks"].(object)) != 3 {
		t.Errorf("got %v", got)
	}
	if err := w.s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.must("", "GET", "/readyz", nil, 503)
	w.must("", "GET", "/healthz", nil, 200)
}

// A run takes a place among the sandboxes of its key, for which an idle session is paused.
func TestRunsTakePlaces(t *testing.T) {
	w := newSavingWorld(t)
	few, _, err := w.s.shared.Keys.Add(access.Key{Scopes: []access.Scope{access.Admin}, Quota: access.Quota{Sessions: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.must(few, "POST", "/v1/sessions", object{"id": "s"}, 201)
	run := w.must(few, "POST", "/v1/runs/code", object{"code": `call notes.save {"text":"a"}`, "detach": true}, 201)
	path := fmt.Sprintf("/v1/runs/%s", run["id"])
	w.events(w.request(few, "GET", path+"/events", nil), func(_, name, _ string) bool { return name != "approval_open" })
	if got := w.must(few, "GET", "/v1/sessions/s", nil, 200); got["state"] != "paused" {
		t.Errorf("got %v", got)
	}
	for path, body := range map[string]object{"/v1/sessions": {}, "/v1/runs/code": {"code": "print 1"}} {
		if got := w.must(few, "POST", path, body, 429); got["code"] != "sessions_used_up" {
			t.Errorf("%s: got %v", path, got)
		}
	}
	w.must(w.key("default"), "POST", "/v1/runs/code", object{"code": "print 1"}, 201)
	w.must(few, "POST", path+"/cancel", nil, 200)
	w.must(few, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)
}

// All bodies together that are read at a time are bounded: whoever is too much is to come again.
func TestBodiesTogether(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.s.doors.Bodies = rest.NewBodies(1 << 20)
	w.web.Config.Handler = rest.New(w.s.doors)
	big := `{"code": "` + strings.Repeat("x", 2<<20) + `"}`
	for range 2 {
		res, err := http.DefaultClient.Do(w.request(key, "POST", "/v1/runs/code", big))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
			t.Errorf("status %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
		}
	}
	w.must(key, "POST", "/v1/runs/code", object{"code": "print 1"}, 201) // nothing is left of those
}

// So are those of the Model Context Protocol.
func TestBodiesOfMCPTogether(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	doors := w.s.doors
	doors.Bodies = rest.NewBodies(1 << 20)
	door := mcp.New(doors, w.s.trusts)
	defer door.Close()
	w.web.Config.Handler = door
	send := func(body string) int {
		r := w.request(key, "POST", mcp.Path, body)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	half := begin + strings.Repeat(" ", 600<<10)
	for i, want := range []int{503, 200, 200} { // nothing is left of those that were read
		body := half
		if want == 503 {
			body = strings.Repeat(" ", 2<<20)
		}
		if got := send(body); got != want {
			t.Errorf("request %d: status %d, want %d", i, got, want)
		}
	}
}

// Providers are asked once in a minute, however many callers there are.
func TestModelsAreRemembered(t *testing.T) {
	requests, now := 0, time.Now()
	models := remembered(func(ctx context.Context) []app.ProviderModels {
		requests++
		return []app.ProviderModels{{Provider: strconv.Itoa(requests)}}
	}, func() time.Time { return now })
	for i, want := range []string{"1", "1", "2"} {
		if got := models(t.Context()); got[0].Provider != want {
			t.Errorf("call %d: got %v", i, got)
		}
		now = now.Add(50 * time.Second)
	}
}
