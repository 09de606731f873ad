package app

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/safetext"
	"praxis/internal/tool/bridge"
)

// Bounds of what code begins. Each run has places of its own for those that it begins, so
// that none waits for its own caller.
const (
	queriesAtOnce = 32        // of a whole tree
	runsAtOnce    = 4         // of one run
	maxGiven      = 257 << 20 // bytes of one value that a run is given
	maxGivenTree  = 2 << 30   // bytes of all values in a tree
	maxRefusals   = 100       // that are recorded of one run

	maxSubcallModels = 8 // that code may name beside the run's own
)

// tree is what a run and all that it begins have in common.
type tree struct {
	ledger  *agent.Ledger
	queries chan struct{}

	mu    sync.Mutex
	given int64 // bytes of values
}

func newTree() *tree {
	t := &tree{ledger: agent.NewLedger(), queries: make(chan struct{}, queriesAtOnce)}
	t.ledger.Share()
	return t
}

// left is how many bytes of one more value may be stored: what is too much is not stored before
// it is refused.
func (t *tree) left() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(min(maxGiven, maxGivenTree-t.given), 0)
}

// took counts the bytes of a value, and says whether the tree may have them.
func (t *tree) took(n int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given += n
	return t.given <= maxGivenTree
}

// subcalls is what the code of one run begins: it implements the requests of its session.
type subcalls struct {
	x     *questionRun
	began event.RunBegan // of the run
	tree  *tree
	depth int // of the run below the first one
	slots chan struct{}
	// models are those that code may name, by name; "" is the run's own.
	models map[string]llm.Model
	costs  map[string]func(event.Tokens) float64
	again  *replay.Children // of a run that goes on; nil: it is the first

	mu       sync.Mutex
	n        int // children that were begun
	refusals int
	over     bool
	stop     map[int]context.CancelFunc // of requests that are under way
	requests int
	working  sync.WaitGroup
	tokens   event.Tokens // of all children
	busy     int
	since    time.Time // when the first of those that are under way began
	waited   time.Duration
}

var _ bridge.Children = (*subcalls)(nil)

// newSubcalls makes what the code of a run may begin. models hold those that it may name, and
// maybe others: what its caller may name is not always its own.
func (a *App) newSubcalls(began event.RunBegan, t *tree, own llm.Model, models map[string]llm.Model) (*subcalls, error) {
	c := &subcalls{
		began: began, tree: t, slots: make(chan struct{}, runsAtOnce), models: map[string]llm.Model{"": own, own.Name(): own},
		costs: map[string]func(event.Tokens) float64{}, stop: map[int]context.CancelFunc{},
	}
	if began.Caller != nil {
		c.depth = began.Caller.Depth
	}
	for i, name := range began.SubcallModels {
		m := models[name]
		if m == nil {
			continue // its replies came from a file
		}
		if c.models[name] = m; i == 0 {
			c.models[""] = m
		}
	}
	for _, m := range c.models {
		cost, err := a.costOf(m, began.Budget)
		if err != nil {
			return nil, err
		}
		c.costs[m.Name()] = cost
	}
	return c, nil
}

// checkSubcalls refuses to let code begin something where it cannot. A text that is a variable
// is there to be asked about.
func (q *AskRequest) checkSubcalls(languages language.Table) error {
	for _, f := range q.Files {
		if f.Variable == "" {
			continue
		}
		if languages.Named(q.Language).Model.Load == nil || q.Mode == ModeTools {
			return fault.New(fault.Invalid, "Let it be answered by Python, or give it as a file.", "cannot give %s as a variable: the question is not answered by code that has some", safetext.Line(f.Name))
		}
		q.Subcalls = true
	}
	switch {
	case !q.Subcalls && len(q.SubcallModels) > 0:
		return fault.New(fault.Invalid, "Let code query models, too.", "cannot name models for code: it may not query any")
	case !q.Subcalls:
		return nil
	case q.Mode == ModeTools || !languages.Named(q.Language).Model.Subcalls:
		return fault.New(fault.Invalid, "Let it be answered by Python.", "cannot let code query models and begin runs: the question is not answered by code that can")
	case len(q.SubcallModels) > maxSubcallModels:
		return fault.New(fault.Invalid, "Name fewer.", "cannot let code name %d models, the limit is %d", len(q.SubcallModels), maxSubcallModels)
	}
	return nil
}

