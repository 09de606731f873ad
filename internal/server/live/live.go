// Package live holds the sessions, executions and runs of one tenant of a server, while they
// go on and for as long as somebody may ask after them.
//
// Each session is a named session: the snapshot that its name stands at is what pausing,
// restarting the server and forking go on from. One that was idle for long is saved and its
// sandbox closed; the next call opens it again. So what lives is bounded by memory, and what
// there is by the disk.
//
// What a session is beside its state, such as when it ends, is a file of its own. After a
// server was killed it says which sessions were not saved: they are lost, and say so.
package live

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/observe"
)

// State says whether a session has a sandbox.
type State string

// The states.
const (
	Live   State = "live"
	Paused State = "paused" // saved: the next call opens it
	Lost   State = "lost"   // the server ended before it was saved
)

// Config is what a Hub needs.
type Config struct {
	App    *app.App
	Dir    string        // the folder of the files that say what sessions are
	Idle   time.Duration // after which a session is saved and its sandbox closed; 0: DefaultIdle
	Most   int           // sessions that may have a sandbox; 0: DefaultMost
	Stored int           // sessions that there may be; 0: DefaultStored
	Runs   int           // runs that may go on at a time; 0: DefaultRuns
	// Admit says why nothing new may begin on behalf of whoever asks, nil: it may. Bounds says
	// what the sessions of the tenant may have, and those that a key made. Executed is called
	// when an execution begins, and what happens in it goes to the sink that it returns. They
	// may be nil.
	Admit    func(ctx context.Context) error
	Bounds   func(key string) (tenant, own Bounds)
	Executed func(ctx context.Context) event.Sink
	// Failed is called with what went wrong with a session while nobody waited for it; nil: it
	// is not reported.
	Failed func(session string, err error)
}

// The defaults of a Config.
const (
	DefaultIdle   = 10 * time.Minute
	DefaultMost   = 32
	DefaultStored = 1000
	DefaultRuns   = 16
)

// Hub holds what lives. It is safe for concurrent use.
type Hub struct {
	cfg   Config
	stop  context.CancelFunc // of what tends the sessions
	work  sync.WaitGroup
	grown atomic.Int64   // bytes that are kept in memory since somebody looked
	heavy chan struct{}  // asks lightens to look at what is kept
	busy  sync.WaitGroup // calls and what goes on beside them; all ends with the sandboxes

	approvals app.Approvals

	mu       sync.Mutex
	sessions map[string]*session
	runs     works[*Run]
	made     []made
	closed   bool
}

// Meta is what is stored of a session beside its state.
type Meta struct {
	ID       string            `json:"id"`
	Made     time.Time         `json:"made"`
	Ends     time.Time         `json:"ends,omitzero"` // when it is deleted; zero: never by itself
	Metadata map[string]string `json:"metadata,omitempty"`
	Saved    bool              `json:"saved"`                  // its name stands at a snapshot
	Key      string            `json:"key,omitempty"`          // the id of the key that it was made with
	Memory   int64             `json:"memory_bytes,omitempty"` // that it may have
}

// Info describes a session.
type Info struct {
	Meta
	State State `json:"state"`
	// Session is known while there is a sandbox.
	Session *event.SessionBegan `json:"session,omitempty"`
}

// session is one session of the hub.
type session struct {
	id      string
	turn    chan struct{}       // held by whoever opens or pauses it
	users   *semaphore.Weighted // one for each call that has the sandbox, all for who takes it away
	spec    app.SessionSpec
	calls   int               // under Hub.mu
	used    time.Time         // under Hub.mu
	meta    Meta              // under Hub.mu
	gone    bool              // under Hub.mu: it is being deleted
	apart   bool              // under Hub.mu: a run uses it by its name
	fresh   bool              // under turn: it was made here and never opened
	s       *app.Session      // written under turn and Hub.mu; nil: it has no sandbox
	opens   bool              // under Hub.mu: it is about to have a sandbox
	execs   works[*Execution] // under Hub.mu
	procs   works[*Process]   // under Hub.mu
	conns   int               // under Hub.mu: connections to its ports
	hosts   []string          // under Hub.mu: that its programs may reach
	network *app.Network      // under turn: how they do; nil: they reach none, or it has no sandbox
	note    string            // under Hub.mu: what became of a sandbox that died, until a call reports it
}

