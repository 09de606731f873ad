package builtin

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"praxis/fault"
)

// parquetTable gives the rows of a Parquet file. Members of groups are columns
// "group.member"; a list of plain values is a JSON text; what nests deeper is left
// out.
type parquetTable struct {
	a      *attached
	file   *os.File
	groups []parquet.RowGroup
	rows   parquet.Rows
	leaves []leaf // by the index of the column
	cols   []column
	buf    []parquet.Row
	ready  []parquet.Row
	row    []any
}

// leaf is a column of the file.
type leaf struct {
	to       int // index of our column; -1: it is left out
	list     bool
	optional int // definition level of a value that is there
	present  int // definition level of an item that is there, null or not
	read     func(parquet.Value) any
}

// guarded calls what reads a Parquet file: the reader panics at some files that
// are damaged.
func (a *attached) guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.New(fault.Invalid, "Write the file again.", "cannot read %s: the Parquet file is damaged", a.name)
		}
	}()
	if err := f(); err != nil && !errors.Is(err, io.EOF) {
		if _, ours := errors.AsType[*fault.Error](err); ours {
			return err
		}
		return fault.New(fault.Invalid, "Write the file again.", "cannot read %s: %w", a.name, reason(err))
	} else {
		return err
	}
}

func openParquet(a *attached) (*parquetTable, error) {
	h, size, err := a.open()
	if err != nil {
		return nil, err
	}
	t := &parquetTable{a: a, file: h}
	err = a.guarded(func() error {
		// The footer's length is in the file: a short file that promises much
		// must not make the reader allocate it.
		var tail [8]byte
		if size < 12 {
			return errors.New("the file is too short")
		}
		if _, err := h.ReadAt(tail[:], size-8); err != nil {
			return err
		}
		if n := binary.LittleEndian.Uint32(tail[:4]); int64(n) > size-12 || n > 64<<20 {
			return errors.New("the file's end is damaged")
		}
		f, err := parquet.OpenFile(h, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		t.groups = f.RowGroups()
		return t.survey(f.Root(), nil, 0)
	})
	if err == nil && len(t.cols) == 0 {
		err = fault.New(fault.Invalid, "Attach another file.", "cannot read %s: it has no column of plain values", a.name)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	var names []string
	for _, c := range t.cols {
		names = append(names, c.name)
	}
	for i, name := range unique(names) {
		t.cols[i].name = name
	}
	t.row = make([]any, len(t.cols))
	return t, nil
}

// survey notes the columns, in the order of the file's leaves.
func (t *parquetTable) survey(c *parquet.Column, path []string, repeated int) error {
	if c.Repeated() {
		repeated++
	}
	if !c.Leaf() {
		for _, child := range c.Columns() {
			if err := t.survey(child, append(path[:len(path):len(path)], child.Name()), repeated); err != nil {
				return err
			}
		}
		return nil
	}
	kind, read := reading(c.Type())
	l := leaf{to: -1, optional: c.MaxDefinitionLevel(), read: read}
	switch {
	case repeated == 0:
		t.cols = append(t.cols, column{strings.Join(path, "."), kind})
		l.to = len(t.cols) - 1
	case repeated == 1 && (len(path) == 1 || len(path) == 3 && path[1] != "key_value" && path[1] != "map"):
		t.cols = append(t.cols, column{path[0], "JSON"})
		l.to, l.list = len(t.cols)-1, true
		l.present = l.optional
		if c.Optional() {
			l.present--
		}
	}
	if len(t.cols) > maxColumns {
		return fmt.Errorf("it has more than %d columns", maxColumns)
	}
	for len(t.leaves) <= c.Index() {
		t.leaves = append(t.leaves, leaf{to: -1})
	}
	t.leaves[c.Index()] = l
	return nil
}

func (t *parquetTable) columns() []column { return t.cols }

func (t *parquetTable) Close() error {
	if t.rows != nil {
		_ = t.a.guarded(t.rows.Close)
	}
	return t.file.Close()
}

func (t *parquetTable) next() ([]any, error) {
	err := t.a.guarded(func() error {
		for len(t.ready) == 0 {
			if err := t.fill(); err != nil {
				return err
			}
		}
		t.take(t.ready[0])
		t.ready = t.ready[1:]
		return nil
	})
	return t.row, err
}

// fill reads some rows.
func (t *parquetTable) fill() error {
	if t.rows == nil {
		if len(t.groups) == 0 {
			return io.EOF
		}
		t.rows, t.groups = t.groups[0].Rows(), t.groups[1:]
	}
	if t.buf == nil {
		t.buf = make([]parquet.Row, 64)
	}
	n, err := t.rows.ReadRows(t.buf)
	t.ready = t.buf[:n]
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n == 0 {
		rows := t.rows
		t.rows = nil
		if err := rows.Close(); err != nil {
			return err
		}
	}
	return nil
}

// take turns a row into ours.
func (t *parquetTable) take(row parquet.Row) {
	clear(t.row)
	lists := map[int][]any{}
	for _, v := range row {
		i := v.Column()
		if i < 0 || i >= len(t.leaves) || t.leaves[i].to < 0 {
			continue
		}
		l := &t.leaves[i]
		var value any
		if !v.IsNull() {
			value = l.read(v)
		}
		if !l.list {
			t.row[l.to] = value
			continue
		}
		switch {
		case v.DefinitionLevel() >= l.present:
			if b, ok := value.([]byte); ok {
				value = hex.EncodeToString(b)
			}
			lists[l.to] = append(lists[l.to], value)
		case v.DefinitionLevel() == l.present-1:
			lists[l.to] = []any{}
		}
	}
	for to, list := range lists {
		for i, v := range list {
			if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
				list[i] = strconv.FormatFloat(f, 'g', -1, 64)
			}
		}
		// What is in the list are texts and finite numbers: that has a JSON form.
		text, _ := json.Marshal(list)
		t.row[to] = string(text)
	}
}

// reading returns how the values of a type are read, and what SQL calls the type.
func reading(t parquet.Type) (string, func(parquet.Value) any) {
	if l := t.LogicalType(); l != nil {
		switch {
		case l.Date != nil:
			return "DATE", func(v parquet.Value) any {
				return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)
			}
		case l.Timestamp != nil:
			zone := ""
			if l.Timestamp.IsAdjustedToUTC {
				zone = "Z"
			}
			unit := l.Timestamp.Unit
			return "TIMESTAMP", func(v parquet.Value) any {
				var at time.Time
				switch {
				case unit.Millis != nil:
					at = time.UnixMilli(v.Int64())
				case unit.Micros != nil:
					at = time.UnixMicro(v.Int64())
				default:
					at = time.Unix(0, v.Int64())
				}
				return at.UTC().Format("2006-01-02T15:04:05.999999999") + zone
			}
		case l.Decimal != nil:
			scale := int(l.Decimal.Scale)
			return "NUMERIC", func(v parquet.Value) any { return decimalText(v, scale) }
		case l.UUID != nil:
			return "TEXT", func(v parquet.Value) any {
				h := hex.EncodeToString(v.ByteArray())
				if len(h) != 32 {
					return h
				}
				return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
			}
		case l.Integer != nil && !l.Integer.IsSigned:
			if t.Kind() == parquet.Int32 {
				return "INTEGER", func(v parquet.Value) any { return int64(v.Uint32()) }
			}
			// Without a type SQLite leaves a text that is too large a number alone.
			return "", func(v parquet.Value) any {
				if n := v.Uint64(); n > math.MaxInt64 {
					return strconv.FormatUint(n, 10)
				}
				return v.Int64()
			}
		}
	}
	switch t.Kind() {
	case parquet.Boolean:
		return "BOOLEAN", func(v parquet.Value) any {
			if v.Boolean() {
				return int64(1)
			}
			return int64(0)
		}
	case parquet.Int32:
		return "INTEGER", func(v parquet.Value) any { return int64(v.Int32()) }
	case parquet.Int64:
		return "INTEGER", func(v parquet.Value) any { return v.Int64() }
	case parquet.Float:
		// By its shortest text, so that 0.1 stays 0.1.
		return "REAL", func(v parquet.Value) any { return float(strconv.FormatFloat(float64(v.Float()), 'g', -1, 32)) }
	case parquet.Double:
		return "REAL", func(v parquet.Value) any { return v.Double() }
	case parquet.Int96:
		return "TIMESTAMP", func(v parquet.Value) any {
			const julian = 2440588 // the day on which 1970 began
			n := v.Int96()
			day, nanos := int64(n[2]), int64(uint64(n[1])<<32|uint64(n[0]))
			return time.Unix((day-julian)*86400, nanos).UTC().Format("2006-01-02T15:04:05.999999999")
		}
	}
	return "TEXT", func(v parquet.Value) any {
		if b := v.ByteArray(); !utf8.Valid(b) {
			return append([]byte(nil), b...)
		}
		return string(v.ByteArray())
	}
}

func float(s string) any {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return f
}

// decimalText writes a decimal out; SQLite makes it a number where that loses nothing.
func decimalText(v parquet.Value, scale int) any {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
	}
	digits := n.Abs(n).String()
	if scale <= 0 || scale > 1000 {
		return sign + digits
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
