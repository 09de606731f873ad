package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/cli/tui"
)

const askLong = `Asks a question: the argument, or what is piped in ("-" says so). Without one, on a
terminal, it is a conversation: each line is a question that goes on with the one
before, and with --thread the conversation is there afterwards, too. The model
answers it by writing code, which runs in a sandbox; what the code prints goes
back to the model, errors too, until it gives an answer. The code is in Python,
or in the language of --lang, and the model may write parts of it in the others
that the session has: SQL, and JavaScript with --npm. The figures of the answer
are filled in from values in the sandbox; one that is found neither in what ran
nor in the question is marked as unverified, and the exit code is 4, as it is for
an answer that had to be given before the model was done. With --strict such a
figure leaves no answer. "praxis show last --figures" shows what each was found as.

With --style program the model writes one whole program that gives the answer, and
rewrites it until it does; with --style plan-first a short plan in words stands
before the first code, and is revised when something breaks it. With --branches K the
session is prepared once and forked K ways, and K attempts are made side by side. Of
those whose answers passed the checks the one is chosen whose model was done, whose
figures were all found, whose answer most attempts came to, that met the fewest
errors; then the first. "praxis show" draws them, and "praxis show last.2" is the
second. What --max-tokens and its like allow is divided among them.

A run that broke off, whatever the cause, goes on with --resume RUN: without asking
again for a reply that came, and without making a call again. The session, the
question and its files are the recorded ones; --tools names what implements its
tools, and --model, --out and what the run may use (--max-steps, --max-tokens and so
on, with what is used) may be given. A run that has its answer is branched instead
("praxis replay --help").

The model is the one of --model, of PRAXIS_MODEL, of the configuration file, or
what the keys in the environment allow; "praxis models" lists those, "praxis help
models" says how they are named. "scripted:FILE" plays replies from a file.

With --tools the code may call the tools that these files declare. With --mode
tools the model calls them itself, one native call after the other, and has no
code and nothing else; with --mode both it does either. See "praxis tools --help".

The answer may be a table, a picture or data, too: code gives it with
answer(value). With --schema FILE it is JSON that keeps to a JSON Schema, and
what does not goes back to the model; with --json it stands under "value".

With --input-check FILE.py the inputs are checked in the sandbox before the
model is asked: when the file raises, as by an assert, nothing is asked and the
exit code is 125. --check FILE.py and --check-expr EXPR are run when the model
has answered, with answer, text and figures beside the session's variables: what
fails goes back to the model as long as there are steps. See docs/answers.md.

With --subagents its code can ask models and begin runs of its own: llm_query and
llm_query_batched ask a model single questions, rlm_query lets a run answer over a
text that it has as a variable, and agent lets one do a task with data. All of them
draw from the budget of the question; --max-depth, --max-sub-calls and
--max-total-steps bound them, too. With --context FILE the text of a file, however
long, is the variable context: code searches and cuts it, and no prompt holds it.
See docs/subagents.md.

Functions of earlier runs that fit the question, its skills, can be imported by the
code. With --learn the model may have functions of this run stored, when the answer
passes its checks and they their tests. See "praxis skill --help".

With --repo DIR the model works on a copy of a project and a patch is made of what
it changes; --test, --apply and --patch are those of "praxis fix".

With --mode plan the model writes a plan instead, which calls the tools of
--tools by the rules of --policy: it is checked before anything runs, what is
wrong goes back to the model, and what the plan prints is the answer. The model
never sees what a tool returns. See "praxis plan --help".`

type askCommand struct {
	p        *program
	flags    sessionFlags
	files    []string
	out      string
	model    string
	fallback []string
	sees     bool
	effort   string
	style    string
	branches int
	lang     string
	thread   string
	notes    bool
	maxSteps flagValue[float64]
	resume   string
	budget   event.Budget
	turns    int // questions of the conversation; 0: there is none
	json     bool
	changes  bool
	mode     modeFlags
	tools    toolFlags
	checks   checkFlags
	subcalls subcallFlags
	skills   skillFlags
	repo     repoFlags
}

