package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/bench"
	"praxis/internal/config"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/llm"
	"praxis/internal/run"
	"praxis/internal/sandbox"
	"praxis/internal/session"
	"praxis/internal/tool/registry"
)

// appEngine is the engine of the program: package app's.
type appEngine struct {
	*app.App
	cfg config.Config
}

func (p *program) openApp(ctx context.Context, c config.Config) (engine, error) {
	r, err := p.openRecords(c)
	if err != nil {
		return nil, err
	}
	a, err := app.New(ctx, c, p.getenv, r)
	if err != nil {
		return nil, err
	}
	return &appEngine{a, c}, nil
}

func (e *appEngine) named() namedSessions  { return e.Sessions }
func (e *appEngine) images() images        { return e.KeptImages() }
func (e *appEngine) records() *app.Records { return e.Records }

func (e *appEngine) host(ctx context.Context) (sandbox.Host, error) { return e.Backend.Host(ctx) }

func (e *appEngine) bench(ctx context.Context, img image.Image, suites []string, sink event.Sink) (bench.Report, error) {
	return bench.Run(ctx, bench.Config{
		Sessions: e.Sessions, Image: img, Sink: sink, Dir: e.cfg.Home,
		OpenRecords: func(dir string) (bench.Records, error) {
			c := e.cfg
			c.Home = dir
			r, err := app.OpenRecords(c, nil, "bench")
			if err != nil {
				return bench.Records{}, err
			}
			return bench.Records{Journal: r.Journal, Index: r.DB.Index(), Close: r.Close}, nil
		},
		OpenSession: func(ctx context.Context, want event.SessionBegan) (run.Session, error) {
			s, err := e.Sessions.Create(ctx, session.Options{Image: img}, sink)
			if err != nil {
				return nil, err
			}
			return closingSession{runSession{w: &room{Session: s, img: img}}}, nil
		},
		OpenTools: func(ctx context.Context, files []registry.File) (*registry.Registry, error) {
			secrets, err := app.ReadToolSecrets(files, func(string) string { return "" })
			if err != nil {
				return nil, err
			}
			boxes := func(context.Context) (*app.App, error) { return e.App, nil }
			return app.OpenTools(ctx, e.cfg.Home, e.Records, boxes, app.ToolOptions{Files: files, Secrets: secrets, Sink: sink})
		},
	}, suites...)
}

func (e *appEngine) open(ctx context.Context, o sessionOptions, sink event.Sink) (workspace, error) {
	if o.again != nil {
		return e.openAgain(ctx, o, sink)
	}
	if o.name != "" {
		return e.openNamed(ctx, o, sink)
	}
	img, err := e.Images.Resolve(ctx, image.Request{With: o.with, Requirements: o.requirements}, sink)
	if err != nil {
		return nil, err
	}
	s, err := e.Sessions.Create(ctx, session.Options{Image: img, Limits: o.limits(e.cfg.Limits), Seed: o.seed}, sink)
	if err != nil {
		return nil, err
	}
	return &room{Session: s, img: img}, nil
}

// openAgain opens a session like one that was recorded.
func (e *appEngine) openAgain(ctx context.Context, o sessionOptions, sink event.Sink) (workspace, error) {
	want := *o.again
	img, err := e.imageAgain(ctx, o, sink)
	if err != nil {
		return nil, err
	}
	opt := session.Options{Image: img, Seed: want.Seed, Limits: want.Limits}
	if want.Snapshot == "" {
		s, err := e.Sessions.Create(ctx, opt, sink)
		if err != nil {
			return nil, err
		}
		return &room{Session: s, img: img}, nil
	}
	s, err := e.Sessions.FromSnapshot(ctx, want.Snapshot, opt, sink)
	if fault.KindOf(err) == fault.NotFound {
		return nil, goneState(want)
	}
	if err != nil {
		return nil, err
	}
	return &room{Session: s, img: img, from: want.Snapshot}, nil
}

// goneState says that a run cannot begin again where it began.
func goneState(want event.SessionBegan) error {
	remedy := "Look at the run that it was branched from, which praxis show names, and branch that again."
	if want.Name != "" {
		remedy = "A run of a session can be carried out again as long as praxis session log " + want.Name + " lists the state that it began with."
	}
	return fault.New(fault.Conflict, remedy, "cannot open the state that the run began with: snapshot %s is not kept any more", shortID(want.Snapshot))
}

// imageAgain finds the image of a recorded session: another that was asked for,
// the very same, or one with the same packages when that is not here.
func (e *appEngine) imageAgain(ctx context.Context, o sessionOptions, sink event.Sink) (image.Image, error) {
	switch {
	case o.image != "" && (len(o.with) > 0 || o.requirements != ""):
		return image.Image{}, usage("praxis replay", "--image names an image, and --with another")
	case o.image != "":
		return e.Images.Reopen(ctx, o.image)
	case len(o.with) > 0 || o.requirements != "":
		return e.Images.Resolve(ctx, image.Request{With: o.with, Requirements: o.requirements}, sink)
	}
	img, err := e.Images.Reopen(ctx, o.again.Image.ID)
	if kind := fault.KindOf(err); kind != fault.NotFound && kind != fault.Conflict {
		return img, err
	}
	var pins []string
	for _, p := range o.again.Image.Packages {
		pins = append(pins, p.Name+"=="+p.Version)
	}
	return e.Images.Resolve(ctx, image.Request{With: pins}, sink)
}

