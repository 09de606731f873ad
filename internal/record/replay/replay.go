package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/llm/recorded"
	"praxis/internal/planner"
	"praxis/internal/run"
	"praxis/internal/tool/bridge"
)

// Config is what a replay needs. Source and Open must be set.
type Config struct {
	Source Source
	// Open opens a session like the one that was recorded: its image, limits
	// and seed, and the snapshot that it began with when it names one. A named
	// session is never opened itself, as it has gone on since. It is closed when
	// the replay is over.
	Open func(ctx context.Context, want event.SessionBegan) (Opened, error)
	// FromSnapshot opens a session from a snapshot. A NotFound or Conflict
	// fault, or nil, means that the snapshot is gone: the steps before are
	// then executed again.
	FromSnapshot func(ctx context.Context, id string) (Opened, error)
	// Overrides stands in for inputs, by their names: for those that were not
	// kept, or to see what another content comes to.
	Overrides map[string]func() (io.ReadCloser, error)
	// Sink receives every event while it happens. It may be nil.
	Sink event.Sink
	// Recorder records the run that is executed; its run_began is the
	// caller's to emit (see Recording.Again and Recording.Branched). nil: it is
	// not recorded.
	Recorder run.Recorder
	// Store stores a conversation that is condensed, beside the record, and returns
	// its hash. nil: it stays in memory as long as the run lasts.
	Store func(ctx context.Context, content []byte) (string, error)
	// Snapshots says that the states of the run are saved, so that it can be
	// branched itself.
	Snapshots bool
	// Languages are those that the code of runs may be in.
	Languages language.Table
	// Redact takes secrets out of a text, as the journal's does: what the code
	// prints of them now stands in no recording. nil: there are none.
	Redact func(string) string
	// Within returns the beginning of a child with no more than it may have here; nil: as it
	// was recorded.
	Within func(event.RunBegan) event.RunBegan
	// Cost returns what tokens of the model of a branch cost; nil: nothing is charged.
	Cost func(event.Tokens) float64
	// Loose lets a branch go on from a state that was made again and is not the
	// recorded one.
	Loose bool
	// Program is the version of this program; "": not known.
	Program string
	// Notes is the memory that a branch with another model goes on with, when
	// the recorded run had one. nil: it has none. A replay takes its notes from
	// the recording.
	Notes agent.Notes
	// Tools and Policy are definitions of tools, and a policy, that replace those
	// of the replayed run, to see what changes with them. nil: those of the run.
	// No tool is ever called.
	Tools  []planner.Text
	Policy *planner.Text
}

// Again describes the run that replays this one.
func (r Recording) Again(program string) event.RunBegan {
	b := r.Began
	b.Parent = &event.Parent{Run: r.ID, Change: "replayed"}
	b.Program, b.Thread = program, ""
	return b
}

// Replay executes a run again and compares, and then its children, each as the run that it
// is: the run itself takes what they came to from the record. The error says why it could
// not be executed; what came of it, also when it differs, is in the report.
func Replay(ctx context.Context, cfg Config, rec Recording) (Report, error) {
	r, err := replay(ctx, cfg, rec, nil)
	if err == nil {
		_, err = cfg.children(ctx, rec, &r, maxTree)
	}
	return r, err
}

// replay is Replay with something to be done in the session at the end.
func replay(ctx context.Context, cfg Config, rec Recording, finish func(context.Context, run.Session)) (Report, error) {
	began := time.Now()
	e, err := cfg.prepareRerun(ctx, rec)
	if err != nil {
		return Report{}, cfg.recordFailure(err)
	}
	e.finish = finish
	p := newPlayer(rec.Began, rec.Exchanges())
	if err := e.execute(ctx, p, e.firstStep(ctx)); err != nil {
		return Report{}, err
	}
	report := compare(rec, e.live.recording(), p.ended() || e.broken)
	if e.kit != nil && e.kit.other {
		report.Tools = e.kit.changes()
	}
	if cfg.Policy != nil {
		report.Policy = cfg.Policy.Name
	}
	report.note(cfg, rec)
	report.Took = event.Duration(time.Since(began))
	return report, nil
}

