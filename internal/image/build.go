package image

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/image/oci"
	"praxis/internal/safetext"
)

// BuildRequest says what an image is built on, and what it has beside its files.
type BuildRequest struct {
	Name      string
	From      string // a container image; "": Praxis's own root file system
	With, NPM []string
	Env       []string // NAME=value
	Preload   []string // modules; nil: the packages that are asked for
	Start     *Start
}

// Build is an image that is being built: a base, and the layers of the steps that were
// done so far. What it is made of is not removed until Close. It is for one goroutine.
type Build struct {
	s      *Store
	locked fileLock
	say    progress
	name   string
	built  Built
	env    []string   // that the file gives, beside what the image it began with has
	parts  imageParts // base is that of the image it began with
	key    string
	keys   []string // of all steps so far
	layers []oci.Added
}

// BeginBuild finds, or makes, what an image is built on.
func (s *Store) BeginBuild(ctx context.Context, q BuildRequest, sink event.Sink) (*Build, error) {
	b := &Build{s: s, name: q.Name, env: q.Env, built: Built{Own: q.From == "", Env: q.Env, Start: q.Start}}
	b.say = func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) }
	if !builtName.MatchString(q.Name) {
		return nil, fault.New(fault.Invalid, "Use lower case letters, digits and . _ -.", "cannot call an image %s", safetext.Line(safetext.Clip(q.Name, 100)))
	}
	if err := b.built.check(); err != nil {
		return nil, err
	}
	var err error
	if b.locked, err = s.lockStore(ctx, false, b.say); err != nil {
		return nil, explainFS("build image", err)
	}
	if err := b.begin(ctx, q); err != nil {
		b.Close()
		return nil, explainFS("build image", err)
	}
	return b, nil
}

// Close ends the build. What was not named is left for the next build, until images are
// collected.
func (b *Build) Close() { b.locked.release() }

// begin makes the parts that no step makes.
func (b *Build) begin(ctx context.Context, q BuildRequest) error {
	req := Request{Image: q.From, With: q.With, NPM: q.NPM}
	reqs, npm, err := req.parseAll()
	if err != nil {
		return err
	}
	var inherited Built
	if q.From != "" {
		if inherited, err = b.on(ctx, q.From); err != nil {
			return err
		}
	}
	modules := b.parts.preload
	b.parts, err = supply{s: b.s, say: b.say}.beside(ctx, b.parts, wanted{reqs: reqs, npm: npm, node: len(npm) > 0})
	if err != nil {
		return err
	}
	// What steps see is not what sessions get beside: modules, variables, a program.
	b.key = assembleBuilt("", b.parts, Built{Own: b.built.Own, Ours: b.built.Ours, Env: inherited.Env}).ID
	if q.Preload != nil {
		b.parts.preload = withModules(modules, q.Preload)
	}
	return nil
}

// on begins with the parts of an image, and with what a file said of it: its variables, its
// program and its modules are the new one's, too.
func (b *Build) on(ctx context.Context, from string) (Built, error) {
	r, err := b.s.named(ctx, from)
	if fault.CodeOf(err) == fault.ImageAbsent && looksRemote(from) {
		if _, err = b.s.pull(ctx, Pull{Reference: from}, b.say); err == nil {
			r, err = b.s.named(ctx, from)
		}
	}
	if err != nil {
		return Built{}, err
	}
	if b.parts, err = b.s.partsOf(ctx, r); err != nil {
		return Built{}, err
	}
	b.built.Own = r.Base == ""
	if r.Built == nil {
		return Built{}, nil
	}
	b.built.Own, b.built.Ours = r.Built.Own, r.Built.Ours
	b.built.Env = slices.Concat(r.Built.Env, b.built.Env)
	b.built.Start = cmp.Or(b.built.Start, r.Built.Start)
	return *r.Built, b.built.check()
}

