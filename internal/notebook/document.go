package notebook

import (
	"encoding/json"
	"strings"
)

// document is a valid JSON text whose parts are known by their places.
type document []byte

// part is the place of a value. The zero value is that of a value that is not there.
type part struct {
	key      int // where its key begins, when it is a member of an object
	from, to int
}

// whole is the place of the document's value.
func (d document) whole() part {
	from := d.space(0)
	return part{from: from, to: d.end(from)}
}

// begins says whether the value at p is there and begins with c.
func (d document) begins(p part, c byte) bool { return p.from < p.to && d[p.from] == c }

// space returns where what follows the blanks at i begins.
func (d document) space(i int) int {
	for i < len(d) && strings.IndexByte(" \t\r\n", d[i]) >= 0 {
		i++
	}
	return i
}

// end returns where the value that begins at i ends.
func (d document) end(i int) int {
	depth := 0
	for ; i < len(d); i++ {
		switch d[i] {
		case '"':
			for i++; d[i] != '"'; i++ {
				if d[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(d) && strings.IndexByte(",]} \t\r\n", d[i+1]) < 0 {
				continue // within, or within a number or a word
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}

// object returns the members of the object at p; false when there is none, or it has a key
// twice, which programs read in two ways.
func (d document) object(p part) (map[string]part, bool) {
	if !d.begins(p, '{') {
		return nil, false
	}
	out := map[string]part{}
	for i := d.space(p.from + 1); d[i] != '}'; {
		m := part{key: i}
		i = d.end(i)
		name, _ := d.text(part{from: m.key, to: i})
		m.from = d.space(d.space(i) + 1) // behind the colon
		m.to = d.end(m.from)
		if _, twice := out[name]; twice {
			return nil, false
		}
		out[name] = m
		if i = d.space(m.to); d[i] == ',' {
			i = d.space(i + 1)
		}
	}
	return out, true
}

// array returns the elements of the array at p; false when there is none.
func (d document) array(p part) ([]part, bool) {
	if !d.begins(p, '[') {
		return nil, false
	}
	var out []part
	for i := d.space(p.from + 1); d[i] != ']'; {
		e := part{from: i, to: d.end(i)}
		out = append(out, e)
		if i = d.space(e.to); d[i] == ',' {
			i = d.space(i + 1)
		}
	}
	return out, true
}

// text returns the string at p; false when there is none.
func (d document) text(p part) (s string, ok bool) {
	if !d.begins(p, '"') {
		return "", false
	}
	return s, json.Unmarshal(d[p.from:p.to], &s) == nil
}

// lines puts a text together that is one string, or a list of them.
func (d document) lines(p part) (string, bool) {
	list, ok := d.array(p)
	if !ok {
		return d.text(p)
	}
	var b strings.Builder
	for _, e := range list {
		line, ok := d.text(e)
		if !ok {
			return "", false
		}
		b.WriteString(line)
	}
	return b.String(), true
}

// raw returns a value as it was written; "" when it is not there.
func (d document) raw(p part) string { return string(d[p.from:p.to]) }
