package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/repo"
	"praxis/internal/atomicfile"
	"praxis/internal/language/javascript"
	"praxis/internal/run"
	"praxis/internal/safetext"
	"praxis/internal/worktree"
	"praxis/internal/worktree/folder"
)

// Defaults of a run over a project, which takes longer than a question.
const (
	repoSteps   = 30
	repoTimeout = 5 * time.Minute // of one execution, and of one run of the tests
	maxTest     = 4 << 10         // bytes of a command
	nodeMemory  = 2 << 30         // Node reserves more address space than a process has by default
)

// RepoSpec names a project that is worked on. Nothing of it changes but by ApplyPatch.
type RepoSpec struct {
	Dir string
	// Test is the command that runs the tests, for /bin/sh in the project's folder. They decide
	// about the answer. "": nobody runs any.
	Test string
	// EditTests lets tests be changed; otherwise their changes are undone.
	EditTests bool
	// Include are the paths, below the folder, of files that are taken although they look like
	// secrets.
	Include []string
	// Packed has the files in the place of Dir, of somebody who has no folder on this machine.
	Packed *PackedRepo
}

// FixRequest asks for a project to be repaired until its tests pass.
type FixRequest struct {
	AskRequest // Question may be "": then nothing is asked for but that
}

// RepoResult is what came of a project.
type RepoResult struct {
	// Tests are what the tests said at first, and of the changes; nil: they were not run.
	Before, After *event.TestsRan
	Diff          []byte // of git; empty: nothing was changed
	Files         []event.PatchedFile
	LeftOut       []string // new files that are no part of the diff
	// Nothing says why there was nothing to do and no model was asked; "": one was.
	Nothing string
	// Passed says that the tests pass with the changes, or without any.
	Passed bool

	changes []worktree.Change
	files   worktree.Tree // as they were read
}

// Check refuses a request that says no project, or not how its tests are run.
func (q FixRequest) Check() error {
	if q.Repo == nil || q.Repo.Test == "" {
		return fault.New(fault.Invalid, "Name the command that runs them.", "cannot repair the project: nothing says how its tests are run")
	}
	return nil
}

// Fix lets the agent repair a project: it looks at it, changes its copy and runs the tests
// until they pass, or the budget ends. What it changed is a patch.
func (a *App) Fix(ctx context.Context, q FixRequest, sink event.Sink) (AskResult, error) {
	if err := q.Check(); err != nil {
		return AskResult{}, err
	}
	ask := q.AskRequest
	ask.Question = cmp.Or(ask.Question, repo.Repair)
	return a.Ask(ctx, ask, sink)
}

// ApplyPatch changes the folder of a project as a run changed its copy: wholly or not at all,
// and only if the folder is as the run found it.
func ApplyPatch(spec RepoSpec, r *RepoResult) error {
	if r == nil || len(r.changes) == 0 {
		return nil
	}
	return folder.Apply(spec.Dir, spec.Include, r.files, r.changes)
}

// WritePatch writes the patch of a project into a file, whole.
func WritePatch(path string, r *RepoResult) error {
	if err := atomicfile.Replace(path, r.Diff, 0o644); err != nil {
		return fmt.Errorf("cannot write patch %s: %w", safetext.Line(path), err)
	}
	return nil
}

