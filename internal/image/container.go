package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/language"
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
			return s.finishBase(ctx, b, []string{ref.String()}, nil, say)
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
	return s.finishBase(ctx, b, []string{ref.String(), ref.At(m.Digest)}, nil, say)
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

var containerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,199}$`)

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
	return s.finishBase(ctx, b, []string{importedName(i, src.Name())}, nil, say)
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

// containerRecord finds the record of a container image without packages beside.
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
		if r.Base == "" || r.Layer != "" || r.Built != nil {
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

// resolveNamed returns the image that a request names, with the packages that it asks for.
func (s *Store) resolveNamed(ctx context.Context, req Request, reqs []requirement, say progress) (Image, error) {
	img, err := s.resolveHere(ctx, req, reqs, say)
	if fault.CodeOf(err) == fault.ImageAbsent && looksRemote(req.Image) {
		if img, err = s.pull(ctx, Pull{Reference: req.Image}, say); err == nil && len(reqs) > 0 {
			img, err = s.resolveHere(ctx, req, reqs, say)
		}
	}
	if err == nil {
		err = req.checkNode(img)
	}
	return img, err
}

func (s *Store) resolveHere(ctx context.Context, req Request, reqs []requirement, say progress) (Image, error) {
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	if s.isBuilt(ctx, req.Image) {
		return s.ownNamed(ctx, req.Image, reqs)
	}
	b, err := s.containerOf(ctx, req.Image)
	if fault.CodeOf(err) == fault.ImageAbsent {
		if img, other := s.ownNamed(ctx, req.Image, reqs); fault.KindOf(other) != fault.NotFound {
			return img, other
		}
	}
	if err != nil {
		return Image{}, err
	}
	return s.finishBase(ctx, b, []string{s.shortName(ctx, req.Image)}, reqs, say)
}

// ownNamed returns an image of ours that a request names. The store is locked.
func (s *Store) ownNamed(ctx context.Context, name string, reqs []requirement) (Image, error) {
	builds, err := s.meant(ctx, name)
	if err != nil {
		return Image{}, err
	}
	if len(reqs) > 0 {
		return Image{}, fault.New(fault.Invalid, "Name the image alone, or the packages alone.", "cannot add packages to image %s", builds[0].Names[0])
	}
	s.newestFirst(builds)
	img, err := s.assembleAgain(ctx, builds[0])
	if err != nil {
		return Image{}, err
	}
	return img, s.lease(img.ID)
}

// shortName is what a container image is called that is there.
func (s *Store) shortName(ctx context.Context, name string) string {
	r, err := s.containerRecord(ctx, name)
	if err != nil || slices.Contains(r.Names, name) {
		return name
	}
	return r.Names[0]
}

// finishBase makes the image of a base, with packages beside, writes it down under its
// names, and leases it. The store is locked.
func (s *Store) finishBase(ctx context.Context, b basePart, names []string, reqs []requirement, say progress) (Image, error) {
	if b.Python != nil && len(reqs) > 0 && !b.needsDriver(reqs) {
		return Image{}, ownPythonFault(names[0], b)
	}
	for i := range names {
		names[i] = nameOf(names[i], reqs)
	}
	if len(reqs) == 0 {
		return s.finish(ctx, b, names, nil, "", say, nil)
	}
	py, err := s.makeInterpreter(ctx, say)
	if err != nil {
		return Image{}, err
	}
	layer, err := s.makeLayer(ctx, py, reqs, nil, say)
	if err != nil {
		return Image{}, err
	}
	preload := layer.preload(reqs)
	if b.Python != nil {
		preload = nil // the packages are not for the image's own interpreter
	}
	return s.finish(ctx, b, names, preload, "", say, func(interpreter) (*layerPart, error) { return layer, nil })
}

// finish makes the image of a base with the layer that beside returns; beside is nil where
// there are no packages. want is the ID that it must have; "": any.
func (s *Store) finish(ctx context.Context, b basePart, names, preload []string, want string, say progress, beside func(py interpreter) (*layerPart, error)) (Image, error) {
	var py interpreter
	var layer *layerPart
	ours := b.Python == nil || beside != nil
	if ours {
		var err error
		if py, err = s.makeInterpreter(ctx, say); err != nil {
			return Image{}, err
		}
	}
	if beside != nil {
		var err error
		if layer, err = beside(py); err != nil {
			return Image{}, err
		}
	}
	img := assembleBase(names[0], b, py, layer, preload)
	if want != "" && img.ID != want {
		return Image{}, fault.New(fault.Conflict, "Use the version of Praxis that made it.", "cannot make image %s: this version of Praxis makes another of it", names[0])
	}
	r := record{Base: b.info.Key, Digest: b.manifest.Digest}
	if ours {
		r.Python, r.Root = py.python.info.Key, py.root.info.Key
	}
	if layer != nil {
		r.Layer = layer.info.Key
	}
	if err := s.rememberBase(ctx, img, r, names); err != nil {
		return Image{}, err
	}
	return img, s.lease(img.ID)
}

func ownPythonFault(name string, b basePart) error {
	return fault.Coded(fault.ImageOwnPython, fault.Data{"image": name, "version": b.Python.Version},
		"cannot add packages to image %s: it has its own Python %s, and they are for %s", name, b.Python.Version, pythonVersion)
}

// nameOf is the name of an image with packages beside.
func nameOf(name string, reqs []requirement) string {
	return strings.Replace(Request{}.imageName(reqs, nil), languageName, name, 1)
}

// rememberBase writes the record of a container image. A name is that of one image: a tag
// that means another one now is taken from the one before, whose digest goes on to name it.
func (s *Store) rememberBase(ctx context.Context, img Image, r record, names []string) error {
	old, err := s.readRecord(img.ID)
	r.ID, r.Packages, r.Preload, r.Created = img.ID, img.Packages, img.Runtimes[0].Preload, time.Now().UTC().Truncate(time.Second)
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

// assembleBase joins the parts of a container image. py is put beside where it has no
// interpreter that kernels run on, and where there is a layer of packages.
func assembleBase(name string, b basePart, py interpreter, layer *layerPart, preload []string) Image {
	img := Image{Name: name, Root: b.tree(), Packages: []Package{}, Digest: b.manifest.Digest, Env: baseEnv(b)}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "container image 1\nbase %s\n", b.info.Key)
	program := guestPython + "/bin/python3"
	if b.Python != nil {
		program = b.Python.Program
		img.Runtimes = []language.Runtime{{Language: languageName, Version: b.Python.Version, Program: program}}
		_, _ = fmt.Fprintf(h, "python %s %s\n", b.Python.Program, b.Python.Version)
	} else {
		img.Runtimes = []language.Runtime{{Language: languageName, Version: pythonVersion, Program: program, Preload: append([]string(nil), preload...)}}
	}
	if b.Python == nil || layer != nil {
		// Ours stands where it always does, and once more in our own root file system, which
		// has the C library that it runs with; its programs are started there (agent/load.go).
		img.Mounts = []sandbox.Mount{
			{Source: py.root.tree(), Target: guestRoot}, {Source: py.python.tree(), Target: guestRoot + guestPython},
			{Source: py.python.tree(), Target: guestPython}, {Source: filepath.Join(b.dir, launchDir), Target: guestPython + "/bin"},
		}
		_, _ = fmt.Fprintf(h, "python %s\nroot %s\n", py.python.info.Content, py.root.info.Content)
	}
	if b.Bash {
		img.Runtimes = append(img.Runtimes, language.Runtime{Language: bashName, Program: program})
	}
	if b.Node != nil {
		img.Runtimes = append(img.Runtimes, language.Runtime{Language: nodeLanguage, Version: b.Node.Version, Program: b.Node.Program})
	}
	img.addKernels(b, layer)
	if layer != nil {
		img.Mounts = append(img.Mounts, sandbox.Mount{Source: layer.tree(), Target: guestPackages})
		img.Packages = layer.lock.packages()
		if b.Python == nil {
			img.Runtimes = append(img.Runtimes, kernels(layer.tree(), img.Runtimes)...)
		}
		_, _ = fmt.Fprintf(h, "layer %s\n", layer.info.Key)
	}
	for _, list := range [][]string{img.Env, preload} {
		_, _ = io.WriteString(h, strings.Join(list, "\x00")+"\n")
	}
	img.ID = hex.EncodeToString(h.Sum(nil)[:16])
	return img
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// baseEnv is the environment of a container image, with what sessions need in it.
func baseEnv(b basePart) []string {
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

// assembleBaseAgain makes the container image of a record from the parts that it names.
func (s *Store) assembleBaseAgain(ctx context.Context, r record) (Image, error) {
	gone := fault.Coded(fault.ImageGone, fault.Data{"image": r.Names[0]}, "cannot find image %s: parts of it are gone", r.Names[0])
	b, ok := s.findBase(ctx, r.Base)
	if !ok {
		return Image{}, gone
	}
	var py interpreter
	var layer *layerPart
	if b.Python == nil || r.Layer != "" {
		if py, ok = s.findInterpreter(ctx, r.Python, r.Root); !ok {
			return Image{}, gone
		}
	}
	if r.Layer != "" {
		if layer, ok = s.findLayerOf(ctx, r.Layer); !ok {
			return Image{}, gone
		}
	}
	img := assembleBase(r.Names[0], b, py, layer, r.Preload)
	if img.ID != r.ID {
		return Image{}, fault.Coded(fault.ImageStale, fault.Data{"image": r.Names[0]}, "cannot use image %s: Praxis changed since it was built", r.Names[0])
	}
	return img, nil
}

// lookupNamed is Lookup of a request that names an image.
func (s *Store) lookupNamed(ctx context.Context, req Request, reqs []requirement) (Image, error) {
	r, err := s.containerRecord(ctx, req.Image)
	if len(reqs) == 0 && (fault.CodeOf(err) == fault.ImageAbsent || s.isBuilt(ctx, req.Image)) {
		builds, other := s.meant(ctx, req.Image)
		if other != nil {
			return Image{}, err
		}
		s.newestFirst(builds)
		return s.assembleAgain(ctx, builds[0])
	}
	if err != nil {
		return Image{}, err
	}
	if len(reqs) == 0 {
		return s.assembleBaseAgain(ctx, r)
	}
	name := nameOf(s.shortName(ctx, req.Image), reqs)
	records, err := s.records(ctx)
	if err != nil {
		return Image{}, err
	}
	for _, other := range records {
		if other.Base == r.Base && other.Layer != "" && slices.Contains(other.Names, name) {
			return s.assembleBaseAgain(ctx, other)
		}
	}
	return Image{}, fault.Coded(fault.ImageUnbuilt, fault.Data{"image": name}, "cannot find image %s: it was not built", name)
}

// checkContainer refuses what cannot be put beside a container image.
func (req Request) checkContainer(npm []npmRequirement) error {
	if len(npm) > 0 {
		return refuseNode(req)
	}
	return nil
}

// checkNode refuses JavaScript on an image that does not bring the Node that kernels run on.
func (req Request) checkNode(img Image) error {
	if req.needsNode() && !slices.ContainsFunc(img.Runtimes, func(r language.Runtime) bool { return r.Language == nodeLanguage }) {
		return refuseNode(req)
	}
	return nil
}

func refuseNode(req Request) error {
	return fault.New(fault.Invalid, "Use an image that has Node "+nodeRuntime().Version+", or name no image.", "cannot make image %s: Node and packages of npm are put beside Praxis's own root file system alone",
		safetext.Line(safetext.Clip(req.Image, 100)))
}
