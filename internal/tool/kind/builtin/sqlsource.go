package builtin

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Bounds of what is attached.
const (
	maxDatabases = 8         // SQLite attaches ten
	maxTables    = 64        // files of tables
	maxTableFile = 256 << 20 // bytes of one
	maxColumns   = 1000
	maxRows      = 1_000_000 // of a result; its bytes are bounded, too
	maxShown     = 12_000    // bytes of the list of tables in a description
	describeTime = time.Minute
)

// attached is a file under a name.
type attached struct {
	name, path string
	format     format
	// Of CSV alone.
	header    bool
	delimiter rune // 0: it is found out
}

type format uint8

const (
	sqliteFile format = iota + 1
	csvFile
	parquetFile
)

// sqlSettings are the members of "with" apart from names and their files.
type sqlSettings struct {
	tables  []attached
	timeout time.Duration
	rows    int64
}

// fileSettings is the long form of a file.
type fileSettings struct {
	File      string `json:"file"`
	Format    string `json:"format"`
	Header    *bool  `json:"header"`
	Delimiter string `json:"delimiter"`
}

// reserved are the settings that are no names of files.
type reserved struct {
	Tables    *jsondoc.Object `json:"tables"`
	Databases *jsondoc.Object `json:"databases"`
	Timeout   time.Duration   `json:"timeout"`
	MaxRows   int64           `json:"max_rows"`
}

// isName says whether a name is plain enough for SQL to need no quotes.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || !letter(c) && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// readSettings reads {NAME: FILE, …}; the names may also be under tables and
// databases, where they cannot be taken for settings.
func readSettings(b binding) (sqlSettings, error) {
	known := []string{"tables", "databases", "timeout", "max_rows"}
	own := jsondoc.NewObject()
	files := jsondoc.NewObject()
	for name, v := range b.with.All() {
		if slices.Contains(known, name) {
			own.Set(name, v)
		} else if !strings.HasPrefix(name, "x-") {
			files.Set(name, v)
		}
	}
	r := reserved{Timeout: 30 * time.Second, MaxRows: maxRows}
	if err := toolfile.DecodeSpec(own, &r); err != nil {
		return sqlSettings{}, err
	}
	s := sqlSettings{timeout: min(max(r.Timeout, time.Millisecond), time.Hour), rows: min(max(r.MaxRows, 1), maxRows)}
	for _, group := range []*jsondoc.Object{files, r.Tables, r.Databases} {
		if group == nil {
			continue
		}
		for name, v := range group.All() {
			a, err := readAttached(b, name, v)
			if err != nil {
				return sqlSettings{}, err
			}
			if slices.ContainsFunc(s.tables, func(o attached) bool { return lower(o.name) == lower(name) }) {
				return sqlSettings{}, fault.New(fault.Invalid, "Choose another name.", "cannot use sql.query: the name %s stands twice", name)
			}
			s.tables = append(s.tables, a)
		}
	}
	databases := len(s.of(sqliteFile))
	if len(s.tables) == 0 {
		return sqlSettings{}, fault.New(fault.Invalid, "Write with: {sales: sales.csv, crm: crm.sqlite}.", "cannot use sql.query: no file is attached")
	}
	if databases > maxDatabases || len(s.tables)-databases > maxTables {
		return sqlSettings{}, fault.New(fault.Invalid, "Split the tool.", "cannot attach %d files: at most %d databases and %d tables", len(s.tables), maxDatabases, maxTables)
	}
	return s, nil
}

// of returns what is attached in one format; csvFile stands for all tables.
func (s sqlSettings) of(f format) []attached {
	var out []attached
	for _, a := range s.tables {
		if (a.format == sqliteFile) == (f == sqliteFile) {
			out = append(out, a)
		}
	}
	return out
}

func readAttached(b binding, name string, v any) (attached, error) {
	if !isName(name) || strings.HasPrefix(lower(name), "sqlite_") || slices.Contains([]string{"main", "temp", tablesSchema}, lower(name)) {
		return attached{}, fault.New(fault.Invalid, "Use letters, digits and underscores, and none of SQLite's own names.", "cannot attach a file as %q", safetext.Clip(name, 200))
	}
	var f fileSettings
	switch v := v.(type) {
	case string:
		f.File = v
	case *jsondoc.Object:
		if err := toolfile.DecodeSpec(v, &f); err != nil {
			return attached{}, err
		}
	}
	if f.File == "" {
		return attached{}, fault.New(fault.Invalid, "Write "+name+": FILE.", "cannot attach %s: no file is given", name)
	}
	a := attached{name: name, path: b.path(f.File), header: f.Header == nil || *f.Header}
	if f.Delimiter != "" {
		r := []rune(f.Delimiter)
		if len(r) != 1 || r[0] == '"' || r[0] == '\n' || r[0] == '\r' || r[0] == '\uFFFD' {
			return attached{}, fault.New(fault.Invalid, "Give one character.", "cannot attach %s: the delimiter is no character", name)
		}
		a.delimiter = r[0]
	}
	var err error
	a.format, err = a.detect(f.Format)
	return a, err
}