// Has says whether the base has a program at one of some paths, relative to its root.
func (b *Build) Has(paths ...string) bool {
	tree := b.parts.py.root.tree()
	if b.parts.base != nil {
		tree = b.parts.base.tree()
	}
	u, err := oci.NewUnpacker(tree, oci.Bounds{})
	if err != nil {
		return false
	}
	defer u.Close()
	return slices.ContainsFunc(paths, func(p string) bool {
		_, st, err := u.Find(p)
		return err == nil && st.Mode().IsRegular()
	})
}

// Known puts the layer of a step on the image when it is known from before: of the same
// step, with the same inputs, on the same files.
func (b *Build) Known(by string, inputs ...string) bool {
	key := stepKey(b.key, inputs...)
	var c cachedStep
	data, err := bounded.ReadFile(b.s.stepPath(key), maxSmallFile)
	if err != nil || b.s.seals.Decode(stepDir, key, data, &c) != nil || !b.s.hasBlob(c.Layer) {
		return false
	}
	b.put(key, by, c.Layer)
	return true
}

func (b *Build) put(key, by string, layer oci.Descriptor) {
	b.key, b.keys, b.layers = key, append(b.keys, key), append(b.layers, oci.Added{Descriptor: layer, By: by})
}

// Add puts the layer of a step on the image. write writes it, as an archive that nobody
// vouches for.
func (b *Build) Add(ctx context.Context, by string, write func(io.Writer) error, inputs ...string) error {
	layer, err := b.s.addBlob(ctx, write)
	if err != nil {
		return explainFS("keep layer", err)
	}
	key := stepKey(b.key, inputs...)
	data, err := b.s.seals.Encode(stepDir, key, cachedStep{layer})
	if err == nil {
		err = b.s.writeFile(b.s.stepPath(key), data)
	}
	if err != nil {
		return explainFS("keep layer", err)
	}
	b.put(key, by, layer)
	return nil
}

// addBlob keeps a layer, bounded, and returns what it is called.
func (s *Store) addBlob(ctx context.Context, write func(io.Writer) error) (oci.Descriptor, error) {
	f, err := os.CreateTemp(s.tmp(), "write.")
	if err != nil {
		return oci.Descriptor{}, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	sum, size := sha256.New(), int64(0)
	err = write(writerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if size += int64(len(p)); size > maxLayer {
			return 0, fault.New(fault.Exhausted, "Let the step make less.", "cannot keep layer: it has more than %s", safetext.Size(maxLayer))
		}
		_, _ = sum.Write(p)
		return f.Write(p)
	}))
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return oci.Descriptor{}, err
	}
	d := oci.NewLayer(hex.EncodeToString(sum.Sum(nil)), size)
	return d, os.Rename(f.Name(), s.blobPath(d.Hex()))
}

type writerFunc func(p []byte) (int, error)

// Write calls the function.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Copy puts files of the host on the image, as a layer of their own: what is called from
// below the folder root is called to in the image. Links stay links, and nothing outside
// of the folder is read.
func (b *Build) Copy(ctx context.Context, root *os.Root, from, to string) error {
	by := "copy " + from + " " + to
	var layer oci.Descriptor
	layer, err := b.s.addBlob(ctx, func(w io.Writer) error { return writeCopy(ctx, w, root, from, to) })
	if err != nil {
		return explainFS("copy "+safetext.Line(from), err)
	}
	b.put(stepKey(b.key, "copy", to, layer.Digest), by, layer)
	return nil
}

// maxCopied bounds what one copy has, in entries.
const maxCopied = 200_000

// copyTime is when everything was changed last that is copied into an image: 1980-01-01.
const copyTime = 315532800

