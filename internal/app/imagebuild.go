package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/egress"
	"praxis/internal/image"
	"praxis/internal/image/buildfile"
	"praxis/internal/safetext"
	"praxis/internal/session"
	"praxis/internal/tool/bridge"
)

// ImageBuilds begins images that are built of files.
type ImageBuilds interface {
	BeginBuild(ctx context.Context, q image.BuildRequest, sink event.Sink) (*image.Build, error)
}

// ImageFile asks for an image that is built of a file.
type ImageFile struct {
	Path string
	// Text is the file itself, in the place of Path, of somebody who has no files on this
	// machine: nothing is copied into the image, and its steps reach no hosts but Hosts.
	Text  string
	Name  string // of the file that Text was read from; "": image.yaml
	Hosts []string
	// Limits are those of the session that steps run in: see buildLimits for what is not set.
	Limits event.Limits
}

// BuiltImage is an image that was built of a file.
type BuiltImage struct {
	Image
	Steps int `json:"steps"`
	Ran   int `json:"steps_ran"` // those whose layers were not known
}

// What the steps of a build get when nobody says more: package managers write much.
const (
	buildMemory = 2 << 30
	buildDisk   = 4 << 30
)

// buildLimits are the limits of the session that steps run in.
func buildLimits(given, usual event.Limits) event.Limits {
	usual = usual.WithDefaults()
	usual.Memory, usual.Disk = max(usual.Memory, buildMemory), max(usual.Disk, buildDisk)
	return given.Over(usual)
}

// BuildImageOf builds the image that a file declares, with its name and the state that
// its sessions begin with. Steps that are known from before do not run again. Nothing
// has the name that was not built whole.
func (a *App) BuildImageOf(ctx context.Context, q ImageFile, sink event.Sink) (BuiltImage, error) {
	f, err := q.load()
	if err != nil {
		return BuiltImage{}, err
	}
	hosts, err := egress.ParseRules(f.AllowNet)
	if err != nil {
		return BuiltImage{}, err
	}
	limits := buildLimits(q.Limits, a.opt.Config.Limits)
	if err := (SessionSpec{Limits: limits}).check(); err != nil {
		return BuiltImage{}, err
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return BuiltImage{}, err
	}
	if m.builds == nil {
		return BuiltImage{}, fault.New(fault.Unavailable, "Use Praxis with images of its own.", "cannot build image: there is no store for it")
	}
	// Before the build, which keeps images from being removed.
	if err := a.makeSpace(ctx, 0); err != nil {
		return BuiltImage{}, fmt.Errorf("cannot build image: %w", err)
	}
	b := &imageBuild{m: m, file: f, sink: sink, limits: limits, hosts: hosts, getenv: a.opt.Getenv}
	if q.Text == "" {
		if b.folder, err = os.OpenRoot(filepath.Dir(q.Path)); err != nil {
			return BuiltImage{}, FileFault(q.Path, err)
		}
		defer b.folder.Close()
	}
	out, err := b.build(ctx, a.opt.Config.Limits)
	return out, errors.Join(err, b.endSession())
}

// load reads the file.
func (q ImageFile) load() (buildfile.File, error) {
	if q.Text == "" {
		text, err := ReadText(q.Path, buildfile.MaxFile)
		if err != nil {
			return buildfile.File{}, err
		}
		return buildfile.Load(q.Path, text)
	}
	if len(q.Text) > buildfile.MaxFile {
		return buildfile.File{}, fault.New(fault.Invalid, "Give a shorter one.", "cannot build image: its file has more than %s", safetext.Size(buildfile.MaxFile))
	}
	f, err := buildfile.Load(cmp.Or(q.Name, "image.yaml"), []byte(q.Text))
	switch {
	case err != nil:
		return f, err
	case len(f.Copy) > 0:
		return f, fault.New(fault.Denied, "Write the files in a step, or into the sessions.", "cannot build image %s: it copies files, and there are none beside it", f.Name)
	}
	for _, host := range f.AllowNet {
		if !slices.Contains(q.Hosts, host) {
			return f, fault.New(fault.Denied, "Leave the host out, or ask the operator to allow it.", "cannot build image %s: %s is not allowed here", f.Name, safetext.Line(host))
		}
	}
	return f, nil
}

