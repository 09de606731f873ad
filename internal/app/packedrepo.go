package app

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/run"
	"praxis/internal/safetext"
	"praxis/internal/worktree"
	"praxis/internal/worktree/folder"
)

// A project that somebody else works on is packed where it lies, and the patch comes back as
// the files that it changes: who has the folder makes the changes, and says what they are.

// PackedRepo is a project that was read to be worked on elsewhere.
type PackedRepo struct {
	Name  string // of its folder
	Files []byte // a tar archive
	tree  worktree.Tree
}

// PackRepo reads the project that spec names. sink receives what is left out.
func PackRepo(spec RepoSpec, sink event.Sink) (out PackedRepo, err error) {
	out.Name = spec.name()
	if spec.Packed != nil {
		var left []string
		out.Files = spec.Packed.Files
		if out.tree, left, err = worktree.Read(bytes.NewReader(out.Files)); err != nil {
			return out, fault.New(fault.Invalid, "Send a tar archive of its files.", "cannot read the project: %w", err)
		}
		for _, name := range left {
			sink.Emit(event.Notice{Text: "left out " + name + ": no file of a project can be like that"})
		}
	} else {
		var left []folder.Left
		if out.tree, left, err = folder.Read(spec.Dir, spec.Include); err != nil {
			return out, err
		}
		for _, l := range left {
			sink.Emit(event.Notice{Text: "left out " + l.Path + ": " + l.Why})
		}
	}
	out.Files, err = out.tree.Archive() // the same files make the same bytes
	return out, err
}

// name is what the project is called.
func (r RepoSpec) name() string {
	name := r.Dir
	if r.Packed != nil {
		name = r.Packed.Name
	} else if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	return safetext.Clip(safetext.Line(filepath.Base(name)), maxName)
}

// RepoChanges are the changes of a project as they travel.
type RepoChanges struct {
	Of    string   // the sum of the files that were changed
	Files []byte   // a tar archive of those that are new or changed
	Gone  []string // the paths of those that are no more
}

// Packed returns the changes.
func (r *RepoResult) Packed() (out RepoChanges, err error) {
	changed := worktree.Tree{}
	for _, c := range r.changes {
		switch {
		case c.After == nil:
			out.Gone = append(out.Gone, c.Path)
		case c.From != "":
			out.Gone = append(out.Gone, c.From)
		}
		if c.After != nil {
			changed[c.Path] = *c.After
		}
	}
	out.Of = r.files.Sum()
	out.Files, err = changed.Archive()
	return out, err
}

// Unpack puts changes that were made elsewhere into what came of the project. What the patch
// says is made of them here: it is what would be applied.
func (r *RepoResult) Unpack(p PackedRepo, c RepoChanges) error {
	if p.tree.Sum() != c.Of {
		return fault.New(fault.Conflict, "Begin again with the folder as it is.", "cannot take over the changes of %s: its files are others than those that were changed", p.Name)
	}
	changed, left, err := worktree.Read(bytes.NewReader(c.Files))
	if err != nil {
		return fmt.Errorf("cannot take over the changes of %s: %w", p.Name, err)
	}
	if len(left) > 0 {
		return fault.New(fault.Invalid, "Look at the record of the run.", "cannot take over the changes of %s: %s cannot be a file of a project", p.Name, left[0])
	}
	after := maps.Clone(p.tree)
	for _, path := range c.Gone {
		delete(after, path)
	}
	for path, f := range changed {
		after.Put(path, f)
	}
	got := run.Changed(p.tree, after)
	r.Diff, r.Files, r.changes, r.files = got.Diff, got.Files(), got.Changes, p.tree
	return nil
}
