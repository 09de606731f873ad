package cmd

import "strings"

// indented lays out a tree in one line as ast.dump does with an indent of two: a
// node whose fields are all plain stays on its line.
func indented(dump string) string {
	t := tree{text: dump}
	t.value(0)
	return t.out.String()
}

// tree lays out a dump.
type tree struct {
	text string
	at   int
	out  strings.Builder
}

// value writes what begins here: a node, a list or something plain.
func (t *tree) value(depth int) {
	start := t.at
	t.plain()
	t.out.WriteString(t.text[start:t.at])
	if t.at == len(t.text) || t.text[t.at] != '(' && t.text[t.at] != '[' {
		return
	}
	open := t.text[t.at]
	end := t.closing()
	if t.simple(t.at+1, end, open) {
		t.out.WriteString(t.text[t.at : end+1])
		t.at = end + 1
		return
	}
	t.out.WriteByte(open)
	for t.at++; t.at < end; {
		t.out.WriteString("\n" + strings.Repeat("  ", depth+1))
		t.value(depth + 1)
		if t.at < end { // a comma and a blank
			t.out.WriteByte(',')
			t.at += len(", ")
		}
	}
	t.out.WriteByte(t.text[end])
	t.at = end + 1
}

// plain passes over the name of a node or a field, or a whole constant.
func (t *tree) plain() {
	for t.at < len(t.text) && !strings.ContainsRune("()[],", rune(t.text[t.at])) {
		if c := t.text[t.at]; c == '\'' || c == '"' {
			t.at = afterString(t.text, t.at)
			continue
		}
		t.at++
	}
}

// afterString is behind the string that begins at i.
func afterString(s string, i int) int {
	for quote, j := s[i], i+1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case quote:
			return j + 1
		}
	}
	return len(s)
}

// closing finds the bracket that closes the one here.
func (t *tree) closing() int {
	depth := 0
	for i := t.at; i < len(t.text); {
		switch t.text[i] {
		case '\'', '"':
			i = afterString(t.text, i)
			continue
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i
			}
		}
		i++
	}
	return len(t.text) - 1
}

// simple says that there is no node with fields and no list with items between
// two places. The items of a list stand on lines of their own.
func (t *tree) simple(from, to int, open byte) bool {
	if open == '[' {
		return from == to
	}
	for i := from; i < to; {
		switch t.text[i] {
		case '\'', '"':
			i = afterString(t.text, i)
			continue
		case '(', '[':
			if i+1 < to && t.text[i+1] != ')' && t.text[i+1] != ']' {
				return false
			}
		}
		i++
	}
	return true
}
