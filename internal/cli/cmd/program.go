package cmd

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/cli/tui"
	"praxis/internal/client"
	"praxis/internal/diagnostics"
)

// Main runs the command line of this process and returns its exit code. In what
// libraries write to notes, the secrets of the runs are looked for.
func Main(version string, notes *diagnostics.Writer) int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A closed pipe is to end the command in order, sandboxes included, not the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	p := &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, environ: os.Environ(), version: version, signals: signals, notes: notes,
	}
	p.own()
	defer p.terminal.Restore()
	log.SetOutput(p.stderr) // what libraries say is kept off a question, too
	if os.Getenv("GOGC") == "" {
		// A command lives shortly: collecting often costs it more than memory does.
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(relaxedHeap)
	}
	return p.run(context.Background(), os.Args[1:])
}

// relaxedHeap is how far the heap may grow before it is collected as usual: a plan
// that fills its 256 MiB leaves about as much garbage behind.
const relaxedHeap = 384 << 20

// own makes everything that the command writes pass its owner of the terminal.
func (p *program) own() {
	p.terminal.Notes = p.stderr
	p.stdout, p.stderr = p.terminal.Writer(p.stdout, isTerminal(p.stdout)), p.terminal.Writer(p.stderr, isTerminal(p.stderr))
	p.interrupts.giveUp = p.terminal.Restore
}

// program is one run of the command line: what it reads and writes, and its options.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	environ        []string // what of it is secret is never recorded
	version        string
	notes          *diagnostics.Writer // of libraries; nil: none are written
	signals        <-chan os.Signal
	parts          func() (*app.Parts, error) // of tests; nil: the real machinery
	server         *client.Config             // that does the work; nil: this machine does

	terminal      tui.Owner
	interrupts    interrupts
	printedObject bool // an object was written
	live          *tui.LiveLine
	waits         *tui.WaitLine // of the screen; nil: there is none
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := p.interrupts.watch(p.signals, cancel)
	defer stop()
	// A reader who does not read keeps no command from ending.
	defer context.AfterFunc(ctx, p.terminal.Stop)()
	root := p.root()
	root.SetArgs(args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := p.completeAll(root)
	var cmd *cobra.Command
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err != nil && errors.Is(context.Cause(ctx), errInterrupted) && errorCode(err) == exitFailed {
		// What a cancelled command says went wrong is the cancelling.
		err = errInterrupted
	}
	if writeErr := p.fail(cmd, args, err); errors.Is(writeErr, syscall.EPIPE) {
		err = writeErr
	}
	report(p.stderr, err)
	return errorCode(err)
}

// config loads the person's configuration.
func (p *program) config() (app.Config, error) { return app.LoadConfig(p.getenv) }

// options say how the application layer is opened.
func (p *program) options() (app.Options, error) {
	cfg, err := p.config()
	o := app.Options{Config: cfg, Getenv: p.getenv, Environ: p.environ, Version: p.version, Notes: p.notes}
	if err == nil && p.parts != nil {
		o.Parts, err = p.parts()
	}
	return o, err
}

// withApp opens the application layer for f and closes it. Nothing is written
// and no sandbox is prepared unless f does.
func (p *program) withApp(f func(*app.App) error) (err error) {
	if p.server != nil {
		return notRemote("this")
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	o.Project = true
	a, err := app.Open(o)
	if err != nil {
		return err
	}
	defer p.closing(a, &err)
	return f(a)
}

// closing closes c at the end of a function. What goes wrong is the function's
// error, or is reported beside it: an exit code that speaks for the code that ran
// must not hide it.
func (p *program) closing(c io.Closer, err *error) {
	closeErr := c.Close()
	if *err == nil {
		*err = closeErr
		return
	}
	report(p.stderr, closeErr)
}

// watch is the sink of something that goes on: progress and notices are shown on
// standard error, everything else by next.
func (p *program) watch(next event.Sink) event.Sink {
	progress := p.progress()
	return event.SinkFunc(func(e event.Event) {
		switch e := e.(type) {
		case event.Progress:
			progress.Emit(e)
		case event.Notice:
			p.settled()
			printMessage(p.stderr, e.Text, format.Worded(fault.Code(e.Code), e.Data, e.Remedy))
		default:
			p.settled()
			next.Emit(e)
		}
	})
}

// quiet is the sink of something that shows progress and notices alone.
func (p *program) quiet() event.Sink { return p.watch(event.Discard) }

// interrupts turns signals into what they should mean now. While code runs, the
// first Ctrl-C interrupts the code; any other time, and the second time, it
// ends the command, which closes its sandboxes; the next one after that ends the
// process, and the kernel takes the sandboxes with it.
type interrupts struct {
	mu     sync.Mutex
	code   func() // interrupts the code that runs; nil when none does
	ended  bool   // the command was cancelled
	cancel context.CancelCauseFunc
	giveUp func() // ends a question that is open, whatever else the signal does; may be nil
	wg     sync.WaitGroup
}

// watch handles signals until the returned function is called.
func (i *interrupts) watch(signals <-chan os.Signal, cancel context.CancelCauseFunc) (stop func()) {
	i.cancel = cancel
	done := make(chan struct{})
	i.wg.Add(1)
	go func() {
		defer i.wg.Done()
		for {
			select {
			case s := <-signals:
				i.handle(s)
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		i.wg.Wait()
		cancel(nil)
	}
}

func (i *interrupts) handle(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.giveUp != nil {
		i.giveUp()
	}
	if s != os.Interrupt {
		i.cancel(errInterrupted)
		return
	}
	switch {
	case i.ended:
		os.Exit(exitInterrupted)
	case i.code != nil:
		interrupt := i.code
		i.code = nil
		i.wg.Add(1)
		go func() {
			defer i.wg.Done()
			interrupt()
		}()
	default:
		i.ended = true
		i.cancel(errInterrupted)
	}
}

// interruptWait bounds how long a guest may take to notice that it is interrupted.
const interruptWait = 5 * time.Second

// during says what Ctrl-C interrupts until the returned function is called.
func (i *interrupts) during(ctx context.Context, interrupt func(context.Context) error) (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.code = func() {
		ctx, stop := context.WithTimeout(ctx, interruptWait)
		defer stop()
		if err := interrupt(ctx); err != nil {
			i.cancel(errInterrupted) // the gentle way is closed
		}
	}
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.code = nil
	}
}

// isTerminal says whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// colours says whether escapes may be written to w.
func (p *program) colours(w io.Writer) bool {
	return isTerminal(w) && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
}

// width returns the columns of the terminal that w is, or 80.
func width(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n >= 20 {
			return n
		}
	}
	return 80
}

// columns returns the width that code prints its values for: that of the terminal that
// w is, or 0 where it is none.
func columns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	return min(width(w), event.MaxColumns)
}

// guestWriter returns where a guest's bytes go: cleaned for a terminal, raw otherwise.
func guestWriter(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &format.Cleaner{W: w}
	}
	return w
}
