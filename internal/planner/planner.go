package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/plan/check"
	"praxis/internal/plan/label"
	"praxis/internal/tool/gate"
)

// DefaultPlans is how many plans the model may write.
const DefaultPlans = 5

// Config is what a question needs. Model and Options.Tools must be set.
type Config struct {
	Host    // its Step is not used; its Model is the quarantined one
	Options plan.Options
	Start   plan.Start
	Plans   int // that the model may write; 0: DefaultPlans
	// Tokens bounds the planner's input and output of the whole run; 0: a million.
	Tokens int
}

// timeout is the time that one plan may take by itself.
func (cfg Config) timeout() time.Duration {
	if cfg.Timeout > 0 {
		return cfg.Timeout
	}
	return DefaultTimeout
}

const defaultTokens = 1_000_000

// Answer is what a question came to.
type Answer struct {
	Text   string // what the plan printed
	Result Result
	Plan   *plan.Plan // the last one that was checked; nil when the model wrote none
	Steps  int
	Tokens event.Tokens
	// Rehearsed are the tools that were not really called, sorted; the text says so.
	Rehearsed []string
}

// Ask lets the model write a plan for the question and executes it. Every
// plan is one step. The error is a fault of kind Exhausted when no plan was
// accepted or every accepted one failed.
func Ask(ctx context.Context, cfg Config, question string) (Answer, error) {
	if strings.TrimSpace(question) == "" {
		return Answer{}, fault.New(fault.Invalid, "Ask something.", "cannot plan: the question is empty")
	}
	if cfg.Sink == nil {
		cfg.Sink = event.Discard
	}
	if cfg.Plans <= 0 {
		cfg.Plans = DefaultPlans
	}
	if cfg.Tokens <= 0 {
		cfg.Tokens = defaultTokens
	}
	cfg.Gate.Read("the question", question)
	cfg.Options.Request = question
	p := &planning{cfg: cfg, system: system(cfg, false)}
	p.messages = []llm.Message{{Role: llm.User, Text: question}}
	err := p.loop(ctx)
	if err == nil && p.answer.Result.Waiting == nil {
		p.rehearsed()
		cfg.Sink.Emit(event.AnswerGiven{Text: p.answer.Text, Rehearsed: p.answer.Rehearsed})
	}
	return p.answer, err
}

// planning is one question.
type planning struct {
	cfg      Config
	system   string
	messages []llm.Message
	sent     int // messages that the last request had
	made     []plan.Made
	played   plan.Rehearsed
	answer   Answer
}

func (p *planning) loop(ctx context.Context) error {
	var last string // why the last plan could not be used
	for step := 1; step <= p.cfg.Plans; step++ {
		p.answer.Steps = step
		p.cfg.Sink.Emit(event.StepBegan{N: step})
		if used := p.answer.Tokens.Total(); used >= p.cfg.Tokens {
			return fault.Coded(fault.TokensUsedUp, fault.Data{"limit": strconv.Itoa(p.cfg.Tokens)}, "cannot plan: %d tokens are used up", used)
		}
		reply, err := complete(ctx, modelRequest{sink: p.cfg.Sink, model: p.cfg.Planner, step: step, sent: p.sent}, llm.Request{System: p.system, Messages: p.messages})
		if err != nil {
			return err
		}
		p.sent = len(p.messages)
		p.answer.Tokens = p.answer.Tokens.Add(reply.Tokens)
		p.messages = append(p.messages, llm.Message{Role: llm.Assistant, Text: reply.Text})
		code, why := program(reply.Text)
		if why == "" {
			var done bool
			if done, why, err = p.try(ctx, step, code); done || err != nil {
				return err
			}
		} else {
			p.cfg.Sink.Emit(event.ReplyRejected{Step: step, Reason: why})
		}
		last = why
		p.messages = append(p.messages, llm.Message{Role: llm.User, Text: why})
	}
	return fault.Coded(fault.PlansUsedUp, fault.Data{"limit": strconv.Itoa(p.cfg.Plans)}, "cannot plan: %d plans could not be used; of the last one: %s", p.cfg.Plans, firstLine(last))
}

// rehearsed lets the answer say which calls were not really made, those of plans that
// failed before it, too: its words can be about them.
func (p *planning) rehearsed() {
	if p.answer.Rehearsed = slices.Sorted(slices.Values(p.played.Tools)); len(p.answer.Rehearsed) > 0 {
		p.answer.Text = NotDone(p.answer.Rehearsed) + "\n\n" + p.answer.Text
	}
}

