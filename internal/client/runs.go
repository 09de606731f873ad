package client

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// detached is how what is followed is begun. Where there is somebody to ask here, calls that
// somebody has to agree to are open questions.
func detached(who app.ApprovalSpec) (api.Following, error) {
	attended, err := who.Attended()
	return api.Following{Detach: true, LingerS: lingerFor.Seconds(), Unattended: !attended}, err
}

// local says what of a request is for the machine that does the work, and cannot be said to
// another.
type local struct {
	what string // in words
	is   bool
}

// refuse says that a server does not take what a request has.
func refuse(all ...local) error {
	for _, l := range all {
		if l.is {
			return fault.New(fault.Invalid, "Leave it out, or do it on this machine.", "cannot ask a server for %s", l.what)
		}
	}
	return nil
}

// toolsAndNet are what the operator of a server says.
func toolsAndNet(t app.ToolSpec, n app.NetSpec) []local {
	return []local{
		{"tools of its caller: its operator names them", len(t.Files) > 0}, {"a policy of its caller: its operator has one", t.Policy != ""},
		{"programs of its caller", t.Commands}, {"other hosts than its operator allows", len(n.Hosts)+len(n.Credentials) > 0},
	}
}

// fetchFor bounds the time in which what was made is fetched.
const fetchFor = 15 * time.Minute

// maxGiven bounds the files that go with a request, so that it stays below what a server
// reads at once.
const maxGiven = 20 << 20

// given reads the files that a request brings along.
func given(inputs []app.Input) ([]api.GivenFile, error) {
	var out []api.GivenFile
	left := int64(maxGiven)
	for _, in := range inputs {
		if in.Variable != "" {
			return nil, refuse(local{"a text as a variable", true})
		}
		data, err := content(in, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(data))
		out = append(out, api.GivenFile{Name: in.Name, Data: data})
	}
	return out, nil
}

// content reads a file that a request brings along.
func content(in app.Input, most int64) ([]byte, error) {
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	data, err := bounded.ReadClose(f, most)
	if errors.As(err, new(*bounded.TooLong)) {
		return nil, fault.New(fault.Exhausted, "Write large files into a session of the server, and run the code there.",
			"cannot send %s: the files of a request may have %s together", safetext.Line(in.Name), safetext.Size(maxGiven))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot send %s: %w", safetext.Line(in.Name), err)
	}
	if data == nil {
		data = []byte{} // an empty file is one
	}
	return data, nil
}

