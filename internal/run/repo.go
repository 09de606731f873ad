package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/agent/repo"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/worktree"
	"praxis/internal/worktree/ignore"
	"praxis/internal/worktree/patch"
)

// Bounds of what is done with a project.
const (
	testRuns   = 3    // of tests that fail: what differs among them is flaky
	maxNamed   = 200  // files of which the model reads the names
	maxTests   = 6000 // bytes of what tests print that the model reads before it begins
	maxChanged = 2000 // files of a patch
	maxPatch   = 64 << 20
	maxLeftOut = 100 // files that a patch names as left out
	maxTools   = 1 << 20
)

// Project is a project that a run works on.
type Project struct {
	Files worktree.Tree // as they were given
	Tools string        // the functions, as they were given
	// Fresh opens another session like the run's own when it began. Tests run there.
	Fresh func(ctx context.Context) (s Session, end func() error, err error)

	work *project
}

// Patched is what came of a project.
type Patched struct {
	Before, After *event.TestsRan // the last of each; nil: none were run
	Changes       []worktree.Change
	Diff          []byte
	LeftOut       []string
	// Nothing says why no model was asked: there is nothing to repair. "": one was.
	Nothing string
}

// Passed says that the tests pass with the changes.
func (p Patched) Passed() bool {
	return p.After != nil && p.After.Passed || p.Nothing != "" && p.Before.Passed
}

// Files lists what became of each file.
func (p Patched) Files() []event.PatchedFile {
	out := []event.PatchedFile{}
	for _, c := range p.Changes {
		s := patch.StatOf(c)
		out = append(out, event.PatchedFile{Path: c.Path, From: c.From, Change: c.Kind(), Added: s.Added, Removed: s.Removed, Binary: s.Binary})
	}
	return out
}

// Changed is a project that was changed from one tree to another, with the patch.
func Changed(before, after worktree.Tree) Patched {
	changes := worktree.Changes(before, after)
	return Patched{Changes: changes, Diff: patch.Write(changes)}
}

// LoadProject reads a project from the inputs of a run.
func LoadProject(inputs []Input) (*Project, error) {
	p := &Project{}
	for _, in := range inputs {
		if in.Path != repo.FilesPath && in.Path != repo.ToolsPath {
			continue
		}
		r, err := in.Open()
		if err != nil {
			return nil, err
		}
		if in.Path == repo.ToolsPath {
			var text []byte
			text, err = bounded.Read(r, maxTools)
			p.Tools = string(text)
		} else {
			p.Files, _, err = worktree.Read(r)
		}
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("cannot read input %s: %w", in.Name, err)
		}
	}
	if p.Files == nil || p.Tools == "" {
		return nil, fault.New(fault.Conflict, "Begin again with the project.", "cannot go on with the project: its files are not among the inputs of the run")
	}
	return p, nil
}

// Patched is what came of it, once the run has ended.
func (p *Project) Patched() Patched {
	if p.work == nil {
		return Patched{}
	}
	return p.work.out
}

// project is a project on its way through a run.
type project struct {
	*Project
	began     event.Repo
	bounds    event.Bounds
	rec       Recorder
	s         Session
	protected func(string) bool
	flaky     []string // tests that are known to be
	rules     ignore.Rules

	judged map[string]verdict // by the sum of the files
	best   *verdict
	out    Patched
}

// verdict is what the tests say of the files as they were at one time.
type verdict struct {
	files   worktree.Tree
	leftOut []string
	ran     *event.TestsRan // nil: no tests were run
	shown   string
}

// begin makes the functions known in a session, and unpacks the project where it is not yet.
func begin(ctx context.Context, s Session, b event.Bounds) error {
	return hidden(ctx, s, repo.Begin(), "unpack the project", b)
}

// hidden runs code of ours that a replay runs again by itself.
func hidden(ctx context.Context, s Session, code, what string, b event.Bounds) error {
	x, err := s.Execute(ctx, repo.Language, code, b, event.Discard)
	if err == nil && x.Status != event.OK {
		err = fault.New(fault.Unavailable, "Give the session more memory, disk or time.", "cannot %s in the session: %s", what, safetext.OneLine(howEnded(x), 500))
	}
	return err
}

// howEnded says how an execution ended.
func howEnded(x event.Execution) string {
	if x.Error != nil {
		return x.Error.Name + ": " + x.Error.Value
	}
	return cmp.Or(x.Message, x.Status.String())
}

