package image

import (
	"context"
	"time"

	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Details are all that is known of an image.
type Details struct {
	Info
	Names     []string           `json:"names"` // all of them
	Runtimes  []language.Runtime `json:"runtimes"`
	Env       []string           `json:"env"`
	Start     *Start             `json:"start,omitempty"`     // the program of its sessions
	Container *Container         `json:"container,omitempty"` // of a container image
}

// Container is what a container image says of itself.
type Container struct {
	Digest     string           `json:"digest"` // of its manifest
	Config     string           `json:"config"` // digest of its configuration
	Platform   string           `json:"platform"`
	User       string           `json:"user,omitempty"` // not used: sessions run as the ordinary user
	WorkingDir string           `json:"working_dir,omitempty"`
	Entrypoint []string         `json:"entrypoint,omitempty"` // not started
	Command    []string         `json:"command,omitempty"`    // not started
	Layers     []ContainerLayer `json:"layers"`
	LeftOut    int              `json:"left_out,omitempty"` // devices, pipes and sockets
}

// ContainerLayer is one layer of a container image.
type ContainerLayer struct {
	Digest   string `json:"digest"`
	Bytes    int64  `json:"bytes"`    // as it is stored
	Unpacked int64  `json:"unpacked"` // of its files
}

// Step is one step by which an image was made, the first first.
type Step struct {
	Created  time.Time `json:"created"`
	By       string    `json:"by"`
	Comment  string    `json:"comment,omitempty"`
	Layer    string    `json:"layer,omitempty"` // digest of what it added; "": nothing
	Bytes    int64     `json:"bytes"`
	Unpacked int64     `json:"unpacked"`
}

// Describe returns what is known of an image, by its ID, the beginning of it, or a name.
func (s *Store) Describe(ctx context.Context, idOrName string) (Details, error) {
	r, b, img, err := s.described(ctx, idOrName)
	if err != nil {
		return Details{}, explainFS("show image", err)
	}
	out := Details{Info: s.info(r), Names: r.Names, Runtimes: img.Runtimes, Env: img.Env, Start: img.Start}
	if b == nil {
		return out, nil
	}
	out.Container = &Container{
		Digest: b.manifest.Digest, Config: b.manifest.Config.Digest, Platform: b.config.Platform().String(), User: b.config.User,
		WorkingDir: b.config.WorkingDir, Entrypoint: b.config.Entrypoint, Command: b.config.Cmd, LeftOut: b.LeftOut,
	}
	for _, l := range b.Layers {
		out.Container.Layers = append(out.Container.Layers, ContainerLayer{l.Digest, l.Size, l.Unpacked})
	}
	return out, nil
}

// History returns the steps by which an image was made, as it says itself; of one of ours,
// its parts.
func (s *Store) History(ctx context.Context, idOrName string) ([]Step, error) {
	r, b, _, err := s.described(ctx, idOrName)
	if err != nil {
		return nil, explainFS("show image", err)
	}
	var out []Step
	if b != nil {
		out = containerSteps(b)
	}
	for _, kind := range []string{kindRoot, kindPython, kindLayer, kindNode, kindModules} {
		key, ok := r.parts()[kind]
		if !ok || b != nil && kind == kindRoot {
			continue
		}
		p, ok := s.describePart(kind, key)
		if !ok {
			continue
		}
		what := map[string]string{kindRoot: "packages of Debian", kindPython: "CPython " + pythonVersion, kindLayer: "packages of Python", kindNode: "Node " + nodeVersion, kindModules: "packages of npm"}[kind]
		out = append(out, Step{Created: p.info.Created, By: what, Comment: "Praxis", Bytes: p.info.Bytes, Unpacked: p.info.Bytes})
	}
	return out, nil
}

// containerSteps joins the history of a container image with its layers.
func containerSteps(b *basePart) (out []Step) {
	layers := b.Layers
	add := func(step Step) {
		step.Layer, step.Bytes, step.Unpacked = layers[0].Digest, layers[0].Size, layers[0].Unpacked
		out, layers = append(out, step), layers[1:]
	}
	for _, h := range b.config.History {
		step := Step{Created: h.Created, By: h.By, Comment: h.Comment}
		if h.Empty || len(layers) == 0 {
			out = append(out, step)
			continue
		}
		add(step)
	}
	for len(layers) > 0 { // the history need not tell of each
		add(Step{})
	}
	return out
}

// described finds an image with its base, if it has one.
func (s *Store) described(ctx context.Context, idOrName string) (record, *basePart, Image, error) {
	locked, err := s.lockStore(ctx, false, func(string) {})
	if err != nil {
		return record{}, nil, Image{}, err
	}
	defer locked.release()
	r, err := s.pickNamed(ctx, idOrName)
	if err != nil {
		return record{}, nil, Image{}, err
	}
	img, err := s.assembleAgain(ctx, r)
	if err != nil || r.Base == "" {
		return r, nil, img, err
	}
	b, ok := s.describeBase(r.Base)
	if !ok {
		err = fault.Coded(fault.ImageGone, fault.Data{"image": r.Names[0]}, "cannot find image %s: parts of it are gone", safetext.Line(r.Names[0]))
	}
	return r, &b, img, err
}

// pickNamed is pick that also takes the reference of a registry as people shorten it.
func (s *Store) pickNamed(ctx context.Context, idOrName string) (record, error) {
	r, err := s.pick(ctx, idOrName)
	if fault.CodeOf(err) != fault.ImageMissing {
		return r, err
	}
	ref, other := oci.ParseReference(idOrName)
	if other != nil || ref.String() == idOrName {
		return record{}, err
	}
	if r, other := s.pick(ctx, ref.String()); other == nil {
		return r, nil
	}
	return record{}, err
}
