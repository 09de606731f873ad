package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"praxis/fault"
)

// migration brings a database from the format before to the one of its place
// in the table, which counts from 1. One that was released is never changed.
type migration struct {
	what string
	sql  string
}

// migrations is the history of the format.
var migrations = [...]migration{
	{"values, documents, their fields and words", `
CREATE TABLE kv (
	bucket   TEXT NOT NULL,
	key      TEXT NOT NULL,
	revision INTEGER NOT NULL,
	data     BLOB,
	PRIMARY KEY (bucket, key)
) STRICT;
CREATE TABLE names (
	kf    INTEGER PRIMARY KEY,
	kind  TEXT NOT NULL,
	field TEXT NOT NULL,
	UNIQUE (kind, field)
) STRICT;
CREATE TABLE docs (
	doc    INTEGER PRIMARY KEY,
	kind   TEXT NOT NULL,
	id     TEXT NOT NULL,
	ord    INTEGER NOT NULL,
	fields TEXT NOT NULL,
	body   BLOB NOT NULL,
	text   TEXT NOT NULL,
	UNIQUE (kind, id)
) STRICT;
CREATE INDEX docs_ord ON docs (kind, ord DESC, id DESC);
CREATE TABLE attrs (
	kf    INTEGER NOT NULL,
	type  INTEGER NOT NULL,
	value ANY NOT NULL,
	ord   INTEGER NOT NULL,
	id    TEXT NOT NULL,
	doc   INTEGER NOT NULL,
	PRIMARY KEY (kf, type, value, ord DESC, id DESC)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX attrs_doc ON attrs (doc, kf, type, value);
CREATE VIRTUAL TABLE words USING fts5 (
	kind, text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
`},
	{"versions of documents", `ALTER TABLE docs ADD COLUMN version INTEGER NOT NULL DEFAULT 0`},
}

// prepare puts a file in WAL mode and brings it up to date.
func (d *DB) prepare(ctx context.Context, pool *sql.DB) error {
	version := 0
	err := d.untilFree(ctx, func() (err error) {
		version, err = d.version(ctx, pool)
		return err
	})
	if err != nil {
		return err
	}
	if err := d.walMode(ctx, pool); err != nil {
		return err
	}
	if version == len(d.migrations) {
		return nil
	}
	tx, err := d.begin(ctx, pool)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another process may have done it meanwhile.
	if version, err = d.version(ctx, tx); err != nil {
		return err
	}
	for i := version; i < len(d.migrations); i++ {
		if _, err := tx.ExecContext(ctx, d.migrations[i].sql); err != nil {
			return fmt.Errorf("cannot bring it to format %d (%s): %w", i+1, d.migrations[i].what, err)
		}
	}
	// Pragmas take no parameters; these are numbers.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, len(d.migrations))); err != nil {
		return err
	}
	return tx.Commit()
}

// walMode sets the mode, which stays with the file. SQLite does not wait for
// others in this one place, so that we do.
func (d *DB) walMode(ctx context.Context, pool *sql.DB) error {
	return d.untilFree(ctx, func() error {
		_, err := pool.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		return err
	})
}

// querier is a pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the format of a database that is ours, or 0 of an empty one.
func (d *DB) version(ctx context.Context, q querier) (int, error) {
	var version, owner, tables int
	err := q.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&version, &owner, &tables)
	switch {
	case err != nil:
		return 0, err
	case version == 0 && owner == 0 && tables == 0:
		return 0, nil
	case owner != application:
		return 0, fault.Coded(fault.DatabaseForeign, fault.Data{"file": d.path}, "%s is a database of another program", d.path)
	case version > len(d.migrations):
		return 0, fault.Coded(fault.DatabaseNewer, fault.Data{"file": d.path, "format": strconv.Itoa(version), "known": strconv.Itoa(len(d.migrations))},
			"%s was written by a newer version of Praxis: its format is %d, this one knows %d", d.path, version, len(d.migrations))
	}
	return version, nil
}
