package image

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"praxis/internal/language"
	"praxis/internal/sandbox"
)

// Request says what an image must hold.
type Request struct {
	// Image is a container image that it is made of, by its name, its ID or the reference
	// of a registry; or the name or the ID of any image that is there. "": the image is
	// made of Praxis's own root file system.
	Image string
	// With lists requirements such as "numpy" or "pandas==2.*". An entry may
	// hold several, separated by commas; "pandas>=2,<3" stays one.
	With []string
	// Requirements is the path of a requirements file on the host, or "".
	Requirements string
	// Languages are those that code will be in, the first one first. Python is in every
	// image; nil: it alone is asked for.
	Languages []string
	// NPM lists packages of npm, such as "lodash" or "d3@7", also several in one entry.
	NPM []string
}

// Image is a root file system that is ready to be used.
type Image struct {
	ID     string          `json:"id"`   // digest of the content, 32 hexadecimal digits
	Name   string          `json:"name"` // such as "python" or "python+numpy+pandas==2.*"
	Root   string          `json:"root"` // folder on the host, never written to
	Mounts []sandbox.Mount `json:"mounts"`
	Env    []string        `json:"env"` // NAME=value
	// Runtimes are the languages that it has. The first is the one that is meant
	// where none is named.
	Runtimes []language.Runtime `json:"runtimes"`
	Packages []Package          `json:"packages"`
	NPM      []Package          `json:"npm,omitempty"` // packages of npm, of all depths
	// Digest is that of the manifest of the container image that it is made of; "": it is
	// made of Praxis's own root file system.
	Digest string `json:"digest,omitempty"`
	// Undriven are languages for which a container image has a kernel of Jupyter's, and
	// nothing that drives it.
	Undriven []string `json:"undriven,omitempty"`
	// Start is a program that runs in every session of the image; nil: none does.
	Start *Start `json:"start,omitempty"`
}

// Package is one installed distribution.
type Package struct {
	Name    string `json:"name"` // normalised, such as "scikit-learn"
	Version string `json:"version"`
	Hash    string `json:"hash"` // of the wheel, "sha256:" and 64 hexadecimal digits
}

