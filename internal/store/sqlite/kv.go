package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"praxis/fault"
	"praxis/internal/store"
)

var _ store.KV = (*KV)(nil)

// maxValue is how long a value, a body and a text may be.
const maxValue = 16 << 20

// KV is the values of a [DB].
type KV struct{ d *DB }

// Get returns a value.
func (k *KV) Get(ctx context.Context, bucket, key string) (store.Value, error) {
	value := store.Value{Key: key}
	what := "read a value"
	err := checkNames(bucket, "bucket", key, "key")
	if err != nil {
		return store.Value{}, k.d.failed(ctx, what, err)
	}
	err = k.d.read(ctx, what, func(pool *sql.DB) error {
		err := pool.QueryRowContext(ctx, `SELECT data, revision FROM kv WHERE bucket = ? AND key = ? AND data IS NOT NULL`, bucket, key).
			Scan(&value.Data, &value.Revision)
		if errors.Is(err, sql.ErrNoRows) {
			return errAbsent
		}
		return err
	})
	if errors.Is(err, errAbsent) {
		err = fault.New(fault.NotFound, "", "cannot %s: nothing stands under %q in %q", what, key, bucket)
	}
	if err != nil {
		return store.Value{}, err
	}
	return value, nil
}

// Set stores a value when the key stands at revision.
func (k *KV) Set(ctx context.Context, bucket, key string, data []byte, revision int64) (int64, error) {
	what := "store a value"
	err := checkNames(bucket, "bucket", key, "key")
	if err == nil && len(data) > maxValue {
		err = fault.New(fault.Invalid, "", "%d bytes are too many for %q, at most %d are taken", len(data), key, maxValue)
	}
	if err != nil {
		return 0, k.d.failed(ctx, what, err)
	}
	if data == nil {
		data = []byte{}
	}
	var next int64
	err = k.d.write(ctx, what, func(tx *sql.Tx) error {
		last, err := expect(ctx, tx, bucket, key, revision)
		if err != nil {
			return err
		}
		next = last + 1
		_, err = tx.ExecContext(ctx, `INSERT INTO kv (bucket, key, revision, data) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET revision = excluded.revision, data = excluded.data`, bucket, key, next, data)
		return err
	})
	if err != nil {
		return 0, err
	}
	return next, nil
}

// expect refuses when a key does not stand at revision. It returns the last
// revision that the key had, also when it was deleted.
func expect(ctx context.Context, tx *sql.Tx, bucket, key string, revision int64) (last int64, err error) {
	present := false
	err = tx.QueryRowContext(ctx, `SELECT revision, data IS NOT NULL FROM kv WHERE bucket = ? AND key = ?`, bucket, key).Scan(&last, &present)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	stands := int64(0)
	if present {
		stands = last
	}
	switch {
	case revision < store.Any:
		return 0, fault.New(fault.Invalid, "", "%d is not a revision", revision)
	case revision == store.Any || revision == stands:
		return last, nil
	case stands == 0:
		return 0, fault.New(fault.Conflict, "Read it again.", "nothing stands under %q in %q, not revision %d", key, bucket, revision)
	case revision == 0:
		return 0, fault.New(fault.Conflict, "Take another key, or replace what is there.", "%q is in %q already", key, bucket)
	}
	return 0, fault.New(fault.Conflict, "Read it again.", "%q in %q stands at revision %d, not %d", key, bucket, stands, revision)
}

// Delete removes a key that stands at revision.
func (k *KV) Delete(ctx context.Context, bucket, key string, revision int64) error {
	what := "delete a value"
	if err := checkNames(bucket, "bucket", key, "key"); err != nil {
		return k.d.failed(ctx, what, err)
	}
	return k.d.write(ctx, what, func(tx *sql.Tx) error {
		if _, err := expect(ctx, tx, bucket, key, revision); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE kv SET data = NULL WHERE bucket = ? AND key = ?`, bucket, key)
		return err
	})
}

// Keys returns the values of a bucket.
func (k *KV) Keys(ctx context.Context, bucket string) ([]store.Value, error) {
	what := "list values"
	if err := checkNames(bucket, "bucket"); err != nil {
		return nil, k.d.failed(ctx, what, err)
	}
	var values []store.Value
	err := k.d.read(ctx, what, func(pool *sql.DB) error {
		rows, err := pool.QueryContext(ctx, `SELECT key, data, revision FROM kv WHERE bucket = ? AND data IS NOT NULL ORDER BY key`, bucket)
		if err != nil {
			return err
		}
		defer rows.Close()
		values = nil // of an attempt before
		for rows.Next() {
			var v store.Value
			if err := rows.Scan(&v.Key, &v.Data, &v.Revision); err != nil {
				return err
			}
			values = append(values, v)
		}
		return rows.Err()
	})
	if err != nil && !errors.Is(err, errAbsent) {
		return nil, err
	}
	return values, nil
}
