package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/safetext"
	"praxis/internal/sandbox"
)

// Portable is a named session as it travels to another data folder: without a path of a
// machine. Its states fit the version of Praxis that made them alone.
type Portable struct {
	Session NamedInfo `json:"session"`
	Program string    `json:"program"` // SHA-256 of the first process of its guest
	CPU     []string  `json:"cpu"`     // what the processor can do that it was made on
	States  []State   `json:"states"`
}

// State is one snapshot of a portable session.
type State struct {
	Snapshot Snapshot `json:"snapshot"`
	Files    []string `json:"files"` // in its folder
}

const (
	maxStates     = 1 << 12
	maxStateFiles = 16
)

// Export is a named session that is being exported. Close it.
type Export struct {
	Portable
	Image image.Image // that it runs
	dirs  map[string]string
	done  []func()
}

// ExportNamed returns a named session to be written somewhere: with all its snapshots,
// or with the head alone. What it returns stays as it is until it is closed.
func (m *Manager) ExportNamed(ctx context.Context, name string, head bool) (*Export, error) {
	out := &Export{dirs: map[string]string{}, Portable: Portable{Program: m.cfg.Program.SHA256, CPU: processor()}}
	snaps, err := m.holdNamed(ctx, name, head, out)
	for _, snap := range snaps {
		if err != nil {
			break
		}
		if err = m.exportState(ctx, out, snap); err != nil {
			err = unusable(name, "export", err)
		}
	}
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// holdNamed holds the snapshots of a session that is to be exported. Others wait only
// until they are held.
func (m *Manager) holdNamed(ctx context.Context, name string, head bool, out *Export) ([]Snapshot, error) {
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	info, err := m.readNamed(name)
	if err != nil {
		return nil, err
	}
	if head {
		info.Snapshots = slices.DeleteFunc(info.Snapshots, func(s SnapshotInfo) bool { return s.ID != info.Head })
	}
	out.Image = info.Image
	info.Image.Root, info.Image.Mounts = "", nil
	out.Session = info
	var snaps []Snapshot
	for _, s := range info.Snapshots {
		snap, h, err := m.snapshots.take(s.ID)
		if err != nil {
			return nil, unusable(name, "export", err)
		}
		out.done = append(out.done, h.release)
		snaps = append(snaps, snap)
	}
	return snaps, nil
}

// exportState adds a snapshot that is held, when it is whole.
func (m *Manager) exportState(ctx context.Context, out *Export, snap Snapshot) error {
	id := snap.ID
	release, err := m.snapshots.ready(ctx, snap)
	if err != nil {
		return err
	}
	out.done = append(out.done, release)
	if id != out.Session.Head {
		out.done = append(out.done, func() { m.retire(false, id) })
	}
	if err := m.snapshots.verify(ctx, id); err != nil {
		return err
	}
	if snap.image() != out.Image.ID || snap.program() != m.cfg.Program.Key() {
		return fault.New(fault.Conflict, "Go on with it once, which saves it anew, or export the head alone.",
			"cannot export snapshot %.12s: another version of Praxis made it", id)
	}
	entries, err := os.ReadDir(snap.state())
	if err != nil {
		return err
	}
	st := State{Snapshot: snap}
	for _, e := range entries {
		st.Files = append(st.Files, e.Name())
	}
	out.dirs[id] = snap.state()
	st.Snapshot.Spec = sandbox.Spec{Limits: snap.Spec.Limits}
	out.States = append(out.States, st)
	return nil
}

// Open opens a file of a state.
func (e *Export) Open(id, file string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(e.dirs[id], file))
}

// Close lets the snapshots go.
func (e *Export) Close() {
	for _, f := range e.done {
		f()
	}
	e.done = nil
}

// Fits says whether this program and this machine can go on with a portable session.
func (m *Manager) Fits(p Portable) error {
	cannot := func(remedy, format string, args ...any) error {
		return fault.New(fault.Conflict, remedy, "cannot import the session: "+format, args...)
	}
	if p.Session.Version != metaVersion {
		return otherFormat("cannot import the session", p.Session.Version)
	}
	if p.Program != m.cfg.Program.SHA256 {
		return cannot("Use the version of Praxis that it was exported with.", "another version of Praxis made it")
	}
	var lacks []string
	here := processor()
	for _, feature := range p.CPU {
		if !slices.Contains(here, feature) {
			lacks = append(lacks, safetext.OneLine(feature, 20))
		}
	}
	if len(lacks) > 0 {
		return cannot("Import it on a machine whose processor has them.",
			"its programs may use what this processor cannot do: %s", strings.Join(lacks[:min(len(lacks), 8)], ", "))
	}
	if p.Session.Limits.UserNamespaces > 0 || slices.ContainsFunc(p.States, func(s State) bool { return s.Snapshot.Spec.Limits.UserNamespaces > 0 }) {
		return cannot("Make a session with user namespaces here instead.", "its code may make user namespaces, which opens more of the sandbox to it than is usual")
	}
	if len(p.States) == 0 || len(p.States) > maxStates {
		return cannot("", "it has %d snapshots", len(p.States))
	}
	for _, s := range p.States {
		if !validID(s.Snapshot.ID) || len(s.Files) == 0 || len(s.Files) > maxStateFiles ||
			slices.ContainsFunc(s.Files, func(f string) bool { return f != path.Base(f) || strings.HasPrefix(f, ".") || f == "/" }) {
			return cannot("", "what it says of its snapshots is damaged")
		}
	}
	return nil
}

