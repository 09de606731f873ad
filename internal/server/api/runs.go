package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// Run is a run that goes on, or ended lately.
type Run struct {
	ID     string    `json:"id" jsonschema:"of the run on this server"`
	Began  time.Time `json:"began"`
	Ended  bool      `json:"ended"`
	Record string    `json:"record,omitempty" jsonschema:"id of its record, once it has ended"`
	Answer *Answer   `json:"answer,omitempty" jsonschema:"of a question"`
	Code   *CodeDone `json:"code,omitempty" jsonschema:"of a piece of code"`
	Plan   *PlanDone `json:"plan,omitempty" jsonschema:"of a plan"`
	// Waiting is the call that the plan of an answer waits at.
	Waiting *PlanWaiting      `json:"waiting,omitempty" jsonschema:"the call that the plan of a question waits at; plans.resume goes on"`
	Branch  *app.BranchResult `json:"branch,omitempty" jsonschema:"of a branch"`
	Failure *fault.Error      `json:"failure,omitempty" jsonschema:"why it did not come to its end"`
}

// Answer is what a question came to.
type Answer struct {
	Text       string          `json:"text"`
	Value      json.RawMessage `json:"value,omitempty" jsonschema:"the answer as JSON, where it is more than a text"`
	Verified   bool            `json:"verified" jsonschema:"every figure of the answer was traced to an output or to the question"`
	Incomplete string          `json:"incomplete,omitempty" jsonschema:"why the model had to answer before it was done"`
	Figures    []event.Figure  `json:"figures,omitempty"`
	Files      []string        `json:"files,omitempty"`
	Steps      int             `json:"steps"`
	Tokens     event.Tokens    `json:"tokens"`
	Made       *Made           `json:"made,omitempty"`
	Unsaved    *fault.Error    `json:"unsaved,omitempty" jsonschema:"why not all is kept that code made"`
	Draft      string          `json:"draft,omitempty" jsonschema:"without an answer: the last one that could not be taken"`
	Found      string          `json:"found,omitempty" jsonschema:"without an answer: the last output of code"`
	Project    *ProjectDone    `json:"project,omitempty" jsonschema:"what came of the project"`
	Rehearsed  []string        `json:"rehearsed,omitempty" jsonschema:"of a plan: the tools that were not really called"`
}

// PlanWaiting is the call that a plan waits at.
type PlanWaiting struct {
	app.PlanWaiting
	Approval    bool `json:"approval,omitempty" jsonschema:"it waits for a person's decision, not for a result"`
	Implemented bool `json:"implemented,omitempty" jsonschema:"something implements the tool"`
}

// CodeDone is what a piece of code came to.
type CodeDone struct {
	Execution event.Execution `json:"execution"`
	Exit      *int            `json:"exit,omitempty" jsonschema:"the exit code that the code ended itself with"`
	Language  string          `json:"language,omitempty"`
	Missing   *app.Missing    `json:"missing,omitempty" jsonschema:"the module that the code ended for the lack of"`
	Snapshot  string          `json:"snapshot,omitempty" jsonschema:"that a named session stands at now"`
	Whole     bool            `json:"whole,omitempty" jsonschema:"every byte of the output was an event"`
	Made      *Made           `json:"made,omitempty"`
	Unsaved   *fault.Error    `json:"unsaved,omitempty" jsonschema:"why not all is kept that the code made"`
	// Cells are those of a notebook that were run.
	Cells []event.Execution `json:"cells,omitempty" jsonschema:"of a notebook: the executions of the cells that were run"`
}

