package sql

import (
	"strings"
	"testing"
)

// TestFrames gives SQL the frames of libraries, and takes results back as frames.
func TestFrames(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, duckdb string) {
		k := start(t, packages(t, "pandas"), nil)
		if duckdb == "" {
			k.python("import sys; sys.modules['duckdb'] = None")
		}
		k.python("import pandas as pd, datetime, decimal\n" +
			"df = pd.DataFrame([[1, 2, 3.5], [4, 5, None]], columns=['a', 'A', 'x\\'\"y'])\n" +
			"dates = pd.DataFrame({'d': pd.to_datetime(['2020-01-02', None]), 'o': [decimal.Decimal('1.50'), None], 5: [True, False]})")
		if got := parse(t, k.sql(`select sum(a) as a, count("x'""y") as n from df`)); got.Rows[0][0] != float64(5) || got.Rows[0][1] != float64(1) {
			t.Errorf("a frame gives %v", got.Rows)
		}
		if got := k.python("type(_).__name__, list(_.columns)"); got != "('DataFrame', ['a', 'n'])" {
			t.Errorf("Python has %s", got)
		}
		if got := k.table("select d, o from dates where d is not null"); !strings.Contains(got, "2020-01-02") || !strings.Contains(got, "1.5") {
			t.Errorf("dates and decimals are %s", got)
		}
		k.python("df.loc[0, 'a'] = 100")
		if got := parse(t, k.sql("select max(a) as a from df")); got.Rows[0][0] != float64(100) {
			t.Errorf("a changed frame gives %v", got.Rows)
		}
	})
}

// TestShare passes values through files, with Arrow and without.
func TestShare(t *testing.T) {
	t.Parallel()
	k := start(t, "", nil)
	k.python(`
import praxis, json, os
def refused(act):
    try: act()
    except (ValueError, KeyError, TypeError) as exc: return True
deep = {"a": [1, None, "é\0"], "b": 1.5}
praxis.share("deep", deep)
praxis.share("deep", deep)
assert praxis.shared("deep") == deep and praxis.names() == ["deep"]
assert all(refused(lambda n=n: praxis.share(n, 1)) for n in ("", "a/b", "..", "a" * 65, "1a", "é", None))
assert refused(lambda: praxis.share("x", float("nan"))) and refused(lambda: praxis.share("x", object())) and refused(lambda: praxis.shared("none"))
assert sorted(os.listdir(praxis.FOLDER)) == ["deep"]
for text in (b"", b"{}", b"\n", b'{"praxis":2,"kind":"json"}\n1', b'{"praxis":1,"kind":"table","encoding":"x"}\n', b"[1]\n", b"\xff\n"):
    open(praxis.FOLDER + "/bad", "wb").write(text)
    assert refused(lambda: praxis.shared("bad")), text
rows = b'{"praxis":1,"kind":"table","encoding":"rows","columns":[{"name":"i","type":"int64"},{"name":"b","type":"bytes"},{"name":"d","type":"date"}],"rows":2}\n["9007199254740993","AP8=","2026-03-01"]\n[null,null,null]'
open(praxis.FOLDER + "/js", "wb").write(rows)
`)
	if got := k.python(`praxis.shared("js")`); got != `[{'i': 9007199254740993, 'b': b'\x00\xff', 'd': datetime.date(2026, 3, 1)},`+"\n"+` {'i': None, 'b': None, 'd': None}]` {
		t.Errorf("rows of another language are %s", got)
	}
	if got := parse(t, k.sql("select d, i from js where i is not null")); got.Rows[0][0] != "2026-03-01" || got.Rows[0][1] != "9007199254740993" {
		t.Errorf("SQL reads %v", got.Rows)
	}
	if m := k.sql("select * from bad"); m.Error == nil || m.Error.Name != "SQLError" {
		t.Errorf("a damaged value: %+v", m.Error)
	}
	k = start(t, packages(t, "pandas"), nil)
	k.python(`
import praxis, json, pandas as pd, datetime, decimal
df = pd.DataFrame({"i": [1, 2], "f": [float("inf"), None], "s": ["a", None], "t": pd.to_datetime(["2020-01-02 03:04:05", None]), "j": [[1], {"a": 2}]})
praxis.share("rows", df, arrow=False)
head, _, body = open(praxis.FOLDER + "/rows", "rb").read().partition(b"\n")
print(head, body)
back = praxis.shared("rows")
assert list(back.columns) == list(df.columns) and back["t"][0] == df["t"][0] and back["i"].tolist() == [1, 2], back
assert {"name": "s", "type": "string"} in json.loads(head)["columns"] and b'"a","2020-01-02T03:04:05"' in body and b"null,null" in body, (head, body)
`)
}

// TestZones shows times with a zone, for which DuckDB wants a package that nobody else does.
func TestZones(t *testing.T) {
	t.Parallel()
	k := start(t, packages(t, "duckdb"), nil)
	if got := k.table("select '2020-01-02 03:04:05+02'::timestamptz as t"); !strings.Contains(got, "2020-01-02 01:04:05") {
		t.Errorf("a time with a zone is %s", got)
	}
	if got := k.python("import importlib.util, sys; _['t'].iloc[0].utcoffset().total_seconds(), 'pytz' in sys.modules, importlib.util.find_spec('pytz')"); got != "(0.0, False, None)" {
		t.Errorf("Python has %s", got)
	}
}
