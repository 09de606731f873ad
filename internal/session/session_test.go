package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/cpu"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/fake"
)

func create(t *testing.T, m *Manager, opt Options) *Session {
	t.Helper()
	s, err := m.Create(t.Context(), opt, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eval executes code and returns the text of its value.
func eval(t *testing.T, s *Session, code string) string {
	t.Helper()
	out, err := s.Execute(t.Context(), code, Exec{}, event.Discard)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	if out.Status != event.OK {
		t.Fatalf("%s: %s %s", code, out.Status, out.Message)
	}
	return out.Result["text"]
}

func want(t *testing.T, s *Session, code, text string) {
	t.Helper()
	if got := eval(t, s, code); got != text {
		t.Errorf("%s is %q, want %q", code, got, text)
	}
}

func TestTemplateIsBuiltOnceAndReseeded(t *testing.T) {
	m := toyManager(t, t.TempDir())
	a, b := create(t, m, toyOptions(t)), create(t, m, toyOptions(t))
	if o, _ := a.Origin(); o != Built {
		t.Errorf("the first session was %s, want %s", o, Built)
	}
	if o, _ := b.Origin(); o != Restored {
		t.Errorf("the second session was %s, want %s", o, Restored)
	}
	want(t, a, "reseeds", "1")
	want(t, b, "reseeds", "1")
	eval(t, a, "x = 1")
	want(t, b, "x", "")
}

// A program's limits can be lowered once it runs, never raised.
func TestTemplateHasLooserLimitsThanItsSessions(t *testing.T) {
	m := toyManager(t, t.TempDir())
	opt := toyOptions(t)
	opt.Limits.Memory, opt.Limits.Processes = 64<<20, 8
	small := create(t, m, opt)
	opt.Limits.Memory, opt.Limits.Processes = 2<<30, 512
	large := create(t, m, opt)
	if o, _ := large.Origin(); o != Restored {
		t.Errorf("the second session was %s, want %s", o, Restored)
	}
	for _, s := range []*Session{small, large} {
		if l := s.base.Spec.Limits; l.Memory < 2<<30 || l.Processes < 512 {
			t.Errorf("the template has %+v", l)
		}
		want(t, s, "setups", "2") // the template's, and its own
	}
}

func TestSeededSessionKeepsItsRandomness(t *testing.T) {
	m := toyManager(t, t.TempDir())
	seed := int64(7)
	opt := toyOptions(t)
	opt.Seed = &seed
	s := create(t, m, opt)
	want(t, s, "reseeds", "0")
	want(t, s, "seed", "7")
	child, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, child, "reseeds", "0")
}

func TestDamagedTemplateIsBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	create(t, m, toyOptions(t))
	files, err := filepath.Glob(filepath.Join(dir, "templates", "*", "state", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no template: %v", err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	s, err := m.Create(t.Context(), toyOptions(t), event.SinkFunc(func(e event.Event) {
		if p, ok := e.(event.Progress); ok {
			said = append(said, p.Text)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "reseeds", "1")
	if len(said) == 0 || !strings.Contains(said[0], "built again") {
		t.Errorf("nobody was told: %q", said)
	}
}

func TestForkGoesItsOwnWay(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 41")
	child, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, child, "x", "41")
	eval(t, child, "x = 42")
	want(t, s, "x", "41")
	want(t, s, "reseeds", "1")     // the original keeps its randomness
	want(t, child, "reseeds", "2") // the child gets its own
	noTemp(t, m)
}

func noTemp(t *testing.T, m *Manager) {
	t.Helper()
	m.packing.Lock() // what is being packed has temporary folders
	defer m.packing.Unlock()
	left, err := filepath.Glob(filepath.Join(m.cfg.Dir, "*", ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestRollbackReturnsToASnapshot(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	one, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eval(t, s, "x = 2")
	two, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if two.Parent != one.ID {
		t.Errorf("parent %s, want %s", two.Parent, one.ID)
	}
	if err := s.Rollback(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	want(t, s, "x", "1")
	if err := s.Rollback(t.Context(), strings.Repeat("0", 32)); fault.KindOf(err) != fault.NotFound {
		t.Errorf("rolling back to nothing: %v", err)
	}
	want(t, s, "x", "1")
}

func TestPausedSessionComesBackByItself(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	for range 2 {
		if err := s.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.guest != nil {
		t.Error("the sandbox of a paused session runs")
	}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() { want(t, s, "x", "1") })
	}
	calls.Wait()
	noTemp(t, m)
	if err := s.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	noTemp(t, m)
}

func TestDeadSandboxGoesBackToTheSnapshot(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	out, err := s.Execute(t.Context(), "die", Exec{}, event.Discard)
	if err != nil || out.Status != event.Crashed || out.State != event.Fresh || !strings.Contains(out.Message, "lost") {
		t.Fatalf("without a snapshot: %+v %v", out, err)
	}
	want(t, s, "x", "")
	eval(t, s, "x = 2")
	if _, err := s.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	eval(t, s, "x = 3")
	out, err = s.Execute(t.Context(), "die", Exec{}, event.Discard)
	if err != nil || out.Status != event.Crashed || out.State != event.Restored || !strings.Contains(out.Message, "snapshot") {
		t.Fatalf("with a snapshot: %+v %v", out, err)
	}
	want(t, s, "x", "2")
}

// The guest keeps the limits of an execution; one that does not is ended from outside.
func TestGuestThatNeverAnswersIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toyManager(t, t.TempDir())
		s := create(t, m, toyOptions(t))
		eval(t, s, "x = 1")
		if _, err := s.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := s.Execute(t.Context(), "hang", Exec{Bounds: event.Bounds{Timeout: event.Duration(time.Second)}}, event.Discard)
		if err != nil || out.Status != event.Timeout || out.State != event.Restored || !strings.Contains(out.Message, "limit of 1s") {
			t.Fatalf("%+v %v", out, err)
		}
		want(t, s, "x", "1")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		out, err = s.Execute(ctx, "hang", Exec{}, event.Discard)
		if err != nil || out.Status != event.Interrupted || out.State != event.Restored {
			t.Fatalf("interrupted: %+v %v", out, err)
		}
		want(t, s, "x", "1")
	})
}

// TestWallTimeIsTheHosts executes code that takes a minute, of which the guest says that it
// was five milliseconds.
func TestWallTimeIsTheHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := create(t, toyManager(t, t.TempDir()), toyOptions(t))
		x, err := s.Execute(t.Context(), "late", Exec{Bounds: event.Bounds{Timeout: event.Duration(time.Hour)}}, event.Discard)
		if err != nil {
			t.Fatalf("%+v, %v", x, err)
		}
		if got := x.Usage.WallMS; got < 60_000 {
			t.Errorf("the execution took %v ms, which is what the guest says", got)
		}
	})
}

