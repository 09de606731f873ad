// Package fake is a sandbox backend for tests: its guests are Go values in the
// caller's own process. It is no boundary at all.
//
// It passes the exam of package sandboxtest, so what works with it works with a
// real backend as far as the contract goes. It never touches Spec.Root and
// Spec.Mounts beyond looking whether the root exists.
package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/sandbox"
)

// Program is a guest. Save and Load may be called while Run runs.
type Program interface {
	// Run serves the guest's input and output until the input ends, and returns
	// the exit code; -1 stands for an end by a signal. When the sandbox is
	// closed its reads and writes fail, and it must return.
	Run(in io.Reader, out io.Writer) int
	// Save returns the whole state.
	Save() ([]byte, error)
	// Load replaces the state by one that Save returned, before Run.
	Load([]byte) error
}

// Meter is a Program that says how much memory it uses. The fake ends it when
// that is more than the limit.
type Meter interface {
	Memory() int64 // bytes
}

// Config is what the fake needs to know.
type Config struct {
	// Program makes the guest of a spec.
	Program func(sandbox.Spec) Program
}

// Backend makes pretended sandboxes. Make one with New.
type Backend struct {
	cfg Config

	mu        sync.Mutex
	sandboxes map[string]*Sandbox
	closed    bool
}

var (
	_ sandbox.Backend = (*Backend)(nil)
	_ sandbox.Sandbox = (*Sandbox)(nil)
)

var idPattern = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// New returns a backend without sandboxes.
func New(cfg Config) *Backend {
	return &Backend{cfg: cfg, sandboxes: make(map[string]*Sandbox)}
}

// Start implements [sandbox.Backend].
func (b *Backend) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	return b.start(ctx, spec, nil)
}

// Restore implements [sandbox.Backend].
func (b *Backend) Restore(ctx context.Context, spec sandbox.Spec, from sandbox.From) (sandbox.Sandbox, error) {
	spec, err := check(spec)
	if err != nil {
		return nil, err
	}
	dir, err := from(ctx)
	if err != nil {
		return nil, err
	}
	state, err := load(dir, spec)
	if err != nil {
		return nil, err
	}
	return b.start(ctx, spec, state)
}

