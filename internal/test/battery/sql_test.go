package battery

import (
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/test/kerneltest"
	"praxis/internal/test/prepared"
)

// sqlLanguage is SQL as the examination asks it, on SQLite.
func sqlLanguage() kerneltest.Language {
	const streams, processes = "SQL writes to no stream", "SQL starts no process"
	return kerneltest.Language{
		Name: "sql",
		Set:  "drop table if exists v; create table v as select 41 as n", Get: "select n + 1 as n from v",
		Shown:   "select 42 * 42",
		Display: "select '<b>bold</b>' as b", DisplayAs: "text/html",
		Fail: "select 1;\nselect 2;\nselect n, nowhere from v", FailName: "SQLError", FailHas: "nowhere", FailTrace: "line 3, column 11",
		Syntax:  "selct 1",
		Endless: "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c",
		Grow:    "create table big as with recursive c(x) as (select 1 union all select x + 1 from c) select randomblob(1000000) as b from c",
		Random:  "select random(), hex(randomblob(8)), current_timestamp",
		Lacks: map[string]string{
			"Greet": streams, "Lines": streams, "Big": streams, "Orphan": processes, "Sleep": "SQL does not sleep", "Quit": "SQL ends no program", "Prefix": "SQL has no completion",
		},
	}
}

func TestSQLKernel(t *testing.T) {
	l := sqlLanguage()
	l.New = fresh(manager(t))
	kerneltest.Exam(t, l)
}

