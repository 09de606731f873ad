package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/bounded"
)

const (
	// stopGrace is how long a server may take to end when its input ends.
	stopGrace = 2 * time.Second
	// lastWords is how long standard error may go on after standard output ended.
	lastWords = 5 * time.Second
	// tailBytes is how much of standard error is stored.
	tailBytes = 8 << 10
)

// pipeConn is the connection to a process: a message a line, each way.
type pipeConn struct {
	proc Process
	in   *inbound
	fail func(error) // receives the reason when the connection breaks
	errs *tail
	said chan struct{} // standard error ended

	incoming chan jsonrpc.Message
	outgoing chan outgoing
	closed   chan struct{}
	once     sync.Once
	readers  sync.WaitGroup
	grace    time.Duration
}

type outgoing struct {
	data []byte
	done chan error // buffers one error
}

var (
	_ sdk.Connection = (*pipeConn)(nil)
	_ sdk.Transport  = (*pipeConn)(nil)
)

func newPipeConn(p Process, in *inbound, fail func(error)) *pipeConn {
	c := &pipeConn{
		proc: p, in: in, fail: fail, errs: &tail{}, grace: stopGrace,
		incoming: make(chan jsonrpc.Message), outgoing: make(chan outgoing), closed: make(chan struct{}),
		said: make(chan struct{}),
	}
	c.readers.Add(2)
	go func() { defer c.readers.Done(); c.readLines() }()
	go func() { defer c.readers.Done(); c.writeLines() }()
	stderr := p.Stderr()
	if stderr == nil {
		close(c.said)
		return c
	}
	c.readers.Add(1)
	go func() {
		defer c.readers.Done()
		defer close(c.said)
		defer stderr.Close()
		_, _ = io.Copy(c.errs, stderr)
	}()
	return c
}

// Connect is the connection's own transport.
func (c *pipeConn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID is empty: a process is one session.
func (c *pipeConn) SessionID() string { return "" }

// Read returns the next message.
func (c *pipeConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-c.incoming:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends a message. A server that does not read holds up the others that
// write, each as long as its context lasts.
func (c *pipeConn) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if req, ok := m.(*jsonrpc.Request); ok && req.IsCall() {
		c.in.await()
	}
	o := outgoing{append(data, '\n'), make(chan error, 1)}
	select {
	case c.outgoing <- o:
	case <-c.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-c.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err() // it is still written whole
	}
}

// Close ends the process.
func (c *pipeConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.proc.Stop(c.grace)
	})
	c.readers.Wait()
	return nil
}

// kill ends the process at once.
func (c *pipeConn) kill() {
	c.once.Do(func() {
		close(c.closed)
		c.proc.Stop(0)
	})
}

func (c *pipeConn) writeLines() {
	for {
		select {
		case o := <-c.outgoing:
			_, err := c.proc.Stdin().Write(o.data)
			o.done <- err
			if err != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

func (c *pipeConn) readLines() {
	defer close(c.incoming)
	stdout := c.proc.Stdout()
	defer stdout.Close()
	r := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := bounded.ReadLine(r, maxMessage)
		if err == nil || len(line) > 0 {
			var messages [][]byte
			var broken error
			if messages, broken = c.in.batch(line); broken != nil {
				c.fail(broken)
				return
			}
			for _, data := range messages {
				if m, err := jsonrpc.DecodeMessage(data); err == nil && !c.deliver(m) {
					return
				}
			}
		}
		switch {
		case err == nil:
		case errors.As(err, new(*bounded.TooLong)):
			c.fail(tooLong())
			return
		default:
			c.awaitStderr()
			c.fail(fault.New(fault.Unavailable, "", "the server ended"))
			return
		}
	}
}

// awaitStderr waits for what a server that ended has written about its end.
func (c *pipeConn) awaitStderr() {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-c.said:
	case <-c.closed:
	case <-timer.C:
	}
}

func (c *pipeConn) deliver(m jsonrpc.Message) bool {
	select {
	case c.incoming <- m:
		return true
	case <-c.closed:
		return false
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-tailBytes):]...)
	if over := len(t.data) - tailBytes; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.data))
}
