package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/record/journal"
	"praxis/internal/run"
	"praxis/internal/safetext"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
)

const askLong = `Asks a question. The model answers it by writing code, which runs in a sandbox;
what the code prints goes back to the model, errors too, until it gives an
answer. The figures of the answer are filled in from values in the sandbox, and
those that no code computed are pointed out.

The model is the one of --model, of PRAXIS_MODEL, of the configuration file, or
what ANTHROPIC_API_KEY or OPENAI_API_KEY allow. OPENAI_BASE_URL makes openai: a
local server. "scripted:FILE" plays replies from a file.

With --tools the code may call the tools that these files declare. With --mode
tools the model calls them itself, one native call after the other, and has no
code and nothing else; with --mode both it does either. See "praxis tools --help".

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
	thread   string
	notes    bool
	maxSteps flagValue[float64]
	json     bool
	own      []ownFile // what run found of the files above and the model's script
	planAsk  planAsk
	tools    toolFlags
}

func (p *program) askCommand() *cobra.Command {
	a := &askCommand{p: p, maxSteps: flagValue[float64]{parse: config.MaxSteps.Parse, kind: "number"}}
	cmd := &cobra.Command{
		Use:     `ask "QUESTION"`,
		Short:   "Ask a question that code can answer",
		Long:    askLong,
		Example: `  praxis ask "Which region grew fastest?" --file sales.csv --with pandas,matplotlib --out charts`,
		Args:    takes(1, 1, "the question"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.planAsk.check(cmd)
			if err == nil {
				err = a.run(cmd.Context(), args[0])
			}
			return a.tell(err)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&a.files, "file", nil, "`PATH` of a file that the question is about (may be repeated)")
	fs.StringVar(&a.out, "out", "", "save charts and files that the code makes in this `DIR`")
	fs.StringVar(&a.model, "model", "", "the model, as `PROVIDER:NAME`")
	fs.StringVar(&a.thread, "thread", "", "go on with the conversation called `NAME`, its variables and files")
	fs.BoolVar(&a.notes, "notes", false, "let the model keep notes and find those of all threads (with --thread it can)")
	fs.Var(&a.maxSteps, "max-steps", "how many turns the model may take (default 10)")
	fs.BoolVar(&a.json, "json", false, "print one JSON object an event, the answer last")
	a.flags.register(cmd)
	a.planAsk.register(cmd)
	a.tools.register(cmd)
	a.tools.registerNet(cmd)
	return cmd
}

// tell writes the last object of a run that did not begin, and returns why.
func (a *askCommand) tell(err error) error {
	if f := failureOf(err); f != nil && a.json && !a.p.told && !errors.Is(err, syscall.EPIPE) {
		line := answerLine{Event: "answer", Figures: []event.Figure{}, Reason: f.Message, Remedy: f.Remedy, Files: []savedFile{}, Failure: f}
		err = errors.Join(err, a.p.printJSON(line))
	}
	return err
}

func (a *askCommand) run(ctx context.Context, question string) error {
	cfg, err := a.p.config()
	if err != nil {
		return err
	}
	if strings.TrimSpace(question) == "" {
		return usage("praxis ask", "the question is empty")
	}
	name, err := chooseModel(a.model, cfg, a.p.getenv)
	if err != nil {
		return err
	}
	if a.planAsk.mode == "" {
		a.planAsk.mode = modeCode
	}
	if a.planAsk.mode == modePlan {
		return a.plan(ctx, cfg, question, name)
	}
	inputs, err := checkInputs(a.files)
	if err != nil {
		return err
	}
	if err := prepareOut(a.out); err != nil {
		return err
	}
	if err := a.flags.warn(a.p.stderr); err != nil {
		return err
	}
	a.own = ownFiles(append(slices.Clone(a.files), a.flags.requirements)...)
	if script, ok := strings.CutPrefix(name, "scripted:"); ok {
		a.own = append(a.own, ownFiles(script)...)
	}
	if a.maxSteps.value != nil {
		cfg.Ask.MaxSteps = int(*a.maxSteps.value)
	}
	return a.p.withEngine(ctx, cfg, func(e engine) (err error) {
		model, err := e.model(name)
		if err != nil {
			return err
		}
		t := &asking{askCommand: a, cfg: cfg, e: e, model: model, question: question, inputs: inputs}
		if t.tooling, err = a.p.openTooling(ctx, cfg, e.records(), e, &a.tools, &a.planAsk.rules); err != nil {
			return err
		}
		defer a.p.closing(t.tooling, &err)
		if a.planAsk.mode != modeCode && !t.tooling.has() {
			return fault.New(fault.Invalid, "Declare some, or ask with --mode code.", "cannot ask with --mode %s: the files of --tools declare no tools", a.planAsk.mode)
		}
		if err = t.ask(ctx); t.w != nil {
			a.p.closing(t.w, &err)
		}
		return err
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
	answer  agent.Answer
	found   collected
	err     error // why there is no answer
	unsaved error // why not all that code made is saved
}

func (a *askCommand) reporter() reporter {
	if a.json {
		return jsonReporter{newJSONLines(a.p.stdout)}
	}
	s := newScreen(a.p.stdout, a.p.colours(a.p.stdout), width(a.p.stdout))
	if isTerminal(a.p.stdout) {
		s.wrap = s.style.width
	}
	if isTerminal(a.p.stdout) && a.p.getenv("TERM") != "dumb" {
		s.wait = &waitLine{w: a.p.stdout, style: s.style}
	}
	return screenReporter{s}
}

// asking is one run of the command.
type asking struct {
	*askCommand
	cfg      config.Config
	e        engine
	model    llm.Model
	question string
	inputs   []input
	tooling  *tooling
	w        workspace // open when the run came so far

	rec   *journal.Recorder
	col   collector
	found collected
	talk  *thread // nil: the question stands alone
}

// ask lets the agent answer in a fresh session.
func (t *asking) ask(ctx context.Context) error {
	p := t.p
	inputs, err := runInputs(t.inputs)
	if err != nil {
		return err
	}
	for _, f := range inputs {
		if f.Note != "" {
			if _, err := fmt.Fprintf(p.stderr, "praxis: file %s %s\n", safetext.Line(f.Name), f.Note); err != nil {
				return err
			}
		}
	}
	rep := t.reporter()
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	gallery := &gallery{next: rep, broken: broken}
	began := t.began()
	runCtx, rec, err := t.e.records().Journal.Begin(runCtx, began, gallery)
	if err != nil {
		return err
	}
	t.rec, t.col = rec, collector{dir: t.out, guard: t.own}
	keepErr := keepRules(runCtx, rec, t.tooling.rules)
	agentCfg := agent.Config{Model: t.model, Store: rec.Store, Load: t.e.records().Content}
	if t.thread != "" || t.notes {
		agentCfg.Notes = notes{t.e.records().Memory, rec.ID(), t.thread}
	}
	keepErr = errors.Join(keepErr, t.offer(runCtx, rec, &agentCfg))
	task := run.Task{
		Began: began, Inputs: inputs, Snapshots: t.cfg.Journal.Snapshots,
		Open: func(ctx context.Context) (run.Session, error) {
			if keepErr != nil {
				return nil, keepErr
			}
			return t.open(ctx, &agentCfg)
		},
		Ready:  func(ctx context.Context) error { return t.col.begin(ctx, t.w) },
		Finish: func(_ context.Context, r run.Result) error { return t.finish(ctx, r, gallery) },
	}
	if t.planAsk.mode == modeTools && keepErr == nil {
		task.Open, task.Finish = nil, nil
	}
	answer, outErr, runErr := run.Ask(runCtx, task, &agentCfg, observed{rec, t.tooling.desk})
	if runErr != nil && errorCode(runErr) == exitInterrupted {
		runErr = cut{answer.Steps}
	}
	outErr = errors.Join(outErr, rec.Close(), tidy(context.WithoutCancel(ctx), t.e, t.cfg.Journal.SnapshotBytes))
	p.told = p.told || t.json
	if err := rep.finish(ending{rec.ID(), answer, t.found, runErr, outErr}); err != nil {
		return errors.Join(err, outErr) // nobody reads: that it was cancelled says nothing more
	}
	return errors.Join(runErr, outErr)
}

// open opens the session, and the conversation that belongs to it.
func (t *asking) open(ctx context.Context, cfg *agent.Config) (run.Session, error) {
	w, err := t.e.open(ctx, t.flags.options().named(t.thread), t.p.progress())
	t.p.settled()
	if err != nil {
		return nil, err
	}
	t.w = w
	if err := t.tooling.offered(ctx, w, true); err != nil {
		return nil, err
	}
	if t.thread == "" {
		return runSession{w: w}, nil
	}
	if t.talk, err = openThread(ctx, t.e.records(), t.thread); err != nil {
		return nil, err
	}
	cfg.History = t.talk.history
	if text := t.talk.moved(w.describe()); text != "" {
		cfg.Changed = text
		if _, err := fmt.Fprintf(t.p.stderr, "praxis: %s\n", text); err != nil {
			return nil, err
		}
	}
	return runSession{w: w}, nil
}

// offer makes what the model and its code may call.
func (t *asking) offer(ctx context.Context, rec *journal.Recorder, cfg *agent.Config) error {
	origins := map[string][]gate.Origin{modeCode: {gate.Code}, modeTools: {gate.Model}, modeBoth: {gate.Code, gate.Model}}[t.planAsk.mode]
	if err := t.tooling.begin(ctx, rec.ID(), rec, t.e.records().Journal.Redact, nil, origins...); err != nil {
		return err
	}
	if t.planAsk.mode != modeTools {
		cfg.Guide = t.tooling.desk.Guide(t.tooling.egress.Strings())
	}
	if t.planAsk.mode == modeCode {
		return nil
	}
	var err error
	cfg.Tools, err = t.tooling.desk.Native(t.planAsk.mode == modeBoth)
	return err
}

// observed is a recorder whose events the tools of the run see first.
type observed struct {
	*journal.Recorder
	desk *bridge.Desk
}

// Emit records an event.
func (o observed) Emit(e event.Event) {
	if o.desk != nil {
		o.desk.Observe(e)
	}
	o.Recorder.Emit(e)
}

// finish takes out of the session what is to stay. A thread stays as it was
// when there is no answer.
func (t *asking) finish(ctx context.Context, r run.Result, g *gallery) error {
	after, stop := afterwards(ctx)
	defer stop()
	found, err := t.col.end(after, t.w, g.pictures, g.gone)
	t.found = found
	for _, f := range found.saved {
		t.rec.Emit(event.FileSaved{Path: f.Path, Bytes: f.Bytes})
	}
	if t.talk != nil && r.Err == nil {
		question := t.e.records().Journal.Redact(t.question)
		err = errors.Join(err, t.talk.save(after, t.w, t.rec, t.rec.ID(), question, r.Answer))
	}
	return asUnsaved(err)
}

// waitingTime is the wall time of an execution that may wait for somebody's
// leave; its processor time stays as it is.
const waitingTime = 15 * time.Minute

// bounds are those of each execution. Where code may have to wait for a call,
// the wall time is long and the processor's is what it was.
func (t *asking) bounds() event.Bounds {
	b := t.flags.bounds(t.cfg.Execution)
	if t.tooling.has() && t.flags.timeout.value == nil {
		if b.CPU == 0 {
			b.CPU = b.Timeout
		}
		b.Timeout = event.Duration(waitingTime)
	}
	return b
}

// began describes the run that begins.
func (t *asking) began() event.RunBegan {
	mode := t.planAsk.mode
	if mode == modeCode {
		mode = ""
	}
	return event.RunBegan{
		Kind: event.Ask, Mode: mode, Question: strings.TrimSpace(t.question), Model: t.model.Name(),
		Scripted: strings.HasPrefix(t.model.Name(), "scripted:"), Files: inputNames(t.inputs), MaxSteps: t.cfg.Ask.MaxSteps,
		Bounds: t.bounds(), Tools: t.tooling.pins(), Net: t.tooling.egress.Strings(), Budget: event.Budget{Reply: agent.DefaultMaxTokens, Run: agent.DefaultTotalTokens, Window: t.cfg.Ask.Window},
		Seed: t.flags.seed.value, Thread: t.thread, Program: t.p.version,
	}
}

// afterwards returns the context of what comes after the code. What it made is
// saved even when the command was cancelled, but not for ever.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), outTime)
}

// runInputs describes inputs for a run and for its model.
func runInputs(inputs []input) ([]run.Input, error) {
	out := plainInputs(inputs)
	for i, in := range inputs {
		var err error
		if out[i].Preview, out[i].Note, err = preview(in); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// gallery keeps the pictures that pass by, bounded, and ends the run when
// nobody reads its report any more.
type gallery struct {
	next     reporter
	broken   func(error)
	pictures []picture
	bytes    int
	gone     bool // the session's files are
}

// maxGallery bounds the memory that pictures of one run take.
const maxGallery = 256 << 20

// Emit passes an event on.
func (g *gallery) Emit(e event.Event) {
	if x, ok := e.(event.ExecutionEnded); ok {
		for _, p := range pictures(x.Execution) {
			if g.bytes += len(p.data); g.bytes <= maxGallery {
				g.pictures = append(g.pictures, p)
			}
		}
		g.gone = g.gone || x.Execution.State == event.Gone
	}
	g.next.Emit(e)
	if err := g.next.failed(); err != nil {
		g.broken(err)
	}
}

type screenReporter struct{ *screen }

func (s screenReporter) failed() error { return s.err }

func (s screenReporter) finish(e ending) error {
	hint := e.found.hint()
	if hint != "" {
		hint = "\n" + hint
	}
	if e.err != nil && errorCode(e.err) == exitInterrupted {
		s.screen.noAnswer, s.screen.totals, hint = false, "", "" // the person knows, and hears where
	}
	if s.screen.totals != "" {
		s.screen.totals += ", run " + e.run
	}
	return s.screen.finish(hint)
}

type jsonReporter struct{ *jsonLines }

func (j jsonReporter) failed() error { return j.err }

func (j jsonReporter) finish(e ending) error {
	line := answerLine{
		Event: "answer", Run: e.run, Answered: e.err == nil, Text: e.answer.Text, Figures: orEmpty(e.answer.Figures),
		Steps: e.answer.Steps, Tokens: e.answer.Tokens, Files: orEmpty(e.found.saved), Failure: failureOf(errors.Join(e.err, e.unsaved)),
	}
	if f := failureOf(e.err); f != nil {
		line.Reason, line.Remedy = f.Message, f.Remedy
	}
	j.write(line)
	if j.err != nil {
		return fmt.Errorf("cannot write: %w", j.err)
	}
	return nil
}
