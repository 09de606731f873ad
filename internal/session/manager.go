package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/programs"
	"praxis/internal/sandbox"
	"praxis/internal/seal"
)

// packWorkers is how many processors the packing of a snapshot may use, and the making
// of its files of chunks.
const packWorkers = 2

// Bounds of a session that nobody asked to bound otherwise.
const (
	DefaultWall = 24 * time.Hour
	DefaultIdle = time.Hour
)

// Config is what a Manager needs.
type Config struct {
	Dir         string    // data folder; the manager owns programs, templates, snapshots and sessions in it
	Seals       *seal.Key // that vouches for what lies in Dir
	Backend     sandbox.Backend
	Languages   language.Table   // whose kernels sessions can start
	Programs    *programs.Store  // where Program is installed
	Program     programs.Program // the first process of guests
	MaxSessions int              // alive at once, warm ones apart; default 64
	Patience    Patience
	// HistoryBytes bounds the snapshots of one named session: the oldest go,
	// its head never does. Default 4 GiB.
	HistoryBytes int64
	Retention    Retention // of the steps of named sessions
	// Recorded says that recorded runs begin with states of named sessions: what leaves
	// a history is then left until CollectSnapshots is called, whose caller knows of runs.
	Recorded bool
	// Warm is how many guests are kept ready for each of the kinds of sessions that were
	// made last, from the first one of a kind on. 0: none, unless Manager.Warm says so.
	Warm int
}

// Patience is how long guests are waited for, so that a silent one keeps nobody
// waiting for ever. Zero values mean the defaults, which are long: machines are busy.
type Patience struct {
	guest.Patience
	// Boot is how long a guest may take to get ready; it imports packages that nothing
	// has read yet. Default: 10 minutes.
	Boot time.Duration
	// Wake is how long a guest that was restored, or saved, may take to go on. Default: 1 minute.
	Wake time.Duration
	// Overtime is how much longer than its limit an execution may take to end before
	// the guest counts as lost: far more than the guest's own steps from interrupt to
	// kill and its looks for changed files take. Default: 1 minute.
	Overtime time.Duration
	// End is how long a sandbox may take to go whose stream ended: how it ended is what
	// is recorded. Default: 30 seconds.
	End time.Duration
}

func (p Patience) withDefaults() Patience {
	p.Boot, p.Wake = cmp.Or(p.Boot, 10*time.Minute), cmp.Or(p.Wake, time.Minute)
	p.Overtime, p.End = cmp.Or(p.Overtime, time.Minute), cmp.Or(p.End, 30*time.Second)
	return p
}

// Manager makes sessions and owns them. It is safe for concurrent use.
type Manager struct {
	cfg        Config
	program    string // where the first process of guests lies
	kernelsKey string // names what the kernels of all languages are
	templates  Snapshots
	snapshots  Snapshots
	names      string // folder of named sessions
	owner      *owner
	tasks      errgroup.Group // pool refills, the reaper and what packs snapshots; Close waits for them
	packing    sync.Mutex     // held by whoever packs: one after another, what a snapshot was made from first
	// spawn runs a task until it returns; its context ends when the manager
	// closes. It reports false when that has begun.
	spawn func(func(context.Context)) bool
	stop  context.CancelFunc
	done  <-chan struct{} // closed when the manager closes

	mu       sync.Mutex
	sessions map[string]*Session
	reserved int   // places of sessions that are being made
	failed   error // of sessions that were reaped; Close tells
	pools    map[poolKey]*pool
	made     int64 // sessions that were asked for, with which pools are compared
	closed   bool

	hits, misses atomic.Int64 // of pools
	// restoring bounds how many guests are restored at once. Each takes all of a processor:
	// of fifty that share two all would be ready at the end, in turns half of them are in
	// half of the time.
	restoring *semaphore.Weighted
}

// Options say what a new session is like. Zero values mean defaults.
type Options struct {
	Image  image.Image
	Limits event.Limits
	Seed   *int64        // makes the session deterministic
	Date   time.Time     // when it begins by its clocks, if it has a seed; zero: the same for all
	Wall   time.Duration // longest life; DefaultWall
	Idle   time.Duration // longest time without a call; DefaultIdle
	// Before returns when the guest may go on from a saved state, while its sandbox is
	// made; an error ends it. nil: at once.
	Before func(context.Context) error
	build  bool // it makes an image: see Builder
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.WithDefaults()
	if o.Seed != nil && o.Date.IsZero() {
		o.Date = time.Unix(wire.DefaultDate, 0)
	}
	o.Date = o.Date.UTC().Truncate(time.Second)
	if o.Wall == 0 {
		o.Wall = DefaultWall
	}
	if o.Idle == 0 {
		o.Idle = DefaultIdle
	}
	return o
}

