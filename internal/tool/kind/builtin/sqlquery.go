package builtin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"modernc.org/sqlite"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// The schema that tables of files are attached as. A query need not name it.
const tablesSchema = "tables"

const (
	atOnce     = 4         // queries of one tool
	maxValue   = 2 << 20   // bytes of one value, or of one row on its way
	maxSpill   = 512 << 20 // bytes that the queries of this process keep on disk
	spillEvery = 100 * time.Millisecond
)

// SQLite's numbers of its limits and errors.
const (
	limitLength, limitColumns, limitAttached, limitPattern = 0, 2, 7, 8

	sqliteError, sqlitePerm, sqliteBusy, sqliteLocked, sqliteNoMem, sqliteReadOnly = 1, 3, 5, 6, 7, 8
	sqliteInterrupt, sqliteFull, sqliteTooBig, sqliteAuth, sqliteRange             = 9, 13, 18, 23, 25
)

const queryDocument = `{"name": "sql.query", "version": "1.1.0", "title": "Query tables", "effects": "read",
"input": {"type": "object", "required": ["sql"], "additionalProperties": false, "properties": {
	"sql": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "One SELECT in SQLite's dialect."},
	"params": {"anyOf": [{"type": "array", "maxItems": 500}, {"type": "object", "maxProperties": 500}], "default": [], "description": "Values for ? in their order, or for :name by name."},
	"limit": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "How many rows at most; without it, all."}}},
"output": {"type": "object", "required": ["columns", "rows", "truncated"], "properties": {
	"columns": {"type": "array", "items": {"type": "string"}},
	"rows": {"type": "array", "items": {"type": "object", "additionalProperties": true}},
	"truncated": {"type": "boolean", "description": "There are more rows than the limit."}}}}`

func describeQuery(ctx context.Context, b binding) (*jsondoc.Object, error) {
	s, err := readSettings(b)
	if err != nil {
		return nil, err
	}
	var lines []string
	size := 0
	for i := range s.tables {
		shown, err := s.tables[i].shown(ctx)
		if err != nil {
			return nil, err
		}
		for _, line := range shown {
			if size += len(line) + 1; size > maxShown {
				lines = append(lines, "and more, which sqlite_schema lists")
				break
			}
			lines = append(lines, line)
		}
		if size > maxShown {
			break
		}
	}
	return document(queryDocument, "Answers one SELECT in SQLite's dialect; nothing can be changed. Empty cells of files are NULL.\nThe tables:\n"+strings.Join(lines, "\n"))
}

// query is sql.query.
type query struct {
	settings sqlSettings
	bytes    int64
	slots    chan struct{}
	loading  chan struct{} // one at a time
	closing  chan struct{}
	calls    sync.WaitGroup
	spill    int64 // bytes on disk after which queries end

	mu     sync.Mutex
	store  string    // name of the tables in memory
	keep   *sql.DB   // holds them; nil until the first is loaded
	pin    *sql.Conn // the connection without which they would be gone
	loaded map[string]bool
	widest int
	closed bool
}

func newQuery(_ context.Context, d *tool.Definition, b binding) (tool.Implementation, error) {
	s, err := readSettings(b)
	if err != nil {
		return nil, err
	}
	q := &query{settings: s, bytes: bound(d), slots: make(chan struct{}, atOnce), loading: make(chan struct{}, 1), store: "/praxis-" + rand.Text(), loaded: map[string]bool{}, widest: 100, spill: maxSpill, closing: make(chan struct{})}
	return q, nil
}

// Identity names the files, and how each is attached.
func (q *query) Identity() string {
	var names []string
	h := sha256.New()
	for _, a := range q.settings.tables {
		names = append(names, a.name+"="+filepath.Base(a.path))
		fmt.Fprintf(h, "%s\x00%s\x00", a.name, a.path)
	}
	return fmt.Sprintf("go sql.query %s sha256:%x", strings.Join(names, " "), h.Sum(nil))
}

// Close ends the queries that run and frees the tables.
func (q *query) Close() error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.closing)
	}
	q.mu.Unlock()
	q.calls.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.keep != nil {
		err := errors.Join(q.pin.Close(), q.keep.Close())
		q.keep, q.pin = nil, nil
		return err
	}
	return nil
}

