package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/image/oci"
)

// Start is a program that runs in every session of an image: it is started when the
// image's template is built, and is part of that.
type Start struct {
	Command string `json:"command"` // of a shell
	// Port takes connections when the program is ready, and Check is a command of a shell
	// that then ends with 0: one of them is set.
	Port  int           `json:"port,omitempty"`
	Check string        `json:"check,omitempty"`
	Wait  time.Duration `json:"wait_ns"` // how long it may take
}

// Built is what an image that was built of a file has beside its files.
type Built struct {
	// Own says that its root file system is Praxis's own with layers on it, and not that
	// of a container image.
	Own   bool     `json:"own,omitempty"`
	Env   []string `json:"env,omitempty"` // NAME=value
	Start *Start   `json:"start,omitempty"`
}

// builtName is what a built image may be called.
var builtName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// check refuses what no file says.
func (b Built) check() error {
	for _, kv := range b.Env {
		if name, value, ok := strings.Cut(kv, "="); !ok || !variableName.MatchString(name) || len(value) > maxVariable || strings.IndexByte(value, 0) >= 0 {
			return fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged")
		}
	}
	if st := b.Start; len(b.Env) > maxVariables || st != nil && (st.Command == "" || len(st.Command)+len(st.Check) > maxVariable || st.Port < 0 || st.Port > 65535 || st.Wait <= 0 || st.Wait > time.Hour || (st.Port == 0) == (st.Check == "")) {
		return fault.New(fault.Invalid, "", "cannot make an image: its recipe is damaged")
	}
	return nil
}

// builtParts are what a built image is made of.
type builtParts struct {
	py   interpreter
	base *basePart // nil: nothing was put on our own root file system
	contents
}

// assembleBuilt joins the parts of an image that was built of a file.
func assembleBuilt(name string, p builtParts, built Built) Image {
	var img Image
	switch {
	case p.base == nil:
		img = assemble(name, p.py, p.contents)
	case built.Own:
		img = assemble(name, interpreter{python: p.py.python, root: p.base.part}, p.contents)
	default:
		img = assembleBase(name, *p.base, p.py, p.layer, p.preload)
	}
	if p.base != nil {
		img.Digest = p.base.manifest.Digest
	}
	if len(p.preload) > 0 {
		img.Runtimes = slices.Clone(img.Runtimes)
		for i, r := range img.Runtimes {
			if r.Language == languageName {
				img.Runtimes[i].Preload = slices.Clone(p.preload)
			}
		}
	}
	if built.Own {
		img.Env = withVariables(img.Env, built.Env)
	}
	img.Start = built.Start
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "built image 1\n%s\n", img.ID)
	for _, list := range [][]string{built.Env, p.preload} {
		_, _ = fmt.Fprintf(h, "%q\n", list)
	}
	if s := built.Start; s != nil {
		_, _ = fmt.Fprintf(h, "start %q %d %q %d\n", s.Command, s.Port, s.Check, s.Wait)
	}
	img.ID = hex.EncodeToString(h.Sum(nil)[:16])
	return img
}

