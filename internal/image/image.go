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
	// With lists requirements such as "numpy" or "pandas==2.*". An entry may
	// hold several, separated by commas; "pandas>=2,<3" stays one.
	With []string
	// Requirements is the path of a requirements file on the host, or "".
	Requirements string
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
	Packages []Package `json:"packages"`
	// Bytes is the size of what is the image's own (its layer and skeleton);
	// Shared is the size of the interpreter, which all images share.
	Bytes   int64     `json:"bytes"`
	Shared  int64     `json:"shared_bytes"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
	InUse   bool      `json:"in_use"` // leased by a running process
}

// languageName is what the table of languages calls the one that images have.
const languageName = "python"

// Paths inside the guest.
const (
	guestPython   = "/opt/python"
	guestPackages = "/opt/packages"
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

// assemble joins the parts to an image, which is named by their contents alone. layer
// is nil for the default image.
func assemble(name string, py interpreter, layer *layerPart, preload []string) Image {
	img := Image{
		Name:     name,
		Root:     py.root.tree(),
		Mounts:   []sandbox.Mount{{Source: py.python.tree(), Target: guestPython}},
		Env:      guestEnv(),
		Runtimes: []language.Runtime{{Language: languageName, Version: pythonVersion, Program: guestPython + "/bin/python3", Preload: append([]string(nil), preload...)}},
		Packages: []Package{},
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "image 2\npython %s\nroot %s\n", py.python.info.Content, py.root.info.Content)
	if layer != nil {
		img.Mounts = append(img.Mounts, sandbox.Mount{Source: layer.tree(), Target: guestPackages})
		img.Packages = layer.lock.packages()
		_, _ = fmt.Fprintf(h, "layer %s\n", layer.info.Key)
	}
	for _, list := range [][]string{img.Env, preload} {
		_, _ = io.WriteString(h, strings.Join(list, "\x00")+"\n")
	}
	img.ID = hex.EncodeToString(h.Sum(nil)[:16])
	return img
}

// Name returns the name of the image that the request asks for, such as
// "python+numpy". Nothing but a requirements file is read.
func (req Request) Name() (string, error) {
	reqs, err := req.parse()
	if err != nil {
		return "", err
	}
	return imageName(reqs), nil
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

// imageName names an image after its requirements, at most maxName bytes long.
func imageName(reqs []requirement) string {
	const maxName = 120
	var b strings.Builder
	b.WriteString(languageName)
	for _, r := range reqs {
		b.WriteString("+" + r.short())
	}
	if b.Len() <= maxName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%s+%s+%d-more-%s", languageName, reqs[0].name, len(reqs)-1, hex.EncodeToString(sum[:4]))
}
