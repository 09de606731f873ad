package builtin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/kind/builtin"
	"praxis/internal/tool/toolfile"
)

// database makes a SQLite file.
func database(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func sums(t testing.TB, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x\n", e.Name(), sha256.Sum256(data))
	}
	return b.String()
}

func fixture(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sales.csv"), "\ufeffid,Region,amount,zip,day,\"a \"\"b\"\"\"\r\n1,North,10.5,01234,2027-01-31,x\r\n2,South,,99999,2027-02-01,\r\n3,North,7,00001,,\"two\nlines, really\"\r\n")
	write(t, filepath.Join(dir, "tabs.tsv"), "n\tm\n1\t9223372036854775808\n2\t-5\n")
	write(t, filepath.Join(dir, "semi.csv"), "a;b;a\n1;2,5;3\n")
	database(t, filepath.Join(dir, "crm.sqlite"),
		"CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, since DATE, photo BLOB, at TIMESTAMP)",
		"INSERT INTO customers VALUES (1, 'Ann', '2026-05-01', x'ff00', '2026-05-01 10:00'), (2, 'Bob', 'unknown', NULL, 17)",
		`CREATE VIEW "odd view" AS SELECT name FROM customers`)
	return dir
}

const both = `{"sales":"sales.csv","crm":"crm.sqlite","tables":{"tabs":"tabs.tsv","semi":{"file":"semi.csv"}},"max_rows":5000}`

