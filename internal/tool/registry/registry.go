// Package registry joins definitions of tools with what executes them: the
// files that declare them, the kinds of implementations, the servers, and tools
// that are written in Go. Its contents do not change while it is open, so
// that a run goes on with the versions that it began with.
package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Config is what a registry is made with.
type Config struct {
	// Kinds make implementations, by their names under "run".
	Kinds map[string]tool.Kind
	// OpenServer connects to a server of a file; nil: there are none.
	OpenServer func(ctx context.Context, s tool.ServerEntry, dir string, secrets tool.SecretSource) (tool.Server, error)
	Secrets    *Secrets // of the files, which servers may ask for; nil: there are none
	// Report receives all that is wrong in the files, each with its place. What
	// is wrong is then left out, and [Open] fails only when ctx is over. nil: the
	// first thing that is wrong is Open's error.
	Report func(pos jsondoc.Position, err error)
}

// File is the text of a file of tools.
type File struct {
	Name string // as messages name it; relative paths in it start from its folder
	Text []byte
}

// Registry is the tools that a run has. It is safe for concurrent use.
type Registry struct {
	set      *tool.Set
	files    []*tool.File
	by       map[string]tool.Implementation // by the IDs of definitions
	servers  map[string]tool.Server
	problems []string
	kinds    map[string]tool.Kind
	closing  sync.Once
	closed   error
}

// Open reads files and makes what executes their tools. given are tools of
// another origin, such as those written in Go. A server that cannot be reached
// is a problem of the registry, not an error: its tools are missing.
func Open(ctx context.Context, cfg Config, files []File, given ...tool.Provided) (r *Registry, err error) {
	r = &Registry{by: map[string]tool.Implementation{}, servers: map[string]tool.Server{}, kinds: cfg.Kinds}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	for _, f := range readAll(ctx, cfg, files) {
		if err := r.file(ctx, cfg, f); err != nil && !cfg.reported(ctx, jsondoc.Position{File: f.name}, err) {
			return r, err
		}
	}
	if err := r.provided("the program", "", given); err != nil {
		return r, err
	}
	if r.set, err = tool.NewSet(r.files...); err != nil && cfg.reported(ctx, jsondoc.Position{}, err) {
		r.set, err = tool.NewSet()
	}
	return r, err
}

// reported passes an error to Report, and says whether there is one.
func (c Config) reported(ctx context.Context, pos jsondoc.Position, err error) bool {
	if c.Report == nil || ctx.Err() != nil {
		return false
	}
	c.Report(pos, err)
	return true
}

// source is a file that was read.
type source struct {
	*tool.File
	name string
	dir  string // that its paths start from
	err  error  // why it was not read
}

// readAll reads files side by side.
func readAll(ctx context.Context, cfg Config, files []File) []source {
	out := make([]source, len(files))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i] = read(ctx, cfg, f)
		})
	}
	wg.Wait()
	return out
}

func read(ctx context.Context, cfg Config, f File) source {
	s := source{name: f.Name}
	if s.dir, s.err = filepath.Abs(filepath.Dir(f.Name)); s.err != nil {
		s.err = fmt.Errorf("cannot read tools: %s: %w", f.Name, s.err)
		return s
	}
	s.File, s.err = toolfile.LoadWith(f.Name, f.Text, func(b tool.Binding) (*jsondoc.Object, error) {
		k, err := cfg.kind(&b, s.dir)
		if err != nil {
			return nil, err
		}
		return k.Derive(ctx, b)
	})
	return s
}

// kind returns who makes what a binding says.
func (c Config) kind(b *tool.Binding, dir string) (tool.Kind, error) {
	b.Dir = dir
	k, ok := c.Kinds[b.Kind]
	if !ok {
		return nil, fault.New(fault.Unavailable, "", "%s: this command has no tools of the kind %s", b.Pos, b.Kind)
	}
	return k, nil
}

