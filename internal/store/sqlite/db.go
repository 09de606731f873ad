package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"praxis/fault"
	"praxis/internal/atomicfile"
)

const (
	// busy is how long one process waits for another that writes.
	busy = time.Minute
	// slice is how long SQLite waits at a time for another that writes.
	slice = 50 * time.Millisecond
	// readers is how many may read at once in one process.
	readers = 4
	// smallest is how many bytes the shortest database has.
	smallest = 512
	// application marks the file as ours: "PRXS".
	application = 0x50525853
)

// DB is a database file. Its methods may be called from several goroutines.
type DB struct {
	path       string
	migrations []migration
	wait       time.Duration // for another process that writes

	turn   chan struct{} // holds one while somebody opens or closes; what follows is theirs
	writer *sql.DB
	stmts  map[string]*sql.Stmt // of the writer; nil: none was needed yet
	reader *sql.DB
	frozen bool // the reader sees the file as it was when it was opened
	closed bool
}

// errAbsent says that there is no database yet.
var errAbsent = errors.New("there is no database yet")

// errClosed is what a database says after Close.
var errClosed = errors.New("the database is closed")

// Open returns the database at path. It does not look at the file yet: what is
// wrong with it is said by the first call that needs it.
func Open(path string) (*DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open database: %w", err)
	}
	return &DB{path: full, migrations: migrations[:], wait: busy, turn: make(chan struct{}, 1)}, nil
}

// KV returns the values of the database.
func (d *DB) KV() *KV { return &KV{d: d} }

// Index returns the documents of the database.
func (d *DB) Index() *Index { return &Index{d: d} }

// Close closes the database, after which nothing can be done with it.
func (d *DB) Close() error {
	d.turn <- struct{}{}
	defer d.giveUp()
	d.closed = true
	var errs []error
	// The writer last: who closes the last connection folds the log into the file.
	for _, pool := range []**sql.DB{&d.reader, &d.writer} {
		if *pool != nil {
			errs = append(errs, (*pool).Close())
			*pool = nil
		}
	}
	d.stmts = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cannot close database %s: %w", d.path, err)
	}
	return nil
}

