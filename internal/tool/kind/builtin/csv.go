package builtin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/fault"
)

// sampleBytes is how much of a CSV file is read to describe its columns.
const sampleBytes = 8 << 20

// rowSource gives the rows of a table.
type rowSource interface {
	// next returns the next row, whose values are nil, int64, float64, string or
	// []byte, or io.EOF. It is valid until the following call.
	next() ([]any, error)
}

// csvTable is a CSV file whose columns are known.
type csvTable struct {
	a         *attached
	file      *os.File
	delimiter rune
	columns   []column
	kinds     []csvKind
	r         *csv.Reader
	row       []any
}

// csvKind says what the cells of a column can be read as. Each is a narrowing
// of the next.
type csvKind uint8

const (
	integerCells csvKind = iota
	realCells
	textCells
	noCells // there are only empty ones
)

func (k csvKind) String() string { return [...]string{"INTEGER", "REAL", "TEXT", "TEXT"}[k] }

// sampleCSV reads the columns of a CSV file from its beginning.
func sampleCSV(a *attached) (*csvTable, error) {
	t, err := openCSV(a, sampleBytes)
	if err != nil {
		return nil, err
	}
	return t, t.Close()
}

// openCSV opens a CSV file and infers its columns from at most so many bytes;
// the rows begin at the first.
func openCSV(a *attached, most int64) (*csvTable, error) {
	h, size, err := a.open()
	if err != nil {
		return nil, err
	}
	t := &csvTable{a: a, file: h, delimiter: a.delimiter}
	if err := t.infer(io.LimitReader(h, most), size > most); err != nil {
		h.Close()
		return nil, err
	}
	return t, nil
}

func (t *csvTable) Close() error { return t.file.Close() }

// start begins to read at the first row.
func (t *csvTable) start() error {
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := t.reader(t.file); err != nil {
		return err
	}
	if t.a.header {
		if _, err := t.r.Read(); err != nil && !errors.Is(err, io.EOF) {
			return t.wrong(err)
		}
	}
	return nil
}

func (t *csvTable) reader(from io.Reader) error {
	b := bufio.NewReaderSize(from, 64<<10)
	head, err := b.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("cannot read %s: %w", t.a.name, reason(err))
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		if _, err := b.Discard(3); err != nil {
			return err
		}
		head = head[3:]
	}
	if t.delimiter == 0 {
		t.delimiter = delimiterOf(head)
	}
	t.r = csv.NewReader(b)
	t.r.Comma, t.r.LazyQuotes, t.r.ReuseRecord, t.r.FieldsPerRecord = t.delimiter, true, true, -1
	return nil
}

// delimiterOf returns what separates the cells of the first line: of the known
// ones the most frequent outside of quotes.
func delimiterOf(head []byte) rune {
	counts := map[byte]int{}
	quoted := false
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if c == '\n' || c == '\r' {
			break
		}
		counts[c]++
	}
	best := byte(',')
	for _, c := range []byte{';', '\t', '|'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return rune(best)
}

func (t *csvTable) wrong(err error) error {
	if _, ours := errors.AsType[*fault.Error](err); ours {
		return err
	}
	return fault.New(fault.Invalid, "Correct the file.", "cannot read %s: %w", t.a.name, err)
}

func (t *csvTable) infer(from io.Reader, cut bool) error {
	if err := t.reader(from); err != nil {
		return err
	}
	for first := true; ; first = false {
		record, err := t.r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !cut {
			return t.wrong(err)
		}
		if err != nil {
			break // the sample ends within the row
		}
		if first {
			if err := t.name(record); err != nil {
				return err
			}
			if t.a.header {
				continue
			}
		}
		if err := t.fits(record); err != nil {
			if cut {
				break
			}
			return err
		}
		for i, cell := range record[:min(len(record), len(t.kinds))] {
			t.kinds[i] = t.kinds[i].with(cell)
		}
	}
	if t.columns == nil {
		return fault.New(fault.Invalid, "Give a file with a line of names.", "cannot read %s: the file is empty", t.a.name)
	}
	for i := range t.columns {
		t.columns[i].kind = t.kinds[i].String()
	}
	return nil
}