func runOf(r *live.Run) Run {
	out := Run{ID: r.ID, Began: r.Began()}
	if out.Ended = r.Ended(); !out.Ended {
		return out
	}
	result, err := r.Result()
	if err != nil {
		out.Failure = fault.Of(err)
	}
	switch v := result.(type) {
	case app.AskResult:
		out.Record = v.Run
		out.Answer = &Answer{Text: v.Text, Value: v.Value, Incomplete: v.Incomplete, Figures: v.Figures, Files: v.Files, Steps: v.Steps, Tokens: v.Tokens, Draft: v.Draft, Found: v.Found, Made: madeOf(v.Made), Unsaved: fault.Of(v.Unsaved)}
		out.Answer.Verified = err == nil && v.Verified()
		out.Answer.Project = projectDone(v.Repo)
	case app.CodeResult:
		out.Record = v.Run
		out.Code = &CodeDone{v.Execution, v.Exit, v.Language, v.Missing, v.Snapshot, v.Whole, madeOf(v.Made), fault.Of(v.Unsaved), v.Cells}
	case app.PlanResult:
		out.Record, out.Plan = v.Run, planDone(v)
	case app.PlanAskResult:
		out.Record = v.Run
		out.Answer = &Answer{Text: v.Text, Verified: err == nil && v.Waiting == nil && len(v.Rehearsed) == 0, Steps: v.Steps, Tokens: v.Tokens, Rehearsed: v.Rehearsed}
		if w := v.Waiting; w != nil {
			out.Waiting = &PlanWaiting{*w, w.Approval, w.Implemented}
		}
	case app.BranchResult:
		out.Record, out.Branch = v.ID, &v
	case brokeOff:
		out.Record = v.record
	}
	return out
}

// GivenFile is a file that a request brings along.
type GivenFile struct {
	Name string  `json:"name" jsonschema:"in the working folder"`
	Text *string `json:"text,omitempty"`
	Data []byte  `json:"data,omitempty" jsonschema:"base64, in the place of text"`
}

func inputs(given []GivenFile) ([]app.Input, error) {
	var out []app.Input
	seen := map[string]bool{}
	for _, f := range given {
		name := safetext.Clip(safetext.Line(f.Name), 80)
		switch {
		case !filepath.IsLocal(f.Name) || strings.ContainsAny(f.Name, "\\\x00") || f.Name == ".":
			return nil, fault.New(fault.Invalid, "Give a path below the working folder.", "cannot take file %q: it has no such name", name)
		case seen[filepath.Clean(f.Name)]:
			return nil, fault.New(fault.Invalid, "Give each file once.", "cannot take file %q twice", name)
		case f.Text != nil && f.Data != nil:
			return nil, fault.New(fault.Invalid, "Give text or data.", "cannot take file %q: it has text and data", name)
		}
		seen[filepath.Clean(f.Name)] = true
		data := f.Data
		if f.Text != nil {
			data = []byte(*f.Text)
		}
		out = append(out, app.Input{Name: filepath.Clean(f.Name), Bytes: int64(len(data)), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(data)), nil
		}})
	}
	return out, nil
}

// Following says how the caller waits for a run.
type Following struct {
	Stream bool `json:"stream,omitempty" jsonschema:"answer with events as they happen"`
	Detach bool `json:"detach,omitempty" jsonschema:"answer at once; the run goes on when the caller is gone"`
	// LingerS bounds that for a caller that follows, so that it can lose its connection.
	LingerS float64 `json:"linger_s,omitempty" jsonschema:"with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on"`
	// Unattended denies calls at once that somebody would have to agree to.
	Unattended bool `json:"unattended,omitempty" jsonschema:"a call that somebody has to agree to is denied at once; otherwise it is an open question"`
}

