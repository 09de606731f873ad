// Package mcp is a door for programs that speak the Model Context Protocol (MCP): an assistant
// of a person's runs code in a session that keeps its variables, writes and reads the
// session's files, gets its pictures, asks the agent, and runs plans. It serves the protocol over
// streamable HTTP at [Path], with the keys, scopes, tenants and bounds of the other doors, and
// over a pair of streams for a program that starts Praxis as its child. docs/mcp.md describes the
// tools, and how clients are configured.
//
// # Sessions
//
// A session of the protocol, which a client begins with "initialize", has a session of Praxis of
// its own, made when a tool first needs one and removed when the client ends it, leaves, or is
// idle for [IdleClient]. Every tool that works in a session takes the name of another one, which
// stays. A client of the protocol's version 2026-07-28 or later has no session over HTTP: each
// result names the session of Praxis that it came from, and the next call goes on in it by that
// name.
//
// # What a client that goes away leaves behind
//
// Nothing keeps messages for a client that lost its connection, so nobody would read what came of
// a call whose connection is gone: it is given up, as if it had been cancelled. Code is
// interrupted, and its kernel is there for the next call.
//
// # Approvals
//
// A call that a rule leaves to a person is put to the one who uses the client (elicitation), if
// the client can do that and its key may approve. Otherwise it is an open question for those who
// may, as with the other doors; a program that Praxis is the child of has nobody else, and the
// call is denied at once.
package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// Path is where the door is served over HTTP.
const Path = "/mcp"

// Bounds of clients.
const (
	IdleClient = 24 * time.Hour // after which a client's session ends
	maxClients = 100            // sessions of clients of a tenant; the one that was idle longest goes for another
	maxCalls   = 32             // calls of a client at a time
	maxMessage = rest.DefaultBody
)

// Door answers clients.
type Door struct {
	cfg        rest.Config
	server     *mcp.Server
	operations map[string]*api.Operation
	local      *Local // nil: clients come over HTTP

	mu       sync.Mutex
	clients  map[*mcp.ServerSession]*client
	requests map[string]*request // of HTTP, by the id that the door gave each
	closed   bool
	work     sync.WaitGroup // what waits for the ends of clients
}

// instructions are what a client's model reads of the server as a whole.
const instructions = "Run code in a sandbox that keeps its variables and files between calls. Work in small steps, print what you need to see, and let figures come from code."

// newDoor returns a door with its tools. Tests adjust what it declares.
func newDoor(cfg rest.Config, local *Local, adjust ...func(*mcp.ServerOptions)) *Door {
	d := &Door{cfg: cfg, operations: api.Named(), local: local, clients: map[*mcp.ServerSession]*client{}, requests: map[string]*request{}}
	options := mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope, c.TTLMs = "private", 0 },
	}
	for _, f := range adjust {
		f(&options)
	}
	d.server = mcp.NewServer(&mcp.Implementation{Name: "praxis", Title: "Praxis", Version: cfg.Server.Version}, &options)
	d.addSessionTools()
	d.addAgentTools(len(cfg.Server.Tools.Files) > 0)
	d.addResources()
	d.server.AddReceivingMiddleware(d.receive)
	return d
}

// caller is who sent the message that is being answered.
type caller struct {
	key    access.Key
	client *client  // nil: it has no session of the protocol
	http   *request // nil: it came over a pair of streams
}

type callerKey struct{}

// callerOf returns who sent the message that ctx is for.
func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// receive stands before the handlers of all messages. It says in the context who sent a
// message, and ends the work for one whose sender is gone.
func (d *Door) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		ctx, leave, err := d.enter(ctx, method, session, req.GetExtra())
		if err != nil {
			return nil, err
		}
		defer leave()
		if list, ok := req.(*mcp.ListResourcesRequest); ok {
			return d.listResources(ctx, list)
		}
		out, err := next(ctx, method, req)
		if err == nil && method == "initialize" && d.local == nil {
			err = d.join(session, callerOf(ctx).key)
		}
		return out, err
	}
}

