// Package builtin is the kind "go": the tools that Praxis has itself.
//
//	run: {go: files.read, with: {root: data}}
//	run: {go: files.write, with: {root: out}}
//	run: {go: memory.save}
//	run: {go: memory.search}
//	run: {go: sql.query, with: {sales: sales.csv, crm: crm.sqlite}}
//
// Each derives its whole definition, so that a file needs to say no more than
// that. What they return is data that others may have written: nothing of it is
// trusted unless the file's labels say so.
//
// # Files
//
// files.read and files.write work below one folder. Paths are relative to it, and
// nothing outside of it is reached, through links or while somebody changes the
// folder under a call: the kernel resolves every path below the folder's own
// handle. A file is written under a temporary name, synced and renamed: there is
// the old one or the new one, whole.
//
// # SQL
//
// sql.query answers one SELECT over SQLite files and tables (CSV, TSV, Parquet),
// with bounds on time, rows and bytes. Four measures make sure that it only reads:
// the text is screened and put in brackets as a part of a SELECT of ours, files are
// opened read-only, the connection is query_only, and SQLite's own limit forbids
// to attach anything. Each query has a connection of its own, so that it leaves
// nothing behind.
//
// A table is read into memory when a query first names it, and stays as it was
// then. A SQLite file is opened for each query.
package builtin
