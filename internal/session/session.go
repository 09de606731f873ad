package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/safetext"
	"praxis/internal/sandbox"
)

// Session is one sandbox with its kernels, files and variables. Its methods are
// safe for concurrent use: calls run side by side, and what replaces the
// sandbox (snapshot, rollback, pause) waits until they are over.
type Session struct {
	id     string
	m      *Manager
	opt    Options
	born   time.Time
	origin Origin
	took   time.Duration
	gate   *semaphore.Weighted // calls hold 1, what replaces the sandbox holds all

	exposing sync.Mutex // locked to change what is exposed; before mu

	mu     sync.Mutex
	guest  *live           // nil while paused or closed
	paused *Snapshot       // its state while it has no sandbox; the folder is the session's
	base   Snapshot        // what a dead sandbox goes back to
	own    bool            // base was taken of this session, it is not the template
	states int             // counts snapshots, rollbacks and revivals
	since  int             // the one of them that base is of
	holds  []*hold         // keep base and other snapshots of the session from being collected
	used   time.Time       // last call
	calls  int             // running now
	lease  time.Time       // zero: none
	added  []image.Package // beside the image's
	closed string          // why, "" while the session lives

	exposed *exposure // nil: nothing
}

const allCalls = 1 << 20

// start is how a session begins.
type start struct {
	base   Snapshot
	hold   *hold // of base
	own    bool
	added  []image.Package // that it has beside the image's
	origin Origin
	began  time.Time
}

func newSession(m *Manager, g *live, opt Options, st start) *Session {
	now := time.Now()
	opt.Before = nil // it went on: later states are its own
	s := &Session{
		id: newID(), m: m, opt: opt, born: now, used: now, origin: st.origin, took: now.Sub(st.began),
		gate: semaphore.NewWeighted(allCalls), guest: g, base: st.base, own: st.own, added: st.added,
	}
	s.keep(st.hold)
	return s
}

// ID returns the session's name, unique among all sessions of this host.
func (s *Session) ID() string { return s.id }

// Origin says how the session came to be and how long that took.
func (s *Session) Origin() (Origin, time.Duration) { return s.origin, s.took }

// Options returns what the session was made with.
func (s *Session) Options() Options { return s.opt }

// Languages returns those that the session's manager knows.
func (s *Session) Languages() language.Table { return s.m.cfg.Languages }

// Exec says how a piece of code is run. Zero values mean defaults: DefaultTimeout,
// no bound of its own on processor time, and DefaultOutput.
type Exec struct {
	// Context is the kernel. "": "main" for code in the image's first language, and for
	// code in another one the context that is called as that is.
	Context string
	// Language is that of the code; "": the context's own, or the image's first.
	// A context has one language for as long as it exists.
	Language string
	// File is the name of the code in errors; "": they number what was run.
	File string
	event.Bounds
	Changes bool // Execution.Changes tells which files were changed
	// Environ are variables of the environment besides, Folder is where the context works,
	// and Rich asks for forms of values for programs: see wire.Execute.
	Environ map[string]string
	Folder  string
	Rich    bool
}

// Bounds of an execution that nobody asked to bound otherwise.
const (
	DefaultTimeout = 30 * time.Second
	DefaultOutput  = 256 << 10
)

func (x Exec) withDefaults() Exec {
	x.Bounds = x.Over(event.Bounds{Timeout: event.Duration(DefaultTimeout), OutputBytes: DefaultOutput})
	return x
}

