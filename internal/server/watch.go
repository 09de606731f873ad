package server

import (
	"context"
	"strconv"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
	"praxis/internal/server/metrics"
	"praxis/internal/server/observe"
	"praxis/internal/server/usage"
)

// counts are the metrics of a server. None has a name of a tenant, a key or a session.
type counts struct {
	set                                                        metrics.Set
	requests, requestTime, refused                             *metrics.Family
	executions, executionTime, runs, runTime, tokens, cpu, net *metrics.Family
	calls                                                      *metrics.Family
}

func newCounts(s *Server) *counts {
	c := &counts{}
	times := []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
	c.requests = c.set.Counter("praxis_requests_total", "Requests that were answered.", "operation", "status")
	c.requestTime = c.set.Histogram("praxis_request_seconds", "Time until a request was answered whole.", times, "operation")
	c.refused = c.set.Counter("praxis_refused_total", "Requests that were refused because something was used up.", "fault")
	c.executions = c.set.Counter("praxis_executions_total", "Executions that ended.", "language", "status")
	c.executionTime = c.set.Histogram("praxis_execution_seconds", "Wall time of executions.", times, "language")
	c.runs = c.set.Counter("praxis_runs_total", "Runs that ended.", "kind", "status")
	c.runTime = c.set.Histogram("praxis_run_seconds", "Time that runs took.", times, "kind")
	c.tokens = c.set.Counter("praxis_tokens_total", "Tokens of models.", "model", "direction")
	c.calls = c.set.Counter("praxis_tool_calls_total", "Calls of tools that ended.", "status")
	c.cpu = c.set.Counter("praxis_cpu_seconds_total", "Processor time of executions.")
	c.net = c.set.Counter("praxis_egress_bytes_total", "Bytes that code sent to other hosts and received from them.")
	c.set.Gauge("praxis_sessions", "Sessions.", []string{"state"}, func(set func(float64, ...string)) {
		sum := map[live.State]int{live.Live: 0, live.Paused: 0, live.Lost: 0}
		for _, t := range s.opened() {
			for state, n := range t.Hub.Counts().Sessions {
				sum[state] += n
			}
		}
		for _, state := range []live.State{live.Live, live.Paused, live.Lost} {
			set(float64(sum[state]), string(state))
		}
	})
	c.set.Gauge("praxis_going", "Executions that go on or wait, runs that go on, and tenants that are open.", []string{"what"}, func(set func(float64, ...string)) {
		executions, runs, tenants := 0, 0, 0
		for _, t := range s.opened() {
			n := t.Hub.Counts()
			executions, runs, tenants = executions+n.Executions, runs+n.Runs, tenants+1
		}
		set(float64(executions), "executions")
		set(float64(runs), "runs")
		set(float64(tenants), "tenants")
	})
	pools := func(of func(app.PoolStats) float64) func(set func(float64, ...string)) {
		return func(set func(float64, ...string)) {
			sum := 0.0
			for _, t := range s.opened() {
				sum += of(t.App.Pools())
			}
			set(sum)
		}
	}
	c.set.Gauge("praxis_pool_ready", "Sandboxes that are ready for sessions.", nil, pools(func(p app.PoolStats) float64 { return float64(p.Warm) }))
	c.set.Totals("praxis_pool_hits_total", "Sessions for which a sandbox was ready.", nil, pools(func(p app.PoolStats) float64 { return float64(p.Hits) }))
	c.set.Totals("praxis_pool_misses_total", "Sessions for which none was.", nil, pools(func(p app.PoolStats) float64 { return float64(p.Misses) }))
	if s.traces != nil {
		c.set.Totals("praxis_trace_spans_total", "Spans of traces, by what became of them.", []string{"result"}, s.traces.Counts)
	}
	processMetrics(&c.set)
	return c
}

// request counts a request that was answered.
func (c *counts) request(r *observe.Request) {
	name := r.Operation
	if name == "" {
		name = r.Route // one of a few patterns
	}
	c.requests.Add(1, name, strconv.Itoa(r.Status))
	c.requestTime.Observe(r.Took.Seconds(), name)
	if r.Kind == fault.Exhausted {
		c.refused.Add(1, r.Fault())
	}
}

// opened returns the tenants that are open.
func (s *Server) opened() []*api.Tenant {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*api.Tenant
	for _, o := range s.tenants {
		if t := o.tenant.Load(); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// watched is what is counted and traced of the events of a run, or of an execution in a session.
type watched struct {
	counts *counts
	spans  event.Sink
	used   *usage.Ledger
	prices app.PriceTable
	key    string

	mu       sync.Mutex
	began    event.RunBegan
	language string
	queries  map[int]string // children that are requests to a model, by number: which one
}

// watch returns what counts and traces the events of a run, or of an execution in a session ("").
func (s *Server) watch(ctx context.Context, used *usage.Ledger, run string) event.Sink {
	return &watched{counts: s.counts, spans: s.traces.Events(ctx, run), used: used, prices: s.cfg.Prices, key: observe.From(ctx).Key, queries: map[int]string{}}
}

// Emit counts and traces an event.
func (w *watched) Emit(e event.Event) {
	w.spans.Emit(e)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case event.RunBegan:
		w.began = e
	case event.ExecutionBegan:
		if w.language = e.Language; w.language == "" {
			w.language = "first" // that of the session, which its image says
		}
	case event.ExecutionEnded:
		x := e.Execution
		w.counts.executions.Add(1, w.language, x.Status.String())
		w.counts.executionTime.Observe(x.Usage.WallMS/1000, w.language)
		w.counts.cpu.Add(x.Usage.CPUMS / 1000)
		w.used.Add(w.key, access.Amounts{CPU: x.Usage.CPUMS / 1000})
	case event.ModelReplied:
		model := e.Model
		if model == "" {
			model = w.began.Model
		}
		w.tokens(model, e.Tokens)
	case event.ChildBegan:
		if e.Run == "" { // what is a run itself is watched for itself
			w.queries[e.N] = e.Model
		}
	case event.ChildEnded:
		if model, query := w.queries[e.N]; query {
			delete(w.queries, e.N)
			w.tokens(model, e.Tokens)
		}
	case event.ToolReturned:
		status := "ok"
		if e.Error != "" {
			status = "error"
		}
		w.counts.calls.Add(1, status)
	case event.ConnectionClosed:
		w.counts.net.Add(float64(e.Sent + e.Received))
		w.used.Add(w.key, access.Amounts{Egress: e.Sent + e.Received})
	case event.RunEnded:
		w.counts.runs.Add(1, string(w.began.Kind), string(e.Status))
		w.counts.runTime.Observe(time.Duration(e.Took).Seconds(), string(w.began.Kind))
	}
}

// tokens counts what a model used. w.mu is held.
func (w *watched) tokens(model string, t event.Tokens) {
	w.counts.tokens.Add(float64(t.Input), model, "input")
	w.counts.tokens.Add(float64(t.Output), model, "output")
	used := access.Amounts{Tokens: int64(t.Input) + int64(t.Output)}
	if !w.began.Scripted {
		used.USD, _ = w.prices.Cost(model, t)
	}
	w.used.Add(w.key, used)
}
