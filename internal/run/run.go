// Package run executes one run in a session: a question that the agent
// answers, or a person's code. It joins the agent and the session, and emits
// everything that happens in the order of package event, so that commands,
// replay and servers record and show the same.
//
// The order of events, after the run_began that the caller emits:
//
//	session_began, file_given…, the steps or the execution,
//	snapshot_taken where states are saved, what Task.Finish emits,
//	session_ended, run_ended
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/llm"
)

// Session is what a run needs of an open session.
type Session interface {
	// Execute runs code of a language, "" is the session's first. What the code did is
	// data; an error says that it could not be run. Output and Display events go to sink.
	Execute(ctx context.Context, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error)
	// WriteFile writes a file whole, with the folders above it.
	WriteFile(ctx context.Context, path string, r io.Reader) error
	// Snapshot saves the session's whole state. The session goes on.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Describe returns what session this is.
	Describe() event.SessionBegan
}

// Named is what a session has beside that when errors of its code can name a file.
type Named interface {
	ExecuteFile(ctx context.Context, lang, code, file string, b event.Bounds, sink event.Sink) (event.Execution, error)
}

// ExecuteFile executes code with the name that errors call it by, where the session can.
func ExecuteFile(ctx context.Context, s Session, lang, code, file string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	if named, ok := s.(Named); ok {
		return named.ExecuteFile(ctx, lang, code, file, b, sink)
	}
	return s.Execute(ctx, lang, code, b, sink)
}

// Snapshot names a stored state.
type Snapshot struct {
	ID    string
	Bytes int64
}

// Recorder is where a run's events go. It may be called from two goroutines at
// a time. Once Err is not nil nothing more is recorded, and the context that
// came with the recorder is over: a run does nothing unrecorded.
type Recorder interface {
	event.Sink
	// Keep reads an input to its end and stores its content under its hash,
	// unless withheld says why not.
	Keep(ctx context.Context, name string, r io.Reader) (sum string, bytes int64, withheld string, err error)
	Err() error
}

// Input is a file that a run is given.
type Input struct {
	agent.File
	// Role is event.RoleSkill for the code of a skill; "": the question is about the file.
	Role string
	Open func() (io.ReadCloser, error)
}

// Task is a run to be executed.
type Task struct {
	Began event.RunBegan
	// Languages are those that code may be in. The code of a run is in the one that it
	// began with, else in the first that the session's image has.
	Languages language.Table
	// Open opens the session; nil: the run needs none, its model has tools alone.
	Open   func(ctx context.Context) (Session, error)
	Inputs []Input
	// Skills are those whose code is among the inputs.
	Skills []event.Skill
	// ProfileInputs says that the inputs are looked at in the session before the model is
	// asked. Profile is code that does it, as it was recorded; nil: that of the language.
	ProfileInputs bool
	Profile       *Piece
	// From says that another run has prepared the session: the inputs are in it. nil: it is
	// prepared here.
	From *Prepared
	// Conversation returns what the question goes on with. It is called when the
	// session is open. nil: the question stands alone.
	Conversation func(ctx context.Context, s Session) (Conversation, error)
	// Snapshots says that the state before each step and at the end is saved,
	// while the model thinks.
	Snapshots bool
	// SaveEnd says that the state at the end is saved in any case.
	SaveEnd bool
	// Ready is called when the inputs are in the session, and again when it was
	// started anew. It may be nil.
	Ready func(ctx context.Context) error
	// Finish is called while the session is still open, also after a failure,
	// to take out what is to stay. It may be nil. That it fails does not change
	// the status of the run, so it keeps its errors to itself.
	Finish func(ctx context.Context, r Result)

	given []event.FileGiven // the inputs, as they were recorded
	// Project is the one that the run works on; nil: none. It must be set where Began says so.
	Project *Project
}

// Conversation is what was said before the question of a run.
type Conversation struct {
	History []llm.Message // the whole of it
	Changed string        // what is different since, for the model; "": nothing
}

// Result is what a run came to.
type Result struct {
	Answer    agent.Answer    // of a question; how far it came when Err is not nil
	Execution event.Execution // of code; its State is empty when it could not be run
	Err       error
}

