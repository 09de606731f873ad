package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
)

// MoveDamaged moves a database that is damaged out of the way, with what belongs to
// it, so that the next write makes a new one. It returns the file's new path, or
// "" when there was none. Nothing is removed. No process should have it open.
func MoveDamaged(path string, now time.Time) (string, error) {
	d, err := Open(path)
	if err != nil {
		return "", err
	}
	if _, err := d.there(); errors.Is(err, errAbsent) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("cannot move the damaged database away: %w", err)
	}
	to := d.path + "-damaged-" + now.UTC().Format("20060102-150405")
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.Conflict, "Try again in a second.", "cannot move the damaged database away: %s is there already", to)
	}
	// The log first: a file without it is whole but older, a log without its
	// file would be taken for the next one's.
	for _, ending := range []string{"-wal", "-shm", ""} {
		err := os.Rename(d.path+ending, to+ending)
		if err != nil && (ending == "" || !errors.Is(err, fs.ErrNotExist)) {
			return "", fmt.Errorf("cannot move the damaged database away: %w", err)
		}
	}
	if err := atomicfile.Sync(filepath.Dir(d.path)); err != nil {
		return "", fmt.Errorf("cannot move the damaged database away: %w", err)
	}
	return to, nil
}