// newProject prepares the work on a project.
func (t Task) newProject(s Session, rec Recorder) *project {
	p := &project{Project: t.Project, began: *t.Began.Repo, bounds: t.Began.Bounds, rec: rec, s: s, judged: map[string]verdict{}}
	p.protected = func(string) bool { return false }
	if p.began.Test != "" && !p.began.EditTests {
		p.protected = repo.Protected(p.began.Test, func(name string) bool { _, there := p.Files[name]; return there })
	}
	for _, name := range slices.SortedFunc(maps.Keys(p.Files), func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	}) {
		if path.Base(name) == ignore.Name {
			p.rules.Add(path.Dir(name), p.Files[name].Data)
		}
	}
	p.Project.work = p
	return p
}

// examine runs the tests on the files as they were given, and returns what the model reads of
// them. Where there is nothing to repair, and no task beside, no model is needed.
func (p *project) examine(ctx context.Context, task bool) (given string, err error) {
	given = p.listing()
	if p.began.Test == "" {
		return given, nil
	}
	ran, shown, err := p.test(ctx, 0, p.Files, nil)
	if err != nil {
		return "", err
	}
	p.out.Before, p.flaky = ran, ran.Flaky
	switch {
	case ran.Passed && len(ran.Flaky) == 0:
		given += "\n\nThe tests pass as the project is."
		if !task {
			p.out.Nothing = "the tests pass as the project is: there is nothing to repair"
		}
		return given, nil
	case len(ran.Flaky) > 0 && len(ran.Failing) == 0:
		given += "\n\nThese tests fail at some times and pass at others, without a change: " + safetext.OneLine(strings.Join(ran.Flaky, ", "), 2000)
		if !task {
			p.out.Nothing = "no test fails each time: " + safetext.OneLine(strings.Join(ran.Flaky, ", "), 300) + " passed when the tests were run again without a change"
		}
		return given, nil
	}
	given += "\n\nThe tests fail: " + ran.Why + "."
	if len(ran.Flaky) > 0 {
		given += "\nThese among them are flaky, as they passed when they were run again without a change, and are not to be repaired: " + safetext.OneLine(strings.Join(ran.Flaky, ", "), 2000)
	}
	return given + "\n" + p.began.Test + " printed:\n" + shorten(shown, maxTests), nil
}

// work lets the agent work on the project, where there is something to do.
func (t Task) work(ctx context.Context, s Session, cfg agent.Config, rec Recorder) (agent.Answer, error) {
	p := t.newProject(s, rec)
	given, err := p.examine(ctx, t.Began.Question != repo.Repair)
	if err != nil || p.out.Nothing != "" {
		answer := agent.Answer{Text: p.out.Nothing}
		if err == nil && !p.out.Before.Passed {
			answer.Incomplete = p.out.Nothing
		}
		return answer, err
	}
	cfg.Files = nil
	cfg.Repo = &agent.Repo{Test: p.began.Test, EditTests: p.began.EditTests, Given: given}
	return t.answer(ctx, s, cfg, p, rec)
}

// judge has the tests decide about the answers of the agent. The session is not used while its
// state is saved.
func (p *project) judge(cfg *agent.Config, a *agentSession) {
	if p.began.Test == "" {
		return
	}
	cfg.Repo.Verdict = func(ctx context.Context, step int) (agent.Verdict, error) {
		a.saving.Wait()
		a.dirty = true
		return p.verdict(ctx, step)
	}
}

// listing names the files of the project for the model.
func (p *project) listing() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The project %s has %s in /work:", safetext.Line(p.began.Name), safetext.Count(len(p.Files), "file"))
	for i, name := range p.Files.Paths() {
		if i == maxNamed {
			fmt.Fprintf(&b, "\n… and %d more", len(p.Files)-i)
			break
		}
		note := ""
		if p.protected(name) {
			note = "  (a test)"
		}
		fmt.Fprintf(&b, "\n%s%s", name, note)
	}
	return b.String()
}