// Ask lets the agent answer the question of t.Began. Of cfg, the question's
// bounds, the conversation, the files and the session are filled in here. The
// error says why there is no answer.
func Ask(ctx context.Context, t Task, cfg agent.Config, rec Recorder) (agent.Answer, error) {
	began := time.Now()
	var answer agent.Answer
	s, err := t.open(ctx, rec)
	if err == nil {
		answer, err = t.ask(ctx, s, cfg, rec)
	}
	err = because(rec, err)
	if t.Project != nil && t.Project.work != nil && rec.Err() == nil {
		t.Project.work.end(ctx, answer.Steps, err != nil)
	}
	t.finish(ctx, s, Result{Answer: answer, Err: err}, rec)
	end := t.ending(s, answer, err)
	end.Took = event.Duration(time.Since(began))
	rec.Emit(end)
	return answer, because(rec, err)
}

// ending says how a question ended.
func (t Task) ending(s Session, answer agent.Answer, err error) event.RunEnded {
	end := event.RunEnded{Status: event.Answered, Steps: answer.Steps, Tokens: answer.Tokens}
	if err != nil {
		end.Draft, end.Found = answer.Draft, answer.Found
	}
	switch {
	case err != nil && s == nil && t.Open != nil:
		end.Status, end.Reason = event.Failed, err.Error()
	case err != nil:
		end.Status, end.Reason = event.Unanswered, err.Error()
	case answer.Incomplete != "":
		end.Status, end.Reason = event.Unverified, answer.Incomplete
	case len(event.Untraced(answer.Figures)) > 0:
		end.Status = event.Unverified
	}
	return end
}

func (t Task) ask(ctx context.Context, s Session, cfg agent.Config, rec Recorder) (agent.Answer, error) {
	cfg.MaxSteps, cfg.Budget = t.Began.MaxSteps, t.Began.Budget
	cfg.Strict, cfg.ShowChanges, cfg.Style = t.Began.Strict, t.Began.ShowChanges, t.Began.Style
	cfg.Skills, cfg.Learn = t.Skills, t.Began.Learn
	if err := t.judged(s, &cfg); err != nil {
		return agent.Answer{}, err
	}
	if s == nil {
		cfg.Sink, cfg.Languages = rec, t.Languages[:min(len(t.Languages), 1)]
		return agent.Run(ctx, cfg, t.Began.Question)
	}
	cfg.Files = t.files()
	if t.From != nil {
		cfg.Files = t.From.Files
	} else if t.Began.Repo != nil {
		return t.work(ctx, s, cfg, rec)
	}
	if cfg.Begin == nil || cfg.Begin.Step <= 1 {
		var err error
		if cfg.Files, err = t.profile(ctx, s, rec); err != nil {
			return agent.Answer{}, err
		}
		if err := t.checkInputs(ctx, s, rec); err != nil {
			return agent.Answer{}, err
		}
	}
	if t.Conversation != nil {
		c, err := t.Conversation(ctx, s)
		if err != nil {
			return agent.Answer{}, err
		}
		cfg.History, cfg.Changed = c.History, c.Changed
	}
	return t.answer(ctx, s, cfg, nil, rec)
}

// answer lets the agent answer in a session that is ready. p is the project that it works on,
// or nil.
func (t Task) answer(ctx context.Context, s Session, cfg agent.Config, p *project, rec Recorder) (agent.Answer, error) {
	cfg.Languages = t.languages(s)
	style, _ := agent.StyleNamed(t.Began.Style)
	a := &agentSession{task: t, s: s, rec: rec, dirty: true, whole: style.Whole}
	if t.From != nil && t.From.Snapshot != "" { // the state before the first step is saved
		a.dirty, a.before, a.first = false, t.From.Snapshot, t.From.Snapshot
	}
	if p != nil {
		p.judge(&cfg, a)
	}
	a.save = func(step int) {
		a.saving.Go(func() {
			if a.before = save(ctx, s, step, rec); a.first == "" {
				a.first = a.before
			}
		})
	}
	cfg.Session, cfg.Sink, cfg.SessionName = a, event.SinkFunc(a.emit), s.Describe().Session
	cfg.Bounds, cfg.Limits = t.Began.Bounds, s.Describe().Limits
	for _, p := range chosen(s.Describe()) {
		cfg.Packages = append(cfg.Packages, p.Name+" "+p.Version)
	}
	answer, err := agent.Run(ctx, cfg, t.Began.Question)
	a.saving.Wait()
	if (t.Snapshots || t.SaveEnd) && a.dirty && !a.gone && ctx.Err() == nil {
		save(ctx, s, answer.Steps+1, rec)
	}
	return answer, err
}

// files are the inputs that the question is about.
func (t Task) files() (out []agent.File) {
	for _, in := range t.Inputs {
		if in.Role == "" {
			out = append(out, in.File)
		}
	}
	return out
}

