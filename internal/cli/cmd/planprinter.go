package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// planPrinter shows a plan while it is executed: what it prints, and
// notices of what was not really done.
type planPrinter struct {
	p      *program
	out    *printer
	json   bool
	called map[string]string // tools, by the ids of their calls
	shown  map[string]bool
}

func newPlanPrinter(p *program, asJSON bool) *planPrinter {
	return &planPrinter{p: p, out: newPrinter(p.stdout, p.stderr), json: asJSON, called: map[string]string{}, shown: map[string]bool{}}
}

// Emit takes an event of the run.
func (w *planPrinter) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Output:
		if !w.json {
			w.out.Emit(e)
		}
	case event.PlanResumed:
		for _, name := range e.Rehearsed {
			w.notice("rehearsed: %s was not called before the plan waited", name)
		}
	case event.ToolCalled:
		w.called[e.ID] = e.Tool
	case event.ToolReturned:
		if e.Rehearsed != "" {
			w.notice("rehearsed: %s was not called; answered from %s", w.called[e.ID], e.Rehearsed)
		}
	}
}

// notice says something on a line of its own on standard error. Of many alike
// the first is enough.
func (w *planPrinter) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.json || w.shown[text] || w.out.err != nil {
		return
	}
	w.shown[text] = true
	if w.out.column[0] && isTerminal(w.p.stdout) {
		w.out.write(event.Stdout, []byte("\n"))
	}
	w.out.err = w.p.note("%s", text)
}

// finish says how the plan ended. again are the flags for who goes on with it.
func (w *planPrinter) finish(out app.PlanResult, again string) error {
	if w.out.err != nil {
		return w.out.err
	}
	if out.Status == string(event.Refused) {
		_, err := io.WriteString(w.p.stderr, w.p.checkText(w.p.stderr, out.Check))
		return errors.Join(err, w.p.note("the check refused the plan: nothing ran"))
	}
	if out.Error != "" && out.Limit == nil {
		w.out.line(event.Stderr, out.Error)
	}
	for _, d := range denials(out.Calls) {
		w.notice("%s", d)
	}
	if out.Limit != nil && w.out.err == nil {
		printMessage(w.p.stderr, out.Error, format.Remedy(out.Limit))
	}
	if out.Waiting != nil && w.out.err == nil {
		printWaiting(w.p.stderr, out.Waiting, out.Run, again)
	}
	for _, to := range []io.Writer{w.out.stdout, w.out.stderr} {
		if c, ok := to.(*format.Cleaner); ok && w.out.err == nil {
			w.out.err = c.Flush()
		}
	}
	return w.out.err
}

// denials says which calls were not made.
func denials(calls []app.PlanCall) []string {
	var out []string
	for _, c := range calls {
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

// printWaiting says how to go on with a plan that waits, with the flags that let
// its calls be made.
func printWaiting(w io.Writer, c *app.PlanWaiting, run, flags string) {
	stored := "its state is stored"
	if c.File != "" {
		stored += ", also in " + safetext.Line(c.File)
	}
	message := fmt.Sprintf("the plan waits for the result of %s on line %d: %s", c.Tool, c.Line, stored)
	how := "with a result: praxis plan resume " + run + " --result JSON"
	if c.Approval {
		message = fmt.Sprintf("the plan waits for approval to call %s on line %d: %s", c.Tool, c.Line, stored)
		how = "with a decision: praxis plan resume " + run + " --approve" + flags + ", or --deny REASON"
	}
	printMessage(w, message, "Go on "+how+".")
}