// Open makes a manager over the data folder and removes what dead owners left there.
func Open(cfg Config) (*Manager, error) {
	if cfg.MaxSessions == 0 {
		cfg.MaxSessions = 64
	}
	if cfg.HistoryBytes == 0 {
		cfg.HistoryBytes = 4 << 30
	}
	cfg.Patience = cfg.Patience.withDefaults()
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot open data folder: %w", err)
	}
	if err := atomicfile.Own(cfg.Dir); err != nil {
		return nil, fmt.Errorf("cannot open data folder: %w", err)
	}
	var dirs []string
	for _, name := range []string{"owners", "templates", "snapshots", "sessions", "chunks"} {
		dir := filepath.Join(cfg.Dir, name)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir) // it may lie on another disk
		}
		if err != nil {
			return nil, fmt.Errorf("cannot open data folder: %w", noSpace(err))
		}
		dirs = append(dirs, dir)
	}
	owners := dirs[0]
	if err := sweep(owners, dirs[1:]...); err != nil {
		return nil, fmt.Errorf("cannot clean data folder: %w", err)
	}
	o, err := newOwner(context.Background(), owners)
	if err != nil {
		return nil, fmt.Errorf("cannot open data folder: %w", noSpace(err))
	}
	packed, err := openPacks(dirs[4], o, packWorkers)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot open data folder: %w", err), o.close())
	}
	m := &Manager{
		cfg:        cfg,
		kernelsKey: kernelsKey(cfg.Languages),
		owner:      o,
		templates:  Snapshots{dirs[1], "template", o, cfg.Seals, nil},
		snapshots:  Snapshots{dirs[2], "snapshot", o, cfg.Seals, packed},
		names:      dirs[3],
		sessions:   map[string]*Session{},
		pools:      map[poolKey]*pool{},
		restoring:  semaphore.NewWeighted(int64(2 * runtime.NumCPU())),
	}
	if m.program, err = cfg.Programs.Install(cfg.Program); err != nil {
		return nil, errors.Join(noSpace(err), o.close())
	}
	if err := m.prunePrograms(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot clean data folder: %w", err), o.close())
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop, m.done = stop, ctx.Done()
	m.spawn = func(f func(context.Context)) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.closed {
			return false
		}
		m.tasks.Go(func() error { f(ctx); return nil })
		return true
	}
	m.spawn(m.reap)
	return m, nil
}

// Close ends every session and waits for the manager's tasks.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.stop()
	var g errgroup.Group
	for _, s := range m.Sessions() {
		g.Go(s.Close)
	}
	err := errors.Join(g.Wait(), m.tasks.Wait())
	m.mu.Lock()
	pools := m.pools
	m.pools = map[poolKey]*pool{}
	err = errors.Join(err, m.failed)
	m.mu.Unlock()
	for _, p := range pools {
		err = errors.Join(err, p.close())
	}
	return errors.Join(err, m.owner.close())
}

