package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/language/javascript"
	"praxis/internal/language/python"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/safetext"
	"praxis/internal/session"
	"praxis/internal/tool/bridge"
)

// WorkDir is the working folder of every session.
const WorkDir = wire.DefaultWorkdir

// SessionSpec says what session is wanted. A zero field means what the
// configuration says; of a named session that exists, what it was made with.
type SessionSpec struct {
	Name         string   // "": a fresh session that ends with its use
	With         []string // packages, such as "numpy" or "pandas==2.*"
	Requirements string   // path of a requirements file with packages
	NPM          []string // packages of npm, such as "lodash" or "d3@7"
	Image        string   // that it runs: a name, an id, or the reference of a container image; "": Praxis's own
	// Languages are those that code will be in, by name, the main one first; nil: Python.
	Languages []string
	Limits    event.Limits
	Seed      *int64    // makes the session deterministic
	Date      time.Time // when it begins by its clocks, if it has a seed; zero: the same for all
	// Lasting says that whoever opens the session ends it, too: no bound of time does.
	Lasting bool
}

// check refuses limits that are out of their ranges.
func (s SessionSpec) check() error { return config.ValidateLimits(s.Limits.WithDefaults()) }

func (s SessionSpec) image() image.Request {
	return image.Request{Image: s.Image, With: s.With, Requirements: s.Requirements, Languages: s.Languages, NPM: s.NPM}
}

// Chosen says whether the spec asks for more than the default image.
func (s SessionSpec) Chosen() bool {
	return s.Image != "" || len(s.With) > 0 || s.Requirements != "" || len(s.NPM) > 0 || len(s.Languages) > 0
}

