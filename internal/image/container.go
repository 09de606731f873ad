package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
	"praxis/internal/sandbox"
)

// Pull asks for an image of a registry.
type Pull struct {
	Reference string // such as "alpine:3.22" or "ghcr.io/owner/name@sha256:…"
	// User and Password are who asks; empty: what the Docker configuration of whoever
	// runs the program says, or nobody.
	User, Password string
}

// Pull gets an image of a registry, and leases it. What a reference with a digest names
// is not asked for when it is there; what a tag means is asked each time.
func (s *Store) Pull(ctx context.Context, p Pull, sink event.Sink) (Image, error) {
	img, err := s.pull(ctx, p, func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) })
	if err != nil {
		return Image{}, explainFS("pull image", err)
	}
	return img, nil
}

func (s *Store) pull(ctx context.Context, p Pull, say progress) (Image, error) {
	ref, err := oci.ParseReference(p.Reference)
	if err != nil {
		return Image{}, err
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	if ref.Digest() != "" {
		if b, err := s.containerOf(ctx, ref.String()); err == nil {
			return s.finishBase(ctx, b, []string{ref.String()}, say)
		}
	}
	say("asking for " + safetext.Line(ref.String()))
	src, err := oci.Registry(ctx, ref, oci.Credentials{User: p.User, Password: p.Password})
	if err != nil {
		return Image{}, err
	}
	defer src.Close()
	m, err := src.Manifest(ctx, oci.Here())
	if err != nil {
		return Image{}, err
	}
	b, err := s.makeBase(ctx, src, m, say)
	if err != nil {
		return Image{}, err
	}
	// What was asked for names it, and the digest that it was resolved to.
	return s.finishBase(ctx, b, []string{ref.String(), ref.At(m.Digest)}, say)
}

// Import asks for an image in a file: an archive of "docker save", an image layout, in an
// archive or a folder, or an archive of a root file system.
type Import struct {
	Path string
	Name string // "": as the file calls it, or as the file is called
}

// Import takes an image from a file, and leases it.
func (s *Store) Import(ctx context.Context, i Import, sink event.Sink) (Image, error) {
	img, err := s.importFile(ctx, i, func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) })
	if err != nil {
		return Image{}, explainFS("import image", err)
	}
	return img, nil
}

