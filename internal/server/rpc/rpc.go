// Package rpc serves the operations of package api as JSON-RPC 2.0 (jsonrpc.org, 2013): under
// the same names, over HTTP, over WebSocket, and over a pair of streams with one message a
// line, for a program that embeds Praxis and starts it as its child.
//
// Where there is a connection, events of an operation that is asked for them come as
// notifications of the method "event" before the response: {"id", "seq", "event", "data"}. The
// method "cancel" with {"id"} gives up a request: what it waits for is interrupted, and the
// request is answered with what came of it. Content is base64 in the member "data".
package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// The codes of the specification, and ours for a fault.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeFault   = -32000
)

// Bounds of a connection.
const (
	MaxMessage = rest.DefaultBody
	maxBatch   = 100
	maxGoing   = 256 // requests of a connection at a time
)

type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// eventOf is the parameter of the notification of an event.
type eventOf struct {
	ID json.RawMessage `json:"id"`
	live.Entry
}

// content is the result or the parameter of an operation over bytes.
type content struct {
	Type string `json:"type,omitempty"`
	Name string `json:"name,omitempty"`
	Data []byte `json:"data"`
}

// Peer is who sends messages and receives them.
type Peer interface {
	// Receive returns the next message; io.EOF when there are no more.
	Receive(ctx context.Context) ([]byte, error)
	// Send sends a message. It is called by one goroutine at a time.
	Send(ctx context.Context, message []byte) error
}

// Door answers requests.
type Door struct {
	operations map[string]*api.Operation
	// authorize returns the call that the caller may make of an operation.
	authorize func(ctx context.Context, o *api.Operation) (*api.Call, error)
	served    func(observe.Request)
}

// NewDoor returns a door for one caller. served is called for each request that was answered.
func NewDoor(authorize func(ctx context.Context, o *api.Operation) (*api.Call, error), served func(observe.Request)) *Door {
	return &Door{api.Named(), authorize, served}
}

// connection is one peer that is being served.
type connection struct {
	door *Door
	peer Peer
	gone func() // called when nothing can be sent any more

	send sync.Mutex // one message after the other

	mu    sync.Mutex
	going map[string]context.CancelFunc // by the text of their ids
}

// errGone says that a peer is gone: nobody reads what it asked for.
var errGone = errors.New("the peer is gone")

// Serve answers the messages of a peer until there are no more or ctx is over. What still
// goes on then is waited for, and given up if the peer is gone.
func (d *Door) Serve(ctx context.Context, peer Peer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &connection{door: d, peer: peer, gone: stop, going: map[string]context.CancelFunc{}}
	var work sync.WaitGroup
	defer work.Wait()
	free := make(chan struct{}, maxGoing)
	for {
		message, err := peer.Receive(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errGone):
			stop()
			return nil
		case err != nil:
			stop()
			return err
		}
		requests, batch, bad := decode(message)
		if bad != nil {
			c.write(ctx, bad)
			continue
		}
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		work.Go(func() {
			defer func() { <-free }()
			if out := c.answer(ctx, requests, batch); out != nil {
				c.write(ctx, out)
			}
		})
	}
}

// decode reads a message: one request or several. bad is the response to one that cannot be read.
func decode(message []byte) (requests []request, batch bool, bad *response) {
	message = bytes.TrimSpace(message)
	if bytes.HasPrefix(message, []byte("[")) {
		batch = true
		if err := json.Unmarshal(message, &requests); err != nil {
			return nil, true, refused(nil, codeParse, "cannot read the batch: it is no list of requests")
		}
		if len(requests) == 0 || len(requests) > maxBatch {
			return nil, true, refused(nil, codeRequest, fmt.Sprintf("cannot read the batch: it must have 1 to %d requests", maxBatch))
		}
		return requests, true, nil
	}
	var one request
	if err := json.Unmarshal(message, &one); err != nil {
		return nil, false, refused(nil, codeParse, "cannot read the request: it is no object of JSON-RPC")
	}
	return []request{one}, false, nil
}

func refused(id json.RawMessage, code int, message string) *response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return &response{Version: "2.0", ID: id, Error: &failure{Code: code, Message: message}}
}

// answer does what requests ask for and returns what is to be sent, nil for notifications alone.
func (c *connection) answer(ctx context.Context, requests []request, batch bool) any {
	out := make([]*response, 0, len(requests))
	for _, q := range requests {
		r := c.one(ctx, q)
		if q.ID != nil {
			out = append(out, r)
		}
	}
	switch {
	case len(out) == 0:
		return nil
	case batch:
		return out
	}
	return out[0]
}

