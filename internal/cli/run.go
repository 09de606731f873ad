package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/run"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
)

const runLong = `Runs Python code in a sandbox: a FILE, the CODE after -c, or what is piped in
("-" says so). What the code prints is printed as it comes, and the value of the
last expression at the end.

Files given with --file are copied into the code's working folder, /work. Files
that the code writes or changes there, and pictures that it displays
(figure-1.png, …; display-1.html for what has nothing but HTML), are saved in
the folder of --out, where they take the place of files of the same name; files
that the command line names to be read are never overwritten, and a name that
begins with "." begins with "_" there. Output that is too long to be shown is
there in full, as output.txt.

What the code writes to standard error comes out on standard error, beside the
lines of praxis itself, and code can write lines that look like those. Where
that matters use --json: there each thing has a key of its own, and only what
stands there is what praxis says.

Threads that the code leaves are waited for within the time limit, as python
does, but for daemon threads.

With --session, variables and files are kept under that name, on disk, between
commands. See "praxis help exit-codes" for the exit codes.`

type runCommand struct {
	p       *program
	flags   sessionFlags
	code    string
	files   []string
	out     string
	session string
	json    bool
	rules   ruleFlags
	tools   toolFlags
}

func (p *program) runCommand() *cobra.Command {
	r := &runCommand{p: p}
	cmd := &cobra.Command{
		Use:     "run [FILE]",
		Short:   "Run code in a sandbox",
		Long:    runLong,
		Example: "  praxis run -c 'sum(range(10))'\n  praxis run plot.py --file sales.csv --with pandas,matplotlib --out charts\n  praxis run --session work -c 'x = 1'",
		Args:    takes(0, 1, ""),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var inline *string
		if cmd.Flags().Changed("code") {
			inline = &r.code
		}
		return r.run(cmd.Context(), inline, args)
	}
	fs := cmd.Flags()
	fs.StringVarP(&r.code, "code", "c", "", "run this `CODE`")
	fs.StringArrayVar(&r.files, "file", nil, "copy the file at `PATH` into the working folder (may be repeated)")
	fs.StringVar(&r.out, "out", "", "save what the code makes in this `DIR`")
	fs.StringVar(&r.session, "session", "", "keep variables and files under this `NAME`")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	r.flags.register(cmd)
	r.rules.registerFiles(cmd)
	r.tools.register(cmd)
	r.tools.registerNet(cmd)
	return cmd
}

func (r *runCommand) run(ctx context.Context, inline *string, args []string) error {
	cfg, err := r.p.config()
	if err != nil {
		return err
	}
	inputs, err := checkInputs(r.files)
	if err != nil {
		return err
	}
	code, err := r.p.readCode(inline, args)
	if err != nil {
		return err
	}
	if err := prepareOut(r.out); err != nil {
		return err
	}
	if err := r.flags.warn(r.p.stderr); err != nil {
		return err
	}
	own := ownFiles(append(slices.Concat(r.files, args), r.flags.requirements)...)
	return r.p.withEngine(ctx, cfg, func(e engine) (err error) {
		t := &running{runCommand: r, cfg: cfg, e: e, inputs: inputs, code: code, own: own}
		if t.tooling, err = r.p.openTooling(ctx, cfg, e.records(), e, &r.tools, &r.rules); err != nil {
			return err
		}
		defer r.p.closing(t.tooling, &err)
		if err = t.execute(ctx); t.w != nil {
			r.p.closing(t.w, &err)
		}
		return err
	})
}

// named returns o for the session of that name.
func (o sessionOptions) named(name string) sessionOptions {
	o.name = name
	return o
}

// withSession opens the engine and a session for f and closes both.
func (p *program) withSession(ctx context.Context, cfg config.Config, o sessionOptions, f func(workspace) error) error {
	return p.withEngine(ctx, cfg, func(e engine) (err error) {
		w, err := e.open(ctx, o, p.progress())
		p.settled()
		if err != nil {
			return err
		}
		defer p.closing(w, &err)
		return f(w)
	})
}

// closing closes c at the end of a function. What goes wrong is the function's
// error, or is told beside it: an exit code that speaks for the code that ran
// must not hide it.
func (p *program) closing(c io.Closer, err *error) {
	closeErr := c.Close()
	if *err == nil {
		*err = closeErr
		return
	}
	report(p.stderr, closeErr)
}

// withEngine opens the engine for f and closes it.
func (p *program) withEngine(ctx context.Context, cfg config.Config, f func(engine) error) (err error) {
	e, err := p.openEngine(ctx, cfg)
	if err != nil {
		return err
	}
	defer p.closing(e, &err)
	return f(e)
}

// running is one run of the command.
type running struct {
	*runCommand
	cfg    config.Config
	e      engine
	inputs []input
	code   string
	own    []ownFile
	col    collector
	w      workspace // open when the run came so far

	tooling *tooling

	found collected
	note  string
	saved string // the snapshot of a named session
}