// detect finds the format by the settings, else the file's first bytes, else its name.
func (a *attached) detect(given string) (format, error) {
	ending := strings.ToLower(filepath.Ext(a.path))
	if given == "tsv" || given == "" && (ending == ".tsv" || ending == ".tab") {
		if a.delimiter == 0 {
			a.delimiter = '\t'
		}
	}
	switch given {
	case "sqlite":
		return sqliteFile, nil
	case "csv", "tsv":
		return csvFile, nil
	case "parquet":
		return parquetFile, nil
	case "":
	default:
		return 0, fault.New(fault.Invalid, "There are sqlite, csv, tsv and parquet.", "cannot attach %s: there is no format %q", a.name, safetext.Clip(given, 200))
	}
	h, size, err := a.open()
	if err != nil {
		return 0, err
	}
	defer h.Close()
	head := make([]byte, 16)
	n, err := h.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fault.New(fault.Invalid, "", "cannot attach %s: cannot read %s: %w", a.name, a.path, reason(err))
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")), size == 0 && slices.Contains([]string{".sqlite", ".sqlite3", ".db", ".db3"}, ending):
		return sqliteFile, nil
	case bytes.HasPrefix(head, []byte("PAR1")):
		return parquetFile, nil
	case bytes.IndexByte(head, 0) >= 0:
		return 0, fault.New(fault.Invalid, "Attach a SQLite, CSV, TSV or Parquet file.", "cannot attach %s: %s is none that is known", a.name, a.path)
	}
	return csvFile, nil
}

// open opens the file. A pipe does not hang it.
func (a *attached) open() (*os.File, int64, error) {
	h, err := os.OpenFile(a.path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, fault.New(fault.Invalid, "Correct the path in the tool's file; it starts from the folder of that file.", "cannot attach %s: cannot open %s: %w", a.name, a.path, reason(err))
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no plain file")
	}
	if err == nil && a.format != sqliteFile && a.format != 0 && info.Size() > maxTableFile {
		err = fmt.Errorf("it has %d bytes, more than %d: put it into a SQLite file", info.Size(), maxTableFile)
	}
	if err != nil {
		h.Close()
		return nil, 0, fault.New(fault.Invalid, "Attach another file.", "cannot attach %s: %w", a.name, err)
	}
	return h, info.Size(), nil
}

// readOnly is the name under which SQLite opens a database so that it cannot
// write. A database in WAL mode is never opened beside which nobody has a log:
// SQLite would make one. It is taken for immutable as long as the query lasts.
func (a *attached) readOnly() (string, error) {
	h, _, err := a.open()
	if err != nil {
		return "", err
	}
	defer h.Close()
	head := make([]byte, 20)
	if _, err := h.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot read %s: %w", a.name, reason(err))
	}
	query := "mode=ro"
	if head[18] == 2 || head[19] == 2 {
		log, err := os.Stat(a.path + "-wal")
		if err != nil || log.Size() == 0 {
			query += "&immutable=1"
		}
	}
	return (&url.URL{Scheme: "file", Path: a.path, RawQuery: query, OmitHost: true}).String(), nil
}

// column is a column of a table.
type column struct{ name, kind string }

// shown are the tables of an attached file, for the description.
func (a *attached) shown(ctx context.Context) ([]string, error) {
	switch a.format {
	case sqliteFile:
		return a.shownDatabase(ctx)
	case parquetFile:
		p, err := openParquet(a)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		return []string{tableLine(a.name, p.columns())}, nil
	}
	c, err := sampleCSV(a)
	if err != nil {
		return nil, err
	}
	return []string{tableLine(a.name, c.columns)}, nil
}

func tableLine(name string, columns []column) string {
	var parts []string
	const most = 100
	for _, c := range columns[:min(len(columns), most)] {
		part := safetext.Clip(strings.ToValidUTF8(oneLine(c.name), "?"), 200)
		if !isName(part) {
			part = named(part)
		}
		if c.kind != "" {
			part += " " + safetext.Clip(oneLine(c.kind), 200)
		}
		parts = append(parts, part)
	}
	if len(columns) > most {
		parts = append(parts, "and "+strconv.Itoa(len(columns)-most)+" more")
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// oneLine keeps names that others chose from reading like lines of ours.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

func (a *attached) shownDatabase(ctx context.Context) ([]string, error) {
	dsn, err := a.readOnly()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	db, err := sql.Open("sqlite", dsn+"&_query_only=1&_defensive=1&_pragma=trusted_schema(0)")
	if err != nil {
		return nil, a.unreadable(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY t.name, c.cid LIMIT 5000`)
	if err != nil {
		return nil, a.unreadable(err)
	}
	defer rows.Close()
	var out []string
	var columns []column
	last := ""
	flush := func() {
		if len(columns) > 0 {
			name := last
			if !isName(name) {
				name = named(safetext.Clip(strings.ToValidUTF8(oneLine(name), "?"), 200))
			}
			out = append(out, tableLine(a.name+"."+name, columns))
		}
		columns = nil
	}
	for rows.Next() {
		var table, name, kind string
		if err := rows.Scan(&table, &name, &kind); err != nil {
			return nil, a.unreadable(err)
		}
		if table != last {
			flush()
			last = table
		}
		columns = append(columns, column{name, kind})
	}
	flush()
	if err := rows.Err(); err != nil {
		return nil, a.unreadable(err)
	}
	return out, nil
}

func (a *attached) unreadable(err error) error {
	return fault.New(fault.Invalid, "Give a database that SQLite can read.", "cannot attach %s: %w", a.name, err)
}
