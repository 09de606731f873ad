// Package regex is the dialect of Python 3.14's re module: the same syntax,
// the same messages, the same spans.
//
// A pattern becomes a [Program]; a Program searches a [Text], which is a str
// (code points) or a bytes object. Two machines can run it:
//
//   - a backtracker over a compact program with counted loops, which is quick
//     for ordinary patterns and the only one that knows back references,
//     lookaround;
//   - a simulation of all threads at once over an unrolled program, whose work
//     is the length of the subject times the size of the pattern at most.
//
// Every search starts in the backtracker. When it has taken many more steps
// than the subject is long, and the pattern allows it, the other machine takes
// over from the position of the search, so that (a+)+$ is not a bomb. Where the pattern
// does not allow it the caller's budget of steps ends the search with
// [ErrSteps]. Both machines follow the order of preference of CPython's engine
// exactly, with its treatment of loops whose body can be empty: an iteration
// that is not required is not entered where the previous one of that kind was
// entered at the same place.
//
// Nothing here recurses over the subject. The parser recurses over the nesting
// of the pattern, which is bounded as it is in CPython. The machines keep their
// own stacks, and these are bounded too.
//
// What is left out: \N{...}, which needs the names of all characters, the LOCALE
// flag, conditionals, atomic groups and possessive quantifiers. One fault of
// CPython is not imitated: a search may overlook a match that begins with a
// category in a group with flags of its own, as (?u:\s) in an ASCII pattern,
// because the first character is looked for under the outer flags.
package regex

import (
	"errors"
	"fmt"
	"strings"
)

// Flags are the flags of a pattern, with the values of Python's re.RegexFlag.
type Flags uint32

// The flags, named as in Python.
const (
	IgnoreCase Flags = 2
	Locale     Flags = 4
	MultiLine  Flags = 8
	DotAll     Flags = 16
	Unicode    Flags = 32
	Verbose    Flags = 64
	Debug      Flags = 128
	ASCII      Flags = 256
)

const typeFlags = ASCII | Locale | Unicode

// Kind says which exception of Python an [Error] is.
type Kind uint8

// The kinds of errors.
const (
	Invalid   Kind = iota
	Pattern        // re.PatternError
	Value          // ValueError
	Overflow       // OverflowError
	Recursion      // RecursionError
	Index          // IndexError
	Memory         // MemoryError: the pattern is larger than this engine takes
)

// Error is what is wrong with a pattern or a template, in Python's words.
type Error struct {
	Kind Kind
	Msg  string // without the position
	Pos  int    // in characters of the pattern; -1 when Python gives none
	Line int    // 1-based line of Pos; 0 when there is no Pos
	Col  int    // 1-based column of Pos; 0 when there is no Pos

	lines bool // the pattern has several lines
}

// Error is str() of Python's exception.
func (e *Error) Error() string {
	switch {
	case e.Pos < 0:
		return e.Msg
	case e.lines:
		return fmt.Sprintf("%s at position %d (line %d, column %d)", e.Msg, e.Pos, e.Line, e.Col)
	}
	return fmt.Sprintf("%s at position %d", e.Msg, e.Pos)
}

// place sets the position of an error in a pattern.
func (e *Error) place(src []rune, pos int) {
	e.Pos, e.Line, e.Col = pos, 1, pos+1
	for i, r := range src {
		if r != '\n' {
			continue
		}
		e.lines = true
		if i < pos {
			e.Line++
			e.Col = pos - i
		}
	}
}

// ErrSteps ends a search whose budget of steps is used up.
var ErrSteps = errors.New("the regular expression took too many steps")

// ErrStack ends a search that would need more memory than the machines have.
var ErrStack = errors.New("the regular expression needs too much memory for its alternatives")

// Name is a named group.
type Name struct {
	Name  string
	Group int
}

// Program is a compiled pattern. It does not change, so that it may be shared.
type Program struct {
	pattern Text
	flags   Flags
	groups  int
	names   []Name
	byName  map[string]int
	tree    *node

	code    []inst
	regs    int // registers of the backtracker: spans, last index, loops
	prefix  string
	first   *firstSet
	minimum int // the least number of characters that a match has

	anchored bool // a match begins at the beginning of the text
	bare     bool // the simulation can run it
	shared   *scratch
}

// Pattern is what the program was compiled from.
func (p *Program) Pattern() Text { return p.pattern }

// Flags are the flags that are in force, those written in the pattern included.
func (p *Program) Flags() Flags { return p.flags }

// Groups is the number of capturing groups.
func (p *Program) Groups() int { return p.groups }

// Names are the named groups in the order in which they were opened.
func (p *Program) Names() []Name { return p.names }

// Group finds a named group; ok is false when there is none of that name.
func (p *Program) Group(name string) (group int, ok bool) {
	group, ok = p.byName[name]
	return group, ok
}

// GroupName is the name of a group, or "" when it has none.
func (p *Program) GroupName(group int) string {
	for _, n := range p.names {
		if n.Group == group {
			return n.Name
		}
	}
	return ""
}

// Compile compiles a pattern. A str gives a program for str, bytes one for
// bytes. Error has Python's message and position.
func Compile(pattern Text, flags Flags) (*Program, *Error) {
	if pattern.Len() > maxPattern {
		return nil, &Error{Kind: Memory, Msg: "the regular expression is too large", Pos: -1}
	}
	ps, tree, err := parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	p := &Program{
		pattern: pattern,
		flags:   ps.flags,
		groups:  len(ps.widths) - 1,
		names:   ps.names,
		byName:  ps.byName,
		tree:    tree,
		shared:  new(scratch),
	}
	if err := generate(p, ps.widths); err != nil {
		return nil, err
	}
	return p, nil
}

// Escape returns s, a str or a bytes object, with a backslash before every
// character that means something in a pattern.
func Escape(s string) string {
	const special = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"
	extra := 0
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			extra++
		}
	}
	if extra == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + extra)
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