func TestQuery(t *testing.T) {
	dir := fixture(t)
	before := sums(t, dir)
	u := open(t, builtin.Config{}, dir, "sql.query", both)
	for _, line := range []string{`sales(id INTEGER, Region TEXT, amount REAL, zip TEXT, day TEXT, "a ""b""" TEXT)`, "tabs(n INTEGER, m TEXT)", "semi(a INTEGER, b TEXT, a_2 INTEGER)",
		"crm.customers(id INTEGER, name TEXT, since DATE, photo BLOB, at TIMESTAMP)", `crm."odd view"(name TEXT)`} {
		if !strings.Contains(u.d.Description, line) {
			t.Errorf("the description lacks %s:\n%s", line, u.d.Description)
		}
	}
	if strings.Contains(u.d.Description, dir) || !strings.HasPrefix(u.impl.Identity(), "go sql.query sales=sales.csv crm=crm.sqlite") {
		t.Errorf("description %s, identity %s", u.d.Description, u.impl.Identity())
	}
	for _, c := range []struct{ sql, rest, want string }{
		{`SELECT * FROM sales ORDER BY id DESC LIMIT 1`, "", `{"columns":["id","Region","amount","zip","day","a \"b\""],"rows":[{"id":3,"Region":"North","amount":7,"zip":"00001","day":null,"a \"b\"":"two\nlines, really"}],"truncated":false}`},
		{`select region, sum(amount) s, count(*) from Sales group by 1 order by s desc;`, "", `{"columns":["region","s","count(*)"],"rows":[{"region":"North","s":17.5,"count(*)":2},{"region":"South","s":null,"count(*)":1}],"truncated":false}`},
		{`SELECT c.name, s.amount FROM crm.customers c JOIN sales s USING (id) WHERE s.id = ? -- the first`, `,"params":[1]`, `{"columns":["name","amount"],"rows":[{"name":"Ann","amount":10.5}],"truncated":false}`},
		{`SELECT :a a, @b b, $c c, :d d`, `,"params":{"a":true,":b":null,"c":[1,{"x":2}],"d":1.0}`, `{"columns":["a","b","c","d"],"rows":[{"a":1,"b":null,"c":"[1,{\"x\":2}]","d":1}],"truncated":false}`},
		{`SELECT since, at, photo, 9e999 big FROM customers ORDER BY id DESC`, "", `{"columns":["since","at","photo","big"],"rows":[{"since":"unknown","at":17,"photo":null,"big":"+Inf"},{"since":"2026-05-01","at":"2026-05-01 10:00","photo":{"base64":"/wA="},"big":"+Inf"}],"truncated":false}`},
		{`SELECT m FROM tabs`, "", `{"columns":["m"],"rows":[{"m":"9223372036854775808"},{"m":"-5"}],"truncated":false}`},
		{`SELECT a, b, a_2, a FROM semi`, "", `{"columns":["a","b","a_2","a:1"],"rows":[{"a":1,"b":"2,5","a_2":3,"a:1":1}],"truncated":false}`},
		{`WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM r) SELECT n FROM r`, `,"limit":2`, `{"columns":["n"],"rows":[{"n":1},{"n":2}],"truncated":true}`},
		{`VALUES (1), (2)`, `,"limit":2`, `{"columns":["column1"],"rows":[{"column1":1},{"column1":2}],"truncated":false}`},
		{`SELECT group_concat(name) FROM pragma_table_info('sales')`, "", `{"columns":["group_concat(name)"],"rows":[{"group_concat(name)":"id,Region,amount,zip,day,a \"b\""}],"truncated":false}`},
		{`SELECT ';' || "name" /* ) ; ' */ AS [x;y] FROM "odd view" LIMIT 1`, "", `{"columns":["x;y"],"rows":[{"x;y":";Ann"}],"truncated":false}`},
	} {
		if got := u.got(t, `{"sql":`+encode(t, c.sql)+c.rest+`}`); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
	if after := sums(t, dir); after != before {
		t.Errorf("files changed:\n%s\n%s", before, after)
	}
}

// TestQueryRefused tries what is no reading.
func TestQueryRefused(t *testing.T) {
	dir := fixture(t)
	before := sums(t, dir)
	evil := filepath.Join(dir, "evil.db")
	u := open(t, builtin.Config{}, dir, "sql.query", both)
	for _, sql := range []string{
		"", ";", "-- x", "DELETE FROM crm.customers", "INSERT INTO customers VALUES (3,'x',1,1,1)", "UPDATE customers SET name = 'x'", "DROP TABLE customers", "CREATE TABLE crm.x (a)",
		"CREATE TEMP TABLE x (a)", "ATTACH '" + evil + "' AS e", "DETACH crm", "VACUUM INTO '" + evil + "'", "PRAGMA query_only = 0", "PRAGMA journal_mode = WAL", "BEGIN", "REINDEX", "ANALYZE", "EXPLAIN SELECT 1",
		"SELECT 1; DELETE FROM customers", "SELECT 1;;", "SELECT 1) ; DELETE FROM customers; SELECT (1", "SELECT 1 /* ", "SELECT 'a", `SELECT "a`, "SELECT [a", "SELECT `a", "SELECT (1", "SELECT 1)", ")(",
		"WITH x AS (SELECT 1) DELETE FROM customers", "WITH x AS (SELECT 1) INSERT INTO sales SELECT * FROM x", "SELECT $a('); DELETE FROM customers; --')", "SELECT :a::b(';'); DROP TABLE customers",
		"SELECT load_extension('/tmp/x.so')", "SELECT * FROM pragma_database_list", `SELECT * FROM "PRAGMA_database_list"`, "SELECT * FROM 'pragma_database_list'", "SELECT * FROM [pragma_query_only]", "SELECT * FROM pragma_journal_mode('crm')",
		"SELECT writefile('" + evil + "', 'x')", "SELECT readfile('/etc/passwd')", "SELECT * FROM nowhere", "SELECT amuont FROM sales", "SELECT ? , ?", "SELECT fts3_tokenizer('simple', x'00')", "SELECT edit('x')",
		"SELECT 1 UNION DELETE FROM customers", "SELECT 1 RETURNING 1", "\x00SELECT 1", "(SELECT 1)", "SELECT " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300),
		"INSERT INTO sqlite_schema VALUES (1,1,1,1,1)", "SELECT 1 -- \n; DROP TABLE customers", "select 1 'x''; drop table customers; --' ; drop table sales",
	} {
		out, err := u.try(t, t.Context(), `{"sql":`+encode(t, sql)+`}`)
		if kind := fault.KindOf(err); err == nil || kind != fault.Invalid && kind != fault.Denied {
			t.Errorf("%q: got %v, %v", sql, out, err)
		}
		if err != nil && strings.Contains(err.Error()+fault.RemedyOf(err), dir) && !strings.Contains(sql, dir) {
			t.Errorf("%q: a path of the host is shown: %v", sql, err)
		}
	}
	u.refused(t, `{"sql":"SELECT ?","params":[1e400]}`, fault.Invalid, "no such number")
	u.refused(t, `{"sql":"SELECT :x","params":{"a b":1}}`, fault.Invalid, "letters")
	u.refused(t, `{"sql":"SELECT s.amuont FROM sales s"}`, fault.Invalid, "nearest first: sales (amount, ")
	if after := sums(t, dir); after != before {
		t.Errorf("files changed:\n%s\n%s", before, after)
	}
	if got := u.got(t, `{"sql":"SELECT count(*) n FROM crm.customers, sales"}`); !strings.Contains(got, `"n":6`) {
		t.Errorf("afterwards: %s", got)
	}
}