// takeRepo reads the files of the project, and makes them an input. memory is what sessions
// have unless something else is said.
func (q *AskRequest) takeRepo(memory int64, sink event.Sink) error {
	if q.Repo == nil {
		return nil
	}
	refuse := func(remedy, why string) error {
		return fault.New(fault.Invalid, remedy, "cannot work on a project: %s", why)
	}
	switch {
	case q.Mode != ModeCode:
		return refuse("Let it be answered by code.", "tools alone cannot change it")
	case q.Thread != "" || q.opened != nil:
		return refuse("Leave the conversation out.", "its session ends with the run")
	case q.Style != "" || q.Branches > 0:
		return refuse("Leave them out.", "it has a way of its own, and neither styles nor branches")
	case len(q.Files) > 0:
		return refuse("Put them into the folder of the project.", "other files are given beside it")
	case len(q.Checks.Inputs)+len(q.Checks.Answer) > 0 || q.Checks.Schema.Text != "":
		return refuse("Write them as tests of the project.", "its tests decide, and checks of the answer are given, too")
	case len(q.Repo.Test) > maxTest:
		return refuse("Write it into a script.", "the command that runs its tests is longer than "+safetext.Size(maxTest))
	}
	given, err := PackRepo(*q.Repo, sink)
	if err != nil {
		return err
	}
	files, packed := given.tree, given.Files
	own := func(name, at string, data []byte) Input {
		return Input{Name: name, at: at, Bytes: int64(len(data)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	}
	q.Files = []Input{own(repo.FilesName, repo.FilesPath, packed), own(repo.ToolsName, repo.ToolsPath, []byte(repo.Tools()))}
	q.project = &run.Project{Files: files, Tools: repo.Tools()}
	if q.Session.Image == "" && q.Session.Languages == nil && q.Language == "" && needsNode(q.Repo.Test, files) {
		q.Session.Languages = []string{repo.Language, javascript.Name}
		if q.Session.Limits.Memory == 0 {
			q.Session.Limits.Memory = max(memory, nodeMemory)
		}
	}
	if q.Skills == "" {
		q.Skills = SkillsNone // they answer questions
	}
	if q.MaxSteps == 0 {
		q.MaxSteps = repoSteps
	}
	if q.Bounds.Timeout == 0 && q.Bounds.CPU == 0 {
		q.Bounds.Timeout, q.Bounds.CPU = event.Duration(repoTimeout), event.Duration(repoTimeout)
	}
	return nil
}

// needsNode says whether the session of a project needs Node beside Python.
func needsNode(test string, files worktree.Tree) bool {
	for _, word := range strings.Fields(test) {
		if slices.Contains([]string{"node", "npm", "npx"}, word) {
			return true
		}
	}
	_, is := files["package.json"]
	return is && test == ""
}

// describeRepo says in the record what is done with a project.
func (q AskRequest) describeRepo(b *event.RunBegan) {
	if q.Repo == nil {
		return
	}
	b.Style = "" // it has a way of its own, whatever is configured
	b.Repo = &event.Repo{Name: q.Repo.name(), Test: q.Repo.Test, EditTests: q.Repo.EditTests}
}

// ownPlace is where an input lies that is no file of the person's; "" for others.
func ownPlace(recorded string) string {
	if recorded == repo.FilesPath || recorded == repo.ToolsPath {
		return recorded
	}
	return ""
}

// fresh opens a session like that of the run when it began.
func (x *questionRun) fresh(ctx context.Context) (run.Session, func() error, error) {
	want := x.session.Describe()
	want.Name, want.Snapshot = "", ""
	s, err := x.app.openAgain(ctx, want, ImageSpec{}, x.sink)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// repoResult is what came of the project.
func (x *questionRun) repoResult() *RepoResult {
	p := x.request.project
	if p == nil {
		return nil
	}
	got := p.Patched()
	out := &RepoResult{Before: got.Before, After: got.After, Diff: got.Diff, LeftOut: got.LeftOut, Nothing: got.Nothing, Passed: got.Passed(), Files: got.Files(), changes: got.Changes, files: p.Files}
	return out
}

// project gives a run that goes on the project that it worked on. given are inputs that it is
// given anew: those of a run that never asked its model.
func (g *resumption) project(ctx context.Context, x *questionRun, given []run.Input) (err error) {
	if g.rec.Began.Repo == nil {
		return nil
	}
	if len(given) == 0 {
		if given, err = g.recorded(ctx); err != nil {
			return err
		}
	}
	x.request.project, err = run.LoadProject(given)
	if err != nil && g.session != nil {
		err = errors.Join(err, g.session.Close())
	}
	return err
}
