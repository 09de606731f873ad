package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Addition are packages that were resolved for a session which has others already.
// It is to be closed.
type Addition struct {
	New     []Package // what Files holds
	Present []Package // asked for, and there already
	Files   fs.FS     // New as they are installed; nil when there are none
	Bytes   int64     // of the files
	Folder  string    // of the guest, where they belong: it is searched after the image's own packages
	close   func() error
}

// Close gives the files back to the store.
func (a Addition) Close() error {
	if a.close == nil {
		return nil
	}
	return a.close()
}

// Add resolves a request for a session that runs img and was given the packages
// added since. Those and the image's own stay at their versions: a request that
// needs others is a fault that says which. Everything else is as in Resolve.
func (s *Store) Add(ctx context.Context, img Image, added []Package, req Request, sink event.Sink) (Addition, error) {
	out, err := s.add(ctx, img, added, req, func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) })
	if err != nil {
		return Addition{}, explainFS("add packages", err)
	}
	return out, nil
}

func (s *Store) add(ctx context.Context, img Image, added []Package, req Request, say progress) (Addition, error) {
	reqs, npm, err := req.parseAll()
	if err != nil {
		return Addition{}, err
	}
	if len(npm) > 0 && len(reqs) == 0 {
		return s.addNPM(ctx, img, added, npm, say)
	}
	if len(reqs) == 0 || len(npm) > 0 {
		return Addition{}, fault.New(fault.Invalid, requirementRemedy, "cannot add packages: none is named")
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Addition{}, err
	}
	t, py, err := s.targetOf(ctx, img, say)
	if err != nil {
		locked.release()
		return Addition{}, err
	}
	if !slices.ContainsFunc(img.Runtimes, func(r language.Runtime) bool { return r.Language == languageName && r.Version == t.version }) {
		locked.release()
		return Addition{}, fault.New(fault.Conflict, "Begin a new session.", "cannot add packages: image %s has no Python %s, for which they are", img.Name, t.version)
	}
	ofPython := slices.DeleteFunc(slices.Clone(added), func(p Package) bool { return strings.HasPrefix(p.Name, NPMPrefix) })
	t.there, t.session = slices.Concat(t.there, ofPython), true
	out := Addition{Folder: guestAdded, Present: present(t.there, reqs)}
	if !missing(reqs, t.there) {
		locked.release()
		return out, nil
	}
	layer, err := s.makeLayer(ctx, py, t, reqs, t.there, nil, say)
	if err != nil || len(layer.lock.Wheels) == 0 {
		locked.release()
		return out, err
	}
	out.New = layer.lock.packages()
	return s.handOver(out, layer.part, locked, func() {
		// The packages are where they belong: what cannot be removed now is collected later.
		_ = s.dropLayer(layer.info.Key)
	})
}

// handOver gives an addition the files of a part, which nobody removes while the store is
// locked.
func (s *Store) handOver(out Addition, p part, locked fileLock, after func()) (Addition, error) {
	root, err := os.OpenRoot(p.tree())
	if err != nil {
		locked.release()
		return Addition{}, fmt.Errorf("cannot open the layer of packages: %w", err)
	}
	out.close = func() error {
		err := root.Close()
		locked.release()
		after()
		return err
	}
	out.Files, out.Bytes = root.FS(), p.info.Bytes
	return out, nil
}

// NPMPrefix stands before the names of packages of npm among those that were added to a
// session.
const NPMPrefix = "npm:"

