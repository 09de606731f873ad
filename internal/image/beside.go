package image

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/image/oci"
)

// wanted is what a request asks for beside an image that is named.
type wanted struct {
	reqs  []requirement
	npm   []npmRequirement
	node  bool
	first string // the language that is meant where none is named; "": the image's
}

// wanted returns what the request asks for beside an image.
func (req Request) wanted(reqs []requirement, npm []npmRequirement) wanted {
	w := wanted{reqs: reqs, npm: npm, node: req.needsNode()}
	if len(req.Languages) > 0 {
		w.first = req.first()
	}
	return w
}

// besideName is the name of an image with what is wanted beside it.
func (w wanted) besideName(name string) string {
	switch {
	case w.first == nodeLanguage:
		name += "+first:" + nodeLanguage
	case w.node:
		name += "+" + nodeLanguage
	}
	return name + strings.TrimPrefix(Request{}.imageName(w.reqs, w.npm), languageName)
}

// target is the interpreter of the image, with the packages that it has.
func (p imageParts) target(py interpreter) (t target, err error) {
	if p.own() == nil {
		t = ourTarget(py)
	} else if t, err = p.base.target(); err != nil {
		return t, err
	}
	if p.layer != nil {
		t.there = slices.Concat(t.there, p.layer.lock.packages())
	}
	return t, nil
}

// nodeLibc is the C library of the Node that the image's code runs in, as npm calls it.
func (p imageParts) nodeLibc() string {
	if p.base == nil || p.base.Node == nil {
		return glibc // ours brings its own
	}
	u, err := oci.NewUnpacker(p.base.tree(), oci.Bounds{})
	if err != nil {
		return glibc
	}
	defer u.Close()
	at, _, err := u.Find(strings.TrimPrefix(p.base.Node.Program, "/"))
	if err == nil && libraryOf(u, at).name == "musl" {
		return "musl"
	}
	return glibc
}

// bringsNode says whether the image has a Node of its own that kernels run on.
func (p imageParts) bringsNode() bool { return p.base != nil && p.base.Node != nil }

// supply gets parts of images. With find, only those that are there: errUnbuilt is that
// one would have to be made.
type supply struct {
	s    *Store
	find bool
	say  progress
}

var errUnbuilt = errors.New("it was not built")

func (u supply) interpreter(ctx context.Context) (interpreter, error) {
	if !u.find {
		return u.s.makeInterpreter(ctx, u.say)
	}
	key, err := rootKey()
	if err != nil {
		return interpreter{}, err
	}
	py, ok := u.s.findInterpreter(ctx, pythonKey(), key)
	return py, found(ok)
}

func (u supply) layer(ctx context.Context, py interpreter, t target, reqs []requirement, old *layerPart) (*layerPart, error) {
	if !u.find {
		return u.s.makeLayer(ctx, py, t, reqs, t.there, old, u.say)
	}
	p, ok := u.s.findBeside(ctx, t, reqs, t.there, old)
	return p, found(ok)
}

func (u supply) node(ctx context.Context, py interpreter) (part, error) {
	if !u.find {
		return u.s.makeNode(ctx, py, u.say)
	}
	p, ok := u.s.findPart(ctx, kindNode, nodeKey())
	return p, found(ok)
}

func (u supply) modules(ctx context.Context, py interpreter, node part, npm []npmRequirement, libc string) (*npmPart, error) {
	if !u.find {
		return u.s.makeModules(ctx, py, node, npm, libc, u.say)
	}
	l, ok := u.s.findNPMLock(npmRequestKey(npm, libc))
	if !ok {
		return nil, errUnbuilt
	}
	p, ok := u.s.findModules(ctx, l)
	return p, found(ok)
}

func found(ok bool) error {
	if !ok {
		return errUnbuilt
	}
	return nil
}

// beside puts what is wanted beside the parts of an image.
func (u supply) beside(ctx context.Context, p imageParts, w wanted) (imageParts, error) {
	p.first = cmp.Or(w.first, p.first, languageName)
	if len(w.reqs) == 0 && !w.node && !p.needsOurs() {
		return p, nil
	}
	py, err := u.interpreter(ctx)
	if err != nil {
		return p, err
	}
	p.host(py)
	if len(w.reqs) > 0 {
		t, err := p.target(py)
		if err != nil {
			return p, err
		}
		if p.layer != nil && p.layer.lock.Python != t.key {
			return p, fault.New(fault.Conflict, "Make the image again.", "cannot put packages beside an image: those that it has are for another Python")
		}
		if missing(w.reqs, t.there) {
			layer, err := u.layer(ctx, py, t, w.reqs, p.layer)
			if err != nil {
				return p, err
			}
			p.addLayer(layer, w.reqs)
		}
	}
	if !w.node || len(w.npm) == 0 && (p.node != nil || p.bringsNode()) {
		return p, nil
	}
	node, err := u.node(ctx, py)
	if err != nil {
		return p, err
	}
	if !p.bringsNode() {
		p.node = &node
		p.host(py)
	}
	if len(w.npm) > 0 {
		p.modules, err = u.modules(ctx, py, node, p.allModules(w.npm), p.nodeLibc())
	}
	return p, err
}

// addLayer gives an image its layer of packages; those that were asked for are imported
// before a session begins.
func (p *imageParts) addLayer(layer *layerPart, reqs []requirement) {
	if layer.dir == "" {
		return // of packages that the image has
	}
	p.layer, p.preload = layer, withModules(p.preload, layer.preload(reqs))
}

// withModules adds modules to a list, each once.
func withModules(list, more []string) []string {
	out := slices.Clone(list)
	for _, m := range more {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// allModules are the packages of npm that are asked for, with those that are there at their
// versions.
func (p imageParts) allModules(npm []npmRequirement) []npmRequirement {
	if p.modules == nil {
		return npm
	}
	out := slices.Clone(npm)
	for _, t := range p.modules.lock.Tarballs {
		name, ok := strings.CutPrefix(t.Path, npmFolderEnd)
		again := slices.ContainsFunc(npm, func(r npmRequirement) bool { return r.name == name })
		if ok && name == t.Name && !again {
			out = append(out, npmRequirement{name, t.Version})
		}
	}
	slices.SortFunc(out, func(a, b npmRequirement) int { return strings.Compare(a.String(), b.String()) })
	return out
}
