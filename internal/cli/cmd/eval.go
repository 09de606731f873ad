package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const evalLong = `Asks the questions of a file, whose answers are known, and says how many came out
right: of each model with a 95 % interval, and what it took. The file has one
JSON object a line:

  {"id": "q1", "question": "What is the mean amount?", "files": ["sales.csv"],
   "with": ["pandas"], "expect": 41.7}

  question  what is asked
  expect    what the answer must be (target, expected and answer mean the same): a
            number that must be among its figures, a text that must stand in it, or
            an object with one or more of
              number, with tolerance (absolute) or relative (a share); without both
                      whole numbers must be equal, and of others a millionth is
                      allowed, and what the answer's rounding hides
              text    as above; capitals and white space do not matter
              matches a regular expression
              json    the value that the answer must be
              assert  a Python expression with the names answer (a text) and figures
                      (a list of numbers), evaluated in a sandbox
  files     what the question is about, beside the file of cases
  with      packages
  id        default: the number of the line
  replies   what a model says, for --model replies: nothing is asked of any model.
            In place of it code can be a program that defines solution().

An answer that is as expected counts under UNVERIFIED, and not as right, when its
run is unverified: a figure was found nowhere, or the budget was used up.

With --results FILE each result is kept as soon as it is there, and an evaluation
that was cut off goes on with what is missing. A question that could not be asked
(no network, no session) counts for nothing, and is asked again then.

Every question is a run of its own: praxis show RUN.`

type evalCommand struct {
	p       *program
	flags   sessionFlags
	q       app.EvaluateRequest
	steps   flagValue[float64]
	style   string
	tries   int
	json    bool
	junit   string
	html    string
	atLeast float64
}

func (p *program) evalCommand() *cobra.Command {
	e := &evalCommand{p: p, steps: flagValue[float64]{parse: app.ParseMaxSteps, kind: "number"}}
	cmd := &cobra.Command{
		Use: "eval FILE", Short: "Ask questions whose answers are known, and count what is right", Args: takes(1, 1, "a file of cases"),
		Long:    evalLong,
		Example: "  praxis eval questions.jsonl --model anthropic:claude-sonnet-4-5 --model openai:gpt-5 --html report.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			e.q.File = args[0]
			return e.run(cmd.Context())
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&e.q.Models, "model", nil, "a model, as `PROVIDER:NAME` (may be repeated), or \"replies\"")
	fs.IntVar(&e.q.Jobs, "jobs", 2, "how many questions are asked at a time")
	fs.IntVar(&e.q.First, "first", 0, "ask only the first `N` questions")
	fs.StringVar(&e.q.Results, "results", "", "keep the results in `FILE`, and go on with those that it holds")
	fs.BoolVar(&e.q.OneSession, "one-session", false, "questions that are asked one after the other share a session: faster, but they see each other's variables")
	fs.Var(&e.steps, "max-steps", "how many turns the model may take (default 10)")
	fs.StringVar(&e.style, "style", "", "how the model works: `STYLE` is "+strings.Join(app.Styles(), ", "))
	fs.IntVar(&e.tries, "branches", 0, "make `K` attempts at each question side by side (2 to 16), and grade the best")
	fs.StringVar(&e.junit, "junit", "", "write a report as JUnit's XML to `FILE`")
	fs.StringVar(&e.html, "html", "", "write a report as a page to `FILE`")
	fs.Float64Var(&e.atLeast, "at-least", 0, "exit with 1 unless each model has this `SHARE` right, such as 0.9")
	fs.BoolVar(&e.json, "json", false, "print one JSON object instead")
	e.flags.register(cmd)
	return cmd
}