// addNPM is add of packages of npm. Each request is a folder of modules of its own, with all
// that its packages need, so that none changes another.
func (s *Store) addNPM(ctx context.Context, img Image, added []Package, reqs []npmRequirement, say progress) (Addition, error) {
	if !slices.ContainsFunc(img.Runtimes, func(r language.Runtime) bool { return r.Language == nodeLanguage }) {
		return Addition{}, fault.New(fault.Conflict, "Begin a new session.", "cannot add packages: image %s has no Node, for which they are", img.Name)
	}
	var there []Package
	for _, p := range img.NPM {
		there = append(there, Package{NPMPrefix + p.Name, p.Version, p.Hash})
	}
	var out Addition
	var missing []npmRequirement
	for _, r := range reqs {
		same := slices.DeleteFunc(slices.Concat(there, added), func(p Package) bool { return p.Name != NPMPrefix+r.name })
		fits := slices.IndexFunc(same, func(p Package) bool { return r.specs == "" || r.specs == p.Version })
		switch {
		case fits >= 0:
			out.Present = append(out.Present, same[fits])
		case len(same) > 0:
			return Addition{}, fault.New(fault.Invalid, "Begin a session that has it.", "cannot add packages: the session has %s %s, and %s is another", same[0].Name, same[0].Version, safetext.Line(r.String()))
		default:
			missing = append(missing, r)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Addition{}, err
	}
	modules, err := s.modulesBeside(ctx, missing, say)
	if err != nil {
		locked.release()
		return Addition{}, err
	}
	for _, p := range modules.lock.packages() {
		p.Name = NPMPrefix + p.Name
		if !slices.ContainsFunc(slices.Concat(there, added), func(o Package) bool { return o.Name == p.Name && o.Version == p.Version }) {
			out.New = append(out.New, p)
		}
	}
	out.Folder = path.Join(guestAdded, "npm", modules.info.Key, "node_modules")
	return s.handOver(out, modules.part, locked, func() {}) // the next session is given them at once
}

func (s *Store) modulesBeside(ctx context.Context, reqs []npmRequirement, say progress) (*npmPart, error) {
	py, err := s.makeInterpreter(ctx, say)
	if err != nil {
		return nil, err
	}
	node, err := s.makeNode(ctx, py, say)
	if err != nil {
		return nil, err
	}
	return s.makeModules(ctx, py, node, reqs, glibc, say)
}

// dropLayer removes a layer that no image has: a session that was given its packages has
// them on its own disk, and the wheels stay stored for the next one. When another process
// uses the store just now, it is left until images are collected.
func (s *Store) dropLayer(key string) error {
	f, err := os.OpenFile(filepath.Join(s.dir, storeLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	switch err := tryLock(f, true); {
	case errors.Is(err, errLocked):
		return nil
	case err != nil:
		return err
	}
	// Whoever has a layer is not left without it, and no session waits for this.
	ctx := context.Background()
	records, err := s.readRecords(ctx, s.peekRecord)
	if err != nil || slices.ContainsFunc(records, func(r record) bool { return r.Layer == key }) {
		return err
	}
	if err := s.discard(filepath.Join(kindLayer, key)); err != nil {
		return err
	}
	return s.sealAnew(ctx)
}

// targetOf returns the interpreter of an image, with the packages that it has.
func (s *Store) targetOf(ctx context.Context, img Image, say progress) (target, interpreter, error) {
	r, err := s.readRecord(img.ID)
	if err != nil {
		return target{}, interpreter{}, fault.Coded(fault.ImageGone, fault.Data{"image": img.Name}, "cannot find image %s: its record is gone", img.Name)
	}
	p, err := s.partsOf(ctx, r)
	if err != nil {
		return target{}, interpreter{}, err
	}
	py, err := s.makeInterpreter(ctx, say)
	if err != nil {
		return target{}, interpreter{}, err
	}
	t, err := p.target(py)
	return t, py, err
}

// missing says whether requirements ask for more than what is there, by its name alone.
func missing(reqs []requirement, there []Package) bool {
	return slices.ContainsFunc(reqs, func(r requirement) bool { return !r.met(there) })
}

// met says that a requirement asks for no more than a package that is there, by its name alone.
func (r requirement) met(there []Package) bool {
	return len(r.extras)+len(r.specs)+len(r.hashes) == 0 && r.marker == "" &&
		slices.ContainsFunc(there, func(p Package) bool { return p.Name == r.name })
}

// present returns the packages that requirements name.
func present(there []Package, reqs []requirement) []Package {
	var out []Package
	for _, p := range there {
		if slices.ContainsFunc(reqs, func(r requirement) bool { return r.name == p.Name }) {
			out = append(out, p)
		}
	}
	return out
}