var containerName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,199}$`)

func (s *Store) importFile(ctx context.Context, i Import, say progress) (Image, error) {
	if i.Name != "" && !containerName.MatchString(i.Name) {
		return Image{}, fault.New(fault.Invalid, "Use letters, digits and . _ - / : only.", "cannot call an image %s", safetext.Line(safetext.Clip(i.Name, 100)))
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	src, err := oci.Open(ctx, i.Path, s.tmp())
	if err != nil {
		return Image{}, err
	}
	defer src.Close()
	m, err := src.Manifest(ctx, oci.Here())
	if err != nil {
		return Image{}, err
	}
	b, err := s.makeBase(ctx, src, m, say)
	if err != nil {
		return Image{}, err
	}
	return s.finishBase(ctx, b, []string{importedName(i, src.Name())}, say)
}

// importedName is what an image is called that came in a file.
func importedName(i Import, inside string) string {
	if i.Name != "" {
		return i.Name
	}
	if ref, err := oci.ParseReference(inside); err == nil && containerName.MatchString(ref.String()) {
		return ref.String()
	}
	base := filepath.Base(filepath.Clean(i.Path))
	for _, ending := range []string{".gz", ".zst", ".tgz", ".tar", ".oci"} {
		base = strings.TrimSuffix(base, ending)
	}
	if containerName.MatchString(base) {
		return base
	}
	return "imported"
}

// containerOf finds the base that a name or an ID means; the reference of a registry means
// what was pulled for it. The store is locked.
func (s *Store) containerOf(ctx context.Context, name string) (basePart, error) {
	r, err := s.containerRecord(ctx, name)
	if err != nil {
		return basePart{}, err
	}
	b, ok := s.findBase(ctx, r.Base)
	if !ok {
		return basePart{}, fault.Coded(fault.ImageGone, fault.Data{"image": r.Names[0]}, "cannot find image %s: parts of it are gone", r.Names[0])
	}
	return b, nil
}

// containerRecord finds the record of a container image as it came.
func (s *Store) containerRecord(ctx context.Context, name string) (record, error) {
	records, err := s.records(ctx)
	if err != nil {
		return record{}, err
	}
	full := name
	if ref, err := oci.ParseReference(name); err == nil {
		full = ref.String()
	}
	var found []record
	for _, r := range records {
		if r.Base == "" || r.Built != nil || r.Layer+r.Node+r.Modules+r.First != "" {
			continue
		}
		if r.ID == name || r.Digest == name || slices.Contains(r.Names, name) {
			return r, nil
		}
		if slices.Contains(r.Names, full) || len(name) >= minPrefix && strings.HasPrefix(r.ID, name) {
			found = append(found, r)
		}
	}
	switch clipped := safetext.Clip(redact(name), 80); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return record{}, fault.Coded(fault.ImageAbsent, fault.Data{"image": clipped}, "cannot find image %q", clipped)
	}
	return record{}, ambiguous(name, found)
}

// looksRemote says that a name can only be that of an image in a registry.
func looksRemote(name string) bool {
	return strings.ContainsAny(name, ":@/") && !hashRE.MatchString(name)
}

// resolveNamed returns the image that a request names, with what it asks for beside.
func (s *Store) resolveNamed(ctx context.Context, req Request, w wanted, say progress) (Image, error) {
	img, err := s.resolveHere(ctx, req.Image, w, say)
	if fault.CodeOf(err) == fault.ImageAbsent && looksRemote(req.Image) {
		if _, err = s.pull(ctx, Pull{Reference: req.Image}, say); err == nil {
			img, err = s.resolveHere(ctx, req.Image, w, say)
		}
	}
	return img, err
}

func (s *Store) resolveHere(ctx context.Context, name string, w wanted, say progress) (Image, error) {
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	r, p, err := s.namedWith(ctx, name, supply{s: s, say: say}, w)
	if err != nil {
		return Image{}, err
	}
	return s.finish(ctx, p, r.Names[:1], r.Built)
}

// lookupNamed is Lookup of a request that names an image.
func (s *Store) lookupNamed(ctx context.Context, req Request, w wanted) (Image, error) {
	r, p, err := s.namedWith(ctx, req.Image, supply{s: s, find: true}, w)
	if err != nil && !errors.Is(err, errUnbuilt) {
		return Image{}, err
	}
	var img Image
	if err == nil {
		img = p.assemble(r.Names[0], r.Built)
		_, err = s.readRecord(img.ID)
	}
	if err != nil {
		name := w.besideName(req.Image)
		return Image{}, fault.Coded(fault.ImageUnbuilt, fault.Data{"image": name}, "cannot find image %s: it was not built", name)
	}
	return img, nil
}

// namedWith finds the image that is named, and puts what is wanted beside its parts. The
// record is that of the image, and its first name that of what comes out. The store is
// locked.
func (s *Store) namedWith(ctx context.Context, name string, u supply, w wanted) (record, imageParts, error) {
	r, err := s.named(ctx, name)
	if err != nil {
		return r, imageParts{}, err
	}
	p, err := s.partsOf(ctx, r)
	if err != nil {
		return r, p, err
	}
	if img := p.assemble(r.Names[0], r.Built); img.ID != r.ID {
		return r, p, fault.Coded(fault.ImageStale, fault.Data{"image": r.Names[0]}, "cannot use image %s: Praxis changed since it was built", r.Names[0])
	}
	called := r.Names[0]
	if slices.Contains(r.Names, name) {
		called = name
	}
	if p, err = u.beside(ctx, p, w); err != nil {
		return r, p, err
	}
	if p.assemble(called, r.Built).ID != r.ID { // what is wanted may all be there
		called = w.besideName(called)
	}
	r.Names = []string{called}
	return r, p, nil
}

// named finds the record of the image that a name, an ID or the reference of a registry
// means: of several, one that was built of a file, then a container image as it came.
func (s *Store) named(ctx context.Context, name string) (record, error) {
	if !s.isBuilt(ctx, name) {
		r, err := s.containerRecord(ctx, name)
		if fault.CodeOf(err) != fault.ImageAbsent {
			return r, err
		}
		if _, other := s.meant(ctx, name); other != nil {
			return r, err
		}
	}
	builds, err := s.meant(ctx, name)
	if err != nil {
		return record{}, err
	}
	s.newestFirst(builds)
	return builds[0], nil
}

// finishBase makes the image of a base, writes it down under its names, and leases it. The
// store is locked.
func (s *Store) finishBase(ctx context.Context, b basePart, names []string, say progress) (Image, error) {
	p, err := supply{s: s, say: say}.beside(ctx, imageParts{base: &b}, wanted{})
	if err != nil {
		return Image{}, err
	}
	return s.finish(ctx, p, names, nil)
}

// rememberBase writes the record of a container image. A name is that of one image: a tag
// that means another one now is taken from the one before, whose digest goes on to name it.
func (s *Store) rememberBase(ctx context.Context, img Image, r record, names []string) error {
	old, err := s.readRecord(img.ID)
	r.ID, r.Created = img.ID, time.Now().UTC().Truncate(time.Second)
	if err == nil {
		r.Created = old.Created
	}
	r.Names = slices.Clone(names)
	for _, n := range old.Names {
		if !slices.Contains(r.Names, n) && len(r.Names) < 16 {
			r.Names = append(r.Names, n)
		}
	}
	if err == nil && len(r.Names) == len(old.Names) && old.Names[0] == r.Names[0] {
		return nil
	}
	others, err := s.records(ctx)
	if err != nil {
		return err
	}
	for _, o := range others {
		left := slices.DeleteFunc(slices.Clone(o.Names), func(n string) bool { return slices.Contains(names, n) })
		if o.ID == img.ID || o.Base == "" && o.Built == nil || len(left) == len(o.Names) {
			continue
		}
		if o.Names = left; len(left) == 0 {
			o.Names = []string{cmp.Or(o.Digest, o.ID)}
		}
		if err := s.writeRecord(o); err != nil {
			return err
		}
	}
	return s.writeRecord(r)
}

func (s *Store) writeRecord(r record) error {
	data, err := s.seals.Encode(imageDir, r.ID, r)
	if err == nil {
		err = s.writeFile(s.recordPath(r.ID), data)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the image's record: %w", err)
	}
	return nil
}

// assembleBase joins the parts of a container image. Ours are put beside it: the interpreter
// where it has none that kernels run on, Node likewise, and packages.
func assembleBase(name string, p imageParts) Image {
	b := p.base
	img := Image{Name: name, Root: b.tree(), Packages: []Package{}, Digest: b.manifest.Digest, Env: baseEnv(p)}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "container image 1\nbase %s\n", b.info.Key)
	python := language.Runtime{Language: languageName, Version: pythonVersion, Program: guestPython + "/bin/python3", Preload: append([]string(nil), p.preload...)}
	if p.needsOurs() {
		// The C library that programs of ours run with: they are started there (agent/load.go).
		img.Mounts = append(img.Mounts, sandbox.Mount{Source: p.py.root.tree(), Target: guestRoot})
	}
	if b.Python != nil {
		python.Version, python.Program = b.Python.Version, b.Python.Program
		_, _ = fmt.Fprintf(h, "python %s %s\n", b.Python.Program, b.Python.Version)
	} else {
		img.mountTwice(p.py.python.tree(), guestPython, filepath.Join(b.dir, launchDir))
		_, _ = fmt.Fprintf(h, "python %s\nroot %s\n", p.py.python.info.Content, p.py.root.info.Content)
	}
	img.Runtimes = []language.Runtime{python}
	if b.Bash {
		img.Runtimes = append(img.Runtimes, language.Runtime{Language: bashName, Program: python.Program})
	}
	switch {
	case b.Node != nil:
		img.Runtimes = append(img.Runtimes, language.Runtime{Language: nodeLanguage, Version: b.Node.Version, Program: b.Node.Program})
	case p.node != nil:
		img.mountTwice(p.node.tree(), guestNode, filepath.Join(b.dir, launchNodeDir))
		img.Runtimes = append(img.Runtimes, nodeRuntime())
		_, _ = fmt.Fprintf(h, "node %s\nroot %s\n", p.node.info.Content, p.py.root.info.Content)
	}
	img.addKernels(b, p.layer, python.Program)
	if p.layer != nil {
		img.Mounts = append(img.Mounts, sandbox.Mount{Source: p.layer.tree(), Target: guestPackages})
		img.Packages = p.layer.lock.packages()
		img.Runtimes = append(img.Runtimes, kernels(p.layer.tree(), python.Program, img.Runtimes)...)
		_, _ = fmt.Fprintf(h, "layer %s\n", p.layer.info.Key)
	}
	if p.modules != nil {
		img.Mounts = append(img.Mounts, sandbox.Mount{Source: p.modules.tree(), Target: guestModules})
		img.NPM = p.modules.lock.packages()
		_, _ = fmt.Fprintf(h, "modules %s\n", p.modules.info.Key)
	}
	if p.first == nodeLanguage {
		img.putFirst(nodeLanguage)
		_, _ = fmt.Fprintf(h, "first %s\n", p.first)
	}
	for _, list := range [][]string{img.Env, p.preload} {
		_, _ = io.WriteString(h, strings.Join(list, "\x00")+"\n")
	}
	img.ID = hex.EncodeToString(h.Sum(nil)[:16])
	return img
}

// mountTwice mounts a program of ours where it always is, with links to its launcher in the
// place of its own, and in our own root file system, where it is started.
func (i *Image) mountTwice(tree, target, links string) {
	i.Mounts = append(i.Mounts, sandbox.Mount{Source: tree, Target: guestRoot + target},
		sandbox.Mount{Source: tree, Target: target}, sandbox.Mount{Source: links, Target: target + "/bin"})
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// baseEnv is the environment of a container image, with what sessions need in it.
func baseEnv(p imageParts) []string {
	b := p.base
	env, size := []string{}, 0
	has := func(name string) bool { return variable(env, name, "") != "" }
	for _, kv := range b.config.Env {
		name, value, ok := strings.Cut(kv, "=")
		size += len(kv)
		// What a shell could not set either is nothing that programs wait for.
		if !ok || !variableName.MatchString(name) || strings.IndexByte(value, 0) >= 0 || size > maxVariable || len(env) >= maxVariables {
			continue
		}
		if name == "PATH" || name == "HOME" || name == "PYTHONDONTWRITEBYTECODE" || name == imageWorkDir || b.Python == nil && (name == "PYTHONHOME" || name == "PYTHONPATH") {
			continue
		}
		env = append(env, kv)
	}
	searched := variable(b.config.Env, "PATH", defaultPath)
	if b.Python == nil {
		searched += ":" + guestPackages + "/bin:" + guestPython + "/bin"
	} else if p.layer != nil {
		searched += ":" + guestPackages + "/bin"
	}
	if p.node != nil {
		searched += ":" + guestNode + "/bin"
	}
	if b.Python == nil {
		if !has("SSL_CERT_FILE") && !b.Certificates {
			env = append(env, "SSL_CERT_FILE="+guestRoot+certificates)
		}
		if !has("PYTHONTZPATH") {
			env = append(env, "PYTHONTZPATH="+timeZones+":"+guestRoot+timeZones)
		}
	}
	if !has("LANG") {
		env = append(env, "LANG=C.UTF-8")
	}
	if dir := path.Clean(b.config.WorkingDir); path.IsAbs(dir) && dir != "/" && strings.IndexByte(dir, 0) < 0 {
		env = append(env, imageWorkDir+"="+dir)
	}
	if !slices.Contains(filepath.SplitList(searched), guestAdded+"/bin") {
		searched += ":" + guestAdded + "/bin"
	}
	return append(env, "PATH="+searched, "HOME="+guestHome, "PYTHONDONTWRITEBYTECODE=1")
}
