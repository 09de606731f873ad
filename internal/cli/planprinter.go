package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/safetext"
)

// planPrinter shows a plan while it is carried out: what it prints, and
// notices of what was not really done.
type planPrinter struct {
	p     *program
	out   *printer
	json  bool
	calls []planCall
	told  map[string]bool
	again string // flags for who goes on with a plan that waits
}

func newPlanPrinter(p *program, asJSON bool) *planPrinter {
	return &planPrinter{p: p, out: newPrinter(p.stdout, p.stderr), json: asJSON, told: map[string]bool{}}
}

// Emit takes an event of the run.
func (w *planPrinter) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Output:
		if !w.json {
			w.out.Emit(e)
		}
	case event.ToolCalled:
		w.calls = append(w.calls, planCall{ID: e.ID, Tool: e.Tool, Line: e.Line, Arguments: e.Arguments, Labels: e.Labels})
	case event.DecisionMade:
		w.change(e.ID, func(c *planCall) { c.Decision, c.Rule, c.Reason = e.Verdict, e.Rule, e.Reason })
	case event.ApprovalGiven:
		w.change(e.ID, func(c *planCall) { c.Granted, c.By, c.Said = &e.Granted, e.By, e.Reason })
	case event.ToolReturned:
		w.change(e.ID, func(c *planCall) {
			c.Result, c.Error, c.Rehearsed = e.Result, e.Error, e.Rehearsed
			if e.Rehearsed != "" {
				w.notice("rehearsed: %s was not called; answered from %s", c.Tool, e.Rehearsed)
			}
		})
	}
}

func (w *planPrinter) change(id string, f func(*planCall)) {
	for i := len(w.calls) - 1; i >= 0; i-- {
		if w.calls[i].ID == id {
			f(&w.calls[i])
			return
		}
	}
}

// notice says something on a line of its own on standard error. Of many alike
// the first is enough.
func (w *planPrinter) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.json || w.told[text] || w.out.err != nil {
		return
	}
	w.told[text] = true
	if w.out.column[0] && isTerminal(w.p.stdout) {
		w.out.write(event.Stdout, []byte("\n"))
	}
	w.out.err = w.p.remark("%s", text)
}

// finish says how the plan ended.
func (w *planPrinter) finish(out planner.Outcome, run string, prepared *plan.Plan, file string) error {
	if w.out.err != nil {
		return w.out.err
	}
	if out.Status == string(event.Refused) {
		_, err := io.WriteString(w.p.stderr, w.p.checkText(w.p.stderr, prepared))
		return errors.Join(err, w.p.remark("the check refused the plan: nothing ran"))
	}
	if out.End != nil && out.End.Status == plan.Failed {
		w.out.line(event.Stderr, out.End.Error)
	}
	for _, d := range w.denials() {
		w.notice("%s", d)
	}
	if out.End != nil && out.End.Status == plan.Limit && w.out.err == nil {
		tell(w.p.stderr, out.End.Error, remedyOf(out.End.Fault))
	}
	if out.Waiting != nil && w.out.err == nil {
		tellWaiting(w.p.stderr, out, run, file, w.again)
	}
	for _, to := range []io.Writer{w.out.stdout, w.out.stderr} {
		if c, ok := to.(*cleaner); ok && w.out.err == nil {
			w.out.err = c.flush()
		}
	}
	return w.out.err
}

// denials says which calls were not made.
func (w *planPrinter) denials() []string {
	var out []string
	for _, c := range w.calls {
		switch {
		case c.Decision == "deny":
			out = append(out, fmt.Sprintf("denied: %s on line %d, by the rule %q: %s", c.Tool, c.Line, c.Rule, strings.TrimSuffix(c.Reason, ".")))
		case c.Granted != nil && !*c.Granted && c.By == "person":
			out = append(out, strings.TrimSuffix(fmt.Sprintf("denied by a person: %s on line %d: %s", c.Tool, c.Line, c.Said), ": "))
		case c.Granted != nil && !*c.Granted:
			out = append(out, fmt.Sprintf("denied: %s on line %d, which a person has to agree to (rule %q)", c.Tool, c.Line, c.Rule))
		}
	}
	return out
}

// tellWaiting says how to go on with a plan that waits, with the flags that let
// its calls be made.
func tellWaiting(w io.Writer, out planner.Outcome, run, file, flags string) {
	c := out.Waiting
	stored := "its state is stored"
	if file != "" {
		stored += ", also in " + safetext.Line(file)
	}
	message := fmt.Sprintf("the plan waits for the result of %s on line %d: %s", c.Tool.Name, c.Line, stored)
	how := "with a result: praxis plan resume " + run + " --result JSON"
	if out.Asked {
		message = fmt.Sprintf("the plan waits for leave to call %s on line %d: %s", c.Tool.Name, c.Line, stored)
		how = "with a decision: praxis plan resume " + run + " --approve" + flags + ", or --deny REASON"
	}
	tell(w, message, "Go on "+how+".")
}