func TestPoolIsClaimedAndRefilled(t *testing.T) {
	m := toyManager(t, t.TempDir())
	opt := toyOptions(t)
	if err := m.Warm(t.Context(), opt, 2, event.Discard); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if o, _ := create(t, m, opt).Origin(); o != FromPool {
			t.Errorf("the session was %s, want %s", o, FromPool)
		}
	}
	if err := m.Warm(t.Context(), opt, 2, event.Discard); err != nil {
		t.Fatal(err)
	}
	seed := int64(1)
	opt.Seed = &seed
	if o, _ := create(t, m, opt).Origin(); o == FromPool {
		t.Error("a session with a seed was claimed from the pool")
	}
}

// Of the kinds of sessions that were made last some guests are ready, without being asked
// for; those of a kind that nobody asks for any more are ended.
func TestWhatIsMadeLastIsWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := backendManager(t, Config{Dir: t.TempDir(), Backend: fake.New(fake.Config{Program: newToy}), MaxSessions: 20, Warm: 2})
		kind := func(n int) Options {
			opt := toyOptions(t)
			opt.Limits.OpenFiles = 100 + n
			return opt
		}
		for n := range maxKinds + 1 {
			if o, _ := create(t, m, kind(n)).Origin(); o == FromPool {
				t.Errorf("the first session of kind %d came from a pool", n)
			}
			time.Sleep(time.Minute)
			if o, _ := create(t, m, kind(n)).Origin(); o != FromPool {
				t.Errorf("the second session of kind %d was %s, want %s", n, o, FromPool)
			}
			time.Sleep(time.Minute)
		}
		if got, want := m.Pools(), (PoolStats{Warm: 2 * maxKinds, Hits: maxKinds + 1, Misses: maxKinds + 1}); got != want {
			t.Errorf("the pools are %+v, want %+v", got, want)
		}
		if o, _ := create(t, m, kind(0)).Origin(); o == FromPool {
			t.Error("a kind that was made longest ago is still ready")
		}
	})
}

func TestSessionsAreBounded(t *testing.T) {
	m := toyManager(t, t.TempDir())
	for range 8 {
		create(t, m, toyOptions(t))
	}
	_, err := m.Create(t.Context(), toyOptions(t), event.Discard)
	if fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "" {
		t.Errorf("the ninth of eight sessions: %v", err)
	}
	if err := m.Sessions()[0].Close(); err != nil {
		t.Fatal(err)
	}
	create(t, m, toyOptions(t))
}

func overdue(s *Session, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.overdueLocked(now)
}

