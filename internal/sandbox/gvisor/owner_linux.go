package gvisor

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	ownerPrefix = "o-"
	lockFile    = "lock"
	gateFile    = "gate"
	cgroupsFile = "cgroups.json"
)

// removeWait is how long the removal of a cgroup waits for the kernel to let go
// of killed processes.
const removeWait = 2 * time.Second

// owner is this backend's folder in the shared state folder.
type owner struct {
	dir  string
	lock *os.File // flocked as long as the owner lives
}

// withGate runs f while no other process makes or sweeps an owner's folder.
func withGate(base string, f func() error) error {
	gate, err := os.OpenFile(filepath.Join(base, gateFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer gate.Close()
	if err := unix.Flock(int(gate.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	return f()
}

// newOwner makes a folder under base and locks it.
func newOwner(base string) (*owner, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	start, err := startTime(os.Getpid())
	if err != nil {
		return nil, err
	}
	var n [4]byte
	if _, err := rand.Read(n[:]); err != nil {
		return nil, err
	}
	o := &owner{dir: filepath.Join(base, fmt.Sprintf("%s%d-%d-%s", ownerPrefix, os.Getpid(), start, hex.EncodeToString(n[:])))}
	err = withGate(base, func() error {
		if err := os.Mkdir(o.dir, 0o700); err != nil {
			return err
		}
		o.lock, err = os.OpenFile(filepath.Join(o.dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		return unix.Flock(int(o.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	})
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// close removes the folder and lets the lock go.
func (o *owner) close() error {
	err := os.RemoveAll(o.dir)
	if o.lock != nil {
		err = errors.Join(err, o.lock.Close())
	}
	return err
}

// record writes down which cgroups the sandbox in dir will have, before they
// are made, so that a sweep finds them.
func record(dir string, g map[string]string) error {
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, cgroupsFile), b, 0o600)
}

// sweep removes what the dead owners under base left and returns how many
// sandboxes those were.
func sweep(base string) (int, error) {
	swept := 0
	err := withGate(base, func() error {
		dirs, err := filepath.Glob(filepath.Join(base, ownerPrefix+"*"))
		if err != nil {
			return err
		}
		var errs []error
		for _, d := range dirs {
			n, err := sweepOwner(d)
			swept += n
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	return swept, err
}

// sweepOwner removes the owner's folder if nobody holds its lock. A folder without
// a lock is one that its owner is about to remove, or died while making: no owner
// makes one as long as we hold the gate.
func sweepOwner(dir string) (int, error) {
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0o600)
	switch {
	case err == nil:
		defer lock.Close()
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return 0, nil // alive
		}
	case errors.Is(err, os.ErrNotExist):
		err = nil
	}
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	swept := 0
	var errs []error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		swept++
		errs = append(errs, sweepCgroups(filepath.Join(dir, e.Name())))
	}
	if err := errors.Join(errs...); err != nil {
		return 0, err // keep the record: the next sweep tries again
	}
	return swept, os.RemoveAll(dir)
}

// sweepCgroups kills what is left in the cgroups that the sandbox in dir
// recorded and removes them. The kernel has killed the helper with its owner;
// this makes sure.
func sweepCgroups(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, cgroupsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	g := &cgroup{}
	if err := json.Unmarshal(b, &g.dirs); err != nil {
		return nil // died while writing it: the cgroups come after
	}
	// Never touch a folder that is not the very one that this sandbox had,
	// whatever the file says: what is found in it is killed.
	name := cgroupPrefix + strings.TrimPrefix(filepath.Base(filepath.Dir(dir)), ownerPrefix) + "-" + filepath.Base(dir)
	for ctrl, d := range g.dirs {
		if _, err := os.Lstat(d); errors.Is(err, os.ErrNotExist) {
			delete(g.dirs, ctrl) // gone already, or of another mount of the data folder
			continue
		}
		if filepath.Base(d) != name || !filepath.IsAbs(d) || !onCgroupFS(d) {
			return fmt.Errorf("cannot sweep %s: %s is not a sandbox's cgroup", dir, d)
		}
	}
	for _, pid := range g.pids() {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	return g.remove(removeWait)
}

// onCgroupFS says whether the folder is the kernel's.
func onCgroupFS(dir string) bool {
	var st unix.Statfs_t
	err := unix.Statfs(dir, &st)
	return err == nil && (st.Type == unix.CGROUP_SUPER_MAGIC || st.Type == unix.CGROUP2_SUPER_MAGIC)
}

// removeLost removes empty cgroups whose owner is dead and whose record is gone,
// as after the state folder was deleted by hand. It kills nothing.
func removeLost(p cgroupPlan) {
	for _, parent := range p.parents {
		names, err := readNames(parent)
		if err != nil {
			continue
		}
		for _, n := range names {
			if rest, ok := strings.CutPrefix(n, cgroupPrefix); ok && !ownerLives(rest) {
				_ = unix.Rmdir(filepath.Join(parent, n)) // refused unless it is empty
			}
		}
	}
}

// ownerLives reports whether the owner "pid-start-…" lives, or cannot be known.
func ownerLives(name string) bool {
	var pid int
	var start uint64
	if n, _ := fmt.Sscanf(name, "%d-%d-", &pid, &start); n != 2 {
		return true
	}
	now, err := startTime(pid)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	return err != nil || now == start
}
