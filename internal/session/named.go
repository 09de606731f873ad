package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/image"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
	"praxis/internal/seal"
)

var nameRule = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// NamedInfo describes a named session on disk.
type NamedInfo struct {
	Name      string         `json:"name"`
	Created   time.Time      `json:"created"`
	Used      time.Time      `json:"used"`
	Head      string         `json:"head"` // snapshot that the next command starts from
	Snapshots []SnapshotInfo `json:"snapshots"`
	Image     image.Image    `json:"image"`
	Limits    event.Limits   `json:"limits"`
	Seed      *int64         `json:"seed,omitempty"`
	Date      time.Time      `json:"date,omitzero"`    // when it began by its clocks, if it has a seed
	Forked    string         `json:"forked,omitempty"` // name of the session that it was forked from
	Version   int            `json:"version"`
	// Unsealed says that the description is not what Praxis wrote under this data
	// folder's key: the session can be removed, and nothing else.
	Unsealed bool `json:"unsealed,omitempty"`
}

// SnapshotInfo is one state of a named session.
type SnapshotInfo struct {
	ID      string    `json:"id"`
	Parent  string    `json:"parent,omitempty"`
	Label   string    `json:"label"`
	Created time.Time `json:"created"`
	Bytes   int64     `json:"bytes"`
	Head    bool      `json:"head"`
	// Stored is what it costs on disk, beside those before it in the history: its
	// folder, and the chunks that none of them has. It is not written down.
	Stored int64 `json:"stored_bytes,omitempty"`
	// Added are the packages that it has beside the image's.
	Added []image.Package `json:"added,omitempty"`
}

// Added returns the packages that the session has beside its image's, where it stands.
func (i NamedInfo) Added() []image.Package {
	for _, s := range i.Snapshots {
		if s.ID == i.Head {
			return s.Added
		}
	}
	return nil
}

// Named is a named session that this process holds the lock of.
type Named struct {
	*Session
	info   NamedInfo
	unlock func()

	ending sync.WaitGroup // the end of the sandbox after SaveLast
	ended  error          // of that, which Close returns
}

// OpenNamed opens the session called name, or makes it from opt when there is
// none. It waits while another process has it open, and reports that to sink. An
// empty opt.Image means the session's own; so do zero limits and a nil seed.
func (m *Manager) OpenNamed(ctx context.Context, name string, opt Options, sink event.Sink) (*Named, error) {
	unlock, err := m.lockName(ctx, name, true, func() {
		sink.Emit(event.Progress{Stage: "session", Text: "session " + name + " is in use by another command: waiting for it"})
	})
	if err != nil {
		return nil, err
	}
	n, err := m.openLocked(ctx, name, opt, sink)
	if err != nil {
		unlock()
		return nil, err
	}
	n.unlock = unlock
	return n, nil
}

