package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/server/observe"
)

// collector is a server that takes spans, or does what answer says.
type collector struct {
	*testing.T
	web     *httptest.Server
	posts   chan *http.Request
	bodies  chan []byte
	reports chan error
}

func newCollector(t *testing.T, answer func(w http.ResponseWriter, n int)) *collector {
	t.Helper()
	c := &collector{T: t, posts: make(chan *http.Request, 100), bodies: make(chan []byte, 100), reports: make(chan error, 100)}
	var n atomic.Int64
	c.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.posts <- r
		c.bodies <- body
		if n := n.Add(1); answer != nil {
			answer(w, int(n))
		}
	}))
	t.Cleanup(c.web.Close)
	return c
}

// start starts an exporter to the collector.
func (c *collector) start(queue int) *Exporter {
	cfg := Config{Endpoint: c.web.URL + "/v1/traces", Headers: map[string]string{"Api-Key": "very-secret"}, Timeout: time.Minute, Resource: map[string]string{"service.name": "s"}, Sampler: Sampler{true, 1}}
	return start(cfg, "1", func(err error) { c.reports <- err }, queue, time.Millisecond)
}

// counts returns the numbers of spans.
func counts(x *Exporter) string {
	var out []string
	x.Counts(func(n float64, labels ...string) {
		if n > 0 {
			out = append(out, fmt.Sprint(labels[0], " ", n))
		}
	})
	return strings.Join(out, ", ")
}

