// Package store is the contract of what Praxis keeps: logs that are only
// appended to, blobs that are named by their content, values under keys with
// revisions, and an index of documents that can be searched.
//
// The four are apart because they fail apart. A log and a blob are plain files
// that stand for themselves: what happened to one says nothing about the
// others, and another program can read them. The index and the keys are a
// database; the index repeats what logs say, so that it can be built again.
//
// Every implementation passes the exam in package storetest. Faults that all of
// them use: NotFound, Conflict (it exists already, another revision stands
// there, another process writes it, it is damaged), Exhausted (the disk or the
// quota is full), Denied (the folder belongs to somebody else or cannot be
// written), Invalid (a name that cannot be one).
package store

import (
	"context"
	"io"
	"iter"
	"time"
)

// Logs are append-only sequences of lines, each with one writer at a time. A
// name is letters, digits, '-', '_' and '.', at most 64, and begins with a
// letter or a digit. Any number may read while one writes.
type Logs interface {
	// Create makes a log and opens it for appending. Conflict: it exists.
	Create(ctx context.Context, name string) (Log, error)
	// Reopen opens a log that exists for appending. A torn tail, bytes after
	// the last newline, is cut off first; cut is how many. Conflict: another
	// writer has it open.
	Reopen(ctx context.Context, name string) (log Log, cut int64, err error)
	// Read opens a log for reading, as it stands, a torn tail included.
	Read(ctx context.Context, name string) (io.ReadCloser, error)
	// Names returns the names of all logs, sorted.
	Names(ctx context.Context) iter.Seq2[string, error]
	// Remove removes a log. Conflict: a writer has it open.
	Remove(ctx context.Context, name string) error
}

// Log is a log that is open for appending. Its methods may be called from
// several goroutines.
type Log interface {
	// Append writes lines, each of which ends with its only newline, in one
	// write: after a crash of the process they are there. When it fails,
	// nothing of them is left in the log, or all later calls say what is.
	Append(lines ...[]byte) error
	// Sync puts what was appended on disk: after a loss of power it is there.
	Sync() error
	// Close gives up the log, without Sync.
	Close() error
}

// Blobs are contents of any length by their SHA-256.
type Blobs interface {
	// Put stores what r holds and returns its name. It is on disk, whole, when
	// Put returns. What is there already is not written again.
	Put(ctx context.Context, r io.Reader) (Blob, error)
	// Open reads a blob. The reader's last Read fails with a Conflict fault
	// when the content is not what its name says.
	Open(ctx context.Context, sum string) (io.ReadCloser, error)
	// All returns what there is, in no order.
	All(ctx context.Context) iter.Seq2[Blob, error]
	// Remove removes a blob. One that is not there is no error.
	Remove(ctx context.Context, sum string) error
	// RemoveUnused removes a blob that Put last returned at or before since, and says
	// whether it did: one that somebody stored again since then stays.
	RemoveUnused(ctx context.Context, sum string, since time.Time) (bool, error)
}

// Blob describes a content.
type Blob struct {
	SHA256 string // 64 hexadecimal digits
	Bytes  int64
	Stored time.Time // when Put last returned it; zero from Put
}

// KV holds values under keys, grouped in buckets. Buckets and keys are text of
// at most 256 bytes, values at most 16 MiB.
type KV interface {
	// Get returns a value. NotFound: there is none.
	Get(ctx context.Context, bucket, key string) (Value, error)
	// Set stores a value when the key stands at revision (0: it must not
	// exist; Any: whatever is there) and returns the new revision. Conflict:
	// it stands at another one.
	Set(ctx context.Context, bucket, key string, data []byte, revision int64) (int64, error)
	// Delete removes a key that stands at revision, or Any.
	Delete(ctx context.Context, bucket, key string, revision int64) error
	// Keys returns the values of a bucket, sorted by key.
	Keys(ctx context.Context, bucket string) ([]Value, error)
}

// Watcher is what Logs can do besides: say whether a log has a writer, without
// opening it, locking it or writing anything.
type Watcher interface {
	// Writing says whether a writer has a log open. NotFound: there is none.
	Writing(ctx context.Context, name string) (bool, error)
}

// Any stands for whatever revision there is.
const Any int64 = -1

// Value is what stands under a key. Revision counts from 1 and never falls back
// for a key, also when it was deleted in between.
type Value struct {
	Key      string
	Data     []byte
	Revision int64
}

// Index finds documents by their fields and their words.
type Index interface {
	// Put stores documents in one step, in place of those of the same kind and id.
	// One that is there with a higher Version stays as it is.
	Put(ctx context.Context, docs ...Doc) error
	// Get returns one document. NotFound: there is none.
	Get(ctx context.Context, kind, id string) (Doc, error)
	// Find returns the documents that a query asks for, those with the largest
	// Order first, then by id, downwards.
	Find(ctx context.Context, q Query) ([]Doc, error)
	// Delete removes a document. One that is not there is no error.
	Delete(ctx context.Context, kind, id string) error
}

// Doc is an indexed document.
type Doc struct {
	Kind   string         // such as "run"
	ID     string         // unique in its kind
	Order  int64          // what documents are sorted by, such as a time in nanoseconds
	Fields map[string]any // strings, numbers (float64, int64) and booleans that queries compare
	Text   string         // whose words can be searched for
	Body   []byte         // anything
	// Version orders the states of one document, when several may write it: a late
	// writer of an older state changes nothing.
	Version int64
	// Gone has Put remove the document, in the same step as it stores others.
	Gone bool
}

// Query says which documents are sought. Every condition in it must be met.
type Query struct {
	Kind  string
	Where []Condition
	// Words searches Text: documents with all of the words, in any case and
	// order. A word that ends with '*' means all words that begin so; a
	// phrase is written between double quotes. Nothing else has a meaning.
	Words string
	// Best puts the documents that the words fit best first, by BM25.
	Best bool
	// Before is the last document of the page before; nil: from the beginning.
	// Only its Order and its ID are used. It has no meaning with Best.
	Before *Doc
	Limit  int // 0: 100; at most 100,000
}

// Condition compares a field. A document without the field fits no condition.
type Condition struct {
	Field string
	Op    Op
	Value any // a string, a number or a boolean
}

// Op is a comparison.
type Op string

// The comparisons. Contains looks for a part of a text, in any case.
const (
	Equal    Op = "="
	NotEqual Op = "!="
	Less     Op = "<"
	AtLeast  Op = ">="
	Contains Op = "contains"
)