// Opened is a session that a replay was given.
type Opened struct {
	run.Session
	// Expose lets its code call the tools of d, and make connections where net says so.
	Expose func(ctx context.Context, d *bridge.Bridge, tools, net bool) error
	Close  func() error
}

var (
	_ run.Restorer = Opened{}
	_ run.Named    = Opened{}
)

// Rollback implements run.Restorer where the session does.
func (o Opened) Rollback(ctx context.Context, snapshot string) error {
	s, can := o.Session.(run.Restorer)
	if !can {
		return errors.New("cannot go back: this session has no states")
	}
	return s.Rollback(ctx, snapshot)
}

// ReadFile copies a file of the session where it gives any.
func (o Opened) ReadFile(ctx context.Context, name string, to io.Writer) error {
	s, can := o.Session.(interface {
		ReadFile(ctx context.Context, name string, to io.Writer) error
	})
	if !can {
		return errors.New("cannot read a file: this session gives none")
	}
	return s.ReadFile(ctx, name, to)
}

// ExecuteFile implements run.Named where the session does.
func (o Opened) ExecuteFile(ctx context.Context, lang, code, file string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	return run.ExecuteFile(ctx, o.Session, lang, code, file, b, sink)
}

// recordFailure ends the record of a run that its caller began and that cannot
// be executed: it failed, and was not left unfinished.
func (c Config) recordFailure(err error) error {
	if c.Recorder != nil {
		c.Recorder.Emit(event.RunEnded{Status: event.Failed, Reason: err.Error()})
	}
	return err
}

// rerun is a run that is executed after a recording.
type rerun struct {
	cfg    Config
	rec    Recording
	task   run.Task
	live   *live
	kit    *toolkit // nil: there are no tools and no network
	open   Opened   // zero while there is none
	code   string   // replaces the recorded code of a person
	broken bool     // the recording ends before all attempts did
	finish func(context.Context, run.Session)
}

// prepareRerun prepares a run after a recording: a fresh session and its inputs.
func (c Config) prepareRerun(ctx context.Context, rec Recording) (*rerun, error) {
	if c.Source == nil || c.Open == nil {
		return nil, errors.New("cannot replay: no source or no sessions")
	}
	if err := rec.replayable(); err != nil {
		return nil, err
	}
	e := &rerun{cfg: c, rec: rec, live: newLive(c, rec.Began)}
	inputs, err := c.inputs(ctx, rec)
	if err != nil {
		return nil, err
	}
	e.task = run.Task{Began: rec.Began, Languages: c.Languages, Inputs: inputs, Skills: rec.Skills, Snapshots: c.Snapshots || rec.restored()}
	if e.task.Project, err = c.project(rec, inputs); err != nil {
		return nil, err
	}
	for _, x := range rec.Before {
		if x.Purpose == event.Profiling {
			e.task.Profile = &run.Piece{Language: x.Language, Code: x.Code}
		}
	}
	first := 1
	if len(rec.Steps) > 0 {
		first = rec.Steps[0].N
	}
	if err := e.equip(ctx, first); err != nil {
		return nil, err
	}
	if rec.sessionless() {
		return e, nil
	}
	if rec.attempt() {
		e.task.From = &run.Prepared{Snapshot: rec.Session.Snapshot, Given: rec.Inputs}
	}
	e.task.Open = func(ctx context.Context) (run.Session, error) {
		s, err := e.openSession(ctx)
		if err != nil {
			return nil, err
		}
		e.open = s
		if e.kit != nil {
			e.kit.session = s
		}
		return s, e.kit.expose(ctx, s)
	}
	e.task.Finish = func(ctx context.Context, _ run.Result) {
		e.kit.end()
		if e.finish != nil && e.open.Session != nil {
			e.finish(ctx, e.open)
		}
	}
	return e, nil
}