var (
	parent   = observe.ParseSpan("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	answered = observe.Request{ID: "id", Method: "POST", Route: "POST /v1/runs", Operation: "runs.ask", Tenant: "t", Status: 201, Began: time.Unix(1, 2), Took: 3, Span: observe.Span{Trace: parent.Trace, ID: [8]byte{7: 1}, Decision: parent.Decision}, Parent: parent}
)

// A batch is what the specification's JSON of an ExportTraceServiceRequest is.
func TestEncoding(t *testing.T) {
	c := newCollector(t, nil)
	x := c.start(10)
	x.Request(&answered)
	broken := answered
	broken.Method, broken.Route, broken.Operation, broken.Status, broken.Parent = "evil\n", "/", "", 503, observe.Span{}
	broken.Failed(fault.Coded(fault.MemoryUsedUp, nil, "secret"))
	x.Request(&broken)
	x.Close(t.Context())
	post := <-c.posts
	if post.Method != "POST" || post.URL.Path != "/v1/traces" || post.Header.Get("Content-Type") != "application/json" || post.Header.Get("Api-Key") != "very-secret" {
		t.Errorf("got %v", post)
	}
	want := `{"resourceSpans":[{"resource":{"attributes":[` +
		`{"key":"service.name","value":{"stringValue":"s"}},{"key":"service.version","value":{"stringValue":"1"}},` +
		`{"key":"telemetry.sdk.language","value":{"stringValue":"go"}},{"key":"telemetry.sdk.name","value":{"stringValue":"praxis"}},{"key":"telemetry.sdk.version","value":{"stringValue":"1"}}]},` +
		`"scopeSpans":[{"scope":{"name":"praxis","version":"1"},"spans":[` +
		`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"0000000000000001","parentSpanId":"b7ad6b7169203331","name":"POST /v1/runs","kind":2,` +
		`"startTimeUnixNano":"1000000002","endTimeUnixNano":"1000000005","attributes":[` +
		`{"key":"praxis.operation","value":{"stringValue":"runs.ask"}},{"key":"praxis.request.id","value":{"stringValue":"id"}},{"key":"praxis.tenant","value":{"stringValue":"t"}},` +
		`{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"http.route","value":{"stringValue":"/v1/runs"}},{"key":"http.response.status_code","value":{"intValue":"201"}}]},` +
		`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"0000000000000001","name":"HTTP","kind":2,` +
		`"startTimeUnixNano":"1000000002","endTimeUnixNano":"1000000005","attributes":[` +
		`{"key":"praxis.request.id","value":{"stringValue":"id"}},{"key":"praxis.tenant","value":{"stringValue":"t"}},` +
		`{"key":"http.request.method","value":{"stringValue":"_OTHER"}},{"key":"http.response.status_code","value":{"intValue":"503"}},` +
		`{"key":"praxis.fault","value":{"stringValue":"memory_used_up"}},{"key":"error.type","value":{"stringValue":"503"}}],"status":{"code":2}}]}]}]}`
	if got := string(<-c.bodies); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := counts(x); got != "sent 2" {
		t.Errorf("got %s", got)
	}
}

// tree draws spans below their parents, with what matters of them.
func tree(t *testing.T, body []byte) string {
	t.Helper()
	var got exportRequest
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	all := got.ResourceSpans[0].ScopeSpans[0].Spans
	slices.SortStableFunc(all, func(a, b span) int { return int(a.Start - b.Start) })
	var b strings.Builder
	var draw func(parent, indent string)
	draw = func(parent, indent string) {
		for _, s := range all {
			if s.Parent != parent || s.ID == "" {
				continue
			}
			fmt.Fprintf(&b, "%s%s", indent, s.Name)
			for _, a := range s.Attributes {
				switch {
				case a.Key == "error.type":
					fmt.Fprintf(&b, " !%s", *a.Value.Text)
				case strings.HasPrefix(a.Key, "gen_ai.usage"):
					fmt.Fprintf(&b, " %d", *a.Value.Number)
				}
			}
			fmt.Fprintln(&b)
			draw(s.ID, indent+"  ")
		}
	}
	draw("0000000000000001", "")
	return b.String()
}

// The events of a run and of what it begins become a tree of spans, which quotes nothing.
func TestEvents(t *testing.T) {
	c := newCollector(t, nil)
	x := c.start(100)
	ctx := observe.With(t.Context(), &answered)
	now := time.Unix(0, 0)
	sink := func(run string) event.Sink {
		s := x.Events(ctx, run).(*spans)
		s.now = func() time.Time { now = now.Add(1); return now }
		return s
	}
	const secret = "very-secret"
	top, child, session := sink("r1"), sink("r2"), sink("")
	for _, e := range []event.Event{
		event.RunBegan{Kind: event.Ask, Question: secret, Model: "anthropic:m", Thread: secret},
		event.StepBegan{N: 1},
		event.ModelRequested{Step: 1, Model: "anthropic:m", System: secret, MaxTokens: 9},
		event.ModelFailed{Step: 1, Reason: secret},
		event.ModelRequested{Step: 1, Model: "anthropic:m", System: secret},
		event.ModelReplied{Step: 1, Text: secret, Thought: secret, Model: "openai-chat:n", Tokens: event.Tokens{Input: 5, Output: 6}},
		event.ExecutionBegan{Step: 1, Language: "python", Code: secret, File: secret},
		event.ToolCalled{Step: 1, ID: "c1", Tool: "crm.find", Arguments: map[string]any{"a": secret}, Origin: event.OriginCode},
		event.ChildBegan{Step: 1, N: 1, Role: event.Query, Model: "gemini:q", Task: secret},
		event.ToolReturned{Step: 1, ID: "c1", Error: secret, Kind: "denied", Remedy: secret, Raised: secret},
		event.ChildEnded{Step: 1, N: 1, Status: event.Failed, Reason: secret, Tokens: event.Tokens{Input: 1, Output: 2}},
		event.Output{Data: []byte(secret)},
		event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.Timeout, Stdout: secret, Message: secret}},
		event.StepBegan{N: 2},
		event.ToolCalled{Step: 2, ID: "c2", Tool: "notes.save", Origin: event.OriginModel},
	} {
		top.Emit(e)
	}
	child.Emit(event.RunBegan{Kind: event.Ask, Model: "scripted:" + secret, Caller: &event.Caller{Run: "r1", Child: 2, Role: event.Subagent}})
	child.Emit(event.RunEnded{Status: event.Answered, Tokens: event.Tokens{Input: 3, Output: 4}})
	top.Emit(event.RunEnded{Status: event.Unanswered, Reason: secret, Draft: secret, Found: secret})
	session.Emit(event.ExecutionBegan{Session: "s", Code: secret})
	session.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.OK}})
	own := x.Events(observe.With(t.Context(), observe.NewRequest(observe.Span{})), "r3") // of a run that the server goes on with
	own.Emit(event.RunBegan{Kind: event.Ask, Question: secret})
	own.Emit(event.RunEnded{Status: event.Answered})
	x.Close(t.Context())
	body := <-c.bodies
	if got := strings.Count(string(body), `"spanId"`) - strings.Count(string(body), `"parentSpanId"`); got != 1 {
		t.Errorf("%d spans begin a trace", got)
	}
	want := `invoke_agent praxis !unanswered
  step
    chat m !_OTHER
    chat m 5 6
    execute python !timeout
      execute_tool crm.find !denied
      chat q 1 2 !_OTHER
  step
    execute_tool notes.save
  invoke_agent praxis 3 4
execute
`
	if got := tree(t, body); got != want {
		t.Errorf("got\n%s", got)
	}
	if strings.Contains(string(body), secret) {
		t.Errorf("a span quotes what is secret: %s", body)
	}
	for _, want := range []string{`"gen_ai.provider.name","value":{"stringValue":"anthropic"`, `"gcp.gemini"`, `"gen_ai.response.model","value":{"stringValue":"n"}`, `"gen_ai.tool.call.id","value":{"stringValue":"c1"}`, `"praxis.status","value":{"stringValue":"timeout"}`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("there is no %s in %s", want, body)
		}
	}
}

