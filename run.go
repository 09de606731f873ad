package praxis

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/client"
)

// ToolOptions say which tools a run may call, by which rules, and who approves calls.
type ToolOptions struct {
	Files  []string // paths of files that declare tools
	Policy string   // path of the rules for calls; "": the defaults
	// Commands lets tools and servers run programs on this machine.
	Commands bool
	// Approve says who decides about a call that somebody has to approve: a
	// webhook's URL or "command:PROGRAM". "": nobody, and such a call is denied.
	Approve string
}

func (o ToolOptions) spec() app.ToolSpec {
	return app.ToolSpec{Files: o.Files, Policy: o.Policy, Commands: o.Commands, Approval: app.ApprovalSpec{Who: o.Approve}}
}

// NetOptions say which hosts the code of a run may reach. The zero value is none.
type NetOptions struct {
	// Hosts are rules such as "api.example.com:443" or "*.example.org".
	Hosts []string
	// Credentials put the value of a variable of the environment into a header of
	// requests to a host, HOST[/PATH]=HEADER:VARIABLE[:FIELDS]. Code sees a
	// placeholder. The value is taken out of what the host answers where it stands as
	// it is or in a usual encoding; a host that writes it otherwise gives it to the
	// code, unless FIELDS, such as "id,items.name", or "-" for none, say which fields
	// of its answers in JSON the code may see, beside the status.
	Credentials []string
}

func (o NetOptions) spec() app.NetSpec {
	return app.NetSpec{Hosts: o.Hosts, Credentials: o.Credentials}
}

// Code is a piece of code that is run and recorded by itself.
type Code struct {
	Text    string
	Session SessionOptions
	Bounds  event.Bounds // zero fields: 30 seconds, 1 MiB of output
	Files   []string     // paths of files that it finds in its working folder
	OutDir  string       // where files and pictures that it makes are saved; "": nowhere
	Tools   ToolOptions
	Net     NetOptions
	Args    []string // of the code, after its name
	// Stdin is what the code reads from standard input; nil: nothing. It is read to
	// its end, at most 256 MiB, before the code begins.
	Stdin io.Reader
	// TrustCode says that the values that the code itself makes are the caller's
	// own: tools take them as trusted.
	TrustCode bool
}

// CodeResult is what a piece of code came to.
type CodeResult struct {
	Run       string // its id in the journal
	Execution event.Execution
	Saved     []string // paths of the files in OutDir
	// Exit is the exit code that the code ended itself with, as by sys.exit; nil when
	// it did not.
	Exit *int
}

// RunCode runs a piece of code in a session of its own, or in a named one, whose
// state is then saved, and records it. The result counts also when the error
// says that not all that the code made could be saved.
func (c *Client) RunCode(code Code) *Call[CodeResult] {
	return newCall(func(ctx context.Context, sink event.Sink) (CodeResult, error) {
		files, err := app.LocalFiles(code.Files)
		if err != nil {
			return CodeResult{}, err
		}
		var stdin *app.Input
		if code.Stdin != nil {
			in, drop, err := app.StdinOf(code.Stdin)
			if err != nil {
				return CodeResult{}, err
			}
			defer drop()
			stdin = in
		}
		w, err := does[coder](c)
		if err != nil {
			return CodeResult{}, err
		}
		out, err := w.RunCode(ctx, app.CodeRequest{
			Code: code.Text, Stdin: stdin, Session: code.Session.spec(), Bounds: code.Bounds, Files: files,
			Output: app.Output{Dir: code.OutDir}, Tools: code.Tools.spec(), Net: code.Net.spec(),
			Args: code.Args, TrustCode: code.TrustCode,
		}, sink)
		err = errors.Join(err, out.Unsaved)
		return CodeResult{Run: out.Run, Execution: out.Execution, Saved: savedPaths(out.Made), Exit: out.Exit}, err
	})
}

func savedPaths(made app.Made) []string {
	var out []string
	for _, f := range made.Saved {
		out = append(out, f.Path)
	}
	return out
}

