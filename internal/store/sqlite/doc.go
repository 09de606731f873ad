// Package sqlite keeps values under keys and an index of documents in one
// SQLite file.
//
//	kv     bucket, key, data, revision     data is NULL where a key was deleted: its revision goes on
//	docs   kind, id, ord, fields, body, text
//	attrs  kf, type, value, ord, id, doc   one row a field of a document, in the order that pages have;
//	                                             attrs_doc: the fields of one document
//	names  kf, kind, field                 numbers for attrs; the field "" stands for the kind itself
//	words  kind, text                      FTS5 without contents of its own; rowid is docs.doc
//
// Opening is put off until the database is needed, so that a command that does
// not use it pays nothing. Reading makes no file: a database that is not there is empty. The
// first write makes it, with mode 0600.
//
// Several processes may use it at once: it is in WAL mode, a writer takes the
// lock when its transaction begins and waits for others up to a bound. Every
// commit is synced. Where the folder cannot be written, the file is opened for
// reading alone.
//
// The format has a number (PRAGMA user_version); opening for writing brings an
// older file up to date in one transaction. A newer one is refused, as is a file
// that is damaged or belongs to another program: nothing is overwritten.
package sqlite