// file makes the implementations of a file.
func (r *Registry) file(ctx context.Context, cfg Config, f source) error {
	if f.err != nil {
		return f.err
	}
	loaded := f.File
	r.files = append(r.files, loaded)
	for _, d := range loaded.Tools {
		b, ok := loaded.Bindings[d.ID()]
		if !ok {
			continue
		}
		k, err := cfg.kind(&b, f.dir)
		if err != nil {
			return err
		}
		made, err := k.New(ctx, d, b)
		if kind := fault.KindOf(err); kind == fault.Denied || kind == fault.NotFound { // the others go on; who calls it learns why
			cfg.reported(ctx, b.Pos, err)
			made, err = refused{at(b.Pos, err)}, nil
		}
		switch {
		case err != nil && cfg.reported(ctx, b.Pos, err):
			continue
		case err != nil:
			return at(b.Pos, err)
		}
		if err := r.add(d, made); err != nil && !cfg.reported(ctx, d.Pos, err) {
			return err
		}
	}
	return r.serversOf(ctx, cfg, loaded, f.dir)
}

// at names the place of a binding in what its kind says of it.
func at(pos jsondoc.Position, err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || strings.Contains(f.Message, pos.String()) {
		return err
	}
	return fmt.Errorf("%s: %w", pos, err)
}

func (r *Registry) add(d *tool.Definition, made tool.Implementation) error {
	if r.by[d.ID()] != nil {
		return errors.Join(fault.New(fault.Conflict, "Give one of them another version or name.", "%s: %s is implemented twice", d.Pos, d.ID()), made.Close())
	}
	r.by[d.ID()] = made
	return nil
}

// refused is a tool that this process may not execute, or that needs a program
// that this machine lacks.
type refused struct{ why error }

func (r refused) Call(context.Context, tool.Invocation) (any, error) {
	return nil, tool.NotReached(r.why)
}
func (r refused) Identity() string { return "refused" }
func (r refused) Close() error     { return nil }

// serversOf connects to the servers of a file, side by side.
func (r *Registry) serversOf(ctx context.Context, cfg Config, f *tool.File, dir string) error {
	type opened struct {
		server tool.Server
		tools  []tool.Provided
		err    error
	}
	found := make([]opened, len(f.Servers))
	var wg sync.WaitGroup
	for i, s := range f.Servers {
		if r.servers[s.Name] != nil {
			return fault.New(fault.Conflict, "Rename one of them.", "%s: two servers are called %q", s.Pos, s.Name)
		}
		if cfg.OpenServer == nil {
			r.problems = append(r.problems, fmt.Sprintf("%s: the server %s is not asked by this command", s.Pos, s.Name))
			continue
		}
		wg.Go(func() {
			o := &found[i]
			if o.server, o.err = cfg.OpenServer(ctx, s, dir, cfg.Secrets); o.err == nil {
				o.tools, o.err = o.server.Tools(ctx)
			}
		})
	}
	wg.Wait()
	for i, o := range found {
		s := f.Servers[i]
		if o.server != nil {
			r.servers[s.Name] = o.server
		}
		switch kind := fault.KindOf(o.err); {
		case o.err == nil:
		case cfg.reported(ctx, s.Pos, o.err):
			continue
		case kind == fault.Invalid || ctx.Err() != nil:
			return at(s.Pos, o.err)
		default:
			text := fmt.Sprintf("%s: the server %s gives no tools: %s", s.Pos, s.Name, o.err)
			if remedy := fault.RemedyOf(o.err); remedy != "" {
				text += ". " + remedy
			}
			r.problems = append(r.problems, text)
			continue
		}
		if p, ok := o.server.(interface{ Problems() []string }); ok {
			var all []string
			for _, text := range p.Problems() {
				all = append(all, fmt.Sprintf("%s: the server %s: %s", s.Pos, s.Name, text))
			}
			r.problems = append(r.problems, few(all, s.Name)...)
		}
		if err := r.provided("server "+s.Name, s.Name, o.tools); err != nil {
			return err
		}
	}
	return nil
}

