package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/fault"
	"praxis/internal/test/prepared"
)

// fetched is the folder of the packages that the tests want.
var fetched = sync.OnceValues(func() (string, error) {
	return prepared.Packages(context.Background(), prepared.DuckDB()...)
})

// packages returns a folder of packages that has a module. It skips the test where they
// cannot be fetched.
func packages(t *testing.T, module string) string {
	t.Helper()
	for _, folder := range strings.Split(os.Getenv("PRAXIS_TEST_PYTHONPATH"), ":") {
		if _, err := os.Stat(folder + "/" + module); err == nil && folder != "" {
			return folder
		}
	}
	folder, err := fetched()
	if fault.KindOf(err) == fault.Unavailable {
		t.Skipf("%s cannot be fetched: the package index cannot be reached", module)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// engines runs a test on SQLite and on DuckDB.
func engines(t *testing.T, test func(t *testing.T, packages string)) {
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t, "") })
	t.Run("DuckDB", func(t *testing.T) { t.Parallel(); test(t, packages(t, "duckdb")) })
}

// shown is a result as programs read it.
type shown struct {
	Columns []struct{ Name, Type string } `json:"columns"`
	Rows    [][]any                       `json:"rows"`
	Count   int                           `json:"row_count"`
	Cut     bool                          `json:"truncated"`
	Changed *int                          `json:"rows_changed"`
}

func parse(t *testing.T, m message) (out shown) {
	t.Helper()
	if m.Error != nil {
		t.Fatal(m.Error.Traceback)
	}
	if text := m.Result["application/json"]; text != "" {
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestLogic runs the cases of testdata/logic.txt.
func TestLogic(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/logic.txt")
	if err != nil {
		t.Fatal(err)
	}
	engines(t, func(t *testing.T, packages string) {
		k := start(t, packages, nil)
		k.file("people.json", `[{"name": "Ann", "n": 3}, {"name": "Bob"}]`)
		k.file("hostile.csv", "select,x; drop table t\n1,y\n")
		k.file(`quo"ted.tsv`, "k\tl\n1\t2\n")
		k.python(`plain = [{"n": 1}, {"n": 2}, {"n": 3}]; number = 41; word = "it's"`)
		for _, c := range strings.Split(string(data), "\n\n") {
			c = strings.TrimLeft(strings.TrimPrefix(c, "# Statements with what becomes of them, in the manner of sqllogictest; both engines run them."), "\n")
			head, text, _ := strings.Cut(c, "\n")
			code, want, _ := strings.Cut(text, "\n----\n")
			if problem := judge(t, head, k.sql(code), strings.TrimRight(want, "\n")); problem != "" {
				t.Errorf("%s\n%s", c, problem)
			}
		}
	})
}

// judge says what is wrong with what became of a case.
func judge(t *testing.T, head string, m message, want string) string {
	words := strings.Fields(head)
	if words[1:] != nil && len(words) > 1 && words[1] == "error" {
		if m.Error == nil || m.Error.Name != "SQLError" || !strings.Contains(m.Error.Traceback, "^") {
			return fmt.Sprintf("it ended with %+v", m.Error)
		}
		return ""
	}
	if m.Error != nil {
		return m.Error.Traceback
	}
	got := parse(t, m)
	if words[0] == "statement" {
		if words[1] == "count" && (got.Changed == nil || fmt.Sprint(*got.Changed) != words[2]) {
			return "it says " + m.Result["text"]
		}
		return ""
	}
	var lines []string
	for _, row := range got.Rows {
		var cells []string
		for i, v := range row {
			text := fmt.Sprint(v)
			if v == nil {
				text = "NULL"
			} else if f, ok := v.(float64); ok && (got.Columns[i].Type == "REAL" || got.Columns[i].Type == "DOUBLE") {
				text = fmt.Sprintf("%.1f", f)
			}
			cells = append(cells, text)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if len(words) > 1 && words[1] == "rowsort" {
		slices.Sort(lines)
	}
	if strings.Join(lines, "\n") != want {
		return "got\n" + strings.Join(lines, "\n")
	}
	return ""
}
