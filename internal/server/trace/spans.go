package trace

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/internal/server/observe"
)

// Request makes a span of a request that was answered.
func (x *Exporter) Request(r *observe.Request) {
	if x == nil || !x.cfg.Sampler.samples(r.Span) {
		return
	}
	what := []attribute{text("praxis.operation", r.Operation), text("praxis.request.id", r.ID), text("praxis.tenant", r.Tenant)}
	failure, name := "", r.Operation
	if r.Inner {
		failure = r.Fault() // in JSON-RPC each answer that is an error is a failure
		what = append(what, text("rpc.system.name", "jsonrpc"), text("rpc.method", r.Operation))
	} else {
		route := r.Route[strings.IndexByte(r.Route, ' ')+1:]
		if route == "/" {
			route = "" // it matches what no other does
		}
		method := knownMethod(r.Method)
		name = strings.TrimSpace(strings.Replace(method, "_OTHER", "HTTP", 1) + " " + route)
		if r.Status >= 500 {
			failure = strconv.Itoa(r.Status)
		}
		what = append(what, text("http.request.method", method), text("http.route", route), number("http.response.status_code", int64(r.Status)))
	}
	what = append(what, text("praxis.fault", r.Fault()))
	x.add(newSpan(r.Span, r.Parent.ID, name, server, r.Began, what...).ended(r.Began.Add(r.Took), failure))
}

// knownMethod returns a method of HTTP, or what the conventions write for one that a client made
// up.
func knownMethod(method string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}, method) {
		return method
	}
	return "_OTHER"
}

// kind is what a span of a run is of.
type kind string

const (
	run       kind = "run"
	step      kind = "step"
	model     kind = "model"
	execution kind = "execution"
	call      kind = "call"
)

// open is a span whose end has not come.
type open struct {
	kind kind
	key  string // which of its kind it is
	id   [8]byte
	span span
}

// maxOpen bounds what goes on at a time in a run.
const maxOpen = 256

// spans makes spans of the events of a run, or of an execution in a session.
type spans struct {
	x      *Exporter
	trace  observe.Span
	parent [8]byte // of what begins it; zero: nothing does
	run    string  // "": an execution in a session
	now    func() time.Time

	mu    sync.Mutex
	model string // that the run asks
	open  []open // in the order in which they began
}

// Events returns what makes spans of the events of a run, or of an execution in a session (""),
// that begins under ctx.
func (x *Exporter) Events(ctx context.Context, run string) event.Sink {
	r := observe.From(ctx)
	if x == nil || r.Span.IsZero() || !x.cfg.Sampler.samples(r.Span) {
		return event.Discard
	}
	s := &spans{x: x, trace: r.Span, run: run, now: time.Now}
	if r.Inner || r.Method != "" {
		s.parent = r.Span.ID
	} // else it is one that the server goes on with, which nobody asked for
	return s
}

// Emit makes a span of what ends, and remembers what begins.
func (s *spans) Emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case event.RunBegan:
		s.runBegan(e)
	case event.RunEnded:
		s.runEnded(e)
	case event.StepBegan:
		s.end(step, "", "")
		s.begin(step, "", "step", internal, s.under(run), number("praxis.step", int64(e.N)))
	case event.ModelRequested:
		s.request("call "+e.Call, e.Model, s.under(step), number("gen_ai.request.max_tokens", int64(e.MaxTokens)))
	case event.ModelReplied:
		s.end(model, "call "+e.Call, "", append(used(e.Tokens), text("gen_ai.response.model", nameOf(e.Model)))...)
	case event.ModelFailed:
		s.end(model, "call "+e.Call, other)
	case event.ChildBegan:
		if e.Run == "" { // what is a run itself has a span of its own
			s.request("query "+strconv.Itoa(e.N), e.Model, s.under(execution, step))
		}
	case event.ChildEnded:
		if e.Run == "" {
			what := ""
			if !e.Answered() {
				what = orOther(e.Kind)
			}
			s.end(model, "query "+strconv.Itoa(e.N), what, used(e.Tokens)...)
		}
	case event.ExecutionBegan:
		s.begin(execution, "", strings.TrimSpace("execute "+e.Language), internal, s.under(step), text("praxis.language", e.Language), text("praxis.purpose", string(e.Purpose)))
	case event.ExecutionEnded:
		s.executed(e.Execution)
	case event.ToolCalled:
		within := []kind{step}
		if e.Origin == event.OriginCode {
			within = []kind{execution, step}
		}
		s.begin(call, e.ID, "execute_tool "+e.Tool, internal, s.under(within...), text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", e.Tool), text("gen_ai.tool.call.id", e.ID), text("praxis.origin", e.Origin))
	case event.ToolReturned:
		what := ""
		if e.Error != "" {
			what = e.Code
			if what == "" {
				what = orOther(e.Kind)
			}
		}
		s.end(call, e.ID, what)
	}
}