// Execute runs code and returns its result. Output goes to sink as it comes. When
// ctx ends, the code is interrupted. When the sandbox died of it, the session is
// live again afterwards: Execution.State says from what.
func (s *Session) Execute(ctx context.Context, code string, x Exec, sink event.Sink) (event.Execution, error) {
	l, done, err := s.enter(ctx)
	if err != nil {
		return event.Execution{}, err
	}
	if code, x, err = s.place(code, x.withDefaults()); err != nil {
		done()
		return event.Execution{}, err
	}
	began := time.Now()
	// The guest keeps the limit; that it does is not taken on trust.
	timeout := time.Duration(x.Timeout)
	bounded, cancel := context.WithTimeout(ctx, timeout+s.m.cfg.Patience.Overtime)
	defer cancel()
	out, err := l.client.Execute(bounded, wire.Execute{
		Context: x.Context, Language: x.Language, Code: code, File: x.File,
		WallMS: timeout.Milliseconds(), CPUMS: time.Duration(x.CPU).Milliseconds(), OutputBytes: x.OutputBytes,
		Changes: x.Changes, Whole: x.Whole, Columns: x.Columns, Environ: x.Environ, Folder: x.Folder, Rich: x.Rich,
	}, sink)
	took := time.Since(began)
	done()
	overdue := bounded.Err() != nil && ctx.Err() == nil
	switch {
	case err == nil && overdue && out.Status == event.Interrupted:
		out.Status, out.Limit = event.Timeout, event.WallTime
		out.Message = fmt.Sprintf("the wall time limit of %s was reached; the guest did not keep it and was interrupted from outside", x.Timeout)
	case err != nil && bounded.Err() != nil && fault.KindOf(err) == fault.Unavailable:
		// It does not even stop: nothing of it can be used.
		l.close()
		exit := sandbox.Exit{Status: event.Interrupted, Message: "the code was interrupted; it did not stop and its sandbox was ended"}
		if overdue {
			exit.Status = event.Timeout
			exit.Message = fmt.Sprintf("the wall time limit of %s was reached; the guest did not stop and its sandbox was ended", x.Timeout)
		}
		if out, err = s.revive(context.WithoutCancel(ctx), l, exit); overdue {
			out.Limit = event.WallTime
		}
		out.Unlisted = withoutFiles(x)
	case err == nil && out.Status == event.Memory && l.overrun(ctx):
		// Part of the sandbox was ended from outside, and the rest of it will be: this result
		// says so, not that of whatever is executed next.
		var after event.Execution
		if after, err = s.revive(context.WithoutCancel(ctx), l, l.exit()); err == nil {
			out.Message, out.State, out.StateNote = after.Message, after.State, after.StateNote
		}
		out.Unlisted = withoutFiles(x)
	case err != nil && broken(l):
		// ctx may be over already; the session's state must be known all the same.
		out, err = s.revive(context.WithoutCancel(ctx), l, l.exit())
		out.Unlisted = withoutFiles(x)
	}
	if err != nil {
		return event.Execution{}, err
	}
	// A hostile guest has any clock that it likes: what it says can only add to what passed here.
	out.Usage.WallMS = max(out.Usage.WallMS, float64(took.Microseconds())/1000)
	out.Session = s.id
	return out, nil
}

// place says where code is run: in which kernel, and as what.
func (s *Session) place(code string, x Exec) (string, Exec, error) {
	if x.Language == "" {
		return code, x, nil
	}
	has := s.m.cfg.Languages.In(s.opt.Image.Runtimes)
	l, ok := has.Called(x.Language)
	if !ok && slices.Contains(s.opt.Image.Undriven, x.Language) {
		return "", x, fault.Coded(fault.LanguageUndriven, fault.Data{"language": safetext.Line(x.Language), "package": image.JupyterClient},
			"cannot run %s: the image has a kernel of Jupyter's for it, and not the package that drives it", safetext.Line(x.Language))
	}
	if !ok {
		return "", x, fault.Coded(fault.LanguageMissing, fault.Data{"language": safetext.Line(x.Language), "known": strings.Join(has.Names(), ", ")},
			"cannot run %s: the session's image has no such language", safetext.Line(x.Language))
	}
	x.Language = l.Name
	if l.Host != "" {
		x.Language = l.Host
		translate := l.Translate
		if x.ReadOnly && l.ReadOnly != nil {
			translate = l.ReadOnly
		}
		if code != "" {
			code = translate(code)
		}
	}
	if x.Context == "" {
		x.Context = contextOf(s.opt.Image, x.Language)
	}
	return code, x, nil
}

// contextOf is the context in which code of a language runs when none is named.
func contextOf(img image.Image, lang string) string {
	if len(img.Runtimes) > 0 && img.Runtimes[0].Language == lang {
		return wire.Main
	}
	return lang
}

// ContextOf is the context in which code of a language runs when none is named; "" is the
// image's first language.
func (s *Session) ContextOf(lang string) (string, error) {
	_, x, err := s.place("", Exec{Language: lang})
	return x.Context, err
}

// withoutFiles says why nothing is known of the files that code changed whose sandbox died.
func withoutFiles(x Exec) string {
	if !x.Changes {
		return ""
	}
	return "the sandbox ended, and with it what the code did to files"
}

// broken says whether the guest's stream is over.
func broken(l *live) bool {
	select {
	case <-l.client.Done():
		return true
	default:
		return false
	}
}