// equip prepares what calls meet from a step on.
func (e *rerun) equip(ctx context.Context, from int) error {
	kit, err := e.cfg.tools(ctx, e.rec, from, e.live)
	if err != nil || kit == nil {
		return err
	}
	e.kit, e.live.kit = kit, kit
	entered, calls := seenBefore(ctx, e.cfg.Source, e.rec, from)
	saw(kit.gate, entered, calls)
	if e.cfg.Recorder != nil {
		return kit.store(ctx, e.live)
	}
	return nil
}

// seenBefore returns what had entered a run before a step, and the calls that were made,
// in those that it was branched from, too.
func seenBefore(ctx context.Context, src Source, rec Recording, step int) (entered []Entered, before []Call) {
	line(ctx, src, rec, step, func(rec Recording, step int) {
		for _, in := range rec.Entered {
			_, state := in.Event.(event.SessionBegan)
			if state && rec.Began.Parent != nil {
				continue // a branch begins with the state of the run that it was made from
			}
			if state || in.Step < step { // the state was there before any step
				entered = append(entered, in)
			}
		}
		var calls []Call
		for _, s := range rec.Steps {
			if s.N < step {
				calls = append(calls, s.Calls...)
			}
		}
		before = append(calls, before...)
	})
	return entered, before
}

// firstStep begins the agent's conversation where the recorded one begins, with
// the messages as they were recorded: what was said of files, of earlier
// questions and of the person's wishes needs not be made up again.
func (e *rerun) firstStep(ctx context.Context) *agent.Begin {
	if len(e.rec.Steps) == 0 {
		return nil
	}
	first := e.rec.Steps[0]
	b := &agent.Begin{Step: first.N, Messages: first.Messages}
	b.Tokens, b.Ran = before(ctx, e.cfg.Source, e.rec, first.N)
	return b
}

// maxParents bounds the line of branches of branches that is followed.
const maxParents = 100

// before sums up the steps before one for the agent, those of the runs that
// this one was branched from too. Of a run that is gone nothing is known, so
// that some figures may count as unverified.
func before(ctx context.Context, src Source, rec Recording, step int) (tokens event.Tokens, ran []agent.Ran) {
	line(ctx, src, rec, step, func(rec Recording, step int) {
		t, r := rec.before(step)
		tokens.Input, tokens.Output = tokens.Input+t.Input, tokens.Output+t.Output
		ran = append(r, ran...)
	})
	return tokens, ran
}

// line visits a run and those that it was branched from, each with the step
// before which it counts.
func line(ctx context.Context, src Source, rec Recording, step int, visit func(rec Recording, step int)) {
	for range maxParents {
		visit(rec, step)
		if len(rec.Steps) == 0 || rec.Steps[0].N <= 1 || rec.Began.Parent == nil {
			return
		}
		step = rec.Steps[0].N
		parent, err := Load(ctx, src, rec.Began.Parent.Run)
		if err != nil {
			return
		}
		rec = parent
	}
}

// before sums up the steps of this run before one.
func (r Recording) before(step int) (tokens event.Tokens, ran []agent.Ran) {
	for _, s := range r.Steps {
		if s.N >= step {
			break
		}
		if s.Exchange != nil {
			tokens = tokens.Add(s.Exchange.Reply.Tokens)
		}
		replies := r.repliesIn(s.N)
		for _, x := range s.Executions {
			if x.own() && x.Ended != nil {
				ran = append(ran, agent.Ran{Step: s.N, Language: x.Language, Code: x.Code, Execution: *x.Ended, Replies: replies})
				replies = nil
			}
		}
	}
	return tokens, ran
}

