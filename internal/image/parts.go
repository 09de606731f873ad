package image

import (
	"cmp"
	"context"
	"slices"

	"praxis/fault"
	"praxis/internal/language"
)

// imageParts are what an image is put together from.
type imageParts struct {
	// py is what of ours the guest has: the interpreter where no other runs, and our root file
	// system, which is the root or has the C library that programs of ours run with.
	py   interpreter
	base *basePart // nil: the root is our own root file system, as it comes
	contents
}

// own returns the interpreter of the image's own that kernels run on; nil: ours runs.
func (p imageParts) own() *ownPython {
	if p.base == nil {
		return nil
	}
	return p.base.Python
}

// on says what root file system an image has; the interpreter of a base that is not to run
// is left out. b may be nil.
func (p *imageParts) on(b *basePart, built *Built) {
	if p.base = b; b != nil && built != nil && (built.Own || built.Ours) {
		plain := *b
		plain.Python, p.base = nil, &plain
	}
}

// host adds what of ours an image needs in its guest.
func (p *imageParts) host(py interpreter) {
	switch {
	case p.own() == nil:
		p.py = py
	case p.node != nil:
		p.py.root = py.root
	}
}

// needsOurs says whether something of ours is in the guest.
func (p imageParts) needsOurs() bool { return p.own() == nil || p.node != nil }

// assemble joins the parts to an image. built is what a file said of it; nil: there is none.
func (p imageParts) assemble(name string, built *Built) Image {
	switch {
	case built != nil:
		return assembleBuilt(name, p, *built)
	case p.base != nil:
		return assembleBase(name, p)
	}
	return assemble(name, p.py, p.contents)
}

// record is what is written down of an image.
func (p imageParts) record(img Image, built *Built) record {
	r := record{Built: built, NPM: img.NPM, Packages: img.Packages, Preload: p.preload}
	if p.base != nil {
		r.Base, r.Digest = p.base.info.Key, p.base.manifest.Digest
	}
	r.Python, r.Root = p.py.python.info.Key, p.py.root.info.Key
	if p.layer != nil {
		r.Layer = p.layer.info.Key
	}
	if p.node != nil {
		r.Node = p.node.info.Key
	}
	if p.first != languageName {
		r.First = p.first
	}
	if p.modules != nil {
		r.Modules = p.modules.info.Key
	}
	return r
}

// partsOf finds the parts that a record names.
func (s *Store) partsOf(ctx context.Context, r record) (imageParts, error) {
	p := imageParts{contents: contents{first: cmp.Or(r.First, languageName), preload: r.Preload}}
	ok := true
	if r.Base != "" {
		var b basePart
		b, ok = s.findBase(ctx, r.Base)
		p.on(&b, r.Built)
	}
	if ok && r.Python != "" {
		p.py.python, ok = s.findPart(ctx, kindPython, r.Python)
	}
	if ok && r.Root != "" {
		p.py.root, ok = s.findPart(ctx, kindRoot, r.Root)
	}
	if ok && r.Layer != "" {
		p.layer, ok = s.findLayerOf(ctx, r.Layer)
	}
	if ok && r.Node != "" {
		var node part
		node, ok = s.findPart(ctx, kindNode, r.Node)
		p.node = &node
	}
	if ok && r.Modules != "" {
		p.modules, ok = s.findModulesOf(ctx, r.Modules)
	}
	if !ok {
		return p, fault.Coded(fault.ImageGone, fault.Data{"image": r.Names[0]}, "cannot find image %s: parts of it are gone", r.Names[0])
	}
	return p, nil
}

// assembleAgain makes the image of a record from the parts that it names.
func (s *Store) assembleAgain(ctx context.Context, r record) (Image, error) {
	p, err := s.partsOf(ctx, r)
	if err != nil {
		return Image{}, err
	}
	img := p.assemble(r.Names[0], r.Built)
	if img.ID != r.ID {
		return Image{}, fault.Coded(fault.ImageStale, fault.Data{"image": r.Names[0]}, "cannot use image %s: Praxis changed since it was built", r.Names[0])
	}
	return img, nil
}

// finish writes an image down under its names and leases it. The store is locked.
func (s *Store) finish(ctx context.Context, p imageParts, names []string, built *Built) (Image, error) {
	img := p.assemble(names[0], built)
	var err error
	if p.base == nil && built == nil {
		err = s.remember(img, p)
	} else {
		err = s.rememberBase(ctx, img, p.record(img, built), names)
	}
	if err != nil {
		return Image{}, err
	}
	return img, s.lease(img.ID)
}

// putFirst makes a language the one that is meant where none is named.
func (i *Image) putFirst(name string) {
	at := slices.IndexFunc(i.Runtimes, func(r language.Runtime) bool { return r.Language == name })
	if at > 0 {
		first := i.Runtimes[at]
		i.Runtimes = slices.Insert(slices.Delete(i.Runtimes, at, at+1), 0, first)
	}
}