// withVariables returns an environment with more variables. A PATH stands before the one
// that is there, which sessions need.
func withVariables(env, more []string) []string {
	out := slices.Clone(env)
	for _, kv := range more {
		name, value, _ := strings.Cut(kv, "=")
		i := slices.IndexFunc(out, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		switch {
		case i < 0:
			out = append(out, kv)
		case name == "PATH":
			out[i] = "PATH=" + value + ":" + strings.TrimPrefix(out[i], "PATH=")
		default:
			out[i] = kv
		}
	}
	return out
}

// record is what is written down of a built image.
func (p builtParts) record(img Image, built Built) record {
	r := record{Built: &built, NPM: img.NPM}
	if p.base != nil {
		r.Base, r.Digest = p.base.info.Key, p.base.manifest.Digest
	}
	if p.py.python.dir != "" {
		r.Python, r.Root = p.py.python.info.Key, p.py.root.info.Key
	}
	if p.layer != nil {
		r.Layer = p.layer.info.Key
	}
	if p.node != nil {
		r.Node = p.node.info.Key
		if p.first != languageName {
			r.First = p.first
		}
	}
	if p.modules != nil {
		r.Modules = p.modules.info.Key
	}
	return r
}

// isBuilt says whether a name is that of an image that was built of a file.
func (s *Store) isBuilt(ctx context.Context, name string) bool {
	records, err := s.records(ctx)
	return err == nil && slices.ContainsFunc(records, func(r record) bool {
		return r.Built != nil && (r.ID == name || slices.Contains(r.Names, name))
	})
}

// assembleBuiltAgain makes the image of a record from the parts that it names.
func (s *Store) assembleBuiltAgain(ctx context.Context, r record) (Image, error) {
	p := builtParts{contents: contents{first: cmp.Or(r.First, languageName), preload: r.Preload}}
	ok := true
	if r.Base != "" {
		var b basePart
		b, ok = s.findBase(ctx, r.Base)
		p.base = &b
	}
	if ok && r.Python != "" {
		p.py, ok = s.findInterpreter(ctx, r.Python, r.Root)
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
		return Image{}, fault.Coded(fault.ImageGone, fault.Data{"image": r.Names[0]}, "cannot find image %s: parts of it are gone", r.Names[0])
	}
	img := assembleBuilt(r.Names[0], p, *r.Built)
	if img.ID != r.ID {
		return Image{}, fault.Coded(fault.ImageStale, fault.Data{"image": r.Names[0]}, "cannot use image %s: Praxis changed since it was built", r.Names[0])
	}
	return img, nil
}

// makeBuilt makes the image of a recipe that came from elsewhere, of files that were
// added. No step runs: its layers are there.
func (s *Store) makeBuilt(ctx context.Context, r Recipe, say progress) (Image, error) {
	if err := r.Built.check(); err != nil {
		return Image{}, err
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	p := builtParts{contents: contents{first: cmp.Or(r.First, languageName), preload: append([]string{}, r.Preload...)}}
	if r.Container != nil {
		src := stored{s, r.Container}
		m, err := src.Manifest(ctx, oci.Here())
		if err != nil {
			return Image{}, err
		}
		b, err := s.makeBase(ctx, src, m, say)
		if err != nil {
			return Image{}, err
		}
		p.base = &b
	}
	if r.Built.Own || p.base == nil || p.base.Python == nil || len(r.Wheels) > 0 {
		if p.py, err = s.makeInterpreter(ctx, say); err != nil {
			return Image{}, err
		}
		if len(r.Wheels) > 0 {
			if p.layer, err = s.layerOfWheels(ctx, p.py, r, say); err != nil {
				return Image{}, err
			}
		}
		if err := s.nodeOfRecipe(ctx, p.py, r, &p.contents, say); err != nil {
			return Image{}, err
		}
	}
	img := assembleBuilt(r.Name, p, *r.Built)
	if img.ID != r.ID {
		return Image{}, fault.New(fault.Conflict, "Use the version of Praxis that made it.", "cannot make image %s: this version of Praxis makes another of it", r.Name)
	}
	// What comes from elsewhere takes no name from what is here.
	if there, err := s.meant(ctx, r.Name); err == nil && there[0].ID != img.ID {
		img.Name = cmp.Or(img.Digest, img.ID)
	}
	if err := s.rememberBase(ctx, img, p.record(img, *r.Built), []string{img.Name}); err != nil {
		return Image{}, err
	}
	return img, s.lease(img.ID)
}

// cachedStep is what a step gave, kept under the step's key.
type cachedStep struct {
	Layer oci.Descriptor `json:"layer"`
}

// stepDir holds what steps gave, by their keys.
const stepDir = "step"

func (s *Store) stepPath(key string) string { return s.dir + "/" + stepDir + "/" + key + ".json" }

// stepKey is the key of a step after another.
func stepKey(parent string, parts ...string) string {
	h := sha256.New()
	text, _ := json.Marshal(append([]string{"image step 1", parent}, parts...)) // strings can be marshaled
	_, _ = h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