// Create makes a session: claimed from the pool when one is warm, else restored
// from its template, which is built first when it is missing (sink gets the progress).
func (m *Manager) Create(ctx context.Context, opt Options, sink event.Sink) (*Session, error) {
	if y := opt.Date.Year(); !opt.Date.IsZero() && (y < 1970 || y > 2199) {
		return nil, fault.New(fault.Invalid, "Begin it from 1970 to 2199.", "cannot create session: its clocks cannot begin in the year %d", y)
	}
	opt = opt.withDefaults()
	if opt.Seed == nil && !opt.Date.IsZero() {
		return nil, fault.New(fault.Invalid, "Give it a seed, too.", "cannot create session: a session without a seed has the machine's clocks, and no date of its own")
	}
	began := time.Now()
	t, h, err := m.takeTemplate(ctx, opt, sink)
	if err != nil {
		return nil, err
	}
	free, err := m.reserve()
	if err != nil {
		h.release()
		return nil, err
	}
	defer free()
	origin := FromPool
	g, ok := m.claim(t, opt)
	m.keepWarm(t, opt)
	if ok {
		m.hits.Add(1)
	} else {
		m.misses.Add(1)
		origin = Restored
		if t.built {
			origin = Built
		}
		g, err = m.restore(ctx, t.Snapshot, opt)
		if errors.As(err, new(sandbox.Damaged)) || errors.Is(err, seal.ErrBroken) {
			// It is only a cache: it is made again.
			sink.Emit(event.Progress{Stage: "template", Text: "the template is damaged and is built again: " + err.Error()})
			origin = Built
			h.release()
			if t, err = m.rebuild(ctx, t, opt, sink); err == nil {
				h, _ = holdFolder(t.dir) // new as it is, nobody collects it yet
				g, err = m.restore(ctx, t.Snapshot, opt)
			}
		}
		if err != nil {
			h.release()
			return nil, err
		}
	}
	return m.adopt(g, opt, start{base: t.Snapshot, hold: h, origin: origin, began: began})
}

// FromSnapshot makes a session from a saved state, as SnapshotTaken events name
// it. Zero limits are those that it was saved with. An image, when one is given,
// must be the one that it runs; a seed only fits a state that was made with one.
func (m *Manager) FromSnapshot(ctx context.Context, id string, opt Options, sink event.Sink) (*Session, error) {
	snap, err := m.snapshots.load(id)
	if err != nil {
		return nil, err
	}
	if opt.Limits == (event.Limits{}) {
		opt.Limits = snap.Spec.Limits
	}
	if opt.Image.ID != "" && snap.image() != opt.Image.ID {
		return nil, fault.New(fault.Conflict, "Begin with a fresh session of that image.", "cannot open snapshot %.12s: it runs another image than %s", id, opt.Image.Name)
	}
	if (opt.Seed != nil) != snap.Deterministic {
		return nil, fault.New(fault.Conflict, "Give the seed that the state was made with, or none when it was made without.",
			"cannot open snapshot %.12s: it was made %s a seed", id, map[bool]string{true: "with", false: "without"}[snap.Deterministic])
	}
	sink.Emit(event.Progress{Stage: "template", Text: "restoring the state of " + snap.Created.Local().Format(time.DateTime)})
	return m.fromSnapshot(ctx, id, opt.withDefaults())
}

// fromSnapshot makes a session from a saved state.
func (m *Manager) fromSnapshot(ctx context.Context, id string, opt Options) (*Session, error) {
	free, err := m.reserve()
	if err != nil {
		return nil, err
	}
	defer free()
	began := time.Now()
	snap, h, err := m.snapshots.take(id)
	if err != nil {
		return nil, err
	}
	l, err := m.restore(ctx, snap, opt)
	if err != nil {
		h.release()
		return nil, err
	}
	return m.adopt(l, opt, start{base: snap, hold: h, own: true, added: snap.Added, origin: Saved, began: began})
}

// trust refuses a snapshot that was loaded and is not as it was sealed, and one whose
// guest runs another build's program that is not.
// Its files stay where they are until release is called.
func (m *Manager) trust(ctx context.Context, snap Snapshot) (release func(), err error) {
	if snap.in == nil {
		return func() {}, nil
	}
	key := snap.program() // ours was looked at when the manager was opened
	if key != "" && key != m.cfg.Program.Key() {
		err := m.cfg.Programs.Check(key)
		switch {
		case errors.Is(err, seal.ErrBroken):
			return nil, unsealed("cannot restore snapshot "+snap.ID, "the program "+key, err)
		case errors.Is(err, os.ErrNotExist):
			return nil, damaged(snap.ID, "the program that it runs is gone")
		case err != nil:
			return nil, err
		}
	}
	return snap.in.ready(ctx, snap)
}

// reserve takes a place for a session that is being made, and refuses when as
// many live as may. free gives the place back: to adopt's session, or to nobody.
func (m *Manager) reserve() (free func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fault.New(fault.Conflict, "", "cannot create session: the session manager is closed")
	}
	if n := len(m.sessions) + m.reserved; n >= m.cfg.MaxSessions {
		return nil, fault.Coded(fault.SessionsUsedUp, fault.Data{"limit": strconv.Itoa(m.cfg.MaxSessions)},
			"cannot create session: %d of %d sessions are alive", n, m.cfg.MaxSessions)
	}
	m.reserved++
	return func() {
		m.mu.Lock()
		m.reserved--
		m.mu.Unlock()
	}, nil
}