func (b *Backend) start(ctx context.Context, spec sandbox.Spec, state []byte) (sandbox.Sandbox, error) {
	spec, err := check(spec)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, "", "cannot start sandbox: %w", err)
	}
	p := b.cfg.Program(spec)
	if state != nil {
		if err := p.Load(state); err != nil {
			return nil, fault.New(fault.Conflict, "", "cannot restore sandbox: %w", err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, fault.New(fault.Conflict, "", "cannot start sandbox: the backend is closed")
	}
	if b.sandboxes[spec.ID] != nil {
		return nil, fault.New(fault.Conflict, "Close it first or choose another id.", "cannot start sandbox: %s runs already", spec.ID)
	}
	s := newSandbox(b, spec, p)
	b.sandboxes[spec.ID] = s
	return s, nil
}

// check refuses what a real backend refuses.
func check(spec sandbox.Spec) (sandbox.Spec, error) {
	bad := func(format string, args ...any) (sandbox.Spec, error) {
		return spec, fault.New(fault.Invalid, "", "cannot start sandbox: "+format, args...)
	}
	if !idPattern.MatchString(spec.ID) {
		return bad("bad id %q", spec.ID)
	}
	if len(spec.Args) == 0 {
		return bad("no program to run")
	}
	if fi, err := os.Stat(spec.Root); err != nil || !fi.IsDir() || !filepath.IsAbs(spec.Root) {
		return bad("bad root %q", spec.Root)
	}
	l := spec.Limits.WithDefaults()
	if l.Memory < 0 || l.CPUs < 0 || l.Processes < 0 || l.Disk < 0 || l.OpenFiles < 0 {
		return bad("a limit is negative")
	}
	spec.Limits = l
	return spec, nil
}

// Host implements [sandbox.Backend].
func (b *Backend) Host(context.Context) (sandbox.Host, error) {
	h := sandbox.Host{
		Backend:  "fake",
		Boundary: "None: guests are Go values in this very process, for tests only.",
		Platform: "none",
		Root:     os.Geteuid() == 0,
		Findings: []sandbox.Finding{{What: "this backend isolates nothing", Remedy: "Use the gvisor backend for code that you do not trust."}},
	}
	for _, l := range []string{"memory", "cpus", "processes", "disk", "open_files", "wall", "output"} {
		h.Limits = append(h.Limits, sandbox.Enforcement{Limit: l, By: "nobody"})
	}
	h.Limits[0].By = "watcher"
	return h, nil
}

// Sweep implements [sandbox.Backend]. No state outlives the process.
func (b *Backend) Sweep(context.Context) (int, error) { return 0, nil }

// Close implements [sandbox.Backend].
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	var all []*Sandbox
	for _, s := range b.sandboxes {
		all = append(all, s)
	}
	b.mu.Unlock()
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Sandbox is one pretended guest.
type Sandbox struct {
	b     *Backend
	spec  sandbox.Spec
	prog  Program
	began time.Time

	in, out *pipe
	stop    chan struct{} // closed to end the watcher
	done    chan struct{}

	mu     sync.Mutex
	closed bool
	over   bool // memory
	ended  bool
	exit   sandbox.Exit
	peak   int64
	took   time.Duration
}

// watchInterval is how often a Meter is asked.
const watchInterval = 2 * time.Millisecond

func newSandbox(b *Backend, spec sandbox.Spec, p Program) *Sandbox {
	s := &Sandbox{
		b: b, spec: spec, prog: p, began: time.Now(),
		in: newPipe(), out: newPipe(), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go s.run() // Close waits for it through done
	return s
}

func (s *Sandbox) run() {
	var watch sync.WaitGroup
	watch.Go(s.watch)
	code := s.prog.Run(s.in, s.out)
	close(s.stop)
	watch.Wait()
	s.out.closeWrite() // what was written can still be read
	s.in.closeRead()
	s.mu.Lock()
	s.ended = true
	s.took = time.Since(s.began)
	s.exit = s.verdict(code)
	s.mu.Unlock()
	s.b.mu.Lock()
	delete(s.b.sandboxes, s.spec.ID)
	s.b.mu.Unlock()
	close(s.done)
}

// verdict says why the guest is over. s.mu is held.
func (s *Sandbox) verdict(code int) sandbox.Exit {
	switch {
	case s.over:
		return sandbox.Exit{Status: event.Memory, Code: -1, Message: fmt.Sprintf("the session's memory limit of %d MiB was reached", s.spec.Limits.Memory>>20)}
	case s.closed:
		return sandbox.Exit{Status: event.Killed, Code: -1, Message: "the sandbox was closed"}
	case code == 0:
		return sandbox.Exit{Status: event.OK}
	case code < 0:
		return sandbox.Exit{Status: event.Crashed, Code: -1, Message: "the guest's first process was ended by a signal"}
	}
	return sandbox.Exit{Status: event.Crashed, Code: code, Message: fmt.Sprintf("the guest's first process ended with code %d", code)}
}

// watch ends a Meter that uses more than its limit.
func (s *Sandbox) watch() {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		if s.memory() > s.spec.Limits.Memory {
			s.mu.Lock()
			s.over = true
			s.mu.Unlock()
			s.cut()
			return
		}
	}
}

// memory asks the Meter and keeps the high-water mark.
func (s *Sandbox) memory() int64 {
	m, ok := s.prog.(Meter)
	if !ok {
		return 0
	}
	n := m.Memory()
	s.mu.Lock()
	s.peak = max(s.peak, n)
	s.mu.Unlock()
	return n
}

// cut makes the guest's reads and writes fail.
func (s *Sandbox) cut() {
	s.in.closeRead()
	s.out.closeRead()
}

// Stream implements [sandbox.Sandbox].
func (s *Sandbox) Stream() io.ReadWriteCloser { return stream{s} }

type stream struct{ s *Sandbox }

func (t stream) Read(p []byte) (int, error)  { return t.s.out.Read(p) }
func (t stream) Write(p []byte) (int, error) { return t.s.in.Write(p) }
func (t stream) Close() error                { t.s.in.closeWrite(); return nil }

// Wait implements [sandbox.Sandbox].
func (s *Sandbox) Wait() sandbox.Exit {
	<-s.done
	return s.exit
}

// Close implements [sandbox.Sandbox].
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cut()
	<-s.done
	return nil
}