func TestOverdue(t *testing.T) {
	m := toyManager(t, t.TempDir())
	opt := toyOptions(t)
	opt.Idle, opt.Wall = time.Minute, time.Hour
	s := create(t, m, opt)
	now := time.Now()
	for _, tt := range []struct {
		after time.Duration
		says  string
	}{{time.Second, ""}, {2 * time.Minute, "idle for too long (limit 1m0s)"}, {2 * time.Hour, "wall time is over (limit 1h0m0s)"}} {
		if got := overdue(s, now.Add(tt.after)); (tt.says == "") != (got == "") || !strings.Contains(got, tt.says) {
			t.Errorf("after %s: %q, want %q", tt.after, got, tt.says)
		}
	}
	s.Renew(10 * time.Second)
	if got := overdue(s, now.Add(20*time.Second)); !strings.Contains(got, "lease") {
		t.Errorf("without renewal: %q", got)
	}
	s.Renew(0)
	if got := overdue(s, now.Add(20*time.Second)); got != "" {
		t.Errorf("without a lease: %q", got)
	}
	s.end("it was idle for too long (limit 1m0s)")
	_, err := s.Execute(t.Context(), "x", Exec{}, event.Discard)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "idle for too long") {
		t.Errorf("a reaped session says %v", err)
	}
	if len(m.Sessions()) != 0 {
		t.Error("the manager still counts it")
	}
}

func TestPoolGivesTheRequestedLimits(t *testing.T) {
	m := toyManager(t, t.TempDir())
	opt := toyOptions(t)
	if err := m.Warm(t.Context(), opt, 1, event.Discard); err != nil {
		t.Fatal(err)
	}
	opt.Limits.Memory = 128 << 20
	if o, _ := create(t, m, opt).Origin(); o == FromPool {
		t.Error("a guest with other limits was claimed")
	}
}

// A guest does not go on before it may, and not at all when it may not.
func TestBefore(t *testing.T) {
	m, opt := toyManager(t, t.TempDir()), toyOptions(t)
	create(t, m, opt) // the template is there
	no := errors.New("not recorded")
	opt.Before = func(context.Context) error { return no }
	if _, err := m.Create(t.Context(), opt, event.Discard); !errors.Is(err, no) || len(m.Sessions()) != 1 {
		t.Errorf("%v, %d sessions", err, len(m.Sessions()))
	}
	calls := 0
	opt.Before = func(context.Context) error { calls++; return nil }
	s := create(t, m, opt)
	if _, err := s.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Pause(t.Context()) != nil || s.Resume(t.Context()) != nil || calls != 1 {
		t.Errorf("it was called %d times", calls)
	}
}

// A template that was made on another processor may not run here: the sandbox refuses it.
func TestEachProcessorHasItsTemplate(t *testing.T) {
	m, opt := toyManager(t, t.TempDir()), toyOptions(t)
	key := m.templateKey(opt)
	defer func(was bool) { cpu.X86.HasAVX512VNNI = was }(cpu.X86.HasAVX512VNNI)
	cpu.X86.HasAVX512VNNI = !cpu.X86.HasAVX512VNNI
	if m.templateKey(opt) == key {
		t.Error("another processor has the same template")
	}
}

// Each of two waits for its own number of warm guests.
func TestWarmingTwiceAtOnce(t *testing.T) {
	m := toyManager(t, t.TempDir())
	opt := toyOptions(t)
	var both sync.WaitGroup
	for _, n := range []int{4, 2} {
		both.Go(func() {
			if err := m.Warm(t.Context(), opt, n, event.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
}

func TestCallsAndPausesStorm(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for range 5 {
				if i%4 == 0 {
					if err := s.Pause(t.Context()); err != nil {
						t.Error(err)
					}
					continue
				}
				out, err := s.Execute(t.Context(), "x", Exec{}, event.Discard)
				// The guest runs one piece of code a context: busy is an answer too.
				if err == nil && out.Result["text"] != "1" || err != nil && strings.Contains(err.Error(), "paused") {
					t.Errorf("%+v %v", out, err)
				}
			}
		})
	}
	all.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	noTemp(t, m)
}

// Interrupt must not wait for what waits for the code to end.
func TestInterruptPassesAWaitingSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toyManager(t, t.TempDir())
		s := create(t, m, toyOptions(t))
		_, done, err := s.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		saved := make(chan error, 1)
		go func() {
			_, err := s.Snapshot(t.Context())
			saved <- err
		}()
		synctest.Wait()
		select {
		case err := <-saved:
			t.Fatalf("the snapshot did not wait for the call: %v", err)
		default:
		}
		if err := s.Interrupt(t.Context(), ""); err != nil {
			t.Error(err)
		}
		done()
		if err := <-saved; err != nil {
			t.Error(err)
		}
	})
}

