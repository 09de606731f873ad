package builtin

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/safetext"
)

const (
	maxSQL   = 64 << 10 // bytes of a query
	maxDepth = 200      // brackets in brackets
)

// openPragmas are those pragmas that a query may read as a table: what tables and
// columns there are.
var openPragmas = []string{
	"pragma_table_info", "pragma_table_xinfo", "pragma_table_list",
	"pragma_index_info", "pragma_index_xinfo", "pragma_index_list", "pragma_foreign_key_list",
}

// openModules are the modules of virtual tables whose names a query may hold.
// Those of JSON read their arguments alone; the others have no table of their own
// name, only those that an attached file declares.
var openModules = []string{"json_each", "json_tree", "fts5", "fts5vocab", "rtree", "rtree_i32", "geopoly"}

// statement is a query that was screened.
type statement struct {
	text  string          // without the semicolon at its end; comments are closed
	words map[string]bool // every name and text in it, in lower case
}

// screen reads a query as SQLite's tokenizer does and refuses all but one
// statement that begins as a SELECT and closes its brackets, so that it can stand
// in brackets itself. Where SQLite's reading depends on a rule that is easy to
// get wrong (names of variables with brackets, comments without an end), it
// refuses what SQLite might take.
func screen(sql string) (statement, error) {
	s := scanner{src: sql, words: map[string]bool{}}
	switch {
	case len(sql) > maxSQL:
		return statement{}, fault.New(fault.Invalid, "Give values as params.", "cannot run a query of %d bytes: at most %d", len(sql), maxSQL)
	case !utf8.ValidString(sql) || strings.ContainsRune(sql, 0):
		return statement{}, fault.New(fault.Invalid, "", "cannot run the query: it is no text")
	}
	for s.at < len(sql) && s.wrong == "" {
		s.next()
	}
	if s.wrong == "" && s.depth > 0 {
		s.wrong, s.remedy = "a bracket is not closed", "Close it."
	}
	if s.wrong == "" && s.first == "" {
		s.wrong, s.remedy = "it is empty", "Write one SELECT."
	}
	if s.wrong != "" {
		return statement{}, fault.New(fault.Invalid, s.remedy, "cannot run the query: %s", s.wrong)
	}
	if s.end == 0 {
		s.end = len(sql)
	}
	return statement{text: sql[:s.end], words: s.words}, nil
}

// onlyTables refuses a query that names one of SQLite's own virtual tables, but
// for the open ones: sqlite_dbpage and dbstat read the pages of a file, deleted
// rows included. The driver has no authorizer. But such a table is found by the
// name of its module alone, which must then stand in the query; a view of an
// attached file cannot use it, since its schema is not trusted. What modules there
// are SQLite says itself, so that a module of a later version is refused, too.
func onlyTables(ctx context.Context, conn *sql.Conn, st statement) error {
	rows, err := conn.QueryContext(ctx, "SELECT name FROM pragma_module_list")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		if name = lower(name); st.words[name] && !slices.Contains(openModules, name) && !strings.HasPrefix(name, "pragma_") {
			return fault.New(fault.Denied, "Query the tables of the tool's description.", "cannot run the query: %s is not open here", name)
		}
	}
	return rows.Err()
}

// scanner reads a query.
type scanner struct {
	src           string
	at, depth     int
	first         string // the first word
	end           int    // where the semicolon is; 0: there is none
	words         map[string]bool
	wrong, remedy string
}

func (s *scanner) peek(i int) byte {
	if s.at+i < len(s.src) {
		return s.src[s.at+i]
	}
	return 0
}

func (s *scanner) refuse(wrong, remedy string) {
	if s.wrong == "" {
		s.wrong, s.remedy = wrong, remedy
	}
}

// next reads one token.
func (s *scanner) next() {
	c := s.src[s.at]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r':
		s.at++
		return
	case c == '-' && s.peek(1) == '-':
		if i := strings.IndexByte(s.src[s.at:], '\n'); i >= 0 {
			s.at += i + 1
		} else {
			s.at = len(s.src)
		}
		return
	case c == '/' && s.peek(1) == '*':
		i := strings.Index(s.src[s.at+2:], "*/")
		if i < 0 {
			s.refuse("a comment does not end", "End it with */.")
			return
		}
		s.at += i + 4
		return
	}
	if s.end > 0 {
		s.refuse("there are several statements", "Write one SELECT for a call.")
		return
	}
	if s.first == "" && !letter(c) {
		s.refuse("it does not begin with SELECT, WITH or VALUES", "Write one SELECT.")
		return
	}
	switch {
	case c == ';':
		s.end = s.at
		s.at++
		if s.depth > 0 {
			s.refuse("a bracket is not closed", "Close it.")
		}
	case c == '(':
		if s.depth++; s.depth > maxDepth {
			s.refuse("brackets nest too deep", "")
		}
		s.at++
	case c == ')':
		if s.depth--; s.depth < 0 {
			s.refuse("a bracket is closed that was not opened", "")
		}
		s.at++
	case c == '\'' || c == '"' || c == '`':
		s.quoted(c)
	case c == '[':
		i := strings.IndexByte(s.src[s.at:], ']')
		if i < 0 {
			s.refuse("a name in [ does not end", "End it with ].")
			return
		}
		s.word(s.src[s.at+1 : s.at+i])
		s.at += i + 1
	case c == '$' || c == '@' || c == ':' || c == '#':
		s.variable()
	case letter(c) || c >= '0' && c <= '9':
		from := s.at
		for s.at < len(s.src) && inName(s.src[s.at]) {
			s.at++
		}
		s.word(s.src[from:s.at])
	default:
		s.at++
	}
}

// quoted reads a text or a name; a quote inside of it is doubled.
func (s *scanner) quoted(quote byte) {
	var b strings.Builder
	for s.at++; s.at < len(s.src); s.at++ {
		if s.src[s.at] == quote {
			if s.peek(1) != quote {
				s.at++
				s.word(b.String())
				return
			}
			s.at++
		}
		b.WriteByte(s.src[s.at])
	}
	s.refuse("a text or name in "+string(quote)+" does not end", "End it with "+string(quote)+".")
}

// variable reads the name of a parameter.
func (s *scanner) variable() {
	for s.at++; s.at < len(s.src) && inName(s.src[s.at]); s.at++ {
	}
	if c := s.peek(0); c == '(' || c == ':' {
		s.refuse("the name of a parameter goes on with a bracket or colon", "Write parameters as ? or :name.")
	}
}

// word notes a word and judges it. A text counts, too: SQLite takes texts for
// names of tables.
func (s *scanner) word(w string) {
	w = lower(w)
	if s.first == "" {
		s.first = w
		if w != "select" && w != "with" && w != "values" {
			s.refuse("it begins with "+strings.ToUpper(safetext.Clip(w, 200))+": only reading is possible here", "Write one SELECT; what tables and columns there are is in the tool's description.")
		}
	}
	if strings.HasPrefix(w, "pragma_") && !slices.Contains(openPragmas, w) {
		s.refuse(safetext.Clip(w, 200)+" is not open here", "Use pragma_table_info('TABLE') or sqlite_schema.")
	}
	s.words[w] = true
}

// lower folds as SQLite does: ASCII alone.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func inName(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '$' }

// named quotes a name for SQL.
func named(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// text quotes a text for SQL.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
