package pytext

import (
	"errors"
	"fmt"
)

// Kind names the Python exception that an [Error] becomes.
type Kind uint8

// The exceptions that this package asks for.
const (
	InvalidKind Kind = iota
	ValueError
	TypeError
	OverflowError
	ZeroDivisionError
	LookupError
	UnicodeEncodeError
	UnicodeDecodeError
)

var kindNames = [...]string{
	"InvalidKind", "ValueError", "TypeError", "OverflowError", "ZeroDivisionError", "LookupError",
	"UnicodeEncodeError", "UnicodeDecodeError",
}

// String returns the exception's name in Python.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return kindNames[InvalidKind]
	}
	return kindNames[k]
}

// Error is a Python exception of the program: its type and CPython's text.
type Error struct {
	Kind Kind
	Text string
}

// Error returns the text of the exception.
func (e *Error) Error() string { return e.Text }

// ErrTooLong says that a result would be longer than the caller allows. It is
// not an exception of the program: it ends the run.
var ErrTooLong = errors.New("text would be too long")

// ErrComplex says that the result would be a complex number.
var ErrComplex = errors.New("result would be a complex number")

func errorf(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Text: fmt.Sprintf(format, args...)}
}

func valueError(text string) error { return &Error{Kind: ValueError, Text: text} }