// Question asks the agent.
type Question struct {
	Question string   `json:"question"`
	Mode     string   `json:"mode,omitempty" jsonschema:"code, tools, both or plan (by a plan whose flows are proved); left out: code"`
	Model    string   `json:"model,omitempty" jsonschema:"PROVIDER:NAME; left out: the server's usual one"`
	Fallback []string `json:"fallback_models,omitempty" jsonschema:"models that are asked when those before fail for good"`
	Effort   string   `json:"effort,omitempty" jsonschema:"low, medium or high"`
	MaxSteps int      `json:"max_steps,omitempty"`
	Budget   *Budget  `json:"budget,omitempty"`
	Thread   string   `json:"thread,omitempty" jsonschema:"the conversation that the question goes on with"`
	Strict   bool     `json:"strict,omitempty" jsonschema:"an answer with a figure that is found nowhere is none"`
	// Schema is a JSON Schema that the answer must keep to.
	Schema   json.RawMessage `json:"schema,omitempty" jsonschema:"a JSON Schema that the answer must keep to"`
	With     []string        `json:"with,omitempty" jsonschema:"packages of Python"`
	NPM      []string        `json:"npm,omitempty" jsonschema:"packages of npm"`
	Image    string          `json:"image,omitempty"`
	Language string          `json:"language,omitempty" jsonschema:"the main one of the model's code"`
	Seed     *int64          `json:"seed,omitempty"`
	TimeoutS float64         `json:"timeout_s,omitempty" jsonschema:"wall time of each execution; 0: the usual one"`
	Files    []GivenFile     `json:"files,omitempty"`

	Style       string        `json:"style,omitempty" jsonschema:"react, program or plan-first; left out: the server's usual one"`
	Branches    int           `json:"branches,omitempty" jsonschema:"attempts that are made side by side, of which the best is chosen; 0: one"`
	Sees        bool          `json:"sees,omitempty" jsonschema:"the model sees pictures, although its server does not say so"`
	Notes       bool          `json:"notes,omitempty" jsonschema:"let the model keep notes and find those of all threads"`
	ShowChanges bool          `json:"show_changes,omitempty" jsonschema:"show the model which variables each step made and changed"`
	InputChecks []event.Check `json:"input_checks,omitempty" jsonschema:"Python that runs before the model is asked"`
	Checks      []event.Check `json:"checks,omitempty" jsonschema:"Python that runs when the model has answered"`
	Subcalls    bool          `json:"subcalls,omitempty" jsonschema:"let code query models and begin runs of its own"`
	Models      []string      `json:"subcall_models,omitempty" jsonschema:"that code may name beside the run's own"`
	Project     *GivenProject `json:"project,omitempty" jsonschema:"that the model works on, with the question as its task"`
	NoSkills    bool          `json:"no_skills,omitempty" jsonschema:"no stored skill is given to the run"`
	Learn       bool          `json:"learn,omitempty" jsonschema:"the model may have functions stored as skills"`
	Later       bool          `json:"later,omitempty" jsonschema:"of the mode plan: a call that somebody has to agree to lets the plan wait for plans.resume"`
	Plans       int           `json:"plans,omitempty" jsonschema:"of the mode plan: how many plans the model may write; 0: the usual number"`
	Making
	Following
}

// Budget is what a run may use. A zero is the server's own bound.
type Budget struct {
	USD          float64 `json:"cost_usd,omitempty"`
	TimeS        float64 `json:"time_s,omitempty"`
	ExecutionS   float64 `json:"execution_s,omitempty"`
	Tokens       int     `json:"tokens,omitempty"`
	InputTokens  int     `json:"input_tokens,omitempty"`
	OutputTokens int     `json:"output_tokens,omitempty"`
	Calls        int     `json:"calls,omitempty" jsonschema:"of tools"`
	Attempts     int     `json:"attempts,omitempty" jsonschema:"how often the same error may come"`
	Steps        int     `json:"steps,omitempty" jsonschema:"turns of the model in the run and all that it begins together"`
	Depth        int     `json:"depth,omitempty" jsonschema:"how deep runs that code begins may begin others"`
	SubCalls     int     `json:"sub_calls,omitempty" jsonschema:"queries and runs that code may begin in all"`
}

func (b *Budget) budget() (event.Budget, error) {
	if b == nil {
		return event.Budget{}, nil
	}
	whole, err := seconds("time_s", b.TimeS)
	if err != nil {
		return event.Budget{}, err
	}
	executed, err := seconds("execution_s", b.ExecutionS)
	return event.Budget{
		Cost: b.USD, Time: event.Duration(whole), Executed: event.Duration(executed), Run: b.Tokens, Input: b.InputTokens, Output: b.OutputTokens,
		Calls: b.Calls, Attempts: b.Attempts, Steps: b.Steps, Depth: b.Depth, SubCalls: b.SubCalls,
	}, err
}

