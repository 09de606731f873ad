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
	"net/http"
	"reflect"
	"strings"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/audit"
	"praxis/internal/server/live"
	"praxis/internal/server/observe"
	"praxis/internal/server/ports"
	"praxis/internal/server/usage"
)

// Tenant is whose data an operation works on.
type Tenant struct {
	Name string
	App  *app.App
	Hub  *live.Hub
	Dir  string // the folder of what a server keeps of it
	// Usage is what was used of the tenant's quota.
	Usage *usage.Ledger
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
	Audit   *audit.Log
	// Quota returns how much a tenant may use, and how much a key may.
	Quota func(k access.Key) (tenant, own access.Quota, err error)
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

// Left returns what may still be used of tokens and of money with a key; 0: any.
func (s *Server) Left(k access.Key, t *Tenant) (tokens int64, usd float64, err error) {
	tenant, own, err := s.Quota(k)
	if err != nil {
		return 0, 0, err
	}
	tokens, usd = t.Usage.Left(k.ID, tenant, own)
	return tokens, usd, nil
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
	// begins says that it has code run, or something built: not when a quota is used up. What
	// goes on for long looks for itself when it begins.
	begins bool
	about  []reflect.StructField // those of In that stand in the path
	do     func(ctx context.Context, c *Call, in any) (any, error)
}

// Note writes down which operation a request asks for, and what about: value returns what
// stands in the path under a name.
func (o *Operation) Note(r *observe.Request, value func(name string) string) {
	r.Operation, r.Writes = o.Name, o.Scope == access.Run || o.Scope != access.Read && o.Method != http.MethodGet
	r.Object = o.object(func(f reflect.StructField) string { return value(nameOf(f)) })
}

// object names what an operation is about, by the fields that stand in the path.
func (o *Operation) object(value func(f reflect.StructField) string) string {
	var parts []string
	for _, f := range o.about {
		parts = append(parts, nameOf(f)+"="+safetext.Clip(safetext.Line(value(f)), maxObject))
	}
	return strings.Join(parts, " ")
}

// nameOf returns the name of a field in JSON.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// maxObject bounds a name of an object in bytes.
const maxObject = 100

// Do does what the operation is for. in is a pointer to a value of its type In. It is
// in the audit log before it is done, by what was read of the request and not by how its names
// were written; what it made is written down in the request of ctx.
func (o *Operation) Do(ctx context.Context, c *Call, in any) (any, error) {
	seen := observe.From(ctx)
	read := reflect.ValueOf(in).Elem()
	seen.Object = o.object(func(f reflect.StructField) string { return read.FieldByIndex(f.Index).String() })
	if seen.Writes {
		if err := c.Server.Audit.Begin(seen); err != nil {
			return nil, err
		}
	}
	if o.begins {
		if err := c.Tenant.Hub.Admit(ctx); err != nil {
			return nil, err
		}
	}
	out, err := o.do(ctx, c, in)
	if atomicfile.Full(err) && fault.KindOf(err) == fault.Internal {
		err = fault.Coded(fault.DiskFull, fault.Data{"folder": "the data folder"}, "cannot store it: the disk is full")
	}
	if seen.Object == "" {
		seen.Object = idOf(reflect.Indirect(reflect.ValueOf(out)))
	}
	return out, err
}

// idOf names what a result says was made: its id.
func idOf(out reflect.Value) string {
	if out.Kind() != reflect.Struct {
		return ""
	}
	f, there := out.Type().FieldByName("ID")
	if !there || f.Type.Kind() != reflect.String {
		return ""
	}
	id, err := out.FieldByIndexErr(f.Index)
	if err != nil || id.String() == "" {
		return ""
	}
	return "id=" + safetext.Clip(safetext.Line(id.String()), maxObject)
}

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
	o := Operation{
		Name: name, Method: method, Path: "/v1" + path, Scope: scope, Summary: summary, Kind: Plain, Status: status,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		do: func(ctx context.Context, c *Call, in any) (any, error) { return do(ctx, c, *in.(*In)) },
	}
	for _, f := range reflect.VisibleFields(o.In) {
		if f.Tag.Get("in") == "path" {
			o.about = append(o.about, f)
		}
	}
	return o
}

// events makes an entry whose result may be a *Stream; Out is its result otherwise.
func events[In, Out any](name, method, path string, scope access.Scope, status int, summary string, do func(ctx context.Context, c *Call, in In) (any, error)) Operation {
	o := operation(name, method, path, scope, status, summary, do).of(Events)
	o.Out = reflect.TypeFor[Out]()
	return o
}

// of returns the entry with another kind.
func (o Operation) of(k Kind) Operation {
	o.Kind = k
	return o
}

// beginning returns the entry as one that has code run, or something built.
func (o Operation) beginning() Operation {
	o.begins = true
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
	for _, part := range [][]Operation{sessions(), executions(), contexts(), files(), processes(), forwards(), runs(), made(), approvals(), records(), stored(), goingOn(), plans(), things(), policies(), threads(), skills(), images(), travels(), administration(), operating()} {
		out = append(out, part...)
	}
	return out
}

// Named returns all operations by their names.
func Named() map[string]*Operation {
	out := map[string]*Operation{}
	for _, o := range Table() {
		out[o.Name] = &o
	}
	return out
}