func (e *evalCommand) run(ctx context.Context) error {
	if e.atLeast < 0 || e.atLeast > 1 {
		return usage("praxis eval", "--at-least is a share from 0 to 1")
	}
	if e.q.First < 0 {
		return usage("praxis eval", "--first is negative")
	}
	e.q.Ask = app.AskRequest{Session: e.flags.session(""), Bounds: e.flags.bounds(), Style: e.style, Branches: e.tries, Skills: app.SkillsNone} // the same for everybody
	if e.steps.value != nil {
		e.q.Ask.MaxSteps = int(*e.steps.value)
	}
	if err := e.flags.warn(e.p); err != nil {
		return err
	}
	return e.p.withApp(func(a *app.App) error {
		progress := e.p.quiet()
		right, resumed := 0, 0
		e.q.Each = func(r app.EvaluationResult, done, of int, again bool) {
			if again {
				resumed++
			}
			if r.Verdict == app.EvaluationPassed {
				right++
			} else if !again && !e.json {
				e.p.settled()
				// Nothing can be done about a standard error that is gone.
				_, _ = io.WriteString(e.p.stderr, describeFailure(r))
			}
			progress.Emit(event.Progress{Stage: "bench", Text: fmt.Sprintf("%d of %d asked, %d right", done, of, right)})
		}
		report, err := a.Evaluate(ctx, e.q, progress)
		e.p.settled()
		if len(report.Results) == 0 {
			return err
		}
		return errors.Join(err, e.print(report, resumed))
	})
}

// describeFailure says what a case came to that did not pass.
func describeFailure(r app.EvaluationResult) string {
	text := fmt.Sprintf("%s %s %s: %s", safetext.Line(r.Model), safetext.Line(r.Case), r.Verdict, safetext.Line(r.Why))
	if r.Answer != "" {
		text += fmt.Sprintf("\n  expected %s\n  answer   %s", safetext.Line(r.Expected), safetext.OneLine(r.Answer, 300))
	}
	if r.Run != "" {
		text += "\n  run      " + r.Run
	}
	return text + "\n"
}

// print writes the reports, and returns the exit status.
func (e *evalCommand) print(r app.Evaluation, resumed int) error {
	for path, write := range map[string]func(io.Writer) error{e.junit: r.JUnit, e.html: r.HTML} {
		if path != "" {
			if err := app.WriteEvaluation(path, write); err != nil {
				return err
			}
		}
	}
	var err error
	if e.json {
		err = e.p.printJSON(r)
	} else {
		err = e.p.emit(describeEvaluation(r, e.p.columns()) + describeResumed(resumed))
	}
	for _, s := range r.Scores {
		switch {
		case err != nil:
			return err
		case s.Errors > 0:
			err = exitStatus{exitFailed}
		case s.Share < e.atLeast:
			err = exitStatus{exitNot}
		}
	}
	return err
}

func describeResumed(n int) string {
	if n == 0 {
		return ""
	}
	return safetext.Count(n, "result") + " of an earlier evaluation\n"
}

func describeEvaluation(r app.Evaluation, width int) string {
	t := format.Table{{Head: "MODEL"}, {Head: "RIGHT", Right: true}, {Head: "UNVERIFIED", Right: true}, {Head: "OF", Right: true}, {Head: "SHARE", Right: true}, {Head: "95 % INTERVAL"}, {Head: "ERRORS", Right: true, Drop: 1},
		{Head: "STEPS", Right: true, Drop: 5}, {Head: "TOKENS", Right: true, Drop: 3}, {Head: "COST", Right: true, Drop: 2}, {Head: "SECONDS P50", Right: true, Drop: 4}, {Head: "P95", Right: true, Drop: 6}}
	for _, s := range r.Scores {
		cost := ""
		if s.Cost != nil {
			cost = app.FormatUSD(*s.Cost)
		}
		t.Add(safetext.Line(s.Model), strconv.Itoa(s.Passed), strconv.Itoa(s.Unverified), strconv.Itoa(s.Questions()), app.FormatShare(s.Share), app.FormatShare(s.Low)+" – "+app.FormatShare(s.High), strconv.Itoa(s.Errors),
			strconv.FormatFloat(s.Steps, 'f', 1, 64), safetext.Number(s.Tokens), cost, strconv.FormatFloat(s.P50, 'f', 2, 64), strconv.FormatFloat(s.P95, 'f', 2, 64))
	}
	return strings.TrimRight(format.Fitted(t, width), "\n") + "\n"
}