// Traces that are not to be recorded, and events that no request led to, leave no spans; no more
// than a bound go on at a time.
func TestNotRecorded(t *testing.T) {
	c := newCollector(t, nil)
	x := c.start(2 * maxOpen)
	quiet := answered
	quiet.Span.Decision = observe.Unrecorded
	x.Request(&quiet)
	x.Events(observe.With(t.Context(), &quiet), "r").Emit(event.RunBegan{})
	x.Events(t.Context(), "r").Emit(event.RunBegan{})
	many := x.Events(observe.With(t.Context(), &answered), "r")
	many.Emit(event.RunBegan{})
	for n := range maxOpen + 4 {
		many.Emit(event.ToolCalled{ID: fmt.Sprint("c", n)})
	}
	many.Emit(event.RunEnded{Status: event.Failed})
	x.Close(t.Context())
	if got, want := counts(x), fmt.Sprintf("sent %d, overflow 5", maxOpen); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var none *Exporter
	none.Request(&answered)
	none.Events(t.Context(), "r").Emit(event.RunBegan{})
	none.Close(t.Context())
}

// A collector that cannot take a batch now gets it again, a few times; one that does not want it,
// or wants less of it, does not. What is lost is counted, and reported once without what the
// headers say.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter, n int)
		posts  int
		counts string
		report string
	}{
		{"later", func(w http.ResponseWriter, n int) {
			if n == 1 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(503)
			}
		}, 2, "sent 1", ""},
		{"never", func(w http.ResponseWriter, _ int) { http.Error(w, "very-secret", http.StatusTooManyRequests) }, attempts, "unsent 1", "cannot send traces: the collector answered with status 429; spans are lost until it can"},
		{"unwanted", func(w http.ResponseWriter, _ int) { http.Error(w, "very-secret", http.StatusUnauthorized) }, 1, "unsent 1", "cannot send traces: the collector answered with status 401; spans are lost until it can"},
		{"elsewhere", func(w http.ResponseWriter, _ int) { w.Header().Set("Location", "/x"); w.WriteHeader(307) }, 1, "unsent 1", "cannot send traces: the collector answered with status 307; spans are lost until it can"},
		{"partly", func(w http.ResponseWriter, _ int) {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"7"}}`)
		}, 1, "rejected 1", ""},
		{"no HTTP", func(w http.ResponseWriter, _ int) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "very-secret\r\n\r\n")
				_ = conn.Close()
			}
		}, attempts, "unsent 1", "cannot send traces: what answers does not speak HTTP, or not over TLS; spans are lost until it can"},
	} {
		t.Run(c.name, func(t *testing.T) {
			col := newCollector(t, c.answer)
			x := col.start(10)
			x.send(t.Context(), []span{{Name: "a"}})
			x.Close(t.Context())
			report := ""
			if len(col.reports) > 0 {
				report = (<-col.reports).Error()
			}
			if len(col.posts) != c.posts || counts(x) != c.counts || report != c.report {
				t.Errorf("%d posts, %s, %q", len(col.posts), counts(x), report)
			}
		})
	}
}

// A collector that hangs keeps nobody waiting: what finds the queue full is lost, and the end
// comes when its time is over.
func TestHangs(t *testing.T) {
	hang := make(chan struct{})
	c := newCollector(t, func(http.ResponseWriter, int) { <-hang })
	defer close(hang)
	x := c.start(3)
	for range maxBatch {
		x.queue <- span{} // waits where add would not
	}
	<-c.posts
	for range 5 {
		x.add(span{})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x.Close(ctx)
	if got := counts(x); got != "unsent 515, overflow 2" {
		t.Errorf("got %s", got)
	}
	x.add(span{})
}
