package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// maxHolds bounds how many of its snapshots a session keeps from being
// collected. The one that it would go back to is always among the newest.
const maxHolds = 64

// hold keeps a snapshot or a template from being collected, by this process or
// another, for as long as a session may need it: a shared lock on its
// description, which goes with the process. A nil hold holds nothing.
type hold struct {
	name string
	f    *os.File
}

func (h *hold) release() {
	if h != nil {
		h.f.Close()
	}
}

// holdFolder holds what lies in the folder dir. What does not exist, or is just
// being removed, is a fault.NotFound.
func holdFolder(dir string) (*hold, error) {
	for range 200 {
		h, err := lockDescription(dir, unix.LOCK_SH)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if h != nil || err != nil {
			return h, err
		}
		time.Sleep(5 * time.Millisecond) // a collector looks at it: that is over at once
	}
	return nil, noSnapshot(filepath.Base(dir))
}

// lockDescription locks the description in the folder dir as how says. It
// returns nil when another lock is in the way.
func lockDescription(dir string, how int) (*hold, error) {
	path := filepath.Join(dir, metaFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if err != unix.EINTR {
			break
		}
	}
	if err == nil && !sameFile(f, path) {
		err = os.ErrNotExist // it was removed meanwhile
	}
	if err != nil {
		f.Close()
		if err == unix.EWOULDBLOCK {
			return nil, nil
		}
		return nil, err
	}
	return &hold{filepath.Base(dir), f}, nil
}

// take loads a snapshot that cannot be collected until the hold is released.
func (s Snapshots) take(name string) (Snapshot, *hold, error) {
	if _, err := s.load(name); err != nil { // its words on a bad name are the better ones
		return Snapshot{}, nil, err
	}
	h, err := holdFolder(filepath.Join(s.dir, name))
	if err != nil {
		return Snapshot{}, nil, err
	}
	snap, err := s.load(name)
	if err != nil {
		h.release()
		return Snapshot{}, nil, err
	}
	return snap, h, nil
}

// keep makes a hold the session's: it is released when the session is over, or
// when there are many that are newer.
func (s *Session) keep(h *hold) {
	if h == nil {
		return
	}
	s.mu.Lock()
	var old *hold
	if s.closed != "" {
		old = h
	} else if s.holds = append(s.holds, h); len(s.holds) > maxHolds {
		old, s.holds = s.holds[0], append([]*hold(nil), s.holds[1:]...)
	}
	s.mu.Unlock()
	old.release()
}

// letGo releases the session's holds of snapshots, whatever it needs them for.
func (s *Session) letGo(snaps []SnapshotInfo) {
	var old []*hold
	s.mu.Lock()
	s.holds = slices.DeleteFunc(s.holds, func(h *hold) bool {
		gone := slices.ContainsFunc(snaps, func(i SnapshotInfo) bool { return i.ID == h.name })
		if gone {
			old = append(old, h)
		}
		return gone
	})
	s.mu.Unlock()
	for _, h := range old {
		h.release()
	}
}

// useAge is how exactly it is known when a template was used last.
const useAge = time.Hour

// used notes that a template is used. When that cannot be written, it is only
// collected sooner.
func (s Snapshot) used() {
	now := time.Now()
	if st, err := os.Stat(s.dir); err == nil && now.Sub(st.ModTime()) > useAge {
		_ = os.Chtimes(s.dir, now, now)
	}
}
