package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/sandbox"
)

// cgroupPrefix begins the name of every cgroup that a backend makes.
const cgroupPrefix = "praxis-"

// Config is what a Backend needs to know.
type Config struct {
	// Dir is the state folder. Several processes may share it. It holds the
	// guests' writable layers, so it should not lie on a memory file system.
	Dir string
	// Program is the file of the program around sandboxes (package runsc).
	Program string
	// NoCgroups leaves memory and CPUs to the watcher and to affinity even
	// where cgroups could be made.
	NoCgroups bool
}

// Backend makes gVisor sandboxes. Make one with New.
type Backend struct {
	owner    *owner
	base     string
	plan     cgroupPlan
	launcher *launcher
	sums     *sumCache

	mu        sync.Mutex
	sandboxes map[string]*box // by the spec's id; nil while it is being made
	turn      int             // numbers the sandboxes
	closed    bool
	making    sync.WaitGroup
}

var _ sandbox.Backend = (*Backend)(nil)

// New opens the state folder. The caller must Close the backend.
func New(cfg Config) (*Backend, error) {
	base, err := filepath.Abs(cfg.Dir)
	if err != nil || cfg.Dir == "" {
		return nil, fault.New(fault.Invalid, "Name a folder that you may write.", "cannot open sandbox state: no folder named")
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, fmt.Errorf("cannot open sandbox state: %w", err)
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, fmt.Errorf("cannot open sandbox state: %w", err)
	}
	if err := atomicfile.Own(base); err != nil {
		return nil, fmt.Errorf("cannot open sandbox state: %w", err)
	}
	o, err := newOwner(base)
	if err != nil {
		return nil, fmt.Errorf("cannot open sandbox state: %w", err)
	}
	l, err := newLauncher(cfg.Program)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot open the program of sandboxes: %w", err), o.close())
	}
	b := &Backend{
		owner: o, base: base, launcher: l,
		sums:      newSumCache(),
		sandboxes: make(map[string]*box),
		plan:      cgroupPlan{reason: "switched off"},
	}
	if !cfg.NoCgroups {
		b.plan = planCgroups(hostTree{root: "/"})
	}
	return b, nil
}

// Start implements [sandbox.Backend].
func (b *Backend) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	return b.make(ctx, spec, nil)
}

// Restore implements [sandbox.Backend].
func (b *Backend) Restore(ctx context.Context, spec sandbox.Spec, from sandbox.From) (sandbox.Sandbox, error) {
	return b.make(ctx, spec, from)
}

// make starts a guest, from a checkpoint unless from is nil.
func (b *Backend) make(ctx context.Context, spec sandbox.Spec, from sandbox.From) (_ sandbox.Sandbox, err error) {
	spec, err = checkSpec(spec)
	if err != nil {
		return nil, err
	}
	if err := checkTargets(spec); err != nil {
		return nil, fault.New(fault.Invalid, "Make an empty folder or file there in the image: it is never written to.", "cannot start sandbox: %w", err)
	}
	turn, err := b.reserve(spec.ID)
	if err != nil {
		return nil, err
	}
	defer b.making.Done()
	x := newBox(b, spec, turn)
	if err := x.begin(ctx, from); err != nil {
		x.abandon()
		b.forget(spec.ID)
		if ctx.Err() != nil {
			return nil, fault.New(fault.Canceled, "", "cannot start sandbox: %w", context.Cause(ctx))
		}
		if fault.KindOf(err) == fault.Internal && full(err) {
			err = fault.Coded(fault.DiskFull, fault.Data{"folder": b.base}, "cannot start sandbox: the disk is full")
		}
		return nil, err
	}
	b.mu.Lock()
	b.sandboxes[spec.ID] = x
	closed := b.closed
	b.mu.Unlock()
	// From here on the sandbox may end by itself; its end forgets it.
	x.adopt()
	if closed {
		_ = x.Close()
		return nil, errClosed()
	}
	return x, nil
}

func errClosed() error {
	return fault.New(fault.Conflict, "", "cannot start sandbox: the backend is closed")
}

// reserve takes the id for a sandbox that is to be made.
func (b *Backend) reserve(id string) (turn int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, errClosed()
	}
	if _, ok := b.sandboxes[id]; ok {
		return 0, fault.New(fault.Conflict, "Close it first or choose another id.", "cannot start sandbox: %s runs already", id)
	}
	b.sandboxes[id] = nil
	b.turn++
	b.making.Add(1)
	return b.turn, nil
}

func (b *Backend) forget(id string) {
	b.mu.Lock()
	delete(b.sandboxes, id)
	b.mu.Unlock()
}

// Sweep implements [sandbox.Backend].
func (b *Backend) Sweep(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, fault.New(fault.Canceled, "", "cannot sweep: %w", err)
	}
	n, err := sweep(b.base)
	removeLost(b.plan)
	if err != nil {
		return n, fmt.Errorf("cannot sweep: %w", err)
	}
	return n, nil
}

// Close implements [sandbox.Backend].
func (b *Backend) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	b.mu.Unlock()
	b.making.Wait() // those that are being made see closed and end themselves
	b.mu.Lock()
	var all []*box
	for _, x := range b.sandboxes {
		all = append(all, x)
	}
	b.mu.Unlock()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, x := range all {
		wg.Go(func() { errs[i] = x.Close() })
	}
	wg.Wait()
	b.launcher.close()
	errs = append(errs, b.owner.close())
	return errors.Join(errs...)
}
