package syntax

import "fmt"

// ErrorKind is the name of the exception that CPython raises for an [Error].
type ErrorKind string

// The kinds of errors.
const (
	SyntaxError      ErrorKind = "SyntaxError"
	IndentationError ErrorKind = "IndentationError"
)

// Error is one thing that is wrong with a program, at its place.
type Error struct {
	Pos     Pos
	End     Pos // exclusive; equal to Pos when only a place is known
	Kind    ErrorKind
	Message string // CPython's wording where it has one
}

// Error returns "line 1: SyntaxError: message".
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s: %s", e.Pos.Line, e.Kind, e.Message) }

// Refusal is one use of something that the plan language leaves out.
type Refusal struct {
	Pos     Pos
	End     Pos    // exclusive
	Feature string // what is left out, such as "async for"
	Remedy  string // a sentence that says what to write instead
}
