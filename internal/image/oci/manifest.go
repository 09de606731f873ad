package oci

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Descriptor names a blob.
type Descriptor struct {
	MediaType string `json:"media_type"`
	Digest    string `json:"digest"` // "sha256:" and 64 hexadecimal digits
	Size      int64  `json:"size"`
}

// Hex returns the digest without its algorithm.
func (d Descriptor) Hex() string { return strings.TrimPrefix(d.Digest, "sha256:") }

// Manifest is what an image is made of.
type Manifest struct {
	Raw    []byte
	Digest string // of Raw
	Config Descriptor
	Layers []Descriptor // the lowest first
}

// Config is what an image says of itself.
type Config struct {
	OS, Architecture, Variant string
	User, WorkingDir          string
	Env, Entrypoint, Cmd      []string
	Layers                    []string // digests of the layers as they are unpacked, the lowest first
	History                   []Step
}

// Step is one step by which an image was made.
type Step struct {
	Created time.Time
	By      string // the command
	Comment string
	Empty   bool // it made no layer
}

// Platform is what programs of an image run on.
type Platform struct{ OS, Architecture string }

// String returns the platform as it is usually written, such as "linux/amd64".
func (p Platform) String() string { return p.OS + "/" + p.Architecture }

var digestRE = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)

// Digest returns the digest of some bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// parseManifest reads the manifest of one image.
func parseManifest(raw []byte) (Manifest, error) {
	m, err := v1.ParseManifest(bytes.NewReader(raw))
	if err != nil {
		return Manifest{}, damaged("its manifest cannot be read: %w", err)
	}
	if m.SchemaVersion != 2 || len(m.Layers) > maxLayers {
		return Manifest{}, damaged("its manifest is of version %d and has %d layers", m.SchemaVersion, len(m.Layers))
	}
	out := Manifest{Raw: raw, Digest: Digest(raw)}
	if out.Config, err = descriptor(m.Config); err != nil {
		return Manifest{}, err
	}
	if out.Config.Size > maxConfig {
		return Manifest{}, tooLarge("its configuration has %s", safetext.Size(out.Config.Size))
	}
	for _, l := range m.Layers {
		d, err := descriptor(l)
		if err != nil {
			return Manifest{}, err
		}
		if !l.MediaType.IsLayer() || !l.MediaType.IsDistributable() {
			return Manifest{}, fault.New(fault.Invalid, "Use an image whose layers are archives that its registry has.",
				"cannot use the image: it has a layer of the kind %s", safetext.Line(safetext.Clip(d.MediaType, 100)))
		}
		out.Layers = append(out.Layers, d)
	}
	return out, nil
}

func descriptor(d v1.Descriptor) (Descriptor, error) {
	out := Descriptor{MediaType: string(d.MediaType), Digest: d.Digest.String(), Size: d.Size}
	if !digestRE.MatchString(out.Digest) || d.Size < 0 {
		return Descriptor{}, damaged("its manifest names a blob %s of %d bytes", safetext.Line(safetext.Clip(out.Digest, 100)), d.Size)
	}
	return out, nil
}

// ReadManifest reads a manifest that was kept.
func ReadManifest(raw []byte) (Manifest, error) { return parseManifest(raw) }

// ParseConfig reads the configuration of an image, and compares it with the layers that
// its manifest has.
func ParseConfig(raw []byte, m Manifest) (Config, error) {
	if Digest(raw) != m.Config.Digest {
		return Config{}, damaged("its configuration is not what its manifest says")
	}
	c, err := v1.ParseConfigFile(bytes.NewReader(raw))
	if err != nil {
		return Config{}, damaged("its configuration cannot be read: %w", err)
	}
	out := Config{
		OS: c.OS, Architecture: c.Architecture, Variant: c.Variant, User: c.Config.User, WorkingDir: c.Config.WorkingDir,
		Env: c.Config.Env, Entrypoint: c.Config.Entrypoint, Cmd: c.Config.Cmd,
	}
	for _, id := range c.RootFS.DiffIDs {
		if !digestRE.MatchString(id.String()) {
			return Config{}, damaged("its configuration names a layer %s", safetext.Line(safetext.Clip(id.String(), 100)))
		}
		out.Layers = append(out.Layers, id.String())
	}
	if len(out.Layers) != len(m.Layers) {
		return Config{}, damaged("its configuration names %d layers, and its manifest %d", len(out.Layers), len(m.Layers))
	}
	for _, h := range c.History {
		out.History = append(out.History, Step{Created: h.Created.UTC(), By: h.CreatedBy, Comment: h.Comment, Empty: h.EmptyLayer})
	}
	return out, nil
}