// Open reads what sessions there are. Close must be called.
func Open(cfg Config) (*Hub, error) {
	set := func(n *int, to int) {
		if *n <= 0 {
			*n = to
		}
	}
	set(&cfg.Most, DefaultMost)
	set(&cfg.Stored, DefaultStored)
	set(&cfg.Runs, DefaultRuns)
	if cfg.Idle <= 0 {
		cfg.Idle = DefaultIdle
	}
	if cfg.Admit == nil {
		cfg.Admit = func(context.Context) error { return nil }
	}
	if cfg.Bounds == nil {
		cfg.Bounds = func(string) (tenant, own Bounds) { return Bounds{}, Bounds{} }
	}
	if cfg.Executed == nil {
		cfg.Executed = func(context.Context) event.Sink { return event.Discard }
	}
	if cfg.Failed == nil {
		cfg.Failed = func(string, error) {}
	}
	if err := atomicfile.Make(cfg.Dir); err != nil {
		return nil, err
	}
	h := &Hub{cfg: cfg, heavy: make(chan struct{}, 1), sessions: map[string]*session{}}
	if err := errors.Join(h.read(), os.RemoveAll(h.madeFolder())); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	h.work.Go(func() { h.tend(ctx) })
	h.work.Go(func() { h.lightens(ctx) })
	return h, nil
}

// read reads the files of the sessions.
func (h *Hub) read() error {
	return eachFile(h.cfg.Dir, "the server's sessions", func(id string, data []byte) error {
		meta, err := decodeMeta(id, data)
		if err == nil {
			h.sessions[id] = newSession(meta, app.SessionSpec{})
		}
		return err
	})
}

// allUsers are more than a session ever has.
const allUsers = 1 << 30

// newSession returns a session that has no sandbox. When it ends, its hub says, and no bound of
// the sandbox's time.
func newSession(meta Meta, spec app.SessionSpec) *session {
	spec.Name, spec.Lasting = meta.ID, true
	return &session{id: meta.ID, turn: make(chan struct{}, 1), users: semaphore.NewWeighted(allUsers), spec: spec, meta: meta, used: time.Now()}
}

// decodeMeta reads the file of a session.
func decodeMeta(id string, data []byte) (Meta, error) {
	var m Meta
	if err := json.Unmarshal(data, &m); err != nil || m.ID != id {
		return m, fault.New(fault.Conflict, "Remove the file: the session's state is not in it.", "cannot read the server's sessions: %s.json is damaged", safetext.Line(id))
	}
	return m, nil
}

// write stores what is known of a session. h.mu is not held.
func (h *Hub) write(m Meta) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(h.cfg.Dir, m.ID+".json"), data); err != nil {
		return fmt.Errorf("cannot store the session: %w", err)
	}
	return nil
}