// Question is a question that a model answers by code, by calls of tools or by
// both.
type Question struct {
	Text string
	// Mode is "code", "tools" or "both"; "": "code".
	Mode string
	// Model is "anthropic:NAME", "openai:NAME", "gemini:NAME", or "scripted:FILE" or
	// "replay:FILE" for replies from a file; "": what the keys in the environment say.
	Model string
	// Fallbacks are models that are asked, one after the other, when those before
	// fail for good.
	Fallbacks []string
	// Effort is how much the model is asked to reason: "low", "medium" or "high"; "":
	// it is not asked.
	Effort string
	// Style is how the model works at the question: "react", step by step; "program", one
	// whole program that is rewritten until it gives the answer; "plan-first", a short plan in
	// words before the first code. "": the configuration's, or the first.
	Style string
	// Branches is how many attempts are made side by side, each in a fork of the session, 2
	// to 16, of which the best is chosen; 0: one.
	Branches int
	// Sees says that the model sees pictures, although its server is not the provider's own.
	Sees     bool
	MaxSteps int // turns of the model; 0: 10
	// Budget is what else the run may use; a zero is the configuration's, or no bound.
	Budget event.Budget
	// Thread is the conversation that the question goes on with; "": it stands
	// alone. Session.Name is not used.
	Thread string
	// Strict says that an answer with a figure that is found nowhere is none: the error
	// is then a fault with the code [fault.FiguresUntraced].
	Strict  bool
	Session SessionOptions
	Bounds  event.Bounds // of each execution; zero fields: 30 seconds, 1 MiB of output
	Files   []string     // paths of files that code finds in its working folder
	OutDir  string       // where files and pictures that code makes are saved; "": nowhere
	Tools   ToolOptions
	Net     NetOptions
	// Schema is the JSON Schema that the answer must keep to, which is JSON then; "": it is a text.
	Schema string
	// InputChecks are Python that runs in the session before the model is asked: a fault with
	// the code [fault.InputCheckFailed] says that one raised. Checks run when the model has
	// answered, with answer, text and figures beside the session's variables: what fails goes
	// back to the model as long as it has steps.
	InputChecks, Checks []event.Check
	// Skills is where functions of earlier runs are looked for that fit the question: "home",
	// "all", with those of the working folder's project, or "none"; "": "home". Learn lets the
	// model have functions stored, when the answer passes its checks and they their tests.
	Skills string
	Learn  bool
	// Subcalls lets code query models and begin runs of its own, which draw from Budget with
	// the run; Budget.Depth and Budget.SubCalls bound them, too. SubcallModels are models that
	// code may name beside the run's own; the first is asked where it names none.
	Subcalls      bool
	SubcallModels []string
	// Context is the path of a file with a text, of any length: code has it as the variable
	// "context", and no prompt holds it. With it, Subcalls holds. "": there is none.
	Context string
}

// Answer is what a question came to.
type Answer struct {
	Run    string          // its id in the journal
	Status event.RunStatus // event.Answered, or event.Unverified when some of its figures were found nowhere; "": there is none
	// Text is the answer with its figures; each that was found nowhere is followed by
	// " (unverified)". "": there is none.
	Text    string
	Figures []event.Figure  // every figure, and what it was found as
	Value   json.RawMessage // the answer as JSON, where it is more than a text
	Files   []string        // that belong to the answer, as paths in the session: a table as CSV, pictures
	// Incomplete says why the model had to answer before it was done, such as a budget that was
	// used up; "": it was.
	Incomplete string
	Steps      int
	Tokens     event.Tokens
	Saved      []string // paths of the files in OutDir
	// Skills are the functions that the model had stored, or that were refused, with why.
	Skills []event.SkillSaved
	// Without an answer: the last one that was not taken, and the last output of code.
	Draft, Found string
}

// answerOf is what came of a question.
func answerOf(out app.AskResult, err error) (Answer, error) {
	err = errors.Join(err, out.Unsaved)
	a := Answer{
		Run: out.Run, Text: out.Text, Figures: out.Figures, Value: out.Value, Files: out.Files, Incomplete: out.Incomplete,
		Steps: out.Steps, Tokens: out.Tokens, Saved: savedPaths(out.Made), Draft: out.Draft, Found: out.Found, Skills: out.Skills,
	}
	switch {
	case !out.Verified():
		a.Status = event.Unverified
	case out.Text != "":
		a.Status = event.Answered
	}
	return a, err
}