// NewCode asks for a piece of code to be run and recorded by itself.
type NewCode struct {
	Code     string      `json:"code"`
	Language string      `json:"language,omitempty"`
	Session  string      `json:"name,omitempty" jsonschema:"a named session that it runs in; left out: one of its own"`
	With     []string    `json:"with,omitempty" jsonschema:"packages of Python"`
	NPM      []string    `json:"npm,omitempty" jsonschema:"packages of npm"`
	Image    string      `json:"image,omitempty"`
	Args     []string    `json:"args,omitempty"`
	Seed     *int64      `json:"seed,omitempty"`
	TimeoutS float64     `json:"timeout_s,omitempty"`
	Files    []GivenFile `json:"files,omitempty"`

	Languages   []string `json:"languages,omitempty" jsonschema:"that the session has, the main one first"`
	File        string   `json:"file,omitempty" jsonschema:"name of the file that the code was read from"`
	Notebook    []byte   `json:"notebook,omitempty" jsonschema:"base64: a Jupyter notebook, whose cells are run in the place of code"`
	Stdin       []byte   `json:"stdin,omitzero" jsonschema:"base64: what the code reads from standard input"`
	OwnPackages bool     `json:"own_packages,omitempty" jsonschema:"add the packages that the code itself names (PEP 723)"`
	Making
	Following
}

// RunRef names a run that goes on, or ended lately.
type RunRef struct {
	Run string `json:"run" in:"path" jsonschema:"its id on this server"`
}

// Runs is a list of runs that go on, or ended lately.
type Runs struct {
	Runs []Run `json:"runs"`
}

// checkModel refuses a model whose replies lie in a file of the server.
func (c *Call) checkModel(specs ...string) error {
	for _, spec := range specs {
		if c.Server.FileModels || fileModel(spec) == "" {
			continue
		}
		return fault.New(fault.Denied, "Name a model of a provider.", "cannot ask %s: models of files are not for clients of this server", safetext.Clip(safetext.Line(spec), 80))
	}
	return nil
}

// fileModel returns a model whose replies lie in a file, "" for any other.
func fileModel(spec string) string {
	if kind, _, _ := strings.Cut(spec, ":"); kind == "scripted" || kind == "replay" || kind == "record" {
		return spec
	}
	return ""
}

// check refuses a question that names what is not for clients, whatever its mode.
func (q Question) check(c *Call) error {
	return c.checkModel(slices.Concat([]string{q.Model}, q.Fallback, q.Models)...)
}

// question makes of a question what the application is asked.
func (c *Call) question(in Question) (q app.AskRequest, err error) {
	if err := in.check(c); err != nil {
		return q, err
	}
	given, err := inputs(in.Files)
	if err != nil {
		return q, err
	}
	bounds, err := in.bounds(in.TimeoutS)
	if err != nil {
		return q, err
	}
	budget, err := in.Budget.budget()
	if err != nil {
		return q, err
	}
	tokens, usd, err := c.Server.Left(c.Key, c.Tenant)
	if err != nil {
		return q, err
	}
	q = app.AskRequest{
		MostTokens: int(tokens), MostCost: usd,
		Question: in.Question, Mode: in.Mode, Model: in.Model, Fallbacks: in.Fallback, Effort: in.Effort, MaxSteps: in.MaxSteps, Budget: budget,
		Style: in.Style, Branches: in.Branches, Sees: in.Sees, Notes: in.Notes, ShowChanges: in.ShowChanges, Subcalls: in.Subcalls, SubcallModels: in.Models,
		Thread: in.Thread, Strict: in.Strict, Language: in.Language, Files: given, Bounds: bounds, Checks: app.CheckSpec{Inputs: in.InputChecks, Answer: in.Checks},
		Session: app.SessionSpec{With: in.With, NPM: in.NPM, Image: in.Image, Seed: in.Seed, Date: in.date(), Limits: in.limits()}, Net: c.Server.Net,
	}
	if len(in.Schema) > 0 {
		q.Checks.Schema = app.Text{Name: "the schema of the request", Text: string(in.Schema)}
	}
	q.Learn, q.Repo = in.Learn, in.Project.spec()
	if in.NoSkills {
		q.Skills = app.SkillsNone
	}
	return q, nil
}