// one does what one request asks for.
func (c *connection) one(ctx context.Context, q request) *response {
	switch {
	case q.Version != "2.0":
		return refused(q.ID, codeRequest, `cannot read the request: jsonrpc must be "2.0"`)
	case q.ID != nil && !validID(q.ID):
		return refused(nil, codeRequest, "cannot read the request: its id is neither a text nor a number")
	case q.Method == "cancel":
		return c.cancel(q)
	}
	o := c.door.operations[q.Method]
	if o == nil {
		return refused(q.ID, codeMethod, "cannot call "+safetext.Clip(safetext.Line(q.Method), 80)+": there is no such method")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if q.ID != nil {
		if !c.begin(string(q.ID), cancel) {
			return refused(q.ID, codeRequest, "cannot read the request: another with its id goes on")
		}
		defer c.end(string(q.ID))
	}
	ctx, seen := observe.Inner(ctx)
	o.Note(seen, func(name string) string { return member(q.Params, name) })
	result, err := c.do(ctx, o, q)
	seen.Failed(err)
	seen.Status, seen.Took = rest.StatusOf(o, err), time.Since(seen.Began)
	c.door.served(*seen)
	if err != nil {
		return failed(q.ID, seen.ID, err)
	}
	return &response{Version: "2.0", ID: q.ID, Result: result}
}

func validID(id json.RawMessage) bool {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return false
	}
	switch v.(type) {
	case string, float64:
		return len(id) <= 1000
	}
	return false
}

func (c *connection) begin(id string, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.going[id] != nil {
		return false
	}
	c.going[id] = cancel
	return true
}

func (c *connection) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.going, id)
}

// cancel gives up a request.
func (c *connection) cancel(q request) *response {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(q.Params, &p) != nil || p.ID == nil {
		return refused(q.ID, codeParams, "cannot cancel: params must have the id of a request")
	}
	c.mu.Lock()
	cancel := c.going[string(p.ID)]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	return &response{Version: "2.0", ID: q.ID, Result: map[string]bool{"found": cancel != nil}}
}

// do does what an operation is for.
func (c *connection) do(ctx context.Context, o *api.Operation, q request) (any, error) {
	call, err := c.door.authorize(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.Kind == api.Socket {
		return nil, fault.New(fault.Invalid, "Open it as a WebSocket of its own, or start a process with a terminal and follow its events.", "cannot open a terminal here")
	}
	params := q.Params
	if o.Kind == api.Upload {
		var body struct {
			Data []byte `json:"data"`
		}
		if params, err = without(params, "data", &body.Data); err != nil {
			return nil, err
		}
		call.Body = bytes.NewReader(body.Data)
	}
	if o.Kind == api.Events {
		if params, err = without(params, "after", &call.After); err != nil {
			return nil, err
		}
	}
	in := reflect.New(o.In).Interface()
	if err := rest.Decode(params, in); err != nil {
		return nil, err
	}
	out, err := o.Do(ctx, call, in)
	if err != nil {
		return nil, err
	}
	switch v := out.(type) {
	case *api.Stream:
		return c.stream(ctx, q.ID, v)
	case *api.Content:
		var b contentBuffer
		if err := v.Write(&b); err != nil {
			return nil, err
		}
		return content{v.Type, v.Name, b.Bytes()}, nil
	}
	return out, nil
}

// member returns a text that is a member of parameters, or "".
func member(params json.RawMessage, name string) (text string) {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members[name], &text) != nil {
		return "" // what is wrong with them is said where they are decoded
	}
	return text
}

// without takes a member that is not of a request out of its parameters.
func without(params json.RawMessage, name string, into any) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(params) == 0 {
		return params, nil
	}
	if err := json.Unmarshal(params, &members); err != nil {
		return nil, fault.New(fault.Invalid, "Send an object.", "cannot read the parameters: they are no object")
	}
	raw, there := members[name]
	if !there {
		return params, nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, fault.New(fault.Invalid, "Look at its type.", "cannot read %s", name)
	}
	delete(members, name)
	return json.Marshal(members)
}

// contentBuffer is a buffer with as much as a message may hold.
type contentBuffer struct{ bytes.Buffer }

// Write adds a piece.
func (b *contentBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > MaxMessage/2 {
		return 0, fault.New(fault.Exhausted, "Read it over HTTP.", "cannot send the content: it has more than %s", safetext.Size(MaxMessage/2))
	}
	return b.Buffer.Write(p)
}

// stream sends the events of a log and returns what the whole came to. When the request is
// given up before, what it follows is interrupted if it was begun by it, and what came of it
// is the result all the same.
func (c *connection) stream(ctx context.Context, id json.RawMessage, s *api.Stream) (any, error) {
	err := s.Log.Read(ctx, s.After, live.Reader{
		Entry: func(e live.Entry) error { return c.write(ctx, notification{"2.0", "event", eventOf{id, e}}) },
		Lost: func(n int64) error {
			return c.write(ctx, notification{"2.0", "lost", map[string]any{"id": id, "events": n}})
		},
	})
	if err != nil && s.Leave != nil {
		s.Leave()
	} else if err != nil {
		return nil, fault.New(fault.Canceled, "", "cannot follow any longer: %w", err)
	}
	return s.Final(), nil
}

// write sends one message.
func (c *connection) write(ctx context.Context, v any) error {
	message, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.send.Lock()
	defer c.send.Unlock()
	if err := c.peer.Send(context.WithoutCancel(ctx), message); err != nil {
		c.gone()
		return err
	}
	return nil
}

// failed is the response that says what went wrong.
func failed(id json.RawMessage, request string, err error) *response {
	p := rest.ProblemOf(err)
	p.Request = request
	code := codeFault
	if p.Kind == fault.Invalid {
		code = codeParams
	}
	return &response{Version: "2.0", ID: id, Error: &failure{Code: code, Message: p.Detail, Data: p}}
}
