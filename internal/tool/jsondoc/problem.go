package jsondoc

import (
	"fmt"
	"strings"

	"praxis/fault"
)

// MaxProblems bounds how many problems of one file are reported; a file with more
// is wrong in a way that the first hundred explain.
const MaxProblems = 100

// Position is a place in a file. Line and Column count from 1, the column in
// characters; both are 0 when there is no file behind a definition.
type Position struct {
	File         string
	Line, Column int
}

// String returns "file:line:col".
func (p Position) String() string {
	file := p.File
	if file == "" {
		file = "schema"
	}
	if p.Line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
}

// Problem is one thing that is wrong in a file.
type Problem struct {
	Pos    Position
	What   string // what is wrong and what was expected
	Remedy string // the nearest valid form, as a sentence; may be empty
}

// String returns the problem in one line, with its remedy.
func (p Problem) String() string {
	s := p.Pos.String() + ": " + p.What
	if p.Remedy != "" {
		s += ". " + p.Remedy
	}
	return s
}

// Problems is the cause of the fault that Load and ParseSchema return: all that
// is wrong in a file, in the file's order. Get it with errors.As.
type Problems []Problem

// Error returns the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Fault returns the problems as one fault whose message is the first of them.
func (ps Problems) Fault() error {
	if len(ps) == 0 {
		return nil
	}
	first := ps[0]
	message := first.Pos.String() + ": " + first.What
	if more := len(ps) - 1; more == 1 {
		message += " (and 1 more problem)"
	} else if more > 1 {
		message += fmt.Sprintf(" (and %d more problems)", more)
	}
	return &fault.Error{Kind: fault.Invalid, Message: message, Remedy: first.Remedy, Err: ps}
}

// Report gathers the problems of one file.
type Report struct {
	File     string
	Problems Problems
}

// Pos returns the place of a node; a nil one stands for the file.
func (r *Report) Pos(n *Node) Position {
	if n == nil {
		return Position{File: r.File}
	}
	return Position{File: r.File, Line: int(n.Line), Column: int(n.Col)}
}

// Add notes a problem at n. The remedy may be empty.
func (r *Report) Add(n *Node, remedy, format string, args ...any) {
	r.AddAt(r.Pos(n), remedy, format, args...)
}

// AddAt notes a problem at a place, unless there are too many.
func (r *Report) AddAt(pos Position, remedy, format string, args ...any) {
	if len(r.Problems) < MaxProblems {
		r.Problems = append(r.Problems, Problem{Pos: pos, What: fmt.Sprintf(format, args...), Remedy: remedy})
	}
}

// Full reports whether no more problems are noted.
func (r *Report) Full() bool { return len(r.Problems) >= MaxProblems }
