package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/rest"
)

// Times and bounds of following.
const (
	lingerFor  = 60 * time.Second // how long the server waits for a connection that was lost
	silentFor  = 40 * time.Second // the server says something every ten seconds
	firstWait  = 100 * time.Millisecond
	longWait   = 5 * time.Second
	cancelFor  = 30 * time.Second // how long the end of what was given up may take
	maxMessage = 64 << 20
)

// work names the operations over something that goes on at the server.
type work struct {
	events, interrupt string
	ref               any        // names it in the requests of both
	open              *questions // about calls of it that wait for somebody; nil: nobody is asked
}

// follow passes the events of something to sink until it has ended, and returns what it came
// to. When ctx ends, the server is asked to interrupt it, and its end is waited for.
func follow[Out any](ctx context.Context, c *Client, w work, sink event.Sink) (out Out, err error) {
	reading, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	interrupted := make(chan struct{})
	leaving := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		brief, end := context.WithTimeout(context.WithoutCancel(ctx), cancelFor)
		defer end()
		if _, err := call[json.RawMessage](brief, c, w.interrupt, w.ref); err != nil {
			stop(context.Cause(ctx)) // the gentle way is closed
		}
		// It has ended; the events up to that are on their way, or will not come any more.
		time.AfterFunc(cancelFor, func() { stop(context.Cause(ctx)) })
	})
	defer func() {
		if !leaving() {
			<-interrupted
		}
	}()
	f := &following{client: c, work: w, sink: sink, alive: time.Now()}
	if w.open != nil {
		f.ask = func(question []byte) { w.open.ask(ctx, question) }
		defer func() { err = errors.Join(err, w.open.close()) }()
	}
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		was := f.alive
		end, err := f.read(reading)
		switch {
		case end != nil:
			if err := json.Unmarshal(end, &out); err != nil {
				return out, fault.New(fault.Unavailable, "The server may be of another version.", "cannot read what came of it: %s", safetext.OneLine(err.Error(), 300))
			}
			return out, nil
		case reading.Err() != nil:
			return out, context.Cause(reading)
		case !passing(err):
			return out, err
		case f.alive.After(was):
			wait = firstWait
		case time.Since(f.alive) > lingerFor:
			return out, fmt.Errorf("the connection was lost, and cannot be made again: %w", err)
		}
		select {
		case <-time.After(wait):
		case <-reading.Done():
		}
	}
}

// following is where a reader of events stands.
type following struct {
	client *Client
	work   work
	sink   event.Sink
	after  int64                 // the last event that was seen
	alive  time.Time             // when something came last
	noted  bool                  // that there are events that cannot be read
	ask    func(question []byte) // nil: nobody is asked
}

// passing says whether it may go well later.
func passing(err error) bool {
	if errors.As(err, new(unreachable)) {
		return true
	}
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Exhausted
}

// errSilent is why a connection is given up that nothing comes from.
var errSilent = errors.New("nothing came for a while")

// read reads events from one connection. end is what it came to; nil: the connection was lost.
func (f *following) read(ctx context.Context) (end []byte, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(silentFor, func() { stop(errSilent) })
	defer silence.Stop()
	r, err := f.client.request(ctx, f.client.operations[f.work.events], f.work.ref, nil, f.after)
	if err != nil {
		return nil, err
	}
	res, err := f.client.send(r)
	if errors.Is(err, errSilent) {
		err = unreachable{fault.New(fault.Unavailable, "Check the network.", "cannot follow: %w", err)}
	}
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	messages := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		m, err := readMessage(messages)
		if errors.Is(err, errTooLong) {
			return nil, err
		}
		if err != nil {
			return nil, unreachable{fault.New(fault.Unavailable, "Check the network.", "cannot follow: %w", err)}
		}
		silence.Reset(silentFor)
		f.alive = time.Now()
		if m.name == "end" {
			return m.data, nil
		}
		f.take(m)
	}
}

// take passes one message on.
func (f *following) take(m message) {
	switch {
	case m.name == "":
		return // the server says that it is still there
	case m.name == "lost":
		var gap rest.Lost
		_ = json.Unmarshal(m.data, &gap) // without the number it is said all the same
		text := "events are missing here: the server was started anew, and the record of the run has them"
		if gap.Events > 0 {
			text = fmt.Sprintf("%d events are missing here: the server keeps the last of them alone", gap.Events)
		}
		f.sink.Emit(event.Notice{Text: text})
		return
	case m.id <= f.after:
		return // it was seen
	}
	f.after = m.id
	if m.name == api.ApprovalOpen {
		if f.ask != nil {
			f.ask(m.data)
		}
		return
	}
	e, err := event.Unmarshal(m.name, m.data)
	switch {
	case err == nil:
		if given, is := e.(event.ApprovalGiven); is && f.ask != nil {
			f.work.open.decided(given)
		}
		f.sink.Emit(e)
	case !f.noted:
		f.noted = true
		f.sink.Emit(event.Notice{Text: "the server sends events that this version cannot read: " + safetext.OneLine(err.Error(), 200)})
	}
}

// message is one of server-sent events (the HTML standard, 9.2). One without a name is a
// comment.
type message struct {
	id   int64
	name string
	data []byte
}

var errTooLong = fault.New(fault.Exhausted, "Look at the run when it has ended.", "cannot follow: an event has more than %s", safetext.Size(maxMessage))

// readMessage reads the lines up to an empty one. What ends before is an error, so that no
// part of an event is taken for the whole.
func readMessage(from *bufio.Reader) (m message, err error) {
	size := 0
	for {
		line, err := bounded.ReadLine(from, maxMessage-size)
		switch {
		case errors.As(err, new(*bounded.TooLong)):
			return m, errTooLong
		case errors.Is(err, io.EOF):
			return m, io.ErrUnexpectedEOF
		case err != nil:
			return m, err
		case len(line) == 0:
			return m, nil
		}
		size += len(line)
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			if m.id, err = strconv.ParseInt(string(value), 10, 64); err != nil || m.id < 0 {
				return m, errors.New("an event has no number")
			}
		case "event":
			m.name = string(value)
		case "data":
			if m.data != nil {
				m.data = append(m.data, '\n')
			}
			m.data = append(m.data, value...)
		}
	}
}
