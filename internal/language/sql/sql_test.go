package sql

import (
	"strings"
	"testing"
)

// TestSQLite runs cells on the SQLite of the standard library.
func TestSQLite(t *testing.T) {
	t.Parallel()
	k := start(t, "", nil)
	k.file("sales.csv", "region,total\nnorth,12\nsouth,30\nsouth,1\n")
	if got := k.table("select region, sum(total) as sum from sales group by region order by 2"); got != "region      sum\ntext    integer\n──────  ───────\nnorth        12\nsouth        31\n(2 rows)" {
		t.Errorf("got\n%s", got)
	}
	if got := k.python("_"); got != "[{'region': 'north', 'sum': 12}, {'region': 'south', 'sum': 31}]" {
		t.Errorf("Python has %s", got)
	}
	k.file("noted.csv", "# where it comes from, and when\r\n# and how\nn,#m\n1,2\n")
	k.file("bed.tsv", "#chrom\tstart\nx\t7\n")
	if got := k.table("select n, \"#m\", \"#chrom\" from noted, bed"); !strings.HasSuffix(got, "      1        2  x\n(1 row)") {
		t.Errorf("files that begin with a comment, or whose header does:\n%s", got)
	}
	m := k.sql("create table t(a, b);\ninsert into t values (1, 'x'), (2, null);\nselect * from t")
	if len(m.displays) != 2 || m.displays[1]["text"] != "2 rows changed" || !strings.Contains(m.Result["application/json"], `"rows": [[1, "x"], [2, null]], "row_count": 2`) {
		t.Errorf("got %v, %v", m.displays, m.Result)
	}
	m = k.sql("select 1;\n\nselect 2,\n  nix from t")
	want := "  SQL, statement 2 of 2, line 4, column 3\n      nix from t\n      ^^^\nSQLError: no such column: nix\nColumns of t: a, b.\n"
	if m.Error == nil || m.Error.Name != "SQLError" || m.Error.Traceback != want {
		t.Errorf("the error is %+v", m.Error)
	}
	m = k.sql("select totl from sales where region = 'north'")
	if m.Error == nil || !strings.HasSuffix(m.Error.Traceback, "\nColumns of sales: total, region.\n") {
		t.Errorf("the error is %+v", m.Error)
	}
	m = k.sql("select * from sale")
	if m.Error == nil || !strings.Contains(m.Error.Traceback, "\nTables by their names: sales, ") {
		t.Errorf("the error is %+v", m.Error)
	}
}