// enter returns the context of a message, with its sender in it. It is over when the message is
// cancelled, and when nobody reads its answer any more.
func (d *Door) enter(ctx context.Context, method string, session *mcp.ServerSession, extra *mcp.RequestExtra) (_ context.Context, leave func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	by, ends := caller{}, []func(){func() { cancel(nil) }}
	leave = func() {
		for _, end := range ends {
			end()
		}
	}
	if d.local != nil {
		by.key = LocalKey()
	} else {
		r := d.requestOf(extra)
		if r == nil || !r.begin() {
			leave()
			return ctx, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the connection of the message is gone"}
		}
		stop := make(chan struct{})
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			select {
			case <-r.gone:
				cancel(errGone)
			case <-stop:
			}
		}()
		ends = append(ends, func() { close(stop); <-watched; r.end() })
		by.key, by.http = r.key, r
		ctx = observe.With(ctx, r.seen)
	}
	d.mu.Lock()
	by.client = d.clients[session]
	d.mu.Unlock()
	if by.client != nil && method == "tools/call" {
		if !by.client.begin() {
			leave()
			return ctx, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "too many calls go on at a time: wait until one has ended"}
		}
		ends = append(ends, by.client.end)
	}
	return context.WithValue(ctx, callerKey{}, by), leave, nil
}

var errGone = errors.New("the client is gone")

// do does an operation of the table on behalf of the caller. use is given its result, and
// counts as a part of the operation; what it returns is what do does. It may be nil.
func (d *Door) do(ctx context.Context, name string, in any, use func(ctx context.Context, c *api.Call, out any) error, more ...func(*api.Call)) error {
	o := d.operations[name]
	ctx, seen := observe.Inner(ctx)
	o.Note(seen, func(string) string { return "" }) // it is named when it is done
	key := callerOf(ctx).key
	seen.Tenant, seen.Key = key.Tenant, key.ID
	err := func() error {
		c, err := rest.Permit(ctx, d.cfg, key, o.Scope)
		if err != nil {
			return err
		}
		for _, set := range more {
			set(c)
		}
		out, err := o.Do(ctx, c, in)
		if err == nil && use != nil {
			err = use(ctx, c, out)
		}
		return err
	}()
	seen.Failed(err)
	seen.Status, seen.Took = rest.StatusOf(o, err), time.Since(seen.Began)
	d.cfg.Served(*seen)
	if fault.KindOf(err) == fault.Internal && err != nil {
		return broken{seen.ID}
	}
	return err
}

// get does an operation whose result is a value.
func get[Out any](ctx context.Context, d *Door, name string, in any) (out Out, err error) {
	err = d.do(ctx, name, in, func(_ context.Context, _ *api.Call, v any) error {
		out, _ = v.(Out)
		return nil
	})
	return out, err
}

// broken is something that we broke, which the server's log describes under the id.
type broken struct{ id string }

func (b broken) Error() string {
	return "the server failed; its log says more under " + b.id
}

// worded is what went wrong, for a model: with what to do about it.
func worded(err error) error {
	if b := (broken{}); errors.As(err, &b) {
		return b
	}
	p := rest.ProblemOf(err)
	text := p.Detail
	if p.Remedy != "" {
		text += ". " + p.Remedy
	}
	return errors.New(safetext.Text(text))
}

// add adds a tool: the model reads in words what goes wrong in it.
func add[In, Out any](d *Door, t *mcp.Tool, f func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error)) {
	mcp.AddTool(d.server, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		res, out, err := f(ctx, req, in)
		if err != nil {
			err = worded(err)
		}
		return res, out, err
	})
}

// reads are the annotations of a tool that changes nothing.
func reads(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}
}

// writes are the annotations of a tool that changes something, be it outside of its sandbox.
func writes(title string, outside bool) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: &outside, OpenWorldHint: &outside}
}

// Close ends the sessions of all clients, and waits for what goes on for them.
func (d *Door) Close() error {
	d.mu.Lock()
	d.closed = true
	var all []*mcp.ServerSession
	for s := range d.clients {
		all = append(all, s)
	}
	d.mu.Unlock()
	var failed []error
	for _, s := range all {
		failed = append(failed, s.Close())
	}
	d.work.Wait()
	return errors.Join(failed...)
}
