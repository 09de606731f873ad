package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"praxis/internal/bounded"
	"praxis/internal/config"
	"praxis/internal/record/journal"
	"praxis/internal/record/memory"
	"praxis/internal/store/files"
	"praxis/internal/store/sqlite"
)

// Records is what is kept of runs. It needs no sandbox, and opening it writes
// nothing.
type Records struct {
	Journal *journal.Journal
	Memory  *memory.Memory
	Files   *files.Store
	DB      *sqlite.DB
}

// openRecords opens the records of the data folder.
func openRecords(o Options) (*Records, error) {
	c := o.Config
	fileStore, err := files.Open(c.Home, files.Options{Quota: c.Journal.BlobBytes})
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(database(c))
	if err != nil {
		return nil, err
	}
	r := &Records{Files: fileStore, DB: db}
	r.Journal, err = journal.Open(journal.Config{
		Logs: fileStore.Logs(), Blobs: fileStore.Blobs(), Index: db.Index(),
		Dir: c.Home, Keys: filepath.Join(c.Home, "keys"), Key: c.Journal.Key,
		Secrets: secrets(o.Environ), Program: o.Version, User: userName(), Host: hostName(), Now: o.Now, Watch: o.Watch,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	r.Memory, err = memory.New(memory.Config{KV: db.KV(), Index: db.Index(), Blobs: fileStore.Blobs(), Redact: r.Journal.Redact})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// userName is who runs this process: a name, where there is one, and the number.
func userName() string {
	uid := strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(uid); err == nil && u.Username != "" {
		return u.Username + " (" + uid + ")"
	}
	return uid
}

// hostName is the name of this machine, or "".
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// database is the file of the database.
func database(c config.Config) string { return filepath.Join(c.Home, "praxis.db") }

// moveDamagedDatabase moves the database out of the way when err says that it is
// damaged, and returns where it is then; "" when err says something else. The
// records are to be closed before. What can be built again is built when they
// are opened the next time; threads and notes stay in the file that was moved.
func moveDamagedDatabase(c config.Config, err error, now time.Time) (string, error) {
	if !errors.Is(err, sqlite.ErrDamaged) {
		return "", nil
	}
	return sqlite.MoveDamaged(database(c), now)
}

// Close closes the database.
func (r *Records) Close() error {
	if err := r.DB.Close(); err != nil {
		return fmt.Errorf("cannot close the database: %w", err)
	}
	return nil
}

// maxContent bounds a content that is read at once.
const maxContent = 64 << 20

// Content returns what is kept under a hash, such as a history that was condensed.
func (r *Records) Content(ctx context.Context, sum string) (data []byte, err error) {
	from, err := r.Journal.Blob(ctx, sum)
	if err != nil {
		return nil, err
	}
	if data, err = bounded.ReadClose(from, maxContent); err != nil {
		return nil, fmt.Errorf("cannot read content %s: %w", sum, err)
	}
	return data, nil
}

// minSecret is the least length of a value that can be distinguished from ordinary text.
const minSecret = 8

// secrets returns the variables whose names say that their values are secret.
func secrets(environ []string) map[string]string {
	out := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= minSecret && secretName(strings.ToUpper(name)) {
			out[name] = value
		}
	}
	return out
}

// secretWords are parts of names, between underscores, that say so.
var secretWords = map[string]bool{
	"KEY": true, "APIKEY": true, "TOKEN": true, "SECRET": true, "SECRETS": true, "PASSWORD": true, "PASSWD": true,
	"PASSPHRASE": true, "CREDENTIAL": true, "CREDENTIALS": true, "PAT": true, "AUTH": true,
}

func secretName(name string) bool {
	for word := range strings.SplitSeq(name, "_") {
		if secretWords[word] {
			return true
		}
	}
	return strings.HasSuffix(name, "PASSWORD") || strings.HasSuffix(name, "TOKEN") || strings.HasSuffix(name, "SECRET")
}
