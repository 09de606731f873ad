package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Budget bounds a run beside its steps. It is recorded with the run.
type Budget = event.Budget

// Defaults of a Budget.
const (
	DefaultReply    = 4096
	DefaultRun      = 1_000_000
	DefaultAttempts = 5
	DefaultDepth    = 2   // of a run that may begin others
	DefaultSubCalls = 200 // of such a run and its children together
)

// budgetWithDefaults replaces what is not said.
func budgetWithDefaults(b Budget) Budget {
	return b.Over(Budget{Reply: DefaultReply, Run: DefaultRun, Window: DefaultWindow, Attempts: DefaultAttempts})
}

// ending is why a run may not go on: in words, and as its error when there is no answer.
type ending struct {
	why    string
	cause  error
	budget string // of event.BudgetCost and its neighbours; empty: a replay comes to it by itself
	silent bool   // there is nothing left for a last request
}

// spent is what a run knows of its own use, beside the ledger.
type spent struct {
	next   event.Tokens   // what one more request is likely to take
	errors map[string]int // how often each came
}

// allowance is one part of the budget as it stands.
type allowance struct {
	name string // of the part of the budget, as events name it; empty: a replay counts it again
	used float64
	next float64 // what one more request is likely to take
	most float64
	code fault.Code
	say  func(float64) string // a value in figures
	what string               // that is counted, behind the figures
}

// allowances lists the parts of the budget that every request or execution uses up.
func (r *run) allowances() []allowance {
	b, s, u := r.cfg.Budget, &r.spent, r.cfg.Ledger.Usage()
	shared := r.cfg.Ledger.Shared()
	if shared && r.cfg.Clocked != nil {
		return nil
	}
	counted := func(name string, code fault.Code, used, next, most int, what string) allowance {
		if !shared {
			name = ""
		}
		return allowance{name: name, used: float64(used), next: float64(next), most: float64(most), code: code,
			say: func(v float64) string { return safetext.Number(int(v)) }, what: " " + what}
	}
	seconds := func(v float64) string { return time.Duration(v * float64(time.Second)).Round(time.Second).String() }
	var out []allowance
	add := func(a allowance) {
		if a.most > 0 {
			out = append(out, a)
		}
	}
	add(counted(event.BudgetTokens, fault.TokensUsedUp, u.Tokens.Total(), s.next.Total(), b.Run, "tokens"))
	add(counted(event.BudgetInput, fault.TokensUsedUp, u.Tokens.Input, s.next.Input, b.Input, "tokens of input"))
	add(counted(event.BudgetOutput, fault.TokensUsedUp, u.Tokens.Output, s.next.Output, b.Output, "tokens of output"))
	add(counted(event.BudgetSteps, fault.StepsUsedUp, u.Steps, 0, b.Steps, "steps of all runs together"))
	if r.cfg.Clocked != nil {
		return out
	}
	if r.cfg.Cost != nil {
		add(allowance{name: event.BudgetCost, used: u.USD, next: r.cost(s.next), most: b.Cost, code: fault.CostUsedUp,
			say: func(v float64) string { return "$" + strconv.FormatFloat(v, 'f', 4, 64) }})
	}
	if b.Time > 0 {
		add(allowance{name: event.BudgetTime, used: r.cfg.Now().Sub(u.Began).Seconds(), most: time.Duration(b.Time).Seconds(), code: fault.TimeUsedUp, say: seconds})
	}
	add(allowance{name: event.BudgetExecuted, used: u.Executed.Seconds(), most: time.Duration(b.Executed).Seconds(), code: fault.ExecutionUsedUp, say: seconds, what: " of execution"})
	return out
}

// usedUp says that there is no budget for one more step: after it, the last
// request must still fit. nil: there is.
func (r *run) usedUp() *ending {
	if r.step >= r.cfg.MaxSteps {
		verb := " are"
		if r.cfg.MaxSteps == 1 {
			verb = " is"
		}
		return &ending{why: "the " + steps(r.cfg.MaxSteps) + " of the run" + verb + " used up", cause: fault.Coded(fault.StepsUsedUp, fault.Data{"limit": strconv.Itoa(r.cfg.MaxSteps)},
			"cannot answer within %s: %s", steps(r.cfg.MaxSteps), r.last)}
	}
	for _, p := range r.allowances() {
		if p.used < p.most && p.used+2*p.next <= p.most {
			continue
		}
		return &ending{
			why: p.state(), budget: p.name, silent: p.next > 0 && p.used+p.next > p.most,
			cause: fault.Coded(p.code, fault.Data{"limit": p.say(p.most) + p.what}, "cannot answer within %s: %s are used after %s", p.say(p.most)+p.what, p.say(p.used), steps(r.step)),
		}
	}
	return r.recordedEnd()
}