// repliesIn is what code was given in a step of queries and runs that it began.
func (r Recording) repliesIn(step int) (out []event.ChildReply) {
	for _, c := range r.Children {
		if c.Began.Step == step && c.Began.Role != event.Attempt && c.Ended != nil && c.Ended.Status != event.Refused {
			out = append(out, event.ChildReply{Role: c.Began.Role, Task: c.Began.Task, ChildEnded: *c.Ended})
		}
	}
	return out
}

// execute executes the run. The error says that there is no run to speak of.
// That a run has no answer is no error here.
func (e *rerun) execute(ctx context.Context, model llm.Model, begin *agent.Begin) (err error) {
	defer e.close(&err)
	if e.rec.Began.Kind == event.Code {
		pieces := []run.Piece{{Code: e.code}}
		if e.code == "" {
			pieces = e.rec.Steps[0].pieces()
		}
		_, err = run.Code(ctx, e.task, pieces, e.rec.Session.Name == "", e.live)
	} else if e.rec.Began.Branches > 0 {
		_, err = run.AskAttempts(ctx, e.task, run.Attempts{Count: e.rec.Began.Branches, Parallel: 1, Begin: e.recordedAttempt, Stored: true}, e.live)
	} else {
		cfg := agent.Config{Model: model, Begin: begin, Clocked: e.rec.clocked}
		if e.rec.drawsTogether() {
			cfg.Ledger = agent.NewLedger()
			cfg.Ledger.Share()
		}
		m, branches := model.(*brancher)
		if branches && m.change.Model != nil { // what it uses is used now
			cfg.Clocked, cfg.Cost = nil, e.cfg.Cost
		}
		e.remember(&cfg, func(s Step) bool { return s.N >= begin.Step && !(branches && m.edits(s.N)) })
		if branches && m.change.Model != nil && cfg.Notes != nil { // what the run had not, its branch has not
			cfg.Notes = branchNotes{recorded: cfg.Notes, today: e.cfg.Notes, own: m.own}
		}
		if err := e.kit.equip(&cfg); err != nil {
			return e.cfg.recordFailure(err)
		}
		_, err = run.Ask(ctx, e.task, cfg, e.live)
	}
	got := e.live.recording()
	switch cause := ctx.Err(); {
	case e.live.failure() != nil:
		return e.live.failure()
	case cause != nil:
		return fault.New(fault.Canceled, "", "cannot replay run %s: %w", e.rec.ID, cause)
	case err != nil && len(got.Steps) == 0 && fault.CodeOf(err) != fault.InputCheckFailed && (e.rec.Began.Branches == 0 || got.Session == nil):
		return err // there was no session, or the inputs could not be put into it
	}
	return nil
}

// close ends the session; that it cannot is added to err.
func (e *rerun) close(err *error) {
	if e.open.Close != nil {
		*err = errors.Join(*err, e.open.Close())
	}
	e.open = Opened{}
}

// inputs returns the inputs of a run, each from where it is kept or from what
// stands in for it. All are looked for before anything is begun.
func (c Config) inputs(ctx context.Context, rec Recording) ([]run.Input, error) {
	for name := range c.Overrides {
		if !slices.ContainsFunc(rec.Inputs, func(f event.FileGiven) bool { return f.Name == name }) {
			return nil, fault.New(fault.Invalid, "The run was given: "+names(rec.Inputs)+".",
				"cannot replay run %s with another %s: it has no input of this name", rec.ID, name)
		}
	}
	var out []run.Input
	for _, f := range rec.Inputs {
		open := c.Overrides[f.Name]
		if open == nil {
			if err := c.checkContent(ctx, rec.ID, f); err != nil {
				return nil, err
			}
			open = func() (io.ReadCloser, error) { return c.Source.Blob(ctx, f.SHA256) }
		}
		out = append(out, run.Input{File: agent.File{Name: f.Name, Path: f.Path, Bytes: f.Bytes, Variable: f.Variable, Form: f.Form}, Role: f.Role, Open: open})
	}
	return out, nil
}

