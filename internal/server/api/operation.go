// Package api is what a program can ask a server for: one table of operations with their
// names, routes, scopes, requests and results. Package rest serves it over HTTP and package
// rpc as JSON-RPC; the OpenAPI document and the test that no key reaches what belongs to
// another tenant are made from it.
//
// An operation is a function over plain values. What the caller did wrong is a fault, what
// code did is a status in a result; how either is written is the door's matter.
package api

import (
	"context"
	"io"
	"reflect"

	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
	"praxis/internal/server/ports"
)

// Tenant is whose data an operation works on.
type Tenant struct {
	Name string
	App  *app.App
	Hub  *live.Hub
	Dir  string // the folder of what a server keeps of it
}

// Call says who asks.
type Call struct {
	Key    access.Key
	Tenant *Tenant
	// Server is what all tenants have in common.
	Server *Server
	// Body is what an operation that takes content reads.
	Body io.Reader
	// Base is the scheme and host under which the server was asked, "" where it has none.
	Base string
	// After is the number of the last event that the caller has seen; 0: none.
	After int64
}

// Server is what all tenants of a server have in common.
type Server struct {
	Version string
	Ports   *ports.Ports // nil: no port of a session is forwarded
	Keys    *access.Keys
	// Tools are those that runs may call, Net the hosts that their code may reach: the
	// operator says, not the client.
	Tools app.ToolSpec
	Net   app.NetSpec
	// FileModels lets clients name models whose replies are read from files of the server.
	FileModels bool
	Models     func(ctx context.Context) []app.ProviderModels
	// Prices are those that costs are counted by.
	Prices app.PriceTable
}

// Kind says what a door reads and writes besides a request and a result.
type Kind uint8

// The kinds.
const (
	Plain    Kind = iota + 1
	Events        // it may return a *Stream in the place of a result
	Upload        // it reads Call.Body
	Download      // it returns a *Content
	Socket        // it returns a *Terminal, which needs a connection of its own
)

// Operation is one thing that a program can ask for.
type Operation struct {
	Name    string // "sessions.create": the method of JSON-RPC
	Method  string // of HTTP
	Path    string // of HTTP, with the names of fields of the request in braces
	Scope   access.Scope
	Summary string
	Kind    Kind
	Status  int // of HTTP, when it went well
	In, Out reflect.Type
	// Says are the data of the events that it streams, by their names; nil: the events are those
	// of package event.
	Says map[string]reflect.Type
	do   func(ctx context.Context, c *Call, in any) (any, error)
}

// Do does what the operation is for. in is a pointer to a value of its type In.
func (o *Operation) Do(ctx context.Context, c *Call, in any) (any, error) { return o.do(ctx, c, in) }

// Stream is a result that is events: those of a log after a number.
type Stream struct {
	Log   *live.Log
	After int64
	// Leave is called when the reader goes away before the end; nil: nothing has to be done.
	Leave func()
	// Final returns what the whole came to, once the log has ended.
	Final func() any
}

// Content is a result that is bytes.
type Content struct {
	Type  string // MIME
	Name  string // of a file; "": it has none
	Write func(w io.Writer) error
}

// Terminal is a result that is a connection to the terminal of a process.
type Terminal struct {
	Process *live.Process
	After   int64  // the number of the last output that the caller has seen
	Leave   func() // called when the connection is closed
	// Final describes the process.
	Final func() any
}

// Nothing is the request or the result of an operation that has none.
type Nothing struct{}

// operation makes an entry of the table.
func operation[In, Out any](name, method, path string, scope access.Scope, status int, summary string, do func(ctx context.Context, c *Call, in In) (Out, error)) Operation {
	return Operation{
		Name: name, Method: method, Path: "/v1" + path, Scope: scope, Summary: summary, Kind: Plain, Status: status,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		do: func(ctx context.Context, c *Call, in any) (any, error) { return do(ctx, c, *in.(*In)) },
	}
}

// events makes an entry whose result may be a *Stream; Out is its result otherwise.
func events[In, Out any](name, method, path string, scope access.Scope, status int, summary string, do func(ctx context.Context, c *Call, in In) (any, error)) Operation {
	return Operation{
		Name: name, Method: method, Path: "/v1" + path, Scope: scope, Summary: summary, Kind: Events, Status: status,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		do: func(ctx context.Context, c *Call, in any) (any, error) { return do(ctx, c, *in.(*In)) },
	}
}

// of returns the entry with another kind.
func (o Operation) of(k Kind) Operation {
	o.Kind = k
	return o
}

// saying returns the entry with events of its own.
func (o Operation) saying(name string, data reflect.Type) Operation {
	o.Says = map[string]reflect.Type{name: data}
	return o
}

// Table returns all operations, in the order in which they are documented.
func Table() []Operation {
	var out []Operation
	for _, part := range [][]Operation{sessions(), executions(), contexts(), files(), processes(), forwards(), runs(), made(), approvals(), records(), stored(), plans(), things(), administration()} {
		out = append(out, part...)
	}
	return out
}
