package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor/control"
)

const (
	// stepBound is how long one operation of a helper may take before the
	// sandbox counts as broken.
	stepBound = 2 * time.Minute
	// tailBytes is how much of the guest's standard error is kept.
	tailBytes = 4 << 10
)

// box is one running sandbox.
type box struct {
	b    *Backend
	spec sandbox.Spec
	turn int
	dir  string
	from string // the checkpoint that it came from, or ""

	group *cgroup // nil without cgroups
	proc  *process
	calls *caller
	tail  tail
	io    stream

	work sync.WaitGroup // the goroutines below
	done chan struct{}  // closed when nothing is left of it

	ops sync.Mutex // one checkpoint at a time

	mu       sync.Mutex
	killed   bool          // Close was called
	overrun  string        // the limit that was broken, as a message
	guest    *control.Exit // how the guest ended by itself
	peak     int64         // highest memory seen
	last     sandbox.Usage // the last measurement
	exit     sandbox.Exit  // valid when done is closed
	cleanErr error         // valid when done is closed
	tree     tree          // guarded by measuring
	walked   time.Time     // when tree was walked, guarded by measuring
	measure  sync.Mutex    // one measurement at a time
}

var (
	_ sandbox.Sandbox = (*box)(nil)
)

func newBox(b *Backend, spec sandbox.Spec, turn int) *box {
	return &box{
		b: b, spec: spec, turn: turn, done: make(chan struct{}),
		dir: filepath.Join(b.owner.dir, strconv.Itoa(turn)),
	}
}

// begin brings the guest up. On failure abandon must be called.
func (x *box) begin(ctx context.Context, from sandbox.From) error {
	// What is looked for needs no sandbox, and the other way round: each works while the
	// other waits.
	var found chan error
	if from != nil {
		found = make(chan error, 1)
		looking, cancel := context.WithCancel(ctx)
		defer func() {
			cancel()
			for range found { // from's work is over when this is
			}
		}()
		go func() {
			defer close(found)
			found <- x.find(looking, from)
		}()
	}
	if err := x.launch(); err != nil {
		return err
	}
	if _, err := x.call(ctx, control.Request{Op: control.Create}); err != nil {
		return fmt.Errorf("cannot start sandbox: %w", x.explain(err))
	}
	if from == nil {
		if _, err := x.call(ctx, control.Request{Op: control.Start}); err != nil {
			return x.startFailed(err)
		}
		return x.limitCPU()
	}
	if err := <-found; err != nil {
		return err
	}
	if _, err := x.call(ctx, control.Request{Op: control.Restore, Dir: x.from}); err != nil {
		return x.restoreFailed(err)
	}
	return x.limitCPU()
}

