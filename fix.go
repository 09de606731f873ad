package praxis

import (
	"context"
	"errors"

	"praxis/event"
	"praxis/internal/app"
)

// Repair is a project that a model repairs until its tests pass.
type Repair struct {
	Dir string // the project's folder: what git tracks in it, and does not ignore, is copied
	// Test is the command that runs its tests, for /bin/sh in the folder.
	Test string
	Task string // what else is wanted; "": nothing
	// EditTests lets tests be changed; otherwise their changes are undone before they run.
	EditTests bool
	// Include are the paths, below the folder, of files that are taken although they look
	// like secrets.
	Include []string
	// Apply changes the folder when the tests pass: as a whole, and only if it is as it was.
	Apply bool

	// Model, Fallbacks, Effort, MaxSteps (0: 30) and Budget are those of a [Question].
	Model     string
	Fallbacks []string
	Effort    string
	MaxSteps  int
	Budget    event.Budget
	Session   SessionOptions
	Bounds    event.Bounds // of each execution, and of each run of the tests; zero fields: 5 minutes, 1 MiB of output
}

// Repaired is what came of a project.
type Repaired struct {
	Run    string // its id in the journal
	Passed bool   // the tests pass with the patch, or as the project is
	Text   string // what the model says of it, or why none was needed; "": there is nothing
	// Before and After are what the tests said as the project was, and with the patch; nil:
	// they were not run.
	Before, After *event.TestsRan
	Files         []event.PatchedFile
	Diff          []byte // the patch, in the form of git; empty: nothing was changed
	Applied       bool   // the folder was changed
	Steps         int
	Tokens        event.Tokens
}

// Fix lets a model repair a project. That the tests do not pass in the end is no error; where
// the model has nothing to say, the error says why, and the result how far it came.
func (c *Client) Fix(r Repair) *Call[Repaired] {
	return newCall(func(ctx context.Context, sink event.Sink) (Repaired, error) {
		spec := app.RepoSpec{Dir: r.Dir, Test: r.Test, EditTests: r.EditTests, Include: r.Include}
		a, err := does[asker](c)
		if err != nil {
			return Repaired{}, err
		}
		out, err := a.Fix(ctx, app.FixRequest{AskRequest: app.AskRequest{
			Question: r.Task, Model: r.Model, Fallbacks: r.Fallbacks, Effort: r.Effort, MaxSteps: r.MaxSteps, Budget: r.Budget,
			Session: r.Session.spec(), Bounds: r.Bounds, Repo: &spec,
		}}, sink)
		done := Repaired{Run: out.Run, Text: out.Text, Steps: out.Steps, Tokens: out.Tokens}
		if p := out.Repo; p != nil {
			done.Passed, done.Before, done.After, done.Files, done.Diff = p.Passed, p.Before, p.After, p.Files, p.Diff
			if r.Apply && p.Passed && len(p.Diff) > 0 && err == nil {
				err = app.ApplyPatch(spec, p)
				done.Applied = err == nil
			}
		}
		return done, errors.Join(err, out.Unsaved)
	})
}