// provided takes tools that come with their definitions.
func (r *Registry) provided(from, server string, tools []tool.Provided) error {
	if len(tools) == 0 {
		return nil
	}
	f := &tool.File{Name: from}
	var left []string
	for _, p := range tools {
		d, err := toolfile.Define(from, p.Document)
		if err != nil {
			if server == "" {
				return err
			}
			left = append(left, fmt.Sprintf("the server %s: a tool was left out: %s", server, err))
			continue
		}
		if err := r.add(d, p.Implementation); err != nil {
			return err
		}
		f.Tools = append(f.Tools, d)
	}
	r.files = append(r.files, f)
	r.problems = append(r.problems, few(left, server)...)
	return nil
}

// maxProblems is how many problems of one server are reported one by one.
const maxProblems = 10

// few are the first of a server's problems, and how many more there are: a server
// that lists thousands of tools that cannot be used must not fill a screen.
func few(problems []string, server string) []string {
	if len(problems) <= maxProblems {
		return problems
	}
	return append(problems[:maxProblems:maxProblems], fmt.Sprintf("the server %s: %d more problems of this kind", server, len(problems)-maxProblems))
}

// Set returns the definitions.
func (r *Registry) Set() *tool.Set { return r.set }

// Files returns what the files, servers and the program declare.
func (r *Registry) Files() []*tool.File { return slices.Clone(r.files) }

// Problems says what is missing, such as servers that do not answer, in sentences.
func (r *Registry) Problems() []string { return slices.Clone(r.problems) }

// Follow says which server's tools changed, one at a time and each once, however
// often a server says so, and returns when ctx is over. The registry itself does not
// change: open another to have them.
func (r *Registry) Follow(ctx context.Context, changed func(server string)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, s := range r.servers {
		wg.Go(func() {
			select {
			case _, open := <-s.Changed():
				if !open {
					return
				}
			case <-ctx.Done():
				return
			}
			mu.Lock()
			defer mu.Unlock()
			changed(name)
		})
	}
	wg.Wait()
}

// Call executes a call that was let through.
func (r *Registry) Call(ctx context.Context, c tool.Invocation) (any, error) {
	made := r.by[c.Tool.ID()]
	if made == nil {
		return nil, tool.NotReached(fault.New(fault.NotFound, "Give the tool an implementation (run: …).", "nothing implements %s", c.Tool.ID()))
	}
	return made.Call(ctx, c)
}

// Prepare makes a tool ready for its calls, when that takes long once.
func (r *Registry) Prepare(ctx context.Context, d *tool.Definition) error {
	if p, ok := r.by[d.ID()].(interface{ Prepare(context.Context) error }); ok {
		return p.Prepare(ctx)
	}
	return nil
}

// Identity names what implements a tool; "" when nothing does.
func (r *Registry) Identity(d *tool.Definition) string {
	if made := r.by[d.ID()]; made != nil {
		return made.Identity()
	}
	return ""
}

// Implements says whether something implements a tool.
func (r *Registry) Implements(d *tool.Definition) bool { return r.by[d.ID()] != nil }

// Close ends what executes tools.
func (r *Registry) Close() error {
	r.closing.Do(func() {
		var mu sync.Mutex
		var wg sync.WaitGroup
		end := func(close func() error) {
			wg.Go(func() {
				err := close()
				mu.Lock()
				defer mu.Unlock()
				r.closed = errors.Join(r.closed, err)
			})
		}
		for _, made := range r.by {
			end(made.Close)
		}
		wg.Wait()
		for _, s := range r.servers {
			end(s.Close)
		}
		for _, k := range r.kinds { // what their tools shared
			if c, ok := k.(io.Closer); ok {
				end(c.Close)
			}
		}
		wg.Wait()
	})
	return r.closed
}