func TestGoodTemplateOutlivesOtherFailures(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	create(t, m, toyOptions(t))
	if err := m.cfg.Backend.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Create(t.Context(), toyOptions(t), event.Discard); err == nil {
		t.Fatal("a closed backend made a session")
	}
	files, err := filepath.Glob(filepath.Join(dir, "templates", "*", metaFile))
	if err != nil || len(files) != 1 {
		t.Errorf("the template is gone: %v %v", files, err)
	}
}

func TestSnapshotNamesStayInTheirFolder(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	if _, err := s.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", ".", "..", "../templates/x", strings.Repeat("A", 32), strings.Repeat("0", 33)} {
		if err := s.Rollback(t.Context(), id); fault.KindOf(err) != fault.Invalid {
			t.Errorf("rolling back to %q: %v", id, err)
		}
		if err := m.RemoveSnapshot(t.Context(), id); err != nil {
			t.Errorf("removing %q: %v", id, err)
		}
	}
	m.packing.Lock() // what is being packed has temporary folders
	defer m.packing.Unlock()
	left, err := os.ReadDir(m.snapshots.dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d snapshots left, want 1 (%v)", len(left), err)
	}
}

// Whatever becomes of a snapshot, the session goes on.
func TestCanceledSnapshotLeavesTheSessionUsable(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	for i := range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*20*time.Microsecond)
		if _, err := s.Snapshot(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		cancel()
	}
	want(t, s, "x", "1")
	noTemp(t, m)
}

func TestSnapshotWaitsForCalls(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	_, done, err := s.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := s.Snapshot(ctx)
		over <- err
	}()
	cancel(errors.New("enough"))
	if err := <-over; fault.KindOf(err) != fault.Canceled {
		t.Errorf("a snapshot that had to wait for ever: %v", err)
	}
	done()
	if _, err := s.Snapshot(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLockWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		unlock, err := lockFile(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		waited := 0
		time.AfterFunc(time.Second, unlock)
		again, err := lockFile(t.Context(), path, func() { waited++ })
		if err != nil || waited != 1 {
			t.Fatalf("told %d times, %v", waited, err)
		}
		again()
	})
}

// TestDateOutOfRange refuses clocks that could not go on.
func TestDateOutOfRange(t *testing.T) {
	m := toyManager(t, t.TempDir())
	for _, year := range []int{1969, 2200, 9999} {
		opt := toyOptions(t)
		opt.Date = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		if _, err := m.Create(t.Context(), opt, event.Discard); fault.KindOf(err) != fault.Invalid {
			t.Errorf("in %d: %v", year, err)
		}
	}
}

// filled is a backend whose sandboxes say that the host ended a part of them.
type filled struct {
	sandbox.Backend
	overrun atomic.Bool
}

type filledSandbox struct {
	sandbox.Sandbox
	of *filled
}

func (b *filled) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	s, err := b.Backend.Start(ctx, spec)
	return filledSandbox{s, b}, err
}

func (b *filled) Restore(ctx context.Context, spec sandbox.Spec, from sandbox.From) (sandbox.Sandbox, error) {
	s, err := b.Backend.Restore(ctx, spec, from)
	return filledSandbox{s, b}, err
}

func (s filledSandbox) Usage(ctx context.Context) (sandbox.Usage, error) {
	u, err := s.Sandbox.Usage(ctx)
	u.Overrun = s.of.overrun.Load()
	return u, err
}

// An execution after which the sandbox is ended says so itself: the next one finds a
// session that is live.
func TestOverrunIsReportedAtOnce(t *testing.T) {
	b := &filled{Backend: fake.New(fake.Config{Program: newToy})}
	m := backendManager(t, Config{Dir: t.TempDir(), Backend: b, MaxSessions: 8})
	s := create(t, m, toyOptions(t))
	for _, tt := range []struct {
		overrun bool
		want    event.State
	}{{false, event.Lost}, {true, event.Fresh}} {
		b.overrun.Store(tt.overrun)
		x, err := s.Execute(t.Context(), "swell", Exec{}, event.Discard)
		if err != nil || x.Status != event.Memory || x.State != tt.want {
			t.Fatalf("overrun %t: got %+v, %v, want the state %s", tt.overrun, x, err, tt.want)
		}
		b.overrun.Store(false)
		if x, err = s.Execute(t.Context(), "x = 1", Exec{}, event.Discard); err != nil || x.Status != event.OK || x.State != event.Intact {
			t.Fatalf("overrun %t: the next one: %+v, %v", tt.overrun, x, err)
		}
	}
}
