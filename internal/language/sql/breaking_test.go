package sql

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/test/rawkernel"
)

// TestReadOnly checks that the engine refuses every way to change something.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		k.file("sales.csv", "n\n1\n2\n")
		k.table("create table t as select 1 as a; create table one as select 1 as a")
		for _, code := range []string{
			"insert into t values (2)", "update t set a = 2", "delete from t", "drop table t", "create table u (a integer)", "create temp table u as select 1",
			"create view w as select 1", "alter table t add column b integer", "commit; insert into t values (2)", "begin; insert into t values (2); commit",
			"explain analyze insert into t values (2)", "attach '" + filepath.Join(k.dir, "x.db") + "' as x", "pragma query_only = 0; insert into t values (2)",
			"vacuum into '" + filepath.Join(k.dir, "y.db") + "'", "copy t to '" + filepath.Join(k.dir, "z.csv") + "'", "explain analyze copy t to '" + filepath.Join(k.dir, "z.csv") + "'",
			"with x as (insert into t values (2) returning a) select * from x",
		} {
			if m := k.run(Language().ReadOnly(code)); m.Error == nil || m.Error.Name != "SQLError" {
				t.Errorf("%s is not refused: %v %+v", code, m.Result, m.Error)
			}
		}
		if m := k.run(Language().ReadOnly("select sum(a) + (select count(*) from sales) as s from t")); parse(t, m).Rows[0][0] != float64(3) {
			t.Errorf("reading gives %v", m.Result)
		}
		if m := k.sql("insert into t values (2); select count(*) from t"); parse(t, m).Rows[0][0] != float64(2) {
			t.Errorf("writing afterwards gives %v", m.Result)
		}
		files, err := os.ReadDir(k.dir)
		if err != nil || len(files) != 1 {
			t.Errorf("the folder has %v, %v", files, err)
		}
	})
}

// TestOutside checks that SQL reaches no file outside of the session's folders.
func TestOutside(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		if err := os.Symlink("/etc/passwd", filepath.Join(k.dir, "link.csv")); err != nil {
			t.Fatal(err)
		}
		for _, code := range []string{
			"attach '/etc/passwd' as x", "attach '/etc/new.db' as x", "attach '../../../../../../etc/passwd' as x", "attach 'https://localhost/x.db' as x",
			"install httpfs", "load httpfs", "load '/tmp/x.so'", "select load_extension('x')", "vacuum into '/etc/x'", "copy (select 1) to '/etc/x'",
			"select * from read_text('/etc/passwd')", "select * from read_csv('/etc/passwd')", "select * from '/etc/passwd'", "select * from glob('/etc/*')",
			"set enable_external_access = true", "set allowed_directories = ['/']", "reset enable_external_access", "set lock_configuration = false",
			"pragma writable_schema = 1", "pragma temp_store_directory = '/etc'", "attach '/etc/' || 'passwd' as x",
		} {
			if m := k.sql(code); m.Error == nil || m.Error.Name != "SQLError" {
				t.Errorf("%s is not refused: %v %+v", code, m.Result, m.Error)
			}
		}
		if packages != "" {
			if m := k.sql("select * from link"); m.Error == nil {
				t.Errorf("a symbolic link leads outside: %v", m.Result)
			}
		}
		k.table("attach '" + filepath.Join(k.dir, "own.db") + "' as own; create table own.t as select 1 as a; select * from own.t")
	})
}

// TestInterrupt interrupts a query, and a statement that makes a table.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		k.table("create table t as select 7 as a")
		const endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
		for _, code := range []string{endless, "create table u as " + endless, "select a from t; " + endless} {
			// Again and again: a signal that comes before the code begins is ignored.
			k.During = func(*rawkernel.Kernel, *rawkernel.Result) { k.Interrupt() }
			m := k.sql(code)
			k.During = nil
			if m.Error == nil || m.Error.Name != "Interrupted" || !m.Interrupted || !strings.HasPrefix(m.Error.Traceback, "  SQL, ") || !strings.HasSuffix(m.Error.Traceback, "\nInterrupted: the statement had not ended\n") {
				t.Errorf("%s ends with %+v", code, m.Error)
			}
		}
		if got := k.sql("select a from t"); parse(t, got).Rows[0][0] != float64(7) {
			t.Errorf("afterwards: %v", got.Result)
		}
	})
}

