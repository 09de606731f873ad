package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/pystub"
	"praxis/internal/tool/search"
)

// Bounds of answers.
const (
	maxNames   = 10_000
	maxFound   = 50
	maxSpecs   = 500      // tools of a namespace that one answer lists
	maxResults = 64 << 20 // bytes of native results that are stored whole
)

// Network serves connections of the session's code.
type Network interface {
	Serve(ctx context.Context, conn io.ReadWriteCloser)
}

// Config is what a bridge needs.
type Config struct {
	Gate    *gate.Gate // nil: there are no tools
	Network Network    // nil: code reaches no host
	// Children is what code may begin; nil: nothing.
	Children Children
}

// Bridge exposes the tools of a run to its model and to the code in its session.
// It is safe for concurrent use.
type Bridge struct {
	gate     *gate.Gate
	net      Network
	children Children
	step     atomic.Int64
	find     func() *search.Index

	mu      sync.Mutex
	results map[string]storedResult // native results that were shown in part, by the ids of their calls
	order   []string
	weight  int
	partial map[string]string  // tools whose last result was cut → how much of it there is
	replies []event.ChildReply // that the agent has not taken yet
}

// storedResult is a result that was shown in part and can be read again.
type storedResult struct {
	value any
	text  string
}

var _ guest.Host = (*Bridge)(nil)

// New makes the bridge of a run.
func New(cfg Config) *Bridge {
	b := &Bridge{gate: cfg.Gate, net: cfg.Network, children: cfg.Children, results: map[string]storedResult{}, partial: map[string]string{}}
	b.find = sync.OnceValue(func() *search.Index { return search.NewIndex(b.all()) })
	return b
}

// Observe follows the events of the run: calls of code belong to the run's current
// step, and data that enter the run taint the arguments of its tools.
func (b *Bridge) Observe(e event.Event) {
	if s, ok := e.(event.StepBegan); ok {
		b.step.Store(int64(s.N))
	}
	if b.gate != nil {
		b.gate.Observe(e)
	}
}

// all are the tools of the run, one version each.
func (b *Bridge) all() []*tool.Definition {
	var out []*tool.Definition
	if b.gate != nil {
		for def := range b.gate.Tools().All() {
			out = append(out, def)
		}
	}
	return out
}

// request is a guest request of the module in the sandbox.
type request struct {
	Do        string          `json:"do"`
	Name      string          `json:"name"`
	Query     string          `json:"query"`
	Limit     int             `json:"limit"`
	Tool      string          `json:"tool"`
	Version   string          `json:"version"`
	Arguments json.RawMessage `json:"arguments"`
	ID        string          `json:"id"`
	Again     bool            `json:"again"`
}

// Tools answers one request of the module in the sandbox.
func (b *Bridge) Tools(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	var q request
	err := json.Unmarshal(body, &q)
	switch {
	case err == nil && q.Do == "begin":
		return b.begin(ctx, body)
	case b.gate == nil:
		return nil, fault.Coded(fault.ToolsNone, nil, "this run has no tools")
	case err != nil:
		return nil, fault.New(fault.Invalid, "", "the request cannot be read")
	}
	switch q.Do {
	case "names":
		return b.names()
	case "namespace":
		return b.namespace(q.Name)
	case "search":
		return b.search(q.Query, q.Limit)
	case "describe":
		def, err := b.resolve(q.Name, q.Version)
		if err != nil {
			return nil, err
		}
		return encode(pystub.Spec(def))
	case "call":
		return b.call(ctx, q)
	case "result":
		b.mu.Lock()
		k, ok := b.results[q.ID]
		b.mu.Unlock()
		if !ok {
			return nil, fault.New(fault.NotFound, "Call the tool again.", "there is no result %s, or it is not stored any more", safetext.Clip(q.ID, 40))
		}
		return encode(jsondoc.NewObject(jsondoc.Member{Name: "result", Value: k.value}))
	}
	return nil, fault.New(fault.Invalid, "", "there is no request %q", safetext.Clip(q.Do, 40))
}

func encode(v any) (json.RawMessage, error) {
	data, err := event.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("cannot answer: %w", err)
	}
	return data, nil
}

func (b *Bridge) names() (json.RawMessage, error) {
	names := b.gate.Tools().Names()
	total := len(names)
	list := make([]any, 0, min(total, maxNames))
	for _, name := range names[:min(total, maxNames)] {
		list = append(list, name)
	}
	return encode(jsondoc.NewObject(jsondoc.Member{Name: "names", Value: list}, jsondoc.Member{Name: "total", Value: total}))
}

