package tool

import (
	"context"
	"errors"

	"praxis/internal/tool/jsondoc"
)

// Invocation is one call of a tool that was let through.
type Invocation struct {
	Tool      *Definition
	ID        string          // of the call, unique in its run
	Key       string          // the same for every try of this call, unique among all runs
	Arguments *jsondoc.Object // valid, with their defaults
}

// ErrNotReached says of the failure of a call that what implements the tool was not
// reached, so that nothing was done. Only what runs here may say so: what a server or a
// program says of itself may be a lie.
var ErrNotReached = errors.New("the tool was not reached")

// NotReached marks an error as [ErrNotReached]; its text stays.
func NotReached(err error) error { return notReached{err} }

type notReached struct{ error }

// Unwrap returns what went wrong.
func (e notReached) Unwrap() error { return e.error }

// Is says that nothing was done.
func (e notReached) Is(target error) bool { return target == ErrNotReached }

// Implementation executes the calls of one tool. It is safe for concurrent
// use.
type Implementation interface {
	// Call executes a call and returns a JSON value as this package has
	// them. It ends soon after ctx does. A fault says what its kind means:
	// Invalid, the tool refuses these arguments; Denied, it may not do that;
	// Exhausted, a bound was met; Unavailable, it may work when tried again. Any
	// other error says that the tool failed. No error holds a secret.
	Call(ctx context.Context, c Invocation) (any, error)
	// Identity names what answers, for the journal: its kind, where it comes
	// from and, where there is one, a digest. It holds no secret.
	Identity() string
	Close() error
}

// Binding says how a tool is implemented: the value of "run" in a file.
type Binding struct {
	Kind string           // "python", "command", "http", "wasm" or "go"
	Spec *jsondoc.Object  // what the kind reads
	Dir  string           // folder that relative paths start from
	Pos  jsondoc.Position // in the file
}

// Kind makes the implementations of one kind. It is safe for concurrent use.
type Kind interface {
	// Derive returns what a binding says of the definition, in the form of a
	// tool in a file, so that the file need not repeat it. The file's own keys
	// count before it. nil: it says nothing.
	Derive(ctx context.Context, b Binding) (*jsondoc.Object, error)
	// New makes the implementation of a tool. What is wrong in the binding is a
	// fault of kind Invalid.
	New(ctx context.Context, d *Definition, b Binding) (Implementation, error)
}

// Provided is a tool of a server: its definition in the form of a tool in a
// file, and what executes its calls.
type Provided struct {
	Document       *jsondoc.Object
	Implementation Implementation
}

// Server provides tools that it describes itself.
type Server interface {
	// Tools returns what the server provides now.
	Tools(ctx context.Context) ([]Provided, error)
	// Changed receives when the server says that its tools changed.
	Changed() <-chan struct{}
	Close() error
}

// SecretSource gives the values of declared secrets. One that is not declared, or
// has no value, is a fault that names it.
type SecretSource interface {
	Secret(name string) (string, error)
}

// Labelled is a result that says of itself what it depends on. What the
// definition says counts as well: a result can only be less trusted, and read by
// fewer. Implementations may return one.
type Labelled struct {
	Value   any
	Trusted *bool    // nil: it does not say
	Readers []string // nil: it does not say; empty: nobody
	// Cut says how much of what was asked for is in it, such as "1,000 of 3,000 rows", when
	// it is not all: whoever called sees it. "": it is all.
	Cut string
}

// Raised is the failure of a tool whose code raised an exception: code that called the tool
// gets an exception of the same class.
type Raised struct {
	Type string // the name of its class
	Err  error
}

// Error returns what the failure says.
func (e Raised) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e Raised) Unwrap() error { return e.Err }