// ask begins a question.
func ask(ctx context.Context, c *Call, in Question) (any, error) {
	if in.Mode == app.ModePlan {
		return askPlan(ctx, c, in)
	}
	if in.Plans != 0 || in.Later {
		return nil, fault.New(fault.Invalid, "Leave plans and later out, or use the mode plan.", "cannot answer in this mode with what is for a plan")
	}
	q, err := c.question(in)
	if err != nil {
		return nil, err
	}
	return c.began(ctx, in.Following, in.KeepFiles, in.Thread, in.limits().Memory, func(ctx context.Context, out app.Output, r *live.Run) (any, error) {
		q.Tools, q.Output = c.tools(r, in.Unattended), out
		if in.Detach {
			q.Begun = keeping(r, c.stored(live.QuestionRun, in.Following, in.Model, in.KeepFiles))
		}
		if in.Project != nil && in.Project.Test != "" {
			return c.Tenant.App.Fix(ctx, app.FixRequest{AskRequest: q}, r.Log)
		}
		return c.Tenant.App.Ask(ctx, q, r.Log)
	})
}

// code begins a piece of code by itself.
func code(ctx context.Context, c *Call, in NewCode) (any, error) {
	given, err := inputs(in.Files)
	if err != nil {
		return nil, err
	}
	bounds, err := in.bounds(in.TimeoutS)
	if err != nil {
		return nil, err
	}
	q := app.CodeRequest{
		Code: in.Code, Language: in.Language, File: filepath.Base(in.File), Args: in.Args, Files: given, Bounds: bounds, OwnPackages: in.OwnPackages,
		Session: app.SessionSpec{Name: in.Session, With: in.With, NPM: in.NPM, Image: in.Image, Languages: in.Languages, Seed: in.Seed, Date: in.date(), Limits: in.limits()},
		Net:     c.Server.Net,
	}
	if in.File == "" {
		q.File = ""
	}
	if in.Notebook != nil {
		if q.Notebook, err = app.ParseNotebook(q.File, in.Notebook); err != nil {
			return nil, err
		}
	}
	if in.Stdin != nil {
		q.Stdin = &app.Input{Name: "standard input", Bytes: int64(len(in.Stdin)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(in.Stdin)), nil }}
	}
	return c.began(ctx, in.Following, in.KeepFiles, in.Session, in.limits().Memory, func(ctx context.Context, out app.Output, r *live.Run) (any, error) {
		q.Tools, q.Output = c.tools(r, in.Unattended), out
		if in.Detach {
			q.Begun = keeping(r, c.stored(live.CodeRun, in.Following, "", in.KeepFiles))
		}
		return c.Tenant.App.RunCode(ctx, q, r.Log)
	})
}

func runStream(r *live.Run, after int64, leave func()) *Stream {
	return &Stream{Log: r.Log, After: after, Leave: leave, Final: func() any { <-r.Done(); return runOf(r) }}
}

// follow begins a run, and waits for it unless it is to be followed or left alone.
func (c *Call) follow(ctx context.Context, f Following, do func(ctx context.Context, r *live.Run) (any, error)) (any, error) {
	return f.begin(ctx, func() (*live.Run, error) { return c.Tenant.Hub.Start(ctx, do) })
}

// begin waits for the run that start begins, unless it is to be followed or left alone.
func (f Following) begin(ctx context.Context, start func() (*live.Run, error)) (any, error) {
	linger, err := seconds("linger_s", f.LingerS)
	if err != nil {
		return nil, err
	}
	r, err := start()
	if err != nil {
		return nil, err
	}
	if f.Detach && linger > 0 {
		r.Log.WhenLeft(linger, r.Interrupt)
	}
	switch {
	case f.Stream && f.Detach:
		return runStream(r, 0, nil), nil
	case f.Stream:
		return runStream(r, 0, r.Interrupt), nil
	case f.Detach:
		return runOf(r), nil
	}
	r.Wait(ctx)
	out := runOf(r)
	if out.Failure != nil && out.Record == "" {
		_, err := r.Result() // nothing began: it is the request that is wrong
		return nil, err
	}
	return out, nil
}

