package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"praxis/event"
	"praxis/fault"
)

// template is the prepared state that sessions with the same options start from.
type template struct {
	Snapshot
	key   string
	built bool // by this call, because it was missing
}

// templateKey names what a template depends on: the image, the programs inside,
// the processor, and those limits that are part of the saved state. Memory, CPUs and
// processes are set again after a restore.
func (m *Manager) templateKey(opt Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%v\n%s\n%s\n%s\n%t\n%v\n%v\n%v\n", metaVersion, processor(), opt.Image.ID, m.cfg.Program.Key(), m.kernelsKey, opt.Seed != nil,
		savedLimits(opt.Limits), opt.Image.Runtimes, opt.Image.Mounts)
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// savedLimits are the values of those limits that a restore cannot change.
func savedLimits(l event.Limits) (out []float64) {
	for _, s := range event.LimitTable() {
		if s.Saved {
			out = append(out, s.Of(l))
		}
	}
	return out
}

// template returns the template of opt and builds it when it is missing or
// damaged. Two processes that need the same one build it once.
func (m *Manager) template(ctx context.Context, opt Options, sink event.Sink) (template, error) {
	if opt.Image.ID == "" {
		return template{}, fault.New(fault.Invalid, "", "cannot create session: no image")
	}
	key := m.templateKey(opt)
	if snap, err := m.templates.load(key); err == nil {
		return template{Snapshot: snap, key: key}, nil
	}
	unlock, err := lockFile(ctx, filepath.Join(m.templates.dir, "."+key+".lock"), nil)
	if err != nil {
		return template{}, fmt.Errorf("cannot build template: %w", err)
	}
	defer unlock()
	snap, err := m.templates.load(key)
	if err == nil {
		return template{Snapshot: snap, key: key}, nil
	}
	if fault.KindOf(err) != fault.NotFound {
		sink.Emit(event.Progress{Stage: "template", Text: "the template is damaged and is built again: " + err.Error()})
	}
	return m.replaceTemplate(ctx, key, opt, sink)
}

// takeTemplate returns the template of opt, which cannot be collected until the
// hold is released.
func (m *Manager) takeTemplate(ctx context.Context, opt Options, sink event.Sink) (template, *hold, error) {
	for {
		t, err := m.template(ctx, opt, sink)
		if err != nil {
			return template{}, nil, err
		}
		h, err := holdFolder(t.dir)
		if err == nil {
			t.used()
			return t, h, nil
		}
		if fault.KindOf(err) != fault.NotFound || ctx.Err() != nil {
			return template{}, nil, err
		}
		// It was collected at this moment: it is built again.
	}
}

// rebuild replaces a template that could not be restored, unless somebody else
// did so meanwhile.
func (m *Manager) rebuild(ctx context.Context, bad template, opt Options, sink event.Sink) (template, error) {
	unlock, err := lockFile(ctx, filepath.Join(m.templates.dir, "."+bad.key+".lock"), nil)
	if err != nil {
		return template{}, fmt.Errorf("cannot build template: %w", err)
	}
	defer unlock()
	if snap, err := m.templates.load(bad.key); err == nil && !snap.Created.Equal(bad.Created) {
		return template{Snapshot: snap, key: bad.key}, nil
	}
	return m.replaceTemplate(ctx, bad.key, opt, sink)
}

// replaceTemplate builds the template called key in the place of what is there.
// Its lock is held.
func (m *Manager) replaceTemplate(ctx context.Context, key string, opt Options, sink event.Sink) (template, error) {
	err := m.owner.discard(filepath.Join(m.templates.dir, key))
	var snap Snapshot
	if err == nil {
		snap, err = m.build(ctx, key, opt, sink)
	}
	if err != nil {
		return template{}, fmt.Errorf("cannot build template of image %s: %w", opt.Image.Name, err)
	}
	return template{Snapshot: snap, key: key, built: true}, nil
}

// roomy gives a template so much that every session's own limits are lower: a
// program's limits can only be lowered once it runs, and importing large
// packages is not what a small session is bounded for.
func generous(opt Options) Options {
	l := &opt.Limits
	l.Memory = max(l.Memory, 16<<30)
	l.CPUs = max(l.CPUs, float64(runtime.NumCPU()))
	l.Processes = max(l.Processes, 4096)
	return opt
}

// build boots a guest, prepares its kernel and saves it.
func (m *Manager) build(ctx context.Context, key string, opt Options, sink event.Sink) (Snapshot, error) {
	began := time.Now()
	what := "starting the kernel"
	if r := opt.Image.Runtimes; len(r) > 0 {
		what = "starting " + m.cfg.Languages.Named(r[0].Language).Display
		if len(r[0].Preload) > 0 {
			what += " and importing " + strings.Join(r[0].Preload, ", ")
		}
	}
	sink.Emit(event.Progress{Stage: "template", Text: what})
	opt = generous(opt)
	// A process of another version may have removed it: nothing that is stored ran it.
	if _, err := m.cfg.Programs.Install(m.cfg.Program); err != nil {
		return Snapshot{}, noSpace(err)
	}
	l, err := m.boot(ctx, opt)
	if err != nil {
		return Snapshot{}, err
	}
	defer l.close()
	if start := opt.Image.Start; start != nil {
		if err := l.start(ctx, start, sink); err != nil {
			return Snapshot{}, err
		}
	}
	if err := l.client.Quiesce(ctx); err != nil {
		return Snapshot{}, err
	}
	spec := m.spec(opt)
	snap, err := m.templates.save(ctx, l.box, Snapshot{Spec: spec, Deterministic: opt.Seed != nil, Template: true}, key)
	if err != nil {
		return Snapshot{}, err
	}
	sink.Emit(event.Progress{Stage: "template", Text: fmt.Sprintf("ready in %.1f s, %d MB", time.Since(began).Seconds(), snap.Bytes>>20)})
	return snap, nil
}

// lockFile takes an exclusive lock on path, waiting for its holder; waiting is
// called once when there is a wait. The lock goes with the process.
func lockFile(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	return lockFileAs(ctx, path, unix.LOCK_EX, waiting)
}

// lockFileAs is lockFile for a lock that may be shared.
func lockFileAs(ctx context.Context, path string, how int, waiting func()) (unlock func(), err error) {
	return lockAt(ctx, path, how, os.O_CREATE|os.O_RDWR, waiting)
}

// lockAt takes a lock on what flags open at path.
func lockAt(ctx context.Context, path string, how, flags int, waiting func()) (unlock func(), err error) {
	for first := true; ; first = false {
		f, err := os.OpenFile(path, flags, 0o600)
		if err != nil {
			return nil, err
		}
		err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if err == nil && sameFile(f, path) {
			return func() { f.Close() }, nil
		}
		f.Close()
		if err != nil && err != unix.EWOULDBLOCK && err != unix.EINTR {
			return nil, err
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.Canceled, "", "cannot wait for %s: %w", filepath.Base(path), context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// sameFile says whether path still names f: its folder may have been removed
// and made again while we waited for the lock.
func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}
