package envd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/registry"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/live"
)

// The messages of filesystem.Filesystem, as JSON of Protocol Buffers has them.
type (
	pathRequest struct {
		Path string `json:"path"`
	}
	moveRequest struct {
		Source      string `json:"source"`
		Destination string `json:"destination"`
	}
	listRequest struct {
		Path  string `json:"path"`
		Depth number `json:"depth"`
	}
	watchRequest struct {
		Path         string `json:"path"`
		Recursive    bool   `json:"recursive"`
		IncludeEntry bool   `json:"includeEntry"`
	}
	watcherRequest struct {
		WatcherID string `json:"watcherId"`
	}
	watcherMade struct {
		WatcherID string `json:"watcherId"`
	}
	entryReply struct {
		Entry entryInfo `json:"entry"`
	}
	listReply struct {
		Entries []entryInfo `json:"entries"`
	}
	eventsReply struct {
		Events []fileEvent `json:"events"`
	}
)

// entryInfo describes a file or a folder.
type entryInfo struct {
	Name        string            `json:"name"`
	Type        string            `json:"type,omitempty"`
	Path        string            `json:"path"`
	Size        string            `json:"size"`
	Mode        uint32            `json:"mode"`
	Permissions string            `json:"permissions"`
	Owner       string            `json:"owner"`
	Group       string            `json:"group"`
	Modified    time.Time         `json:"modifiedTime"`
	Target      *string           `json:"symlinkTarget,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	IsSymlink   bool              `json:"isSymlink,omitempty"`
}

// fileEvent is a change of a file.
type fileEvent struct {
	Name  string     `json:"name"`
	Type  string     `json:"type"`
	Entry *entryInfo `json:"entry,omitempty"`
}

// watchMessage is a message of a watch; one field is set.
type watchMessage struct {
	Start      *empty     `json:"start,omitempty"`
	Filesystem *fileEvent `json:"filesystem,omitempty"`
	Keepalive  *empty     `json:"keepalive,omitempty"`
}

// watcher is a watch whose changes a client fetches again and again.
type watcher struct {
	watch   *live.Watch
	root    string
	entries bool
	seen    int64 // the last entry of its log that was taken
}

// Bounds of listings and watches.
const (
	maxWatchers = 32  // of a sandbox
	maxDepth    = 100 // levels of a listing
)

func (d *Daemon) fileMethods() []method {
	const service = "filesystem.Filesystem/"
	return []method{
		unary(service+"Stat", false, func(ctx context.Context, c *call, in pathRequest) (entryReply, error) {
			return d.entryReply(ctx, c, in.Path)
		}),
		unary(service+"MakeDir", true, d.makeFolder),
		unary(service+"Move", true, d.move),
		unary(service+"ListDir", false, d.list),
		unary(service+"Remove", true, d.remove),
		streaming(service+"WatchDir", false, d.watch),
		unary(service+"CreateWatcher", false, d.makeWatcher),
		unary(service+"GetWatcherEvents", false, d.watcherEvents),
		unary(service+"RemoveWatcher", false, d.removeWatcher),
	}
}

// entry describes a file. One that is not there is an error of the code not_found.
func (d *Daemon) entry(ctx context.Context, c *call, s *app.Session, name string) (out entryInfo, info app.FileInfo, err error) {
	if info, err = s.Stat(ctx, name); err != nil {
		return out, info, named(err, name)
	}
	return entryOf(info, d.cfg.Marks(c.ID)), info, nil
}

// named words that a file is not there.
func named(err error, name string) error {
	if fault.KindOf(err) == fault.NotFound {
		return &rpcError{codeNotFound, "path '" + safetext.Clip(safetext.Line(name), 300) + "' does not exist"}
	}
	return err
}

// maxLinks bounds the symbolic links that lead from one to another.
const maxLinks = 10

// behind returns what a path means once the symbolic links at its end are followed. One that
// is not there is returned as it is, with what went wrong.
func behind(ctx context.Context, s *app.Session, name string) (string, app.FileInfo, error) {
	for range maxLinks {
		info, err := s.Stat(ctx, name)
		if err != nil || info.Kind != "symlink" {
			return name, info, err
		}
		to := info.Target
		if !path.IsAbs(to) {
			to = path.Dir(name) + "/" + to
		}
		name = path.Clean(to)
	}
	return name, app.FileInfo{}, &rpcError{codeInvalid, "there are too many symbolic links"}
}

// entryOf describes a file as clients know it. All that sessions let clients at is their user's.
func entryOf(i app.FileInfo, marks map[string]registry.Marks) entryInfo {
	mode := fs.FileMode(i.Mode & 0o777)
	out := entryInfo{Name: path.Base(i.Path), Path: i.Path, Size: strconv.FormatInt(i.Bytes, 10), Mode: i.Mode, Owner: User, Group: User, Modified: i.Changed, Metadata: marks[i.Path]}
	switch i.Kind {
	case "file":
		out.Type = "FILE_TYPE_FILE"
	case "folder":
		out.Type, mode = "FILE_TYPE_DIRECTORY", mode|fs.ModeDir
	case "symlink":
		out.Type, out.Target, out.IsSymlink, mode = "FILE_TYPE_SYMLINK", &i.Target, true, mode|fs.ModeSymlink
	}
	out.Permissions = mode.String()
	return out
}

// inSession opens the sandbox and calls f with a path in it.
func (d *Daemon) inSession(ctx context.Context, c *call, name string, f func(s *app.Session, name string) error) error {
	name, err := locate(name)
	if err != nil {
		return err
	}
	return c.Tenant.Hub.Use(ctx, c.ID, func(s *app.Session) error { return f(s, name) })
}

func (d *Daemon) entryReply(ctx context.Context, c *call, name string) (out entryReply, err error) {
	err = d.inSession(ctx, c, name, func(s *app.Session, name string) (err error) {
		out.Entry, _, err = d.entry(ctx, c, s, name)
		return err
	})
	return out, err
}

func (d *Daemon) makeFolder(ctx context.Context, c *call, in pathRequest) (out entryReply, err error) {
	err = d.inSession(ctx, c, in.Path, func(s *app.Session, name string) error {
		switch info, err := s.Stat(ctx, name); {
		case err == nil && info.Kind == "folder":
			return &rpcError{codeExists, "directory already exists: " + safetext.Line(name)}
		case err == nil:
			return &rpcError{codeInvalid, "path already exists but it is not a directory: " + safetext.Line(name)}
		case fault.KindOf(err) != fault.NotFound:
			return err
		}
		if err := s.MakeFolder(ctx, name); err != nil {
			return err
		}
		out.Entry, _, err = d.entry(ctx, c, s, name)
		return err
	})
	return out, err
}

func (d *Daemon) move(ctx context.Context, c *call, in moveRequest) (out entryReply, err error) {
	to, err := locate(in.Destination)
	if err != nil {
		return out, err
	}
	err = d.inSession(ctx, c, in.Source, func(s *app.Session, from string) error {
		if _, err := s.Stat(ctx, from); err != nil {
			return named(err, from)
		}
		if err := s.MakeFolder(ctx, path.Dir(to)); err != nil && !slices.Contains(roots, path.Dir(to)) {
			return err
		}
		if err := s.MoveFile(ctx, from, to); err != nil {
			return named(err, from)
		}
		if err := d.moveMarks(c.ID, from, to); err != nil {
			return err
		}
		out.Entry, _, err = d.entry(ctx, c, s, to)
		return err
	})
	return out, err
}

// moveMarks lets what was noted of files go with them; to "" removes it.
func (d *Daemon) moveMarks(id, from, to string) error {
	below := func(name string) bool { return name == from || strings.HasPrefix(name, from+"/") }
	any := false
	for name := range d.cfg.Marks(id) {
		any = any || below(name)
	}
	if !any {
		return nil
	}
	return d.cfg.Mark(id, func(all map[string]registry.Marks) error {
		moved := map[string]registry.Marks{}
		for name, marks := range all {
			if below(name) {
				delete(all, name)
				if to != "" {
					moved[to+strings.TrimPrefix(name, from)] = marks
				}
			}
		}
		for name, marks := range moved {
			all[name] = marks
		}
		return nil
	})
}

func (d *Daemon) list(ctx context.Context, c *call, in listRequest) (listReply, error) {
	out := listReply{[]entryInfo{}}
	depth := max(int(in.Depth), 1)
	if depth > maxDepth {
		return out, &rpcError{codeInvalid, fmt.Sprintf("a listing has at most %d levels", maxDepth)}
	}
	err := d.inSession(ctx, c, in.Path, func(s *app.Session, name string) error {
		given := name
		name, info, err := behind(ctx, s, name)
		switch {
		case err != nil:
			return named(err, given)
		case info.Kind != "folder":
			return &rpcError{codeInvalid, "path is not a directory: " + safetext.Line(name)}
		}
		files, err := s.List(ctx, name, depth > 1)
		if err != nil {
			return named(err, name)
		}
		marks := d.cfg.Marks(c.ID)
		for _, f := range files {
			rel := strings.TrimPrefix(strings.TrimPrefix(f.Path, name), "/")
			if rel != "" && strings.Count(rel, "/") < depth {
				out.Entries = append(out.Entries, entryOf(f, marks))
			}
		}
		return nil
	})
	slices.SortFunc(out.Entries, func(a, b entryInfo) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

func (d *Daemon) remove(ctx context.Context, c *call, in pathRequest) (empty, error) {
	return empty{}, d.inSession(ctx, c, in.Path, func(s *app.Session, name string) error {
		if err := s.RemoveFile(ctx, name, true); err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		return d.moveMarks(c.ID, name, "")
	})
}

// begin begins to watch a folder.
func (d *Daemon) begin(ctx context.Context, c *call, in watchRequest) (*watcher, error) {
	w := &watcher{entries: in.IncludeEntry}
	err := d.inSession(ctx, c, in.Path, func(s *app.Session, name string) error {
		given := name
		name, info, err := behind(ctx, s, name)
		if err != nil {
			return named(err, given)
		}
		if info.Kind != "folder" {
			return &rpcError{codeInvalid, "path is not a directory: " + safetext.Line(name)}
		}
		w.root = name
		return nil
	})
	if err == nil {
		w.watch, err = c.Tenant.Hub.Watch(ctx, c.ID, w.root, in.Recursive)
	}
	return w, err
}

// eventsOf reads an entry of a watch's log as clients know it: none where it says nothing to
// them, and two of a file that was created and written to.
func (d *Daemon) eventsOf(ctx context.Context, c *call, w *watcher, e live.Entry) []fileEvent {
	var change app.FileChange
	if err := json.Unmarshal(e.Data, &change); err != nil {
		return nil
	}
	out := fileEvent{
		Type: map[string]string{"created": "EVENT_TYPE_CREATE", "modified": "EVENT_TYPE_WRITE", "removed": "EVENT_TYPE_REMOVE"}[change.Type],
		Name: strings.TrimPrefix(strings.TrimPrefix(path.Clean(change.Path), w.root), "/"),
	}
	if out.Type == "" || out.Name == "" {
		return nil
	}
	if change.Type == "removed" {
		return []fileEvent{out}
	}
	var info app.FileInfo
	_ = d.inSession(ctx, c, change.Path, func(s *app.Session, name string) error { // it may be gone
		entry, found, err := d.entry(ctx, c, s, name)
		if info = found; err == nil && w.entries {
			out.Entry = &entry
		}
		return nil
	})
	all := []fileEvent{out}
	if change.Type == "created" && info.Kind == "file" && info.Bytes > 0 {
		out.Type = "EVENT_TYPE_WRITE"
		all = append(all, out)
	}
	return all
}

func (d *Daemon) watch(ctx context.Context, c *call, in watchRequest) error {
	w, err := d.begin(ctx, c, in)
	if err != nil {
		return err
	}
	defer w.watch.Interrupt()
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	if err := c.send(watchMessage{Start: &empty{}}); err != nil {
		return err
	}
	err = w.watch.Log.Read(ctx, 0, live.Reader{
		Entry: func(e live.Entry) error {
			for _, change := range d.eventsOf(ctx, c, w, e) {
				if err := c.send(watchMessage{Filesystem: &change}); err != nil {
					return err
				}
			}
			return nil
		},
		Lost:  func(int64) error { return &rpcError{codeDataLoss, "there were more changes than are stored"} },
		Still: func() error { return c.send(watchMessage{Keepalive: &empty{}}) },
	})
	if err == nil {
		return target.ErrOver // a watch ends with its client, or with the sandbox
	}
	return err
}

func (d *Daemon) makeWatcher(ctx context.Context, c *call, in watchRequest) (watcherMade, error) {
	w, err := d.begin(ctx, c, in)
	if err != nil {
		return watcherMade{}, err
	}
	id := registry.NewID()
	d.mu.Lock()
	m := d.of(c.ID)
	full := len(m.watchers) >= maxWatchers
	if !full {
		m.watchers[id] = w
	}
	d.mu.Unlock()
	if full {
		w.watch.Interrupt()
		return watcherMade{}, &rpcError{codeExhausted, fmt.Sprintf("the sandbox has %d watchers: remove some", maxWatchers)}
	}
	return watcherMade{id}, nil
}

func (d *Daemon) watcher(c *call, id string) (*watcher, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.of(c.ID).watchers[id]; w != nil {
		return w, nil
	}
	return nil, &rpcError{codeNotFound, "watcher with id " + safetext.Clip(safetext.Line(id), 60) + " not found"}
}

// errSoFar ends the reading of a log at what there is.
var errSoFar = errors.New("there is nothing more yet")

func (d *Daemon) watcherEvents(ctx context.Context, c *call, in watcherRequest) (eventsReply, error) {
	out := eventsReply{[]fileEvent{}}
	w, err := d.watcher(c, in.WatcherID)
	if err != nil {
		return out, err
	}
	last := w.watch.Log.Last()
	d.mu.Lock()
	after := w.seen
	w.seen = max(w.seen, last)
	d.mu.Unlock()
	if after >= last {
		return out, nil
	}
	err = w.watch.Log.Read(ctx, after, live.Reader{Entry: func(e live.Entry) error {
		if e.Seq <= last {
			out.Events = append(out.Events, d.eventsOf(ctx, c, w, e)...)
		}
		if e.Seq >= last {
			return errSoFar
		}
		return nil
	}})
	if errors.Is(err, errSoFar) {
		err = nil
	}
	return out, err
}

func (d *Daemon) removeWatcher(_ context.Context, c *call, in watcherRequest) (empty, error) {
	w, err := d.watcher(c, in.WatcherID)
	if err != nil {
		return empty{}, err
	}
	d.mu.Lock()
	delete(d.of(c.ID).watchers, in.WatcherID)
	d.mu.Unlock()
	w.watch.Interrupt()
	return empty{}, nil
}