// openNamed opens a named session. One that exists has its image and its limits:
// only what the command line says itself is held against them.
func (e *appEngine) openNamed(ctx context.Context, o sessionOptions, sink event.Sink) (workspace, error) {
	opt := session.Options{Seed: o.seed}
	info, err := e.Sessions.LookupNamed(o.name)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		opt.Limits = o.limits(e.cfg.Limits)
	case err != nil:
		return nil, err
	default:
		opt.Limits = o.limits(info.Limits)
		if err := o.fits(ctx, info, e.Images); err != nil {
			return nil, err
		}
	}
	if err != nil || len(o.with) > 0 || o.requirements != "" {
		if opt.Image, err = e.Images.Resolve(ctx, image.Request{With: o.with, Requirements: o.requirements}, sink); err != nil {
			return nil, err
		}
	}
	n, err := e.Sessions.OpenNamed(ctx, o.name, opt, sink)
	if err != nil {
		return nil, err
	}
	return &namedRoom{room{Session: n.Session, img: n.Session.Options().Image}, n}, nil
}

// builtImages finds the images that need not be built.
type builtImages interface {
	Lookup(ctx context.Context, r image.Request) (image.Image, error)
}

// fits holds what the command line asks for against a session that exists,
// before anything is downloaded for it. What it finds is the caller's own choice.
func (o sessionOptions) fits(ctx context.Context, info session.NamedInfo, built builtImages) error {
	refuse := func(format string, args ...any) error {
		return choice{fault.Coded(fault.SessionDiffers, fault.Data{"name": info.Name}, "cannot open session "+info.Name+": "+format, args...)}
	}
	if o.limits(info.Limits) != info.Limits {
		return refuse("its limits were set when it was made")
	}
	if o.seed != nil && (info.Seed == nil || *info.Seed != *o.seed) {
		return refuse("its seed was set when it was made")
	}
	if len(o.with) == 0 && o.requirements == "" {
		return nil
	}
	req := image.Request{With: o.with, Requirements: o.requirements}
	name, err := req.Name()
	if err != nil {
		return err
	}
	img, err := built.Lookup(ctx, req)
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

func (e *appEngine) model(spec string) (llm.Model, error) { return e.Model(spec) }

// room is a session as a workspace.
type room struct {
	*session.Session
	img  image.Image
	from string // the snapshot that it began with; "": its template
}

var _ workspace = (*room)(nil)

func (r *room) disk() int64 { return r.Session.Options().Limits.Disk }

func (r *room) describe() event.SessionBegan {
	opt := r.Session.Options()
	out := event.SessionBegan{
		Session: r.ID(), Seed: opt.Seed, Snapshot: r.from, Image: event.Image{ID: r.img.ID, Name: r.img.Name},
		Limits: opt.Limits,
	}
	for _, p := range r.img.Packages {
		out.Image.Packages = append(out.Image.Packages, event.Package{Name: p.Name, Version: p.Version, Hash: p.Hash})
	}
	return out
}

func (r *room) execute(ctx context.Context, code string, x session.Exec, sink event.Sink) (event.Execution, error) {
	return r.Session.Execute(ctx, code, x, sink)
}

func (r *room) offer(ctx context.Context, o wire.Offer, h guest.Host) error {
	return r.Offer(ctx, o, h)
}

func (r *room) interrupt(ctx context.Context) error { return r.Session.Interrupt(ctx, "") }
func (r *room) restart(ctx context.Context) error   { return r.Session.Restart(ctx, "") }

func (r *room) complete(ctx context.Context, code string, cursor int) (out completion, err error) {
	err = r.Use(ctx, func(c *guest.Client) error {
		got, err := c.Complete(ctx, "", code, cursor)
		out = completion{got.Start, got.End, got.Matches}
		return err
	})
	return out, err
}

func (r *room) put(ctx context.Context, name string, from io.Reader) error {
	return r.Use(ctx, func(c *guest.Client) error {
		_, err := c.WriteFile(ctx, name, from, 0o644)
		return err
	})
}

func (r *room) get(ctx context.Context, name string, to io.Writer) error {
	return r.Use(ctx, func(c *guest.Client) error {
		_, err := c.ReadFile(ctx, name, to)
		return err
	})
}

func (r *room) list(ctx context.Context, dir string) (out []guestFile, err error) {
	err = r.Use(ctx, func(c *guest.Client) error {
		files, err := c.List(ctx, dir, true)
		for _, f := range files {
			out = append(out, guestFile{
				path: path.Clean(f.Path), regular: f.Kind == wire.KindFile, size: f.Size, changed: time.Unix(0, f.ModTime),
			})
		}
		return err
	})
	return out, err
}

func (r *room) snapshot(ctx context.Context) (run.Saved, error) {
	snap, err := r.Session.Snapshot(ctx)
	return run.Saved{Snapshot: snap.ID, Bytes: snap.Bytes}, err
}

func (r *room) save(context.Context, string) (string, error) {
	return "", errors.New("cannot save: the session has no name")
}

// namedRoom is a named session as a workspace.
type namedRoom struct {
	room
	named *session.Named
}

var _ workspace = (*namedRoom)(nil)

func (r *namedRoom) save(ctx context.Context, label string) (string, error) {
	id, err := r.named.Save(ctx, label)
	if err != nil {
		return "", fmt.Errorf("cannot save the session: %w", err)
	}
	return id, nil
}

func (r *namedRoom) describe() event.SessionBegan {
	out := r.room.describe()
	out.Name, out.Snapshot = r.named.Name(), r.named.Head()
	return out
}

// Close ends the session's sandbox and gives up its name.
func (r *namedRoom) Close() error { return r.named.Close() }
