// Package regex is the dialect of Python 3.14's re module: the same syntax and
// the same spans.
//
// A pattern becomes a [Program]; a Program searches a [Text], which is a str
// (code points) or a bytes object. The machine is a backtracker over a compact
// program with counted loops. Every step takes from the caller's budget, which
// ends a search like that of (a+)+$ with [ErrSteps]. The machine follows the
// order of preference of CPython's engine exactly, with its treatment of loops
// whose body can be empty: an iteration that is not required is not entered
// where the previous one of that kind was entered at the same place.
//
// Nothing here recurses over the subject. The parser recurses over the nesting
// of the pattern, which is bounded. The machine keeps its
// own stack, and that is bounded too.
//
// What is left out: \N{...}, which needs the names of all characters, the LOCALE
// flag, conditionals, atomic groups and possessive quantifiers. Under IGNORECASE
// characters are the same when Unicode's simple case folding says so.
package regex

import (
	"errors"
	"strings"
	"sync"
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

// Error is what is wrong with a pattern or a template.
type Error struct {
	Msg string // without the position
	Pos int    // in characters
}

var errLarge = &Error{Msg: "the regular expression is too large"}

// ErrSteps ends a search whose budget of steps is used up.
var ErrSteps = errors.New("the regular expression took too many steps")

// ErrStack ends a search that would need more memory than the machine has.
var ErrStack = errors.New("the regular expression needs too much memory for its alternatives")

// Name is a named group.
type Name struct {
	Name  string
	Group int
}

// Program is a compiled pattern. It does not change, so that it may be shared.
type Program struct {
	flags  Flags
	groups int
	names  []Name
	byName map[string]int

	code    []inst
	regs    int // registers of the backtracker: spans, last index, loops
	prefix  string
	first   *firstSet
	minimum int // the least number of characters that a match has

	anchored bool       // a match begins at the beginning of the text
	machines *sync.Pool // of *machine: what searches need of memory
}

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
// bytes.
func Compile(pattern Text, flags Flags) (*Program, *Error) {
	if pattern.Len() > maxPattern {
		return nil, errLarge
	}
	ps, tree, err := parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	p := &Program{
		flags:    ps.flags,
		groups:   len(ps.groups) - 1,
		names:    ps.names,
		byName:   ps.byName,
		machines: new(sync.Pool),
	}
	if err := generate(p, tree); err != nil {
		return nil, err
	}
	return p, nil
}

// Escape returns s, a str or a bytes object, with a backslash before every
// character that means something in a pattern.
func Escape(s string) string {
	const special = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