// shorten leaves out the middle of a text.
func shorten(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	half := most / 2
	return strings.ToValidUTF8(text[:half], "") + "\n[…]\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}

// test runs the tests on files, in a session of its own, and emits what came of it. Tests that
// fail are run again, to see whether they do each time.
func (p *project) test(ctx context.Context, step int, files worktree.Tree, undone []string) (ran *event.TestsRan, shown string, err error) {
	s, end, err := p.Fresh(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("cannot run the tests: %w", err)
	}
	defer func() { err = errors.Join(err, end()) }()
	packed, err := files.Archive()
	if err != nil {
		return nil, "", err
	}
	if err := s.WriteFile(ctx, repo.FilesPath, bytes.NewReader(packed)); err != nil {
		return nil, "", fmt.Errorf("cannot run the tests: %w", err)
	}
	if err := s.WriteFile(ctx, repo.ToolsPath, strings.NewReader(p.Tools)); err != nil {
		return nil, "", fmt.Errorf("cannot run the tests: %w", err)
	}
	if err := begin(ctx, s, p.bounds); err != nil {
		return nil, "", err
	}
	var runs []repo.Run
	for range testRuns {
		r, x, err := p.testOnce(ctx, step, s)
		if err != nil {
			return nil, "", err
		}
		if runs = append(runs, r); r.Passed || x.Status != event.Error || x.State != event.Intact {
			break // what a limit ended would be ended again
		}
	}
	ran = &event.TestsRan{Step: step, Runs: len(runs), Flaky: repo.Flaky(runs), Undone: undone}
	for _, name := range runs[0].Failing {
		if !slices.Contains(ran.Flaky, name) {
			ran.Failing = append(ran.Failing, name)
		}
	}
	p.decide(ran, runs, step > 0)
	p.rec.Emit(*ran)
	return ran, runs[0].Output, nil
}

// decide says whether the tests passed. Of a change, tests that pass at some times count only
// where they were like that before.
func (p *project) decide(ran *event.TestsRan, runs []repo.Run, change bool) {
	known := func(name string) bool { return slices.Contains(p.flaky, name) }
	unknown := slices.DeleteFunc(slices.Clone(ran.Flaky), known)
	last := runs[len(runs)-1]
	switch {
	case runs[0].Passed, change && last.Passed && len(unknown) == 0, change && last.Excused(p.flaky):
		ran.Passed = true
	case last.Passed:
		ran.Why = "they pass only at times: " + strings.Join(unknown, ", ")
	case len(ran.Failing) > 0:
		ran.Why = fmt.Sprintf("%s, %s: %s", runs[0].Why, safetext.Count(len(ran.Failing), "test"), strings.Join(ran.Failing, ", "))
	default:
		ran.Why = runs[0].Why
	}
	ran.Why = safetext.OneLine(ran.Why, 1000)
}

// testOnce runs the tests once, between its events.
func (p *project) testOnce(ctx context.Context, step int, s Session) (repo.Run, event.Execution, error) {
	p.rec.Emit(event.ExecutionBegan{Step: step, Session: s.Describe().Session, Language: repo.Language, Code: repo.Test(p.began.Test), Purpose: event.Testing, Check: p.began.Test})
	x, err := event.Execution{}, ctx.Err() // nothing is done that cannot be recorded
	if err == nil {
		x, err = s.Execute(ctx, repo.Language, repo.Test(p.began.Test), p.bounds, event.Discard)
	}
	x.Changes, x.Unlisted = nil, "" // what tests leave behind goes with their session
	if x.Error != nil {
		x.Error.Traceback = "" // it is ours
	}
	recorded := x
	if err != nil {
		recorded = event.Execution{Status: event.Crashed, Message: err.Error()}
		if ctx.Err() != nil {
			recorded.Status = event.Interrupted
		}
	}
	p.rec.Emit(event.ExecutionEnded{Step: step, Execution: recorded})
	if err == nil {
		err = ctx.Err()
	}
	r := repo.Run{Passed: x.Status == event.OK, Output: x.Stdout + x.Stderr}
	if !r.Passed {
		r.Failing = repo.Failing(r.Output)
		r.Why = howEnded(x)
		if x.Error != nil && x.Error.Name == "TestsFailed" {
			r.Why = x.Error.Value
		}
	}
	return r, x, err
}

// reader is a session that files are read of.
type reader interface {
	ReadFile(ctx context.Context, name string, to io.Writer) error
}

// collect reads the project out of the session, without what is no part of it: what git
// ignores, and what a program made.
func (p *project) collect(ctx context.Context) (files worktree.Tree, leftOut []string, err error) {
	from, can := p.s.(reader)
	if !can {
		return nil, nil, errors.New("cannot read the project: the session gives no files")
	}
	if err := hidden(ctx, p.s, repo.Pack(), "pack the project", p.bounds); err != nil {
		return nil, nil, err
	}
	packed := &limited{most: worktree.MaxBytes + worktree.MaxBytes/4}
	if err := from.ReadFile(ctx, repo.PackedPath, packed); err != nil {
		return nil, nil, fmt.Errorf("cannot read the project: %w", err)
	}
	files, refused, err := worktree.Read(&packed.Buffer)
	if err != nil {
		return nil, nil, fault.New(fault.Exhausted, "Leave fewer and shorter files.", "cannot take the project out of the session: %w", err)
	}
	leftOut = refused
	for _, name := range files.Paths() {
		_, given := p.Files[name]
		if !given && (p.rules.Match(name, false) || ignore.Made(name) || bytes.HasPrefix(files[name].Data, []byte("\x7fELF"))) {
			delete(files, name)
			leftOut = append(leftOut, name)
		}
	}
	return files, leftOut[:min(len(leftOut), maxLeftOut)], nil
}

// limited is a buffer that takes no more than it may.
type limited struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > l.most {
		return 0, fault.New(fault.Exhausted, "Leave fewer and shorter files.", "the files are longer than %s", safetext.Size(int64(l.most)))
	}
	return l.Buffer.Write(b)
}

