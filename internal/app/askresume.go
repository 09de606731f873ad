package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/planner"
	"praxis/internal/record/journal"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// AskResume asks for a run of a question to go on that broke off: its process was
// killed, it was cancelled, or what it needed failed.
type AskResume struct {
	Run      string // its id, or a reference to it
	Model    string // "provider:name"; "": the recorded one
	MaxSteps int    // turns of the model, with those that were taken; 0: as recorded
	// Budget is what else the run may use, with what is used; a zero is as recorded.
	Budget event.Budget
	// MostTokens and MostCost bound what it may use beside that; 0: any.
	MostTokens int
	MostCost   float64
	// Files are NAME=PATH, or PATH, of files that the run was to be given and that are not
	// recorded.
	Files []string
	// Session is used when the run broke off before it had one.
	Session SessionSpec
	Output  Output
	// Repo is the folder of the project that the run works on, for who has the run go on
	// elsewhere; nil: the recorded copy is all that there is.
	Repo *RepoSpec
	// Tools name what implements the tools. Without a policy, the recorded one decides.
	Tools ToolSpec
	Net   NetSpec                   // no hosts: the recorded ones
	Begun func(record string) error // as in AskRequest
}

// check refuses what is wrong in itself.
func (q AskResume) check() error {
	if err := checkSteps(q.MaxSteps); err != nil {
		return err
	}
	if err := config.ValidateBudget(q.Budget); err != nil {
		return err
	}
	return q.Session.check()
}

// resumption is a run that broke off, on its way to go on.
type resumption struct {
	app   *App
	id    string
	rec   replay.Recording // the whole of it
	at    replay.State
	used  event.Tokens     // before
	files map[string]Input // that stand in for inputs, by their names
	given []run.Input      // that the session is given again
	ended map[int]int      // executions, by their steps
	// caller is the run that goes on with a child of its own; "": a person does.
	caller string
	sink   event.Sink

	session *Session
}

// Emit says when a step that is executed again came out otherwise: what the model said to
// it then is gone on with.
func (g *resumption) Emit(e event.Event) {
	x, ok := e.(event.ExecutionEnded)
	if !ok {
		return
	}
	n := g.ended[x.Step]
	if g.ended[x.Step]++; g.rec.Differs(x.Step, n, x.Execution) {
		g.sink.Emit(event.Notice{Text: fmt.Sprintf("step %d was executed again, and came out otherwise", x.Step)})
	}
}

