package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/observe"
)

// named is work with an id.
type named interface {
	comparable
	id() string
	Ended() bool
	// keeps says when it began, and what is kept of it: its log, and the bytes of its result.
	keeps() (began time.Time, log *Log, result int)
}

func (x *Execution) id() string { return x.ID }
func (r *Run) id() string       { return r.ID }

// works are what goes on and what ended lately, the oldest first.
type works[W named] []W

// going counts those that go on.
func (w works[W]) going() int {
	n := 0
	for _, x := range w {
		if !x.Ended() {
			n++
		}
	}
	return n
}

// find returns the one with an id; the zero value: there is none.
func (w works[W]) find(id string) (found W) {
	for _, x := range w {
		if x.id() == id {
			return x
		}
	}
	return found
}

// add takes one in. The oldest that have ended go for it, when there are more than most.
func (w *works[W]) add(x W, most int) {
	*w = append(*w, x)
	more := len(*w) - most
	*w = slices.DeleteFunc(*w, func(old W) bool {
		if more <= 0 || !old.Ended() {
			return false
		}
		more--
		return true
	})
}

// maxExecutions are the executions of a session that can be looked at again.
const maxExecutions = 100

// Execution is a piece of code that runs in a session, or did.
type Execution struct {
	ID      string
	Session string
	Log     *Log
	*task
	result event.Execution
}

// Result returns what became of the code, once it has ended.
func (x *Execution) Result() (event.Execution, error) { return x.result, x.err }

// span is when work goes on.
type span struct {
	began time.Time
	done  chan struct{} // closed at its end
}

func newSpan() span { return span{time.Now().UTC(), make(chan struct{})} }

// Began says when the work began, or was found.
func (s span) Began() time.Time { return s.began }

// Done is closed when the work has ended.
func (s span) Done() <-chan struct{} { return s.done }

// Ended says whether the work has ended.
func (s span) Ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// task is work that goes on by itself.
type task struct {
	span
	cancel context.CancelFunc
	err    error // read it after done
}

// newTask returns a task whose context is over when it is interrupted. On whose behalf it
// is, that context knows from ctx.
func newTask(ctx context.Context) (context.Context, *task) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if by := observe.From(ctx); by.Key != "" {
		ctx = event.WithClient(ctx, event.Client{Tenant: by.Tenant, Key: by.Key})
	}
	return ctx, &task{span: newSpan(), cancel: cancel}
}

// Interrupt ends the work, as Ctrl-C would. It does not wait for it.
func (t *task) Interrupt() { t.cancel() }

// Wait waits for the end of the work. When ctx ends before, the work is interrupted and
// waited for: a client that went away does not want it any more.
func (t *task) Wait(ctx context.Context) {
	select {
	case <-t.done:
	case <-ctx.Done():
		t.Interrupt()
		<-t.done
	}
}

// Code is what is to be executed.
type Code struct {
	Text     string
	Language string // a name, a tag of blocks or an ending of files; "": the session's first
	Context  string // that it is run in; "": that of the language
	Bounds   event.Bounds
	// File, Environ, Folder, Rich and Unwatched are those of app.Exec.
	File            string
	Environ         map[string]string
	Folder          string
	Rich, Unwatched bool
}

// Execute begins to run code in a session. Executions of a session come one after the other.
// It goes on when ctx is over.
func (h *Hub) Execute(ctx context.Context, id string, c Code) (*Execution, error) {
	ctx, e, x, err := h.begin(ctx, id, c)
	if err != nil {
		return nil, err
	}
	go h.run(ctx, e, x, c, x.Log)
	return x, nil
}

// Stream runs code in a session, and what happens goes to sink as it comes, from this goroutine: the
// code waits for a slow sink, if its bounds let all of its output through. When ctx ends, the
// code is interrupted. Its log has no more than its beginning and its end.
func (h *Hub) Stream(ctx context.Context, id string, c Code, sink event.Sink) (event.Execution, error) {
	lasts, e, x, err := h.begin(ctx, id, c)
	if err != nil {
		return event.Execution{}, err
	}
	defer context.AfterFunc(ctx, x.Interrupt)()
	h.run(lasts, e, x, c, event.SinkFunc(func(v event.Event) {
		switch v.(type) {
		case event.ExecutionBegan, event.ExecutionEnded:
			x.Log.Emit(v)
		}
		sink.Emit(v)
	}))
	return x.Result()
}