// duckImage is an image with DuckDB.
func duckImage(t *testing.T) image.Image {
	t.Helper()
	img, err := prepared.WithPackages(t.Context(), imageStore, prepared.DuckDB()...)
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("DuckDB cannot be fetched: the package index cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestDuckDBKernel(t *testing.T) {
	img, m := duckImage(t), manager(t)
	l := sqlLanguage()
	l.New = func(t *testing.T, seed *int64, memory int64) *session.Session {
		t.Helper()
		s, err := m.Create(t.Context(), session.Options{Image: img, Seed: seed, Limits: event.Limits{Memory: memory}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	l.Endless = "select count(*) from range(1000000000) a, range(1000000000) b where a.range + b.range = -1"
	l.Grow = "create table big as select repeat(md5(range::text), 100) as b from range(1000000000)"
	l.Random = "select random(), uuid()" // the engine works in a thread, which shows in the last digits of a time
	kerneltest.Exam(t, l)
}

// TestDuckDBSession has the engine keep the session's rules, and its state in snapshots.
func TestDuckDBSession(t *testing.T) {
	t.Parallel()
	s, err := manager(t).Create(t.Context(), session.Options{Image: duckImage(t), Limits: event.Limits{Memory: 768 << 20}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	run := func(s *session.Session, code string, readOnly bool) event.Execution {
		t.Helper()
		x, err := s.Execute(t.Context(), code, session.Exec{Language: "sql", Bounds: event.Bounds{ReadOnly: readOnly, Timeout: event.Duration(2 * time.Minute)}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	shows := func(x event.Execution, want string) {
		t.Helper()
		if x.Status != event.OK || !strings.Contains(x.Result["text"], want) {
			t.Errorf("got %s %q, %+v, want %q", x.Status, x.Result["text"], x.Error, want)
		}
	}
	shows(run(s, "create table t as select range as n from range(1000); select count(*) as c, version() as v from t", false), "1000")
	for _, code := range []string{
		"insert into t values (1)", "create table u as select 1", "drop table t", "begin; insert into t values (1)", "copy t to '/work/out.csv'",
		"set lock_configuration = false", "explain analyze insert into t values (1)", "call pragma_version(); delete from t", "attach '/work/x.db'",
	} {
		if x := run(s, code, true); x.Status != event.Error || x.Error.Name != "SQLError" {
			t.Errorf("%s: %s %v %+v", code, x.Status, x.Result, x.Error)
		}
	}
	shows(run(s, "select count(*) as c from t", true), "1000")
	for _, code := range []string{
		"install httpfs", "load httpfs", "load '/work/x.duckdb_extension'", "attach '/etc/passwd' as x", "attach '/opt/x.db' as x", "select * from read_csv('/etc/passwd')",
		"select * from read_text('/proc/self/environ')", "copy t to '/opt/out.csv'", "set enable_external_access = true", "set memory_limit = '1TB'",
		"select * from read_csv('/work/../etc/passwd')", "select * from read_csv('http://127.0.0.1/x.csv')", "set temp_directory = '/opt'", "attach 'https://127.0.0.1/x.db' as x",
		"import database '/etc'", "select * from sniff_csv('/etc/passwd')", "select * from glob('/etc/*')",
	} {
		if x := run(s, code, false); x.Status != event.Error || x.Error.Name != "SQLError" {
			t.Errorf("%s: %s %v %+v", code, x.Status, x.Result, x.Error)
		}
	}
	shows(run(s, "attach '/work/own.db' as own; create table own.x as select 5 as five; select * from own.x", false), "5")
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fork, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	shows(run(fork, "delete from t where n > 9; update own.x set five = 6; select count(*) as c, (select max(five) from own.x) as m from t", false), "10")
	shows(run(s, "select count(*) as c, (select max(five) from own.x) as m from t", false), "1000")
	run(s, "drop table t", false)
	if err := s.Rollback(t.Context(), snap.ID); err != nil {
		t.Fatal(err)
	}
	shows(run(s, "select count(*) as c from t", false), "1000")
	// A query that has neither memory nor disk left says so, and costs nothing.
	x := run(s, "select count(distinct s) from (select list(repeat(md5(range::text), 100)) as s from range(100000000))", false)
	if x.Status != event.Memory && (x.Error == nil || x.Error.Name != "MemoryError" && x.Error.Name != "SQLError") {
		t.Errorf("without memory: %s %+v", x.Status, x.Error)
	}
	shows(run(s, "select 6 * 7 as a", false), "42")
}

// TestSQLSession runs SQL beside Python in one session and its copies.
func TestSQLSession(t *testing.T) {
	t.Parallel()
	s, err := manager(t).Create(t.Context(), session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	run := func(s *session.Session, lang, code string, readOnly bool) event.Execution {
		t.Helper()
		x, err := s.Execute(t.Context(), code, session.Exec{Language: lang, Bounds: event.Bounds{ReadOnly: readOnly}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	shows := func(x event.Execution, want string) {
		t.Helper()
		if !strings.Contains(x.Result["text"], want) {
			t.Errorf("got %q, %+v, want %q", x.Result["text"], x.Error, want)
		}
	}
	fails := func(x event.Execution, want string) {
		t.Helper()
		if x.Status != event.Error || x.Error == nil || x.Error.Name != "SQLError" || !strings.Contains(x.Error.Value, want) {
			t.Errorf("got %s %+v, want an error with %q", x.Status, x.Error, want)
		}
	}
	run(s, "python", "open('städte.csv', 'w').write('名前,n\\nKöln,1\\n東京,2\\n'); rows = [{'a': 1}, {'a': 41}]; most = 40", false)
	shows(run(s, "sql", `create table t as select "名前" as name, n from "städte"; select * from t where n = 2`, false), "東京")
	shows(run(s, "python", "_", false), "[{'name': '東京', 'n': 2}]")
	shows(run(s, "sql", "select a from rows where a > $most", false), "41")
	run(s, "python", "import praxis; praxis.share('given', [{'k': 'shared'}])", false)
	shows(run(s, "sql", "select k from given", true), "shared")
	fails(run(s, "sql", "insert into t values ('x', 3)", true), "may only read")
	fails(run(s, "sql", "pragma query_only = 0; insert into t values ('x', 3)", true), "not authorized")
	shows(run(s, "sql", "insert into t values ('x', 3)", false), "1 row changed")
	for _, code := range []string{
		"attach '/etc/passwd' as x", "attach '/home/user/../../etc/x' as x", "attach '/proc/self/mem' as x", "select load_extension('/tmp/x')",
		"vacuum into '/etc/x'", "attach 'file:/etc/passwd?mode=ro' as x",
	} {
		if x := run(s, "sql", code, false); x.Status != event.Error || x.Error.Name != "SQLError" {
			t.Errorf("%s: %s %v %+v", code, x.Status, x.Result, x.Error)
		}
	}
	shows(run(s, "sql", "attach '/work/own.db' as own; create table own.x as select 5 as five; select * from own.x", false), "5")
	fork, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shows(run(fork, "sql", "delete from t; select count(*) as n from t", false), "0")
	shows(run(fork, "python", "praxis.shared('given')", false), "shared")
	shows(run(s, "sql", "select count(*) as n from t", false), "3")
	x := run(s, "python", "1/0", false)
	if x.Error == nil || strings.Contains(x.Error.Traceback, "praxis") {
		t.Errorf("got %+v", x.Error)
	}
}
