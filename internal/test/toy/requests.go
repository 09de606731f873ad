package toy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// request is one that a toy has open at the host.
type request struct {
	body bytes.Buffer // data, or parts of the response
	done chan reply
}

// reply is what closed a request.
type reply struct {
	text   string
	failed bool
}

// open sends a request to the host.
func (g *guest) open(r wire.GuestRequest) (*request, uint32) {
	g.mu.Lock()
	g.sent++
	id := uint32(wire.GuestBit) | g.sent
	opened := &request{done: make(chan reply, 1)}
	g.requests[id] = opened
	g.mu.Unlock()
	r.Name = fmt.Sprintf("r-%d", id&^wire.GuestBit)
	g.sendJSON(wire.GuestRequestKind, id, r)
	return opened, id
}

// answer takes a frame of a request. It says whether the frame was of one.
func (g *guest) answer(f wire.Frame) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.requests[f.ID]
	if r == nil {
		return false
	}
	switch f.Kind {
	case wire.Part, wire.Data:
		r.body.Write(f.Body)
	case wire.Response, wire.Failure:
		delete(g.requests, f.ID)
		r.done <- reply{r.body.String() + string(f.Body), f.Kind == wire.Failure}
	}
	return true
}

// call calls a tool and prints what it gives.
func (e *execution) call(name, arguments string) {
	body, err := json.Marshal(map[string]any{"do": "call", "tool": name, "arguments": json.RawMessage(arguments), "id": fmt.Sprintf("c-%d-%d", e.id, e.seq)})
	if err != nil {
		e.emit(event.Stderr, err.Error()+"\n")
		return
	}
	r, _ := e.open(wire.GuestRequest{Op: wire.RequestTools, Body: body})
	for e.beside != "" {
		select {
		case answer := <-r.done:
			e.print(answer)
			return
		case <-time.After(20 * time.Millisecond):
			e.emit(event.Stdout, e.beside+"\n")
			e.emit(event.Stderr, e.beside+"\n")
		}
	}
	e.print(<-r.done)
}

// fetch gets a page by plain HTTP through the way out and prints it.
func (e *execution) fetch(url string) {
	r, id := e.open(wire.GuestRequest{Op: wire.RequestConnect})
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	e.send(wire.Data, id, fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", url, host))
	e.print(<-r.done)
}

func (e *execution) print(r reply) {
	to := event.Stdout
	if r.failed {
		to = event.Stderr
	}
	e.emit(to, r.text+"\n")
}