// imageBuild is a build that goes on.
type imageBuild struct {
	m      *machine
	file   buildfile.File
	folder *os.Root
	sink   event.Sink
	limits event.Limits
	hosts  egress.Rules
	getenv func(string) string

	image *image.Build
	// session is one whose root file system is what the steps so far made; nil: there is none.
	session   *session.Builder
	proxy     *proxy
	total     int
	done, ran int
}

func (b *imageBuild) build(ctx context.Context, usual event.Limits) (BuiltImage, error) {
	f := b.file
	q := image.BuildRequest{Name: f.Name, From: f.From, With: f.Pip, NPM: f.NPM, Env: f.Env, Preload: f.Preload}
	if s := f.Start; s != nil {
		q.Start = &image.Start{Command: s.Command, Port: s.Port, Check: s.Check, Wait: s.Wait}
	}
	var err error
	if b.image, err = b.m.builds.BeginBuild(ctx, q, b.sink); err != nil {
		return BuiltImage{}, err
	}
	defer b.image.Close()
	if err := b.steps(ctx); err != nil {
		return BuiltImage{}, err
	}
	if err := b.endSession(); err != nil {
		return BuiltImage{}, err
	}
	img, err := b.image.Image(ctx, true)
	if err != nil {
		return BuiltImage{}, err
	}
	// It has its name when its first session is there: its start program is ready, and the
	// state that sessions begin with is kept.
	s, err := b.m.sessions.Create(ctx, session.Options{Image: img, Limits: usual}, b.sink)
	if err != nil {
		return BuiltImage{}, fmt.Errorf("cannot build image %s: %w", f.Name, err)
	}
	if err := s.Close(); err != nil {
		return BuiltImage{}, fmt.Errorf("cannot build image %s: %w", f.Name, err)
	}
	if img, err = b.image.Name(ctx); err != nil {
		return BuiltImage{}, err
	}
	return BuiltImage{img, b.total, b.ran}, nil
}

// steps does all steps, in order: packages of the base's manager, files, commands.
func (b *imageBuild) steps(ctx context.Context) error {
	f := b.file
	manager, err := b.packages()
	if err != nil {
		return err
	}
	b.total = len(f.Copy) + len(f.Run)
	if manager.by != "" {
		b.total++
		if err := b.run(ctx, manager.by, manager.command); err != nil {
			return err
		}
	}
	for _, c := range f.Copy {
		b.begin("copy " + c.From + " " + c.To)
		// A session would not see the files: the next command begins another.
		if err := b.endSession(); err != nil {
			return err
		}
		if err := b.image.Copy(ctx, b.folder, c.From, c.To); err != nil {
			return err
		}
	}
	for _, command := range f.Run {
		if err := b.run(ctx, "run "+command, command); err != nil {
			return err
		}
	}
	return nil
}

// managed is the step of a base's package manager.
type managed struct{ by, command string }

// packages returns the step that installs packages of the base's own, if the file has any.
func (b *imageBuild) packages() (managed, error) {
	f, base := b.file, b.file.From
	if base == "" {
		base = "Praxis's own root file system"
	}
	switch {
	case len(f.Apt) > 0:
		if !b.image.Has("usr/bin/apt-get") {
			return managed{}, fault.New(fault.Invalid, "Build on an image of Debian or Ubuntu.", "cannot build image %s: %s has no apt-get", f.Name, safetext.Line(base))
		}
		list := strings.Join(f.Apt, " ")
		// What apt writes beside the packages has times in it, and is of no use later.
		return managed{"apt " + list, "apt-get -o APT::Sandbox::User=root update\n" +
			"apt-get -o APT::Sandbox::User=root -o APT::Install-Recommends=false install -y " + list + "\n" +
			"rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/cache/ldconfig/aux-cache\n"}, nil
	case len(f.Apk) > 0:
		if !b.image.Has("sbin/apk", "usr/bin/apk", "usr/sbin/apk") {
			return managed{}, fault.New(fault.Invalid, "Build on an image of Alpine.", "cannot build image %s: %s has no apk", f.Name, safetext.Line(base))
		}
		list := strings.Join(f.Apk, " ")
		return managed{"apk " + list, "apk update\napk add " + list + "\nrm -rf /var/cache/apk/*\n"}, nil
	}
	return managed{}, nil
}

