package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/event"
	"praxis/internal/fault"
	"praxis/internal/llm"
	"praxis/internal/session"
)

const askLong = `Asks a question. The model answers it by writing code, which runs in a sandbox;
what the code prints goes back to the model, errors too, until it gives an
answer. The figures of the answer are filled in from values in the sandbox, and
those that no code computed are pointed out.

The model is the one of --model, of PRAXIS_MODEL, of the configuration file, or
what ANTHROPIC_API_KEY or OPENAI_API_KEY allow. OPENAI_BASE_URL makes openai: a
local server. "scripted:FILE" plays replies from a file.`

type askCommand struct {
	p        *program
	flags    sessionFlags
	files    []string
	out      string
	model    string
	maxSteps flagValue[float64]
	json     bool
	own      []ownFile // what run found of the files above and the model's script
}

func (p *program) askCommand() *cobra.Command {
	a := &askCommand{p: p, maxSteps: flagValue[float64]{parse: config.MaxSteps.Parse, kind: "number"}}
	cmd := &cobra.Command{
		Use:     `ask "QUESTION"`,
		Short:   "Ask a question that code can answer",
		Long:    askLong,
		Example: `  praxis ask "Which region grew fastest?" --file sales.csv --with pandas,matplotlib --out charts`,
		Args:    takes(1, 1, "the question"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.tell(a.run(cmd.Context(), args[0])) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&a.files, "file", nil, "`PATH` of a file that the question is about (may be repeated)")
	fs.StringVar(&a.out, "out", "", "save charts and files that the code makes in this `DIR`")
	fs.StringVar(&a.model, "model", "", "the model, as `PROVIDER:NAME`")
	fs.Var(&a.maxSteps, "max-steps", "how many turns the model may take (default 10)")
	fs.BoolVar(&a.json, "json", false, "print one JSON object an event, the answer last")
	a.flags.register(cmd)
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
		w, err := e.open(ctx, a.flags.options(), a.p.progress())
		a.p.settled()
		if err != nil {
			return err
		}
		defer a.p.closing(w, &err)
		return a.ask(ctx, cfg, model, w, question, inputs)
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

// ask runs the agent in a session that is open.
func (a *askCommand) ask(ctx context.Context, cfg config.Config, model llm.Model, w workspace, question string, inputs []input) error {
	files, err := agentFiles(inputs)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Note != "" {
			if _, err := fmt.Fprintf(a.p.stderr, "praxis: file %s %s\n", cleanLine(f.Name), f.Note); err != nil {
				return err
			}
		}
	}
	if err := putInputs(ctx, w, inputs); err != nil {
		return err
	}
	col := collector{dir: a.out, guard: a.own}
	if err := col.begin(ctx, w); err != nil {
		return err
	}
	rep := a.reporter()
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	gallery := &gallery{next: rep, broken: broken}
	answer, runErr := agent.Run(runCtx, agent.Config{
		Model:    model,
		Session:  &asked{w: w, bounds: a.flags.exec(cfg.Execution), inputs: inputs, begin: col.begin},
		Sink:     gallery,
		MaxSteps: cfg.Ask.MaxSteps,
		Files:    files,
		Packages: w.packages(),
	}, question)
	after, stop := context.WithTimeout(context.WithoutCancel(ctx), outTime)
	defer stop()
	if ctx.Err() == nil {
		after = ctx
	}
	found, err := col.end(after, w, gallery.pictures, gallery.gone)
	outErr := asUnsaved(err)
	for _, f := range found.saved {
		rep.Emit(event.FileSaved{Path: f.Path, Bytes: f.Bytes})
	}
	if runErr != nil && errorCode(runErr) == exitInterrupted {
		runErr = cut{answer.Steps}
	}
	a.p.told = a.p.told || a.json
	if err := rep.finish(ending{answer, found, runErr, outErr}); err != nil {
		return errors.Join(err, outErr) // nobody reads: that it was cancelled says nothing more
	}
	return errors.Join(runErr, outErr)
}

// asked is the session as the agent sees it.
type asked struct {
	w      workspace
	bounds session.Exec
	inputs []input
	begin  func(context.Context, workspace) error // remembers what files there are
}

// Execute runs code in the session. One that was started anew gets the person's
// files again, as the agent tells the model.
func (s *asked) Execute(ctx context.Context, code string, sink event.Sink) (event.Execution, error) {
	x, err := s.w.execute(ctx, code, s.bounds, sink)
	if err != nil || x.State != event.Fresh || ctx.Err() != nil {
		return x, err
	}
	if err = putInputs(ctx, s.w, s.inputs); err == nil {
		err = s.begin(ctx, s.w)
	}
	if err != nil {
		return x, fault.New(fault.Unavailable, "Ask again.", "cannot go on in a session that was started anew: %w", err)
	}
	return x, nil
}

// agentFiles describes the person's files for the model.
func agentFiles(inputs []input) ([]agent.File, error) {
	var out []agent.File
	for _, in := range inputs {
		head, note, err := preview(in)
		if err != nil {
			return nil, err
		}
		out = append(out, agent.File{Name: in.name, Path: path.Join(workDir, in.name), Bytes: in.bytes, Preview: head, Note: note})
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
	return s.screen.finish(hint)
}

type jsonReporter struct{ *jsonLines }

func (j jsonReporter) failed() error { return j.err }

func (j jsonReporter) finish(e ending) error {
	line := answerLine{
		Event: "answer", Answered: e.err == nil, Text: e.answer.Text, Figures: orEmpty(e.answer.Figures),
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