// adopt makes a session of a live guest and registers it. A manager that was
// closed meanwhile ends the guest instead.
func (m *Manager) adopt(g *live, opt Options, st start) (*Session, error) {
	s := newSession(m, g, opt, st)
	m.mu.Lock()
	closed := m.closed
	if !closed {
		m.sessions[s.id] = s
	}
	m.mu.Unlock()
	if closed {
		st.hold.release()
		err := fault.New(fault.Conflict, "", "cannot create session: the session manager is closed")
		return nil, errors.Join(err, g.close())
	}
	return s, nil
}

// drop forgets a closed session.
func (m *Manager) drop(s *Session) {
	m.mu.Lock()
	delete(m.sessions, s.id)
	m.mu.Unlock()
}

// Sessions returns the sessions that live, in no order.
func (m *Manager) Sessions() []*Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]*Session, 0, len(m.sessions))
	for _, s := range m.sessions {
		out = append(out, s)
	}
	return out
}

// reap closes sessions whose wall time, idle time or lease is over.
func (m *Manager) reap(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, s := range m.Sessions() {
				if err := s.expire(now); err != nil {
					m.mu.Lock()
					m.failed = errors.Join(m.failed, err)
					m.mu.Unlock()
				}
			}
		}
	}
}

// live is one running guest.
type live struct {
	box    sandbox.Sandbox
	client *guest.Client
	waits  Patience
}

// close ends the guest. It may be called twice. The sandbox is killed before anything
// is waited for: a guest that is silent, or writes without end, keeps nobody waiting.
func (l *live) close() error {
	l.client.Stop()
	err := l.box.Close()
	return errors.Join(l.client.Close(), err)
}

// overrun says whether the host ended a process of the guest because memory was used up.
func (l *live) overrun(ctx context.Context) bool {
	u, err := l.box.Usage(ctx)
	return err == nil && u.Overrun
}

// spec describes the guest of opt.
func (m *Manager) spec(opt Options) sandbox.Spec {
	env := append([]string{}, opt.Image.Env...)
	return sandbox.Spec{
		Root:     opt.Image.Root,
		Mounts:   append(append([]sandbox.Mount{}, opt.Image.Mounts...), sandbox.Mount{Source: filepath.Dir(m.program), Target: filepath.Dir(programPath)}),
		Contents: contents(opt.Image.ID, m.cfg.Program.Key()),
		Args:     []string{programPath},
		Env:      env,
		Hostname: "praxis",
		Limits:   opt.Limits,
		Seeded:   opt.Seed != nil,
	}
}

// contents names what a guest's files are.
func contents(image, program string) string { return "image " + image + ", program " + program }

// image returns the ID of the image that the snapshot's guest runs, or "".
func (s Snapshot) image() string {
	id, _, _ := strings.Cut(strings.TrimPrefix(s.Spec.Contents, "image "), ",")
	return id
}

// programPath is where guests find their first process.
const programPath = "/.praxis/praxis-guest"

// kernelsKey names what the kernels of some languages are.
func kernelsKey(languages language.Table) string {
	h := sha256.New()
	for _, l := range languages {
		fmt.Fprintf(h, "%s\n%v\n", l.Name, l.Kernel) // maps are printed in order
	}
	return hex.EncodeToString(h.Sum(nil))
}

// kernels are the languages of an image as its guests start them. An image may
// have a language that the program does not know: it is left out.
func (m *Manager) kernels(img image.Image) ([]wire.Kernel, error) {
	var out []wire.Kernel
	for _, r := range img.Runtimes {
		if l, ok := m.cfg.Languages.Runs(r); ok {
			out = append(out, guest.Kernel(m.cfg.Languages.Hosting(l), r))
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "Use an image with a language that Praxis has.", "cannot create session: image %s has no language that is known", img.Name)
	}
	return out, nil
}

// guestLimits are the limits that the guest's agent enforces, which have the names
// that they have here.
func guestLimits(l event.Limits) (out wire.Limits) {
	from, to := reflect.ValueOf(l), reflect.ValueOf(&out).Elem()
	for i := range to.NumField() {
		if v := from.FieldByName(to.Type().Field(i).Name); v.IsValid() {
			to.Field(i).Set(v)
		}
	}
	return out
}