// subcallsOf makes what the code of a run may begin; nil: it may not.
func (a *App) subcallsOf(began *event.RunBegan, own llm.Model, models []string) (*subcalls, error) {
	if !began.Subcalls {
		return nil, nil
	}
	named := map[string]llm.Model{}
	began.SubcallModels = nil
	for _, spec := range models {
		m, err := a.model(modelChoice{name: spec, effort: began.Effort})
		if err != nil {
			return nil, err
		}
		if named[m.Name()] == nil {
			began.SubcallModels = append(began.SubcallModels, m.Name())
		}
		named[m.Name()] = m
	}
	return a.newSubcalls(*began, newTree(), own, named)
}

// forAttempt is what one of several attempts at a question may begin. Its budget is its own:
// that of the question is divided.
func (c *subcalls) forAttempt(began event.RunBegan) (*subcalls, error) {
	return c.x.app.newSubcalls(began, newTree(), c.x.model, c.models)
}

// of says whose code it is that begins something. A run that has no children is left alone.
func (c *subcalls) of(x *questionRun) {
	if c != nil {
		c.x = x
	}
}

// Allowed implements bridge.Children.
func (c *subcalls) Allowed() bridge.Allowed {
	return bridge.Allowed{Runs: c.depth < c.began.Budget.Depth, Forks: c.x == nil || c.x.snapshots(), Calls: c.began.Budget.SubCalls, Own: c.began.Model, Models: c.began.SubcallModels}
}

// Begin implements bridge.Children.
func (c *subcalls) Begin(ctx context.Context, b bridge.Begin) ([]bridge.ChildResult, error) {
	model := c.models[b.Model]
	if model == nil {
		return nil, fault.New(fault.Unavailable, "Leave the model out.", "cannot ask the model %q: it is not there any more", safetext.Line(b.Model))
	}
	ctx, done, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	all := make([]child, len(b.Items))
	given := map[string]givenValue{}
	for i, it := range b.Items {
		all[i] = child{role: b.Role, task: it.Task, model: model, step: b.Step, fork: b.Fork, depth: c.depth + 1}
		if all[i].err = c.take(ctx, &all[i], it.Data, given); ctx.Err() != nil {
			return nil, errGivenUp()
		}
	}
	out := make([]bridge.ChildResult, len(all))
	var wg sync.WaitGroup
	for i := range all {
		slot := c.slots
		if b.Role == event.Query {
			slot = c.tree.queries
		}
		select {
		case slot <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			out[i].Err = errGivenUp()
			continue
		}
		work := c.start(ctx, &all[i])
		wg.Go(func() {
			defer func() { <-slot }()
			out[i] = work()
		})
	}
	wg.Wait()
	return out, nil
}

func errGivenUp() error {
	return fault.New(fault.Canceled, "", "it was given up before it was answered")
}

// enter lets a request in, unless the run is over. What it begins ends with the request, and
// with the run. done is called when all of it has ended.
func (c *subcalls) enter(ctx context.Context) (_ context.Context, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.x == nil {
		return nil, nil, fault.New(fault.Unavailable, "Go on without.", "the run is over")
	}
	ctx, stop := context.WithCancel(ctx)
	c.requests++
	id := c.requests
	c.stop[id] = stop
	c.working.Add(1)
	if c.busy++; c.busy == 1 {
		c.since = time.Now()
	}
	return ctx, func() {
		stop()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.stop, id)
		if c.busy--; c.busy == 0 {
			c.waited += time.Since(c.since)
		}
		c.working.Done()
	}, nil
}

// end gives up what is under way, and lets nothing more begin: the run is about to end.
func (c *subcalls) end() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.over = true
	for _, stop := range c.stop {
		stop()
	}
	c.mu.Unlock()
	c.working.Wait()
}

// waitedSoFar is how long something was under way, all taken together.
func (c *subcalls) waitedSoFar() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy > 0 {
		return c.waited + time.Since(c.since)
	}
	return c.waited
}