// Ask lets a model answer a question. Where there is no answer, the error says
// why, and the result how far it came.
func (c *Client) Ask(q Question) *Call[Answer] {
	return newCall(func(ctx context.Context, sink event.Sink) (Answer, error) {
		files, err := app.LocalFiles(q.Files)
		if err != nil {
			return Answer{}, err
		}
		if q.Context != "" {
			in, err := app.ContextFile(q.Context)
			if err != nil {
				return Answer{}, err
			}
			files = append(files, in)
		}
		w, err := does[asker](c)
		if err != nil {
			return Answer{}, err
		}
		return answerOf(w.Ask(ctx, app.AskRequest{
			Subcalls: q.Subcalls, SubcallModels: slices.Clone(q.SubcallModels),
			Question: q.Text, Mode: q.Mode, Model: q.Model, Fallbacks: q.Fallbacks, Effort: q.Effort, Style: q.Style, Branches: q.Branches, Sees: q.Sees, MaxSteps: q.MaxSteps, Budget: q.Budget, Thread: q.Thread, Strict: q.Strict, Session: q.Session.spec(),
			Bounds: q.Bounds, Files: files, Output: app.Output{Dir: q.OutDir}, Tools: q.Tools.spec(), Net: q.Net.spec(),
			Skills: q.Skills, Learn: q.Learn,
			Checks: app.CheckSpec{Schema: app.Text{Text: q.Schema}, Inputs: slices.Clone(q.InputChecks), Answer: slices.Clone(q.Checks)},
		}, sink))
	})
}

// Resumption is a question that broke off, and goes on: its process was killed, it was
// cancelled, a model failed, or its budget was used up. All else is as its run recorded it.
type Resumption struct {
	Run      string       // its id, or a beginning of it, or "last"
	Model    string       // as in Question; "": the recorded one
	MaxSteps int          // turns of the model, with those that were taken; 0: as recorded
	Budget   event.Budget // with what was used; zero fields: as recorded
	// Files are paths, or NAME=PATH, of files that the run was to be given and that are not
	// recorded.
	Files  []string
	OutDir string      // as in Question
	Tools  ToolOptions // what implements the tools; without a policy, the recorded one decides
	Net    NetOptions  // no hosts: the recorded ones
}

// Resume goes on with a question as a run of its own. No reply that is recorded is asked for
// again, and no call that is recorded is made again.
func (c *Client) Resume(r Resumption) *Call[Answer] {
	return newCall(func(ctx context.Context, sink event.Sink) (Answer, error) {
		a, err := does[asker](c)
		if err != nil {
			return Answer{}, err
		}
		return answerOf(a.ResumeAsk(ctx, app.AskResume{
			Run: r.Run, Model: r.Model, MaxSteps: r.MaxSteps, Budget: r.Budget, Files: r.Files,
			Output: app.Output{Dir: r.OutDir}, Tools: r.Tools.spec(), Net: r.Net.spec(),
		}, sink))
	})
}

// ProviderModels are the models of one provider.
type ProviderModels struct {
	Provider    string   // such as "anthropic"
	KeyVariable string   // the variable of the environment that holds its key
	Usable      bool     // there is a key, or a server of one's own
	Models      []string // as Question.Model names them, sorted
	Err         error    // why they could not be listed; nil: they are
}

// Models asks the providers for which the environment has a key, or names a server, which
// models they have. A client of a Praxis server gets those of that server, and one entry
// without a provider when it cannot be asked.
func (c *Client) Models(ctx context.Context) []ProviderModels {
	var out []ProviderModels
	var found []app.ProviderModels
	switch w := c.does.(type) {
	case *app.App:
		found = w.ListModels(ctx)
	case *client.Client:
		var err error
		if found, err = w.ListModels(ctx); err != nil {
			return []ProviderModels{{Err: err}}
		}
	}
	for _, p := range found {
		out = append(out, ProviderModels{Provider: p.Provider, KeyVariable: p.KeyVariable, Usable: p.Usable(), Models: p.Models, Err: p.Err()})
	}
	return out
}

// Plan is a plan: a program whose data flows are checked before it runs.
type Plan struct {
	Name   string // what messages call it; "": "plan.py"
	Text   string
	Inputs map[string]any // values of the inputs that it declares: JSON's
	Now    time.Time      // what its clock shows; zero: now
	Seed   int64          // of its random numbers
	// Timeout bounds the plan's own work, without its calls; 0: 5 minutes.
	Timeout time.Duration
	Tools   ToolOptions
	Strict  bool // implicit flows count, too
	Later   bool // the plan waits at a call that somebody has to approve; else Tools.Approve says who is asked
}