// some returns a pointer to what is not zero.
func some[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func making(s app.SessionSpec, b event.Bounds, o app.Output) api.Making {
	return api.Making{Limits: some(s.Limits), Date: some(s.Date), Bounds: some(b), KeepFiles: o.Dir != ""}
}

// run follows a run that was begun, and has who asked about its calls. running is called with
// what interrupts it; it may be nil.
func (c *Client) run(ctx context.Context, begun api.Run, who app.ApprovalSpec, out app.Output, running app.CodeHook, sink event.Sink) (api.Run, error) {
	if running != nil {
		ended := running(func(ctx context.Context) error {
			_, err := call[json.RawMessage](ctx, c, "runs.cancel", api.RunRef{Run: begun.ID})
			return err
		})
		defer ended()
	}
	var one sync.Mutex // who is asked says something, too
	saved := event.SinkFunc(func(e event.Event) {
		one.Lock()
		defer one.Unlock()
		if f, ok := e.(event.FileSaved); ok { // it names the file as the server does
			f.Path = filepath.Join(out.Dir, filepath.FromSlash(f.Path))
			e = f
		}
		sink.Emit(e)
	})
	w := work{events: "runs.events", interrupt: "runs.cancel", ref: api.RunRef{Run: begun.ID}}
	if attended, err := who.Attended(); attended && err == nil {
		w.open = &questions{client: c, spec: who, sink: saved}
	}
	done, err := follow[api.Run](ctx, c, w, saved)
	done.Record = safetext.Line(done.Record) // it is shown as it stands
	return done, err
}

// failure is why a run did not come to its end.
func failure(f *fault.Error) error {
	if f == nil {
		return nil
	}
	return foreign(f)
}

// RunCode is that of app.
func (c *Client) RunCode(ctx context.Context, q app.CodeRequest, sink event.Sink) (out app.CodeResult, err error) {
	err = refuse(append(toolsAndNet(q.Tools, q.Net), local{"a file of requirements", q.Session.Requirements != ""},
		local{"code that its caller vouches for", q.TrustCode})...)
	if err != nil {
		return out, err
	}
	in := api.NewCode{
		Code: q.Code, Language: q.Language, Session: q.Session.Name, With: q.Session.With, NPM: q.Session.NPM, Image: q.Session.Image, Languages: q.Session.Languages,
		Args: q.Args, Seed: q.Session.Seed, OwnPackages: q.OwnPackages, Making: making(q.Session, q.Bounds, q.Output),
	}
	if in.Following, err = detached(q.Tools.Approval); err != nil {
		return out, err
	}
	if q.File != "" {
		in.File = filepath.Base(q.File)
	}
	cells := app.NewCellCollector()
	if q.Notebook != nil {
		in.Code, in.Notebook, sink = "", q.Notebook.File(), event.Both(cells, sink)
	}
	if in.Files, err = given(q.Files); err != nil {
		return out, err
	}
	if q.Stdin != nil {
		if in.Stdin, err = content(*q.Stdin, maxGiven); err != nil {
			return out, err
		}
	}
	begun, err := call[api.Run](ctx, c, "runs.code", in)
	if err != nil {
		return out, err
	}
	done, err := c.run(ctx, begun, q.Tools.Approval, q.Output, q.Running, sink)
	if err != nil {
		return out, err
	}
	out.Run = done.Record
	if d := done.Code; d != nil {
		out = app.CodeResult{Run: done.Record, Execution: d.Execution, Exit: d.Exit, Language: d.Language, Missing: d.Missing, Snapshot: d.Snapshot, Whole: d.Whole}
		out.Made, out.Unsaved = c.fetch(ctx, begun.ID, d.Made, d.Unsaved, q.Output, q.Session, q.Files)
		if out.Cells = d.Cells; q.Save && len(out.Cells) > 0 {
			saved, err := q.Notebook.Save(cells)
			if err == nil {
				out.Made.Saved = append(out.Made.Saved, saved)
			}
			out.Unsaved = alsoUnsaved(out.Unsaved, err)
		}
	}
	return out, failure(done.Failure)
}

// Ask is that of app.
func (c *Client) Ask(ctx context.Context, q app.AskRequest, sink event.Sink) (out app.AskResult, err error) {
	err = refuse(append(toolsAndNet(q.Tools, q.Net), local{"a file of requirements", q.Session.Requirements != ""},
		local{"functions of its caller's project", q.Skills == app.SkillsAll})...)
	if err != nil {
		return out, err
	}
	in := api.Question{
		Question: q.Question, Mode: q.Mode, Model: q.Model, Fallback: q.Fallbacks, Effort: q.Effort, MaxSteps: q.MaxSteps, Budget: budget(q.Budget), Thread: q.Thread,
		Strict: q.Strict, With: q.Session.With, NPM: q.Session.NPM, Image: q.Session.Image, Language: q.Language, Seed: q.Session.Seed,
		Style: q.Style, Branches: q.Branches, Sees: q.Sees, Notes: q.Notes, ShowChanges: q.ShowChanges, InputChecks: q.Checks.Inputs, Checks: q.Checks.Answer,
		Subcalls: q.Subcalls, Models: q.SubcallModels, Making: making(q.Session, q.Bounds, q.Output), NoSkills: q.Skills == app.SkillsNone, Learn: q.Learn,
	}
	if in.Following, err = detached(q.Tools.Approval); err != nil {
		return out, err
	}
	if text := q.Checks.Schema.Text; text != "" {
		schema, err := app.SchemaJSON(q.Checks.Schema)
		if err != nil {
			return out, err
		}
		in.Schema = schema
	}
	if in.Files, err = given(q.Files); err != nil {
		return out, err
	}
	project, err := packed(q.Repo, sink)
	if err != nil {
		return out, err
	}
	if project != nil {
		in.Project = &api.GivenProject{Name: project.Name, Files: project.Files, Test: q.Repo.Test, EditTests: q.Repo.EditTests}
	}
	begun, err := call[api.Run](ctx, c, "runs.ask", in)
	if err != nil {
		return out, err
	}
	return c.answered(ctx, begun, q.Tools.Approval, q.Output, q.Session, q.Files, project, sink)
}

// Fix is that of app. The folder is packed here, and what is changed in it is changed by who
// has it.
func (c *Client) Fix(ctx context.Context, q app.FixRequest, sink event.Sink) (app.AskResult, error) {
	if err := q.Check(); err != nil {
		return app.AskResult{}, err
	}
	return c.Ask(ctx, q.AskRequest, sink)
}

// packed reads the project of a request; nil: there is none.
func packed(spec *app.RepoSpec, sink event.Sink) (*app.PackedRepo, error) {
	if spec == nil {
		return nil, nil
	}
	p, err := app.PackRepo(*spec, sink)
	if err == nil && len(p.Files) > maxGiven {
		err = fault.New(fault.Exhausted, "Repair it on this machine.", "cannot send the project %s: its files have %s, and a request takes %s", p.Name, safetext.Size(int64(len(p.Files))), safetext.Size(maxGiven))
	}
	return &p, err
}

// patch is what came of a project; given is as it was sent.
func patch(d *api.ProjectDone, given *app.PackedRepo) (*app.RepoResult, error) {
	if d == nil || given == nil {
		return nil, nil
	}
	out := &app.RepoResult{Before: d.Before, After: d.After, Nothing: safetext.Line(d.Nothing), Passed: d.Passed}
	for _, name := range d.LeftOut {
		out.LeftOut = append(out.LeftOut, safetext.Line(name))
	}
	if err := out.Unpack(*given, app.RepoChanges{Of: d.Of, Files: d.Changed, Gone: d.Gone}); err != nil {
		return nil, err
	}
	return out, nil
}

// answered follows a question that was begun, and returns what it came to.
func (c *Client) answered(ctx context.Context, begun api.Run, who app.ApprovalSpec, o app.Output, spec app.SessionSpec, inputs []app.Input, project *app.PackedRepo, sink event.Sink) (out app.AskResult, err error) {
	done, err := c.run(ctx, begun, who, o, nil, sink)
	if err != nil {
		return out, err
	}
	out.Run = done.Record
	if a := done.Answer; a != nil {
		out = app.AskResult{Run: done.Record, Text: a.Text, Figures: a.Figures, Value: a.Value, Files: a.Files, Incomplete: a.Incomplete, Steps: a.Steps, Tokens: a.Tokens, Draft: a.Draft, Found: a.Found}
		out.Made, out.Unsaved = c.fetch(ctx, begun.ID, a.Made, a.Unsaved, o, spec, inputs)
		repo, err := patch(a.Project, project)
		out.Repo, out.Unsaved = repo, alsoUnsaved(out.Unsaved, err)
	}
	return out, failure(done.Failure)
}

// ResumeAsk is that of app.
func (c *Client) ResumeAsk(ctx context.Context, q app.AskResume, sink event.Sink) (out app.AskResult, err error) {
	err = refuse(append(toolsAndNet(q.Tools, q.Net), local{"a run of a file of this machine", app.IsFile(q.Run)}, local{"files in the place of those that a run was given", len(q.Files) > 0},
		local{"another session than the recorded one", q.Session.Chosen()})...)
	if err != nil {
		return out, err
	}
	in := api.Going{RecordRef: api.RecordRef{Record: q.Run}, Model: q.Model, MaxSteps: q.MaxSteps, Budget: budget(q.Budget), KeepFiles: q.Output.Dir != ""}
	if in.Following, err = detached(q.Tools.Approval); err != nil {
		return out, err
	}
	project, err := packed(q.Repo, sink)
	if err != nil {
		return out, err
	}
	begun, err := call[api.Run](ctx, c, "records.resume", in)
	if err != nil {
		return out, err
	}
	return c.answered(ctx, begun, q.Tools.Approval, q.Output, q.Session, nil, project, sink)
}

// AskPlan is that of app, by the tools and the policy of the server.
func (c *Client) AskPlan(ctx context.Context, q app.PlanAskRequest, sink event.Sink) (out app.PlanAskResult, err error) {
	err = refuse(slices.Concat(toolsAndNet(q.Tools, app.NetSpec{}), ofHost(q.Host), []local{{"a plan of a question with inputs", len(q.Start.Inputs) > 0},
		{"a model of its own for data", q.Host.Model != ""}})...)
	if err != nil {
		return out, err
	}
	in := api.Question{
		Question: q.Question, Mode: app.ModePlan, Model: q.Model, Fallback: q.Fallbacks, Effort: q.Effort, Plans: q.Plans, Strict: q.Tools.Strict, TimeoutS: q.Host.Timeout.Seconds(), Later: q.Host.Later, Seed: some(q.Start.Seed),
	}
	if in.Following, err = detached(q.Tools.Approval); err != nil {
		return out, err
	}
	begun, err := call[api.Run](ctx, c, "runs.ask", in)
	if err != nil {
		return out, err
	}
	done, err := c.run(ctx, begun, q.Tools.Approval, app.Output{}, nil, sink)
	if err != nil {
		return out, err
	}
	out.Run = done.Record
	if a := done.Answer; a != nil {
		out.Text, out.Steps, out.Tokens, out.Rehearsed = a.Text, a.Steps, a.Tokens, a.Rehearsed
	}
	if w := done.Waiting; w != nil {
		w.PlanWaiting.Approval, w.PlanWaiting.Implemented = w.Approval, w.Implemented
		out.Waiting = &w.PlanWaiting
	}
	return out, failure(done.Failure)
}

// alsoUnsaved adds why something else was not saved.
func alsoUnsaved(before, err error) error {
	if err == nil {
		return before
	}
	return errors.Join(before, app.AsUnsaved(err))
}

// budget is what a run may use, as a request says it.
func budget(b event.Budget) *api.Budget {
	if b == (event.Budget{}) {
		return nil
	}
	return &api.Budget{
		USD: b.Cost, TimeS: time.Duration(b.Time).Seconds(), ExecutionS: time.Duration(b.Executed).Seconds(), Tokens: b.Run, InputTokens: b.Input, OutputTokens: b.Output, Calls: b.Calls,
		Attempts: b.Attempts, Steps: b.Steps, Depth: b.Depth, SubCalls: b.SubCalls,
	}
}

// fetch saves in a folder of this machine what a run made at the server.
func (c *Client) fetch(ctx context.Context, run string, m *api.Made, unsaved *fault.Error, o app.Output, spec app.SessionSpec, inputs []app.Input) (out app.Made, err error) {
	if m == nil {
		return out, failure(unsaved)
	}
	out = app.Made{Files: m.Files, Pictures: m.Pictures, Pages: m.Pages, Needs: m.Needs}
	if m.Unlisted != "" {
		out.Unlisted = errors.New(safetext.Line(m.Unlisted))
	}
	err = failure(unsaved)
	if o.Dir == "" || len(m.Saved) == 0 {
		return out, app.AsUnsaved(err)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), fetchFor) // what was made is saved when it was interrupted, too
	defer stop()
	saveErr := c.receive(ctx, "runs.files", api.RunRef{Run: run}, func(res *http.Response) (err error) {
		out.Saved, err = app.SaveMade(o, spec.Limits, inputs, func(save func(name string, from io.Reader) error) error { return unpack(res.Body, save) })
		return err
	})
	order := map[string]int{}
	for i, f := range m.Saved {
		order[filepath.Join(o.Dir, filepath.FromSlash(f.Path))] = i
	}
	slices.SortStableFunc(out.Saved, func(a, b app.SavedFile) int { return order[a.Path] - order[b.Path] })
	if saveErr == nil {
		_, saveErr = call[json.RawMessage](ctx, c, "runs.forget", api.RunRef{Run: run})
	}
	return out, app.AsUnsaved(errors.Join(err, saveErr))
}

// unpack gives the regular files of a tar archive to save.
func unpack(from io.Reader, save func(name string, from io.Reader) error) error {
	files := tar.NewReader(from)
	for {
		h, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault.New(fault.Unavailable, "", "cannot read what the server sends: %s", safetext.OneLine(err.Error(), 200))
		case h.Typeflag != tar.TypeReg:
			continue
		}
		if err := save(strings.TrimPrefix(path.Clean("/"+h.Name), "/"), files); err != nil {
			return err
		}
	}
}