// removeFile removes what is stored of a session. h.mu is not held.
func (h *Hub) removeFile(id string) error {
	err := os.Remove(filepath.Join(h.cfg.Dir, id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Request asks for a new session.
type Request struct {
	Spec     app.SessionSpec   // its name is the id; "": one is chosen
	Lasts    time.Duration     // after which it is deleted; 0: never by itself
	Metadata map[string]string // of the caller's
}

// newID returns an id that starts with a word.
func newID(word string) string {
	raw := make([]byte, 8)
	rand.Read(raw) // it never fails
	return word + "-" + hex.EncodeToString(raw)
}

// newMeta is what is known of a session that is to be made for a caller. It lasts for so long;
// 0: it does not end by itself.
func newMeta(ctx context.Context, id string, lasts time.Duration) Meta {
	m := Meta{ID: cmp.Or(id, newID("s")), Made: time.Now().UTC(), Key: observe.From(ctx).Key}
	if lasts > 0 {
		m.Ends = m.Made.Add(lasts)
	}
	return m
}

// Create makes a session. Progress goes to sink.
func (h *Hub) Create(ctx context.Context, q Request, sink event.Sink) (Info, error) {
	meta := newMeta(ctx, q.Spec.Name, q.Lasts)
	// The name is that of a file here, too: a path in it would name another.
	if err := app.CheckSessionName(meta.ID); err != nil {
		return Info{}, err
	}
	if err := h.cfg.Admit(ctx); err != nil {
		return Info{}, err
	}
	meta.Metadata, meta.Memory = q.Metadata, cmp.Or(q.Spec.Limits.Memory, h.cfg.App.Limits().Memory)
	e := newSession(meta, q.Spec)
	e.fresh = true
	if err := h.add(e); err != nil {
		return Info{}, err
	}
	err := h.use(ctx, e, sink, func(s *app.Session) error {
		h.mu.Lock()
		e.meta.Saved = s.Saved()
		meta = e.meta
		h.mu.Unlock()
		return h.write(meta)
	})
	if err != nil {
		return Info{}, errors.Join(err, h.drop(context.WithoutCancel(ctx), e, false))
	}
	return h.Get(e.id)
}

// add takes a session in, unless there are too many or its name is taken.
func (h *Hub) add(e *session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return errStopping()
	case h.sessions[e.id] != nil:
		return fault.Coded(fault.SessionExists, fault.Data{"name": e.id}, "cannot make session %s: there is one already", safetext.Line(e.id))
	case len(h.sessions) >= h.cfg.Stored:
		return fault.New(fault.Exhausted, "Delete sessions that nobody needs.", "cannot make a session: there are %d of %d", len(h.sessions), h.cfg.Stored)
	}
	h.sessions[e.id] = e
	return nil
}

func errStopping() error {
	return fault.New(fault.Unavailable, "Try again when it has started anew.", "cannot begin anything: the server is stopping")
}

// find returns a session.
func (h *Hub) find(id string) (*session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.findLocked(id)
}

func (h *Hub) findLocked(id string) (*session, error) {
	if e := h.sessions[id]; e != nil && !e.gone {
		return e, nil
	}
	return nil, errMissing(id)
}

func errMissing(id string) error {
	id = safetext.Clip(safetext.Line(id), 80)
	return fault.Coded(fault.SessionMissing, fault.Data{"name": id}, "cannot find session %s", id)
}

// Use lends a session, which is opened if it is paused, to f.
func (h *Hub) Use(ctx context.Context, id string, f func(*app.Session) error) error {
	e, err := h.find(id)
	if err != nil {
		return err
	}
	return h.use(ctx, e, event.Discard, f)
}

// occupy has a session not be idle until free is called. It can be paused all the same by
// who asks for that.
func (h *Hub) occupy(e *session) (free func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopping()
	}
	if e.gone {
		return nil, errMissing(e.id) // even if another has its name now
	}
	e.calls++
	h.busy.Add(1)
	return func() {
		defer h.busy.Done()
		h.mu.Lock()
		defer h.mu.Unlock()
		e.calls--
		e.used = time.Now()
	}, nil
}

func (h *Hub) use(ctx context.Context, e *session, sink event.Sink, f func(*app.Session) error) error {
	free, err := h.occupy(e)
	if err != nil {
		return err
	}
	defer free()
	s, err := h.enter(ctx, e, sink)
	if err != nil {
		return err
	}
	defer e.users.Release(1)
	return f(s)
}

// enter returns the session with a sandbox, which stays until one of users is released.
func (h *Hub) enter(ctx context.Context, e *session, sink event.Sink) (*app.Session, error) {
	if err := e.take(ctx); err != nil {
		return nil, err
	}
	defer e.give()
	s, err := h.opened(ctx, e, sink)
	if err != nil {
		return nil, err
	}
	// Who takes the sandbox away has the turn, so there is nothing to wait for.
	return s, e.users.Acquire(ctx, 1)
}

// opened returns the session with a sandbox. Its turn is held.
func (h *Hub) opened(ctx context.Context, e *session, sink event.Sink) (*app.Session, error) {
	if err := h.mend(ctx, e); err != nil {
		return nil, err
	}
	if e.s != nil {
		return e.s, nil
	}
	if err := h.usable(e); err != nil {
		return nil, err
	}
	if err := h.makeSpace(ctx, e); err != nil {
		return nil, err
	}
	s, err := h.cfg.App.OpenSession(ctx, e.spec, sink)
	if err != nil {
		h.set(e, nil)
		return nil, err
	}
	h.set(e, s)
	if err := h.connect(ctx, e); err != nil {
		h.set(e, nil)
		return nil, errors.Join(err, s.Close())
	}
	if !e.fresh {
		h.findProcesses(context.WithoutCancel(ctx), e, s)
	}
	e.fresh, e.spec = false, app.SessionSpec{Name: e.id, Lasting: true}
	return s, nil
}

// usable refuses a session without a sandbox that may not get one: who waited for its turn
// meanwhile would open what was deleted, or what nobody closes any more. Its turn is held.
func (h *Hub) usable(e *session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case e.gone:
		return errMissing(e.id)
	case h.closed:
		return errStopping()
	case e.meta.Saved || e.fresh:
		return nil
	}
	return fault.New(fault.Conflict, "Make another session.", "cannot use session %s: it ended before it was saved, and its state is lost", e.id)
}

