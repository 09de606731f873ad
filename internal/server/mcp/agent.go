package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

type askIn struct {
	Question string `json:"question"`
	Model    string `json:"model,omitempty" jsonschema:"PROVIDER:NAME; left out: the usual one"`
	Strict   bool   `json:"strict,omitempty" jsonschema:"no answer rather than one with a figure that no code computed"`
	inSession
}

type askOut struct {
	Answer     string `json:"answer"`
	Verified   bool   `json:"verified" jsonschema:"every figure was traced to an output of code"`
	Incomplete string `json:"incomplete,omitempty"`
	Steps      int    `json:"steps"`
	Pictures   int    `json:"pictures,omitempty" jsonschema:"in the content"`
	Run        string `json:"run" jsonschema:"id of its transcript"`
	Session    string `json:"session"`
}

type planIn struct {
	Plan   string `json:"plan" jsonschema:"a program in the plan language, a checked subset of Python"`
	Strict bool   `json:"strict,omitempty" jsonschema:"count implicit flows, too"`
}

type checkOut struct {
	Accepted bool      `json:"accepted"`
	Findings []finding `json:"findings"`
	Calls    []flow    `json:"calls" jsonschema:"of tools, and whether the policy allows them"`
}

type finding struct {
	Level   string `json:"level" jsonschema:"error, warning or note"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

type flow struct {
	Tool    string `json:"tool"`
	Line    int    `json:"line"`
	Verdict string `json:"verdict" jsonschema:"safe, violation, possible, unjudged or unreachable"`
}

type runPlanIn struct {
	planIn
	Inputs map[string]any `json:"inputs,omitempty" jsonschema:"values of the declared inputs"`
}

type planOut struct {
	Status   string    `json:"status" jsonschema:"ok, error, limit, refused, stopped or failed"`
	Output   string    `json:"output"`
	Error    string    `json:"error,omitempty"`
	Line     int       `json:"line,omitempty"`
	Findings []finding `json:"findings,omitempty"`
	Run      string    `json:"run,omitempty" jsonschema:"id of its transcript"`
}

type searchIn struct {
	Words string `json:"words,omitempty" jsonschema:"that question, code or answer have; left out: the latest"`
	Run   string `json:"run,omitempty" jsonschema:"id of a run whose transcript is wanted"`
	Limit int    `json:"limit,omitempty" jsonschema:"0: 20"`
}

type searchOut struct {
	Runs       []foundRun `json:"runs,omitempty"`
	More       bool       `json:"more,omitempty"`
	Transcript string     `json:"transcript,omitempty" jsonschema:"Markdown"`
}

type foundRun struct {
	Run      string `json:"run"`
	Kind     string `json:"kind"`
	Status   string `json:"status"`
	Began    string `json:"began"`
	Question string `json:"question"`
}

// addAgentTools adds the tools over runs. Plans are for a server that has tools for them to call.
func (d *Door) addAgentTools(tools bool) {
	add(d, &mcp.Tool{
		Name: "ask", Annotations: writes("Ask the agent", tools),
		Description: "Have an agent with a model of its own work a question out by code in your session, over several steps. It sees the session's files and variables. Figures of its answer are traced to outputs.",
	}, d.ask)
	if tools {
		add(d, &mcp.Tool{Name: "check_plan", Description: "Check a plan, a program that calls the server's tools, against their policy. Nothing runs.", Annotations: reads("Check a plan")}, d.checkPlan)
		add(d, &mcp.Tool{Name: "run_plan", Description: "Check a plan and run it. Calls that need approval are put to a person.", Annotations: writes("Run a plan", true)}, d.runPlan)
	}
	add(d, &mcp.Tool{Name: "search_runs", Description: "Find recorded runs (questions, plans, code) by words, or read the transcript of one.", Annotations: reads("Search runs")}, d.searchRuns)
}

func (d *Door) ask(ctx context.Context, req *mcp.CallToolRequest, in askIn) (*mcp.CallToolResult, askOut, error) {
	f := d.following(ctx, req)
	var run *api.Run
	var needs *mcp.CallToolResult
	begin := func(at place) (err error) {
		f.session = at.id
		q := api.Question{Question: in.Question, Model: in.Model, Strict: in.Strict, Thread: at.id, Following: f.following()}
		run, needs, err = f.run(ctx, "runs.ask", &q)
		return err
	}
	again, err := f.position()
	at := place{id: again.Session, named: in.Session == "" && callerOf(ctx).client == nil}
	switch {
	case err != nil:
	case again.Session != "": // the run works in it already
		err = begin(at)
	default:
		at, err = d.within(ctx, in.Session, api.NewSession{}, begin)
	}
	if err != nil || needs != nil {
		return needs, askOut{}, err
	}
	a := run.Answer
	if run.Failure != nil || a == nil {
		return nil, askOut{}, failureOf(run)
	}
	out := askOut{a.Text, a.Verified, a.Incomplete, a.Steps, 0, run.Record, at.id}
	pictures := f.pictures[max(0, len(f.pictures)-maxPictures):]
	out.Pictures = len(pictures)
	note := ""
	if !a.Verified {
		note = "[not verified: not every figure was traced to an output]"
	}
	res := said(a.Text, note, "[run "+run.Record+"]", at.note())
	for _, p := range pictures {
		res.Content = append(res.Content, p)
	}
	return res, out, nil
}

// failureOf is why a run came to nothing.
func failureOf(run *api.Run) error {
	if run.Failure != nil {
		return run.Failure
	}
	return fault.New(fault.Unavailable, "Look at its transcript.", "the run %s came to nothing", run.Record)
}

func (d *Door) checkPlan(ctx context.Context, _ *mcp.CallToolRequest, in planIn) (*mcp.CallToolResult, checkOut, error) {
	found, err := get[*app.PlanCheck](ctx, d, "plans.check", &api.PlanText{Text: in.Plan, Strict: in.Strict})
	if err != nil {
		return nil, checkOut{}, err
	}
	out := checkOut{Accepted: found.Accepted, Findings: findingsOf(found), Calls: []flow{}}
	word := "refused"
	if out.Accepted {
		word = "accepted"
	}
	lines := append([]string{word}, findingLines(out.Findings)...)
	for _, f := range found.Flows {
		out.Calls = append(out.Calls, flow{f.Tool, f.Line, string(f.Verdict)})
		lines = append(lines, fmt.Sprintf("line %d: %s is %s", f.Line, f.Tool, f.Verdict))
	}
	return said(lines...), out, nil
}

func findingsOf(found *app.PlanCheck) []finding {
	out := []finding{}
	if found != nil {
		for _, f := range found.Findings {
			out = append(out, finding{string(f.Level), f.Line, f.Message, f.Remedy})
		}
	}
	return out
}

func findingLines(all []finding) (lines []string) {
	for _, f := range all {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("line %d: %s: %s %s", f.Line, f.Level, f.Message, f.Remedy)))
	}
	return lines
}

func (d *Door) runPlan(ctx context.Context, req *mcp.CallToolRequest, in runPlanIn) (*mcp.CallToolResult, planOut, error) {
	f := d.following(ctx, req)
	q := api.NewPlan{PlanText: api.PlanText{Text: in.Plan, Strict: in.Strict}, Inputs: map[string]json.RawMessage{}, Following: f.following()}
	for name, v := range in.Inputs {
		raw, err := event.Encode(v)
		if err != nil {
			return nil, planOut{}, err
		}
		q.Inputs[name] = raw
	}
	run, needs, err := f.run(ctx, "plans.run", &q)
	if err != nil || needs != nil {
		return needs, planOut{}, err
	}
	p := run.Plan
	if p == nil || run.Failure != nil {
		return nil, planOut{}, failureOf(run)
	}
	out := planOut{Status: p.Status, Output: p.Output, Error: p.Error, Line: p.Line, Run: p.Run}
	lines := []string{p.Output}
	if p.Status == "refused" {
		out.Findings = findingsOf(p.Check)
		lines = findingLines(out.Findings)
	}
	if p.Error != "" {
		lines = append(lines, strings.TrimSpace(p.Error))
	}
	res := said(append(lines, "["+p.Status+"] run "+p.Run)...)
	res.IsError = p.Status != "ok"
	return res, out, nil
}

// foundRuns are those that a search finds without a limit.
const foundRuns = 20

func (d *Door) searchRuns(ctx context.Context, _ *mcp.CallToolRequest, in searchIn) (*mcp.CallToolResult, searchOut, error) {
	if in.Run != "" {
		text, err := d.transcript(ctx, in.Run)
		return said(text), searchOut{Transcript: text}, err
	}
	n := in.Limit
	if n == 0 {
		n = foundRuns
	}
	list, err := get[api.Records](ctx, d, "records.list", &api.RecordQuery{Words: in.Words, Limit: n})
	if err != nil {
		return nil, searchOut{}, err
	}
	out := searchOut{More: list.More}
	var lines []string
	for _, r := range list.Records {
		f := foundRun{r.ID, string(r.Kind), string(r.Status), r.Began.UTC().Format("2006-01-02 15:04"), safetext.OneLine(r.Question, 200)}
		out.Runs = append(out.Runs, f)
		lines = append(lines, fmt.Sprintf("%s  %s  %s  %s  %s", f.Run, f.Began, f.Kind, f.Status, f.Question))
	}
	if len(lines) == 0 {
		lines = []string{"(no runs)"}
	}
	return said(lines...), out, nil
}

// transcript returns the record of a run as Markdown, its beginning if it is long.
func (d *Door) transcript(ctx context.Context, run string) (string, error) {
	var b limited
	q := api.ExportOf{RecordRef: api.RecordRef{Record: run}, Format: "md"}
	err := d.do(ctx, "records.export", &q, func(_ context.Context, _ *api.Call, out any) error {
		return out.(*api.Content).Write(&b)
	})
	if err != nil {
		return "", err
	}
	text := b.String()
	if len(text) > maxText {
		text = safetext.Clip(text, maxText) + "\n\n[the rest is left out]"
	}
	return text, nil
}