// Platform returns what the programs of the image run on.
func (c Config) Platform() Platform { return Platform{c.OS, c.Architecture} }

// candidate is an image of an index.
type candidate struct {
	Descriptor
	platform *Platform // nil: the index does not say
	name     string    // as the index calls it, or ""
}

// parseIndex reads a list of images, or of lists.
func parseIndex(raw []byte) ([]candidate, error) {
	index, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	if err != nil {
		return nil, damaged("its index cannot be read: %w", err)
	}
	var out []candidate
	for _, m := range index.Manifests {
		if !m.MediaType.IsImage() && !m.MediaType.IsIndex() {
			continue // signatures and the like
		}
		d, err := descriptor(m)
		if err != nil {
			return nil, err
		}
		c := candidate{Descriptor: d, name: m.Annotations["io.containerd.image.name"]}
		if c.name == "" {
			c.name = m.Annotations["org.opencontainers.image.ref.name"]
		}
		if m.Platform != nil {
			c.platform = &Platform{m.Platform.OS, m.Platform.Architecture}
		}
		out = append(out, c)
	}
	return out, nil
}

func (c candidate) isIndex() bool { return types.MediaType(c.MediaType).IsIndex() }

// choose returns the one image of an index that fits a platform.
func choose(all []candidate, want Platform) (candidate, error) {
	var fit []candidate
	var others []string
	for _, c := range all {
		switch {
		case c.platform == nil || *c.platform == want:
			fit = append(fit, c)
		case c.platform.OS != "unknown":
			others = append(others, safetext.Line(safetext.Clip(c.platform.String(), 40)))
		}
	}
	// What says its platform is meant rather than what does not.
	if named := slices.DeleteFunc(slices.Clone(fit), func(c candidate) bool { return c.platform == nil }); len(named) > 0 {
		fit = named
	}
	if len(fit) == 0 {
		slices.Sort(others)
		return candidate{}, WrongPlatform(strings.Join(slices.Compact(others), ", "), want)
	}
	for _, c := range fit[1:] {
		if c.Digest != fit[0].Digest && c.platform == nil {
			return candidate{}, fault.New(fault.Conflict, "Save one image into a file of its own.", "cannot use the image: there are %d in it", len(fit))
		}
	}
	return fit[0], nil
}

// WrongPlatform is the fault of an image whose programs do not run here.
func WrongPlatform(has string, want Platform) error {
	if has == "" {
		has = "nothing that is known"
	}
	return fault.New(fault.Invalid, "Use an image that was built for "+want.String()+".",
		"cannot use the image: it is for %s, and this machine is %s", has, want)
}

// readBlob reads a small blob whole, and compares it with its digest.
func readBlob(r io.Reader, d Descriptor, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", d.Digest, err)
	}
	if int64(len(data)) > most {
		return nil, tooLarge("%s has more than %s", d.Digest, safetext.Size(most))
	}
	if Digest(data) != d.Digest {
		return nil, WrongDigest(d)
	}
	return data, nil
}

// WrongDigest is the fault of a blob that is not what its digest says.
func WrongDigest(d Descriptor) error {
	return fault.New(fault.Conflict, damagedRemedy, "cannot use the image: what came as %s is something else", d.Digest)
}
