package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/lazyregexp"
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
	Own bool `json:"own,omitempty"`
	// Ours says that Praxis's own Python runs, although a step gave the base one: the packages
	// that the file names are for ours.
	Ours  bool     `json:"ours,omitempty"`
	Env   []string `json:"env,omitempty"` // NAME=value
	Start *Start   `json:"start,omitempty"`
}

// builtName is what a built image may be called.
var builtName = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

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

// assembleBuilt joins the parts of an image that was built of a file.
func assembleBuilt(name string, p imageParts, built Built) Image {
	var img Image
	switch {
	case p.base == nil:
		img = assemble(name, p.py, p.contents)
	case built.Own:
		img = assemble(name, interpreter{python: p.py.python, root: p.base.part}, p.contents)
	default:
		img = assembleBase(name, p)
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
	if built.Ours {
		_, _ = fmt.Fprintln(h, "ours")
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

// isBuilt says whether a name is that of an image that was built of a file.
func (s *Store) isBuilt(ctx context.Context, name string) bool {
	records, err := s.records(ctx)
	return err == nil && slices.ContainsFunc(records, func(r record) bool {
		return r.Built != nil && (r.ID == name || slices.Contains(r.Names, name))
	})
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
