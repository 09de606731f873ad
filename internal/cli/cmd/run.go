package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const runLong = `Runs code in a sandbox: a FILE, the CODE after -c, or what is piped in ("-" says
so). What the code prints is printed as it comes, and the value of the last
expression at the end.

The language is the one of --lang, or of the ending of FILE, or the one that the
session began in, or Python:
  python      .py
  javascript  .js .mjs .cjs, on Node
  typescript  .ts .mts .cts, the types taken out and not checked
  sql         .sql, on DuckDB (--with duckdb) or SQLite; files and Python's data
              frames are tables
  bash        .sh .bash
Others come with a kernel of Jupyter's that the image has. The languages of a
session share its files, and SQL uses Python's variables; the others have
variables of their own.

What stands after "--" are the arguments of the code (sys.argv, process.argv, $1). What is piped in
beside a FILE or -c is what the code reads from standard input: it is taken to its
end before the code begins, when the code mentions stdin or input(), or with
--stdin. Code that ends itself with sys.exit(N), process.exit(N) or exit N
gives the exit code N.

The cells of a Jupyter notebook (FILE.ipynb) run in order in one session, each
within the limits, up to the first that fails. With --save their outputs are
written back into the notebook, and nothing else of it changes, also of cells
that did not run; HTML stands in it without its scripts. Lines that begin with
"%" or "!" are refused, but for those that change nothing here, such as
%matplotlib inline. With --json "cells" has what each cell did.

Packages that Python code names in its own "# /// script" block (PEP 723) are added to
those of --with. A named session that exists must have them.

Files given with --file are copied into the code's working folder, /work. Files
that the code writes or changes there, and pictures that it displays
(figure-1.png, …; display-1.html for interactive figures, formatted tables and
what has nothing but HTML), are saved in
the folder of --out, where they take the place of files of the same name; files
that the command line names to be read are never overwritten, and a name that
begins with "." begins with "_" there.

A file or a program that standard output goes to gets every byte, and the code
waits for a slow reader. A terminal shows no more than --output-limit of both
streams, the object of --json has no more (stdout_bytes and stdout_truncated
tell), and an --output-limit that is given bounds files as well: the whole is
then output.txt in the folder of --out. The journal keeps no more of any run.

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
	lang    string
	files   []string
	out     string
	session string
	json    bool
	full    bool
	stdin   bool
	folder  bool
	save    bool
	trust   bool
	tools   toolFlags
}

func (p *program) runCommand() *cobra.Command {
	r := &runCommand{p: p}
	cmd := &cobra.Command{
		Use:         "run [FILE] [-- ARGS]",
		Annotations: map[string]string{codeArguments: "yes"},
		Short:       "Run code in a sandbox",
		Long:        runLong,
		Example:     "  praxis run -c 'sum(range(10))'\n  praxis run plot.py --file sales.csv --with pandas,matplotlib --out charts\n  praxis run analysis.ipynb --with pandas --save\n  praxis run --session work -c 'x = 1'",
		Args:        takes(0, 1, ""),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var inline *string
		if cmd.Flags().Changed("code") {
			inline = &r.code
		}
		own, code := splitArgs(cmd, args)
		return r.run(cmd.Context(), inline, own, code)
	}
	fs := cmd.Flags()
	fs.StringVarP(&r.code, "code", "c", "", "run this `CODE`")
	fs.StringVar(&r.lang, "lang", "", "the `LANGUAGE` of the code (default: what the ending of FILE says, else that of the session, else python)")
	fs.StringArrayVar(&r.files, "file", nil, "copy the file, or the folder, at `PATH` into the working folder (may be repeated)")
	fs.BoolVar(&r.folder, "with-folder", false, "copy the folder of FILE, too, so that it can import what lies beside it")
	fs.BoolVar(&r.save, "save", false, "write the outputs of the cells back into the notebook FILE")
	fs.StringVar(&r.out, "out", "", "save what the code makes in this `DIR`")
	fs.StringVar(&r.session, "session", "", "keep variables and files under this `NAME`")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	fs.BoolVar(&r.stdin, "stdin", false, "give standard input to the code, also when its text does not say that it reads any")
	fs.BoolVar(&r.trust, "trust-code", false, "let tools take the values that the code itself makes for yours")
	fs.BoolVar(&r.full, "full", false, fullUsage)
	r.flags.register(cmd)
	r.flags.registerReadOnly(cmd)
	r.tools.registerFiles(cmd)
	r.tools.registerApproval(cmd)
	r.tools.registerNet(cmd)
	return cmd
}

func (r *runCommand) run(ctx context.Context, inline *string, args, codeArgs []string) error {
	q := app.CodeRequest{
		Language: r.lang, Session: r.flags.session(r.session), Bounds: r.flags.bounds(), Output: app.Output{Dir: r.out, Protect: args},
		TrustCode: r.trust, OwnPackages: true, Tools: r.tools.spec(r.p), Running: func(interrupt func(context.Context) error) func() { return r.p.interrupts.during(ctx, interrupt) },
	}
	var err error
	if q.Files, err = r.inputs(args); err != nil {
		return err
	}
	if err := r.source(&q, inline, args); err != nil {
		return err
	}
	q.Args = codeArgs
	if len(args) > 0 && args[0] != "-" {
		q.File = args[0]
	}
	if inline != nil || q.File != "" {
		stdin, drop, err := r.p.stdinFor(q.Code, r.stdin)
		if err != nil {
			return err
		}
		defer drop()
		q.Stdin = stdin
	}
	if q.Net, err = r.tools.netSpec(); err != nil {
		return err
	}
	if err := app.PrepareFolder(r.out); err != nil {
		return err
	}
	if err := r.flags.warn(r.p); err != nil {
		return err
	}
	return on(r.p, func(a coder) error { return r.execute(ctx, a, q) })
}

// source reads the code, or the notebook, of the command line.
func (r *runCommand) source(q *app.CodeRequest, inline *string, args []string) (err error) {
	notebook := inline == nil && len(args) > 0 && strings.EqualFold(filepath.Ext(args[0]), app.NotebookExtension)
	switch {
	case notebook:
		if q.Notebook, err = app.ReadNotebook(args[0], r.save); err == nil {
			q.Code, q.Save = q.Notebook.Code(), r.save
		}
	case r.save:
		err = usage("praxis run", "--save needs a notebook, FILE%s", app.NotebookExtension)
	default:
		q.Code, err = r.p.readCode(inline, args)
	}
	return err
}

// inputs are the files of the command line, and the neighbours of the script when they
// are asked for.
func (r *runCommand) inputs(args []string) ([]app.Input, error) {
	files, err := app.LocalFiles(r.files)
	if err != nil || !r.folder {
		return files, err
	}
	if len(args) == 0 || args[0] == "-" {
		return nil, usage("praxis run", "--with-folder needs a FILE, whose folder it is")
	}
	return app.WithFolder(args[0], files)
}

func (r *runCommand) execute(ctx context.Context, a coder, q app.CodeRequest) error {
	printer := newPrinter(r.p.stdout, r.p.stderr)
	printer.alone, printer.languages = r.session == "", app.Languages()
	printer.show = r.flags.inPlace(r.p, r.p.stdout)
	if !r.full {
		printer.excerpted("--full shows all, and praxis show last what was recorded")
	}
	// A file or a program gets every byte, unless less was asked for.
	q.Bounds.Whole = !r.json && !isTerminal(r.p.stdout) && r.flags.output.value == nil
	if !r.json {
		q.Bounds.Columns = columns(r.p.stdout)
	}
	sink := event.Sink(printer)
	if r.json {
		sink = event.Discard
	}
	if r.session == "" {
		sink = wholeSink(sink, r.out)
	}
	// When nobody reads any more, the code is interrupted; its state is saved.
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	printer.broken = broken
	out, err := a.RunCode(runCtx, q, r.p.watch(sink))
	r.p.settled()
	if err != nil {
		return errors.Join(printer.err, err)
	}
	if printer.err == nil {
		printer.err = r.summary(out)
	}
	if err := errors.Join(printer.err, out.Unsaved); err != nil {
		return err
	}
	code := executionCode(out.Execution)
	if out.Exit != nil {
		code = *out.Exit
	}
	if code != exitOK {
		return exitStatus{code}
	}
	return nil
}

// fullUsage describes the flag that shows all output.
const fullUsage = "show long output whole; a terminal gets its first and last part otherwise"

// runResult is the object of run --json. What event.Execution leaves out when
// it is empty is there all the same, so that a reader need not ask.
type runResult struct {
	Run      string `json:"run"`      // its id in the journal
	Language string `json:"language"` // of the code
	event.Execution
	// How much was written, and whether stdout and stderr lack some of it.
	StdoutBytes     int64 `json:"stdout_bytes"`
	StderrBytes     int64 `json:"stderr_bytes"`
	StdoutTruncated bool  `json:"stdout_truncated"`
	StderrTruncated bool  `json:"stderr_truncated"`

	Result   event.Bundle      `json:"result"`
	Displays []event.Bundle    `json:"displays"`
	Error    *event.Raised     `json:"error"`
	Session  string            `json:"session"`
	Snapshot string            `json:"snapshot"`
	Files    []app.SavedFile   `json:"files"`
	Note     string            `json:"note,omitempty"`
	Cells    []event.Execution `json:"cells,omitempty"`   // of a notebook: those that were run
	Missing  *app.Missing      `json:"missing,omitempty"` // module that the code ended for the lack of
	Failure  *fault.Error      `json:"failure"`           // to save what the code made
}

// note says that a named session stays where it was, or "".
func (r *runCommand) note(x event.Execution) string {
	if r.session == "" || x.State == event.Intact {
		return ""
	}
	return "session " + r.session + " stays as it was before this command: of what the code changed, nothing is stored"
}

// asObject is an execution as the object of --json has it.
func (r *runCommand) asObject(x event.Execution) event.Execution {
	if r.session == "" || x.State != event.Intact {
		x.Message = x.Cause() // nothing of it is there after this command
	}
	if r.session == "" {
		x.Stdout, x.Stderr, x.OutputFile = wholeIn(x.Stdout, r.out), wholeIn(x.Stderr, r.out), ""
	} else {
		x.Session = r.session
	}
	return x
}

func (r *runCommand) summary(out app.CodeResult) error {
	x := out.Execution
	note := r.note(x)
	if r.json {
		x = r.asObject(x)
		for i, c := range out.Cells {
			out.Cells[i] = r.asObject(c)
		}
		return r.p.printJSON(runResult{
			Run: out.Run, Language: out.Language, Execution: x,
			StdoutBytes: x.StdoutBytes, StderrBytes: x.StderrBytes, StdoutTruncated: x.StdoutTruncated, StderrTruncated: x.StderrTruncated,
			Result: x.Result, Displays: orEmpty(x.Displays), Error: x.Error,
			Session: x.Session, Snapshot: out.Snapshot, Files: orEmpty(out.Made.Saved), Note: note, Cells: out.Cells, Missing: out.Missing,
			Failure: failureOf(out.Unsaved),
		})
	}
	lines := []string{note, r.cutNote(out)}
	if out.Missing != nil {
		lines = append([]string{r.missingHint(*out.Missing)}, lines...)
	}
	for _, f := range out.Made.Saved {
		lines = append(lines, fmt.Sprintf("saved %s (%s)", safetext.Line(f.Path), safetext.Size(f.Bytes)))
	}
	for _, line := range append(lines, madeHint(out.Made, r.out)) {
		if line != "" {
			if _, err := fmt.Fprintf(r.p.stderr, "praxis: %s\n", line); err != nil {
				return err
			}
		}
	}
	return nil
}

// cutNote says what of the output is not everywhere, or "".
func (r *runCommand) cutNote(out app.CodeResult) string {
	cut, bytes := false, int64(0)
	all := out.Cells
	if len(all) == 0 {
		all = []event.Execution{out.Execution}
	}
	for _, x := range all {
		cut = cut || x.StdoutTruncated || x.StderrTruncated
		bytes += x.StdoutBytes + x.StderrBytes
	}
	if !cut {
		return ""
	}
	size := safetext.Size(bytes)
	if out.Whole {
		return "the journal keeps the beginning and the end of " + size + " of output"
	}
	return "the code wrote " + size + " of output; what is over the limit was left out (see --output-limit)"
}

// missingHint says how to get a module. That a package is called like it is a
// guess: the code may mean a file of its own.
func (r *runCommand) missingHint(m app.Missing) string {
	option := "--with "
	if m.FromNPM() {
		option = "--npm "
	}
	if r.session == "" {
		return missingText(m, option+m.Package)
	}
	return missingText(m, "praxis session add "+r.session+" "+strings.TrimPrefix(option, "--with ")+m.Package)
}

// missingText says that the session lacks a module, and what adds its package.
func missingText(m app.Missing, how string) string {
	if m.Module == m.Package {
		return "the session has no module " + m.Module + "; if it is a package, add it with " + how
	}
	return "the session has no module " + m.Module + ", which is in the package " + m.Package + ": add it with " + how
}

// madeHint says how to get what was made and not saved, or "".
func madeHint(m app.Made, out string) string {
	var parts []string
	for _, k := range [...]struct {
		n    int
		what string
	}{{m.Pictures, "picture"}, {m.Pages, "HTML page"}, {m.Files, "file"}} {
		if k.n > 0 {
			parts = append(parts, safetext.Count(k.n, k.what))
		}
	}
	if m.Unlisted != nil {
		return "what files the code made is not known: " + safetext.Line(m.Unlisted.Error())
	}
	if out != "" && len(m.Needs) > 0 {
		return "a page needs " + safetext.Line(strings.Join(m.Needs, ", ")) + " on the network; saved pages load nothing from there"
	}
	if len(parts) == 0 || out != "" {
		return ""
	}
	them := "them"
	if m.Pictures+m.Pages+m.Files == 1 {
		them = "it"
	}
	return "the code made " + strings.Join(parts, " and ") + ": add --out DIR to save " + them
}
