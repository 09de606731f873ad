package app

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/guest/wire"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// CodeRequest asks for a piece of code to be run.
type CodeRequest struct {
	Code string
	// Language is that of the code: its name, a tag of its blocks or an ending of its
	// files; "": what the ending of File says, else the first that the image has.
	Language string
	// Notebook is what to run in place of Code: its cells, as a run of several pieces.
	// With Save, what comes of them is written back.
	Notebook *Notebook
	Save     bool
	File     string // that it was read from; "": it was given otherwise
	// OwnPackages says that packages which the code itself names (PEP 723) are added to
	// those of the session. Of code that its caller has not seen that is not wanted.
	OwnPackages bool
	Session     SessionSpec
	Bounds      event.Bounds // zero fields: the configuration's
	Args        []string     // of the code
	// TrustCode says that the values that the code itself makes are as good as its
	// caller's own: tools see them as trusted.
	TrustCode bool
	Stdin     *Input // what the code reads from standard input; nil: nothing
	Files     []Input
	Output    Output
	Tools     ToolSpec
	Net       NetSpec
	// Running is called when the code begins to run. It may be nil.
	Running CodeHook
	Begun   func(record string) error // as in AskRequest
}

// check completes a request, and refuses one that is wrong in itself.
func (q *CodeRequest) check(languages language.Table) (err error) {
	if q.Notebook != nil {
		q.Code, q.Language = q.Notebook.Code(), q.Notebook.book.Language
	}
	if q.Code, err = CheckCode("the code", q.Code); err != nil {
		return err
	}
	if q.Language, err = languageOf(languages, q.Language, q.File); err != nil {
		return err
	}
	if err := q.Session.check(); err != nil {
		return err
	}
	return config.ValidateBounds(q.Bounds)
}

// CodeResult is what a piece of code came to.
type CodeResult struct {
	Run       string            // its id in the journal; "": nothing began
	Execution event.Execution   // of a notebook, that of the last cell that was run
	Cells     []event.Execution // of a notebook: those of all cells that were run
	Missing   *Missing          // module that the code ended for the lack of
	Made      Made
	// Exit is the exit code that the code ended itself with; nil when it did not.
	Exit     *int
	Language string // of the code
	Whole    bool   // every byte of the output went to the sink
	Snapshot string // that a named session stands at now; "": where it stood before
	// Unsaved says why not all is saved that the code made, or that it is not
	// recorded how the run ended.
	Unsaved error
}

