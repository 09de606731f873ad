package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/store"
	"praxis/internal/test/storetest"
)

// filled makes a database with a value and some documents and closes it.
func filled(t *testing.T, path string, docs int) {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.KV().Set(context.Background(), "b", "k", []byte("kept"), 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Index().Put(context.Background(), runs(docs)...), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// use does everything with a database, and returns what each said.
func use(d *DB) map[string]error {
	ctx := context.Background()
	_, get := d.KV().Get(ctx, "b", "k")
	_, keys := d.KV().Keys(ctx, "b")
	_, set := d.KV().Set(ctx, "b", "other", nil, store.Any)
	_, doc := d.Index().Get(ctx, "run", "20261121-000003-7f3a")
	_, find := d.Index().Find(ctx, store.Query{Kind: "run", Limit: 100_000})
	_, words := d.Index().Find(ctx, store.Query{Kind: "run", Words: "mean"})
	return map[string]error{"get": get, "keys": keys, "set": set, "get a document": doc, "find": find, "find words": words,
		"put": d.Index().Put(ctx, store.Doc{Kind: "run", ID: "new"}), "delete": d.Index().Delete(ctx, "run", "new"), "ready": d.Ready(ctx)}
}

func TestNothingIsMadeByReading(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	d := opened(t, filepath.Join(dir, "praxis.db"))
	ctx := context.Background()
	if _, err := d.KV().Get(ctx, "b", "k"); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
	if docs, err := d.Index().Find(ctx, store.Query{Kind: "run"}); len(docs) != 0 || err != nil {
		t.Errorf("%v %v", docs, err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made %s (%v)", dir, err)
	}
	if _, err := d.KV().Set(ctx, "b", "k", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "x" || err != nil {
		t.Errorf("%q %v", v.Data, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v (%v)", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); len(entries) != 1 || err != nil {
		t.Errorf("closed, it is %v (%v), want one file", entries, err)
	}
	for what, err := range use(d) {
		if !errors.Is(err, errClosed) {
			t.Errorf("%s after close: %v", what, err)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "praxis.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := opened(t, path)
	if _, err := d.KV().Keys(context.Background(), "b"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("reading wrote %v (%v)", info, err)
	}
	for what, err := range use(d) {
		if err != nil && fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRefusedFiles checks that what is no database of ours, or is damaged, is
// refused by name, with a remedy, and left as it is.
func TestRefusedFiles(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "praxis.db")
	filled(t, whole, 200)
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	sqlIn(t, other, "CREATE TABLE precious (x); PRAGMA user_version = 1")
	foreign, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(t.TempDir(), "newer.db")
	filled(t, newer, 1)
	sqlIn(t, newer, "PRAGMA user_version = 99")
	next, err := os.ReadFile(newer)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		says string
		some bool // what does not touch the damage works
	}{
		"text":                     {[]byte(strings.Repeat("this is no database\n", 500)), "is damaged", false},
		"one byte":                 {[]byte("x"), "is damaged", false},
		"511 bytes":                {good[:511], "is damaged", false},
		"512 bytes":                {[]byte(strings.Repeat("x", 512)), "is damaged", false},
		"600 bytes":                {[]byte(strings.Repeat("x", 600)), "is damaged", false},
		"the header alone":         {good[:512], "is damaged", false},
		"zeros":                    {make([]byte, 8192), "is damaged", false},
		"a broken header":          {append([]byte("SQLite format 4\x00"), good[16:]...), "is damaged", false},
		"another program's":        {foreign, "another program", false},
		"newer":                    {next, "newer version of Praxis: its format is 99, this one knows 2", false},
		"cut in the middle":        {good[:len(good)/2/4096*4096], "is damaged", true},
		"pages of rubbish":         {rubbish(good, 5), "is damaged", true},
		"every page but the first": {rubbish(good, 1), "is damaged", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "praxis.db")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			d := opened(t, path)
			refused := 0
			for what, err := range use(d) {
				if err == nil && c.some || fault.KindOf(err) == fault.NotFound && c.some {
					continue
				}
				refused++
				if fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v (%v)", what, err, fault.KindOf(err))
				}
			}
			if refused == 0 {
				t.Error("nothing was refused")
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if now, err := os.ReadFile(path); !c.some && (!bytes.Equal(now, c.data) || err != nil) {
				t.Errorf("the file was changed (%v)", err)
			}
			moved, err := MoveDamaged(path, time.Unix(1e9, 0))
			if now, readErr := os.ReadFile(moved); err != nil || readErr != nil || !c.some && !bytes.Equal(now, c.data) {
				t.Errorf("moved to %s: %v %v", moved, err, readErr)
			}
			filled(t, path, 1)
		})
	}
}

// rubbish overwrites the pages from one on.
func rubbish(good []byte, from int) []byte {
	bad := bytes.Clone(good)
	for i := from * 4096; i < len(bad); i++ {
		bad[i] = byte(i*7) ^ byte(i>>8)
	}
	return bad
}

// sqlIn runs statements in a file by SQLite alone.
func sqlIn(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(statements)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestMoveDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "praxis.db")
	now := time.Date(2026, 11, 21, 3, 14, 55, 0, time.UTC)
	if to, err := MoveDamaged(path, now); to != "" || err != nil {
		t.Errorf("nothing there: %q %v", to, err)
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(path+ending, []byte("x"+ending), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	to, err := MoveDamaged(path, now)
	if err != nil || to != path+"-damaged-20261121-031455" {
		t.Fatalf("%q %v", to, err)
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		if got, err := os.ReadFile(to + ending); string(got) != "x"+ending || err != nil {
			t.Errorf("%s: %q %v", ending, got, err)
		}
	}
	filled(t, path, 1)
	if _, err := MoveDamaged(path, now); fault.KindOf(err) != fault.Conflict {
		t.Errorf("twice in a second: %v", err)
	}
	filledAgain := opened(t, path)
	if v, err := filledAgain.KV().Get(context.Background(), "b", "k"); string(v.Data) != "kept" || err != nil {
		t.Errorf("%q %v", v.Data, err)
	}
}

func TestOddFiles(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target.db")
	filled(t, target, 1)
	before, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	for name, odd := range map[string]func(path string) error{
		"a link":          func(path string) error { return os.Symlink(target, path) },
		"a dangling link": func(path string) error { return os.Symlink(target+"-gone", path) },
		"a folder":        func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(t.TempDir(), "praxis.db")
		if err := odd(path); err != nil {
			t.Fatal(err)
		}
		for what, err := range use(opened(t, path)) {
			if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "not a plain file") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
	if after, err := os.ReadFile(target); !bytes.Equal(before, after) || err != nil {
		t.Errorf("the target was changed (%v)", err)
	}
	path := filepath.Join(t.TempDir(), "praxis.db")
	filled(t, path, 1)
	if err := os.Chmod(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	for what, err := range use(opened(t, path)) {
		if fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
			t.Errorf("a folder that all may write to, %s: %v", what, err)
		}
	}
}

// TestOddPath checks that nothing in a path has a meaning to SQLite.
func TestOddPath(t *testing.T) {
	for _, name := range []string{"a?mode=memory", "a#b", "a%20b", "a b", "'\"", "ä日", "&_query_only=1", ":memory:"} {
		dir := filepath.Join(t.TempDir(), name)
		path := filepath.Join(dir, name+".db")
		filled(t, path, 1)
		if v, err := opened(t, path).KV().Get(context.Background(), "b", "k"); string(v.Data) != "kept" || err != nil {
			t.Errorf("%s: %q %v", name, v.Data, err)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestMigrations(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "praxis.db")
	filled(t, path, 10)
	open := func(more ...migration) *DB {
		d := opened(t, path)
		d.migrations = append(d.migrations[:len(d.migrations):len(d.migrations)], more...)
		return d
	}
	good := migration{"a table", "CREATE TABLE more (x); INSERT INTO more SELECT revision FROM kv"}
	bad := migration{"nonsense", "CREATE TABLE half (x); NONSENSE"}
	// One that fails leaves the format before, whole.
	d := open(good, bad)
	if err := d.Ready(ctx); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("format %d (nonsense)", len(migrations)+2)) {
		t.Errorf("a migration that fails: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if d = open(); d.Ready(ctx) != nil {
		t.Errorf("after one that failed: %v", d.Ready(ctx))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	// Reading brings it up to date too.
	d = open(good)
	if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "kept" || err != nil {
		t.Errorf("%q %v", v.Data, err)
	}
	if n, err := d.version(ctx, d.reader); n != len(migrations)+1 || err != nil {
		t.Errorf("the format is %d (%v), want %d", n, err, len(migrations)+1)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := open().Ready(ctx); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "newer") {
		t.Errorf("by the older program: %v", err)
	}
}

// TestFirstFormat brings a database of the first format up to date.
func TestFirstFormat(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "praxis.db")
	old := opened(t, path)
	old.migrations = migrations[:1]
	if _, err := old.KV().Set(ctx, "b", "k", []byte("kept"), store.Any); err != nil {
		t.Fatal(err)
	}
	if _, err := old.writer.Exec(`INSERT INTO docs (kind, id, ord, fields, body, text) VALUES ('run', 'a', 1, '{}', CAST('old' AS BLOB), '')`); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	d := opened(t, path)
	if doc, err := d.Index().Get(ctx, "run", "a"); err != nil || string(doc.Body) != "old" || doc.Version != 0 {
		t.Errorf("%+v, %v", doc, err)
	}
	if err := d.Index().Put(ctx, store.Doc{Kind: "run", ID: "a", Version: 1, Body: []byte("new")}); err != nil {
		t.Error(err)
	}
	if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "kept" || err != nil {
		t.Errorf("%q, %v", v.Data, err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir, inside := storetest.AsNobody(t)
	if !inside {
		return
	}
	ctx := context.Background()
	path := filepath.Join(dir, "praxis.db")
	denied := func(d *DB) {
		t.Helper()
		if _, err := d.KV().Set(ctx, "b", "k", nil, store.Any); fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
			t.Errorf("set: %v (%v)", err, fault.KindOf(err))
		}
	}
	readable := func(what string, d *DB, want string) {
		t.Helper()
		if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != want || err != nil {
			t.Errorf("%s: %q %v, want %q", what, v.Data, err, want)
		}
		if docs, err := d.Index().Find(ctx, store.Query{Kind: "run", Words: "mean"}); len(docs) != 10 || err != nil {
			t.Errorf("%s: %d documents (%v)", what, len(docs), err)
		}
		denied(d)
	}

	storetest.Writable(t, dir, false)
	d := opened(t, path)
	if values, err := d.KV().Keys(ctx, "b"); len(values) != 0 || err != nil {
		t.Errorf("nothing there: %v %v", values, err)
	}
	denied(d)

	storetest.Writable(t, dir, true)
	filled(t, path, 10)
	storetest.Writable(t, dir, false)
	readable("closed before", opened(t, path), "kept")
	older := opened(t, path)
	older.migrations = append(slices.Clone(migrations[:]), migration{"more", "CREATE TABLE more (x)"})
	if _, err := older.KV().Keys(ctx, "b"); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), fmt.Sprintf("of format %d", len(migrations))) {
		t.Errorf("an older format that cannot be written: %v", err)
	}

	// What a process left that did not close it, or has it open still.
	storetest.Writable(t, dir, true)
	living := opened(t, path)
	if _, err := living.KV().Set(ctx, "b", "k", []byte("newer"), store.Any); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "copy")
	if err := os.Mkdir(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, "praxis.db")+ending, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Writable(t, dir, false)
	readable("left open", opened(t, filepath.Join(copied, "praxis.db")), "newer")
	storetest.Writable(t, dir, true)
	if err := os.Remove(filepath.Join(copied, "praxis.db-shm")); err != nil {
		t.Fatal(err)
	}
	storetest.Writable(t, dir, false)
	readable("left open, without the index of the log", opened(t, filepath.Join(copied, "praxis.db")), "newer")
	storetest.Writable(t, dir, true)
}

func TestFullDisk(t *testing.T) {
	dir, inside := storetest.OnFullDisk(t)
	if !inside {
		return
	}
	ctx := context.Background()
	d := opened(t, filepath.Join(dir, "praxis.db"))
	if _, err := d.KV().Set(ctx, "b", "k", []byte("kept"), 0); err != nil {
		t.Fatal(err)
	}
	var err error
	n := 0
	for ; err == nil; n++ {
		if n > 1000 {
			t.Fatal("the disk is never full")
		}
		_, err = d.KV().Set(ctx, "fill", fmt.Sprint(n), make([]byte, 50_000), 0)
	}
	if fault.KindOf(err) != fault.Exhausted || !strings.Contains(fault.RemedyOf(err), dir) {
		t.Errorf("%v (%v)", err, fault.KindOf(err))
	}
	values, err := d.KV().Keys(ctx, "fill")
	if len(values) != n-1 || err != nil {
		t.Errorf("%d values, want %d (%v)", len(values), n-1, err)
	}
	if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "kept" || err != nil {
		t.Errorf("%q %v", v.Data, err)
	}
}

// TestOpenedOnFullDisk opens a database where not even SQLite's own files beside
// it have space: it can be read, and written once there is space again.
func TestOpenedOnFullDisk(t *testing.T) {
	dir, inside := storetest.OnFullDisk(t)
	if !inside {
		return
	}
	ctx := context.Background()
	path, ballast := filepath.Join(dir, "praxis.db"), filepath.Join(dir, "ballast")
	first := opened(t, path)
	stored, err := first.KV().Set(ctx, "b", "k", []byte("kept"), 0)
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	d := opened(t, path)
	for range 2 {
		if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "kept" || err != nil {
			t.Errorf("%q %v", v.Data, err)
		}
	}
	if _, err := d.KV().Set(ctx, "b", "k", []byte("new"), stored); fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("written to a full disk: %v (%v)", err, fault.KindOf(err))
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := d.KV().Set(ctx, "b", "k", []byte("new"), stored); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "new" || err != nil {
		t.Errorf("%q %v", v.Data, err)
	}
}
