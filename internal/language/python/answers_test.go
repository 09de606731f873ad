package python

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/test/prepared"
)

// fetched is the folder of the packages that need no network twice: DuckDB, pandas, numpy.
var fetched = sync.OnceValues(func() (string, error) {
	return prepared.Packages(context.Background(), prepared.DuckDB()...)
})

// packaged runs a kernel with them, and skips the test where they cannot be fetched.
func packaged(t *testing.T) *kernel {
	t.Helper()
	folder, err := fetched()
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("packages cannot be fetched: the package index cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	return start(t, nil, "PYTHONPATH="+folder)
}

// answered runs code that gives an answer, and returns its parts as the host reads them.
func answered(t *testing.T, k *kernel, code string) string {
	t.Helper()
	o := k.Run(code)
	if o.Done.Status != "ok" {
		t.Fatalf("%s\n%s", code, o.Done.Error.Traceback)
	}
	for _, d := range o.Displays {
		if text := d[event.AnswerMIME]; text != "" {
			return text
		}
	}
	t.Fatalf("%s gives no answer: %q", code, o.Order)
	return ""
}

// TestTablesAsAnswers answers with what pandas has, and finds each in a file, too.
func TestTablesAsAnswers(t *testing.T) {
	t.Parallel()
	k := packaged(t)
	k.Run(`import pandas as pd, numpy as np
sales = pd.DataFrame({"region": ["north", "south"], "sold": [1.5, np.nan], "day": pd.to_datetime(["2024-01-01", None]), "n": pd.array([7, None], dtype="Int64")})
pairs = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "")]))`)
	for _, c := range []struct{ code, columns, rows, file string }{
		{"answer(sales)", `["region","sold","day","n"]`, `[["north",1.5,"2024-01-01T00:00:00",7],["south",null,null,null]]`, "region,sold,day,n\nnorth,1.5,2024-01-01T00:00:00,7\nsouth,,,\n"},
		{"answer(sales.groupby('region')['sold'].sum())", `["region","sold"]`, `[["north",1.5],["south",0.0]]`, "region,sold\nnorth,1.5\nsouth,0.0\n"},
		{"answer(pairs)", `["a x","a"]`, `[[1,2]]`, "a x,a\n1,2\n"},
		{"answer(pd.Series([1, 2]))", `["value"]`, `[[1],[2]]`, "value\n1\n2\n"},
	} {
		var got struct {
			Parts []struct {
				Table struct {
					Columns, Rows json.RawMessage
					File          string
				}
			}
		}
		if err := json.Unmarshal([]byte(answered(t, k, c.code)), &got); err != nil || len(got.Parts) != 1 {
			t.Fatal(got, err)
		}
		table := got.Parts[0].Table
		if string(table.Columns) != c.columns || string(table.Rows) != c.rows {
			t.Errorf("%s gives %s, %s", c.code, table.Columns, table.Rows)
		}
		if text, err := os.ReadFile(table.File); err != nil || string(text) != c.file {
			t.Errorf("%s writes %q, %v", c.code, text, err)
		}
	}
	for code, want := range map[string]string{
		"answer({'by': sales, 'best': np.float64(1.5), 'all': np.arange(3)})": `{"parts":[{"value":{"by":[{"region":"north","sold":1.5,"day":"2024-01-01T00:00:00","n":7},{"region":"south","sold":null,"day":null,"n":null}],"best":1.5,"all":[0,1,2]}}]}`,
		"answer(np.int64(5))":               `{"parts":[{"value":5}]}`,
		"answer('It is', np.array([1, 2]))": `{"parts":[{"text":"It is"},{"value":[1,2]}]}`,
	} {
		if got := answered(t, k, code); got != want {
			t.Errorf("%s gives %s", code, got)
		}
	}
	for code, want := range map[string]string{
		"answer(pd.DataFrame([[1, 2]], columns=['a', 'a']))": "has the column 'a' twice",
		"answer(pd.DataFrame({'a': range(10001)}))":          "cannot answer with 10,001 rows",
		"answer(sales, sales)":                               "one number, dict, list or table",
	} {
		if o := k.Run(code); o.Done.Error == nil || !strings.Contains(o.Done.Error.Value, want) || len(o.Displays) > 0 {
			t.Errorf("%s ends with %+v", code, o.Done.Error)
		}
	}
}

// TestPicturesAsAnswers answers with values that show themselves as pictures, as those of
// drawing packages do: each is shown, and is a file.
func TestPicturesAsAnswers(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Run(`class Chart:
    def _repr_png_(self): return b"\x89PNG\r\n\x1a\n" + b"1" * 20
class Drawing:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'/>"`)
	for code, name := range map[string]string{"answer('See', Chart())": ".png", "answer('See', Drawing())": ".svg"} {
		var got struct {
			Parts []struct{ Text, Picture string }
		}
		if err := json.Unmarshal([]byte(answered(t, k, code)), &got); err != nil || len(got.Parts) != 2 || got.Parts[0].Text != "See" {
			t.Fatal(got, err)
		}
		path := got.Parts[1].Picture
		if info, err := os.Stat(path); err != nil || filepath.Ext(path) != name || info.Size() == 0 {
			t.Errorf("%s: the picture is %q, %v", code, path, err)
		}
	}
}

// TestProfileOfParquet has a package that reads Parquet describe it.
func TestProfileOfParquet(t *testing.T) {
	t.Parallel()
	k := packaged(t)
	path := filepath.Join(t.TempDir(), "t.parquet")
	k.Run(`import duckdb
duckdb.sql("copy (select range as n, case when range < 3 then 'x' end as t from range(7000)) to '` + path + `' (format parquet)")`)
	got, want := lookAtPaths(t, k, path)["t.parquet"].Text, "Parquet, 7,000 rows, 2 columns (the columns are described by the first 5,000)\n- n: integer, 0 to 4999\n- t: text, 1 value: x (3), 4,997 missing"
	if got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