func (t *running) execute(ctx context.Context) error {
	printer := newPrinter(t.p.stdout, t.p.stderr)
	printer.alone = t.session == ""
	sink := event.Sink(printer)
	if t.json {
		sink = event.Discard
	}
	if t.session == "" {
		sink = wholeSink(sink, t.out)
	}
	// When nobody reads any more, the code is interrupted; its state is saved.
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	printer.broken = broken
	began := t.began()
	runCtx, rec, err := t.e.records().Journal.Begin(runCtx, began, sink)
	if err != nil {
		return err
	}
	t.col = collector{dir: t.out, guard: t.own}
	offerErr := errors.Join(keepRules(runCtx, rec, t.tooling.rules),
		t.tooling.begin(runCtx, rec.ID(), rec, t.e.records().Journal.Redact, nil, gate.Code))
	x, kept, err := run.Code(runCtx, run.Task{
		Began: began, Inputs: plainInputs(t.inputs),
		Open: func(ctx context.Context) (run.Session, error) {
			if offerErr != nil {
				return nil, offerErr
			}
			t.w, err = t.e.open(ctx, t.flags.options().named(t.session), t.p.progress())
			t.p.settled()
			if err == nil {
				err = t.tooling.offered(ctx, t.w, true)
			}
			return runSession{w: t.w, interrupts: &t.p.interrupts}, err
		},
		Ready:  func(ctx context.Context) error { return t.col.begin(ctx, t.w) },
		Finish: func(_ context.Context, r run.Result) error { return t.finish(ctx, r.Execution, rec) },
	}, t.code, t.session == "", observed{rec, t.tooling.desk})
	kept = errors.Join(kept, asUnsaved(rec.Close()))
	if err != nil {
		return errors.Join(printer.err, err)
	}
	if printer.err == nil {
		printer.err = t.summary(x, rec.ID(), kept)
	}
	if err := errors.Join(printer.err, kept); err != nil {
		return err
	}
	if code := statusCode(x.Status); code != exitOK {
		return fate{code}
	}
	return nil
}

// began describes the run that begins.
func (t *running) began() event.RunBegan {
	return event.RunBegan{
		Kind: event.Code, Question: firstLine(t.code), Files: inputNames(t.inputs),
		Bounds: t.flags.bounds(t.cfg.Execution), Seed: t.flags.seed.value, Program: t.p.version,
		Tools: t.tooling.pins(), Net: t.tooling.egress.Strings(),
	}
}

// firstLine is what names a piece of code in a list.
func firstLine(code string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(code), "\n")
	return strings.TrimSpace(line)
}

// finish takes out of the session what is to stay.
func (t *running) finish(ctx context.Context, x event.Execution, rec run.Recorder) error {
	if x.State == "" {
		return nil
	}
	after, stop := afterwards(ctx)
	defer stop()
	t.col.whole = x.OutputFile
	found, outErr := t.col.end(after, t.w, pictures(x), noFiles(x.State))
	t.found = found
	for _, f := range found.saved {
		rec.Emit(event.FileSaved{Path: f.Path, Bytes: f.Bytes})
	}
	return asUnsaved(errors.Join(outErr, t.keep(after, x, rec)))
}

// keep saves a named session. State that was lost is not saved over the last
// snapshot: the session then stands where it stood before the command.
func (t *running) keep(ctx context.Context, x event.Execution, rec run.Recorder) (err error) {
	if t.session == "" {
		return nil
	}
	if x.State != event.Kept {
		t.note = "session " + t.session + " stays as it was before this command: of what the code changed, nothing is kept"
		return nil
	}
	if t.saved, err = t.w.save(ctx, t.e.records().Journal.Redact(t.code)); err == nil {
		rec.Emit(event.SnapshotTaken{Step: 1, Session: x.Session, Snapshot: t.saved})
	}
	return err
}

// runResult is the object of run --json. What event.Execution leaves out when
// it is empty is there all the same, so that a reader need not ask.
type runResult struct {
	Run string `json:"run"` // its id in the journal
	event.Execution
	Result   event.Bundle   `json:"result"`
	Displays []event.Bundle `json:"displays"`
	Error    *event.Raised  `json:"error"`
	Session  string         `json:"session"`
	Snapshot string         `json:"snapshot"`
	Files    []savedFile    `json:"files"`
	Note     string         `json:"note,omitempty"`
	Failure  *fault.Error   `json:"failure"` // to save what the code made
}