// RunCode runs a piece of code in a session and records it. What the code did is
// data in the result; the error says that it could not be run. Output goes to
// sink as it comes, as do progress and notices. Without a name, the session ends
// with the code; with one, its state is saved when the code is over.
func (a *App) RunCode(ctx context.Context, q CodeRequest, sink event.Sink) (out CodeResult, err error) {
	if err := q.check(a.opt.Languages); err != nil {
		return out, err
	}
	if q.Session, err = a.withLanguage(ctx, q.Session, q.Language); err != nil {
		return out, err
	}
	if q.OwnPackages {
		if err := a.addOwn(ctx, &q); err != nil {
			return out, err
		}
	}
	t, err := a.openTools(ctx, q.Tools, q.Net, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	made := newCollector(q.Output, q.Session, q.Files)
	began := event.RunBegan{
		Kind: event.Code, Question: firstLine(q.Code), Files: inputNames(q.Files), Bounds: q.Bounds.Over(a.opt.Config.Execution),
		Seed: q.Session.Seed, Program: a.opt.Version, Tools: t.pins(), Net: t.hosts.Strings(),
		Language: q.Language, File: fileName(q.File), Args: q.Args, Untrusted: !q.TrustCode,
	}
	inputs := runInputs(q.Files)
	if q.Stdin != nil {
		inputs = append(inputs, run.Input{File: agent.File{Name: q.Stdin.Name, Path: language.StdinPath, Bytes: q.Stdin.Bytes}, Open: q.Stdin.Open})
	}
	pieces, results := []run.Piece{{Code: q.Code, File: nameInErrors(q.File)}}, event.Both(made, sink)
	cells := NewCellCollector()
	if q.Notebook != nil {
		pieces, results = q.Notebook.pieces(), event.Both(results, cells)
	}
	opened := a.openSoon(ctx, q.Session, sink)
	defer func() { err = errors.Join(err, opened.drop()) }()
	ctx, r, err := a.begin(ctx, began, t, results, origins("")...)
	if err != nil {
		return out, err
	}
	callBegun(q.Begun, r.ID(), r)
	out.Run, out.Whole = r.ID(), began.Bounds.Whole
	c := &codeRun{app: a, request: q, run: r, made: made, cells: cells, opened: opened}
	out.Execution, err = run.Code(ctx, run.Task{
		Began: began, Languages: c.app.opt.Languages, Inputs: inputs, Open: c.open,
		Ready:  func(ctx context.Context) error { return made.begin(ctx, c.session) },
		Finish: c.finish,
	}, pieces, q.Session.Name == "", r)
	spoken := a.opt.Languages.Named(q.Language)
	if q.Language == "" && c.session != nil {
		spoken = c.session.Language()
	}
	out.Language, out.Missing = spoken.Name, a.MissingOf(out.Execution)
	// The record is closed while the sandbox ends.
	ended := make(chan error, 1)
	go func() { ended <- r.end() }()
	if c.session != nil {
		err = errors.Join(err, c.session.Close())
	}
	endErr := <-ended
	if raised := out.Execution.Error; raised != nil && c.session != nil {
		if code, chosen := spoken.Model.ExitCode(raised.Name, raised.Value); chosen {
			out.Exit = &code
		}
	}
	if out.Cells = cells.executions; q.Save && len(out.Cells) > 0 {
		saved, saveErr := q.Notebook.Save(cells)
		if made.err = errors.Join(made.err, saveErr); saveErr == nil {
			made.made.Saved = append(made.made.Saved, saved)
		}
	}
	out.Made, out.Snapshot, out.Unsaved = made.made, c.snapshot, asUnsaved(errors.Join(made.err, c.err, endErr))
	return out, err
}

// addOwn adds the packages that the code itself names to those of the session.
func (a *App) addOwn(ctx context.Context, q *CodeRequest) error {
	of := a.opt.Languages.Named(q.Language).Packages
	if of == nil {
		return nil
	}
	packages, err := of(q.Code)
	if err != nil || len(packages) == 0 {
		return err
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	q.Session, err = m.withOwn(q.Session, packages)
	return err
}

// fileName is what a record says of a file: its name, without its folder.
func fileName(path string) string {
	if path == "" {
		return ""
	}
	return safetext.Line(filepath.Base(path))
}

// plainName is a name that stands in errors, and in what reads them, as it is.
var plainName = lazyregexp.New(`^[\pL\pN_][\pL\pN_ .,=@+()-]{0,98}[\pL\pN_)]$`)

// nameInErrors is the name by which errors call a file; "": by none.
func nameInErrors(path string) string {
	if name := filepath.Base(path); plainName.MatchString(name) {
		return name
	}
	return ""
}

// firstLine is what names a piece of code in a list.
func firstLine(code string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(code), "\n")
	return strings.TrimSpace(line)
}

// codeRun is one run of code.
type codeRun struct {
	app     *App
	request CodeRequest
	run     *activeRun
	made    *collector
	cells   *CellCollector // of a notebook
	opened  *soon

	session  *Session // open when the run came so far
	snapshot string
	err      error // why the named session is not saved
}

func (c *codeRun) open(ctx context.Context) (run.Session, error) {
	s, err := c.opened.take(ctx)
	if err != nil {
		return nil, err
	}
	s.running, c.session = c.request.Running, s
	return s, c.run.expose(ctx, s)
}

// executions are those of a notebook's cells, or the only one.
func (c *codeRun) executions(last event.Execution) []event.Execution {
	if c.request.Notebook == nil {
		return []event.Execution{last}
	}
	return c.cells.executions
}

// finish takes out of the session what is to stay, and saves a named one. State
// that was lost is not saved over the last snapshot: the session then stands
// where it stood before.
func (c *codeRun) finish(ctx context.Context, r run.Result) {
	x := r.Execution
	if x.State == "" {
		return // it could not be run
	}
	for _, x := range c.executions(x) {
		if x.OutputFile != "" {
			c.made.whole = append(c.made.whole, x.OutputFile)
		}
	}
	c.made.gone = x.State == event.Gone || x.State == event.Restored || x.State == event.Fresh
	c.made.end(ctx, c.session, c.run)
	if c.session.Name() == "" || x.State != event.Intact {
		return
	}
	ctx, stop := afterwards(ctx)
	defer stop()
	if c.snapshot, c.err = c.session.saveLast(ctx, c.app.records.Journal.Redact(c.request.Code)); c.err == nil {
		c.run.Emit(event.SnapshotTaken{Step: 1, Session: x.Session, Snapshot: c.snapshot})
		// The step is saved. What cannot be tidied now is said by gc, and tried again.
		_ = c.app.tidyDaily(ctx)
	}
}

// afterwards returns the context of what comes after the code. What it made is
// saved even when the run was cancelled, but not for ever.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), outTime)
}

// MaxCode bounds a piece of code in bytes.
const MaxCode = wire.MaxCode

// ShorterCode is what to do where code is too long.
const ShorterCode = "Put data into files and keep the code to what computes."

// CheckCode returns the text of a piece of code, without the mark that some
// editors put before it, and refuses what is too long or no text. name is what
// messages call it.
func CheckCode(name, code string) (string, error) {
	if len(code) > MaxCode {
		return "", fault.New(fault.Invalid, ShorterCode, "cannot run %s: it is longer than %d KiB", name, MaxCode>>10)
	}
	if !utf8.ValidString(code) {
		return "", fault.New(fault.Invalid, "Save it as UTF-8.", "cannot run %s: it is not UTF-8 text", name)
	}
	return strings.TrimPrefix(code, "\ufeff"), nil
}
