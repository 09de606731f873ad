package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Bounds of a [Config] that says nothing.
const (
	DefaultTimeout  = time.Minute
	DefaultCalls    = 10_000
	DefaultInFlight = 64
	// MaxPreparation bounds the time to make a tool ready, such as to build an image
	// with its packages.
	MaxPreparation = 15 * time.Minute
	// DefaultBytes bounds what is recorded of all calls of a run.
	DefaultBytes = 8 << 30
	// MaxArguments bounds the JSON of one call's arguments, in bytes.
	MaxArguments = 16 << 20
	// MaxNamed bounds how many arguments a call has: each is recorded with all
	// that it depends on.
	MaxNamed = 1000
	// MaxResult bounds the JSON of a result whose definition sets no bound.
	MaxResult = 16 << 20
)

// Caller executes the calls that were let through: it is a registry, a rehearsal
// or the record of another run. An error that is [ErrLater] says that the answer
// comes later.
type Caller interface {
	// Prepare makes a tool ready before the time of its call begins, so that no
	// call pays for what is done once, such as compiling a module.
	Prepare(ctx context.Context, d *tool.Definition) error
	Call(ctx context.Context, c tool.Invocation) (any, error)
	// Identity names what implements a tool, for the record; "": it cannot be named.
	Identity(d *tool.Definition) string
}

// Config is what a gate needs. Tools must be set.
type Config struct {
	Run     string // of the journal; it makes keys of calls unique
	Tools   *tool.Set
	Caller  Caller         // nil: every call fails
	Policy  *policy.Policy // nil: the defaults, and what the definitions demand
	Origins []Origin       // who may call
	// Approver grants or denies calls; nil: calls that need an approval are denied.
	Approver Approver
	Sink     event.Sink // nil: events are dropped
	// Redact takes the values of secrets out of a text; nil: there are none.
	Redact   func(string) string
	Timeout  time.Duration // of a call whose definition sets none; 0: DefaultTimeout
	MaxCalls int           // of the run; 0: DefaultCalls
	// Count counts a call for all runs that draw from one account, and says whether they may
	// make it. nil: the run is alone.
	Count    func() bool
	InFlight int   // at a time; 0: DefaultInFlight
	MaxBytes int64 // of the JSON of all arguments and results of the run; 0: DefaultBytes
	Unpaced  bool  // rates of tools do not count, as nothing is really called
	// Made counts, by tool, the calls that were made before in a run that goes on: they
	// count towards the bounds.
	Made map[string]int
	Now  func() time.Time
}

// Gate lets calls of tools through. It belongs to one run. It is safe for
// concurrent use.
type Gate struct {
	cfg   Config
	slots chan struct{}

	mu       sync.Mutex
	calls    int                  // let in so far
	volume   int64                // bytes of their arguments and results
	perTool  map[string]int       // by name
	window   map[string][]instant // of tools with a rate
	labels   *label.Table
	members  policy.Members     // values of trusted results, for rules that ask
	seen     label.ID           // of all that the model and its code have seen
	grants   map[string]Answer  // what was granted for longer than one call
	tickets  map[string]*ticket // calls that may be sent again
	answered []string           // tickets that are over, the oldest first
	weight   int                // bytes of their results
	texts    []text             // that questions quote, the oldest first
	secrets  map[string]bool    // values of arguments that no question shows
}

// instant is when a call was made.
type instant = time.Time