func (p *program) askCommand() *cobra.Command {
	a := &askCommand{p: p, maxSteps: flagValue[float64]{parse: app.ParseMaxSteps, kind: "number"}}
	cmd := &cobra.Command{
		Use:     `ask ["QUESTION"]`,
		Short:   "Ask a question that code can answer",
		Long:    askLong,
		Example: `  praxis ask "Which region grew fastest?" --file sales.csv --with pandas,matplotlib --out charts`,
		Args:    takes(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.resume != "" {
				return a.printFailure(a.goOn(cmd, args))
			}
			err := errors.Join(a.mode.check(cmd, &a.tools), a.repo.check(cmd))
			if err == nil && a.converses(args) {
				return a.converse(cmd.Context())
			}
			question := ""
			if err == nil {
				question, err = p.readQuestion(args)
			}
			if err == nil {
				err = a.run(cmd.Context(), question)
			}
			return a.printFailure(err)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&a.files, "file", nil, "`PATH` of a file that the question is about (may be repeated)")
	fs.StringVar(&a.out, "out", "", "save charts and files that the code makes in this `DIR`")
	a.registerModel(fs)
	fs.StringVar(&a.repo.dir, "repo", "", "work on the project in this `DIR`, a copy of which is in the session")
	fs.StringVar(&a.style, "style", "", "how the model works: `STYLE` is react (step by step), program (one whole program, rewritten until it is right) or plan-first")
	fs.IntVar(&a.branches, "branches", 0, "make `K` attempts side by side (2 to 16), and answer with the best")
	fs.BoolVar(&a.sees, "sees", false, "the model sees pictures, although its server is not the provider's own")
	a.repo.register(fs)
	fs.StringVar(&a.lang, "lang", "", "the main `LANGUAGE` of the model's code (default python)")
	fs.StringVar(&a.thread, "thread", "", "go on with the conversation called `NAME`, its variables and files")
	fs.BoolVar(&a.notes, "notes", false, "let the model keep notes and find those of all threads (with --thread it can)")
	fs.StringVar(&a.resume, "resume", "", "go on with the question of `RUN`, which broke off")
	fs.BoolVar(&a.changes, "show-changes", false, "show the model which variables each step made, changed and deleted")
	fs.BoolVar(&a.json, "json", false, "print one JSON object an event, the answer last")
	a.flags.register(cmd)
	a.mode.register(cmd, &a.tools)
	a.tools.registerApproval(cmd)
	a.tools.registerNet(cmd)
	a.checks.register(cmd)
	a.subcalls.register(cmd)
	a.skills.register(cmd)
	return cmd
}

// maxQuestion bounds a question in bytes.
const maxQuestion = 1 << 20

// readQuestion returns the question of a command line: its argument, or what is piped
// in when there is none or it is "-".
func (p *program) readQuestion(args []string) (string, error) {
	switch {
	case len(args) > 0 && args[0] != "-":
		return args[0], nil
	case len(args) == 0 && isTerminal(p.stdin):
		return "", usage("praxis ask", "the question is missing")
	}
	text, err := p.readInput(maxQuestion, "Put what the question is about into a file, and name it with --file.")
	if err == nil && len(strings.TrimSpace(string(text))) == 0 {
		err = usage("praxis ask", "the question is missing")
	}
	return strings.TrimSpace(string(text)), err
}

// printFailure writes the last object of a run that did not begin, and returns why.
func (a *askCommand) printFailure(err error) error {
	if f := failureOf(err); f != nil && a.json && !a.p.printedObject && !errors.Is(err, syscall.EPIPE) {
		line := answerLine{Event: "answer", Figures: []event.Figure{}, Reason: f.Message, Remedy: f.Remedy, Files: []app.SavedFile{}, Failure: f}
		err = errors.Join(err, a.p.printJSON(line))
	}
	return err
}

func (a *askCommand) run(ctx context.Context, question string) error {
	if strings.TrimSpace(question) == "" {
		return usage("praxis ask", "the question is empty")
	}
	if a.mode.mode == app.ModePlan {
		if a.style != "" || a.branches != 0 {
			return usage("praxis ask", "--style and --branches are for answers by code: leave them out, or leave --mode plan out")
		}
		return a.plan(ctx, question)
	}
	q := app.AskRequest{
		Question: question, Mode: a.mode.mode, Model: a.model, Fallbacks: a.fallback, Effort: a.effort, Sees: a.sees, Thread: a.thread, Language: a.lang, Notes: a.notes, Strict: a.tools.strict,
		ShowChanges: a.changes, Budget: a.budget, Style: a.style, Branches: a.branches, Skills: a.skills.where, Learn: a.skills.learn, Repo: a.repo.spec(),
		Session: a.flags.session(""), Bounds: a.flags.bounds(), Output: app.Output{Dir: a.out}, Tools: a.tools.spec(a.p),
	}
	q.Tools.Strict = false // that is of plans
	if a.maxSteps.value != nil {
		q.MaxSteps = int(*a.maxSteps.value)
	}
	var err error
	if q.Files, err = app.LocalFiles(a.files); err != nil {
		return err
	}
	if err = a.subcalls.into(&q); err != nil {
		return err
	}
	if q.Net, err = a.tools.netSpec(); err != nil {
		return err
	}
	if q.Checks, err = a.checks.spec(); err != nil {
		return err
	}
	if err := app.PrepareFolder(a.out); err != nil {
		return err
	}
	if err := a.flags.warn(a.p); err != nil {
		return err
	}
	return on(a.p, func(x asker) error {
		return a.ask(ctx, func(ctx context.Context, sink event.Sink) (app.AskResult, error) { return x.Ask(ctx, q, sink) })
	})
}

// reporter shows a run: the screen, or lines of JSON.
type reporter interface {
	event.Sink
	// failed returns the first write that failed.
	failed() error
	// finish shows what is known at the very end.
	finish(e ending) error
}

// ending is how a run ended.
type ending struct {
	run     string
	text    string
	draft   string // without an answer: the last one that was not taken
	found   string // and the last output of code
	figures []event.Figure
	value   json.RawMessage
	steps   int
	tokens  event.Tokens
	repo    *patched // of a project that was worked on
	// incomplete says why the model had to answer before it was done; "": it was.
	incomplete string
	// rehearsed are tools of a plan that were not really called.
	rehearsed []string
	made      app.Made
	out       string // the folder of --out
	err       error  // why there is no answer
	unsaved   error  // why not all that code made is saved
}

func (a *askCommand) reporter() reporter {
	if a.json {
		return jsonReporter{format.NewJSONLines(a.p.stdout)}
	}
	s := tui.NewScreen(a.p.stdout, a.p.colours(a.p.stdout), width(a.p.stdout), app.Languages())
	if isTerminal(a.p.stdout) {
		s.Wrap = s.Style.Width
	}
	s.Image, s.Talk = a.flags.inPlace(a.p, a.p.stdout), a.turns
	if isTerminal(a.p.stdout) && a.p.getenv("TERM") != "dumb" {
		s.Watch()
		a.p.waits = s.Wait
		if prices, err := app.LoadPrices(a.p.getenv); err == nil { // what is wrong with it is said where a price is needed
			s.Cost = prices.Cost
		}
	}
	return screenReporter{s}
}

// cancelling ends a run when nobody reads its report any more.
func cancelling(rep reporter, broken func(error)) event.Sink {
	return event.SinkFunc(func(e event.Event) {
		rep.Emit(e)
		if err := rep.failed(); err != nil {
			broken(err)
		}
	})
}

func (a *askCommand) ask(ctx context.Context, answer func(context.Context, event.Sink) (app.AskResult, error)) error {
	rep := a.reporter()
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	out, err := answer(runCtx, a.p.watch(cancelling(rep, broken)))
	a.p.settled()
	if out.Run == "" {
		return err
	}
	if err != nil && errorCode(err) == exitInterrupted {
		err = cut{out.Steps}
	}
	if err != nil && out.Steps > 0 {
		err = brokenOff{err, out.Run, len(a.tools.tools) > 0}
	}
	project, undelivered := a.deliver(out.Repo)
	unsaved := errors.Join(out.Unsaved, undelivered)
	a.p.printedObject = a.p.printedObject || a.json
	e := ending{run: out.Run, text: out.Text, draft: out.Draft, found: out.Found, figures: out.Figures, value: out.Value, steps: out.Steps, tokens: out.Tokens, incomplete: out.Incomplete, made: out.Made, out: a.out, err: err, unsaved: unsaved, repo: project}
	if err := rep.finish(e); err != nil {
		return errors.Join(err, unsaved) // nobody reads: that it was cancelled says nothing more
	}
	if err = errors.Join(err, unsaved); err == nil && answerStatus(e) == event.Unverified {
		return exitStatus{exitUnverified}
	}
	return err
}

type screenReporter struct{ *tui.Screen }

func (s screenReporter) failed() error { return s.Err }

func (s screenReporter) finish(e ending) error {
	hint := madeHint(e.made, e.out)
	if e.repo != nil {
		if hint = strings.TrimSuffix(e.repo.said, "\n"); e.repo.Nothing != "" {
			s.Screen.Say(e.repo.Nothing)
		}
		if e.repo.Diff != "" {
			s.Screen.Patch([]byte(e.repo.Diff))
		}
	}
	if hint != "" {
		hint = "\n" + hint
	}
	if e.err != nil && errorCode(e.err) == exitInterrupted {
		s.Screen.NoAnswer, s.Screen.Totals, hint = false, "", "" // the person knows, and reads where
	}
	if s.Screen.Totals != "" {
		s.Screen.Totals += ", run " + e.run
	}
	return s.Screen.Finish(hint)
}

type jsonReporter struct{ *format.JSONLines }

func (j jsonReporter) failed() error { return j.Err }

func (j jsonReporter) finish(e ending) error {
	line := answerLine{
		Event: "answer", Run: e.run, Answered: e.err == nil, Status: answerStatus(e), Text: e.text, Value: e.value, Figures: orEmpty(e.figures),
		Draft: e.draft, Found: e.found, Rehearsed: e.rehearsed, Incomplete: e.incomplete, Steps: e.steps, Tokens: e.tokens, Files: orEmpty(e.made.Saved), Failure: failureOf(errors.Join(e.err, e.unsaved)),
		Repo: e.repo,
	}
	if f := failureOf(e.err); f != nil {
		line.Reason, line.Remedy = f.Message, f.Remedy
	}
	j.Write(line)
	if j.Err != nil {
		return fmt.Errorf("cannot write: %w", j.Err)
	}
	return nil
}

// answerStatus is how the run of a question ended: "" where that is said by the event before.
func answerStatus(e ending) event.RunStatus {
	switch {
	case e.err != nil:
		return ""
	case e.incomplete != "" || len(event.Untraced(e.figures)) > 0:
		return event.Unverified
	}
	return event.Answered
}

// answerLine is the last object of ask --json, also when there is no answer.
type answerLine struct {
	Event    string `json:"event"` // "answer"
	Answered bool   `json:"answered"`
	// Status is that of the run: answered, unverified, or else why not in a word.
	Status event.RunStatus `json:"status,omitempty"`
	Text   string          `json:"text"`
	// Value is the answer as JSON, where it is more than a text.
	Value   json.RawMessage `json:"value,omitempty"`
	Figures []event.Figure  `json:"figures"`
	Reason  string          `json:"reason,omitempty"` // why there is none
	Remedy  string          `json:"remedy,omitempty"`
	Draft   string          `json:"draft,omitempty"` // without an answer: the last one that was not taken
	Found   string          `json:"found,omitempty"` // and the last output of code
	// Rehearsed are tools that were not really called.
	Rehearsed []string `json:"rehearsed,omitempty"`
	// Incomplete says why the model had to answer before it was done; "": it was.
	Incomplete string `json:"incomplete,omitempty"`
	// Repo is what came of the project that was worked on.
	Repo    *patched        `json:"repo,omitempty"`
	Steps   int             `json:"steps"`
	Tokens  event.Tokens    `json:"tokens"`
	Files   []app.SavedFile `json:"files"`
	Run     string          `json:"run"`     // its id in the journal; empty when it did not begin
	Failure *fault.Error    `json:"failure"` // no answer, or not all that code made is saved
}