// revive replaces a dead sandbox, which ended by exit, by one from the last snapshot.
func (s *Session) revive(ctx context.Context, dead *live, exit sandbox.Exit) (event.Execution, error) {
	if err := s.gate.Acquire(ctx, allCalls); err != nil {
		return event.Execution{}, err
	}
	defer s.gate.Release(allCalls)
	out := event.Execution{Status: exit.Status, Message: exit.Message}
	s.mu.Lock()
	current, base, own, closed := s.guest, s.base, s.own, s.closed
	s.mu.Unlock()
	if closed != "" {
		noteState(&out, event.Gone, "the session was closed: "+closed)
		return out, nil
	}
	if current == dead {
		if err := s.replace(ctx, base); err != nil {
			s.end("its sandbox died and could not be restored")
			noteState(&out, event.Gone, fmt.Sprintf("the session is over, its state is lost (%v)", err))
			return out, nil
		}
		s.mu.Lock()
		s.since = s.nextLocked() // a snapshot that is still being written is of what died
		s.mu.Unlock()
	}
	if own {
		noteState(&out, event.Restored, "the session went back to its last snapshot, "+base.Created.Local().Format(time.TimeOnly))
	} else {
		noteState(&out, event.Fresh, "the session was started anew: its variables and files are lost")
	}
	return out, nil
}

// Mend looks whether the sandbox has died, and replaces it by one from the last snapshot if it
// has. It returns what became of the session, "" when nothing did.
func (s *Session) Mend(ctx context.Context) (string, error) {
	l, err := s.current()
	if err != nil || l == nil || !broken(l) {
		return "", err
	}
	out, err := s.revive(ctx, l, l.exit())
	if err == nil {
		_, err = s.current()
	}
	return out.Message, err
}

// exit closes a guest whose stream is over and returns why it ended. One that did
// not end by itself is ended here.
func (l *live) exit() sandbox.Exit {
	cause := l.client.Err()
	byItself := !errors.Is(cause, guest.ErrProtocol) && !errors.Is(cause, guest.ErrSilent)
	if errors.Is(cause, guest.ErrEnded) {
		byItself = l.endsWithin(l.waits.End)
	}
	l.close()
	exit := l.box.Wait()
	if !byItself && exit.Status == event.Killed {
		return sandbox.Exit{Status: event.Crashed, Code: -1, Message: cause.Error() + ", and was ended"}
	}
	if exit.Status == event.OK || exit.Status == 0 {
		exit.Status = event.Crashed
	}
	if exit.Message == "" {
		exit.Message = fmt.Sprintf("the sandbox ended by itself (exit code %d)", exit.Code)
	}
	return exit
}

// endsWithin waits for the sandbox to end by itself, for d at most.
func (l *live) endsWithin(d time.Duration) bool {
	over := make(chan struct{})
	go func() { // ends when the caller closes the sandbox at the latest
		l.box.Wait()
		close(over)
	}()
	patience := time.NewTimer(d)
	defer patience.Stop()
	select {
	case <-over:
		return true
	case <-patience.C:
		return false
	}
}

// noteState says in a result what became of the session.
func noteState(out *event.Execution, state event.State, note string) {
	out.State, out.StateNote = state, note
	if out.Message != "" {
		note = "; " + note
	}
	out.Message += note
}

// replace closes the current guest and restores snap in its place. The caller holds the gate.
func (s *Session) replace(ctx context.Context, snap Snapshot) error {
	l, err := s.m.restore(ctx, snap, s.opt)
	if err != nil {
		return err
	}
	if err := s.exposeAgain(ctx, l); err != nil {
		return l.failed("cannot expose tools to the restored session", err)
	}
	s.mu.Lock()
	old := s.guest
	s.guest, s.added = l, snap.Added
	if s.closed != "" { // closed meanwhile: nobody else will end it
		s.guest, old = old, l
	}
	s.mu.Unlock()
	if old != nil {
		return old.close()
	}
	return nil
}