func writeCopy(ctx context.Context, w io.Writer, root *os.Root, from, to string) error {
	out := tar.NewWriter(w)
	entries := 0
	top, err := root.Lstat(from)
	if err != nil {
		return notCopied(from, err)
	}
	if !top.IsDir() && !top.Mode().IsRegular() {
		return fault.New(fault.Invalid, "Name a file or a folder.", "cannot copy %s: it is neither a file nor a folder", safetext.Line(from))
	}
	err = fs.WalkDir(root.FS(), from, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if entries++; entries > maxCopied {
			return fault.New(fault.Exhausted, "Copy an archive, and unpack it in a step.", "cannot copy %s: it has more than %d entries", safetext.Line(from), maxCopied)
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		return copyEntry(out, root, name, path.Join(to, filepath.ToSlash(rel)))
	})
	if err != nil {
		return notCopied(from, err)
	}
	return out.Close()
}

// notCopied says why something could not be copied. Faults go through.
func notCopied(from string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	kind := fault.Invalid
	if errors.Is(err, fs.ErrNotExist) {
		kind = fault.NotFound
	}
	return fault.New(kind, "What is copied lies below the folder of the file.", "cannot copy %s: %w", safetext.Line(from), err)
}

func copyEntry(out *tar.Writer, root *os.Root, name, to string) error {
	st, err := root.Lstat(name)
	if err != nil {
		return err
	}
	h := &tar.Header{Name: strings.TrimPrefix(to, "/"), Mode: 0o644, ModTime: time.Unix(copyTime, 0), Format: tar.FormatPAX}
	if strings.HasPrefix(path.Base(to), ".wh.") {
		return fault.New(fault.Invalid, "Call it otherwise.", "cannot copy %s: in a layer such a name says that a file is gone", safetext.Line(name))
	}
	for _, dir := range []string{"/work", guestHome} {
		if to == dir || strings.HasPrefix(to, dir+"/") { // it is the session's user's
			h.Uid, h.Gid = 1000, 1000
		}
	}
	if st.Mode()&0o111 != 0 {
		h.Mode = 0o755
	}
	switch st.Mode().Type() {
	case fs.ModeDir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return out.WriteHeader(h)
	case fs.ModeSymlink:
		h.Typeflag, h.Mode = tar.TypeSymlink, 0o777
		if h.Linkname, err = root.Readlink(name); err != nil {
			return err
		}
		return out.WriteHeader(h)
	case 0:
		h.Typeflag, h.Size = tar.TypeReg, st.Size()
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		if err = out.WriteHeader(h); err == nil {
			_, err = io.Copy(out, f) // one that grew meanwhile does not fit, and is an error
		}
		return errors.Join(err, f.Close())
	}
	return fault.New(fault.Invalid, "Remove it, or copy what lies beside it.", "cannot copy %s: it is neither a file nor a folder nor a link", safetext.Line(name))
}

// Image makes the image as it is so far. It has no name yet, and is not written down: it is
// there until Close. With whole, it has what sessions get beside its files.
func (b *Build) Image(ctx context.Context, whole bool) (Image, error) {
	p, built, err := b.assembled(ctx, whole)
	if err != nil {
		return Image{}, explainFS("build image", err)
	}
	if !whole {
		p.preload, built.Start = nil, nil
	}
	return assembleBuilt(b.name, p, built), nil
}

// assembled returns the parts with the layers put together, and what the file says.
func (b *Build) assembled(ctx context.Context, whole bool) (imageParts, Built, error) {
	p, built := b.parts, b.built
	var env []string
	if !built.Own {
		env = b.env // programs of the image see it where the image is exported to, too
	}
	if len(b.layers) == 0 && len(env) == 0 {
		return p, built, nil
	}
	base, err := b.extended(ctx, env, b.quietly(whole))
	if err != nil {
		return p, built, err
	}
	before, was := p.base, p.own()
	// A step may have brought the base an interpreter of its own, or removed that.
	if before != nil && was == nil && base.Python != nil && p.layer != nil && !built.Own {
		built.Ours = true // the packages are for ours
	}
	p.on(&base, &built)
	if now := p.own(); was != nil && p.layer != nil && (now == nil || *now != *was) {
		return p, built, fault.New(fault.Conflict, "Build in two files: this one without packages, and one with them that begins with its image.",
			"cannot build image %s: a step changed the Python %s that its packages are for", b.name, was.Version)
	}
	if p.needsOurs() && p.py.root.dir == "" || p.own() == nil && p.py.python.dir == "" {
		py, err := b.s.makeInterpreter(ctx, b.say)
		if err != nil {
			return p, built, err
		}
		p.host(py)
	}
	return p, built, nil
}

