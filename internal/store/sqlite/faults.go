package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"praxis/fault"
	"praxis/internal/atomicfile"
)

const codeBusy = sqlite3.SQLITE_BUSY

// code returns SQLite's code of an error, or 0.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// noSpace says whether the file that readers share could not be made as large as
// it must be: SQLite has a code of its own for that.
func noSpace(err error) bool { return code(err) == sqlite3.SQLITE_IOERR_SHMSIZE }

// failed says what could not be done, as the fault that it is.
func (d *DB) failed(ctx context.Context, what string, err error) error {
	if fault.KindOf(err) != fault.Internal {
		return fmt.Errorf("cannot %s: %w", what, err)
	}
	if cause := context.Cause(ctx); cause != nil {
		return fault.New(fault.Canceled, "", "cannot %s: %w", what, cause)
	}
	dir := filepath.Dir(d.path)
	primary := code(err) & 0xff
	switch {
	case primary == sqlite3.SQLITE_CORRUPT, primary == sqlite3.SQLITE_NOTADB, primary == sqlite3.SQLITE_FORMAT:
		return fmt.Errorf("cannot %s: %w", what, damaged(d.path, err))
	case primary == sqlite3.SQLITE_FULL, noSpace(err), atomicfile.Full(err):
		return fault.Coded(fault.DiskFull, fault.Data{"folder": dir}, "cannot %s: the disk is full: %w", what, err)
	case primary == sqlite3.SQLITE_BUSY, primary == sqlite3.SQLITE_LOCKED:
		return fault.Coded(fault.DatabaseLocked, fault.Data{"file": d.path}, "cannot %s: another process has been writing %s for %s: %w", what, d.path, d.wait, err)
	case primary == sqlite3.SQLITE_READONLY, primary == sqlite3.SQLITE_PERM, primary == sqlite3.SQLITE_CANTOPEN,
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Coded(fault.FolderUnwritable, fault.Data{"folder": dir}, "cannot %s: %s: %w", what, d.path, err)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}

// ErrDamaged is in the chain of every fault of a file that is no database, or no
// longer one.
var ErrDamaged = errors.New("the database is damaged")

// damage is a cause with ErrDamaged in its chain and not in its text.
type damage struct{ error }

// Unwrap returns the cause.
func (d damage) Unwrap() error { return d.error }

// Is says that it is an ErrDamaged.
func (d damage) Is(target error) bool { return target == ErrDamaged }

// damaged is the fault of a file that is no database, or no longer one.
func damaged(path string, err error) *fault.Error {
	return fault.Coded(fault.DatabaseDamaged, fault.Data{"file": path}, "%s is damaged: %w", path, damage{err})
}

// maxName is how long buckets, keys, kinds and ids may be, in bytes.
const maxName = 256

// checkNames refuses what cannot name something: each name is followed by what it names.
func checkNames(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		name, what := pairs[i], pairs[i+1]
		if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return fault.New(fault.Invalid, "Give 1 to 256 bytes of UTF-8 without a zero byte.", "%.80q cannot be a %s", name, what)
		}
	}
	return nil
}