func (t *running) summary(x event.Execution, id string, kept error) error {
	found := t.found
	if t.json {
		if t.session == "" || x.State != event.Kept {
			x.Message = x.Cause() // nothing of it is there after this command
		}
		if t.session == "" {
			x.Stdout, x.Stderr, x.OutputFile = wholeIn(x.Stdout, t.out), wholeIn(x.Stderr, t.out), ""
		} else {
			x.Session = t.session
		}
		return t.p.printJSON(runResult{
			Run: id, Execution: x, Result: x.Result, Displays: orEmpty(x.Displays), Error: x.Error,
			Session: x.Session, Snapshot: t.saved, Files: orEmpty(found.saved), Note: t.note,
			Failure: failureOf(kept),
		})
	}
	lines := []string{t.note}
	for _, f := range found.saved {
		lines = append(lines, fmt.Sprintf("saved %s (%s)", safetext.Line(f.Path), safetext.Size(f.Bytes)))
	}
	for _, line := range append(lines, found.hint()) {
		if line != "" {
			if _, err := fmt.Fprintf(t.p.stderr, "praxis: %s\n", line); err != nil {
				return err
			}
		}
	}
	return nil
}

// orEmpty makes a list that JSON writes as [] rather than null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// printJSON writes one object on one line.
func (p *program) printJSON(v any) error {
	p.told = true
	return newEncoder(p.stdout).Encode(v)
}

// printer shows an execution as an interpreter at a prompt would.
type printer struct {
	stdout, stderr io.Writer
	column         [2]bool     // whether the last line of stdout, stderr is open
	alone          bool        // the session ends with the code
	err            error       // the first write that failed
	broken         func(error) // hears of it; may be nil
}

func newPrinter(stdout, stderr io.Writer) *printer {
	return &printer{stdout: guestWriter(stdout), stderr: guestWriter(stderr)}
}

// Emit shows output as it comes, and displayed values between it.
func (p *printer) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Output:
		p.write(e.Stream, e.Data)
	case event.Display:
		p.value(e.Bundle)
	case event.ExecutionEnded:
		if x := e.Execution; x.State != "" && p.err == nil {
			if p.alone || x.State != event.Kept {
				x.Message = x.Cause() // nothing of it is there after this command
			}
			p.err = p.end(x)
		}
	}
}

func (p *printer) write(s event.Stream, data []byte) {
	if len(data) == 0 || p.err != nil {
		return
	}
	w, i := p.stdout, 0
	if s == event.Stderr {
		w, i = p.stderr, 1
	}
	p.column[i] = data[len(data)-1] != '\n'
	if _, p.err = w.Write(data); p.err != nil && p.broken != nil {
		p.broken(p.err)
	}
}

// line writes a text on lines of its own.
func (p *printer) line(s event.Stream, text string) {
	i := 0
	if s == event.Stderr {
		i = 1
	}
	if p.column[i] {
		p.write(s, []byte("\n"))
	}
	p.write(s, []byte(strings.TrimRight(text, "\n")+"\n"))
}

// value prints a bundle as text. A picture has none worth printing: it is a file.
func (p *printer) value(b event.Bundle) {
	if _, ok := pictureOf(b); ok {
		return
	}
	if text := textOf(b); text != "" {
		p.line(event.Stdout, text)
	}
}

// end shows the value of the last expression, the traceback, and what ended the code.
func (p *printer) end(x event.Execution) error {
	p.value(x.Result)
	if x.Error != nil {
		text := x.Error.Traceback
		if text == "" {
			text = strings.TrimSuffix(x.Error.Name+": "+x.Error.Value, ": ")
		}
		p.line(event.Stderr, text)
	}
	if message, remedy := explain(x); message != "" && p.err == nil {
		if p.column[1] {
			p.write(event.Stderr, []byte("\n"))
		}
		var b strings.Builder
		tell(&b, message, remedy)
		_, p.err = io.WriteString(p.stderr, b.String())
	}
	for _, w := range []io.Writer{p.stdout, p.stderr} {
		if c, ok := w.(*cleaner); ok && p.err == nil {
			p.err = c.flush()
		}
	}
	return p.err
}

// explain says in one voice why code did not end by itself.
func explain(x event.Execution) (message, remedy string) {
	why := x.Message
	switch x.Status {
	case event.OK, event.Error:
		return why, remedyFor(x)
	case event.Interrupted:
		return strings.TrimSuffix("interrupted: "+why, ": "), ""
	}
	if why == "" {
		why = "status " + x.Status.String()
	}
	return "cannot finish the code: " + why, remedyFor(x)
}

// remedyFor says what to do about the limit that the code ran into.
func remedyFor(x event.Execution) string {
	switch x.Limit {
	case event.CPUTime:
		return "Give it more with --cpu-time, or compute less at once."
	case event.ProcessCount:
		return "Allow more with --processes, or start fewer at once."
	case event.DiskSpace:
		return "Give it more with --disk, or remove files that are no longer needed."
	case event.OpenFiles:
		return "Close files when they are no longer needed."
	case event.MemoryUse:
		return memoryRemedy
	}
	// A sandbox that was ended from outside tells its status alone.
	switch x.Status {
	case event.Timeout:
		return "Give it more time with --timeout, or do less at once."
	case event.Memory:
		return memoryRemedy
	case event.OutputLimit:
		return "Print less, raise --output-limit, or write to a file in /work and take it with --out."
	}
	return ""
}

const memoryRemedy = "Give it more with --memory, or hold less at once."