// Info describes an image that the store holds.
type Info struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Digest   string    `json:"digest,omitempty"` // of the manifest of a container image
	Packages []Package `json:"packages"`
	// Bytes is the size of what is the image's own (its layer and skeleton);
	// Shared is the size of the interpreter, which all images share.
	Bytes   int64     `json:"bytes"`
	Shared  int64     `json:"shared_bytes"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
	InUse   bool      `json:"in_use"` // leased by a running process
}

// What the table of languages calls those that images have. bashVersion is that of the
// root file system's packages.
const (
	languageName = "python"
	bashName     = "bash"
	bashVersion  = "5.2"
)

// Paths inside the guest.
const (
	guestPython   = "/opt/python"
	guestPackages = "/opt/packages"
	guestNode     = "/opt/node"
	guestModules  = "/node_modules" // where both require and import look, whatever folder code is in
	guestHome     = "/home/user"
	guestAdded    = guestHome + "/.packages" // what was added to a session, on its own disk
)

// guestEnv is the environment that every program in the guest starts with.
// Bytecode is not written: what the image holds is compiled, and caches among
// the user's files would only be noise.
func guestEnv() []string {
	return []string{
		"PATH=" + guestPackages + "/bin:" + guestPython + "/bin:/usr/bin:/bin:/usr/sbin:/sbin:" + guestAdded + "/bin",
		"HOME=" + guestHome,
		"LANG=C.UTF-8",
		"PYTHONDONTWRITEBYTECODE=1",
	}
}

// assemble joins the parts to an image, which is named by their contents alone.
func assemble(name string, py interpreter, c contents) Image {
	layer, preload := c.layer, c.preload
	img := Image{
		Name:   name,
		Root:   py.root.tree(),
		Mounts: []sandbox.Mount{{Source: py.python.tree(), Target: guestPython}},
		Env:    guestEnv(),
		Runtimes: []language.Runtime{
			{Language: languageName, Version: pythonVersion, Program: guestPython + "/bin/python3", Preload: append([]string(nil), preload...)},
			{Language: bashName, Version: bashVersion, Program: guestPython + "/bin/python3"}, // its kernel is a program in Python
		},
		Packages: []Package{},
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "image 2\npython %s\nroot %s\n", py.python.info.Content, py.root.info.Content)
	if layer != nil {
		img.Mounts = append(img.Mounts, sandbox.Mount{Source: layer.tree(), Target: guestPackages})
		img.Packages = layer.lock.packages()
		img.Runtimes = append(img.Runtimes, kernels(layer.tree(), guestPython+"/bin/python3", img.Runtimes)...)
		_, _ = fmt.Fprintf(h, "layer %s\n", layer.info.Key)
	}
	if c.node != nil {
		img.addNode(c)
		_, _ = fmt.Fprintf(h, "node %s first %s\n", c.node.info.Content, c.first)
	}
	if c.modules != nil {
		_, _ = fmt.Fprintf(h, "modules %s\n", c.modules.info.Key)
	}
	for _, list := range [][]string{img.Env, preload} {
		_, _ = io.WriteString(h, strings.Join(list, "\x00")+"\n")
	}
	img.ID = hex.EncodeToString(h.Sum(nil)[:16])
	return img
}

// addNode gives an image Node, and the packages of npm that it has.
func (i *Image) addNode(c contents) {
	i.Mounts = append(i.Mounts, sandbox.Mount{Source: c.node.tree(), Target: guestNode})
	if c.modules != nil {
		i.Mounts = append(i.Mounts, sandbox.Mount{Source: c.modules.tree(), Target: guestModules})
		i.NPM = c.modules.lock.packages()
	}
	at := len(i.Runtimes)
	if c.first == nodeLanguage {
		at = 0
	}
	i.Runtimes = slices.Insert(i.Runtimes, at, nodeRuntime())
	i.Env = slices.Clone(i.Env)
	i.Env[0] += ":" + guestNode + "/bin"
}

// Name returns the name of the image that the request asks for, such as
// "python+numpy". Nothing but a requirements file is read.
func (req Request) Name() (string, error) {
	reqs, npm, err := req.parseAll()
	if err != nil {
		return "", err
	}
	if req.Image != "" {
		return req.wanted(reqs, npm).besideName(req.Image), nil
	}
	return req.imageName(reqs, npm), nil
}

// Meets says whether the image has what is required: a package of that name or, where
// there are conditions on its version, the same that the image was built with. What else
// meets conditions is for the index's program to say.
func (i Image) Meets(requirement string) (bool, error) {
	reqs, err := Request{With: []string{requirement}}.parse()
	if err != nil {
		return false, err
	}
	names := strings.Split(i.Name, "+")[1:] // the first is the language
	for _, r := range reqs {
		plain := len(r.specs)+len(r.extras) == 0 && slices.ContainsFunc(i.Packages, func(p Package) bool { return p.Name == r.name })
		if !plain && !slices.Contains(names, r.short()) {
			return false, nil
		}
	}
	return true, nil
}

// parseAll reads all that the request asks for.
func (req Request) parseAll() ([]requirement, []npmRequirement, error) {
	if err := req.checkLanguages(); err != nil {
		return nil, nil, err
	}
	npm, err := parseNPM(req.NPM)
	if err != nil {
		return nil, nil, err
	}
	reqs, err := req.parse()
	return reqs, npm, err
}

// imageName names an image after its languages and packages, at most maxName bytes long.
func (req Request) imageName(reqs []requirement, npm []npmRequirement) string {
	const maxName = 120
	var b strings.Builder
	b.WriteString(req.first())
	if req.needsNode() && req.first() != nodeLanguage {
		b.WriteString("+" + nodeLanguage)
	}
	names := make([]string, 0, len(reqs)+len(npm))
	for _, r := range reqs {
		names = append(names, r.short())
	}
	for _, r := range npm {
		names = append(names, "npm:"+strings.ReplaceAll(r.String(), " ", ""))
	}
	for _, name := range names {
		b.WriteString("+" + name)
	}
	if b.Len() <= maxName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%s+%s+%d-more-%s", req.first(), names[0], len(names)-1, hex.EncodeToString(sum[:4]))
}