// begin takes an execution in, whose context is over when it is interrupted. It must be run.
func (h *Hub) begin(ctx context.Context, id string, c Code) (context.Context, *session, *Execution, error) {
	if _, err := app.CheckCode("the code", c.Text); err != nil {
		return nil, nil, nil, err
	}
	if err := h.cfg.Admit(ctx); err != nil {
		return nil, nil, nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e, err := h.findLocked(id)
	if err != nil {
		return nil, nil, nil, err
	}
	if h.closed {
		return nil, nil, nil, errStopping()
	}
	if going := e.execs.going(); going >= maxExecutions {
		return nil, nil, nil, fault.New(fault.Exhausted, "Wait until some of them have ended.", "cannot run the code: %d executions of session %s are waiting", going, e.id)
	}
	ctx, t := newTask(ctx)
	x := &Execution{ID: newID("x"), Session: e.id, Log: h.newLog(), task: t}
	e.execs.add(x, maxExecutions)
	h.work.Add(1) // its run ends it; Close has not waited yet
	return ctx, e, x, nil
}

// run runs code to its end.
func (h *Hub) run(ctx context.Context, e *session, x *Execution, c Code, sink event.Sink) {
	defer h.work.Done()
	defer x.cancel()
	x.result, x.err = h.execute(ctx, e, c, sink)
	x.Log.end()
	close(x.done)
	h.grew(bytesOf(x.result))
}

// execute runs code. Its result is the last event that goes to sink.
func (h *Hub) execute(ctx context.Context, e *session, c Code, sink event.Sink) (out event.Execution, err error) {
	watched := h.cfg.Executed(ctx)
	emit := func(v event.Event) {
		sink.Emit(v)
		watched.Emit(v)
	}
	err = h.use(ctx, e, sink, func(s *app.Session) error {
		lang, err := s.LanguageName(c.Language)
		if err != nil {
			return err
		}
		if c.Context != "" {
			in, err := s.FindContext(ctx, c.Context)
			if err != nil {
				return err
			}
			if lang == "" {
				lang = in.Language
			}
		}
		emit(event.ExecutionBegan{Session: e.id, Code: c.Text, Language: lang})
		out, err = s.ExecuteIn(ctx, c.Text, app.Exec{
			Context: c.Context, Language: lang, File: c.File, Bounds: c.Bounds, Environ: c.Environ, Folder: c.Folder, Rich: c.Rich, Unwatched: c.Unwatched,
		}, sink)
		out.Session = e.id // that of the sandbox changes when it is paused
		return err
	})
	if err == nil {
		emit(event.ExecutionEnded{Execution: out})
	}
	return out, err
}

// Execution finds an execution of a session.
func (h *Hub) Execution(id, execution string) (*Execution, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, err := h.findLocked(id)
	if err != nil {
		return nil, err
	}
	if x := e.execs.find(execution); x != nil {
		return x, nil
	}
	return nil, fault.New(fault.NotFound, "List the session's executions; the last hundred are there.", "cannot find execution %s of session %s", safetext.Clip(safetext.Line(execution), 60), e.id)
}

// Executions lists the executions of a session, the oldest first.
func (h *Hub) Executions(id string) ([]*Execution, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, err := h.findLocked(id)
	if err != nil {
		return nil, err
	}
	return slices.Clone(e.execs), nil
}

// Run is something that is recorded and goes on: a question, a piece of code by itself, a plan.
type Run struct {
	ID  string // of the server; the record's own is in its result
	Log *Log
	*task
	hub    *Hub
	given  <-chan struct{} // closed when it is given up
	starts int             // of the server, since it was begun
	key    string          // that it is of
	bytes  int             // of its result; read it after done
	memory int64           // under Hub.mu: that its sandbox may have; 0: it has none
	result any             // read it after done

	mu     sync.Mutex
	stored bool // the next start of the server goes on with it
}

// Approver returns who is asked about the run's calls: whoever may answer the open questions
// of the tenant. Each is an entry of the run's log when it is open, [ApprovalOpen]; another
// says when it is decided. timeout bounds each; 0: the default.
func (r *Run) Approver(timeout time.Duration) app.Approver {
	return r.hub.approvals.Approver(app.QueueConfig{For: r.ID, Timeout: timeout, GivenUp: r.given, Notify: func(q app.OpenApproval) {
		if data, err := event.Encode(q); err == nil {
			r.Log.add(ApprovalOpen, data)
		}
	}})
}

// ApprovalOpen is the name of the entry of a log that is an open question.
const ApprovalOpen = "approval_open"

// Approvals are the open questions of the tenant's runs.
func (h *Hub) Approvals() *app.Approvals { return &h.approvals }

// Result returns what came of the run, nil as long as it goes on.
func (r *Run) Result() (any, error) {
	if !r.Ended() {
		return nil, nil
	}
	return r.result, r.err
}

// maxEnded are the runs that ended and whose events can be read again here. Their records
// stay.
const maxEnded = 200

// Start begins a run: do is called with it, and its log is the sink of its events. It goes on
// when ctx is over.
func (h *Hub) Start(ctx context.Context, do func(ctx context.Context, r *Run) (any, error)) (*Run, error) {
	if err := h.cfg.Admit(ctx); err != nil {
		return nil, err
	}
	return h.start(ctx, newID("r"), 0, do)
}

// start begins a run, or one of before again.
func (h *Hub) start(ctx context.Context, id string, starts int, do func(ctx context.Context, r *Run) (any, error)) (*Run, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopping()
	}
	if going := h.runs.going(); going >= h.cfg.Runs {
		return nil, fault.New(fault.Exhausted, "Wait until one has ended.", "cannot begin a run: %d of %d go on", going, h.cfg.Runs)
	}
	ctx, t := newTask(ctx)
	r := &Run{ID: id, task: t, hub: h, given: ctx.Done(), starts: starts, key: observe.From(ctx).Key}
	r.Log = h.newLog().after(int64(starts) << 32) // no event has a number that one had before
	h.runs.add(r, maxEnded)
	h.work.Go(func() {
		defer t.cancel()
		r.result, t.err = do(ctx, r)
		r.forget(t.err)
		r.bytes = sizeOf(r.result)
		r.Log.end()
		close(t.done)
		h.grew(r.bytes)
	})
	return r, nil
}

// Run finds a run that goes on, or ended lately.
func (h *Hub) Run(id string) (*Run, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.runs.find(id); r != nil {
		return r, nil
	}
	return nil, fault.New(fault.NotFound, "Look for it among the recorded runs.", "cannot find run %s: it does not go on", safetext.Clip(safetext.Line(id), 60))
}

// Going lists the runs that go on, or ended lately, the oldest first.
func (h *Hub) Going() []*Run {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.runs)
}