func (q *query) Call(ctx context.Context, c tool.Invocation) (any, error) {
	st, err := screen(textOf(c.Arguments, "sql"))
	if err != nil {
		return nil, err
	}
	limit, err := wholeOf(c.Arguments, "limit", 0)
	if err != nil {
		return nil, err
	}
	params, err := paramsOf(c.Arguments)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, fault.New(fault.Unavailable, "", "cannot run the query: the tool is closed")
	}
	q.calls.Add(1)
	q.mu.Unlock()
	defer q.calls.Done()

	call, stop := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		q.watch(call, stop)
	}()
	defer func() { stop(nil); <-watched }()
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-call.Done():
		return nil, context.Cause(call)
	}
	if err := q.load(call, st); err != nil {
		return nil, q.failed(call, err)
	}
	// To read a table takes as long as its file is; that is done once.
	late := fault.New(fault.Exhausted, "Ask for less: fewer rows, a condition on an indexed column, no product of tables.", "cannot run the query: it takes longer than %s", q.settings.timeout)
	timed, cancel := context.WithTimeoutCause(call, q.settings.timeout, late)
	defer cancel()
	out, err := q.run(timed, st, params, limit)
	if err != nil {
		return nil, q.nearby(timed, st, q.failed(timed, err))
	}
	return out, nil
}

// watch ends a query when the tool is closed, or when the temporary files of this
// process grow too much: SQLite sets no bound to what a sort or a recursion writes.
func (q *query) watch(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(spillEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.closing:
			stop(fault.New(fault.Unavailable, "", "cannot run the query: the tool is closed"))
			return
		case <-tick.C:
			if spilled() > q.spill {
				stop(fault.New(fault.Exhausted, "Ask for less: fewer rows, no product of tables, a recursion that ends.", "cannot run the query: it needs more than %d bytes on disk", q.spill))
				return
			}
		}
	}
}