// Usage implements [sandbox.Sandbox]. CPU is the time since the start.
func (s *Sandbox) Usage(ctx context.Context) (sandbox.Usage, error) {
	if err := ctx.Err(); err != nil {
		return sandbox.Usage{}, fault.New(fault.Canceled, "", "cannot measure sandbox: %w", err)
	}
	n := s.memory()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return sandbox.Usage{PeakMemory: s.peak, CPU: s.took}, nil
	}
	return sandbox.Usage{Memory: n, PeakMemory: s.peak, CPU: time.Since(s.began), Processes: 1}, nil
}

func (s *Sandbox) alive(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.closed {
		return fault.New(fault.Conflict, "", "cannot %s sandbox: the sandbox ended", what)
	}
	return nil
}

// checkpointFile is the only file of a fake checkpoint.
const checkpointFile = "fake.json"

type saved struct {
	Guest string   `json:"guest"`
	Args  []string `json:"args"`
	Disk  int64    `json:"disk"`
	State []byte   `json:"state"`
	Sum   uint32   `json:"sum"` // CRC-32 of State
}

// Checkpoint implements [sandbox.Sandbox].
func (s *Sandbox) Checkpoint(ctx context.Context, dir string) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, fault.New(fault.Canceled, "", "cannot checkpoint sandbox: %w", err)
	}
	if err := s.alive("checkpoint"); err != nil {
		return 0, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return 0, fault.New(fault.Conflict, "Choose a new folder.", "cannot checkpoint sandbox: %s exists", dir)
	}
	began := time.Now()
	state, err := s.prog.Save()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("cannot checkpoint sandbox: %w", err)
	}
	b, err := json.Marshal(saved{
		Guest: s.spec.Files(), Args: s.spec.Args, Disk: s.spec.Limits.Disk,
		State: state, Sum: crc32.ChecksumIEEE(state),
	})
	if err != nil {
		return 0, fmt.Errorf("cannot checkpoint sandbox: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".fake-*.tmp")
	if err != nil {
		return 0, fmt.Errorf("cannot checkpoint sandbox: %w", err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(tmp, checkpointFile), b, 0o600), os.Rename(tmp, dir)); err != nil {
		return 0, errors.Join(fmt.Errorf("cannot checkpoint sandbox: %w", err), os.RemoveAll(tmp))
	}
	return took, nil
}

func load(dir string, spec sandbox.Spec) ([]byte, error) {
	no := func(format string, args ...any) ([]byte, error) {
		return nil, fault.New(fault.Conflict, "Use another checkpoint.", "cannot restore sandbox: "+format, args...)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "", "cannot restore sandbox: there is no checkpoint %s", dir)
	}
	b, err := os.ReadFile(filepath.Join(dir, checkpointFile))
	if err != nil {
		return no("%w", sandbox.Damaged{Err: err})
	}
	var c saved
	if err := json.Unmarshal(b, &c); err != nil {
		return no("checkpoint %s is damaged: %w", dir, sandbox.Damaged{Err: err})
	}
	if c.Sum != crc32.ChecksumIEEE(c.State) {
		return no("checkpoint %s is damaged: %w", dir, sandbox.Damaged{Err: errors.New("it is not what was written")})
	}
	if c.Guest != spec.Files() || !slices.Equal(c.Args, spec.Args) || c.Disk != spec.Limits.Disk {
		return no("checkpoint %s was made with another image, program or limit", dir)
	}
	return c.State, nil
}