// NotDone says in a sentence that calls were only rehearsed.
func NotDone(tools []string) string {
	return "Rehearsed: " + strings.Join(tools, ", ") + " answered from examples or given replies. Nothing of it was really called or done."
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// try checks a plan and executes it. why is the message to the model when the
// question is not answered yet.
func (p *planning) try(ctx context.Context, step int, code string) (done bool, why string, err error) {
	prepared, err := plan.Prepare(ctx, plan.Source{Name: "plan.py", Text: []byte(code)}, p.cfg.Options)
	if err != nil {
		return false, "", err
	}
	p.answer.Plan = prepared
	start := p.cfg.Start
	start.Made, start.Rehearsed = p.made, p.played
	Announce(p.cfg.Sink, step, prepared, start)
	if !prepared.Check.Accepted {
		return false, refused(prepared.Check), nil
	}
	run, err := prepared.Start(start)
	if err != nil {
		return false, "", err
	}
	host := p.cfg.Host
	host.Step = step
	host.Gate.Read("the plan", code)
	out, err := Execute(ctx, run, host)
	p.answer.Result = out
	for _, c := range out.Called {
		p.made = append(p.made, c.made)
	}
	p.played = run.Rehearsed()
	p.answer.Tokens = p.answer.Tokens.Add(out.Tokens)
	if err != nil {
		return false, "", err
	}
	switch out.Status {
	case "ok":
		if strings.TrimSpace(out.Output) == "" && len(out.Called) == 0 {
			return false, "The plan did nothing: it called no tool and printed nothing. Print the answer.", nil
		}
		p.answer.Text = strings.TrimRight(out.Output, "\n")
		return true, "", nil
	case "waits":
		return true, "", nil
	}
	return false, failed(out, prepared, label.Label{}, false), nil
}

// Announce emits that a plan was written and what its check found.
func Announce(sink event.Sink, step int, p *plan.Plan, s plan.Start) {
	announce(sink, step, "", p, s)
}

// announce does so for a plan, or for one that is nested in a call.
func announce(sink event.Sink, step int, call string, p *plan.Plan, s plan.Start) {
	w := event.PlanWritten{Step: step, Call: call, Code: string(p.Text), Name: p.Name, Mode: "normal", Now: s.Now.Format(time.RFC3339Nano)}
	for name, v := range s.Inputs {
		if text, err := event.Encode(v); err == nil { // what a plan can be given is JSON
			if w.Inputs == nil {
				w.Inputs = map[string]json.RawMessage{}
			}
			w.Inputs[name] = text
		}
	}
	if p.Strict {
		w.Mode = "strict"
	}
	for _, m := range s.Made {
		w.Made = append(w.Made, event.CallMade(m))
	}
	sum := p.Policy.Hash()
	w.Policy = fmt.Sprintf("%x", sum[:])
	for d := range p.Tools.All() {
		h := d.Hash()
		w.Tools = append(w.Tools, event.ToolPin{Name: d.Name, Version: string(d.Version), Hash: fmt.Sprintf("%x", h[:])})
	}
	sink.Emit(w)
	checked := Checked(step, p)
	checked.Call = call
	sink.Emit(checked)
}

// Checked is the event of what the check of a plan found.
func Checked(step int, p *plan.Plan) event.PlanChecked {
	return event.PlanChecked{Step: step, Accepted: p.Check.Accepted, Findings: findings(p.Check)}
}

// Findings writes findings down, one a line.
func Findings(all []event.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "line %d: %s: %s\n", f.Place.Line, f.Verdict, f.Message)
	}
	return b.String()
}

// findings are what the check found, and the calls that it proved safe.
func findings(r *check.Result) []event.Finding {
	var out []event.Finding
	for _, f := range r.Findings {
		e := event.Finding{
			Rule: string(f.Kind), Verdict: string(f.Level), Message: f.Message, Remedy: f.Remedy, Tool: f.Tool, Place: event.Place{Line: f.Line, Col: f.Col},
		}
		if f.Kind == check.Violation || f.Kind == check.Possible {
			e.Verdict = string(f.Kind)
		}
		if len(f.Paths) > 0 {
			e.Argument = f.Paths[0].Argument
			for _, s := range f.Paths[0].Steps {
				e.Path = append(e.Path, event.Place{Line: s.Line, Col: s.Col, Text: s.Text})
			}
		}
		out = append(out, e)
	}
	for _, f := range r.Flows {
		if f.Verdict == check.Safe {
			out = append(out, event.Finding{Rule: "flow", Verdict: "proved safe", Message: f.Tool + " is allowed in every run", Tool: f.Tool, Place: event.Place{Line: f.Line, Col: f.Col}})
		}
	}
	return out
}

// program finds the plan in a reply. why says what is wrong with the reply.
func program(text string) (code, why string) {
	var blocks []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		open := strings.TrimSpace(lines[i])
		fence := strings.TrimRight(open, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ")
		if len(fence) < 3 || strings.Trim(fence, "`") != "" {
			continue
		}
		start := i + 1
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != fence; i++ {
		}
		if i == len(lines) {
			return "", "The reply ends in the middle of its program: write a shorter one, whole, in one ```python block."
		}
		blocks = append(blocks, strings.Join(lines[start:i], "\n")+"\n")
	}
	switch len(blocks) {
	case 0:
		return "", "The reply holds no program: write the whole plan in one ```python block."
	case 1:
		return blocks[0], ""
	}
	return "", "The reply holds several programs: write the whole plan in one ```python block."
}

// NewGate makes the gate that plans with these options call tools through. Of
// cfg, the tools, the policy and who may call are filled in.
func NewGate(o plan.Options, cfg gate.Config) (*gate.Gate, error) {
	cfg.Tools, cfg.Policy, cfg.Origins = o.Tools, o.Policy, []gate.Origin{gate.Plan}
	if cfg.Tools == nil {
		var err error
		if cfg.Tools, err = plan.Tools(); err != nil {
			return nil, err
		}
	}
	return gate.New(cfg)
}