// TestSeed checks that random numbers follow from the seed, and differ without one.
func TestSeed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		draw := func(extra map[string]any, then map[string]any) string {
			k := start(t, packages, extra)
			k.table("select 1")
			if then != nil {
				k.Send(then)
			}
			return k.table("select random() as r")
		}
		seven := map[string]any{"seed": 7, "deterministic": true}
		a, b := draw(seven, nil), draw(seven, nil)
		if a != b || a == draw(seven, map[string]any{"op": "seed", "seed": 8}) {
			t.Errorf("seed 7 gives %s and %s", a, b)
		}
		if draw(seven, map[string]any{"op": "reseed", "entropy": "ab"}) == draw(nil, nil) {
			t.Error("two sessions give the same")
		}
	})
}

// TestHostile gives SQL what is hard to read, to name and to show.
func TestHostile(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		k.file("odd.csv", "a,a,A,,\"quo\"\"te\"\n1,2,3,4,5\n")
		k.file("empty.csv", "")
		k.file("broken.json", "{")
		k.file("deep.json", strings.Repeat("[", 100_000))
		k.file("codes.csv", "zip,n\n007,1\n123,99999999999999999999\n")
		k.python(`
import datetime, decimal, math
deep = []
for _n in range(200): deep = [deep]
odd = [{"n": math.nan, "i": math.inf, "d": datetime.datetime(2020, 1, 2, 3), "x": decimal.Decimal("1.50"), "b": b"\0\xff", "big": 10**30, "none": None, "list": [1, {"a": None}], "nul": "a\0b", "esc": "\x1b[31m<b>&"}]
deeper = [{"d": deep}]
wide = [{f"c{i}": i for i in range(10_000)}]
many = [{"i": i} for i in range(200_000)]
fits = [{f"c{i}": i for i in range(500)}]
none = [{}]
class Frame(dict): pass
notdicts = [Frame(a=1)]
`)
		for _, code := range []string{"select * from empty", "select * from broken", "select * from deep", "select * from none", "select * from notdicts", strings.Repeat("(", 5000), "\x00", "select '\x00", "select 1 /* open", ";;", "", "-- only", "select $1", "select ?"} {
			m := k.sql(code)
			if m.Error != nil && m.Error.Name != "SQLError" {
				t.Errorf("%.60q ends with %+v", code, m.Error)
			}
		}
		if got := parse(t, k.sql(`select * from "odd.csv"`)); len(got.Columns) != 5 || got.Rows[0][4] != float64(5) {
			t.Errorf("columns of one name: %+v", got)
		}
		if got := parse(t, k.sql("select zip from codes order by n")); got.Columns[0].Name != "zip" || len(got.Rows) != 2 {
			t.Errorf("codes: %+v", got)
		}
		m := k.sql("select * from odd")
		if parse(t, m).Count != 1 || strings.Contains(m.Result["text"], "\x1b") || strings.Contains(m.Result["text/html"], "<b>") {
			t.Errorf("odd values: %q", m.Result)
		}
		if m := k.sql("select * from deeper"); m.Error != nil && m.Error.Name != "SQLError" {
			t.Errorf("deep values: %+v", m.Error)
		}
		m = k.sql("select c1 from wide")
		if packages == "" && (m.Error == nil || !strings.Contains(m.Error.Value, "duckdb")) {
			t.Errorf("10,000 columns: %+v", m.Error)
		}
		if got := parse(t, k.sql("select * from fits")); len(got.Columns) != 500 {
			t.Errorf("500 columns: %d", len(got.Columns))
		}
		if got := parse(t, k.sql("select * from many")); got.Count != 200_000 || !got.Cut || len(got.Rows) != 50 {
			t.Errorf("many rows: %d, %t, %d", got.Count, got.Cut, len(got.Rows))
		}
		if got := k.python("len(_)"); got != "200000" {
			t.Errorf("Python has %s rows", got)
		}
	})
}