// begin says which step begins.
func (b *imageBuild) begin(by string) {
	b.done++
	b.sink.Emit(event.Progress{Stage: "step", Text: fmt.Sprintf("step %d of %d: %s", b.done, b.total, safetext.OneLine(by, 200))})
}

// run runs a step in a session, unless its layer is known.
func (b *imageBuild) run(ctx context.Context, by, command string) error {
	b.begin(by)
	inputs := append([]string{"run", command}, b.file.Env...)
	if b.image.Known(by, inputs...) {
		b.sink.Emit(event.Progress{Stage: "step", Text: fmt.Sprintf("step %d of %d is known from before", b.done, b.total)})
		return b.endSession()
	}
	if err := b.openSession(ctx); err != nil {
		return err
	}
	end, err := b.session.Run(ctx, command, &stepOutput{sink: b.sink})
	what := fmt.Sprintf("cannot build image %s: step %d of %d (%s)", b.file.Name, b.done, b.total, safetext.OneLine(by, 200))
	if err != nil {
		return b.failed(ctx, what, end, err)
	}
	if end.Code != 0 {
		why := fmt.Sprintf("ended with the exit code %d", end.Code)
		if end.Why != "" {
			why = "was ended: " + end.Why
		}
		return fault.New(fault.Invalid, "Mend the step: the layers of those before it are kept.", "%s %s%s", what, why, wrote(end.Tail))
	}
	err = b.image.Add(ctx, by, func(w io.Writer) error { return b.session.Layer(ctx, w) }, inputs...)
	if err != nil {
		return b.failed(ctx, what, end, err)
	}
	b.ran++
	return nil
}

// failed says why a step could not be done.
func (b *imageBuild) failed(ctx context.Context, what string, end session.StepEnd, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, "", "%s was given up: %w", what, context.Cause(ctx))
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return fault.New(f.Kind, f.Remedy, "%s failed: %s%s", what, f.Message, wrote(end.Tail))
	}
	return fmt.Errorf("%s failed: %w%s", what, err, wrote(end.Tail))
}

// wrote is what a step wrote last, for a message.
func wrote(tail string) string {
	if tail == "" {
		return ""
	}
	return ". It wrote:\n" + tail
}

// openSession begins a session on what the steps so far made, unless there is one.
func (b *imageBuild) openSession(ctx context.Context) error {
	if b.session != nil {
		return nil
	}
	img, err := b.image.Image(ctx, false)
	if err != nil {
		return err
	}
	if b.session, err = b.m.sessions.OpenBuilder(ctx, session.Options{Image: img, Limits: b.limits}, b.sink); err != nil {
		return err
	}
	if len(b.file.AllowNet) == 0 {
		return nil // nothing is exposed: nothing can be reached
	}
	if b.proxy, err = openProxy(b.hosts, NetSpec{Hosts: b.file.AllowNet}, b.getenv, b.sink); err != nil {
		return err
	}
	environ, err := b.proxy.environ(ctx, b.session)
	if err != nil {
		return err
	}
	return b.session.Expose(ctx, environ, bridge.New(bridge.Config{Network: b.proxy}))
}

// endSession ends the session of the steps, if there is one.
func (b *imageBuild) endSession() (err error) {
	if b.session != nil {
		err = b.session.Close()
		b.session = nil
	}
	if b.proxy != nil {
		err = errors.Join(err, b.proxy.Close())
		b.proxy = nil
	}
	return err
}

// maxStepLines bounds how many lines of a step's output are shown while it runs.
const maxStepLines = 500

// stepOutput shows the output of a step as progress, a line at a time.
type stepOutput struct {
	sink  event.Sink
	line  []byte
	lines int
}

// Emit takes a piece of output.
func (o *stepOutput) Emit(e event.Event) {
	out, ok := e.(event.Output)
	if !ok || o.lines >= maxStepLines {
		return
	}
	for _, c := range out.Data {
		switch {
		case c != '\n' && c != '\r':
			if len(o.line) < 1<<10 {
				o.line = append(o.line, c)
			}
		case len(o.line) > 0 && o.lines < maxStepLines:
			o.lines++
			o.sink.Emit(event.Progress{Stage: "step", Text: safetext.OneLine(strings.ToValidUTF8(string(o.line), "?"), 200)})
			o.line = o.line[:0]
		}
	}
}