// File is a file of a session, as the guest describes it: nothing of it can be
// trusted.
type File struct {
	Path    string    `json:"path"` // absolute
	Regular bool      `json:"regular"`
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`
}

// Completion says that each of Matches may take the place of code[Start:End],
// in characters.
type Completion struct {
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Matches []string `json:"matches"`
}

// Session is one open session. Its methods are safe for concurrent use.
type Session struct {
	s     *session.Session
	named *session.Named // nil: it has no name
	image image.Image
	// bounds are those of an execution that is given none.
	bounds event.Bounds
	from   string // the snapshot that it began with; "": its template, or the head of its name
	files  ImageFiles
	// makeSpace sees to it that so many bytes more can be stored; nil: it was not asked for.
	makeSpace func(ctx context.Context, bytes int64) error
	adding    sync.Mutex // packages are resolved with those that are there: one call after the other
	// running is called when code begins to run, with a way to interrupt it.
	running CodeHook
}

// CodeHook is called when code begins to run, with a function that interrupts
// it as Ctrl-C would; what it returns is called when the code has ended.
type CodeHook func(interrupt func(context.Context) error) (ended func())

var _ run.Session = (*Session)(nil)

// OpenSession opens the session that a spec names, or makes it.
func (a *App) OpenSession(ctx context.Context, spec SessionSpec, sink event.Sink) (*Session, error) {
	return a.openSession(ctx, spec, nil, sink)
}

// openSession is OpenSession of a session whose guest goes on once before returns; nil: at once.
func (a *App) openSession(ctx context.Context, spec SessionSpec, before func(context.Context) error, sink event.Sink) (*Session, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	spec, err := a.withLanguages(ctx, spec)
	if err != nil {
		return nil, err
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	// Space is made when what the session needs is in use, so that it stays.
	if spec.Name != "" {
		s, err := m.openNamed(ctx, a.opt.Config, spec, before, sink)
		if err != nil {
			return nil, err
		}
		s.makeSpace = a.makeSpace
		if err := a.makeSpace(ctx, s.nextStep()); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot open a session: %w", err), s.Close())
		}
		return s, nil
	}
	spec.Image = cmp.Or(spec.Image, a.opt.Config.Image)
	img, err := m.images.Resolve(ctx, spec.image(), sink)
	if err != nil {
		return nil, err
	}
	if err := a.makeSpace(ctx, 0); err != nil {
		return nil, fmt.Errorf("cannot open a session: %w", err)
	}
	s, err := m.sessions.Create(ctx, session.Options{Image: img, Limits: spec.Limits.Over(a.opt.Config.Limits), Seed: spec.Seed, Date: spec.Date, Before: before}, sink)
	if err != nil {
		return nil, err
	}
	return &Session{s: s, image: img, bounds: a.opt.Config.Execution, files: m.imageFiles}, nil
}

// openNamed opens a named session. One that exists has its image and its limits:
// only what the spec says itself is compared with them.
func (m *machine) openNamed(ctx context.Context, c Config, spec SessionSpec, before func(context.Context) error, sink event.Sink) (*Session, error) {
	opt := session.Options{Seed: spec.Seed, Date: spec.Date, Before: before}
	if spec.Lasting {
		opt.Wall, opt.Idle = math.MaxInt64, math.MaxInt64
	}
	info, err := m.sessions.LookupNamed(spec.Name)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		opt.Limits = spec.Limits.Over(c.Limits)
	case err != nil:
		return nil, err
	default:
		opt.Limits = spec.Limits.Over(info.Limits)
		if err := spec.fits(ctx, info, m.images.Lookup); err != nil {
			return nil, err
		}
		if err := m.imageFiles.Check(ctx, info.Image); err != nil {
			return nil, err
		}
	}
	if err != nil {
		spec.Image = cmp.Or(spec.Image, c.Image)
	}
	if err != nil || spec.Chosen() {
		if opt.Image, err = m.images.Resolve(ctx, spec.image(), sink); err != nil {
			return nil, err
		}
	}
	n, err := m.sessions.OpenNamed(ctx, spec.Name, opt, sink)
	if err != nil {
		return nil, err
	}
	return &Session{s: n.Session, named: n, image: n.Session.Options().Image, bounds: c.Execution, files: m.imageFiles}, nil
}

// lookup finds an image that was built.
type lookup func(ctx context.Context, r image.Request) (image.Image, error)

// fits compares what a spec asks for with a session that exists, before anything
// is downloaded for it.
func (s SessionSpec) fits(ctx context.Context, info session.NamedInfo, lookup lookup) error {
	refuse := func(format string, args ...any) error {
		return fault.Coded(fault.SessionDiffers, fault.Data{"name": info.Name}, "cannot open session "+info.Name+": "+format, args...)
	}
	if s.Limits.Over(info.Limits) != info.Limits {
		return refuse("its limits were set when it was made")
	}
	if s.Seed != nil && (info.Seed == nil || *info.Seed != *s.Seed) {
		return refuse("its seed was set when it was made")
	}
	if !s.Date.IsZero() && !s.Date.Equal(info.Date) {
		return refuse("its date was set when it was made")
	}
	if !s.Chosen() {
		return nil
	}
	name, err := s.image().Name()
	if err != nil {
		return err
	}
	img, err := lookup(ctx, s.image())
	switch {
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return err
	case name != info.Image.Name && (err != nil || img.ID != info.Image.ID):
		return refuse("it runs image %s, not %s", info.Image.Name, name)
	case err == nil && img.ID != info.Image.ID:
		return refuse("it runs another build of image %s", name)
	}
	return nil
}

// withOwn adds the packages that a program itself says it needs. A named session that
// exists has them, or the program is refused before it runs: an image is chosen once.
func (m *machine) withOwn(spec SessionSpec, packages []string) (SessionSpec, error) {
	if spec.Name != "" && len(packages) > 0 {
		info, err := m.sessions.LookupNamed(spec.Name)
		if err == nil {
			return spec, hasOwn(info, packages)
		}
		if fault.KindOf(err) != fault.NotFound {
			return spec, err
		}
	}
	spec.With = append(slices.Clone(spec.With), packages...)
	return spec, nil
}

// hasOwn refuses a program whose packages a session lacks.
func hasOwn(info session.NamedInfo, packages []string) error {
	var missing []string
	for _, p := range packages {
		switch has, err := info.Image.Meets(p); {
		case err != nil:
			return err
		case !has:
			missing = append(missing, safetext.Line(p))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.Coded(fault.SessionDiffers, fault.Data{"name": info.Name},
		"cannot run the code in session %s: its block of metadata asks for %s, and the session was not made with that", info.Name, strings.Join(missing, ", "))
}

// ImageSpec asks for another image than the recorded one: by its name, or with other
// packages of Python, of npm or both. A zero value asks for that one.
type ImageSpec struct {
	ID           string // or a name
	With         []string
	Requirements string
	NPM          []string
}

// python says whether other packages of Python are asked for.
func (s ImageSpec) python() bool { return len(s.With) > 0 || s.Requirements != "" }

// given says whether anything is asked for.
func (s ImageSpec) given() bool { return s.ID != "" || s.python() || len(s.NPM) > 0 }

// openAgain opens a fresh session like one that was recorded.
func (a *App) openAgain(ctx context.Context, want event.SessionBegan, other ImageSpec, sink event.Sink) (*Session, error) {
	if want.Seed != nil && want.Date.IsZero() {
		return nil, fault.New(fault.Conflict, "Make the run again.",
			"cannot open the session of the run again: it was made by a version in which a seed left clocks, addresses and other programs as they were")
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	img, err := m.imageAgain(ctx, want.Image, other, sink)
	if err != nil {
		return nil, err
	}
	opt := session.Options{Image: img, Seed: want.Seed, Date: want.Date, Limits: want.Limits}
	if want.Snapshot == "" {
		s, err := m.sessions.Create(ctx, opt, sink)
		if err != nil {
			return nil, err
		}
		return &Session{s: s, image: img, files: m.imageFiles}, nil
	}
	s, err := m.sessions.FromSnapshot(ctx, want.Snapshot, opt, sink)
	if fault.KindOf(err) == fault.NotFound {
		return nil, stateGone(want)
	}
	if err != nil {
		return nil, err
	}
	return &Session{s: s, image: img, from: want.Snapshot, files: m.imageFiles}, nil
}

// stateGone says that a run cannot begin again where it began.
func stateGone(want event.SessionBegan) error {
	remedy := "Branch the run that it was branched from again."
	if want.Name != "" {
		remedy = "A run of a session can be repeated as long as the state that it began with is stored."
	}
	return fault.New(fault.Conflict, remedy, "cannot open the state that the run began with: snapshot %s is not kept any more", ShortID(want.Snapshot))
}

// ShortID is enough of an id to name what it is of.
func ShortID(id string) string { return id[:min(len(id), 12)] }

// imageAgain finds the image of a recorded session: another that was asked for,
// the very same, or one with the same packages when that is not here.
func (m *machine) imageAgain(ctx context.Context, recorded event.Image, other ImageSpec, sink event.Sink) (image.Image, error) {
	named := other.ID != ""
	switch {
	case named && (other.python() || len(other.NPM) > 0):
		return image.Image{}, fault.New(fault.Invalid, "Name an image or its packages.", "cannot choose the image: it is named, and packages of another are")
	case named:
		return m.images.Reopen(ctx, other.ID)
	case !other.given():
		img, err := m.images.Reopen(ctx, recorded.ID)
		if kind := fault.KindOf(err); kind != fault.NotFound && kind != fault.Conflict {
			return img, err
		}
	}
	want := image.Request{Image: recorded.Digest, With: other.With, Requirements: other.Requirements, Languages: imageLanguages(recorded), NPM: other.NPM}
	if !other.python() {
		for _, p := range recorded.Packages {
			want.With = append(want.With, p.Name+"=="+p.Version)
		}
	}
	if len(other.NPM) == 0 {
		for _, p := range recorded.NPM {
			want.NPM = append(want.NPM, p.Name+"@"+p.Version)
		}
		want.NPM = onePerName(want.NPM)
	}
	again, err := m.images.Resolve(ctx, want, sink)
	if fault.CodeOf(err) == fault.ImageAbsent {
		return image.Image{}, containerGone(recorded)
	}
	return again, err
}

// imageLanguages are the languages of a recorded image that a request names: none for one
// that has nothing but the usual.
func imageLanguages(recorded event.Image) []string {
	var out []string
	for _, l := range recorded.Languages {
		if l.Name == python.Name || l.Name == javascript.Name { // others come with an image by themselves
			out = append(out, l.Name)
		}
	}
	if len(out) == 1 && out[0] == python.Name {
		return nil
	}
	return out
}

// onePerName leaves out the packages that are there in several versions: which one the
// others need is found again.
func onePerName(npm []string) []string {
	count := map[string]int{}
	name := func(p string) string { return p[:strings.LastIndexByte(p, '@')] }
	for _, p := range npm {
		count[name(p)]++
	}
	return slices.DeleteFunc(npm, func(p string) bool { return count[name(p)] > 1 })
}

// Name returns the session's name, or "".
func (s *Session) Name() string {
	if s.named == nil {
		return ""
	}
	return s.named.Name()
}

// Limits returns what bounds the session.
func (s *Session) Limits() event.Limits { return s.s.Options().Limits }

// Describe returns what session this is, as runs record it.
func (s *Session) Describe() event.SessionBegan {
	opt := s.s.Options()
	out := event.SessionBegan{
		Session: s.s.ID(), Seed: opt.Seed, Date: opt.Date, Snapshot: s.from, Image: event.Image{ID: s.image.ID, Name: s.image.Name, Digest: s.image.Digest}, Limits: opt.Limits,
	}
	for _, r := range s.image.Runtimes {
		out.Image.Languages = append(out.Image.Languages, event.Language{Name: r.Language, Version: r.Version})
	}
	out.Image.NPM = recordedPackages(s.image.NPM)
	out.Image.Packages, out.Added = recordedPackages(s.image.Packages), recordedPackages(s.s.Added())
	if s.named != nil {
		out.Name, out.Snapshot = s.named.Name(), cmp.Or(s.from, s.named.Head())
	}
	return out
}

// Execute runs code of a language, "" is the image's first, and reports which files it changed. What the code did is data
// in the result; an error says that it could not be run. Output goes to sink as
// it comes. Zero bounds mean those of the configuration. When ctx ends, the code
// is interrupted.
func (s *Session) Execute(ctx context.Context, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	return s.ExecuteFile(ctx, lang, code, "", b, sink)
}

// ExecuteFile is Execute for code that errors call by the name of its file.
func (s *Session) ExecuteFile(ctx context.Context, lang, code, file string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	if err := config.ValidateBounds(b); err != nil {
		return event.Execution{}, err
	}
	if s.running != nil {
		defer s.running(func(ctx context.Context) error { return s.Interrupt(ctx, lang) })()
	}
	return s.s.Execute(ctx, code, session.Exec{Language: lang, File: file, Bounds: b.Over(s.bounds), Changes: true}, sink)
}

// Interrupt interrupts the code of a language that runs, as Ctrl-C would. Here and in what
// follows "" is the image's first language.
func (s *Session) Interrupt(ctx context.Context, lang string) error {
	name, err := s.s.ContextOf(lang)
	if err != nil {
		return err
	}
	return s.s.Interrupt(ctx, name)
}

// Restart starts a new interpreter of a language: its variables are gone, files stay.
func (s *Session) Restart(ctx context.Context, lang string) error {
	name, err := s.s.ContextOf(lang)
	if err != nil {
		return err
	}
	return s.s.Restart(ctx, name)
}

// Complete returns completions of code at a cursor, which counts characters. A language
// that another one's kernels run has none.
func (s *Session) Complete(ctx context.Context, lang, code string, cursor int) (out Completion, err error) {
	name, err := s.s.ContextOf(lang)
	if err != nil || s.s.Languages().Named(lang).Host != "" {
		return out, err
	}
	err = s.s.Use(ctx, func(c *guest.Client) error {
		got, err := c.Complete(ctx, name, code, cursor)
		out = Completion{got.Start, got.End, got.Matches}
		return err
	})
	return out, err
}

// WriteFile writes a file whole, with the folders above it. A relative path is
// one of the working folder. The code of a skill is not to be changed there.
func (s *Session) WriteFile(ctx context.Context, name string, from io.Reader) error {
	mode := fs.FileMode(0o644)
	if path.Dir(name) == python.SkillsFolder {
		mode = 0o444
	}
	return s.s.Use(ctx, func(c *guest.Client) error {
		_, err := c.WriteFile(ctx, name, from, mode)
		return err
	})
}

// ReadFile copies a file to to. A guest can send without end: to returns an
// error when it has enough.
func (s *Session) ReadFile(ctx context.Context, name string, to io.Writer) error {
	return s.s.Use(ctx, func(c *guest.Client) error {
		_, err := c.ReadFile(ctx, name, to)
		return err
	})
}

// Files lists all that is in a folder and below it.
func (s *Session) Files(ctx context.Context, dir string) (out []File, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		files, err := c.List(ctx, dir, true)
		for _, f := range files {
			out = append(out, File{path.Clean(f.Path), f.Kind == wire.KindFile, f.Size, time.Unix(0, f.ModTime)})
		}
		return err
	})
	return out, err
}

// Snapshot keeps the whole state, beside the line of a named session. The
// session goes on.
func (s *Session) Snapshot(ctx context.Context) (run.Snapshot, error) {
	snap, err := s.s.Snapshot(ctx)
	return run.Snapshot{ID: snap.ID, Bytes: snap.Bytes}, err
}

// Save makes the state what a named session goes on from, and returns the
// snapshot's id.
func (s *Session) Save(ctx context.Context, label string) (string, error) {
	return s.save(ctx, label, (*session.Named).Save)
}

// saveLast is Save of a session that is closed next: its sandbox ends meanwhile.
func (s *Session) saveLast(ctx context.Context, label string) (string, error) {
	return s.save(ctx, label, (*session.Named).SaveLast)
}

func (s *Session) save(ctx context.Context, label string, save func(*session.Named, context.Context, string) (string, error)) (string, error) {
	if s.named == nil {
		return "", fault.New(fault.Invalid, "Open a session with a name, or take a snapshot.", "cannot save the session: it has no name")
	}
	if s.makeSpace != nil {
		// What was computed is saved even if there is no space to be made: the session that
		// is opened next is refused for it.
		if err := s.makeSpace(ctx, s.nextStep()); err != nil && fault.CodeOf(err) != fault.HomeFull {
			return "", fmt.Errorf("cannot save the session: %w", err)
		}
	}
	id, err := save(s.named, ctx, label)
	if err != nil {
		return "", fmt.Errorf("cannot save the session: %w", err)
	}
	return id, nil
}

// nextStep is how many bytes the next step of a named session takes, as far as it can be
// known: as many as the last one, which becomes chunks that are mostly there already.
func (s *Session) nextStep() int64 {
	history := s.named.History()
	if len(history) == 0 {
		return 0
	}
	return history[len(history)-1].Bytes
}

// Fork makes another session that goes on from the state of this one.
func (s *Session) Fork(ctx context.Context) (*Session, error) {
	other, err := s.s.Fork(ctx)
	if err != nil {
		return nil, err
	}
	return &Session{s: other, image: s.image, bounds: s.bounds, files: s.files}, nil
}

// Rollback goes back to a snapshot of this session.
func (s *Session) Rollback(ctx context.Context, snapshot string) error {
	return s.s.Rollback(ctx, snapshot)
}

// Close ends the sandbox, and gives up the name.
func (s *Session) Close() error {
	if s.named != nil {
		return s.named.Close()
	}
	return s.s.Close()
}

// opened is the session as a replay needs it. Where connections were recorded
// its code finds a way out that leads nowhere, as no host is reached again.
func (s *Session) opened() replay.Opened {
	return replay.Opened{Session: s, Close: s.Close, Expose: func(ctx context.Context, b *bridge.Bridge, tools, net bool) error {
		o := wire.Exposure{Tools: tools, Net: net, Environ: b.Environ()}
		if net {
			environ, err := deadProxy(ctx, s)
			if err != nil {
				return err
			}
			o.Environ = joined(environ, o.Environ)
		}
		return s.s.Expose(ctx, o, b)
	}}
}