// ImportNamed makes the session name of a portable one that Fits, running img. next returns the
// files of the states, in their order; each is read to its end. Nothing is there when it
// fails.
func (m *Manager) ImportNamed(ctx context.Context, name string, p Portable, img image.Image, next func() (io.Reader, error)) error {
	if err := m.Fits(p); err != nil {
		return err
	}
	unlockName, err := m.lockName(ctx, name, true, nil)
	if err != nil {
		return err
	}
	defer unlockName()
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := m.readNamed(name); fault.KindOf(err) != fault.NotFound {
		return fault.Coded(fault.SessionExists, fault.Data{"name": name}, "cannot import session %s: it exists already", name)
	}
	info, err := m.importStates(ctx, p, img, next)
	if err == nil {
		info.Name, info.Used = name, time.Now().UTC()
		err = m.writeNamed(info)
		m.retire(false, info.whole(m.snapshots)...)
	}
	if err != nil {
		// Of the snapshots nobody knows: they are collected like others without a name.
		return errors.Join(err, m.owner.discard(filepath.Join(m.names, name)))
	}
	return nil
}

// importStates publishes the states, and returns what the session is then.
func (m *Manager) importStates(ctx context.Context, p Portable, img image.Image, next func() (io.Reader, error)) (NamedInfo, error) {
	from := p.Session
	info := NamedInfo{
		Created: from.Created, Head: from.Head, Image: img, Limits: from.Limits, Seed: from.Seed, Date: from.Date, Version: metaVersion,
		Forked: safetext.OneLine(from.Forked, 80),
	}
	known := map[string]bool{}
	for _, s := range p.States {
		snap, err := m.importState(ctx, s, img, next)
		if err != nil {
			return info, err
		}
		at := SnapshotInfo{ID: snap.ID, Created: snap.Created, Bytes: snap.Bytes, Added: snap.Added}
		for _, old := range from.Snapshots {
			if old.ID == snap.ID {
				at.Label, at.Parent = safetext.OneLine(old.Label, 80), snap.Parent
			}
		}
		known[snap.ID] = true
		info.Snapshots = append(info.Snapshots, at)
	}
	for i, s := range info.Snapshots {
		if !known[s.Parent] {
			info.Snapshots[i].Parent = ""
		}
	}
	if !known[info.Head] {
		return info, fault.New(fault.Conflict, "", "cannot import the session: the state that it stands at is missing")
	}
	return info, nil
}

// importState publishes one state under this data folder's key.
func (m *Manager) importState(ctx context.Context, s State, img image.Image, next func() (io.Reader, error)) (Snapshot, error) {
	tmp, err := os.MkdirTemp(m.snapshots.dir, m.owner.prefix())
	if err != nil {
		return Snapshot{}, fmt.Errorf("cannot import snapshot: %w", noSpace(err))
	}
	defer os.RemoveAll(tmp) // it is gone when all went well
	old := s.Snapshot
	snap := Snapshot{
		Version: metaVersion, ID: old.ID, Parent: old.Parent, Created: old.Created, Deterministic: old.Deterministic, StoodStill: old.StoodStill,
		Added: old.Added, Origin: old.Origin, Imported: true, dir: tmp,
		Spec: m.spec(Options{Image: img, Limits: old.Spec.Limits}.withDefaults()),
	}
	if err := os.Mkdir(snap.state(), 0o700); err != nil {
		return Snapshot{}, fmt.Errorf("cannot import snapshot: %w", noSpace(err))
	}
	for _, name := range s.Files {
		if ctx.Err() != nil {
			return Snapshot{}, context.Cause(ctx)
		}
		r, err := next()
		if err != nil {
			return Snapshot{}, err
		}
		if err := importFile(filepath.Join(snap.state(), name), r); err != nil {
			return Snapshot{}, err
		}
	}
	id, _, err := sum(snap.state(), hashFile)
	if err != nil {
		return Snapshot{}, fmt.Errorf("cannot import snapshot: %w", err)
	}
	if id != old.ID {
		return Snapshot{}, damaged(old.ID, "it is not what its name says")
	}
	out, h, err := m.snapshots.publish(ctx, snap, "")
	h.release()
	return out, err
}

func importFile(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot import snapshot: %w", noSpace(err))
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil && fault.KindOf(err) == fault.Internal {
		return fmt.Errorf("cannot import snapshot: %w", noSpace(err))
	}
	return err
}

// processor lists what the processor can do: programs that were started on one choose
// their code by it, and go on with that code wherever they are restored.
func processor() []string {
	var out []string
	for _, set := range []reflect.Value{reflect.ValueOf(cpu.X86), reflect.ValueOf(cpu.ARM64)} {
		for i := range set.NumField() {
			name, ok := strings.CutPrefix(set.Type().Field(i).Name, "Has")
			if ok && set.Field(i).Kind() == reflect.Bool && set.Field(i).Bool() {
				out = append(out, strings.ToLower(name))
			}
		}
	}
	return out
}