// find asks for the checkpoint, and looks whether it is whole and fits.
func (x *box) find(ctx context.Context, from sandbox.From) error {
	dir, err := from(ctx)
	if err != nil {
		return err
	}
	if dir == "" {
		return fault.New(fault.Invalid, "Name the checkpoint's folder.", "cannot restore sandbox: no checkpoint named")
	}
	if x.from, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("cannot restore sandbox: %w", err)
	}
	m, err := readManifest(x.from)
	if err != nil {
		return err
	}
	if err := m.fits(x.spec); err != nil {
		return err
	}
	select {
	case err := <-x.b.sums.check(x.from, m):
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// launch makes the folder, the cgroup and the helper.
func (x *box) launch() error {
	if err := os.Mkdir(x.dir, 0o700); err != nil {
		return fmt.Errorf("cannot start sandbox: %w", err)
	}
	if err := writeBundle(x.dir, x.spec); err != nil {
		return fmt.Errorf("cannot start sandbox: %w", err)
	}
	if plan := x.b.plan; plan.version != 0 {
		name := fmt.Sprintf("%s%s-%d", cgroupPrefix, strings.TrimPrefix(filepath.Base(x.b.owner.dir), ownerPrefix), x.turn)
		if err := record(x.dir, plan.dirsOf(name)); err != nil {
			return fmt.Errorf("cannot start sandbox: %w", err)
		}
		g, err := plan.makeCgroup(name, x.spec.Limits.Memory+memoryOverhead, hostThreads(x.spec.Limits.Processes))
		if err != nil {
			return fmt.Errorf("cannot start sandbox: %w", err)
		}
		x.group = g
	}
	p, err := x.b.launcher.launch(control.Helper{Dir: x.dir, Disk: x.spec.Limits.Disk, Seeded: x.spec.Seeded}, x.group)
	if err != nil {
		return fmt.Errorf("cannot start sandbox: %w", err)
	}
	x.proc = p
	x.io = stream{in: p.stdin, out: p.stdout}
	x.tree = tree{helper: p.cmd.Process.Pid}
	x.calls = newCaller(p.sock)
	x.work.Go(func() { x.calls.serve(x.guestEnded) })
	x.work.Go(func() { x.tail.readFrom(p.stderr) })
	return nil
}

// limitCPU binds what now runs. Until here the sandbox could use every CPU:
// nothing but our own code has run long.
func (x *box) limitCPU() error {
	l := x.spec.Limits
	if x.group != nil && x.b.plan.has(ctrlCPU) {
		return x.group.limitCPU(l.CPUs)
	}
	return bindCPUs(x.proc.cmd.Process.Pid, wholeCPUs(l), x.turn)
}

// freeCPU lifts the quota for a time in which the guest stands still. A failure
// only makes that time longer. Threads that are bound stay bound: to unbind and
// bind them again would cost more than it saves.
func (x *box) freeCPU() {
	if x.group != nil {
		_ = x.group.limitCPU(maxCPUs)
	}
}

// call sends a request and waits for the reply, the end of ctx, or stepBound.
func (x *box) call(ctx context.Context, r control.Request) (control.Reply, error) {
	bound := time.NewTimer(stepBound)
	defer bound.Stop()
	select {
	case out, ok := <-x.calls.call(r):
		if !ok {
			return control.Reply{}, errHelperGone
		}
		if out.Error != "" {
			return out, errors.New(out.Error)
		}
		return out, nil
	case <-ctx.Done():
		return control.Reply{}, context.Cause(ctx)
	case <-bound.C:
		return control.Reply{}, fmt.Errorf("no answer to %s within %v", r.Op, stepBound)
	}
}

// explain adds what the helper and the sentry last said to err.
func (x *box) explain(err error) error {
	x.mu.Lock()
	g := x.guest
	x.mu.Unlock()
	if g != nil && g.Error != "" {
		err = fmt.Errorf("%w: %s", err, g.Error)
	}
	if s := lastWords(filepath.Join(x.dir, control.PanicLog)); s != "" {
		err = fmt.Errorf("%w (%s)", err, s)
	}
	return err
}

// startFailed tells a guest that cannot be started from a sandbox that cannot.
func (x *box) startFailed(err error) error {
	err = x.explain(err)
	if strings.Contains(err.Error(), x.spec.Args[0]) {
		return fault.New(fault.Invalid, "Check that the image has the program and that it can run.", "cannot start guest %q: %w", x.spec.Args[0], err)
	}
	return fmt.Errorf("cannot start sandbox: %w", err)
}

// restoreFailed names the likely reason: the checkpoint's bytes are those that
// were written, so it does not fit this host or these limits.
func (x *box) restoreFailed(err error) error {
	if x.oomKilled() {
		return fault.New(fault.Exhausted, "Raise the memory limit.", "cannot restore sandbox: the memory limit of %s is too small for the checkpoint", size(x.spec.Limits.Memory))
	}
	return fault.New(fault.Conflict, "Make the checkpoint again on this host.", "cannot restore sandbox from %s: %w", x.from, x.explain(err))
}

// abandon undoes begin.
func (x *box) abandon() {
	if x.proc != nil {
		x.kill()
		_ = x.proc.cmd.Wait()
		x.work.Wait()
		x.proc.closeFiles()
	}
	// What cannot be removed stays recorded in the folder for a sweep.
	_ = x.removeTraces()
}

// adopt starts the goroutines that see the sandbox to its end.
func (x *box) adopt() {
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { x.watch(stop) })
	go func() { // ends when the helper ends; Close waits for done
		// The guest's exit status comes from the helper's exit alone.
		_ = x.proc.cmd.Wait()
		close(stop)
		watch.Wait()
		x.work.Wait()
		x.finish()
	}()
}

// guestEnded is called when the guest's first process is over.
func (x *box) guestEnded(g control.Exit) {
	x.mu.Lock()
	if x.guest == nil {
		x.guest = &g
	}
	x.mu.Unlock()
	x.kill()
}

// kill ends the helper and with it every process of the sandbox. There is
// nothing to be polite about: mounts and namespaces die with the processes,
// and the folders are ours to remove.
func (x *box) kill() {
	// The error says that it is over already.
	_ = x.proc.cmd.Process.Kill()
}

// finish runs once, after the helper's end.
func (x *box) finish() {
	oom := x.oomKilled()
	if cpu, ok := x.cpuOfGroup(); ok {
		x.mu.Lock()
		x.last.CPU = max(x.last.CPU, cpu)
		x.mu.Unlock()
	}
	words := lastWords(filepath.Join(x.dir, control.PanicLog))
	_ = x.proc.sock.Close()
	_ = x.proc.stderr.Close()
	err := x.removeTraces()
	x.mu.Lock()
	x.exit = x.verdict(oom, words)
	x.cleanErr = err
	x.last.Memory, x.last.Processes = 0, 0
	x.mu.Unlock()
	x.b.forget(x.spec.ID)
	close(x.done)
}