// enter opens a call: it resumes a paused session, and done must be called.
func (s *Session) enter(ctx context.Context) (l *live, done func(), err error) {
	err = s.inGate(ctx, 1, func() error {
		l = s.guest
		s.calls++
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return l, func() {
		s.mu.Lock()
		s.calls--
		s.used = time.Now()
		s.mu.Unlock()
		s.gate.Release(1)
	}, nil
}

// inGate takes n of the gate when the session is live and runs take under mu.
// The caller releases the gate unless an error is returned. A session that is
// paused, also meanwhile, is resumed.
func (s *Session) inGate(ctx context.Context, n int64, take func() error) error {
	for {
		if err := s.Resume(ctx); err != nil {
			return err
		}
		if err := s.gate.Acquire(ctx, n); err != nil {
			return fault.New(fault.Canceled, "", "cannot wait for the session's calls: %w", err)
		}
		s.mu.Lock()
		if s.closed != "" {
			defer s.mu.Unlock()
			s.gate.Release(n)
			return s.overLocked()
		}
		if s.guest != nil {
			defer s.mu.Unlock()
			s.used = time.Now()
			return take()
		}
		s.mu.Unlock()
		s.gate.Release(n)
	}
}

// overLocked is the fault of a closed session. s.mu is held.
func (s *Session) overLocked() error {
	return fault.Coded(fault.SessionClosed, fault.Data{"session": s.id}, "cannot use session %s: %s", s.id, s.closed)
}

// Use lends the guest's client to f: files, processes, completion. What
// replaces the sandbox waits until f returns.
func (s *Session) Use(ctx context.Context, f func(*guest.Client) error) error {
	l, done, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer done()
	err = f(l.client)
	if broken(l) {
		l.exit() // what cannot be talked to any more does not go on
	}
	return err
}

// Guest returns the guest's client for what goes on while other calls come and go, such as
// a watch or a process that is followed: nothing waits for its end, and it ends when the
// sandbox does.
func (s *Session) Guest(ctx context.Context) (*guest.Client, error) {
	l, done, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	done()
	return l.client, nil
}

// current returns the live guest without waiting for anything, nil while the
// session is paused.
func (s *Session) current() (*live, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != "" {
		return nil, s.overLocked()
	}
	return s.guest, nil
}

// Interrupt interrupts the code that runs in a context, as Ctrl-C would. It
// does not wait for what waits for that code to end.
func (s *Session) Interrupt(ctx context.Context, name string) error {
	l, err := s.current()
	if err != nil || l == nil {
		return err
	}
	return l.client.Interrupt(ctx, name)
}

// Restart gives a context a new kernel: its variables are gone, files stay.
func (s *Session) Restart(ctx context.Context, name string) error {
	return s.Use(ctx, func(c *guest.Client) error { return c.Restart(ctx, name) })
}

// Usage measures the whole sandbox from outside. A paused session uses nothing.
func (s *Session) Usage(ctx context.Context) (sandbox.Usage, error) {
	l, err := s.current()
	if err != nil || l == nil {
		return sandbox.Usage{}, err
	}
	return l.box.Usage(ctx)
}

// Renew gives the session a lease: it is closed when d has passed without
// another Renew. A zero d ends the lease.
func (s *Session) Renew(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease = time.Time{}
	if d > 0 {
		s.lease = time.Now().Add(d)
	}
}

// overdueLocked says which bound of the session's life is over at now, or "". s.mu is held.
func (s *Session) overdueLocked(now time.Time) string {
	switch {
	case now.Sub(s.born) > s.opt.Wall:
		return fmt.Sprintf("its wall time is over (limit %s)", s.opt.Wall)
	case !s.lease.IsZero() && now.After(s.lease):
		return "its lease ran out"
	case s.calls == 0 && now.Sub(s.used) > s.opt.Idle:
		return fmt.Sprintf("it was idle for too long (limit %s)", s.opt.Idle)
	}
	return ""
}

// expire closes the session if a bound of its life is over at now.
func (s *Session) expire(now time.Time) error {
	return s.endIf(func() string { return s.overdueLocked(now) })
}

// Close ends the session and everything in it. It may be called twice.
func (s *Session) Close() error { return s.end("it was closed") }

// end closes the session for a reason that later calls return.
func (s *Session) end(why string) error { return s.endIf(func() string { return why }) }

// endIf closes the session if reason, asked under mu, gives one.
func (s *Session) endIf(reason func() string) error {
	s.mu.Lock()
	why := ""
	if s.closed == "" {
		why = reason()
	}
	if why == "" {
		s.mu.Unlock()
		return nil
	}
	s.closed = why
	l, paused, holds := s.guest, s.paused, s.holds
	s.guest, s.paused, s.holds = nil, nil, nil
	s.mu.Unlock()
	defer s.m.drop(s)
	defer func() {
		for _, h := range holds {
			h.release()
		}
	}()
	var err error
	if l != nil {
		err = l.close()
	}
	if paused != nil {
		err = errors.Join(err, os.RemoveAll(paused.dir))
	}
	return err
}