func runs() []Operation {
	return []Operation{
		events[Question, Run]("runs.ask", http.MethodPost, "/runs", access.Run, http.StatusCreated,
			"Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended.", ask),
		events[NewCode, Run]("runs.code", http.MethodPost, "/runs/code", access.Run, http.StatusCreated, "Run a piece of code by itself, and record it.", code),
		operation("runs.list", http.MethodGet, "/runs", access.Read, http.StatusOK, "List the runs that go on, or ended lately.",
			func(_ context.Context, c *Call, _ Nothing) (Runs, error) {
				out := Runs{[]Run{}}
				for _, r := range c.Tenant.Hub.Going() {
					out.Runs = append(out.Runs, runOf(r))
				}
				return out, nil
			}),
		operation("runs.get", http.MethodGet, "/runs/{run}", access.Read, http.StatusOK, "Describe a run that goes on, or ended lately.",
			func(_ context.Context, c *Call, in RunRef) (Run, error) {
				r, err := c.Tenant.Hub.Run(in.Run)
				if err != nil {
					return Run{}, err
				}
				return runOf(r), nil
			}),
		events[RunRef, Run]("runs.events", http.MethodGet, "/runs/{run}/events", access.Read, http.StatusOK, "Follow a run; Last-Event-ID says what was seen before.",
			func(_ context.Context, c *Call, in RunRef) (any, error) {
				r, err := c.Tenant.Hub.Run(in.Run)
				if err != nil {
					return nil, err
				}
				return runStream(r, c.After, nil), nil
			}),
		operation("runs.cancel", http.MethodPost, "/runs/{run}/cancel", access.Run, http.StatusOK, "Cancel a run, and wait for its end.",
			func(ctx context.Context, c *Call, in RunRef) (Run, error) {
				r, err := c.Tenant.Hub.Run(in.Run)
				if err != nil {
					return Run{}, err
				}
				r.Interrupt()
				r.Wait(ctx)
				return runOf(r), nil
			}),
	}
}

// RecordRef names a run by its record.
type RecordRef struct {
	Record string `json:"record" in:"path" jsonschema:"its id, the beginning of one, or last"`
}