// recordedEnd says that the run which is replayed ended here, whatever its clocks and
// prices say now.
func (r *run) recordedEnd() *ending {
	if r.cfg.Clocked == nil {
		return nil
	}
	if why, budget := r.cfg.Clocked(r.step); budget != "" {
		return &ending{why: why, cause: fault.New(fault.Exhausted, "", "cannot answer: %s", why), budget: budget}
	}
	return nil
}

// state says how much is used.
func (p allowance) state() string {
	return fmt.Sprintf("%s of %s%s are used", p.say(p.used), p.say(p.most), p.what)
}

// left tells the model to come to an end, when little of the budget is left.
func (r *run) left() []string {
	switch left := r.cfg.MaxSteps - r.step; left {
	case 1:
		return []string{"The next step is the last one: give the final answer now, with what you have."}
	case 2:
		return []string{"Two steps are left."}
	}
	for _, p := range r.allowances() {
		if p.used >= 0.8*p.most || p.used+3*p.next > p.most {
			return []string{"Little is left of what this run may use: " + p.state() + ". Give the final answer now, with what you have."}
		}
	}
	return nil
}

// pay counts what a reply used. Where the server sent no figures, they are
// estimated from what went to and fro: a budget that counts nothing bounds nothing.
func (r *run) pay(req llm.Request, reply llm.Reply) {
	r.tokens = r.tokens.Add(reply.Tokens)
	used := reply.Tokens
	if used.Incomplete {
		used.Input = max(used.Input, (len(req.System)+toolBytes(req.Tools)+messageBytes(req.Messages...))/bytesPerToken)
		used.Output = max(used.Output, messageBytes(llm.Message{Text: reply.Text, Reasoning: reply.Reasoning, Calls: reply.Calls})/bytesPerToken)
	}
	r.cfg.Ledger.Pay(used, r.cost(used))
	r.spent.next = event.Tokens{Input: used.Input + used.Output, Output: used.Output, CacheRead: used.CacheRead}
}

// before counts what the run used before it was taken up again.
func (r *run) before(t event.Tokens) {
	r.cfg.Ledger.Add(Usage{Steps: r.step, Tokens: t, USD: r.cost(t)})
}

// TokensOf estimates the tokens of a text.
func TokensOf(text string) int { return len(text)/bytesPerToken + 1 }

// cost is what tokens of the run's model cost; 0 where nothing is charged.
func (r *run) cost(t event.Tokens) float64 {
	if r.cfg.Cost == nil {
		return 0
	}
	return r.cfg.Cost(t)
}

// took counts the time of an execution, whatever it was for.
func (r *run) took(x event.Execution) {
	r.cfg.Ledger.executed(time.Duration((x.Usage.WallMS - x.Usage.WaitedMS) * float64(time.Millisecond)))
}

// failed counts the error of an execution of the model's code. again is how often it has come.
func (r *run) failed(x event.Execution) (again int) {
	if x.Status == event.OK || x.Status == 0 {
		return 0
	}
	key := x.Status.String()
	if x.Error != nil {
		key += "\x00" + x.Error.Name + "\x00" + x.Error.Value
	}
	r.spent.errors[key]++
	return r.spent.errors[key]
}

// errNoTime ends a request that outlasts the run's time.
var errNoTime = errors.New("the time of the run is used up")

// minGrace is the least time that the last request has.
const minGrace = 10 * time.Second

// complete asks the model, and waits no longer than the run may take. The last request
// has a quarter of that time on top.
func (r *run) complete(ctx context.Context, req llm.Request) (llm.Reply, error) {
	most := time.Duration(r.cfg.Budget.Time)
	if most > 0 && r.cfg.Clocked == nil {
		wait := most - r.cfg.Now().Sub(r.cfg.Ledger.Usage().Began)
		if r.incomplete != "" {
			wait = max(most/4, minGrace)
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, wait, errNoTime)
		defer stop()
	}
	req.Reasoning = func(text string) {
		r.cfg.Sink.Emit(event.ModelDelta{Step: r.step, Text: text, Reasoning: true})
	}
	reply, err := r.cfg.Model.Complete(ctx, req, func(text string) {
		r.cfg.Sink.Emit(event.ModelDelta{Step: r.step, Text: text})
	})
	if err != nil && errors.Is(context.Cause(ctx), errNoTime) {
		err = fault.Coded(fault.TimeUsedUp, fault.Data{"limit": most.String()}, "cannot answer within %s: %s had not replied", most, r.cfg.Model.Name())
	}
	return reply, err
}

// outOfTime says that a request failed because the time of the run is used up.
func (r *run) outOfTime(err error) *ending {
	switch {
	case err == nil:
		return nil
	case fault.CodeOf(err) == fault.TimeUsedUp:
		return &ending{why: "the model had not replied when the time of the run was used up", cause: err, budget: event.BudgetTime}
	}
	return r.recordedEnd()
}