// Piece is a piece of a person's code.
type Piece struct {
	Language string // "": that of the run
	Code     string
	File     string // the name of the code in errors; "": they number what was run
}

// Code runs a person's code: one piece after the other, as long as they end well.
// With alone, the session ends with the run: threads that the code left are waited
// for. The execution is that of the last piece that was run.
func Code(ctx context.Context, t Task, pieces []Piece, alone bool, rec Recorder) (event.Execution, error) {
	began := time.Now()
	var x event.Execution
	s, err := t.open(ctx, rec)
	if err == nil {
		x, err = t.executeAll(ctx, s, pieces, alone, rec)
	}
	err = because(rec, err)
	t.finish(ctx, s, Result{Execution: x, Err: err}, rec)
	end := event.RunEnded{Status: event.RunStatus(x.Status.String()), Took: event.Duration(time.Since(began))}
	if err != nil {
		end.Status, end.Reason = event.Failed, err.Error()
	}
	rec.Emit(end)
	return x, because(rec, err)
}

// executeAll runs the pieces of a code run.
func (t Task) executeAll(ctx context.Context, s Session, pieces []Piece, alone bool, rec Recorder) (x event.Execution, err error) {
	for i, p := range pieces {
		x, err = t.execute(ctx, s, p, i == 0, i == len(pieces)-1, alone, rec)
		if err != nil || x.Status != event.OK {
			break
		}
	}
	if err == nil && t.Snapshots && x.State == event.Intact && ctx.Err() == nil {
		save(ctx, s, 1, rec)
	}
	return x, err
}

// execute runs one piece of code between its events. Of a session that ends with the
// run, the last piece waits for threads that were left.
func (t Task) execute(ctx context.Context, s Session, p Piece, first, last, alone bool, rec Recorder) (event.Execution, error) {
	if p.Language != "" {
		t.Began.Language = p.Language
	}
	lang := t.language(s)
	rec.Emit(event.ExecutionBegan{Session: s.Describe().Session, Language: lang.Name, Code: p.Code, File: p.File, Untrusted: t.Began.Untrusted})
	x, err := event.Execution{}, ctx.Err() // nothing is done that cannot be recorded
	if err == nil && first {
		err = t.invoke(ctx, s, lang)
	}
	if err == nil {
		x, err = ExecuteFile(ctx, s, lang.Name, p.Code, p.File, t.Began.Bounds, rec)
	}
	if err == nil && alone && (last || x.Status != event.OK) && ctx.Err() == nil {
		err = awaitThreads(ctx, s, lang, &x, t.Began.Bounds, rec)
	}
	ended := x
	if err != nil {
		ended = event.Execution{Status: event.Crashed, Message: err.Error()}
		if ctx.Err() != nil {
			ended.Status = event.Interrupted
		}
	}
	rec.Emit(event.ExecutionEnded{Execution: ended})
	return x, err
}

// invoke gives the code its arguments and its standard input.
func (t Task) invoke(ctx context.Context, s Session, lang language.Language) error {
	var args []string
	stdin := ""
	if t.Began.File != "" || len(t.Began.Args) > 0 {
		args = append([]string{cmp.Or(t.Began.File, "-c")}, t.Began.Args...)
	}
	if slices.ContainsFunc(t.Inputs, func(in Input) bool { return in.Path == language.StdinPath }) {
		stdin = language.StdinPath
	}
	if lang.Model.Invoke == nil || args == nil && stdin == "" {
		return nil
	}
	x, err := s.Execute(ctx, lang.Name, lang.Model.Invoke(args, stdin), t.Began.Bounds, event.Discard)
	if err == nil && x.Status != event.OK {
		err = fmt.Errorf("cannot give the code its arguments: it ended with the status %s", x.Status)
	}
	return err
}

// language is that of a run's code, as the session's image has it.
func (t Task) language(s Session) language.Language {
	l := t.Languages.Named(t.Began.Language)
	for i, has := range s.Describe().Image.Languages {
		if has.Name == l.Name || i == 0 && t.Began.Language == "" {
			l = t.Languages.Named(has.Name)
			l.Version = has.Version
			break
		}
	}
	return l
}

