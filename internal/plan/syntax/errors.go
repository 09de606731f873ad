package syntax

import (
	"bytes"
	"strings"
)

// ErrorKind is the class of the exception CPython raises for an [Error].
type ErrorKind uint8

// The kinds of errors.
const (
	SyntaxError ErrorKind = iota + 1
	IndentationError
	TabError
)

// String returns the name of the exception, such as "IndentationError".
func (k ErrorKind) String() string {
	return name("ErrorKind", errorNames[:], int(k))
}

var errorNames = [...]string{"", "SyntaxError", "IndentationError", "TabError"}

// Error is one thing that is wrong with a program, at its place.
type Error struct {
	Pos     Pos
	End     Pos // exclusive; equal to Pos when only a place is known
	Kind    ErrorKind
	Message string // CPython's wording where it has one
}

// Error returns "line 1: SyntaxError: message".
func (e *Error) Error() string {
	return "line " + itoa(int(e.Pos.Line)) + ": " + e.Kind.String() + ": " + e.Message
}

// maxRendered bounds how much of a line Render shows.
const maxRendered = 160

// Render returns the message with the line it is about and carets under the
// guilty part, in three lines, each ended by a newline. src is the source
// that was parsed.
func (e *Error) Render(src []byte) string {
	var b strings.Builder
	b.WriteString(e.Error())
	b.WriteByte('\n')
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	line := lineAt(src, int(e.Pos.Line))
	from, to := min(int(e.Pos.Col), len(line)), len(line)
	if e.End.Line == e.Pos.Line {
		to = min(int(e.End.Col), len(line))
	}
	lead := len(line) - len(strings.TrimLeft(line, " \t\f"))
	if lead > from {
		lead = from
	}
	if from-lead > maxRendered/2 {
		lead = from - maxRendered/2
		for lead > 0 && line[lead]&0xC0 == 0x80 {
			lead--
		}
	}
	end := len(line)
	if end-lead > maxRendered {
		end = lead + maxRendered
		for end > lead && line[end]&0xC0 == 0x80 {
			end--
		}
	}
	from, to = min(from, end), min(max(from, to), end)
	b.WriteString("    ")
	b.WriteString(printable(line[lead:end]))
	b.WriteString("\n    ")
	b.WriteString(strings.Repeat(" ", runes(line[lead:from])))
	b.WriteString(strings.Repeat("^", max(1, runes(line[from:to]))))
	b.WriteByte('\n')
	return b.String()
}

// runes counts what printable leaves visible of s.
func runes(s string) int { return len([]rune(s)) }

// printable replaces what would disturb a terminal or shift the carets.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return '?'
		}
		return r
	}, s)
}

// lineAt returns line n (1-based) of src without its end.
func lineAt(src []byte, n int) string {
	i := 0
	for ; n > 1; n-- {
		for i < len(src) && src[i] != '\n' && src[i] != '\r' {
			i++
		}
		if i+1 < len(src) && src[i] == '\r' && src[i+1] == '\n' {
			i++
		}
		if i >= len(src) {
			return ""
		}
		i++
	}
	j := i
	for j < len(src) && src[j] != '\n' && src[j] != '\r' {
		j++
	}
	return string(src[i:j])
}
