// Package cache gives tests folders for what takes long to make and is the same in
// every run: an unpacked interpreter, the default image. They lie below the user's
// cache folder and outlive the run; whoever fills one keeps others from doing so
// at the same time.
package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unused is how long a folder is kept that no test asks for any more.
const unused = 7 * 24 * time.Hour

// Root returns the folder that holds all others, and makes it.
func Root() (string, error) {
	// Without a home, or one that can be written to, what is made lasts as long as
	// temporary files do.
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("praxis-test-%d", os.Getuid()))
	if base, err := os.UserCacheDir(); err == nil {
		if home := filepath.Join(base, "praxis-test"); os.MkdirAll(home, 0o700) == nil {
			return home, nil
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot make the cache of tests: %w", err)
	}
	return dir, nil
}

// Dir returns the folder called name for what key stands for, and makes it. Those
// of other keys go once nobody has used them for a week.
func Dir(name, key string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, name+"-"+key)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot make the cache of tests: %w", err)
	}
	now := time.Now()
	if err := os.Chtimes(dir, now, now); err != nil {
		return "", fmt.Errorf("cannot mark the cache of tests as used: %w", err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return "", fmt.Errorf("cannot list the cache of tests: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), name+"-") || now.Sub(info.ModTime()) < unused {
			continue
		}
		// What cannot be removed takes space and does no harm.
		_ = os.RemoveAll(filepath.Join(root, e.Name()))
	}
	return dir, nil
}
