package image

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/image/oci"
	"praxis/internal/lazyregexp"
)

// wheelDir holds the wheels of layers, each called by its SHA-256: a layer can be made
// again, also on another machine, without the index.
const wheelDir = "wheels"

// Recipe is what an image is made of beside what the program carries: enough to make the
// very same on another machine.
type Recipe struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Wheels  []Wheel  `json:"wheels,omitempty"` // sorted by name
	Preload []string `json:"preload,omitempty"`
	// Node is the wheel of Node, NPM are packages of npm, sorted by path, and First is the
	// language that is meant where none is named, if it is not Python.
	Node  *Wheel    `json:"node,omitempty"`
	NPM   []Tarball `json:"npm,omitempty"`
	First string    `json:"first,omitempty"`
	// Container is the container image that it is made of.
	Container *ContainerRecipe `json:"container,omitempty"`
	// Built is what the file said that it was built of; Container has its layers.
	Built *Built `json:"built,omitempty"`
}

// Files returns the SHA-256 of each file that the image is made of, in the order in which
// they are exported: all of them can be opened, and taken elsewhere.
func (r Recipe) Files() []string {
	var out []string
	for _, w := range r.Wheels {
		out = append(out, w.SHA256)
	}
	if r.Node != nil {
		out = append(out, r.Node.SHA256)
	}
	seen := map[string]bool{}
	for _, t := range r.NPM {
		if !seen[t.SHA256] { // a package may lie in several places
			seen[t.SHA256], out = true, append(out, t.SHA256)
		}
	}
	return out
}

// Recipe returns how an image is made. Its wheels can be opened: those that are not
// there any more are fetched from the index.
func (s *Store) Recipe(ctx context.Context, img Image, sink event.Sink) (Recipe, error) {
	out, err := s.recipe(ctx, img, func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) })
	if err != nil {
		return Recipe{}, explainFS("export image", err)
	}
	return out, nil
}

func (s *Store) recipe(ctx context.Context, img Image, say progress) (Recipe, error) {
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Recipe{}, err
	}
	defer locked.release()
	r, err := s.readRecord(img.ID)
	if err != nil {
		return Recipe{}, fault.Coded(fault.ImageGone, fault.Data{"image": img.Name}, "cannot find image %s: its record is gone", img.Name)
	}
	out := Recipe{ID: img.ID, Name: r.Names[0], Preload: r.Preload, First: r.First, Built: r.Built}
	if r.Base != "" {
		if out.Container, err = s.containerRecipe(r.Base); err != nil {
			return Recipe{}, err
		}
	}
	if err := s.nodeRecipe(ctx, r, &out, say); err != nil || r.Layer == "" {
		return out, err
	}
	layer, ok := s.findLayerOf(ctx, r.Layer)
	if !ok {
		return Recipe{}, fault.Coded(fault.ImageGone, fault.Data{"image": img.Name}, "cannot find image %s: parts of it are gone", img.Name)
	}
	out.Wheels = layer.lock.Wheels
	if s.missingWheels(layer.lock) == 0 {
		return out, nil
	}
	p, err := s.partsOf(ctx, r)
	if err != nil {
		return out, err
	}
	return out, s.fetchAgain(ctx, p, layer.lock, say)
}

// fetchAgain gets the wheels of a lock from the index once more.
func (s *Store) fetchAgain(ctx context.Context, p imageParts, l lock, say progress) error {
	py, err := s.makeInterpreter(ctx, say)
	if err != nil {
		return err
	}
	t, err := p.target(py)
	if err != nil {
		return err
	}
	pip, err := s.makePip(ctx, py, say)
	if err != nil {
		return err
	}
	name := "wheels-" + l.key()
	locked, err := s.lock(ctx, name, say)
	if err != nil {
		return err
	}
	defer locked.release()
	stage, err := s.stage(name)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	_, err = s.fetch(ctx, pipCall{py: py, pip: pip, target: t, stage: stage, say: say}, l.requirements(), nil, true)
	return err
}

// OpenWheel opens a wheel of a recipe by its SHA-256.
func (s *Store) OpenWheel(sha256 string) (io.ReadCloser, error) {
	if !hashRE.MatchString("sha256:" + sha256) {
		return nil, fmt.Errorf("cannot open a wheel: %q is no digest", sha256)
	}
	f, err := os.Open(filepath.Join(s.dir, wheelDir, sha256))
	if err != nil {
		return nil, fmt.Errorf("cannot open a wheel: %w", err)
	}
	return f, nil
}

// AddWheel keeps a wheel that comes from elsewhere, when it is what its SHA-256 says.
func (s *Store) AddWheel(sha256 string, r io.Reader) error {
	return s.addFile("wheel", wheelDir, sha256, r)
}

