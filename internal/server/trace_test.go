package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/internal/server/access"
	"praxis/internal/server/trace"
)

// collected are the spans that a collector got.
type collected struct {
	mu    sync.Mutex
	text  strings.Builder
	spans []struct {
		TraceID, SpanID, ParentSpanID, Name string
	}
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var got struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans json.RawMessage
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := json.NewDecoder(io.TeeReader(r.Body, &c.text)).Decode(&got); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	before := c.spans
	c.spans = nil
	if err := json.Unmarshal(got.ResourceSpans[0].ScopeSpans[0].Spans, &c.spans); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	c.spans = append(before, c.spans...)
}

// edges lists the spans, each after its parent.
func (c *collected) edges() []string {
	names := map[string]string{"": "", "b7ad6b7169203331": "client"}
	for _, s := range c.spans {
		names[s.SpanID] = s.Name
	}
	var out []string
	for _, s := range c.spans {
		parent, known := names[s.ParentSpanID]
		if !known {
			parent = "nobody"
		}
		out = append(out, parent+" > "+s.Name)
	}
	slices.Sort(out)
	return out
}

// A request is a trace with all that it begins, as a part of the client's if it sent one: the
// run is under the request, its steps are under the run, and what they do is under them. None of
// the spans says what was asked, run or answered.
func TestTraces(t *testing.T) {
	got := &collected{}
	web := httptest.NewServer(got)
	defer web.Close()
	w := &world{T: t, home: t.TempDir(), traces: trace.Config{Endpoint: web.URL, Timeout: time.Minute, Sampler: trace.Sampler{Parent: true, Ratio: 1}}}
	w.start()
	admin := w.key("default", access.Admin)
	script := w.file("hidden.txt", "=== reply\n```python\nprint hidden\n```\n=== reply\nFINAL ANSWER: It is hidden.\n")
	r := w.request(admin, "POST", "/v1/runs", object{"question": "Is it hidden?", "model": "scripted:" + script})
	const traceID = "0af7651916cd43dd8448eb211c80319c"
	r.Header.Set("Traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != 201 {
		t.Fatalf("got %v, %v", res, err)
	}
	res.Body.Close()
	w.must(admin, "POST", "/v1/sessions", object{"id": "hidden"}, 201)
	w.must(admin, "POST", "/rpc", object{"jsonrpc": "2.0", "id": 1, "method": "executions.start", "params": object{"session": "hidden", "code": "print hidden"}}, 200)
	w.must("", "GET", "/v1/sessions", nil, 401)
	w.must("", "GET", "/healthz", nil, 200)
	if _, metrics := w.call(admin, "GET", "/metrics", nil); !strings.Contains(fmt.Sprint(metrics), `praxis_trace_spans_total{result="overflow"} 0`) {
		t.Errorf("got %v", metrics)
	}
	w.stop()
	want := ` > GET /v1/sessions
 > POST /rpc
 > POST /v1/sessions
POST /rpc > executions.start
POST /v1/runs > invoke_agent praxis
client > POST /v1/runs
executions.start > execute
invoke_agent praxis > step
invoke_agent praxis > step
step > chat
step > chat
step > execute python`
	if edges := strings.Join(got.edges(), "\n"); edges != want {
		t.Errorf("got\n%s\nwant\n%s", edges, want)
	}
	inTrace := 0
	for _, s := range got.spans {
		if s.TraceID == traceID {
			inTrace++
		}
	}
	if inTrace != 7 || strings.Contains(got.text.String(), "hidden") || strings.Contains(got.text.String(), admin) {
		t.Errorf("%d spans in the client's trace: %s", inTrace, got.text.String())
	}
}