// set says what sandbox a session has. Its turn is held.
func (h *Hub) set(e *session, s *app.Session) {
	if s == nil {
		e.disconnect()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e.s, e.opens = s, false
	if s != nil { // one that a run made, or that came as a file, says itself what it may have
		e.meta.Memory = s.Describe().Limits.Memory
	}
}

// take waits for the session's turn.
func (e *session) take(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Canceled, "", "cannot wait for session %s: %w", e.id, context.Cause(ctx))
	}
}

func (e *session) give() { <-e.turn }

// Pause saves a session and closes its sandbox. It waits until nothing runs in it.
func (h *Hub) Pause(ctx context.Context, id string) error {
	e, err := h.find(id)
	if err != nil {
		return err
	}
	return h.pause(ctx, e, true)
}

// pause saves a session and closes its sandbox. One that is in use meanwhile is left alone,
// unless it is to be waited for.
func (h *Hub) pause(ctx context.Context, e *session, wait bool) error {
	return h.alone(ctx, e, wait, func() error { return h.close(ctx, e) })
}

// close saves a session and closes its sandbox, if it has one. The session is alone.
func (h *Hub) close(ctx context.Context, e *session) error {
	s := e.s
	if s == nil {
		return nil
	}
	if err := h.mend(ctx, e); err != nil {
		return err
	}
	h.leaveProcesses(e)
	if _, err := s.Save(ctx, "paused"); err != nil {
		return err
	}
	if err := h.saved(e); err != nil {
		return err
	}
	h.set(e, nil)
	return s.Close()
}

// alone calls f when no call has the session's sandbox. Those that come meanwhile wait. If those
// that there are are not to be waited for, f is not called then.
func (h *Hub) alone(ctx context.Context, e *session, wait bool, f func() error) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.give()
	if !wait {
		if !e.users.TryAcquire(allUsers) {
			return nil
		}
	} else if err := e.users.Acquire(ctx, allUsers); err != nil {
		return fault.New(fault.Canceled, "", "cannot wait for the calls of session %s: %w", e.id, context.Cause(ctx))
	}
	defer e.users.Release(allUsers)
	return f()
}

// saved notes that the name of a session stands at a state.
func (h *Hub) saved(e *session) error {
	h.mu.Lock()
	was := e.meta.Saved
	e.meta.Saved = true
	meta := e.meta
	h.mu.Unlock()
	if was {
		return nil
	}
	return h.write(meta)
}

// Get describes a session.
func (h *Hub) Get(id string) (Info, error) {
	e, err := h.find(id)
	if err != nil {
		return Info{}, err
	}
	return h.info(e), nil
}

func (h *Hub) info(e *session) Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := Info{Meta: e.meta, State: e.state()}
	if e.s != nil {
		d := e.s.Describe()
		out.Session = &d
	}
	return out
}

// state says whether the session has a sandbox. Hub.mu is held.
func (e *session) state() State {
	switch {
	case e.s != nil || e.opens || e.apart:
		return Live
	case e.meta.Saved:
		return Paused
	}
	return Lost
}

// List describes the sessions, the oldest first.
func (h *Hub) List() []Info {
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.sessions))
	h.mu.Unlock()
	out := make([]Info, 0, len(all))
	for _, e := range all {
		out = append(out, h.info(e))
	}
	slices.SortFunc(out, func(a, b Info) int {
		if c := a.Made.Compare(b.Made); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// Extend says anew how long a session lasts from now on; 0: it does not end by itself.
func (h *Hub) Extend(id string, lasts time.Duration) error {
	h.mu.Lock()
	e, err := h.findLocked(id)
	if err != nil {
		h.mu.Unlock()
		return err
	}
	e.meta.Ends, e.used = time.Time{}, time.Now()
	if lasts > 0 {
		e.meta.Ends = time.Now().UTC().Add(lasts)
	}
	meta := e.meta
	h.mu.Unlock()
	return h.write(meta)
}

// Delete ends a session and removes its state. What runs in it is interrupted.
func (h *Hub) Delete(ctx context.Context, id string) error {
	e, err := h.find(id)
	if err != nil {
		return err
	}
	return h.drop(ctx, e, true)
}

// drop takes a session out. Its sandbox is closed before its turn is waited for: what runs
// in it ends with it.
func (h *Hub) drop(ctx context.Context, e *session, saved bool) error {
	h.mu.Lock()
	if e.gone {
		h.mu.Unlock()
		return nil
	}
	e.gone = true
	s := e.s
	for _, x := range e.execs {
		x.Interrupt()
	}
	h.mu.Unlock()
	var err error
	if s != nil {
		err = s.End()
	}
	if taken := e.take(ctx); taken != nil {
		h.mu.Lock()
		e.gone = false // it is still there, and can be deleted again
		h.mu.Unlock()
		return errors.Join(err, taken)
	}
	defer e.give()
	if s := e.s; s != nil {
		h.set(e, nil)
		err = errors.Join(err, s.Close())
	}
	h.loseProcesses(e, "the session was deleted")
	if saved {
		if gone := h.cfg.App.RemoveSession(ctx, e.id); fault.KindOf(gone) != fault.NotFound {
			err = errors.Join(err, gone)
		}
	}
	err = errors.Join(err, h.removeFile(e.id))
	h.mu.Lock()
	delete(h.sessions, e.id)
	h.mu.Unlock()
	return err
}

// tendEvery is how often the hub looks for sessions that are idle or over.
const tendEvery = 5 * time.Second

// tend pauses what is idle and deletes what is over, until the hub closes.
func (h *Hub) tend(ctx context.Context) {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			h.tendAt(ctx, now)
		}
	}
}

