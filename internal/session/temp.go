package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tempPrefix begins the name of everything that has no name of its own yet.
// After it comes the owner's token.
const tempPrefix = ".tmp-"

// owner is a manager's claim on the temporary folders that it makes: a locked
// file, which is free again however the process ends. Process ids would not do:
// they come again, and mean nothing to a container that shares the data folder.
type owner struct {
	token  string
	path   string
	unlock func()
}

// newOwner makes a claim in the folder dir.
func newOwner(ctx context.Context, dir string) (*owner, error) {
	o := &owner{token: randomHex(8)}
	o.path = filepath.Join(dir, o.token)
	var err error
	o.unlock, err = lockFile(ctx, o.path, nil)
	return o, err
}

// prefix begins the names of the owner's temporary folders.
func (o *owner) prefix() string { return tempPrefix + o.token + "-" }

// close gives the claim up. What is still temporary is swept by the next manager.
func (o *owner) close() error {
	err := os.Remove(o.path)
	o.unlock()
	return err
}

// sweep removes from folders what owners that no longer live left behind.
func sweep(owners string, folders ...string) error {
	dead := map[string]bool{}
	entries, err := os.ReadDir(owners)
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(owners, e.Name()), os.O_RDWR, 0)
		if err != nil {
			continue // it gave its claim up meanwhile
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			dead[e.Name()] = true
		}
		// At the end, so that a sweep that fails is tried again, and removed before it is
		// unlocked: an owner that made its file a moment ago and waits for the lock sees
		// that the file is gone, and makes another.
		defer func() {
			if dead[e.Name()] {
				os.Remove(f.Name())
			}
			f.Close()
		}()
	}
	var errs []error
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			rest, temporary := strings.CutPrefix(e.Name(), tempPrefix)
			token, _, _ := strings.Cut(rest, "-")
			if temporary && (dead[token] || !claimed(owners, token)) {
				errs = append(errs, os.RemoveAll(filepath.Join(folder, e.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// claimed says whether an owner's file exists: one that was closed in order left none.
func claimed(owners, token string) bool {
	_, err := os.Lstat(filepath.Join(owners, token))
	return token != "" && err == nil
}