// name makes the columns from the first row.
func (t *csvTable) name(record []string) error {
	if len(record) > maxColumns {
		return fault.New(fault.Invalid, "", "cannot read %s: %d columns, more than %d", t.a.name, len(record), maxColumns)
	}
	var names []string
	for i, cell := range record {
		if !t.a.header {
			cell = ""
		} else if !utf8.ValidString(cell) {
			return t.fits(record)
		}
		if cell = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "")); cell == "" {
			cell = "column_" + strconv.Itoa(i+1)
		}
		names = append(names, cell)
	}
	for _, name := range unique(names) {
		t.columns = append(t.columns, column{name: name})
		t.kinds = append(t.kinds, noCells)
	}
	return nil
}

// unique makes names differ, as SQLite compares them.
func unique(names []string) []string {
	taken := map[string]bool{}
	out := make([]string, len(names))
	for i, name := range names {
		given := name
		for n := 2; taken[lower(name)]; n++ {
			name = given + "_" + strconv.Itoa(n)
		}
		taken[lower(name)], out[i] = true, name
	}
	return out
}

// fits refuses rows that are wider than the table and what is not UTF-8.
func (t *csvTable) fits(record []string) error {
	line, _ := t.r.FieldPos(0)
	for i, cell := range record {
		if !utf8.ValidString(cell) {
			return fault.New(fault.Invalid, "Convert the file to UTF-8.", "cannot read %s: line %d is not UTF-8", t.a.name, line)
		}
		if i >= len(t.columns) && strings.TrimSpace(cell) != "" {
			return fault.New(fault.Invalid, "Correct the row, or give the delimiter.", "cannot read %s: line %d has %d cells, the table has %d columns", t.a.name, line, len(record), len(t.columns))
		}
	}
	return nil
}

// with joins what a column was with one more cell. Digits that a number would
// lose (a leading zero, the twentieth digit) make it a text.
func (k csvKind) with(cell string) csvKind {
	if cell == "" || k == textCells {
		return k
	}
	is := textCells
	if isInteger(cell) {
		is = integerCells
	} else if isReal(cell) {
		is = realCells
	}
	if k == noCells {
		return is
	}
	return max(k, is)
}

func isInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 19 || digits[0] == '0' && len(s) > 1 {
		return false
	}
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil && s[0] != '+'
}

func isReal(s string) bool {
	digits, whole := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
			if c == '0' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && whole == 0 && !strings.ContainsAny(s[:i], ".123456789") {
				return false // a leading zero
			}
			whole++
		case c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+' && i > 0:
		default:
			return false
		}
	}
	if digits == 0 || digits > 17 || !strings.ContainsAny(s, ".eE") {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(f, 0)
}

func (t *csvTable) next() ([]any, error) {
	record, err := t.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	if err == nil {
		err = t.fits(record)
	}
	if err != nil {
		return nil, t.wrong(err)
	}
	if t.row == nil {
		t.row = make([]any, len(t.columns))
	}
	clear(t.row)
	for i, cell := range record[:min(len(record), len(t.row))] {
		t.row[i] = t.kinds[i].value(cell)
	}
	return t.row, nil
}

// value reads a cell; an empty one is NULL. What the column was not known to
// hold, because the file has changed, is its text.
func (k csvKind) value(cell string) any {
	switch {
	case cell == "":
		return nil
	case k == integerCells && isInteger(cell):
		n, _ := strconv.ParseInt(cell, 10, 64)
		return n
	case k == realCells && (isReal(cell) || isInteger(cell)):
		f, _ := strconv.ParseFloat(cell, 64)
		return f
	}
	return cell
}

// rows opens the rows of a table.
func (a *attached) rows(_ context.Context) ([]column, rowSource, io.Closer, error) {
	if a.format == parquetFile {
		p, err := openParquet(a)
		if err != nil {
			return nil, nil, nil, err
		}
		return p.columns(), p, p, nil
	}
	t, err := openCSV(a, maxTableFile)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := t.start(); err != nil {
		t.Close()
		return nil, nil, nil, err
	}
	return t.columns, t, t, nil
}