func (h *Hub) tendAt(ctx context.Context, now time.Time) {
	var idle, over, alive []*session
	h.mu.Lock()
	for _, e := range h.sessions {
		if e.s != nil && !e.gone {
			alive = append(alive, e)
		}
		switch {
		case e.gone, e.apart:
		case !e.meta.Ends.IsZero() && now.After(e.meta.Ends):
			over = append(over, e)
		case e.s != nil && e.calls == 0 && now.Sub(e.used) > h.cfg.Idle:
			idle = append(idle, e)
		}
	}
	h.mu.Unlock()
	for _, e := range alive {
		h.notice(ctx, e)
	}
	for _, e := range over {
		if err := h.drop(ctx, e, true); err != nil && ctx.Err() == nil {
			h.cfg.Failed(e.id, fmt.Errorf("cannot delete a session that is over: %w", err))
		}
	}
	for _, e := range idle {
		if err := h.pause(ctx, e, false); err != nil && ctx.Err() == nil {
			h.cfg.Failed(e.id, fmt.Errorf("cannot pause an idle session: %w", err))
		}
	}
}

// Close interrupts what runs, saves the sessions, and waits for everything. When ctx ends,
// what is not saved yet is ended without that.
func (h *Hub) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	all := slices.Collect(maps.Values(h.sessions))
	for _, r := range h.runs {
		r.Interrupt()
	}
	for _, e := range all {
		for _, x := range e.execs {
			x.Interrupt()
		}
	}
	h.mu.Unlock()
	h.stop()
	h.work.Wait()
	defer h.busy.Wait()
	err := os.RemoveAll(h.madeFolder())
	for _, e := range all {
		if paused := h.pause(ctx, e, true); paused != nil {
			err = errors.Join(err, fmt.Errorf("session %s is lost: %w", e.id, paused))
			h.mu.Lock()
			s := e.s
			h.mu.Unlock()
			if s != nil {
				err = errors.Join(err, s.Close())
			}
		}
		h.loseProcesses(e, "the server stopped; the process goes on when its session is opened again")
	}
	return err
}

// Save makes the state of a session what it goes on from, and returns the snapshot's id.
func (h *Hub) Save(ctx context.Context, id, label string) (snapshot string, err error) {
	e, err := h.find(id)
	if err != nil {
		return "", err
	}
	err = h.use(ctx, e, event.Discard, func(s *app.Session) error {
		if snapshot, err = s.Save(ctx, label); err != nil {
			return err
		}
		return h.saved(e)
	})
	return snapshot, err
}

// Snapshots lists the states of a session, the oldest first.
func (h *Hub) Snapshots(ctx context.Context, id string) ([]app.SnapshotInfo, error) {
	e, err := h.find(id)
	if err != nil {
		return nil, err
	}
	list, err := h.cfg.App.SessionLog(ctx, e.id)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil // it was not saved yet
	}
	return list, err
}

// Rollback takes a session back to one of its states; "": the one before the last. It
// returns where the session stands then.
func (h *Hub) Rollback(ctx context.Context, id, snapshot string) (head string, err error) {
	e, err := h.find(id)
	if err != nil {
		return "", err
	}
	err = h.alone(ctx, e, true, func() error {
		if s := e.s; s != nil { // what it did since it was saved is what is gone back from
			h.set(e, nil)
			if err := s.Close(); err != nil {
				return err
			}
		}
		head, err = h.cfg.App.RollbackSession(ctx, e.id, snapshot)
		return err
	})
	return head, err
}