// PlanResult is what a plan came to.
type PlanResult struct {
	Run    string          // its id in the journal
	Status string          // ok, error, limit, refused, waits, stopped or failed
	Output string          // what it printed
	Label  event.DataLabel // of the output: what it depends on
	Error  string          // why it did not end well
	Line   int             // of the error
	Calls  []PlanCall
	// Waiting is the call that the plan waits at, for [Client.ResumePlan]; nil: it
	// ended. NeedsApproval says that it waits for a decision, not for a result.
	Waiting       *PlanCall
	NeedsApproval bool
}

// PlanCall is one call of a plan.
type PlanCall struct {
	Tool      string
	Line      int
	Arguments map[string]any
	Decision  string // allow, ask or deny
	Rule      string // that decided
	Reason    string
	Result    string // as JSON
	Error     string
}

// RunPlan checks a plan, runs it when nothing is wrong with it, and records both.
// It needs no sandbox.
func (c *Client) RunPlan(p Plan) *Call[PlanResult] {
	return newCall(func(ctx context.Context, sink event.Sink) (PlanResult, error) {
		name := p.Name
		if name == "" {
			name = "plan.py"
		}
		tools := p.Tools.spec()
		tools.Strict = p.Strict
		w, err := does[planner](c)
		if err != nil {
			return PlanResult{}, err
		}
		out, err := w.RunPlan(ctx, app.PlanRequest{
			Plan: app.PlanSource{Name: name, Text: []byte(p.Text)}, Tools: tools,
			Start: app.PlanStart{Inputs: p.Inputs, Now: p.Now, Seed: p.Seed}, Host: app.PlanHost{Timeout: p.Timeout, Later: p.Later},
		}, sink)
		return planResult(out), err
	})
}

func planResult(out app.PlanResult) PlanResult {
	r := PlanResult{Run: out.Run, Status: out.Status, Output: out.Output, Label: out.Label, Error: out.Error, Line: out.Line}
	for _, call := range out.Calls {
		r.Calls = append(r.Calls, planCall(call))
	}
	if w := out.Waiting; w != nil {
		call := planCall(w.PlanCall)
		r.Waiting, r.NeedsApproval = &call, w.Approval
	}
	return r
}

func planCall(c app.PlanCall) PlanCall {
	return PlanCall{c.Tool, c.Line, c.Arguments, c.Decision, c.Rule, c.Reason, c.Result, c.Error}
}

// PlanAnswer answers the call that a plan waits at: a decision, or what came of
// the call. The zero value makes the call that was approved before.
type PlanAnswer struct {
	Approve *bool  // the decision; nil: there is none
	Who     string // decided
	Reason  string // of the decision
	Result  any    // of the call, as JSON decodes it; nil: there is none
	Error   string // why the call has no result
}

// ResumePlan answers the call that the plan of a run waits at and goes on with the
// plan, as a run of its own. The call is decided again by the policy that the run
// was recorded with. tools name what implements the tools; without files, calls
// wait for their results.
func (c *Client) ResumePlan(run string, answer PlanAnswer, tools ToolOptions) *Call[PlanResult] {
	return newCall(func(ctx context.Context, sink event.Sink) (PlanResult, error) {
		response := app.PlanResponse{
			Approve: answer.Approve, Who: answer.Who, Reason: answer.Reason, Result: answer.Result, Given: answer.Result != nil, Error: answer.Error,
		}
		response.Call = response.Approve == nil && !response.Given && response.Error == ""
		a, err := does[planner](c)
		if err != nil {
			return PlanResult{}, err
		}
		out, err := a.ResumePlan(ctx, app.ResumeRequest{Ref: run, Response: response, Tools: tools.spec(), Host: app.PlanHost{Later: true}}, sink)
		return planResult(out), err
	})
}

// Replayed says what a replay found.
type Replayed struct {
	Identical  bool   // everything came out as it was recorded
	Unfinished bool   // the record has no end: what there is was compared
	Report     string // what differs, for a person
}

// Replay repeats a run with what was recorded of models and tools, and compares
// what comes of it with the record. It calls no model and no tool. The run is
// named by its id, the beginning of one, or "last".
func (c *Client) Replay(run string) *Call[Replayed] {
	return newCall(func(ctx context.Context, sink event.Sink) (Replayed, error) {
		w, err := does[repeater](c)
		if err != nil {
			return Replayed{}, err
		}
		r, err := w.Repeat(ctx, run, sink)
		return Replayed{r.Identical, r.Unfinished, r.Report}, err
	})
}