// take waits until nobody else opens or closes. Who opens may have to wait for
// another process, so that the wait ends when the caller gives up.
func (d *DB) take(ctx context.Context) error {
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// giveUp ends what take began.
func (d *DB) giveUp() { <-d.turn }

// Ready makes the database if it is not there, and brings it up to date.
func (d *DB) Ready(ctx context.Context) error {
	if _, err := d.forWriting(ctx); err != nil {
		return d.failed(ctx, "open database", err)
	}
	return nil
}

// write runs do in a transaction that no other writer is beside.
func (d *DB) write(ctx context.Context, what string, do func(tx *sql.Tx) error) error {
	err := d.transact(ctx, do)
	if err != nil {
		return d.failed(ctx, what, err)
	}
	return nil
}

func (d *DB) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	pool, err := d.forWriting(ctx)
	if err != nil {
		return err
	}
	tx, err := d.begin(ctx, pool)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		// What the rollback says adds nothing: the cause is known.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// begin begins to write, once no other process does.
func (d *DB) begin(ctx context.Context, pool *sql.DB) (tx *sql.Tx, err error) {
	err = d.untilFree(ctx, func() error {
		tx, err = pool.BeginTx(ctx, nil)
		return err
	})
	return tx, err
}

// untilFree does what another process may be in the way of, again and again until
// it succeeds, the caller gives up, or the wait is over. SQLite's own wait knows
// of no callers who give up, so that it is short.
func (d *DB) untilFree(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, d.wait)
	defer cancel()
	for {
		err := do()
		if err == nil || code(err)&0xff != codeBusy {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// read runs do on a database that is there, from the beginning again when another
// process was in the way. errAbsent comes back as it is.
func (d *DB) read(ctx context.Context, what string, do func(pool *sql.DB) error) error {
	err := context.Cause(ctx)
	if err == nil {
		// SQLite does not always wait by itself: while another process closes its
		// last connection, or recovers what a dead one left, it says at once that
		// the file is busy.
		err = d.untilFree(ctx, func() error {
			pool, err := d.forReading(ctx)
			if err == nil {
				err = do(pool)
			}
			return err
		})
	}
	if err != nil && !errors.Is(err, errAbsent) {
		return d.failed(ctx, what, err)
	}
	return err
}

// forWriting returns the pool of the one connection that writes.
func (d *DB) forWriting(ctx context.Context) (*sql.DB, error) {
	if err := d.take(ctx); err != nil {
		return nil, err
	}
	defer d.giveUp()
	return d.openWriter(ctx)
}

func (d *DB) openWriter(ctx context.Context) (*sql.DB, error) {
	if d.closed {
		return nil, errClosed
	}
	if d.writer != nil {
		return d.writer, nil
	}
	if err := d.create(); err != nil {
		return nil, err
	}
	pool, err := d.pool("mode=rw&_txlock=immediate&_synchronous=FULL", min(d.wait, slice))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if err := d.prepare(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	d.writer = pool
	return pool, nil
}

// create makes an empty file, which is an empty database, unless there is one.
func (d *DB) create() error {
	dir := filepath.Dir(d.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if _, err := d.look(); !errors.Is(err, errAbsent) {
		return err
	}
	f, err := os.OpenFile(d.path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if errors.Is(err, fs.ErrExist) {
		_, err = d.look()
		return err
	}
	if err != nil {
		return err
	}
	// Nobody has it open in this process, so that this close gives up no lock
	// of SQLite's.
	if err := f.Close(); err != nil {
		return err
	}
	return atomicfile.Sync(dir)
}

// look checks what is at the path without opening it: to open and close it here
// would give up the locks that SQLite holds in this process.
func (d *DB) look() (fs.FileInfo, error) {
	info, err := d.there()
	if err == nil && info.Size() > 0 && info.Size() < smallest {
		// SQLite would take it for empty and write over it.
		return nil, damaged(d.path, fmt.Errorf("it has only %d bytes", info.Size()))
	}
	return info, err
}

// there says what is at the path, when it is a file of ours.
func (d *DB) there() (fs.FileInfo, error) {
	if err := atomicfile.Own(filepath.Dir(d.path)); errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	} else if err != nil {
		return nil, err
	}
	info, err := os.Lstat(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.Conflict, "Move it away: Praxis put no such thing there.", "%s is not a plain file", d.path)
	}
	return info, err
}

// forReading returns a pool of connections that only read.
func (d *DB) forReading(ctx context.Context) (*sql.DB, error) {
	if err := d.take(ctx); err != nil {
		return nil, err
	}
	defer d.giveUp()
	switch {
	case d.closed:
		return nil, errClosed
	case d.reader != nil && !d.frozen:
		return d.reader, nil
	}
	if d.frozen { // perhaps there is space again
		err := d.reader.Close()
		d.reader, d.frozen = nil, false
		if err != nil {
			return nil, err
		}
	}
	info, err := d.look()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		// Another process is about to fill it, or was.
		return nil, errAbsent
	}
	options, writable := "mode=rw&_query_only=1", canWrite(d.path) && canWrite(filepath.Dir(d.path))
	if !writable {
		if options, err = d.readOnly(); err != nil {
			return nil, err
		}
	}
	err = d.openReader(ctx, options, writable)
	if writable && noSpace(err) {
		// Nobody has it open, and what is there can be read on a full disk too.
		if options, err = d.readOnly(); err == nil {
			err = d.openReader(ctx, options, false)
			d.frozen = err == nil
		}
	}
	return d.reader, err
}

// openReader opens the pool of those that read.
func (d *DB) openReader(ctx context.Context, options string, writable bool) error {
	pool, err := d.pool(options, min(d.wait, slice))
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	if err := d.current(ctx, pool, writable); err != nil {
		pool.Close()
		return err
	}
	d.reader = pool
	return nil
}

// current sees to it that what is read is of the newest format.
func (d *DB) current(ctx context.Context, pool *sql.DB, writable bool) error {
	version, err := d.version(ctx, pool)
	switch {
	case err != nil || version == len(d.migrations):
		return err
	case version == 0:
		return errAbsent
	case writable:
		_, err = d.openWriter(ctx)
		return err
	}
	return fault.New(fault.Conflict, "Make the file and its folder writable once, so that it is brought up to date.",
		"%s is of format %d and cannot be brought to %d, because it cannot be written", d.path, version, len(d.migrations))
}

// readOnly returns how to open a file that cannot be written. What is in the
// log beside it must be read too; without one the file alone is all there is,
// and SQLite need not make the files that it cannot make.
func (d *DB) readOnly() (string, error) {
	info, err := os.Lstat(d.path + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0:
		return "mode=ro&immutable=1", nil
	case err != nil:
		return "", err
	}
	return "mode=ro", nil
}

// pool makes connections that wait for others. None is opened before it is used.
func (d *DB) pool(options string, wait time.Duration) (*sql.DB, error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: d.path, RawQuery: options +
		fmt.Sprintf("&_busy_timeout=%d", wait.Milliseconds()) +
		"&_defensive=1&_dqs=0&_error_rc=1" +
		"&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=temp_store(2)" +
		"&_pragma=journal_size_limit(16777216)"}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
