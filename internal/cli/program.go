package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"praxis/internal/config"
)

// Main runs the command line of this process and returns its exit code.
func Main(version string) int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A closed pipe is to end the command in order, sandboxes included, not the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	p := &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, environ: os.Environ(), version: version, signals: signals,
	}
	p.openEngine = p.openApp
	if os.Getenv("GOGC") == "" {
		// A command lives shortly: collecting often costs it more than memory does.
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(relaxedHeap)
	}
	return p.run(context.Background(), os.Args[1:])
}

// relaxedHeap is how far the heap may grow before it is collected as usual.
const relaxedHeap = 1 << 30

// program is one run of the command line: what it reads, writes and is told.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	environ        []string // what of it is secret is never recorded
	version        string
	signals        <-chan os.Signal
	openEngine     func(context.Context, config.Config) (engine, error)

	interrupts interrupts
	told       bool // an object was written
	live       *liveLine
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := p.interrupts.watch(p.signals, cancel)
	defer stop()
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
func (p *program) config() (config.Config, error) { return config.Load(p.getenv) }

// interrupts turns signals into what they should mean now. While code runs, the
// first Ctrl-C interrupts the code; any other time, and the second time, it
// ends the command, which closes its sandboxes; the third ends the process, and
// the kernel takes the sandboxes with it.
type interrupts struct {
	mu     sync.Mutex
	code   func() // interrupts the code that runs; nil when none does
	count  int
	cancel context.CancelCauseFunc
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
	if s != os.Interrupt {
		i.cancel(errInterrupted)
		return
	}
	i.count++
	switch {
	case i.count >= 3:
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
		i.cancel(errInterrupted)
	}
}

// interruptWait bounds how long a guest may take to hear that it is interrupted.
const interruptWait = 5 * time.Second

// during says what Ctrl-C interrupts until the returned function is called.
func (i *interrupts) during(ctx context.Context, w workspace) (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.count = 0
	i.code = func() {
		ctx, stop := context.WithTimeout(ctx, interruptWait)
		defer stop()
		if err := w.interrupt(ctx); err != nil {
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

// guestWriter returns where a guest's bytes go: cleaned for a terminal, raw otherwise.
func guestWriter(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &cleaner{w: w}
	}
	return w
}
