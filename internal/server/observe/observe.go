// Package observe is what is known of a request while it is answered: who asks for what, and
// what became of it. The doors write it down; the log, the audit log, metrics and traces read
// it. It never holds a body, a query or the text of a key.
//
// It travels in the context, so that what is begun by a request, such as an execution that
// goes on when the caller is gone, still knows on whose behalf it is.
package observe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"

	"praxis/fault"
)

// Request is a request that is being answered, or was. One goroutine writes to it.
type Request struct {
	ID        string // that the client got, too
	Method    string // of HTTP
	Route     string // the pattern that matched, never the path itself
	Operation string // "": no operation was found
	Object    string // what the operation is about, as "session=s execution=x"
	Tenant    string // "": the caller is not known
	Key       string // its id
	Writes    bool   // the operation needs more than the right to read
	Inner     bool   // it is one of several that came in one request of HTTP
	Status    int    // of HTTP
	Kind      fault.Kind
	Code      fault.Code
	Err       error // what we broke; nil: nothing
	Began     time.Time
	Took      time.Duration
	Span      Span // of the request itself
	Parent    Span // of the client, if it sent one
}

// Span is a place in a distributed trace (W3C Trace Context).
type Span struct {
	Trace    [16]byte
	ID       [8]byte
	Decision Decision // of the client that the trace came from
}

// Decision says whether the client that a trace came from records it.
type Decision uint8

// The decisions.
const (
	Undecided  Decision = iota // the trace begins here
	Recorded                   // it is recorded
	Unrecorded                 // it is not
)

// IsZero says whether there is no span.
func (s Span) IsZero() bool { return s == Span{} }

// Child returns a new span of the same trace, of a new one if there is none.
func (s Span) Child() Span {
	if s.IsZero() {
		rand.Read(s.Trace[:]) // it never fails
	}
	rand.Read(s.ID[:])
	return s
}

// ParseSpan reads a traceparent header; the zero Span stands for one that cannot be read.
func ParseSpan(header string) Span {
	var s Span
	var version, flags [1]byte
	parts := strings.SplitN(header, "-", 5) // a later version may have more
	if len(parts) < 4 {
		return Span{}
	}
	for i, into := range [][]byte{version[:], s.Trace[:], s.ID[:], flags[:]} {
		if len(parts[i]) != 2*len(into) || strings.ToLower(parts[i]) != parts[i] {
			return Span{}
		}
		if _, err := hex.Decode(into, []byte(parts[i])); err != nil {
			return Span{}
		}
	}
	if version[0] == 0xff || version[0] == 0 && len(parts) != 4 || s.Trace == [16]byte{} || s.ID == [8]byte{} {
		return Span{}
	}
	s.Decision = Unrecorded
	if flags[0]&1 != 0 {
		s.Decision = Recorded
	}
	return s
}

// NewRequest returns a request that begins now, as a part of the trace that its client sent.
func NewRequest(parent Span) *Request {
	return &Request{ID: rand.Text()[:16], Began: time.Now(), Span: parent.Child(), Parent: parent}
}

// inner returns a request that came in another one.
func (r *Request) inner() *Request {
	in := NewRequest(r.Span)
	in.Inner, in.Method, in.Route = true, r.Method, r.Route
	return in
}

// Failed writes down what went wrong; nil: nothing did.
func (r *Request) Failed(err error) {
	r.Kind, r.Code, r.Err = fault.KindOf(err), fault.CodeOf(err), nil
	if r.Kind == fault.Internal {
		r.Err = err // a client does not learn of it
	}
}

// Fault names what went wrong: by its code, or by its kind where it has none; "": nothing did.
func (r *Request) Fault() string {
	if r.Code != "" || r.Kind == 0 {
		return string(r.Code)
	}
	return r.Kind.String()
}

type key struct{}

// With returns a context with the request.
func With(ctx context.Context, r *Request) context.Context { return context.WithValue(ctx, key{}, r) }

// From returns the request of a context. Without one it is one that nobody reads, so that who
// writes to it need not ask.
func From(ctx context.Context) *Request {
	if r, ok := ctx.Value(key{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// Inner returns a context for one of several requests that came in the one of ctx.
func Inner(ctx context.Context) (context.Context, *Request) {
	r := From(ctx).inner()
	return With(ctx, r), r
}