// TestQueryOwnTables tries what SQLite has beside the tables that are attached: above
// all what reads the pages of a file, in which deleted rows still stand.
func TestQueryOwnTables(t *testing.T) {
	dir := t.TempDir()
	database(t, filepath.Join(dir, "crm.sqlite"),
		"PRAGMA secure_delete = 0", "CREATE TABLE people (name TEXT)", "INSERT INTO people VALUES ('Ann'), ('a deleted row')", "DELETE FROM people WHERE name <> 'Ann'",
		"CREATE VIRTUAL TABLE words USING fts5(text)", "INSERT INTO words VALUES ('many good words')", "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)")
	if data, err := os.ReadFile(filepath.Join(dir, "crm.sqlite")); err != nil || !bytes.Contains(data, []byte("a deleted row")) {
		t.Fatalf("the file does not have the deleted row: %v", err)
	}
	u := open(t, builtin.Config{}, dir, "sql.query", `{"crm":"crm.sqlite"}`)
	database(t, filepath.Join(dir, "crm.sqlite"), "CREATE VIEW pages AS SELECT data FROM sqlite_dbpage", "CREATE VIEW sizes AS SELECT * FROM dbstat", "CREATE VIEW files AS SELECT * FROM pragma_database_list")
	for _, from := range []string{
		"sqlite_dbpage('crm')", "sqlite_dbpage WHERE schema = 'crm'", "SQLite_DBPage", `"sqlite_dbpage"('crm')`, "[sqlite_dbpage]", "`sqlite_dbpage`", "'sqlite_dbpage'", "main.sqlite_dbpage", "crm . sqlite_dbpage", "(SELECT * FROM sqlite_dbpage('crm')) AS p",
		"people, sqlite_dbpage AS people2", "dbstat", "dbstat('crm', 1)", "crm.dbstat", `"DBSTAT"`,
		"pages", "crm.sizes", "files",
		"bytecode('SELECT 1')", "tables_used('SELECT 1')", "sqlite_stmt", "fts5vocab('crm','words','row')", "fts5", "rtree", "generate_series(1,2)", "completion('s')", "fsdir('/')", "zipfile('x')", "csv(filename='/etc/passwd')",
		"pragma_database_list", "pragma_module_list", "pragma_function_list", "pragma_compile_options", "pragma_table_unknown", "pragma_user_version(1)", "pragma_cache_size(1)", "pragma_wal_checkpoint", "pragma_optimize", "pragma_integrity_check", "pragma_schema_version", "pragma_stats", "pragma_data_version",
	} {
		out, err := u.try(t, t.Context(), `{"sql":`+encode(t, "SELECT * FROM "+from)+`}`)
		if kind := fault.KindOf(err); err == nil || kind != fault.Invalid && kind != fault.Denied {
			t.Errorf("%s: got %v, %v", from, out, err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT name FROM people":                                         "Ann",
		"SELECT text FROM words WHERE words MATCH 'good'":                 "many good words",
		"SELECT group_concat(term) t FROM vocabulary":                     "good,many,words",
		"SELECT value FROM json_each('[7]')":                              "7",
		"SELECT atom FROM json_tree('[8]') WHERE atom IS NOT NULL":        "8",
		"SELECT name FROM pragma_table_info('people')":                    "name",
		"SELECT name FROM crm.sqlite_schema WHERE type = 'table' LIMIT 1": "people",
		"SELECT name FROM crm.people WHERE name <> 'sqlite_dbpages x'":    "Ann",
		"SELECT ncol FROM pragma_table_list('people') WHERE schema='crm'": "1",
	} {
		if got := u.got(t, `{"sql":`+encode(t, sql)+`}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestQueryBounds runs queries that never end or whose results are too large.
func TestQueryBounds(t *testing.T) {
	dir := fixture(t)
	u := open(t, builtin.Config{}, dir, "sql.query", both)
	const forever = `{"sql":"WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM r) SELECT sum(n) FROM r"}`
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	if _, err := u.try(t, ctx, forever); !errors.Is(err, why) {
		t.Errorf("a recursion without end: %v", err)
	}
	quick := open(t, builtin.Config{}, dir, "sql.query", `{"crm":"crm.sqlite","timeout":"50ms"}`)
	quick.refused(t, forever, fault.Exhausted, "50ms")
	u.refused(t, `{"sql":"SELECT hex(zeroblob(1500000))"}`, fault.Exhausted, "substr")
	u.refused(t, `{"sql":"SELECT zeroblob(1000000000)"}`, fault.Exhausted, "bytes")
	u.refused(t, `{"sql":"SELECT `+strings.Repeat("1,", 3000)+`1"}`, fault.Invalid, "columns")
	// What is too much is refused and not cut: a sum over a part of the rows is a wrong sum.
	const counting = `WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM r WHERE n < `
	u.refused(t, `{"sql":"`+counting+`100) SELECT hex(zeroblob(500000)) h FROM r"}`, fault.Exhausted, "its first 17 rows have more than 16MiB")
	u.refused(t, `{"sql":"`+counting+`5001) SELECT 1 FROM r"}`, fault.Exhausted, "it has more than 5,000 rows")
	u.refused(t, `{"sql":"`+counting+`5001) SELECT 1 FROM r","limit":1000000}`, fault.Exhausted, "LIMIT and OFFSET")
	if got := u.got(t, `{"sql":"`+counting+`5000) SELECT 1 FROM r"}`); strings.Count(got, `{"1":1}`) != 5000 || !strings.HasSuffix(got, `"truncated":false}`) {
		t.Errorf("without a limit: %d bytes", len(got))
	}
	// What the caller's own limit cuts says how much there is.
	for _, c := range []struct{ rows, limit, cut string }{{"3000", "1000", "1,000 of 3,000 rows"}, {"200000", "2", "2 of more than 100,002 rows"}, {"5", "5", ""}} {
		out, err := u.impl.Call(t.Context(), tool.Invocation{Tool: u.d, Arguments: object(t, `{"sql":"`+counting+c.rows+`) SELECT n FROM r","limit":`+c.limit+`}`)})
		l, _ := out.(tool.Labelled)
		if err != nil || l.Cut != c.cut {
			t.Errorf("%s of %s: %q, %v", c.limit, c.rows, l.Cut, err)
		}
	}
}

// TestQueryClose closes a tool while queries run.
func TestQueryClose(t *testing.T) {
	dir := fixture(t)
	k := builtin.New(builtin.Config{})
	d := derive(t, k, dir, "sql.query", both)
	impl, err := k.New(t.Context(), d, tool.Binding{Spec: object(t, `{"use":"sql.query","with":`+both+`}`), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	u := under{d, impl}
	u.got(t, `{"sql":"SELECT 1 FROM sales"}`)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			_, err := u.try(t, t.Context(), `{"sql":"WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM r) SELECT sum(n) FROM r, sales"}`)
			if fault.KindOf(err) != fault.Unavailable {
				t.Errorf("a query under Close: %v", err)
			}
		})
	}
	time.AfterFunc(100*time.Millisecond, func() {
		if err := impl.Close(); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	u.refused(t, `{"sql":"SELECT 1"}`, fault.Unavailable, "closed")
	if err := impl.Close(); err != nil {
		t.Error(err)
	}
}

// TestWAL reads databases in WAL mode without making files beside them, and sees
// what another has written.
func TestWAL(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.db")
	database(t, path, "PRAGMA journal_mode = WAL", "CREATE TABLE x (a)", "INSERT INTO x VALUES (1)")
	before := sums(t, dir)
	u := open(t, builtin.Config{}, dir, "sql.query", `{"w":"w.db"}`)
	if got := u.got(t, `{"sql":"SELECT a FROM x"}`); !strings.Contains(got, `[{"a":1}]`) {
		t.Error(got)
	}
	if after := sums(t, dir); after != before {
		t.Errorf("files changed:\n%s\n%s", before, after)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO x VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	if got := u.got(t, `{"sql":"SELECT max(a) a FROM x"}`); !strings.Contains(got, `[{"a":2}]`) {
		t.Error(got)
	}
}

// TestBadFiles attaches what cannot be read.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "empty.csv"), "")
	write(t, filepath.Join(dir, "latin.csv"), "a,b\n1,Gr\xfc\xdfe\n")
	write(t, filepath.Join(dir, "wide.csv"), "a,b\n1,2,3\n")
	write(t, filepath.Join(dir, "many.csv"), strings.Repeat("a,", 2000)+"b\n")
	write(t, filepath.Join(dir, "bin"), "\x00\x01\x02")
	write(t, filepath.Join(dir, "bad.db"), "SQLite format 3\x00"+strings.Repeat("x", 4096))
	write(t, filepath.Join(dir, "bad.parquet"), "PAR1"+strings.Repeat("\xff", 100)+"PAR1")
	write(t, filepath.Join(dir, "short.parquet"), "PAR1")
	if err := unix.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string]string{"empty.csv": "empty", "latin.csv": "line 2 is not UTF-8", "wide.csv": "line 2 has 3 cells", "many.csv": "columns", "bin": "none that is known",
		"bad.db": "", "bad.parquet": "damaged", "short.parquet": "short", "pipe.csv": "no plain file", ".": "no plain file"} {
		_, err := builtin.New(builtin.Config{}).Derive(t.Context(), tool.Binding{Spec: object(t, `{"use":"sql.query","with":{"x":"`+name+`"}}`), Dir: dir})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCSVKinds checks what cells are taken for.
func TestCSVKinds(t *testing.T) {
	for cells, kind := range map[string]string{
		"1 -2 0": "INTEGER", "1 2.5": "REAL", "1 x": "TEXT", "01": "TEXT", "-0": "TEXT", "+1": "TEXT", "1e5": "REAL", "0.5 -0.5": "REAL", "00.5": "TEXT", "1_000": "TEXT", "0x10": "TEXT", "inf": "TEXT", "nan": "TEXT",
		"1e999": "TEXT", "123456789012345678901": "TEXT", "9223372036854775807": "INTEGER", "0.12345678901234567890": "TEXT", "1.": "REAL", ".5": "REAL", ".": "TEXT", "e5": "TEXT", "1-2.5": "TEXT", "100.5 10.05": "REAL",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "x.csv"), "a,b\n"+strings.ReplaceAll(cells, " ", ",\n")+",\n")
		d := derive(t, builtin.New(builtin.Config{}), dir, "sql.query", `{"x":"x.csv"}`)
		if !strings.Contains(d.Description, "x(a "+kind+", b TEXT)") {
			t.Errorf("%s: want %s, got %s", cells, kind, d.Description)
		}
	}
}

func TestNoHeader(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.csv"), "1|a\n2|b\n")
	u := open(t, builtin.Config{}, dir, "sql.query", `{"tables":{"timeout":{"file":"x.csv","header":false,"delimiter":"|"}}}`)
	if got := u.got(t, `{"sql":"SELECT * FROM timeout"}`); !strings.Contains(got, `[{"column_1":1,"column_2":"a"},{"column_1":2,"column_2":"b"}]`) {
		t.Error(got)
	}
}

type inner struct {
	City string `parquet:"city"`
}

type record struct {
	ID    int64     `parquet:"id"`
	Name  *string   `parquet:"name,optional"`
	Price float32   `parquet:"price"`
	Day   int32     `parquet:"day,date"`
	At    time.Time `parquet:"at,timestamp(microsecond)"`
	Cost  int64     `parquet:"cost,decimal(2:10)"`
	Big   uint64    `parquet:"big"`
	Ok    bool      `parquet:"ok"`
	Tags  []string  `parquet:"tags,list"`
	Where inner     `parquet:"where"`
	Deep  []inner   `parquet:"deep"`
	Raw   []byte    `parquet:"raw"`
}

func TestParquet(t *testing.T) {
	name := "Ann"
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[record](&buf)
	if _, err := w.Write([]record{
		{1, &name, 0.1, 20000, time.Date(2027, 1, 31, 4, 5, 6, 7000, time.UTC), -1205, 1<<64 - 1, true, []string{"a", "b"}, inner{"Bern"}, []inner{{"x"}}, []byte("\xff")},
		{ID: 2},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p.parquet"), buf.String())
	u := open(t, builtin.Config{}, dir, "sql.query", `{"p":"p.parquet"}`)
	want := `"rows":[{"id":1,"name":"Ann","price":0.1,"day":"2024-10-04","at":"2027-01-31T04:05:06.000007Z","cost":-12.05,"big":"18446744073709551615","ok":1,"tags":"[\"a\",\"b\"]","where.city":"Bern","raw":{"base64":"/w=="}},`
	got := u.got(t, `{"sql":"SELECT * FROM p"}`)
	if !strings.Contains(got, want) || !strings.Contains(got, `{"id":2,"name":null,"price":0,`) || !strings.Contains(got, `"tags":"[]"`) {
		t.Errorf("got %s\nwant %s\n%s", got, want, u.d.Description)
	}
}

// TestParquetDamaged flips bytes of a Parquet file: it is read, or refused.
func TestParquetDamaged(t *testing.T) {
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[record](&buf)
	if _, err := w.Write(make([]record, 50)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "p.parquet")
	for i := 4; i < buf.Len(); i += 41 {
		data := bytes.Clone(buf.Bytes())
		data[i] ^= byte(1 + i%255)
		write(t, path, string(data))
		k := builtin.New(builtin.Config{})
		b := tool.Binding{Spec: object(t, `{"use":"sql.query","with":{"p":"p.parquet","timeout":"5s"}}`), Dir: dir}
		doc, err := k.Derive(t.Context(), b)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("byte %d: %v", i, err)
			}
			continue
		}
		d, err := toolfile.Define("p", doc)
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		impl, err := k.New(t.Context(), d, b)
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		_, err = under{d, impl}.try(t, t.Context(), `{"sql":"SELECT count(*) FROM p"}`)
		if err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("byte %d: %v", i, err)
		}
		impl.Close()
	}
}

// TestLarge reads a table of many rows.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("id,v\n")
	for i := range 50_000 {
		fmt.Fprintf(&b, "%d,%d.5\n", i, i)
	}
	write(t, filepath.Join(dir, "l.csv"), b.String())
	u := open(t, builtin.Config{}, dir, "sql.query", `{"l":"l.csv"}`)
	if got := u.got(t, `{"sql":"SELECT count(*) n, sum(id) s FROM l"}`); !strings.Contains(got, `[{"n":50000,"s":1249975000}]`) {
		t.Error(got)
	}
}

// FuzzQuery checks that no statement changes a file or breaks the tool.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"SELECT 1", "SELECT $a(')", "SELECT 1;--", "WITH x AS (SELECT 1) SELECT * FROM x", "SELECT * FROM sales, crm.customers", "DELETE FROM customers", "SELECT '' '", "SELECT x'00'", "VALUES(1)/*", "SELECT [a;b]", "SELECT 1\v;", "PRAGMA x"} {
		f.Add(s)
	}
	dir := fixture(f)
	before := sums(f, dir)
	u := open(f, builtin.Config{}, dir, "sql.query", `{"sales":"sales.csv","crm":"crm.sqlite","timeout":"200ms"}`)
	f.Fuzz(func(t *testing.T, sql string) {
		_, err := u.try(t, t.Context(), `{"sql":`+encode(t, sql)+`,"limit":5}`)
		if fault.KindOf(err) == fault.Internal {
			t.Fatalf("%q: %v", sql, err)
		}
		if sums(t, dir) != before {
			t.Fatalf("%q changed a file", sql)
		}
	})
}

// FuzzCSV checks that any text is a table or refused, and all its rows come back.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\n\"x", "\ufeffa;b\n", "\"\"\"", "a,a,A\n", "\n\n", "a\r1", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "x.csv"), content)
		k := builtin.New(builtin.Config{})
		b := tool.Binding{Spec: object(t, `{"use":"sql.query","with":{"x":{"file":"x.csv","format":"csv"}}}`), Dir: dir}
		doc, err := k.Derive(t.Context(), b)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		d, err := toolfile.Define("x", doc)
		if err != nil {
			t.Fatal(err)
		}
		impl, err := k.New(t.Context(), d, b)
		if err != nil {
			t.Fatal(err)
		}
		defer impl.Close()
		if _, err := (under{d, impl}).try(t, t.Context(), `{"sql":"SELECT * FROM x"}`); fault.KindOf(err) == fault.Internal {
			t.Fatal(err)
		}
	})
}