// used are the tokens of all that was begun.
func (c *subcalls) used() event.Tokens {
	if c == nil {
		return event.Tokens{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens
}

// child is a query or a run that is begun.
type child struct {
	role   event.ChildRole
	task   string
	model  llm.Model
	step   int
	depth  int
	fork   bool
	inputs []run.Input
	names  []string
	given  string // the hash of what it is given
	err    error  // why it cannot be given that
}

// givenValue is a value that was taken from the session.
type givenValue struct {
	sum   string
	bytes int64
	text  measure // of a text
}

// take takes what a child is given out of the session and keeps it: nothing reads what is in it.
func (c *subcalls) take(ctx context.Context, k *child, data []language.Given, known map[string]givenValue) error {
	if len(data) == 0 {
		return nil
	}
	var sums []string
	for _, d := range data {
		v, again := known[d.Path]
		if !again {
			var err error
			if v, err = c.keep(ctx, d); err != nil {
				return err
			}
			known[d.Path] = v
		}
		k.names, sums = append(k.names, d.Name), append(sums, v.sum)
		in := run.Input{File: agent.File{Name: d.Name, Path: language.GivenFolder + "/" + d.Name, Bytes: v.bytes, Variable: d.Name, Form: d.Form}, Open: func() (io.ReadCloser, error) {
			return c.x.app.records.Journal.Blob(context.WithoutCancel(ctx), v.sum)
		}}
		if d.Form == language.FormText {
			in.Profile, in.Begins = v.text.String(), v.text.head()
		}
		k.inputs = append(k.inputs, in)
	}
	k.given = replay.HashGiven(data, sums)
	return nil
}

// keep copies a file of the session to where contents are stored.
func (c *subcalls) keep(ctx context.Context, d language.Given) (givenValue, error) {
	r, w := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.CloseWithError(c.x.session.ReadFile(ctx, d.Path, w)) }) // the reader learns of it
	defer wg.Wait()
	defer func() { _ = r.Close() }()
	most := c.tree.left()
	limited := &io.LimitedReader{R: r, N: most + 1}
	var v givenValue
	sum, n, withheld, err := c.x.run.Keep(ctx, d.Name, io.TeeReader(limited, &v.text))
	fits := c.tree.took(n)
	switch {
	case ctx.Err() != nil:
		return givenValue{}, errGivenUp()
	case n > most || !fits:
		return givenValue{}, fault.New(fault.Exhausted, "Give a part of it.", "%s cannot be given: it is too large, or too much was given by now", d.Name)
	case err != nil:
		return givenValue{}, fault.New(fault.Unavailable, "Try again.", "%s cannot be given: its file cannot be read", d.Name)
	case withheld != "":
		return givenValue{}, fault.New(fault.Denied, "Take what must not be recorded out of it.", "%s cannot be given: %s", d.Name, withheld)
	}
	v.sum, v.bytes = sum, n
	return v, nil
}

// start begins a child, in the order in which it is called, and returns what does its work.
func (c *subcalls) start(ctx context.Context, k *child) (work func() bridge.ChildResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	began := event.ChildBegan{Step: k.step, Role: k.role, Depth: k.depth, Model: k.model.Name(), Task: k.task, Data: k.names, Given: k.given}
	was := c.again.Take(began)
	if was.Ended != nil && !was.Broken() {
		return c.repeat(was)
	}
	if c.over || ctx.Err() != nil {
		return func() bridge.ChildResult { return bridge.ChildResult{Err: errGivenUp()} }
	}
	depth := k.depth
	if k.role == event.Query {
		depth = 0 // it begins nothing itself
	}
	err := k.err
	if err == nil {
		err = c.tree.ledger.BeginChild(c.began.Budget, depth)
	}
	if err != nil {
		return c.refuse(began, err)
	}
	c.n = max(c.n, c.again.Last()) + 1
	began.N = c.n
	if k.role == event.Query {
		c.x.run.Emit(began)
		return func() bridge.ChildResult { return c.ended(began, c.query(ctx, k)) }
	}
	finish, err := c.begin(ctx, k, &began, was.Began.Run)
	if err != nil {
		return c.refuse(began, err)
	}
	return func() bridge.ChildResult { return c.ended(began, finish()) }
}

// refuse records that a child was not begun, so that a replay has the same to say. The caller
// holds mu.
func (c *subcalls) refuse(began event.ChildBegan, err error) func() bridge.ChildResult {
	if c.refusals++; c.refusals <= maxRefusals {
		c.n = max(c.n, c.again.Last()) + 1
		began.N, began.Task = c.n, safetext.Clip(began.Task, replay.MaxRefusedTask)
		c.x.run.Emit(began)
		c.x.run.Emit(endOf(began, event.ChildEnded{Status: event.Refused}, err))
	}
	return func() bridge.ChildResult { return bridge.ChildResult{Err: err} }
}

// endOf is the end of a child that failed for err.
func endOf(began event.ChildBegan, e event.ChildEnded, err error) event.ChildEnded {
	e.Step, e.N, e.Run = began.Step, began.N, began.Run
	if err != nil {
		f := fault.Of(err)
		e.Reason, e.Kind, e.Remedy = err.Error(), f.Kind.String(), f.Remedy
	}
	return e
}