// TestNames checks that a name means one thing, which standard error says when there are several, and
// follows what the program does.
func TestNames(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		k.file("sales.csv", "n\n1\n")
		count := func(want float64) message {
			t.Helper()
			m := k.sql("select max(n) from Sales")
			if got := parse(t, m); got.Rows[0][0] != want {
				t.Errorf("got %v, want %v", got.Rows, want)
			}
			return m
		}
		count(1)
		k.file("sales.csv", "n\n1\n22\n")
		count(22)
		k.python("sales = [{'n': 3}]")
		if m := count(3); !strings.Contains(m.stderr, "the file sales.csv has the same name") {
			t.Errorf("standard error is %q", m.stderr)
		}
		k.python("sales.append({'n': 4})")
		count(4)
		k.python("import praxis; praxis.share('sales', [{'n': 5}]); del sales")
		count(5)
		k.table("create table sales as select 6 as n")
		count(6)
		k.table("drop table sales")
		k.python("praxis.unshare('sales')")
		count(22)
		if err := os.Remove(filepath.Join(k.dir, "sales.csv")); err != nil {
			t.Fatal(err)
		}
		if m := k.sql("select * from sales"); m.Error == nil {
			t.Errorf("the file is gone, and its table is there: %v", m.Result)
		}
		k.table("-- name: totals\n-- share: shared_totals\nselect 8 as n")
		if got := k.python("str(totals), str(praxis.shared('shared_totals')), sorted(n for n in globals() if not n.startswith('__'))"); !strings.Contains(got, "['praxis', 'totals']") {
			t.Errorf("Python has %s", got)
		}
	})
}

// TestTables lists what is a table by its name, and the columns of one.
func TestTables(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		k.file("sales.csv", "n,word\n1,a\n2,b\n")
		k.python(`people = [{"n": 1}]; t = [{"n": 2}]`)
		k.table("create table t as select 1 as a; create view v as select 1 as b; select * from sales; select * from people")
		got := map[string]string{}
		for _, row := range parse(t, k.sql("show tables")).Rows {
			got[row[0].(string)] = row[1].(string)
		}
		want := map[string]string{"t": "a table of the database", "v": "a table of the database", "people": "the variable people", "sales": "the file sales.csv"}
		if !maps.Equal(got, want) {
			t.Errorf("the tables are %q, want %q", got, want)
		}
		columns := parse(t, k.sql("describe SALES"))
		if len(columns.Rows) != 2 || columns.Rows[0][0] != "n" || !strings.Contains(columns.Rows[0][1].(string), "INT") || columns.Rows[1][0] != "word" {
			t.Errorf("the columns are %v", columns.Rows)
		}
		if m := k.sql("describe nowhere"); m.Error == nil || !strings.Contains(m.Error.Traceback, "sales") {
			t.Errorf("got %+v", m.Error)
		}
	})
}

// TestRefusals says what is refused, and not how the engine could be set up otherwise.
func TestRefusals(t *testing.T) {
	t.Parallel()
	k := start(t, packages(t, "duckdb"), nil)
	k.file("sales.csv", "n,word\n1,a\n2,b\n")
	for code, want := range map[string]string{
		"install httpfs":                   "extensions are neither installed nor loaded",
		"force install httpfs":             "extensions are neither installed nor loaded",
		"load httpfs":                      "extensions are neither installed nor loaded",
		"from '/etc/passwd.csv'":           "files lie in ",
		"pivot sales on word using sum(n)": "unless the values are in it",
	} {
		if m := k.run(Language().ReadOnly(code)); m.Error == nil || !strings.Contains(m.Error.Value, want) {
			t.Errorf("%s ends with %+v", code, m.Error)
		}
	}
	if m := k.run(Language().ReadOnly("pivot sales on word in ('a', 'b') using sum(n)")); m.Error != nil {
		t.Error(m.Error.Traceback)
	}
}