func names(inputs []event.FileGiven) string {
	if len(inputs) == 0 {
		return "no files"
	}
	var out []string
	for _, f := range inputs {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}

// checkContent refuses an input whose content cannot be read.
func (c Config) checkContent(ctx context.Context, id string, f event.FileGiven) error {
	gone := fault.Data{"run": id, "input": f.Name}
	if f.Withheld != "" {
		return fault.Coded(fault.InputMissing, gone, "cannot replay run %s: input %s was not stored: %s", id, f.Name, f.Withheld)
	}
	r, err := c.Source.Blob(ctx, f.SHA256)
	if fault.KindOf(err) == fault.NotFound {
		return fault.Coded(fault.InputMissing, gone, "cannot replay run %s: the content of input %s is gone: %w", id, f.Name, err)
	}
	if err != nil {
		return fmt.Errorf("cannot replay run %s: cannot read input %s: %w", id, f.Name, err)
	}
	return r.Close()
}

// live records the run that is executed: for the comparison, and for who
// listens or records besides.
type live struct {
	next   run.Recorder // may be nil
	sink   event.Sink
	redact func(string) string // may be nil
	kit    *toolkit            // may be nil

	mu  sync.Mutex
	got fold
	err error // the first event that could not be taken in
}

var _ run.Recorder = (*live)(nil)

func newLive(c Config, began event.RunBegan) *live {
	l := &live{next: c.Recorder, sink: c.Sink, redact: c.Redact, got: fold{begun: true}}
	l.got.rec.Began = began
	if l.sink == nil {
		l.sink = event.Discard
	}
	return l
}

// Emit implements event.Sink. An event is recorded before anything else
// happens, in one order for everybody.
func (l *live) Emit(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if event.Transient(e) {
		l.pass(e)
		return
	}
	recorded, err := journaled(e, l.redact)
	if err == nil && !l.kit.observe(recorded) {
		return
	}
	l.pass(e)
	if err == nil {
		err = l.got.add(recorded)
	}
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("cannot follow the replay: %s: %w", event.Name(e), err)
	}
}

// pass passes an event on.
func (l *live) pass(e event.Event) {
	if l.next != nil {
		l.next.Emit(e)
	}
	l.sink.Emit(e)
}

// journaled returns an event as it is read from a journal. redact may be nil.
func journaled(e event.Event, redact func(string) string) (event.Event, error) {
	if _, ok := e.(event.ModelRequested); ok {
		return e, nil // not compared, and long
	}
	data, err := event.Marshal(e)
	if err == nil && redact != nil {
		data, err = withoutSecrets(data, redact)
	}
	if err != nil {
		return nil, err
	}
	return event.Unmarshal(event.Name(e), data)
}

// withoutSecrets takes secrets out of every string of a JSON object.
func withoutSecrets(data []byte, redact func(string) string) ([]byte, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return redact(v)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	return json.Marshal(walk(v))
}

// Keep implements run.Recorder.
func (l *live) Keep(ctx context.Context, name string, r io.Reader) (sum string, bytes int64, withheld string, err error) {
	if l.next != nil {
		return l.next.Keep(ctx, name, r)
	}
	h := sha256.New()
	bytes, err = io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), bytes, "", err
}

// Err implements run.Recorder.
func (l *live) Err() error {
	if l.next == nil {
		return nil
	}
	return l.next.Err()
}

// failure says why what was executed is not known.
func (l *live) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.Err(), l.err)
}

func (l *live) recording() Recording {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.got.rec
}

// player gives recorded replies, and knows whether more were wanted.
type player struct {
	*recorded.Model
	replies int
}

func newPlayer(began event.RunBegan, exchanges []recorded.Exchange) *player {
	return &player{Model: recorded.New(began.Model, began.Traits, exchanges), replies: len(exchanges)}
}

// ended says that the model was asked for more replies than were recorded.
func (p *player) ended() bool { return len(p.Requests()) > p.replies }