// repeat gives again what a child came to. The caller holds mu.
func (c *subcalls) repeat(was replay.Child) func() bridge.ChildResult {
	c.count(was)
	c.n = max(c.n, was.Began.N)
	c.x.run.Emit(was.Began)
	c.x.run.Emit(*was.Ended)
	return func() bridge.ChildResult { return replay.ResultOf(*was.Ended) }
}

// count counts what a child used that is not begun again.
func (c *subcalls) count(was replay.Child) {
	used := agent.Usage{Children: 1, Tokens: was.Ended.Tokens, Steps: was.Ended.Steps}
	if cost := c.costs[was.Began.Model]; cost != nil {
		used.USD = cost(was.Ended.Tokens)
	}
	c.tree.ledger.Add(used)
	c.tokens = c.tokens.Add(was.Ended.Tokens)
}

// ended records the end of a child.
func (c *subcalls) ended(began event.ChildBegan, e event.ChildEnded) bridge.ChildResult {
	e.Step, e.N, e.Run = began.Step, began.N, began.Run
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens = c.tokens.Add(e.Tokens)
	c.x.run.Emit(e)
	return replay.ResultOf(e)
}

// query asks a model one question.
func (c *subcalls) query(ctx context.Context, k *child) event.ChildEnded {
	began := time.Now()
	var used event.Tokens
	fail := func(err error) event.ChildEnded {
		if ctx.Err() != nil && fault.CodeOf(err) != fault.TimeUsedUp {
			err = errGivenUp()
		}
		return endOf(event.ChildBegan{}, event.ChildEnded{Status: event.Failed, Tokens: used, Took: event.Duration(time.Since(began))}, err)
	}
	ctx, stop := c.withinTime(ctx)
	defer stop()
	cost := c.costs[k.model.Name()]
	most, release, err := c.tree.ledger.Hold(c.began.Budget, agent.TokensOf(k.task), c.began.Budget.Reply, cost, ctx.Done())
	if err != nil {
		return fail(err)
	}
	reply, err := k.model.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: k.task}}, MaxTokens: most}, nil)
	used = reply.Tokens
	if used.Incomplete || err != nil && used.Total() == 0 && ctx.Err() != nil {
		used.Input, used.Output = max(used.Input, agent.TokensOf(k.task)), max(used.Output, agent.TokensOf(reply.Text))
	}
	release(used)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errTreeTime):
		limit := time.Duration(c.began.Budget.Time).String()
		return fail(fault.Coded(fault.TimeUsedUp, fault.Data{"limit": limit}, "%s had not replied when the time of the run, %s, was used up", k.model.Name(), limit))
	case err != nil:
		return fail(err)
	case reply.Text == "":
		return fail(fault.New(fault.Unavailable, "Ask in other words.", "%s replied with no text", k.model.Name()))
	}
	return event.ChildEnded{Status: event.Answered, Text: safetext.Clip(reply.Text, maxReplyText), Tokens: reply.Tokens, Took: event.Duration(time.Since(began))}
}

// maxReplyText bounds a reply to a query in bytes.
const maxReplyText = 1 << 20

var errTreeTime = errors.New("the time of the run is used up")

// withinTime returns a context that ends when the time of the whole tree is used up.
func (c *subcalls) withinTime(ctx context.Context) (context.Context, context.CancelFunc) {
	most, began := time.Duration(c.began.Budget.Time), c.tree.ledger.Usage().Began
	if most == 0 || began.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, began.Add(most), errTreeTime)
}

// waiting is a session whose executions wait: for their turn, where other sessions execute
// beside it, and for what their code began, which they say.
type waiting struct {
	*Session
	c     *subcalls     // nil: code begins nothing
	turns chan struct{} // nil: it has the processors for itself
}

// Execute implements run.Session. The bounds of the execution count from its turn on.
func (w waiting) Execute(ctx context.Context, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	if w.turns != nil {
		select {
		case w.turns <- struct{}{}:
			defer func() { <-w.turns }()
		case <-ctx.Done():
			return event.Execution{}, context.Cause(ctx)
		}
	}
	if w.c == nil {
		return w.Session.Execute(ctx, lang, code, b, sink)
	}
	before := w.c.waitedSoFar()
	x, err := w.Session.Execute(ctx, lang, code, b, sink)
	x.Usage.WaitedMS = waitedOf(x.Usage, w.c.waitedSoFar()-before)
	return x, err
}

// waitedOf is how long an execution waited, as the host measured it. What it computed
// meanwhile is no waiting, and what an execution says of its own waiting counts for nothing.
func waitedOf(u event.Usage, measured time.Duration) float64 {
	return max(min(float64(measured.Microseconds())/1000, u.WallMS-u.CPUMS), 0)
}