// New makes the gate of a run.
func New(cfg Config) (*Gate, error) {
	if cfg.Tools == nil {
		return nil, errors.New("cannot make a gate: no tools")
	}
	if cfg.Policy == nil {
		cfg.Policy = policy.Empty(cfg.Tools)
	}
	if cfg.Sink == nil {
		cfg.Sink = event.Discard
	}
	if cfg.Redact == nil {
		cfg.Redact = func(s string) string { return s }
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.MaxCalls <= 0 {
		cfg.MaxCalls = DefaultCalls
	}
	if cfg.InFlight <= 0 {
		cfg.InFlight = DefaultInFlight
	}
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = DefaultBytes
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	made, calls := map[string]int{}, 0
	for name, n := range cfg.Made {
		made[name], calls = n, calls+n
	}
	return &Gate{
		cfg: cfg, calls: calls, slots: make(chan struct{}, cfg.InFlight), labels: label.NewTable(),
		perTool: made, window: map[string][]instant{}, grants: map[string]Answer{}, tickets: map[string]*ticket{}, secrets: map[string]bool{},
	}, nil
}

// Tools returns the tools behind the gate.
func (g *Gate) Tools() *tool.Set { return g.cfg.Tools }

// Caller returns what executes calls, or nil.
func (g *Gate) Caller() Caller { return g.cfg.Caller }

// Request is one call that somebody wants made.
type Request struct {
	Origin    Origin
	Step      int
	ID        string // unique in the run; "": the gate makes one
	Line      int    // of the call in the plan; 0: unknown
	Name      string // of the tool
	Version   string // "": the newest
	Arguments *jsondoc.Object
	// Ticket names a call that may be sent again: the same ticket gets the same
	// result, and is never executed twice. "": none.
	Ticket string

	// A plan fills these in, since it knows them exactly: what each argument depends
	// on, what it depends on that the call is reached, and the policy's decision over
	// the parts of the arguments.
	Labels   map[string]label.Label
	Control  label.Label
	Decision *policy.Decision
	// Accept takes a result that fits the definition and says what it depends
	// on. A fault refuses it. nil: the gate labels it.
	Accept func(result any) (Accepted, error)
	// Caller executes this call in place of the gate's.
	Caller Caller
	// Answer was given before the call, so that no question is asked.
	Answer *Answer
}

// Accepted is what a result depends on.
type Accepted struct {
	Label   label.Label
	Lowered []Lowered
}

// Lowered says that a rule, or a person, lowered the label of a result or of a
// part of it.
type Lowered struct {
	Rule, Who, Why string
	From, To       label.Label
}

// Result is what came of a call: a value, a failure or a denial.
type Result struct {
	ID       string
	Tool     *tool.Definition
	Decision policy.Decision
	Value    any
	Label    label.Label
	Denied   *Denial
	// Failed says why there is no value although the call was let through, or
	// why it could not be judged: a fault for the caller. It contains no secret.
	Failed        error
	Raised        string // of a failure, the class of the exception of the tool's code
	Cut           string // how much of what was asked for the value holds, when it is not all
	Done          bool   // it was executed
	Later         bool   // its answer comes later ([ErrLater])
	NeedsApproval bool   // what comes later is an approval, not a value

	size int // bytes of the result's JSON
}

// Denial is why a call was not made.
type Denial struct {
	By     string // who decided; ByPolicy: the rules
	Reason string
	Remedy string
}

// Error returns the denial in one line.
func (d *Denial) Error() string { return d.Reason }

// Fault returns the result as the error that a caller sees, nil for a value.
func (o Result) Fault() error {
	switch {
	case o.Denied != nil:
		f := fault.Coded(fault.ToolDenied, fault.Data{"tool": o.Tool.Name, "by": o.Denied.By}, "%s was not called: %s", o.Tool.Name, o.Denied.Reason)
		f.Remedy = o.Denied.Remedy
		return f
	case o.Later:
		return fault.New(fault.Unavailable, "Call it from a plan, which can wait.", "%s answers later, and this run cannot wait", o.Tool.Name)
	}
	return o.Failed
}

// Call lets a call through, or says why not. The error is a fault when there could be
// no call (no such tool, wrong arguments, a bound of the run), the cause of ctx when
// that is over, and else a failure of ours.
func (g *Gate) Call(ctx context.Context, r Request) (Result, error) {
	if r.Ticket == "" {
		return g.call(ctx, r)
	}
	what, err := r.what()
	if err != nil {
		return Result{}, fault.New(fault.Invalid, "Give JSON values.", "cannot call %s: its arguments are no JSON", r.Name)
	}
	t, first := g.take(r.Ticket, what)
	if t.what != what {
		return Result{}, fault.New(fault.Conflict, "Give each call an id of its own.", "%s was not called: another call was made with the same id", r.Name)
	}
	if first {
		t.out, t.err = g.call(ctx, r)
		g.answer(r.Ticket, t)
		return t.out, t.err
	}
	select {
	case <-t.done:
		return t.out, t.err
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

func (g *Gate) call(ctx context.Context, r Request) (Result, error) {
	if !slices.Contains(g.cfg.Origins, r.Origin) {
		return Result{}, fault.Coded(fault.ToolCaller, fault.Data{"tool": r.Name, "caller": string(r.Origin), "callers": callers(g.cfg.Origins)},
			"%s was not called: tools are not for %s in this run", r.Name, r.Origin)
	}
	def, err := g.resolve(r)
	if err != nil {
		return Result{}, err
	}
	number, err := g.admit(ctx, def, r.Origin)
	if err != nil {
		return Result{}, err
	}
	c := &passing{Gate: g, Request: r, def: def, number: number, out: Result{ID: r.ID, Tool: def}}
	if err := c.check(); err != nil {
		return Result{ID: c.out.ID, Tool: def}, err
	}
	return c.pass(ctx)
}

// callers says in words who may call tools.
func callers(origins []Origin) string {
	var out []string
	for _, o := range origins {
		switch o {
		case Person:
			out = append(out, "persons")
		case Model:
			out = append(out, "native calls of the model")
		case Code:
			out = append(out, "code")
		case Plan:
			out = append(out, "plans")
		}
	}
	return strings.Join(out, " and ")
}

// resolve finds the tool of a request.
func (g *Gate) resolve(r Request) (*tool.Definition, error) {
	if r.Version == "" {
		if def, ok := g.cfg.Tools.Lookup(r.Name); ok {
			return def, nil
		}
	}
	return g.cfg.Tools.Resolve(r.Name, r.Version)
}

// admit counts a call, whose number it returns, and enforces its tool's rate. A call
// that comes too early is not counted by the bound of its tool.
func (g *Gate) admit(ctx context.Context, def *tool.Definition, o Origin) (number int, err error) {
	if number, err = g.count(def, o); err != nil {
		return 0, err
	}
	if err = g.pace(ctx, def); err != nil {
		g.mu.Lock()
		g.perTool[def.Name]--
		g.mu.Unlock()
	}
	return number, err
}

func (g *Gate) count(def *tool.Definition, o Origin) (number int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls >= g.cfg.MaxCalls {
		return 0, fault.Coded(fault.CallsUsedUp, fault.Data{"limit": strconv.Itoa(g.cfg.MaxCalls)}, "%s was not called: a run may make %d calls", def.Name, g.cfg.MaxCalls)
	}
	// A plan counts its own, since it goes on in other processes.
	if n := def.Limits.CallsPerRun; o != Plan && n > 0 && g.perTool[def.Name] >= n {
		return 0, fault.Coded(fault.ToolUsedUp, fault.Data{"tool": def.Name, "limit": strconv.Itoa(n)}, "%s was called %d times, as often as a run may", def.Name, n)
	}
	if g.cfg.Count != nil && !g.cfg.Count() {
		return 0, fault.Coded(fault.CallsUsedUp, fault.Data{"limit": strconv.Itoa(g.cfg.MaxCalls)}, "%s was not called: a run and all that it begins may make %d calls", def.Name, g.cfg.MaxCalls)
	}
	g.calls++
	g.perTool[def.Name]++
	return g.calls, nil
}

// pace enforces a tool's rate: a call that comes too early waits.
func (g *Gate) pace(ctx context.Context, def *tool.Definition) error {
	rate := def.Limits.Rate
	if rate.Calls <= 0 || g.cfg.Unpaced {
		return nil
	}
	for {
		g.mu.Lock()
		now := g.cfg.Now()
		made := slices.DeleteFunc(g.window[def.Name], func(t instant) bool { return now.Sub(t) >= rate.Per })
		if len(made) < rate.Calls {
			g.window[def.Name] = append(made, now)
			g.mu.Unlock()
			return nil
		}
		g.window[def.Name] = made
		wait := made[0].Add(rate.Per).Sub(now)
		g.mu.Unlock()
		if wait > maxPause {
			return fault.Coded(fault.RateUsedUp, fault.Data{"tool": def.Name, "wait": wait.Round(time.Second).String()}, "%s was not called: it may be called %s", def.Name, rate)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// maxPause is how long a call waits for its tool's rate.
const maxPause = 10 * time.Second

// Saw notes that the model or its code has seen data of a source: what they
// give to tools from then on depends on it.
func (g *Gate) Saw(l label.Label) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen = g.labels.Join(g.seen, g.labels.Intern(l))
}

// sawCall notes that the model or its code has seen the result of a call. The
// label does not say which of a tool's calls it was: all arguments depend on it
// from then on, and every question would list every call that there was.
func (g *Gate) sawCall(l label.Label) {
	l.Sources = slices.Clone(l.Sources)
	for i := range l.Sources {
		l.Sources[i].Call = 0
	}
	g.Saw(l)
}

// Observe takes note of the data from outside that enter the run with an event.
// Whoever records the run gives every event to its gate before it is recorded,
// so that nothing can enter unseen. Events of the gate's own calls are left out, since
// the gate knows the exact labels of their results.
func (g *Gate) Observe(e event.Event) {
	if x, ok := e.(event.ExecutionBegan); ok {
		g.Read("the code", x.Code)
	}
	in, enters := event.Entering(e)
	if !enters || in.From == event.FromTool {
		return
	}
	source, readers := label.Source{Kind: label.User, Name: in.From}, label.Everyone() // nobody vouches for the content
	switch in.From {
	case event.FromFile:
		source.Name = in.Name
	case event.FromNetwork:
		source = label.Source{Kind: label.Tool, Name: network}
	case event.FromChild:
		if ended, ok := e.(event.ChildEnded); ok && ended.Label != nil {
			readers = readersOf(*ended.Label)
		}
	}
	g.Saw(label.Label{Sources: []label.Source{source}, Readers: readers})
}

// Began takes note of what the run that begins a child had seen by then.
func (g *Gate) Began(b event.RunBegan) {
	if b.Caller == nil || b.Caller.Label == nil {
		return
	}
	l := *b.Caller.Label
	g.Saw(label.Label{Sources: []label.Source{{Kind: label.User, Name: "caller", Trusted: l.Trusted}}, Readers: readersOf(l)})
}

// SeenData is what the model and its code have seen, as events have it. nil: nothing that is
// not trusted or that not everyone may read.
func (g *Gate) SeenData() *event.DataLabel {
	l := DataLabel(g.Seen())
	if l.Trusted && l.Anyone {
		return nil
	}
	return &l
}

func readersOf(l event.DataLabel) label.Readers {
	if l.Anyone {
		return label.Everyone()
	}
	return label.Only(l.Readers...)
}

// network names the network as a source; no tool can have such a name.
const network = "the network"

// Seen returns what arguments that the model or its code gives depend on.
func (g *Gate) Seen() label.Label {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.labels.Label(g.seen)
}

// ticket is a call that may be sent again.
type ticket struct {
	what [sha256.Size]byte
	done chan struct{}
	out  Result
	err  error
}

// maxTickets and maxStored bound the answers that are stored: how many, and how
// many bytes of results.
const (
	maxTickets = 256
	maxStored  = 64 << 20
)

func (g *Gate) take(name string, what [sha256.Size]byte) (t *ticket, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t := g.tickets[name]; t != nil {
		return t, false
	}
	t = &ticket{what: what, done: make(chan struct{})}
	g.tickets[name] = t
	return t, true
}

// Knows says whether a call with this ticket was made or is being made.
func (g *Gate) Knows(ticket string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tickets[ticket] != nil
}

// what says which call it is: the tool, its version and its arguments.
func (r Request) what() ([sha256.Size]byte, error) {
	var args []byte
	if r.Arguments != nil {
		var err error
		if args, err = r.Arguments.MarshalJSON(); err != nil {
			return [sha256.Size]byte{}, err
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q ", r.Name, r.Version)
	h.Write(args)
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func (g *Gate) answer(name string, t *ticket) {
	g.mu.Lock()
	g.answered = append(g.answered, name)
	for g.weight += t.out.size; len(g.answered) > maxTickets || g.weight > maxStored && len(g.answered) > 1; g.answered = g.answered[1:] {
		g.weight -= g.tickets[g.answered[0]].out.size
		delete(g.tickets, g.answered[0])
	}
	g.mu.Unlock()
	close(t.done)
}

// bound is what an approval is bound to.
func bound(def *tool.Definition, args *jsondoc.Object, labels map[string]event.DataLabel) (string, error) {
	sum := def.Hash()
	text, err := jsondoc.Canonical(args)
	if err != nil {
		return "", err
	}
	said, err := event.Encode(labels)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range [][]byte{sum[:], text, said} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