// ResumeAsk goes on with a run that broke off, as a run of its own. No reply that is
// recorded is asked for again, and no call that is recorded is made again. The state
// comes from the newest snapshot; what came after it is executed again.
func (a *App) ResumeAsk(ctx context.Context, q AskResume, sink event.Sink) (out AskResult, err error) {
	if err := q.check(); err != nil {
		return out, err
	}
	g := &resumption{app: a, ended: map[int]int{}, sink: sink}
	release, err := g.claim(ctx, q)
	if err != nil {
		return out, err
	}
	defer release()
	began := g.rec.Resumed(g.id, a.opt.Version)
	began.MaxSteps, began.Budget = cmp.Or(q.MaxSteps, began.MaxSteps), q.Budget.Over(began.Budget)
	model, err := g.model(q, &began)
	if err != nil {
		return out, err
	}
	var cost func(event.Tokens) float64
	if began.Budget, cost, err = a.remaining(began.Budget, model, g.used, q.MostTokens, q.MostCost); err != nil {
		return out, err
	}
	t, err := g.tools(ctx, q, &began, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	x := &questionRun{app: a, request: g.request(q, began), cost: cost, taken: &saved{}, sink: sink, again: g}
	if x.skills, err = g.skillsAgain(ctx); err != nil {
		return out, err
	}
	inputs, err := g.inputs(sink)
	if err != nil {
		return out, err
	}
	inputs = append(inputs, x.skills.inputs...)
	if err := g.open(ctx, q, sink); err != nil {
		return out, err
	}
	x.session, x.model = g.session, g.rec.Model(model, g.at)
	if err := g.project(ctx, x, inputs); err != nil {
		return out, err
	}
	t.again = g.rec.Calls(ctx, a.records.Journal, g.at, t.registry, t.approver, a.records.Journal.Redact)
	g.warn(t.again, sink)
	x.made = newCollector(q.Output, x.request.Session, nil)
	if t.children, err = a.subcallsAgain(&began, x.model, g); err != nil {
		if g.session != nil {
			err = errors.Join(err, g.session.Close())
		}
		return out, err
	}
	x.children = t.children
	x.children.of(x)
	ctx, x.run, err = a.begin(ctx, began, t, event.Both(g, x.listeners()), origins(x.request.Mode)...)
	release()
	if err != nil {
		if g.session != nil {
			err = errors.Join(err, g.session.Close())
		}
		return out, err
	}
	x.begun = q.Begun
	return x.result(ctx, began, inputs)
}

// subcallsAgain makes what the code of a run that goes on may begin. A model whose replies
// came from a file is not there any more.
func (a *App) subcallsAgain(began *event.RunBegan, own llm.Model, g *resumption) (*subcalls, error) {
	var models []string
	for _, name := range began.SubcallModels {
		if !inFile(name) {
			models = append(models, name)
		}
	}
	c, err := a.subcallsOf(began, own, models)
	if c != nil && err == nil {
		c.goOn(g)
	}
	return c, err
}

// claim reads the run and sees to it that nobody else goes on with it before release is
// called: by then the run that goes on is recorded.
func (g *resumption) claim(ctx context.Context, q AskResume) (release func(), err error) {
	j := g.app.records.Journal
	if g.id, err = g.app.FindRun(ctx, q.Run); err != nil {
		return nil, err
	}
	whole, err := replay.LoadResumed(ctx, j, g.id)
	if err != nil {
		return nil, err
	}
	unlock, err := g.app.lockState(ctx, "run-"+whole.Line[0])
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	known, err := j.Summary(ctx, g.id)
	if err != nil {
		return nil, err
	}
	g.used = known.Tokens
	switch {
	case known.Imported:
		return nil, fault.New(fault.Invalid, "Go on from one of its steps as a branch.", "cannot go on with run %s: it was made elsewhere", g.id)
	case known.Status == journal.Running:
		return nil, fault.Coded(fault.RunUnfinished, fault.Data{"run": g.id}, "cannot go on with run %s: it has not ended yet", g.id)
	}
	// What was read before the lock may be older.
	if g.rec, err = replay.LoadResumed(ctx, j, g.id); err != nil {
		return nil, err
	}
	if known.Status == event.Answered || known.Status == event.Unverified {
		return nil, fault.Coded(fault.RunAnswered, fault.Data{"run": g.id}, "cannot go on with run %s: it has its answer", g.id)
	}
	if err := g.rec.Resumable(); err != nil {
		return nil, err
	}
	if c := g.rec.Began.Caller; c != nil && g.caller == "" {
		return nil, fault.Coded(fault.RunIsChild, fault.Data{"run": g.id, "caller": c.Run}, "cannot go on with run %s: it is a part of run %s", g.id, c.Run)
	}
	if g.files, err = g.standIns(q.Files); err != nil {
		return nil, err
	}
	return unlock, g.alone(ctx)
}

// alone refuses a run that another one went on with. One that ended before its first step
// did nothing.
func (g *resumption) alone(ctx context.Context) error {
	first, err := g.app.records.Journal.Summary(ctx, g.rec.Line[0])
	if err != nil {
		return err
	}
	for r, err := range g.app.eachRun(ctx, journal.Query{Kind: event.Ask, Since: first.Began}) {
		if err != nil {
			return err
		}
		p := r.Parent
		if p == nil || p.Change != event.Resumed || !slices.Contains(g.rec.Line, p.Run) || slices.Contains(g.rec.Line, r.ID) {
			continue
		}
		if r.Status == journal.Running || r.Steps > 0 || r.Children > 0 {
			return fault.Coded(fault.RunResumed, fault.Data{"run": r.ID}, "cannot go on with run %s: run %s did already", g.id, r.ID)
		}
	}
	return nil
}

// standIns are the files that stand in for inputs.
func (g *resumption) standIns(files []string) (map[string]Input, error) {
	out := map[string]Input{}
	for _, f := range files {
		name, p, found := strings.Cut(f, "=")
		if !found {
			name, p = filepath.Base(f), f
		}
		in, err := LocalFile(p)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(g.rec.Began.Files, name) {
			return nil, fault.New(fault.Invalid, "Leave it out, or ask a question of its own.", "cannot take %s: run %s was given no file of that name", safetext.Line(name), g.id)
		}
		in.Name = name
		out[name] = in
	}
	return out, nil
}

// model is the one that goes on: the recorded one unless the request names another.
func (g *resumption) model(q AskResume, began *event.RunBegan) (llm.Model, error) {
	name := q.Model
	if name == "" && began.Scripted {
		return nil, fault.New(fault.Invalid, "Name the file as the model.", "cannot go on with run %s: its model's replies came from a file, which is not recorded", g.id)
	}
	c := modelChoice{name: name, effort: began.Effort, sees: name == "" && began.Traits.Sees}
	if name == "" {
		c.name, c.fallbacks = began.Model, began.Fallbacks
	}
	m, err := g.app.model(c)
	if err != nil {
		return nil, err
	}
	describeModel(began, m, began.Effort)
	return m, nil
}

// tools opens what implements the tools of the run. They are those that it had.
func (g *resumption) tools(ctx context.Context, q AskResume, began *event.RunBegan, sink event.Sink) (*toolset, error) {
	spec, net := q.Tools, q.Net
	if len(net.Hosts) == 0 && !net.Only {
		net.Hosts = began.Net
	}
	if spec.Policy == "" {
		for _, f := range g.rec.Rules {
			if f.Role != planner.RolePolicy {
				continue
			}
			text, err := g.app.records.Content(ctx, f.SHA256)
			if err != nil {
				return nil, err
			}
			spec.policy = &planner.Text{Name: f.Name, Text: string(text)}
		}
	}
	spec.skills = g.app.moduleTexts(g.rec)
	if len(began.Tools) > len(spec.skills) && len(spec.Files) == 0 {
		return nil, fault.New(fault.Invalid, "Name the files of tools that it was begun with.", "cannot go on with run %s: nothing says what implements its tools", g.id)
	}
	t, err := g.app.openTools(ctx, spec, net, sink)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(t.pins(), began.Tools) {
		err := fault.New(fault.Conflict, "Name the files of tools that it was begun with, as they were.", "cannot go on with run %s: the tools are not those that it was begun with", g.id)
		return nil, errors.Join(err, t.close())
	}
	began.Net = t.hosts.Strings()
	return t, nil
}

// request is the question as it was asked.
func (g *resumption) request(q AskResume, began event.RunBegan) AskRequest {
	out := AskRequest{
		Question: began.Question, Mode: cmp.Or(began.Mode, ModeCode), Thread: began.Thread, Language: began.Language, Notes: g.rec.HadNotes(), Learn: began.Learn,
		Session: q.Session, Output: q.Output,
	}
	out.Session.Name = began.Thread
	if out.Session.Seed == nil {
		out.Session.Seed = began.Seed
	}
	return out
}

// open opens the session in the state that comes nearest to where the run broke off and
// that is still there. A run that had none opens its own.
func (g *resumption) open(ctx context.Context, q AskResume, sink event.Sink) error {
	if q.Session.Chosen() && (g.rec.Session != nil || g.rec.Requested()) {
		return fault.New(fault.Invalid, "Leave packages and image out.", "cannot go on with run %s in another session than its own", g.id)
	}
	for _, at := range g.rec.States() {
		err := g.openAt(ctx, at, sink)
		kind := fault.KindOf(err)
		if err != nil && at.Snapshot != "" && (kind == fault.NotFound || kind == fault.Conflict) && fault.CodeOf(err) != fault.RunMoved {
			sink.Emit(event.Progress{Stage: "session", Text: fmt.Sprintf("the state before step %d is not there any more", at.Step)})
			continue
		}
		if err == nil {
			g.at = at
			err = g.inputsAgain(ctx)
		}
		if err != nil && g.session != nil {
			err = errors.Join(err, g.session.Close())
		}
		return err
	}
	return nil
}

func (g *resumption) openAt(ctx context.Context, at replay.State, sink event.Sink) (err error) {
	if g.rec.Session == nil {
		return nil
	}
	want := *g.rec.Session
	if g.rec.Began.Thread == "" {
		want.Name, want.Snapshot = "", cmp.Or(at.Snapshot, want.Snapshot)
		g.session, err = g.app.openAgain(ctx, want, ImageSpec{}, sink)
		return err
	}
	if g.session == nil {
		spec := SessionSpec{Name: want.Name}
		if want.Snapshot == "" { // the run made it, and did not save it
			spec.Image, spec.Limits, spec.Seed, spec.Date = want.Image.ID, want.Limits, want.Seed, want.Date
		}
		if g.session, err = g.app.OpenSession(ctx, spec, sink); err != nil {
			return err
		}
	}
	saved := func(s event.SnapshotTaken) bool { return s.Snapshot == g.session.Describe().Snapshot } // before it broke off
	if g.session.Describe().Snapshot != want.Snapshot && !slices.ContainsFunc(g.rec.Snapshots, saved) {
		return fault.Coded(fault.RunMoved, fault.Data{"run": g.id, "name": want.Name}, "cannot go on with run %s: session %s went on since then", g.id, safetext.Line(want.Name))
	}
	if at.Snapshot == "" {
		return nil
	}
	if err := g.session.Rollback(ctx, at.Snapshot); err != nil {
		return err
	}
	g.session.from = at.Snapshot
	return nil
}

// inputsAgain are the inputs of a session that begins anew.
func (g *resumption) inputsAgain(ctx context.Context) (err error) {
	if g.at.Snapshot != "" || !g.rec.Requested() || g.session == nil {
		return nil
	}
	if c := g.rec.Began.Caller; c != nil && c.Role == event.Attempt { // its session begins with them
		return nil
	}
	g.given, err = g.recorded(ctx)
	return err
}

// recorded are the inputs as they are recorded, or what stands in for them.
func (g *resumption) recorded(ctx context.Context) ([]run.Input, error) {
	files := map[string]func() (io.ReadCloser, error){}
	for name, in := range g.files {
		files[name] = in.Open
	}
	return g.rec.Given(ctx, g.app.records.Journal, files)
}

// inputs are the files of a run that did not ask its model: it is given them anew.
func (g *resumption) inputs(sink event.Sink) ([]run.Input, error) {
	if g.rec.Requested() {
		return nil, nil
	}
	var all []Input
	for _, name := range g.rec.Began.Files {
		in, given := g.files[name]
		i := slices.IndexFunc(g.rec.Inputs, func(f event.FileGiven) bool { return f.Name == name && f.Withheld == "" })
		switch {
		case !given && i < 0:
			return nil, fault.Coded(fault.InputMissing, fault.Data{"run": g.id, "input": name}, "cannot go on with run %s: it broke off before %s was recorded", g.id, safetext.Line(name))
		case !given:
			f := g.rec.Inputs[i]
			in = Input{Name: name, Bytes: f.Bytes, at: ownPlace(f.Path), Open: func() (io.ReadCloser, error) {
				return g.app.records.Journal.Blob(context.Background(), f.SHA256)
			}}
		}
		if name == g.rec.Began.Context {
			in.Variable = ContextVariable
		}
		all = append(all, in)
	}
	return questionInputs(all, sink)
}

// warn says which calls are not made again although nothing is known of their end, and
// what is executed again that reached a host.
func (g *resumption) warn(calls *replay.Calls, sink event.Sink) {
	for _, c := range calls.Unknown() {
		sink.Emit(event.Notice{
			Text:   fmt.Sprintf("%s was being called in step %d when run %s broke off: it may be done, and is not called again", c.Tool, c.Step, g.id),
			Remedy: "Look whether it is done. The model receives the same.",
		})
	}
	for _, s := range g.rec.Steps {
		if s.N >= g.at.Step && len(s.Hosts) > 0 {
			sink.Emit(event.Notice{Text: fmt.Sprintf("the code of step %d is executed again, and it reached %s", s.N, safetext.Line(strings.Join(s.Hosts, ", ")))})
		}
	}
}

// goOn lets the agent go on from the state.
func (g *resumption) goOn(ctx context.Context, x *questionRun, task *run.Task, cfg *agent.Config) {
	if !g.rec.Requested() {
		return
	}
	task.Inputs = g.given
	cfg.Begin = g.rec.Begin(ctx, g.app.records.Journal, g.at)
	cfg.Notes = g.rec.Notes(cfg.Notes, g.at)
	if task.Open != nil {
		ready := task.Ready
		task.Ready = func(ctx context.Context) error {
			err := ready(ctx)
			g.made(x.made, &x.found)
			return err
		}
	}
	if task.Conversation != nil {
		task.Conversation = func(ctx context.Context, _ run.Session) (c run.Conversation, err error) {
			x.talk, err = openThread(ctx, g.app.records, x.request.Thread)
			if err == nil && g.savedIn(x.talk) {
				x.talk = nil
			}
			return c, err
		}
	}
}

// savedIn says whether the run broke off when all was saved but its own end: its thread has it.
func (g *resumption) savedIn(t *thread) bool {
	return slices.ContainsFunc(g.rec.Line, func(id string) bool { return slices.Contains(t.was.Runs, id) })
}

// childRecord is what is recorded of a run that this one began, as its own record says, too.
// It is usable when it can be gone on with, or has its answer; the error is that ctx ended.
func (g *resumption) childRecord(ctx context.Context, id string) (rec replay.Recording, usable bool, err error) {
	rec, err = replay.LoadResumed(ctx, g.app.records.Journal, id)
	switch {
	case err != nil && ctx.Err() != nil:
		return rec, false, err
	case err != nil:
		return rec, false, nil // nothing can be read of it
	}
	return rec, rec.Began.Caller != nil && slices.Contains(g.rec.Line, rec.Began.Caller.Run) && rec.Requested(), nil
}

// made adds what the steps made that are not taken again: it is this run's to save.
func (g *resumption) made(c *collector, found *functions) {
	for _, s := range g.rec.Steps {
		for _, e := range s.Executions {
			if s.N >= g.at.Step || e.Ended == nil {
				continue
			}
			c.Emit(event.ExecutionEnded{Execution: *e.Ended})
			found.Emit(event.ExecutionEnded{Step: s.N, Execution: *e.Ended})
			for _, change := range e.Ended.Changes {
				delete(c.before, strings.TrimPrefix(path.Clean(change.Path), WorkDir+"/"))
			}
		}
	}
	c.gone = false // the session is there again
}
