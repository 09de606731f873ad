package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// lock is what a request was resolved to: exact wheels.
type lock struct {
	Python string  `json:"python"` // key of the interpreter that they were resolved for
	Wheels []Wheel `json:"wheels"` // sorted by name
}

// Wheel is one wheel of a lock.
type Wheel struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

// key is the digest by which the layer is kept.
func (l lock) key() string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "praxis layer %s\npython %s\n", partRecipe, l.Python)
	for _, w := range l.Wheels {
		_, _ = fmt.Fprintf(h, "%s==%s %s\n", w.Name, w.Version, w.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// beside returns the lock of a layer: without the wheels of packages that are there already,
// and with those that the layer has of another.
func (l lock) beside(there []Package, old *layerPart) lock {
	l.Wheels = slices.DeleteFunc(slices.Clone(l.Wheels), func(w Wheel) bool {
		return slices.ContainsFunc(there, func(p Package) bool { return p.Name == w.Name })
	})
	if old != nil {
		l.Wheels = append(l.Wheels, old.lock.Wheels...)
		slices.SortFunc(l.Wheels, func(a, b Wheel) int { return strings.Compare(a.Name, b.Name) })
	}
	return l
}

func (l lock) packages() []Package {
	out := make([]Package, 0, len(l.Wheels))
	for _, w := range l.Wheels {
		out = append(out, Package{Name: w.Name, Version: w.Version, Hash: "sha256:" + w.SHA256})
	}
	return out
}

// requirements is the lock as a requirements file.
func (l lock) requirements() []byte {
	var b bytes.Buffer
	for _, w := range l.Wheels {
		_, _ = fmt.Fprintf(&b, "%s==%s --hash=sha256:%s\n", w.Name, w.Version, w.SHA256)
	}
	return b.Bytes()
}

// check says whether a lock that was read back is one that we can use.
func (l lock) check(python string) bool {
	if l.Python != python || len(l.Wheels) == 0 {
		return false
	}
	for _, w := range l.Wheels {
		if !hashRE.MatchString("sha256:"+w.SHA256) || normalName(w.Name) != w.Name ||
			!extraRE.MatchString(w.Name) || !versionRE.MatchString(w.Version) {
			return false
		}
	}
	return true
}

// layerPart is a layer with what is known of its packages.
type layerPart struct {
	part
	lock    lock
	imports map[string][]string // import names by package
}

const (
	lockFile    = "lock.json"
	importsFile = "imports.json"
	wheelsDir   = "wheels"
)

var (
	versionRE   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+!-]*$`)
	wheelRE     = lazyregexp.New(`^([A-Za-z0-9][A-Za-z0-9._]*)-([A-Za-z0-9][A-Za-z0-9._+!]*)(?:-\d[A-Za-z0-9._]*)?-[A-Za-z0-9._]+-[A-Za-z0-9._]+-[A-Za-z0-9._]+\.whl$`)
	importNames = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// requestKey is the digest under which the lock of a request is kept. there are the
// packages that the request is for beside.
func requestKey(python string, reqs []requirement, there []Package) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "praxis request 1\npython %s\n", python)
	for _, r := range reqs {
		_, _ = fmt.Fprintln(h, r.String())
	}
	if len(there) > 0 {
		_, _ = fmt.Fprintf(h, "beside\n%s", constraintsText(there))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (s *Store) requestPath(key string) string {
	return filepath.Join(s.dir, "request", key+".json")
}

// findLock returns what the request was resolved to before.
func (s *Store) findLock(key, python string) (lock, bool) {
	var l lock
	data, err := bounded.ReadFile(s.requestPath(key), maxSmallFile)
	if err != nil || s.seals.Decode(requestDir, key, data, &l) != nil || !l.check(python) {
		return lock{}, false
	}
	return l, true
}

// findLayer returns the layer of a lock. That of a lock without wheels has no files.
func (s *Store) findLayer(ctx context.Context, l lock) (*layerPart, bool) {
	if len(l.Wheels) == 0 {
		return &layerPart{lock: l}, true
	}
	p, ok := s.findPart(ctx, kindLayer, l.key())
	if !ok {
		return nil, false
	}
	out := &layerPart{part: p, lock: l}
	data, err := bounded.ReadFile(filepath.Join(p.dir, importsFile), maxSmallFile)
	if err != nil || json.Unmarshal(data, &out.imports) != nil {
		return nil, false
	}
	return out, true
}

// makeLayer returns the layer for the requirements. It asks the index only
// when the request was never resolved, or when its layer is gone. Packages that
// are there already, those of the layer old among them, stay at their versions; of them
// only what old has is in the layer. old may be nil.
func (s *Store) makeLayer(ctx context.Context, py interpreter, t target, reqs []requirement, there []Package, old *layerPart, say progress) (*layerPart, error) {
	if p, ok := s.findBeside(ctx, t, reqs, there, old); ok {
		return p, nil
	}
	key := requestKey(t.key, reqs, there)
	pip, err := s.makePip(ctx, py, say)
	if err != nil {
		return nil, err
	}
	name := "request-" + key
	locked, err := s.lock(ctx, name, say)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	// Somebody else may have resolved it while we waited.
	if p, ok := s.findBeside(ctx, t, reqs, there, old); ok {
		return p, nil
	}
	known, ok := s.findLock(key, t.key)
	stage, err := s.stage(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	call := pipCall{py: py, pip: pip, target: t, stage: stage, say: say}
	if !ok {
		if known, err = s.fetch(ctx, call, requirementsText(reqs), there, false); err != nil {
			return nil, err
		}
	}
	l := known.beside(there, old)
	if ok || old != nil {
		if err := s.fetchLocked(ctx, call, l); err != nil {
			return nil, err
		}
	}
	p, err := s.installLayer(ctx, call, l)
	if err != nil {
		return nil, err
	}
	data, err := s.seals.Encode(requestDir, key, known)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the lock: %w", err)
	}
	if err := s.writeFile(s.requestPath(key), data); err != nil {
		return nil, fmt.Errorf("cannot keep the lock: %w", err)
	}
	return p, nil
}

// findBeside finds the layer that makeLayer would make.
func (s *Store) findBeside(ctx context.Context, t target, reqs []requirement, there []Package, old *layerPart) (*layerPart, bool) {
	known, ok := s.findLock(requestKey(t.key, reqs, there), t.key)
	if !ok {
		return nil, false
	}
	return s.findLayer(ctx, known.beside(there, old))
}

// fetchLocked gets the wheels of a lock: from the store, or else from the index.
func (s *Store) fetchLocked(ctx context.Context, call pipCall, l lock) error {
	dir := filepath.Join(call.stage, wheelsDir)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot make a folder for wheels: %w", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make a folder for wheels: %w", err)
	}
	there, err := s.layOutWheels(l, dir)
	if err != nil || there {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot make a folder for wheels: %w", err)
	}
	_, err = s.fetch(ctx, call, l.requirements(), nil, true)
	return err
}

func requirementsText(reqs []requirement) []byte {
	var b bytes.Buffer
	for _, r := range reqs {
		b.WriteString(r.String() + "\n")
	}
	return b.Bytes()
}

// constraintsText pins packages, as a file of pip's constraints.
func constraintsText(there []Package) []byte {
	var b bytes.Buffer
	for _, p := range there {
		b.WriteString(p.Name + "==" + p.Version + "\n")
	}
	return b.Bytes()
}

// fetch downloads the wheels that pip chooses for the requirements beside the
// packages that are there already, and locks them by what really came. exact
// forbids pip to choose: the text is a lock's.
func (s *Store) fetch(ctx context.Context, call pipCall, requirements []byte, there []Package, exact bool) (lock, error) {
	wheels := filepath.Join(call.stage, wheelsDir)
	list := filepath.Join(call.stage, "requirements.txt")
	if err := os.Mkdir(wheels, 0o755); err != nil {
		return lock{}, fmt.Errorf("cannot make a folder for wheels: %w", err)
	}
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return lock{}, fmt.Errorf("cannot write the requirements: %w", err)
	}
	call.wheels = filepath.Join(s.dir, wheelDir)
	call.args = []string{"download", "--only-binary=:all:", "--no-cache-dir", "--dest", wheels, "-r", list}
	call.args = append(call.args, call.target.options...)
	if exact {
		call.args = append(call.args, "--no-deps", "--require-hashes")
	}
	if len(there) > 0 {
		constraints := filepath.Join(call.stage, "constraints.txt")
		if err := os.WriteFile(constraints, constraintsText(there), 0o644); err != nil {
			return lock{}, fmt.Errorf("cannot write the requirements: %w", err)
		}
		call.args, call.there = append(call.args, "-c", constraints), there
	}
	if err := call.run(ctx); err != nil {
		return lock{}, err
	}
	l, err := lockWheels(call.target, wheels)
	if err != nil {
		return lock{}, err
	}
	return l, s.keepWheels(l, wheels)
}

// lockWheels hashes the wheels of a folder.
func lockWheels(t target, dir string) (lock, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return lock{}, fmt.Errorf("cannot list the wheels: %w", err)
	}
	l := lock{Python: t.key}
	for _, e := range entries {
		m := wheelRE.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			return lock{}, fault.New(fault.Invalid, "Ask for a package that has wheels.", "cannot use %q: it is not a wheel", safetext.Clip(redact(e.Name()), 80))
		}
		sum, _, err := hashFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return lock{}, fmt.Errorf("cannot read a wheel: %w", err)
		}
		l.Wheels = append(l.Wheels, Wheel{Name: normalName(m[1]), Version: m[2], File: e.Name(), SHA256: sum})
	}
	if len(l.Wheels) == 0 {
		return lock{}, fault.New(fault.Invalid, "Check the markers of the requirements.", "cannot make an image: no requirement applies to this machine and Python %s", t.version)
	}
	slices.SortFunc(l.Wheels, func(a, b Wheel) int { return strings.Compare(a.Name, b.Name) })
	return l, nil
}

// installLayer makes the layer of the lock from the fetched wheels.
func (s *Store) installLayer(ctx context.Context, call pipCall, l lock) (*layerPart, error) {
	if len(l.Wheels) == 0 {
		return &layerPart{lock: l}, nil
	}
	_, err := s.makePart(ctx, kindLayer, l.key(), call.say, func(ctx context.Context, dir string) error {
		wheels := filepath.Join(call.stage, wheelsDir)
		list := filepath.Join(dir, "install.txt")
		if err := os.WriteFile(list, l.requirements(), 0o644); err != nil {
			return fmt.Errorf("cannot write the lock: %w", err)
		}
		tree := filepath.Join(dir, treeDir)
		call.offline, call.stage = true, dir
		call.args = []string{"install", "--no-index", "--no-deps", "--require-hashes", "--only-binary=:all:", "--no-cache-dir",
			"--no-compile", "--no-warn-script-location", "--find-links", wheels, "--target", tree, "-r", list}
		call.args = append(call.args, call.target.options...)
		if err := call.run(ctx); err != nil {
			return err
		}
		for _, name := range []string{"install.txt", "pip.log", "tmp"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return fmt.Errorf("cannot clean up after pip: %w", err)
			}
		}
		if err := os.MkdirAll(tree, 0o755); err != nil {
			return fmt.Errorf("cannot install packages: %w", err)
		}
		if err := fixScripts(filepath.Join(tree, "bin"), call.py.program(), call.target.program); err != nil {
			return fmt.Errorf("cannot adapt the packages' programs: %w", err)
		}
		if call.target.version == pythonVersion { // bytecode is that of one version
			call.say("compiling " + safetext.Count(len(l.Wheels), "package"))
			if err := call.py.compileTree(ctx, tree, guestPackages, false); err != nil {
				return err
			}
		}
		if err := finishLayer(dir, l); err != nil {
			return err
		}
		return s.share(ctx, kindLayer, dir, s.relatives(l), nil)
	})
	if err != nil {
		return nil, err
	}
	p, ok := s.findLayer(ctx, l)
	if !ok {
		return nil, errors.New("cannot find the layer that was just made")
	}
	return p, nil
}

// finishLayer writes what is known of the packages beside the tree.
func finishLayer(dir string, l lock) error {
	imports, err := readImports(filepath.Join(dir, treeDir))
	if err != nil {
		return fmt.Errorf("cannot read what the packages hold: %w", err)
	}
	for name, v := range map[string]any{lockFile: l, importsFile: imports} {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("cannot describe the layer: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), append(data, '\n'), 0o644); err != nil {
			return fmt.Errorf("cannot describe the layer: %w", err)
		}
	}
	if err := openUp(dir); err != nil {
		return fmt.Errorf("cannot open the layer to readers: %w", err)
	}
	return nil
}

// fixScripts makes the packages' programs name the guest's interpreter: pip
// writes the path of the one that it runs in.
func fixScripts(bin, exe, guest string) error {
	const maxScript = 1 << 20
	entries, err := os.ReadDir(bin)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() > maxScript {
			continue
		}
		name := filepath.Join(bin, e.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(data, []byte("#!")) || !bytes.Contains(data, []byte(exe)) {
			continue
		}
		data = bytes.ReplaceAll(data, []byte(exe), []byte(guest))
		if err := os.WriteFile(name, data, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// readImports returns the names under which each installed package is imported.
func readImports(tree string) (map[string][]string, error) {
	entries, err := os.ReadDir(tree)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".dist-info")
		if !ok || !e.IsDir() {
			continue
		}
		dist, _, _ := strings.Cut(stem, "-")
		data, err := bounded.ReadFile(filepath.Join(tree, e.Name(), "RECORD"), 64<<20)
		if err != nil {
			return nil, err
		}
		files, err := recordFiles(data)
		if err != nil {
			return nil, fmt.Errorf("the RECORD of %s: %w", safetext.Clip(redact(dist), 80), err)
		}
		out[normalName(dist)] = importsOf(dist, files)
	}
	return out, nil
}

// recordFiles reads the names out of a RECORD.
func recordFiles(data []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, row := range rows {
		if len(row) > 0 && row[0] != "" {
			names = append(names, path.Clean(row[0]))
		}
	}
	return names, nil
}

// importsOf guesses a package's import names from its files: the module that
// is called like the package, or else its public top-level modules; for a
// package that only adds to a namespace, the highest modules below it.
func importsOf(dist string, files []string) []string {
	const maxNames = 3
	found := map[string]int{} // import name → depth
	for _, f := range files {
		parts := strings.Split(f, "/")
		base := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		stem, _, _ := strings.Cut(base, ".")
		switch {
		case !strings.HasSuffix(base, ".py") && !strings.HasSuffix(base, ".so"):
			continue
		case stem != "__init__":
			parts = append(parts, stem)
		}
		if len(parts) == 0 || len(parts) > 3 || slices.ContainsFunc(parts, func(p string) bool { return !importNames.MatchString(p) }) {
			continue
		}
		if stem == "__init__" || len(parts) == 1 {
			found[strings.Join(parts, ".")] = len(parts)
		}
	}
	names := slices.Collect(maps.Keys(found))
	slices.Sort(names)
	plain := strings.ReplaceAll(normalName(dist), "-", "_")
	for _, n := range names {
		if found[n] == 1 && strings.EqualFold(n, plain) {
			return append([]string{n}, alsoImport[n]...)
		}
	}
	var public []string
	for _, depth := range []int{1, 2, 3} {
		for _, n := range names {
			if found[n] == depth && !strings.HasPrefix(n, "_") && !notImported[n] {
				public = append(public, n)
			}
		}
		if len(public) > 0 {
			break
		}
	}
	return public[:min(len(public), maxNames)]
}

// notImported are top-level folders that some wheels carry by mistake.
var notImported = map[string]bool{"test": true, "tests": true, "testing": true, "docs": true, "doc": true, "examples": true, "benchmarks": true, "bin": true, "scripts": true}

// alsoImport are submodules that everybody who uses the module needs and that are slow to import.
var alsoImport = map[string][]string{"matplotlib": {"matplotlib.pyplot"}}

// preload returns the modules that a template of these requirements imports.
func (p *layerPart) preload(reqs []requirement) []string {
	const maxPreload = 24
	out := []string{}
	for _, r := range reqs {
		for _, n := range p.imports[r.name] {
			if !slices.Contains(out, n) && len(out) < maxPreload {
				out = append(out, n)
			}
		}
	}
	return out
}
