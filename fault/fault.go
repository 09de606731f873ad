// Package fault is the closed list of what a caller or a model can do wrong.
//
// Praxis distinguishes three kinds of failure. What guest code did is a status
// ([praxis/event.Status]), never a Go error. What the caller or the
// model did wrong is a *[Error] of this package, sent back with a remedy.
// What we broke is any other error.
//
// # Codes, and who words a remedy
//
// A fault that a program branches on, or that a front end words in its own way,
// has a [Code] and the [Data] that its words need; codes.go lists them. A
// code implies the kind and a remedy that is true whoever reads it: a program, a
// person at a terminal, a model. Such a remedy is a full sentence and names no
// command, no flag and no environment variable of the command line. A front end
// that knows more than that has a table of [Sentences] for the codes that it
// words itself and falls back on Remedy for the others; that of the command line
// is in internal/cli.
//
// A fault whose remedy is the same for every reader needs no code: [New] makes
// it.
package fault

import (
	"errors"
	"fmt"
	"maps"
)

// Kind says what sort of fault it is. The zero value is not a kind.
type Kind uint8

// The kinds, closed: the API's status codes and the CLI's exit codes follow from them.
const (
	Invalid     Kind = iota + 1 // the input is wrong whatever the state
	NotFound                    // what was named does not exist
	Conflict                    // the state does not allow it now
	Denied                      // not permitted to this caller
	Exhausted                   // a bound or a budget is used up
	Canceled                    // the caller gave up
	Unavailable                 // something outside did not answer; may work later
	Internal                    // we broke it
)

var names = [...]string{"", "invalid", "not_found", "conflict", "denied", "exhausted", "canceled", "unavailable", "internal"}

// String returns the kind's name on the wire, such as "not_found".
func (k Kind) String() string {
	if int(k) < len(names) && k != 0 {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// KindNamed returns the kind that a name on the wire stands for, 0 for any other text.
func KindNamed(name string) Kind {
	for k := Invalid; int(k) < len(names); k++ {
		if names[k] == name {
			return k
		}
	}
	return 0
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if KindNamed(k.String()) == 0 {
		return nil, fmt.Errorf("cannot write the kind of a fault: %d is none", uint8(k))
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	named := KindNamed(string(text))
	if named == 0 {
		return fmt.Errorf("cannot read the kind of a fault: there is none named %.40q", text)
	}
	*k = named
	return nil
}

// Error is one fault. Message reads "cannot X: cause"; Remedy, when there is
// one, is a full sentence that says what to do next, in words that are true for
// every reader. As JSON it is an object without the cause.
type Error struct {
	Kind    Kind   `json:"kind"`
	Code    Code   `json:"code,omitempty"` // "": none, the kind says enough
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
	Data    Data   `json:"data,omitempty"` // what the code's words need; none without a code
	Err     error  `json:"-"`              // cause, may be nil; its text is already part of Message
}

// New makes a fault without a code, whose remedy is the same for every reader.
// The format may use %w to keep a cause for errors.Is.
func New(kind Kind, remedy, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Remedy: remedy, Err: errors.Unwrap(err)}
}

// Coded makes a fault with a code, which brings the kind and the remedy along.
// data contains every name that the code's line in codes.go lists; one that does
// not apply is "". The format may use %w to keep a cause for errors.Is.
func Coded(code Code, data Data, format string, args ...any) *Error {
	f := New(code.Kind(), code.Remedy(data), format, args...)
	f.Code, f.Data = code, data
	return f
}

// Error returns the message alone, in one line, without the remedy.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Of returns err as one fault, nil for nil: with the kind, the code, the data
// and the remedy of the first fault in err's chain, and with all of err's text
// as its message. What is no fault becomes one of kind Internal. The caller may
// change the result.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	out := Error{Kind: Internal}
	var f *Error
	if errors.As(err, &f) {
		out = *f
		out.Data = maps.Clone(f.Data)
	}
	out.Message, out.Err = err.Error(), err
	return &out
}

// KindOf returns the kind of the first fault in err's chain, or Internal.
// It returns 0 for a nil error.
func KindOf(err error) Kind {
	if err == nil {
		return 0
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Kind
	}
	return Internal
}

// CodeOf returns the code of the first fault in err's chain, or "".
func CodeOf(err error) Code {
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

// DataOf returns the data of the first fault in err's chain, or nil.
func DataOf(err error) Data {
	var f *Error
	if errors.As(err, &f) {
		return f.Data
	}
	return nil
}

// RemedyOf returns the remedy of the first fault in err's chain, or "".
func RemedyOf(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return f.Remedy
	}
	return ""
}