// verdict runs the tests on the files as they are now, after changes of tests were undone. The
// same files are judged once.
func (p *project) verdict(ctx context.Context, step int) (agent.Verdict, error) {
	files, leftOut, err := p.collect(ctx)
	if err != nil {
		return agent.Verdict{}, err
	}
	undone, err := p.undo(ctx, files)
	if err != nil {
		return agent.Verdict{}, err
	}
	v, known := p.judged[files.Sum()]
	if !known {
		v = verdict{files: files, leftOut: leftOut}
		if v.ran, v.shown, err = p.test(ctx, step, files, undone); err != nil {
			return agent.Verdict{}, err
		}
		p.judged[files.Sum()] = v
		if p.best == nil || v.better(*p.best) {
			p.best = &v
		}
	}
	return agent.Verdict{Passed: v.ran.Passed, Why: v.ran.Why, Shown: v.shown, Undone: undone}, nil
}

// better says whether files are at least as good as those of another verdict: the later ones
// are taken where the tests do not say.
func (v verdict) better(than verdict) bool {
	if than.ran == nil || v.ran == nil || v.ran.Passed || than.ran.Passed {
		return than.ran == nil || v.ran != nil && v.ran.Passed || !than.ran.Passed
	}
	if len(than.ran.Failing) == 0 || len(v.ran.Failing) == 0 {
		return true
	}
	return len(v.ran.Failing) <= len(than.ran.Failing)
}

// undo takes the changes of tests back, in the files and in the session.
func (p *project) undo(ctx context.Context, files worktree.Tree) (undone []string, err error) {
	for _, c := range worktree.Changes(p.Files, files) {
		for _, name := range []string{c.Path, c.From} {
			if name == "" || !p.protected(name) {
				continue
			}
			undone = append(undone, name)
			if was, given := p.Files[name]; given {
				files.Put(name, was)
			} else {
				delete(files, name)
			}
		}
	}
	if len(undone) == 0 {
		return nil, nil
	}
	slices.Sort(undone)
	return undone, hidden(ctx, p.s, repo.Undo(undone), "undo the changes of tests", p.bounds)
}

// end makes the patch, while the session is still open. Where the run has no answer, the best
// files that were judged are what came of it, or those that are there.
func (p *project) end(ctx context.Context, step int, failed bool) {
	if p.out.Nothing != "" || step == 0 {
		return
	}
	if ctx.Err() == nil && (failed || p.began.Test == "") {
		if err := p.last(ctx, step); err != nil {
			p.rec.Emit(event.Notice{Text: "what was changed last is not known: " + err.Error(), Remedy: fault.RemedyOf(err)})
		}
	}
	if p.best == nil || ctx.Err() != nil {
		return
	}
	p.out.After, p.out.LeftOut = p.best.ran, p.best.leftOut
	changes := worktree.Changes(p.Files, p.best.files)
	if why := tooMuch(changes); why != "" {
		p.rec.Emit(event.Notice{Text: "there is no patch: " + why})
		return
	}
	p.out.Changes, p.out.Diff = changes, patch.Write(changes)
	sum, n, withheld, err := p.rec.Keep(ctx, p.began.Name+".patch", bytes.NewReader(p.out.Diff))
	if err != nil {
		p.rec.Emit(event.Notice{Text: "the patch is not kept: " + err.Error()})
		return
	}
	p.rec.Emit(event.PatchMade{SHA256: sum, Bytes: n, Withheld: withheld, Files: p.out.Files(), LeftOut: p.out.LeftOut, Passed: p.out.Passed()})
}

// tooMuch says why changes are no patch that anybody could read; "": they are one.
func tooMuch(changes []worktree.Change) string {
	size := 0
	for _, c := range changes {
		if c.After != nil {
			size += len(c.After.Data)
		}
	}
	switch {
	case len(changes) > maxChanged:
		return fmt.Sprintf("%d files were changed, and the bound is %d", len(changes), maxChanged)
	case size > maxPatch:
		return "the changed files are longer than " + safetext.Size(maxPatch)
	}
	return ""
}

// last takes the files that are there when the run has ended without an answer, or without
// tests.
func (p *project) last(ctx context.Context, step int) error {
	if p.began.Test != "" {
		_, err := p.verdict(ctx, step)
		return err
	}
	files, leftOut, err := p.collect(ctx)
	if err == nil {
		p.best = &verdict{files: files, leftOut: leftOut}
	}
	return err
}
