package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"praxis/fault"
)

const (
	maxFields     = 64      // of a document
	maxFieldName  = 64      // bytes
	maxFieldBytes = 1 << 20 // of all fields of a document, as JSON
)

// The types of attrs. Values of different types are not equal and have no order.
const (
	typeBool   = 1
	typeNumber = 2
	typeText   = 3
	// typeFolded is a text in small letters, for those texts whose capital
	// letters SQLite's lower() does not know. It stands beside typeText.
	typeFolded = 4
)

// attr is a field with its value: bool, int64, float64 or string.
type attr struct {
	field string
	value any
}

// attrRow is a row of attrs.
type attrRow struct {
	typ   int
	value any
}

// rows returns what stands in attrs for a field.
func (a attr) rows() []attrRow {
	rows := []attrRow{typed(a.value)}
	if s, ok := a.value.(string); ok {
		if folded := fold(s); folded != lowerASCII(s) {
			rows = append(rows, attrRow{typeFolded, folded})
		}
	}
	return rows
}

// typed returns a value with its type, as SQLite keeps them.
func typed(value any) attrRow {
	switch v := value.(type) {
	case bool:
		if v {
			return attrRow{typeBool, int64(1)}
		}
		return attrRow{typeBool, int64(0)}
	case string:
		return attrRow{typeText, v}
	}
	return attrRow{typeNumber, value}
}

// fold makes texts equal that differ in case alone.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// lowerASCII does what SQLite's lower() does.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// plainValue returns a value as one of the four types that are kept.
func plainValue(value any) (any, error) {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Uint() <= math.MaxInt64 {
			return int64(v.Uint()), nil
		}
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f, nil
		}
	case reflect.String:
		return strings.ToValidUTF8(v.String(), "\ufffd"), nil
	}
	return nil, fault.New(fault.Invalid, "Give a text, a finite number or a boolean.",
		"%.80q (%T) cannot be the value of a field", fmt.Sprint(value), value)
}

func checkField(name string) error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.')
	}
	if name == "" || len(name) > maxFieldName || strings.ContainsFunc(name, bad) {
		return fault.New(fault.Invalid, "Give letters, digits, '_', '-' and '.', at most 64.", "%.80q cannot be the name of a field", name)
	}
	return nil
}

// attrsOf returns the fields of a document, sorted.
func attrsOf(fields map[string]any) ([]attr, error) {
	if len(fields) > maxFields {
		return nil, fault.New(fault.Invalid, "", "%d fields are too many, at most %d are taken", len(fields), maxFields)
	}
	attrs := make([]attr, 0, len(fields))
	size := 0
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := checkField(name); err != nil {
			return nil, err
		}
		value, err := plainValue(fields[name])
		if err != nil {
			return nil, err
		}
		if s, ok := value.(string); ok {
			size += len(s)
		}
		attrs = append(attrs, attr{name, value})
	}
	if size > maxFieldBytes {
		return nil, fault.New(fault.Invalid, "Put long texts into Text or Body.", "%d bytes are too many for the fields of a document, at most %d are taken", size, maxFieldBytes)
	}
	return attrs, nil
}

// encodeFields writes fields as JSON. A float64 has a point or an exponent, by
// which it is distinguished from an int64.
func encodeFields(attrs []attr) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, a := range attrs {
		if i > 0 {
			b.WriteByte(',')
		}
		// Neither names nor values can fail to be JSON: they were checked.
		name, _ := json.Marshal(a.field)
		b.Write(name)
		b.WriteByte(':')
		if f, ok := a.value.(float64); ok {
			text := strconv.FormatFloat(f, 'g', -1, 64)
			if !strings.ContainsAny(text, ".e") {
				text += ".0"
			}
			b.WriteString(text)
			continue
		}
		value, _ := json.Marshal(a.value)
		b.Write(value)
	}
	b.WriteByte('}')
	return b.String()
}

// decodeFields is the inverse of encodeFields.
func decodeFields(text []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		return nil, fmt.Errorf("cannot decode the fields of a document: %w", err)
	}
	for name, value := range fields {
		n, ok := value.(json.Number)
		if !ok {
			continue
		}
		var err error
		if strings.ContainsAny(n.String(), ".eE") {
			fields[name], err = n.Float64()
		} else {
			fields[name], err = n.Int64()
		}
		if err != nil {
			return nil, fmt.Errorf("cannot decode the field %s of a document: %w", name, err)
		}
	}
	return fields, nil
}