// other is what the conventions write for a failure of no class.
const other = "_OTHER"

func orOther(class string) string {
	if class == "" {
		return other
	}
	return class
}

// under returns the id of the span of the first of kinds that goes on, else that of the run, and
// of an execution in a session that of the request.
func (s *spans) under(kinds ...kind) [8]byte {
	for _, k := range append(kinds, run) {
		if i := s.find(k, ""); i >= 0 {
			return s.open[i].id
		}
	}
	return s.parent
}

// find returns the place of the last span of a kind with a key, "" for any, that goes on; -1:
// there is none.
func (s *spans) find(k kind, key string) int {
	for i := len(s.open) - 1; i >= 0; i-- {
		if o := s.open[i]; o.kind == k && (key == "" || o.key == key) {
			return i
		}
	}
	return -1
}

// begin begins a span.
func (s *spans) begin(k kind, key, name string, as spanKind, parent [8]byte, attributes ...attribute) {
	at := s.trace.Child()
	if k == run {
		at.ID = runID(s.trace.Trace, key)
	}
	if len(s.open) >= maxOpen {
		s.x.overflow.Add(1)
		return
	}
	s.open = append(s.open, open{k, key, at.ID, newSpan(at, parent, name, as, s.now(), attributes...)})
}

// end ends the span that begin began. what is the class of its failure; "": it did not fail.
func (s *spans) end(k kind, key, what string, attributes ...attribute) {
	i := s.find(k, key)
	if i < 0 {
		return
	}
	s.x.add(s.open[i].span.ended(s.now(), what, attributes...))
	s.open = slices.Delete(s.open, i, i+1)
}

func (s *spans) runBegan(e event.RunBegan) {
	s.model = e.Model
	parent := s.parent
	name := "run " + string(e.Kind)
	what := []attribute{text("praxis.run.id", s.run), text("praxis.run.kind", string(e.Kind)), text("praxis.run.mode", e.Mode), text("praxis.run.style", e.Style)}
	if e.Kind == event.Ask {
		name = "invoke_agent praxis"
		what = append(what, text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", "praxis"), text("gen_ai.provider.name", providerOf(e.Model)), text("gen_ai.request.model", nameOf(e.Model)))
	}
	if e.Caller != nil {
		parent = runID(s.trace.Trace, e.Caller.Run)
		what = append(what, text("praxis.run.role", string(e.Caller.Role)))
	}
	if e.Parent != nil {
		what = append(what, text("praxis.run.parent", e.Parent.Run))
	}
	s.begin(run, s.run, name, internal, parent, what...)
}

// runEnded ends the run, and first what its end cut off.
func (s *spans) runEnded(e event.RunEnded) {
	what := string(e.Status)
	switch e.Status {
	case event.Answered, event.Unverified, event.Waiting, event.Stopped, "ok", "interrupted":
		what = ""
	}
	for len(s.open) > 1 {
		last := s.open[len(s.open)-1]
		s.end(last.kind, last.key, "")
	}
	s.end(run, "", what, append(used(e.Tokens), text("praxis.run.status", string(e.Status)), number("praxis.run.steps", int64(e.Steps)))...)
}

// request begins the span of a request to a model.
func (s *spans) request(key, name string, parent [8]byte, attributes ...attribute) {
	if name == "" {
		name = s.model
	}
	s.begin(model, key, strings.TrimSpace("chat "+nameOf(name)), client, parent, append(attributes, text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", providerOf(name)), text("gen_ai.request.model", nameOf(name)))...)
}

func (s *spans) executed(x event.Execution) {
	what := ""
	if x.Status != event.OK && x.Status != event.Interrupted {
		what = x.Status.String()
	}
	s.end(execution, "", what, text("praxis.status", x.Status.String()), number("praxis.cpu_ms", int64(x.Usage.CPUMS)), number("praxis.peak_memory_bytes", x.Usage.PeakMemoryBytes))
}

// used returns what tokens a model used.
func used(t event.Tokens) []attribute {
	return []attribute{number("gen_ai.usage.input_tokens", int64(t.Input)), number("gen_ai.usage.output_tokens", int64(t.Output)), number("gen_ai.usage.cache_read.input_tokens", int64(t.CacheRead))}
}

// providerOf returns the provider of a model as the conventions call it.
func providerOf(model string) string {
	provider, _, _ := strings.Cut(model, ":")
	switch provider {
	case "openai-chat", "openai-responses":
		return "openai"
	case "gemini":
		return "gcp.gemini"
	}
	return provider
}

// nameOf returns what a provider calls a model; "": it is a file, whose name is a client's.
func nameOf(model string) string {
	provider, name, _ := strings.Cut(model, ":")
	switch provider {
	case "scripted", "replay":
		return ""
	}
	return name
}