// setup is what the agent gets of opt, the languages apart.
func setup(opt Options) wire.Setup {
	env := map[string]string{}
	for _, kv := range opt.Image.Env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	return wire.Setup{
		Limits:        guestLimits(opt.Limits),
		Workdir:       wire.DefaultWorkdir,
		Env:           env,
		Deterministic: opt.Seed != nil,
		Seed:          opt.Seed,
		Date:          opt.unixDate(),
		Build:         opt.build,
	}
}

// unixDate is the date as the guest gets it; 0: there is none.
func (o Options) unixDate() int64 {
	if o.Date.IsZero() {
		return 0
	}
	return o.Date.Unix()
}

// boot starts a guest from its image and prepares its kernel.
func (m *Manager) boot(ctx context.Context, opt Options) (*live, error) {
	kernels, err := m.kernels(opt.Image)
	if err != nil {
		return nil, err
	}
	spec := m.spec(opt)
	spec.ID = newID()
	box, err := m.cfg.Backend.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	l := &live{box: box, waits: m.cfg.Patience, client: guest.New(box.Stream(), m.cfg.Patience.Patience)}
	ctx, cancel := context.WithTimeoutCause(ctx, m.cfg.Patience.Boot, errors.New("the guest did not get ready in time"))
	defer cancel()
	if err := l.client.Hello(ctx, wire.Hello{}); err != nil {
		return nil, l.failed("cannot prepare session", err)
	}
	first := setup(opt)
	first.Kernels = kernels
	if err := l.client.Setup(ctx, first); err != nil {
		return nil, l.failed("cannot prepare session", err)
	}
	return l, nil
}

// restore makes a guest from a snapshot and tells it its limits, the time and
// fresh randomness.
func (m *Manager) restore(ctx context.Context, snap Snapshot, opt Options) (*live, error) {
	if opt.Before == nil { // one that waits for something else would have others wait for it
		if err := m.restoring.Acquire(ctx, 1); err != nil {
			return nil, fault.New(fault.Canceled, "", "cannot restore session: %w", context.Cause(ctx))
		}
		defer m.restoring.Release(1)
	}
	release := func() {}
	defer func() { release() }()
	return m.restoreLater(ctx, snap, opt, func(ctx context.Context) (string, error) {
		done, err := m.trust(ctx, snap)
		if err != nil {
			return "", err
		}
		release = done
		if opt.Before != nil {
			err = opt.Before(ctx)
		}
		return snap.state(), err
	})
}

// restoreLater is restore of a snapshot whose files are in the folder that from returns.
func (m *Manager) restoreLater(ctx context.Context, snap Snapshot, opt Options, from sandbox.From) (*live, error) {
	spec := snap.Spec
	spec.ID = newID()
	spec.Limits = opt.Limits
	spec.Seeded = snap.Deterministic
	box, err := m.cfg.Backend.Restore(ctx, spec, from)
	if err != nil {
		return nil, err
	}
	l := &live{box: box, waits: m.cfg.Patience, client: guest.New(box.Stream(), m.cfg.Patience.Patience)}
	ctx, cancel := context.WithTimeoutCause(ctx, m.cfg.Patience.Wake, errors.New("the guest did not come back in time"))
	defer cancel()
	hello := wire.Hello{}
	if !snap.Deterministic {
		hello.Reseed = randomHex(32)
	}
	if err := l.client.Hello(ctx, hello); err != nil {
		return nil, l.failed("cannot restore session", err)
	}
	// What was prepared for everyone gets this session's limits and seed.
	if snap.Template && (opt.Seed != nil || opt.Limits != snap.Spec.Limits) {
		if err := l.client.Setup(ctx, setup(opt)); err != nil {
			return nil, l.failed("cannot set up session", err)
		}
	}
	return l, nil
}

// failed closes a guest that did not come up and says why, by its exit when it is over.
func (l *live) failed(what string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		l.close()
		return fmt.Errorf("%s: %w", what, err)
	}
	closeErr := l.close()
	if exit := l.box.Wait(); exit.Message != "" {
		err = fmt.Errorf("%w (%s)", err, exit.Message)
	}
	return fmt.Errorf("%s: %w", what, errors.Join(err, closeErr))
}

func newID() string { return "s-" + randomHex(6) }

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}