// namespace describes the tools that are directly in a namespace, and names the
// namespaces below it.
func (b *Bridge) namespace(name string) (json.RawMessage, error) {
	set := b.gate.Tools()
	if !set.IsNamespace(name) {
		if _, ok := set.Lookup(name); !ok {
			return nil, b.unknown(name)
		}
		return nil, fault.New(fault.NotFound, "Use it as a function.", "%s is a tool and no namespace", name)
	}
	specs, below, seen := []any{}, []any{}, map[string]bool{}
	for _, def := range set.Namespace(name) {
		rest := strings.TrimPrefix(def.Name, name+".")
		first, _, deeper := strings.Cut(rest, ".")
		switch {
		case deeper && !seen[first]:
			seen[first] = true
			below = append(below, name+"."+first)
		case !deeper && len(specs) < maxSpecs:
			specs = append(specs, pystub.Spec(def))
		}
	}
	return encode(jsondoc.NewObject(jsondoc.Member{Name: "tools", Value: specs}, jsondoc.Member{Name: "namespaces", Value: below}))
}

func (b *Bridge) search(query string, limit int) (json.RawMessage, error) {
	if limit <= 0 || limit > maxFound {
		limit = 10
	}
	list := []any{}
	for _, def := range b.find().Search(query, limit) {
		list = append(list, jsondoc.NewObject(
			jsondoc.Member{Name: "name", Value: def.Name}, jsondoc.Member{Name: "version", Value: string(def.Version)}, jsondoc.Member{Name: "summary", Value: pystub.Line(def)},
		))
	}
	return encode(jsondoc.NewObject(jsondoc.Member{Name: "tools", Value: list}))
}

func (b *Bridge) resolve(name, version string) (*tool.Definition, error) {
	if version == "" {
		if def, ok := b.gate.Tools().Lookup(name); ok {
			return def, nil
		}
		return nil, b.unknown(name)
	}
	return b.gate.Tools().Resolve(name, version)
}

func (b *Bridge) unknown(name string) error {
	near := b.gate.Tools().Suggest(name)
	f := fault.Coded(fault.ToolMissing, fault.Data{"tool": safetext.Clip(name, 80), "near": near}, "there is no tool %q", safetext.Clip(name, 80))
	if near == "" {
		f.Remedy = "Look with tools.names() or tools.search(…)."
	}
	return f
}

// call executes a call of the session's code.
func (b *Bridge) call(ctx context.Context, q request) (json.RawMessage, error) {
	ticket := ""
	if q.ID != "" {
		ticket = "code " + safetext.Clip(q.ID, 200)
	}
	if q.Again && !b.gate.Knows(ticket) {
		return nil, fault.New(fault.Unavailable, "Look whether it was done before you call it again.", "%s was under way when the session was restored: whether it was done is not known", safetext.Clip(q.Tool, 80))
	}
	args, err := arguments(q.Arguments)
	if err != nil {
		return nil, err
	}
	out, err := b.gate.Call(ctx, gate.Request{
		Origin: gate.Code, Step: int(b.step.Load()), Name: q.Tool, Version: q.Version, Arguments: args, Ticket: ticket,
	})
	if err != nil {
		return nil, err
	}
	if err := out.Fault(); err != nil {
		if out.Raised == "" {
			return nil, err
		}
		return encode(jsondoc.NewObject(jsondoc.Member{Name: "raised", Value: out.Raised}, jsondoc.Member{Name: "kind", Value: fault.KindOf(err).String()},
			jsondoc.Member{Name: "message", Value: err.Error()}, jsondoc.Member{Name: "remedy", Value: fault.RemedyOf(err)}))
	}
	b.gave(q.Tool, out.Cut)
	members := []jsondoc.Member{{Name: "result", Value: out.Value}}
	if out.Cut != "" {
		members = append(members, jsondoc.Member{Name: "cut", Value: out.Cut})
	}
	return encode(jsondoc.NewObject(members...))
}

// arguments reads the arguments of a call exactly.
func arguments(text json.RawMessage) (*jsondoc.Object, error) {
	if len(text) == 0 {
		return jsondoc.NewObject(), nil
	}
	if len(text) > gate.MaxArguments {
		return nil, fault.New(fault.Exhausted, "Give less, or a reference in place of the data.", "the arguments have %d bytes; at most %d are taken", len(text), gate.MaxArguments)
	}
	v, err := jsondoc.Decode(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Give a JSON object.", "the arguments cannot be read: %w", err)
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return nil, fault.New(fault.Invalid, "Give arguments by name.", "the arguments are no object")
	}
	return o, nil
}

// Connect serves a connection of the session's code.
func (b *Bridge) Connect(ctx context.Context, conn io.ReadWriteCloser) {
	if b.net != nil {
		b.net.Serve(ctx, conn)
	}
}