func (m *Manager) openLocked(ctx context.Context, name string, opt Options, sink event.Sink) (*Named, error) {
	info, err := m.readNamed(name)
	if fault.KindOf(err) == fault.NotFound {
		opt = opt.withDefaults()
		s, err := m.Create(ctx, opt, sink)
		if err != nil {
			return nil, err
		}
		return &Named{Session: s, info: NamedInfo{
			Name: name, Created: time.Now().UTC(), Image: opt.Image, Limits: opt.Limits, Seed: opt.Seed, Date: opt.Date, Version: metaVersion,
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := info.fits(opt); err != nil {
		return nil, err
	}
	opt.Image, opt.Limits, opt.Seed, opt.Date = info.Image, info.Limits, info.Seed, info.Date
	s, err := m.fromSnapshot(ctx, info.Head, opt.withDefaults())
	if err != nil {
		return nil, unusable(name, "open", err)
	}
	return &Named{Session: s, info: info}, nil
}

// unusable explains why the head of a named session could not be used for what
// verb says. What is damaged can be left behind by going back to the snapshot before it.
func unusable(name, verb string, err error) error {
	if kind := fault.KindOf(err); kind == fault.Conflict || kind == fault.NotFound {
		return fault.Coded(fault.SessionUnusable, fault.Data{"name": name}, "cannot %s session %s: %w", verb, name, err)
	}
	return fmt.Errorf("cannot %s session %s: %w", verb, name, err)
}

// fits refuses options that a session that exists cannot take on.
func (i NamedInfo) fits(opt Options) error {
	differs := func(format string, args ...any) error {
		return fault.Coded(fault.SessionDiffers, fault.Data{"name": i.Name}, "cannot open session "+i.Name+": "+format, args...)
	}
	if opt.Image.ID != "" && opt.Image.ID != i.Image.ID {
		return differs("it runs image %s, not %s", i.Image.Name, opt.Image.Name)
	}
	if opt.Limits != (event.Limits{}) && opt.Limits.WithDefaults() != i.Limits {
		return differs("its limits were set when it was made")
	}
	if opt.Seed != nil && (i.Seed == nil || *i.Seed != *opt.Seed) {
		return differs("its seed was set when it was made")
	}
	if !opt.Date.IsZero() && !opt.Date.Equal(i.Date) {
		return differs("its date was set when it was made")
	}
	return nil
}

// Save takes a snapshot and makes it the head, so that the next command starts
// from it. After a crash either the old or the new head is there, whole.
func (n *Named) Save(ctx context.Context, label string) (string, error) {
	return n.save(ctx, label, func() {})
}

// SaveLast is Save of a session that is closed next: its sandbox ends while the state is
// put on disk, and if that fails, too.
func (n *Named) SaveLast(ctx context.Context, label string) (string, error) {
	return n.save(ctx, label, func() {
		n.ending.Go(func() { n.ended = n.Session.Close() })
	})
}

// save is Save; taken is called when the state is taken.
func (n *Named) save(ctx context.Context, label string, taken func()) (string, error) {
	// Snapshots that no session names are removed under the same lock.
	unlock, err := n.m.lockAll(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	snap, err := n.snapshot(ctx, taken)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(n.info.Snapshots, func(s SnapshotInfo) bool { return s.ID == snap.ID }) {
		n.info.Snapshots = append(n.info.Snapshots, SnapshotInfo{
			ID: snap.ID, Parent: n.info.Head, Label: safetext.OneLine(label, 80), Created: snap.Created, Bytes: snap.Bytes, Added: snap.Added,
		})
	}
	n.info.Head, n.info.Used = snap.ID, time.Now().UTC()
	old, err := n.m.trim(&n.info)
	if err != nil {
		return "", err
	}
	if err := n.m.writeNamed(n.info); err != nil {
		return "", err
	}
	n.letGo(old)
	if !n.m.cfg.Recorded {
		err = n.m.release(old, false)
	}
	n.m.retire(len(old) > 0, n.info.whole(n.m.snapshots)...)
	return snap.ID, err
}

// whole returns the snapshots before the head that are not packed: the one before it,
// and others that could not be.
func (i NamedInfo) whole(in Snapshots) (ids []string) {
	for _, s := range i.Snapshots {
		if _, err := os.Lstat(Snapshot{dir: filepath.Join(in.dir, s.ID)}.state()); err == nil && s.ID != i.Head {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Name returns what the session is called.
func (n *Named) Name() string { return n.info.Name }

// Head returns the snapshot that the session was opened from or saved as last;
// "" when it is new and was not saved.
func (n *Named) Head() string { return n.info.Head }

// History returns the session's snapshots, the oldest first.
func (n *Named) History() []SnapshotInfo { return slices.Clone(n.info.Snapshots) }

// trim takes out of a history what is more than one may have.
func (m *Manager) trim(i *NamedInfo) (old []SnapshotInfo, err error) {
	whole := int64(0)
	for _, s := range i.Snapshots {
		whole += s.Bytes
	}
	if whole > m.cfg.HistoryBytes { // only then it is worth to look at what they cost
		err = m.priced(i.Snapshots)
	}
	old = i.trim(m.cfg.Retention, m.cfg.HistoryBytes, time.Now())
	for n := range i.Snapshots {
		i.Snapshots[n].Stored = 0
	}
	return old, err
}

// cost is what the snapshot takes on disk, as far as that is known.
func (s SnapshotInfo) cost() int64 { return cmp.Or(s.Stored, s.Bytes) }

// Close ends the session's sandbox and gives up its name. What was not saved is gone.
func (n *Named) Close() error {
	n.ending.Wait()
	err := errors.Join(n.ended, n.Session.Close())
	n.unlock()
	return err
}

// ListNamed returns the named sessions, the last used first.
func (m *Manager) ListNamed(ctx context.Context) ([]NamedInfo, error) {
	entries, err := os.ReadDir(m.names)
	if err != nil {
		return nil, fmt.Errorf("cannot list sessions: %w", err)
	}
	var out []NamedInfo
	for _, e := range entries {
		if !nameRule.MatchString(e.Name()) {
			continue
		}
		info, err := m.peekNamed(e.Name())
		if fault.KindOf(err) == fault.NotFound {
			continue // being made
		}
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	slices.SortFunc(out, func(a, b NamedInfo) int { return b.Used.Compare(a.Used) })
	var histories [][]SnapshotInfo
	for _, info := range out {
		histories = append(histories, info.Snapshots)
	}
	if err := m.priced(histories...); err != nil {
		return nil, fmt.Errorf("cannot list sessions: %w", err)
	}
	return out, nil
}

// LookupNamed returns one named session. None is a fault.NotFound.
func (m *Manager) LookupNamed(name string) (NamedInfo, error) { return m.readNamed(name) }

// LogNamed returns the snapshots of a named session, the oldest first.
func (m *Manager) LogNamed(ctx context.Context, name string) ([]SnapshotInfo, error) {
	info, err := m.readNamed(name)
	if err != nil {
		return nil, err
	}
	for i := range info.Snapshots {
		info.Snapshots[i].Head = info.Snapshots[i].ID == info.Head
	}
	if err := m.priced(info.Snapshots); err != nil {
		return nil, fmt.Errorf("cannot list snapshots: %w", err)
	}
	return info.Snapshots, nil
}

// ForkNamed makes the session to, which starts where from stands now.
func (m *Manager) ForkNamed(ctx context.Context, from, to string) error {
	return m.ForkNamedAt(ctx, from, to, "")
}

// ForkNamedAt makes the session to, which starts at a snapshot of from; "": where it stands
// now. NotFound: from has no such snapshot.
func (m *Manager) ForkNamedAt(ctx context.Context, from, to, snapshot string) error {
	if _, err := m.readNamed(from); err != nil {
		return err
	}
	unlockTo, err := m.lockName(ctx, to, true, nil)
	if err != nil {
		return err
	}
	defer unlockTo()
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := m.readNamed(to); err == nil {
		return fault.Coded(fault.SessionExists, fault.Data{"name": to}, "cannot fork session %s: %s exists already", from, to)
	}
	info, err := m.readNamed(from)
	if err != nil {
		return err
	}
	if snapshot != "" {
		if !slices.ContainsFunc(info.Snapshots, func(s SnapshotInfo) bool { return s.ID == snapshot }) {
			return fault.Coded(fault.SnapshotUnmatched, fault.Data{"name": from}, "cannot fork session %s: it has no snapshot %.12s", from, safetext.Line(snapshot))
		}
		info.Head = snapshot
	}
	if err := m.snapshots.verify(ctx, info.Head); err != nil {
		return unusable(from, "fork", err)
	}
	info.Snapshots = slices.DeleteFunc(info.Snapshots, func(s SnapshotInfo) bool { return s.ID != info.Head })
	info.Name, info.Forked, info.Created, info.Used = to, from, time.Now().UTC(), time.Now().UTC()
	return m.writeNamed(info)
}

// RenameNamed gives a named session another name. It waits while a command has
// it open. A crash in between leaves it under both names, whole.
func (m *Manager) RenameNamed(ctx context.Context, from, to string) error {
	if _, err := m.readNamed(from); err != nil {
		return err
	}
	if from == to {
		return nil
	}
	// In the order of the names: two renames at once cannot wait for each other.
	for _, name := range slices.Sorted(slices.Values([]string{from, to})) {
		unlock, err := m.lockName(ctx, name, name == to, nil)
		if err != nil {
			return err
		}
		defer unlock()
	}
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = m.readNamed(to)
	taken := fault.KindOf(err) != fault.NotFound
	info, err := m.readNamed(from)
	switch {
	case err == nil && taken:
		return fault.Coded(fault.SessionExists, fault.Data{"name": to}, "cannot rename session %s: %s exists already", from, to)
	case err == nil:
		info.Name = to
		err = m.writeNamed(info)
	}
	gone := filepath.Join(m.names, from)
	if err != nil {
		if taken {
			return err
		}
		gone = filepath.Join(m.names, to) // made for the lock
	}
	if e := m.owner.discard(gone); e != nil {
		err = errors.Join(err, fmt.Errorf("cannot rename session %s: %w", from, e))
	}
	return err
}

// RollbackNamed makes a snapshot the head: the one before the head when id is
// empty. id may be an unambiguous prefix. Later snapshots stay in the log.
func (m *Manager) RollbackNamed(ctx context.Context, name, id string) (string, error) {
	unlock, err := m.lockName(ctx, name, false, nil)
	if err != nil {
		return "", err
	}
	defer unlock()
	info, err := m.readNamed(name)
	if err != nil {
		return "", err
	}
	if id == "" {
		i := slices.IndexFunc(info.Snapshots, func(s SnapshotInfo) bool { return s.ID == info.Head })
		if i < 0 || info.Snapshots[i].Parent == "" {
			return "", fault.New(fault.Conflict, "", "cannot roll back session %s: there is nothing before %.12s", name, info.Head)
		}
		id = info.Snapshots[i].Parent
	}
	var found []SnapshotInfo
	for _, s := range info.Snapshots {
		if strings.HasPrefix(s.ID, id) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		what := "no snapshot"
		if len(found) > 1 {
			what = "more than one snapshot"
		}
		return "", fault.Coded(fault.SnapshotUnmatched, fault.Data{"name": name}, "cannot roll back session %s: %s begins with %s", name, what, id)
	}
	snap, h, err := m.snapshots.take(found[0].ID)
	if err != nil {
		return "", err
	}
	defer h.release()
	// What is packed becomes files now, so that the next command begins at once.
	release, err := m.snapshots.ready(ctx, snap)
	if err != nil {
		return "", err
	}
	release()
	// What it stood at stays files until the next step is saved: who rolls back waits
	// long enough, and may go forth again.
	info.Head, info.Used = found[0].ID, time.Now().UTC()
	return info.Head, m.writeNamed(info)
}

// RemoveNamed removes a named session and the snapshots that no other one has.
func (m *Manager) RemoveNamed(ctx context.Context, name string) error {
	unlockName, err := m.lockName(ctx, name, false, nil)
	if err != nil {
		return err
	}
	defer unlockName()
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// A session whose description is damaged, or not ours, can be removed, too: which
	// snapshots it had is not known then, and they are left.
	info, err := m.readNamed(name)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return err
	case err != nil:
		info = NamedInfo{}
	}
	if err := m.owner.discard(filepath.Join(m.names, name)); err != nil {
		return fmt.Errorf("cannot remove session %s: %w", name, err)
	}
	if err := m.release(info.Snapshots, false); err != nil {
		return err
	}
	return m.sweepChunks(ctx)
}

// release removes those of the snapshots that no named session refers to. The
// lock of lockAll is held. What a live session may need is left to be collected
// later, unless force is set.
func (m *Manager) release(snaps []SnapshotInfo, force bool) error {
	if len(snaps) == 0 {
		return nil
	}
	used, err := m.referred()
	if fault.KindOf(err) == fault.Conflict {
		return nil // what a damaged description refers to cannot be known: remove nothing
	}
	if err != nil {
		return fmt.Errorf("cannot remove snapshots: %w", err)
	}
	var errs []error
	for _, s := range snaps {
		if used[s.ID] || !validID(s.ID) {
			continue
		}
		dir := filepath.Join(m.snapshots.dir, s.ID)
		if force {
			errs = append(errs, m.owner.discard(dir))
			continue
		}
		_, err := m.owner.discardUnheld(dir, false)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// referred returns the snapshots that named sessions refer to. A description
// that is damaged is a fault.Conflict.
func (m *Manager) referred() (map[string]bool, error) { return m.referredBeside(nil) }

// eachNamed calls f with every named session, whoever wrote it: what may be meant stays.
func (m *Manager) eachNamed(f func(NamedInfo)) error {
	entries, err := os.ReadDir(m.names)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !nameRule.MatchString(e.Name()) {
			continue
		}
		info, err := m.peekNamed(e.Name())
		if fault.KindOf(err) == fault.NotFound {
			continue // being made
		}
		if err != nil {
			return err
		}
		f(info)
	}
	return nil
}

// peekNamed reads the description of a named session, whoever wrote it.
func (m *Manager) peekNamed(name string) (NamedInfo, error) {
	if err := CheckName(name); err != nil {
		return NamedInfo{}, err
	}
	b, err := bounded.ReadFile(filepath.Join(m.names, name, namedFile), maxDescription)
	if errors.Is(err, os.ErrNotExist) {
		return NamedInfo{}, missing(name)
	}
	if err != nil {
		return NamedInfo{}, fmt.Errorf("cannot open session %s: %w", name, err)
	}
	info, err := parseNamed(name, b)
	if err == nil {
		info.Unsealed = m.cfg.Seals.Decode(namedKind, name, b, &NamedInfo{}) != nil
	}
	return info, err
}

// parseNamed reads a description of the session called name, whoever wrote it.
func parseNamed(name string, b []byte) (info NamedInfo, err error) {
	if seal.Peek(b, &info) != nil || info.Name != name {
		return NamedInfo{}, fault.Coded(fault.SessionDamaged, fault.Data{"name": name}, "cannot open session %s: its description is damaged", name)
	}
	valid := validID(info.Head)
	for _, s := range info.Snapshots {
		valid = valid && validID(s.ID)
	}
	if info.Version == metaVersion && !valid {
		return NamedInfo{}, fault.Coded(fault.SessionDamaged, fault.Data{"name": name}, "cannot open session %s: its description is damaged", name)
	}
	if info.Version != metaVersion {
		return NamedInfo{}, otherFormat("cannot open session "+name, info.Version)
	}
	return info, nil
}

// namedFile describes a named session, and namedKind is what its seal is for.
const (
	namedFile = "session.json"
	namedKind = "session"
	// maxDescription bounds the descriptions that are read back.
	maxDescription = 8 << 20
)

// readNamed reads the description of a named session, which our key has sealed.
func (m *Manager) readNamed(name string) (NamedInfo, error) {
	info, err := m.peekNamed(name)
	if err == nil && info.Unsealed {
		err = unsealed("cannot open session "+name, "the session "+name, seal.ErrBroken)
	}
	return info, err
}

func (m *Manager) writeNamed(info NamedInfo) error {
	b, err := m.cfg.Seals.Encode(namedKind, info.Name, info)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(m.names, info.Name, namedFile), b); err != nil {
		return fmt.Errorf("cannot save session %s: %w", info.Name, noSpace(err))
	}
	return nil
}

func missing(name string) error {
	return fault.Coded(fault.SessionMissing, fault.Data{"name": name}, "cannot open session %s: it does not exist", name)
}

// otherFormat refuses a description that another version of Praxis wrote.
func otherFormat(what string, version int) error {
	return fault.Coded(fault.NewerFormat, fault.Data{"format": strconv.Itoa(version), "known": strconv.Itoa(metaVersion)},
		"%s: it has format %d, this version of Praxis reads %d", what, version, metaVersion)
}

// CheckName refuses what cannot be the name of a session.
func CheckName(name string) error {
	if nameRule.MatchString(name) {
		return nil
	}
	return fault.New(fault.Invalid, "Use letters, digits, '.', '_' and '-', at most 64, beginning with a letter or a digit.",
		"cannot use %q as a session's name", name)
}

// lockName takes the lock of one name and makes its folder when create is set.
func (m *Manager) lockName(ctx context.Context, name string, create bool, waiting func()) (func(), error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	dir := filepath.Join(m.names, name)
	for {
		if create {
			if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
				return nil, fmt.Errorf("cannot make session %s: %w", name, noSpace(err))
			}
		}
		unlock, err := lockFile(ctx, filepath.Join(dir, "lock"), waiting)
		if errors.Is(err, os.ErrNotExist) {
			if create {
				continue // removed while we waited
			}
			return nil, missing(name)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot open session %s: %w", name, err)
		}
		return unlock, nil
	}
}

// lockAll takes the lock that guards which snapshots are referred to.
func (m *Manager) lockAll(ctx context.Context) (func(), error) {
	unlock, err := lockFile(ctx, filepath.Join(m.names, ".lock"), nil)
	if err != nil {
		return nil, fmt.Errorf("cannot lock sessions: %w", err)
	}
	return unlock, nil
}