// spilled is the size of SQLite's temporary files that this process has open.
func spilled() int64 {
	const fds = "/proc/self/fd"
	list, err := os.ReadDir(fds)
	if err != nil {
		return 0
	}
	var sum int64
	for _, e := range list {
		to, err := os.Readlink(filepath.Join(fds, e.Name()))
		if err != nil || !strings.HasPrefix(filepath.Base(to), "etilqs_") {
			continue
		}
		if info, err := os.Stat(filepath.Join(fds, e.Name())); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// paramsOf returns the values for a statement's parameters.
func paramsOf(args *jsondoc.Object) ([]any, error) {
	v, _ := args.Get("params")
	var out []any
	add := func(name string, v any) error {
		value, err := paramOf(v)
		if err != nil {
			return err
		}
		if name != "" {
			value = sql.Named(name, value)
		}
		out = append(out, value)
		return nil
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := add("", item); err != nil {
				return nil, err
			}
		}
	case *jsondoc.Object:
		for name, item := range v.All() {
			name = strings.TrimLeft(name, ":@$")
			if !isName(name) {
				return nil, fault.New(fault.Invalid, "Use letters, digits and underscores.", "cannot use the parameter %q", safetext.Clip(name, 200))
			}
			if err := add(name, item); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func paramOf(v any) (any, error) {
	switch v := v.(type) {
	case nil, string, int64, float64:
		return v, nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case []any, *jsondoc.Object, map[string]any:
		text, err := jsondoc.Canonical(v)
		return string(text), err
	}
	text, err := jsondoc.Canonical(v)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, fault.New(fault.Invalid, "Give it as a text.", "cannot use the parameter %s: SQLite has no such number", safetext.Clip(string(text), 200))
	}
	return f, nil
}

// load reads the tables that a statement names and that are not there yet.
func (q *query) load(ctx context.Context, st statement) error {
	select {
	case q.loading <- struct{}{}:
		defer func() { <-q.loading }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	all := st.words["sqlite_schema"] || st.words["sqlite_master"] || st.words["pragma_table_list"]
	for _, a := range q.settings.of(csvFile) {
		q.mu.Lock()
		there := q.loaded[a.name]
		q.mu.Unlock()
		if !there && (all || st.words[lower(a.name)]) {
			if err := q.loadTable(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// memory returns the database in memory. It lives as long as one connection does.
func (q *query) memory() (*sql.DB, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.keep != nil {
		return q.keep, nil
	}
	db, err := sql.Open("sqlite", "file:"+q.store+"?vfs=memdb&_pragma=synchronous(0)&_pragma=temp_store(2)")
	if err != nil {
		return nil, err
	}
	// A load that is given up may cost its connection.
	pin, err := db.Conn(context.Background())
	if err != nil {
		db.Close()
		return nil, err
	}
	q.keep, q.pin = db, pin
	return db, nil
}

func (q *query) loadTable(ctx context.Context, a attached) error {
	db, err := q.memory()
	if err != nil {
		return err
	}
	columns, rows, closer, err := a.rows(ctx)
	if err != nil {
		return err
	}
	defer closer.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var declared, marks []string
	for _, c := range columns {
		declared = append(declared, named(c.name)+" "+c.kind)
		marks = append(marks, "?")
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE "+named(a.name)+" ("+strings.Join(declared, ", ")+")"); err != nil {
		return fault.New(fault.Invalid, "Correct the names of its columns.", "cannot read %s: %w", a.name, err)
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO "+named(a.name)+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			_, err = insert.ExecContext(ctx, row...)
		}
		if err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	q.mu.Lock()
	q.widest = max(q.widest, len(columns)+8)
	q.loaded[a.name] = true
	q.mu.Unlock()
	return nil
}

// connect returns a connection that can read what is attached, and nothing else.
func (q *query) connect(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("sqlite", "file::memory:?_defensive=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_busy_timeout=2000")
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = q.attach(ctx, conn)
	}
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

func (q *query) attach(ctx context.Context, conn *sql.Conn) error {
	q.mu.Lock()
	widest, tables := q.widest, len(q.loaded)
	q.mu.Unlock()
	if tables > 0 {
		if _, err := conn.ExecContext(ctx, "ATTACH "+text("file:"+q.store+"?vfs=memdb&mode=ro")+" AS "+tablesSchema); err != nil {
			return err
		}
	}
	for _, a := range q.settings.of(sqliteFile) {
		dsn, err := a.readOnly()
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "ATTACH "+text(dsn)+" AS "+named(a.name)); err != nil {
			return a.unreadable(withoutPath(err, a.path, a.name))
		}
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only=1"); err != nil {
		return err
	}
	for _, l := range [][2]int{{limitLength, maxValue}, {limitColumns, max(widest, q.columnsIn(ctx, conn)+8)}, {limitPattern, 500}, {limitAttached, 0}} {
		if _, err := sqlite.Limit(conn, l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}

// columnsIn is the width of the widest table of the databases. A table
// that cannot be read fails the query that uses it.
func (q *query) columnsIn(ctx context.Context, conn *sql.Conn) int {
	widest := 0
	for _, a := range q.settings.of(sqliteFile) {
		var n sql.NullInt64
		row := conn.QueryRowContext(ctx, "SELECT max(ncol) FROM pragma_table_list WHERE schema = ? COLLATE NOCASE", a.name)
		if err := row.Scan(&n); err == nil {
			widest = max(widest, int(min(n.Int64, 2000)))
		}
	}
	return widest
}

// withoutPath takes the host's path out of an error that SQLite made.
func withoutPath(err error, path, name string) error {
	if strings.Contains(err.Error(), path) {
		return errors.New(strings.ReplaceAll(err.Error(), path, name))
	}
	return err
}

// run executes the statement as a part of a SELECT of ours. Columns that are declared
// as times pass through an expression, without which the driver would read them
// and lose their text.
func (q *query) run(ctx context.Context, st statement, params []any, limit int64) (any, error) {
	db, conn, err := q.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	defer conn.Close()
	if err := onlyTables(ctx, conn, st); err != nil {
		return nil, err
	}
	head, err := conn.QueryContext(ctx, "SELECT * FROM (\n"+st.text+"\n) LIMIT 0", params...)
	if err != nil {
		return nil, err
	}
	columns, err := head.Columns()
	types, err2 := head.ColumnTypes()
	if err := errors.Join(err, err2, head.Close()); err != nil {
		return nil, err
	}
	source := "SELECT * FROM (\n" + st.text + "\n)"
	if slices.ContainsFunc(types, func(t *sql.ColumnType) bool {
		return slices.Contains([]string{"DATE", "DATETIME", "TIMESTAMP", "TIME"}, strings.ToUpper(t.DatabaseTypeName()))
	}) {
		var names, plain []string
		for i := range columns {
			names = append(names, "c"+strconv.Itoa(i))
			plain = append(plain, "+c"+strconv.Itoa(i))
		}
		source = "WITH q(" + strings.Join(names, ",") + ") AS (\n" + st.text + "\n) SELECT " + strings.Join(plain, ", ") + " FROM q"
	}
	rows, err := conn.QueryContext(ctx, source, params...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return q.collect(rows, unique(columns), limit)
}

// collect reads the rows, as many as the caller's limit says; 0: all of them. What is
// bounded otherwise is refused and not cut: who sums up rows must have all of them.
func (q *query) collect(rows *sql.Rows, columns []string, limit int64) (any, error) {
	list := []any{}
	names := []any{}
	size := int64(64)
	each := int64(2)
	for i, c := range columns {
		columns[i] = strings.ToValidUTF8(c, "\uFFFD")
		names = append(names, columns[i])
		each += int64(len(columns[i])) + 4
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	cut := ""
	for rows.Next() {
		n := int64(len(list))
		if limit > 0 && n >= limit {
			cut = left(n, rows)
			break
		}
		if n >= q.settings.rows {
			return nil, fault.New(fault.Exhausted, remedyRows, "cannot return the result: it has more than %s rows", safetext.Number(int(q.settings.rows)))
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		size += each
		row := &jsondoc.Object{}
		for i, v := range values {
			value, n := valueOf(v)
			size += n
			row.Set(columns[i], value)
		}
		if size > q.bytes {
			if n == 0 {
				return nil, fault.New(fault.Exhausted, "Ask for fewer columns, or parts of them with substr.", "cannot return the result: its first row has more than %d bytes", q.bytes)
			}
			return nil, fault.New(fault.Exhausted, remedyRows, "cannot return the result: its first %s rows have more than %s", safetext.Number(int(n+1)), safetext.Size(q.bytes))
		}
		list = append(list, row)
	}
	if cut == "" {
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	out := jsondoc.NewObject(jsondoc.Member{Name: "columns", Value: names}, jsondoc.Member{Name: "rows", Value: list}, jsondoc.Member{Name: "truncated", Value: cut != ""})
	if cut == "" {
		return out, nil
	}
	return tool.Labelled{Value: out, Cut: cut}, nil
}

// remedyRows says how to have less of a result without a part of it.
const remedyRows = "Sum up, group or filter in the query, or take it in parts with LIMIT and OFFSET."

// maxCounted is how many rows behind the limit are counted.
const maxCounted = 100_000

// left says how many rows there are of which n are given; the next one has been reached.
func left(n int64, rows *sql.Rows) string {
	more := int64(1)
	for more <= maxCounted && rows.Next() {
		more++
	}
	if more > maxCounted || rows.Err() != nil {
		return safetext.Number(int(n)) + " of more than " + safetext.Number(int(n+more-1)) + " rows"
	}
	return safetext.Number(int(n)) + " of " + safetext.Number(int(n+more)) + " rows"
}

// valueOf turns a value of SQLite's into JSON and says about how long that is.
func valueOf(v any) (any, int64) {
	switch v := v.(type) {
	case nil:
		return nil, 4
	case int64:
		return v, 12
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64), 6
		}
		return v, 16
	case string:
		if !utf8.ValidString(v) {
			v = strings.ToValidUTF8(v, "\uFFFD")
		}
		return v, jsonLength(v)
	case []byte:
		s := base64.StdEncoding.EncodeToString(v)
		return jsondoc.NewObject(jsondoc.Member{Name: "base64", Value: s}), int64(len(s)) + 14
	}
	s := fmt.Sprint(v)
	return s, jsonLength(s)
}

// jsonLength is how long the JSON of a text is at most.
func jsonLength(s string) int64 {
	n := int64(len(s)) + 2
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' {
			n += 5
		}
	}
	return n
}

// failed says what an error of SQLite's means to the caller.
func (q *query) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ours := errors.AsType[*fault.Error](err); ours {
		return err
	}
	var of *sqlite.Error
	if !errors.As(err, &of) {
		if strings.Contains(err.Error(), "missing") && strings.Contains(err.Error(), "arg") {
			return fault.New(fault.Invalid, "Give as many params as the query has.", "cannot run the query: %w", err)
		}
		return fmt.Errorf("cannot run the query: %w", err)
	}
	message := strings.TrimPrefix(of.Error(), "SQL logic error: ")
	message = strings.TrimSuffix(message, " ("+strconv.Itoa(of.Code())+")")
	message = safetext.Clip(oneLine(message), 200)
	kind, remedy := fault.Kind(0), ""
	switch of.Code() & 0xff {
	case sqliteError, sqliteRange:
		kind, remedy = fault.Invalid, "Write one SELECT in SQLite's dialect over: "+q.names()+"."
	case sqliteReadOnly, sqliteAuth, sqlitePerm:
		kind, remedy = fault.Denied, "Only reading is possible here."
	case sqliteTooBig:
		kind, remedy = fault.Exhausted, "Take a part of the value with substr."
		message = fmt.Sprintf("a value or a row has more than %d bytes", maxValue)
	case sqliteFull, sqliteNoMem:
		kind, remedy = fault.Exhausted, "Ask for less, or put large tables into a SQLite file."
	case sqliteBusy, sqliteLocked:
		kind, remedy = fault.Unavailable, "Try again."
	case sqliteInterrupt:
		return context.Canceled
	default:
		return fmt.Errorf("cannot run the query: %s", message)
	}
	return fault.New(kind, remedy, "cannot run the query: %s", message)
}

// missing finds the column that an error of SQLite's says there is not.
var missing = regexp.MustCompile(`no such column: (?:[^\s.]+\.)*"?([^\s."]+)`)

// nearby adds to an error about a column the columns that the tables of the query have,
// the nearest first.
func (q *query) nearby(ctx context.Context, st statement, err error) error {
	f, ours := errors.AsType[*fault.Error](err)
	m := missing.FindStringSubmatch(err.Error())
	if !ours || f.Kind != fault.Invalid || m == nil {
		return err
	}
	db, conn, failed := q.connect(ctx)
	if failed != nil {
		return err
	}
	defer db.Close()
	defer conn.Close()
	var tables []string
	words := slices.Sorted(maps.Keys(st.words))
	for _, word := range words[:min(len(words), maxWords)] {
		columns := columnsOf(ctx, conn, word)
		if len(columns) == 0 {
			continue
		}
		columns = jsondoc.ByLikeness(m[1], columns)
		more := ""
		if len(columns) > maxNear {
			columns, more = columns[:maxNear], ", …"
		}
		if tables = append(tables, word+" ("+strings.Join(columns, ", ")+more+")"); len(tables) == maxNear {
			break
		}
	}
	if len(tables) > 0 {
		f.Remedy = "The columns, the nearest first: " + safetext.OneLine(strings.Join(tables, "; "), 1000) + "."
	}
	return f
}

const (
	maxNear  = 10  // columns, and tables, that an error names
	maxWords = 200 // of a statement that may be tables
)

// columnsOf returns the columns of a table; none when there is no such table.
func columnsOf(ctx context.Context, conn *sql.Conn, table string) []string {
	rows, err := conn.QueryContext(ctx, "SELECT name FROM pragma_table_info(?) LIMIT 1000", table)
	if err != nil {
		return nil
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		name := ""
		if rows.Scan(&name) != nil {
			return nil
		}
		out = append(out, safetext.Clip(name, 64))
	}
	return out
}

func (q *query) names() string {
	var names []string
	for _, a := range q.settings.tables {
		if a.format == sqliteFile {
			names = append(names, a.name+".*")
		} else {
			names = append(names, a.name)
		}
	}
	return strings.Join(names, ", ")
}