// extended makes the base with the layers of the steps on it.
func (b *Build) extended(ctx context.Context, env []string, say progress) (basePart, error) {
	var m oci.Manifest
	var config []byte
	var err error
	if base := b.parts.base; base != nil {
		m = base.manifest
		if config, err = bounded.ReadFile(filepath.Join(base.dir, configFile), maxBaseFile); err != nil {
			return basePart{}, err
		}
	} else {
		root, err := b.rootLayer(ctx)
		if err != nil {
			return basePart{}, err
		}
		made, err := oci.Make([]oci.Descriptor{root}, []string{"packages of Debian"}, nil, nil)
		if err != nil {
			return basePart{}, err
		}
		m, config = made.Manifest, made.RawConfig
	}
	made, err := oci.Extend(m, config, b.layers, env)
	if err != nil {
		return basePart{}, err
	}
	base, err := b.s.makeBase(ctx, stored{b.s, &ContainerRecipe{Manifest: made.Raw, Config: made.RawConfig}}, made.Manifest, say)
	if err != nil {
		b.forget(err)
	}
	return base, err
}

// quietly says of the image that comes out what is done, and nothing of those on the way.
func (b *Build) quietly(whole bool) progress {
	if whole {
		return b.say
	}
	return func(string) {}
}

// forget removes what is known of steps whose layers cannot be unpacked: they are run again.
func (b *Build) forget(err error) {
	if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Exhausted && kind != fault.Conflict {
		return
	}
	for _, key := range b.keys {
		_ = os.Remove(b.s.stepPath(key)) // one that stays is found to be damaged again
	}
}

// rootLayer makes a layer of our own root file system, once.
func (b *Build) rootLayer(ctx context.Context) (oci.Descriptor, error) {
	key := stepKey("root", b.parts.py.root.info.Content)
	var c cachedStep
	data, err := bounded.ReadFile(b.s.stepPath(key), maxSmallFile)
	if err == nil && b.s.seals.Decode(stepDir, key, data, &c) == nil && b.s.hasBlob(c.Layer) {
		return c.Layer, nil
	}
	layer, err := b.s.addBlob(ctx, func(w io.Writer) error { return oci.Tree{Dir: b.parts.py.root.tree()}.Write(ctx, w) })
	if err != nil {
		return layer, err
	}
	if data, err = b.s.seals.Encode(stepDir, key, cachedStep{layer}); err == nil {
		err = b.s.writeFile(b.s.stepPath(key), data)
	}
	return layer, err
}

// Name gives the whole image its name, writes it down and leases it. An image that had
// the name before is called by its digest from then on.
func (b *Build) Name(ctx context.Context) (Image, error) {
	p, built, err := b.assembled(ctx, true)
	if err != nil {
		return Image{}, explainFS("build image", err)
	}
	img, err := b.s.finish(ctx, p, []string{b.name}, &built)
	if err != nil {
		return Image{}, explainFS("build image", err)
	}
	return img, nil
}

// collectSteps forgets the steps whose layers are not there any more.
func (s *Store) collectSteps(dryRun bool) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, stepDir))
	if err != nil || dryRun {
		return err
	}
	for _, e := range entries {
		key, _ := strings.CutSuffix(e.Name(), ".json")
		var c cachedStep
		data, err := bounded.ReadFile(s.stepPath(key), maxSmallFile)
		if err == nil && s.seals.Decode(stepDir, key, data, &c) == nil && s.hasBlob(c.Layer) {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, stepDir, e.Name())); err != nil {
			return fmt.Errorf("cannot forget a step: %w", err)
		}
	}
	return nil
}
