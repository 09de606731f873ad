package battery

import (
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/session"
	"praxis/internal/test/kerneltest"
)

func TestSQLKernel(t *testing.T) {
	const streams, processes = "SQL writes to no stream", "SQL starts no process"
	kerneltest.Exam(t, kerneltest.Language{
		Name: "sql", New: fresh(manager(t)),
		Set: "drop table if exists v; create table v as select 41 as n", Get: "select n + 1 as n from v",
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
	})
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