// languages are those that a model may write code in: the run's, and beside it those of
// the session that say what they are good for.
func (t Task) languages(s Session) language.Table {
	out := language.Table{t.language(s)}
	var has []language.Runtime
	for _, l := range s.Describe().Image.Languages {
		has = append(has, language.Runtime{Language: l.Name, Version: l.Version})
	}
	for _, l := range t.Languages.In(has) {
		if l.Name != out[0].Name && l.Model.Beside != "" {
			out = append(out, l)
		}
	}
	return out
}

// because puts why nothing more could be recorded before what came of it.
func because(rec Recorder, err error) error {
	if cause := rec.Err(); cause != nil {
		return cause
	}
	return err
}

// open opens the session and gives it the inputs.
func (t *Task) open(ctx context.Context, rec Recorder) (Session, error) {
	if err := ctx.Err(); err != nil || t.Open == nil {
		return nil, err
	}
	s, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	rec.Emit(s.Describe())
	if t.From != nil {
		for _, f := range t.From.Given {
			rec.Emit(f)
		}
		return s, t.ready(ctx)
	}
	if len(t.Skills) > 0 {
		rec.Emit(event.SkillsGiven{Skills: t.Skills})
	}
	for _, in := range t.Inputs {
		f, err := record(ctx, in, rec)
		if err != nil {
			return s, err
		}
		t.given = append(t.given, f)
	}
	return s, t.prepare(ctx, s)
}

// record keeps an input, so that the run can be replayed when the file is gone.
func record(ctx context.Context, in Input, rec Recorder) (f event.FileGiven, err error) {
	r, err := in.Open()
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	sum, n, withheld, err := rec.Keep(ctx, in.Name, r)
	if err != nil {
		return f, fmt.Errorf("cannot record input %s: %w", in.Name, err)
	}
	f = event.FileGiven{Name: in.Name, Path: in.Path, Role: in.Role, Bytes: n, SHA256: sum, Withheld: withheld, Variable: in.Variable, Form: in.Form}
	rec.Emit(f)
	return f, nil
}

// prepare puts the inputs into the session.
func (t Task) prepare(ctx context.Context, s Session) error {
	for _, in := range t.Inputs {
		if err := put(ctx, s, in); err != nil {
			return err
		}
	}
	if t.Began.Repo != nil {
		if err := begin(ctx, s, t.Began.Bounds); err != nil {
			return err
		}
	}
	if err := t.load(ctx, s); err != nil {
		return err
	}
	return t.ready(ctx)
}

func (t Task) ready(ctx context.Context) error {
	if t.Ready != nil {
		return t.Ready(ctx)
	}
	return ctx.Err()
}

// load makes variables of the inputs that are some.
func (t Task) load(ctx context.Context, s Session) error {
	var given []language.Given
	for _, in := range t.Inputs {
		if in.Variable != "" {
			given = append(given, language.Given{Name: in.Variable, Path: in.Path, Form: in.Form})
		}
	}
	lang := t.language(s)
	if len(given) == 0 {
		return nil
	}
	if lang.Model.Load == nil {
		return fmt.Errorf("cannot make variables: %s has no way to", lang.Display)
	}
	x, err := s.Execute(ctx, lang.Name, lang.Model.Load(given), t.Began.Bounds, event.Discard)
	if err == nil && x.Status != event.OK {
		return fault.New(fault.Exhausted, "Give less, or allow the session more memory.", "cannot make variables of what was given: the code that does ended with the status %s", x.Status)
	}
	return err
}

func put(ctx context.Context, s Session, in Input) (err error) {
	r, err := in.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := s.WriteFile(ctx, in.Path, r); err != nil {
		return fmt.Errorf("cannot copy %s into the session: %w", in.Name, err)
	}
	return nil
}

// finish takes out of the session what is to stay.
func (t Task) finish(ctx context.Context, s Session, r Result, rec Recorder) {
	if s == nil {
		return
	}
	if t.Finish != nil {
		t.Finish(ctx, r)
	}
	rec.Emit(event.SessionEnded{Session: s.Describe().Session})
}

// save saves the state before a step. When that fails, the run goes on and
// reports it; a branch from that step then runs the code again.
func save(ctx context.Context, s Session, step int, rec Recorder) (snapshot string) {
	saved, err := s.Snapshot(ctx)
	switch {
	case err == nil:
		rec.Emit(event.SnapshotTaken{Step: step, Session: s.Describe().Session, Snapshot: saved.ID, Bytes: saved.Bytes})
		return saved.ID
	case ctx.Err() == nil:
		rec.Emit(event.Progress{Stage: "session", Text: fmt.Sprintf("the state before step %d is not saved: %v", step, err)})
	}
	return ""
}