// goneWait is removeWait for a cgroup whose processes were just ended: they take a
// while to go on a busy machine.
const goneWait = 30 * time.Second

// removeTraces removes the cgroup, then the folder that records it.
func (x *box) removeTraces() error {
	if x.group != nil {
		if err := x.group.remove(goneWait); err != nil {
			return err
		}
	}
	return os.RemoveAll(x.dir)
}

// verdict says why the guest is over. x.mu is held.
func (x *box) verdict(oom bool, words string) sandbox.Exit {
	out := sandbox.Exit{Code: -1}
	if x.guest != nil {
		out.Code = x.guest.Code
	}
	if words == "" {
		words = x.tail.line()
	}
	why := func(s string) string {
		if words == "" {
			return s
		}
		return s + ": " + words
	}
	switch {
	case oom && x.overrun == "":
		x.overrun = memoryMessage(x.spec.Limits.Memory)
		fallthrough
	case x.overrun != "":
		out.Status, out.Code, out.Message = event.Memory, -1, x.overrun
	case x.guest != nil && x.guest.Error == "" && x.guest.Signal == 0 && x.guest.Code == 0:
		out.Status = event.OK
	case x.guest != nil && x.guest.Error == "" && x.guest.Signal != 0:
		out.Status, out.Message = event.Crashed, why(fmt.Sprintf("the guest's first process was ended by signal %d", x.guest.Signal))
	case x.guest != nil && x.guest.Error == "":
		out.Status, out.Message = event.Crashed, why(fmt.Sprintf("the guest's first process ended with code %d", x.guest.Code))
	case x.killed:
		out.Status, out.Message = event.Killed, "the sandbox was closed"
	default:
		out.Status, out.Message = event.Crashed, why("the sandbox ended by itself")
	}
	return out
}

func memoryMessage(limit int64) string {
	return fmt.Sprintf("the session's memory limit of %s was reached", size(limit))
}

// size writes bytes for a person.
func size(n int64) string {
	for _, u := range []struct {
		unit int64
		name string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.unit {
			return strings.TrimSuffix(strconv.FormatFloat(float64(n)/float64(u.unit), 'f', 1, 64), ".0") + " " + u.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Stream implements [sandbox.Sandbox].
func (x *box) Stream() io.ReadWriteCloser { return x.io }

// Wait implements [sandbox.Sandbox].
func (x *box) Wait() sandbox.Exit {
	<-x.done
	return x.exit
}

// Close implements [sandbox.Sandbox].
func (x *box) Close() error {
	x.mu.Lock()
	x.killed = true
	x.mu.Unlock()
	x.kill()
	<-x.done
	_ = x.io.in.Close()
	_ = x.io.out.Close()
	return x.cleanErr
}

// order runs an operation that changes the guest.
func (x *box) order(ctx context.Context, r control.Request, what string) (control.Reply, error) {
	x.ops.Lock()
	defer x.ops.Unlock()
	if err := ctx.Err(); err != nil {
		return control.Reply{}, fault.New(fault.Canceled, "", "cannot %s sandbox: %w", what, err)
	}
	out, err := x.call(context.WithoutCancel(ctx), r)
	switch {
	case errors.Is(err, errHelperGone):
		return out, fault.New(fault.Conflict, "Start or restore it again.", "cannot %s sandbox: %w", what, err)
	case err != nil:
		return out, fmt.Errorf("cannot %s sandbox: %w", what, err)
	}
	return out, nil
}

// stream is the guest's standard input and output.
type stream struct{ in, out *os.File }

func (s stream) Read(p []byte) (int, error)  { return s.out.Read(p) }
func (s stream) Write(p []byte) (int, error) { return s.in.Write(p) }

// Close ends the guest's input. What it still writes can be read.
func (s stream) Close() error { return s.in.Close() }

// tail keeps the end of what the guest writes to its standard error.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) readFrom(r io.Reader) {
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		t.mu.Lock()
		t.buf = append(t.buf, buf[:n]...)
		if over := len(t.buf) - tailBytes; over > 0 {
			t.buf = append(t.buf[:0], t.buf[over:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// line returns the last line that says something.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLine(t.buf)
}

// lastLine returns the last line of b that is not blank, printable and short.
func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	s := strings.TrimSpace(lines[len(lines)-1])
	if len(s) > 200 {
		s = s[:200]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return -1
		}
		return r
	}, s)
}

// lastWords returns the line with which a broken sentry gave up: the first of
// its panic log, of which no more than a piece is read.
func lastWords(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, tailBytes)
	n, err := io.ReadFull(f, b)
	if n == 0 && err != nil {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(b[:n])), "\n")
	return lastLine([]byte(first))
}
