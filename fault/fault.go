// Package fault is the closed list of what a caller or a model can do wrong.
//
// Praxis keeps three fates apart. What guest code did is a status
// ([praxis/event.Status]), never a Go error. What the caller or the
// model did wrong is a *[Error] of this package, sent back with a remedy.
// What we broke is any other error.
package fault

import (
	"errors"
	"fmt"
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

// Error is one fault. Message reads "cannot X: cause"; Remedy, when there is
// one, is a full sentence that says what to do next.
type Error struct {
	Kind    Kind
	Message string
	Remedy  string
	Err     error // cause, may be nil; its text is already part of Message
}

// New makes a fault. The format may use %w to keep a cause for errors.Is.
func New(kind Kind, remedy, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Remedy: remedy, Err: errors.Unwrap(err)}
}

// Error returns the message alone, in one line, without the remedy.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

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

// RemedyOf returns the remedy of the first fault in err's chain, or "".
func RemedyOf(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return f.Remedy
	}
	return ""
}