// recordName is what a client may call a record: functions of the app take paths of files in
// its place as well, and a client must not name files of this machine.
var recordName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}(~[0-9]{1,6})?(\.[0-9]{1,4}){0,8}$`)

func (r RecordRef) check() error {
	if !recordName.MatchString(r.Record) {
		return fault.New(fault.Invalid, "Give the id of a record.", "cannot find record %q", safetext.Clip(safetext.Line(r.Record), 60))
	}
	return nil
}

// RecordQuery asks for a list of records.
type RecordQuery struct {
	Words  string `json:"words,omitempty" in:"query" jsonschema:"that question, code or answer have"`
	Status string `json:"status,omitempty" in:"query"`
	Kind   string `json:"kind,omitempty" in:"query" jsonschema:"ask, code, plan or tool"`
	Thread string `json:"thread,omitempty" in:"query"`
	Model  string `json:"model,omitempty" in:"query" jsonschema:"that the model's name has in it"`
	Since  string `json:"since,omitempty" in:"query" jsonschema:"a time (RFC 3339)"`
	Until  string `json:"until,omitempty" in:"query" jsonschema:"a time (RFC 3339), which is not in it"`
	USD    string `json:"cost_usd,omitempty" in:"query" jsonschema:"dollars that a run cost at least"`
	// Children lists runs that are parts of others.
	Children bool `json:"children,omitempty" in:"query" jsonschema:"list runs that are parts of others, too"`
	Limit    int  `json:"limit,omitempty" in:"query" jsonschema:"0: 100"`
}

// query is what the app is asked.
func (q RecordQuery) query() (app.RunQuery, error) {
	out := app.RunQuery{
		Words: q.Words, Status: event.RunStatus(q.Status), Kind: event.Kind(q.Kind), Thread: q.Thread, Model: q.Model, Children: q.Children, Limit: q.Limit,
	}
	for _, t := range []struct {
		name, text string
		to         *time.Time
	}{{"since", q.Since, &out.Since}, {"until", q.Until, &out.Until}} {
		if t.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, t.text)
		if err != nil {
			return out, fault.New(fault.Invalid, "Write it as 2026-05-04T08:00:00Z.", "cannot read %s: it is no time", t.name)
		}
		*t.to = at
	}
	if q.USD != "" {
		usd, err := strconv.ParseFloat(q.USD, 64)
		if err != nil || !(usd >= 0 && usd <= 1e9) {
			return out, fault.New(fault.Invalid, "Give dollars.", "cannot read cost_usd: it is no amount")
		}
		out.MinUSD = &usd
	}
	return out, nil
}

// Records is a list of records, the newest first.
type Records struct {
	Records []app.ListedRun `json:"records"`
	More    bool            `json:"more" jsonschema:"there are others"`
}

// ExportOf asks for a record in a format.
type ExportOf struct {
	RecordRef
	Format string `json:"format,omitempty" in:"query" jsonschema:"praxis, jsonl, html, ipynb or md; left out: praxis"`
}

// Verified says what the check of a record found.
type Verified struct {
	Record string `json:"record"`
	app.Verified
}

// Replayed says what a replay of a record found.
type Replayed struct {
	Identical  bool   `json:"identical"`
	Unfinished bool   `json:"unfinished,omitempty"`
	Report     string `json:"report,omitempty" jsonschema:"what differs, for a person"`
	Details    any    `json:"details,omitempty" jsonschema:"the same for a program"`
}

// Bounds of a list of which a part is asked for.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// limit is how many of some things a list may have, when n are asked for.
func limit(n int, things string) (int, error) {
	if n < 0 || n > maxLimit {
		return 0, fault.New(fault.Invalid, fmt.Sprintf("Ask for at most %d.", maxLimit), "cannot list %d %s", n, things)
	}
	return cmp.Or(n, defaultLimit), nil
}

func records() []Operation {
	return []Operation{
		operation("records.list", http.MethodGet, "/records", access.Read, http.StatusOK, "List the records of runs, the newest first.",
			func(ctx context.Context, c *Call, in RecordQuery) (Records, error) {
				most, err := limit(in.Limit, "records")
				if err != nil {
					return Records{}, err
				}
				q, err := in.query()
				if err != nil {
					return Records{}, err
				}
				q.Limit = most
				list, more, err := c.Tenant.App.Runs(ctx, q, c.Server.Prices)
				return Records{append([]app.ListedRun{}, list...), more}, err
			}),
		operation("records.export", http.MethodGet, "/records/{record}/export", access.Read, http.StatusOK, "Write a record in a format.",
			func(ctx context.Context, c *Call, in ExportOf) (*Content, error) {
				id, err := in.find(ctx, c)
				if err != nil {
					return nil, err
				}
				q := app.ExportRequest{Run: id, Format: in.Format, Prices: c.Server.Prices}
				format, err := q.ExportFormat()
				if err != nil {
					return nil, err
				}
				return &Content{Type: "application/octet-stream", Name: id + "." + format, Write: func(w io.Writer) error {
					_, err := c.Tenant.App.WriteExport(ctx, q, w)
					return err
				}}, nil
			}).of(Download),
		operation("records.verify", http.MethodPost, "/records/{record}/verify", access.Read, http.StatusOK, "Check the chain and the signatures of a record.",
			func(ctx context.Context, c *Call, in RecordRef) (Verified, error) {
				id, err := in.find(ctx, c)
				if err != nil {
					return Verified{}, err
				}
				v, err := c.Tenant.App.Verify(ctx, id, app.Key{})
				return Verified{id, v}, err
			}),
		operation("records.replay", http.MethodPost, "/records/{record}/replay", access.Run, http.StatusOK, "Execute a run again with its recorded replies, and compare.",
			func(ctx context.Context, c *Call, in RecordRef) (Replayed, error) {
				id, err := in.find(ctx, c)
				if err != nil {
					return Replayed{}, err
				}
				r, err := c.Tenant.App.Repeat(ctx, id, event.Discard)
				return Replayed(r), err
			}).beginning(),
		operation("records.delete", http.MethodDelete, "/records/{record}", access.Admin, http.StatusOK, "Remove the record of a run; the chain of runs says that it was.",
			func(ctx context.Context, c *Call, in RecordRef) (app.RemovedRun, error) {
				if err := in.check(); err != nil {
					return app.RemovedRun{}, err
				}
				return c.Tenant.App.RemoveRun(ctx, in.Record)
			}),
	}
}