// addFile keeps a file that comes from elsewhere in a folder of the store, called by its
// SHA-256, when it is what that says.
func (s *Store) addFile(what, dir, sha256 string, r io.Reader) error {
	if !hashRE.MatchString("sha256:" + sha256) {
		return fault.New(fault.Invalid, "", "cannot take a %s: %q is no digest", what, sha256)
	}
	what = "take a " + what
	f, err := os.CreateTemp(s.tmp(), "write.")
	if err != nil {
		return explainFS(what, err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if _, err := io.Copy(f, io.LimitReader(r, maxLayer)); err != nil {
		return errors.Join(explainFS(what, err), f.Close())
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return explainFS(what, err)
	}
	got, _, err := hashFile(f.Name())
	if err != nil {
		return explainFS(what, err)
	}
	if got != sha256 {
		return fault.New(fault.Conflict, "Get the file again from where it comes from.", "cannot %s: its SHA-256 is %s, not %s", what, got, sha256)
	}
	if err := os.Rename(f.Name(), filepath.Join(s.dir, dir, sha256)); err != nil {
		return explainFS(what, err)
	}
	return nil
}

var (
	recipeName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+=<>!~\[\],:@/^*|-]{0,199}$`)
	moduleName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)
)

// Make makes the image of a recipe from wheels that [Store.AddWheel] took: nothing of them
// runs, and the index is not asked. A recipe that leads to another image than it says,
// as one of another version of Praxis does, is a fault.Conflict. The image is not removed
// while the store is open.
func (s *Store) Make(ctx context.Context, r Recipe, sink event.Sink) (Image, error) {
	img, err := s.makeRecipe(ctx, r, func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) })
	if err != nil {
		return Image{}, explainFS("make image", err)
	}
	return img, nil
}

func (s *Store) makeRecipe(ctx context.Context, r Recipe, say progress) (Image, error) {
	names := recipeName
	if r.Container != nil {
		names = travelName
	}
	if !names.MatchString(r.Name) || slices.ContainsFunc(r.Preload, func(m string) bool { return !moduleName.MatchString(m) }) {
		return Image{}, fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged")
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	p, err := s.makeParts(ctx, r, say)
	if err != nil {
		return Image{}, err
	}
	img := p.assemble(r.Name, r.Built)
	if img.ID != r.ID {
		return Image{}, fault.New(fault.Conflict, "Use the version of Praxis that made it.", "cannot make image %s: this version of Praxis makes another of it", r.Name)
	}
	name := r.Name
	if r.Built != nil {
		// What comes from elsewhere takes no name from what is here.
		if there, err := s.meant(ctx, name); err == nil && there[0].ID != img.ID {
			name = cmp.Or(img.Digest, img.ID)
		}
	}
	return s.finish(ctx, p, []string{name}, r.Built)
}

// makeParts makes the parts of a recipe, of files that were added. No step of a file runs:
// its layers are there.
func (s *Store) makeParts(ctx context.Context, r Recipe, say progress) (imageParts, error) {
	p := imageParts{contents: contents{first: cmp.Or(r.First, languageName), preload: r.Preload}}
	if r.Built != nil {
		if err := r.Built.check(); err != nil {
			return p, err
		}
	}
	if r.Container != nil {
		src := stored{s, r.Container}
		m, err := src.Manifest(ctx, oci.Here())
		if err != nil {
			return p, err
		}
		b, err := s.makeBase(ctx, src, m, say)
		if err != nil {
			return p, err
		}
		p.on(&b, r.Built)
	}
	if !p.needsOurs() && len(r.Wheels) == 0 && r.Node == nil && len(r.NPM) == 0 {
		return p, nil
	}
	py, err := s.makeInterpreter(ctx, say)
	if err != nil {
		return p, err
	}
	if len(r.Wheels) > 0 {
		t, err := p.target(py)
		if err != nil {
			return p, err
		}
		if p.layer, err = s.layerOfWheels(ctx, py, t, r, say); err != nil {
			return p, err
		}
	}
	if err := s.nodeOfRecipe(ctx, py, r, &p.contents, say); err != nil {
		return p, err
	}
	p.host(py)
	return p, nil
}

// nodeRecipe adds Node and the packages of npm to a recipe, and fetches what of them is
// not there any more.
func (s *Store) nodeRecipe(ctx context.Context, r record, out *Recipe, say progress) error {
	if r.Node == "" && r.Modules == "" {
		return nil
	}
	w, ok := nodeWheel()
	if !ok || r.Node != "" && r.Node != nodeKey() {
		return fault.Coded(fault.ImageStale, fault.Data{"image": r.Names[0]}, "cannot use image %s: Praxis changed since it was built", r.Names[0])
	}
	py, err := s.makeInterpreter(ctx, say)
	if err != nil {
		return err
	}
	if r.Node != "" {
		out.Node = &w
		if err := s.fetchWheels(ctx, py, []Wheel{w}, "node-wheel", say); err != nil {
			return err
		}
	}
	if r.Modules == "" {
		return nil
	}
	modules, ok := s.findModulesOf(ctx, r.Modules)
	if !ok {
		return fault.Coded(fault.ImageGone, fault.Data{"image": r.Names[0]}, "cannot find image %s: parts of it are gone", r.Names[0])
	}
	out.NPM = modules.lock.Tarballs
	if s.missingTarballs(modules.lock) == 0 {
		return nil
	}
	node, err := s.makeNode(ctx, py, say)
	if err != nil {
		return err
	}
	return s.fetchTarballs(ctx, py, node, modules.lock, say)
}

// nodeOfRecipe makes Node and the packages of npm of a recipe.
func (s *Store) nodeOfRecipe(ctx context.Context, py interpreter, r Recipe, c *contents, say progress) error {
	if r.First != "" && r.First != nodeLanguage {
		return fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged")
	}
	if r.Node != nil {
		if w, ok := nodeWheel(); !ok || *r.Node != w {
			return fault.New(fault.Conflict, "Use the version of Praxis that made it.", "cannot make image %s: this version of Praxis has another Node", r.Name)
		}
		node, err := s.makeNode(ctx, py, say)
		if err != nil {
			return err
		}
		c.node = &node
	}
	if len(r.NPM) == 0 {
		return nil
	}
	l := npmLock{Node: nodeKey(), Tarballs: r.NPM}
	err := l.check()
	if err != nil {
		return fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged: %w", err)
	}
	c.modules, err = s.layOutModules(ctx, l, say)
	return err
}

// layerOfWheels makes the layer of a recipe.
func (s *Store) layerOfWheels(ctx context.Context, py interpreter, t target, r Recipe, say progress) (*layerPart, error) {
	l := lock{Python: t.key, Wheels: r.Wheels}
	for _, w := range r.Wheels {
		if m := wheelRE.FindStringSubmatch(w.File); m == nil || normalName(m[1]) != w.Name || m[2] != w.Version {
			return nil, fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged")
		}
	}
	if !l.check(l.Python) || !slices.IsSortedFunc(l.Wheels, func(a, b Wheel) int { return strings.Compare(a.Name, b.Name) }) {
		return nil, fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged")
	}
	if p, ok := s.findLayer(ctx, l); ok {
		return p, nil
	}
	pip, err := s.makePip(ctx, py, say)
	if err != nil {
		return nil, err
	}
	name := "recipe-" + l.key()
	locked, err := s.lock(ctx, name, say)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	stage, err := s.stage(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	dir := filepath.Join(stage, wheelsDir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if there, err := s.layOutWheels(l, dir); err != nil || !there {
		return nil, errors.Join(err, fault.New(fault.NotFound, "", "cannot make image %s: wheels of it are missing", r.Name))
	}
	return s.installLayer(ctx, pipCall{py: py, pip: pip, target: t, stage: stage, say: say}, l)
}

// layOutWheels puts the wheels of a lock into a folder under their names, if all are
// there.
func (s *Store) layOutWheels(l lock, dir string) (bool, error) {
	if s.missingWheels(l) > 0 {
		return false, nil
	}
	for _, w := range l.Wheels {
		from := filepath.Join(s.dir, wheelDir, w.SHA256)
		// What was changed since is fetched again; pip looks at the digests once more.
		if sum, _, err := hashFile(from); err != nil || sum != w.SHA256 {
			return false, errors.Join(err, os.Remove(from))
		}
		if err := os.Link(from, filepath.Join(dir, w.File)); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *Store) missingWheels(l lock) int {
	n := 0
	for _, w := range l.Wheels {
		if _, err := os.Stat(filepath.Join(s.dir, wheelDir, w.SHA256)); err != nil {
			n++
		}
	}
	return n
}

// keepWheels keeps the wheels that were fetched into a folder.
func (s *Store) keepWheels(l lock, dir string) error {
	for _, w := range l.Wheels {
		// Renamed over what is there, which may be damaged: then it was fetched again.
		linked := filepath.Join(s.tmp(), "write."+rand.Text())
		err := os.Link(filepath.Join(dir, w.File), linked)
		if err == nil {
			err = os.Rename(linked, filepath.Join(s.dir, wheelDir, w.SHA256))
		}
		if err != nil {
			return fmt.Errorf("cannot keep a wheel: %w", err)
		}
	}
	return nil
}

// neededWheels adds the digests of the wheels that a layer was made of.
func (s *Store) neededWheels(layer string, needed map[string]bool) {
	var l lock
	data, err := bounded.ReadFile(filepath.Join(s.dir, kindLayer, layer, lockFile), maxSmallFile)
	if err != nil || json.Unmarshal(data, &l) != nil {
		return // it is of no use to anybody
	}
	for _, w := range l.Wheels {
		needed[w.SHA256] = true
	}
}
