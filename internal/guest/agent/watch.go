package agent

import (
	"io/fs"
	"os"
	"slices"
	"time"

	"praxis/internal/guest/wire"
)

// Bounds of a watch. It looks at the files again and again: that needs nothing
// of the kernel that a snapshot would have to carry over.
const (
	watchEvery  = 250 * time.Millisecond
	maxWatched  = 20_000  // entries
	watchBytes  = 4 << 20 // bytes of their paths
	maxWatchers = 16
	watchShare  = 20 // a look may take one part in so many of the time
)

// mark is what a file is recognised by.
type mark struct {
	size    int64
	mode    fs.FileMode
	modTime time.Time
}

// watch reports changes until the host gives it up.
func (s *server) watch(req *request, args wire.Watch) (none, error) {
	s.mu.Lock()
	full := s.watchers >= maxWatchers
	if !full {
		s.watchers++
	}
	s.mu.Unlock()
	if full {
		return none{}, failf("exhausted", "End another watch first.", "cannot watch: %d watches are open, the limit is %d", maxWatchers, maxWatchers)
	}
	defer func() {
		s.mu.Lock()
		s.watchers--
		s.mu.Unlock()
	}()
	before, _, err := s.marks(args)
	if err != nil {
		return none{}, err
	}
	if err := req.event(wire.Change{Type: wire.Rescan, Path: args.Path}); err != nil {
		return none{}, err
	}
	pause := watchEvery
	for {
		if err := req.sleep(pause); err != nil {
			return none{}, err
		}
		now, took, err := s.marks(args)
		if err != nil {
			return none{}, err
		}
		if err := sendChanges(req, before, now); err != nil {
			return none{}, err
		}
		before = now
		pause = max(watchEvery, watchShare*took)
	}
}

// marks looks at what is watched. That it is gone is no error: it may come back.
func (s *server) marks(args wire.Watch) (map[string]mark, time.Duration, error) {
	began := time.Now()
	all := map[string]mark{}
	err := s.inRoot(args.Path, func(root *os.Root, base, rel string) error {
		st, err := root.Lstat(rel)
		if err != nil {
			return err
		}
		if !st.IsDir() {
			all[join(base, rel)] = mark{st.Size(), st.Mode(), st.ModTime()}
			return nil
		}
		w, err := newWalker("watch "+join(base, rel), "Watch a folder further down.", base, budget{maxWatched, watchBytes})
		if err != nil {
			return err
		}
		w.deep = args.Recursive
		w.leftOut = func(string, string) error { return nil }
		w.visit = func(e found) error {
			m := mark{size: e.Size(), mode: e.Mode(), modTime: e.ModTime()}
			if e.IsDir() { // what is in it speaks for itself
				m = mark{mode: e.Mode()}
			}
			all[e.path] = m
			return nil
		}
		return w.walk(root, rel)
	})
	if err != nil && asFailure(err).kind == "not_found" {
		return map[string]mark{}, time.Since(began), nil
	}
	return all, time.Since(began), err
}

func sendChanges(req *request, before, now map[string]mark) error {
	var changes []wire.Change
	for path, m := range now {
		switch old, ok := before[path]; {
		case !ok:
			changes = append(changes, wire.Change{Type: wire.Created, Path: path})
		case old.size != m.size || old.mode != m.mode || !old.modTime.Equal(m.modTime):
			changes = append(changes, wire.Change{Type: wire.Modified, Path: path})
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			changes = append(changes, wire.Change{Type: wire.Removed, Path: path})
		}
	}
	slices.SortFunc(changes, func(a, b wire.Change) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	for _, c := range changes {
		if err := req.event(c); err != nil {
			return err
		}
	}
	return nil
}
