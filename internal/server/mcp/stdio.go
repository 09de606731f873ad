package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/internal/bounded"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// Local is the door for one program that starts Praxis as its child: it may do everything with
// the data of the default tenant.
type Local struct {
	// Session is the session that the client works in; "": one of its own, which goes with it.
	Session string
	// Folders are those of this machine whose files may be read into sessions.
	Folders []string
	// Server, Tenant and Served are as those of rest.Config.
	Server *api.Server
	Tenant func(ctx context.Context, name string) (*api.Tenant, error)
	Served func(observe.Request)
}

// LocalKey stands for the program's own caller, who has none: it may do everything with the data
// of the default tenant.
func LocalKey() access.Key {
	return access.Key{ID: "local", Tenant: access.DefaultTenant, Scopes: []access.Scope{access.Admin}}
}

// NewLocal returns the door for the program's own caller.
func NewLocal(l Local) (*Door, error) {
	folders, err := absolute(l.Folders)
	if err != nil {
		return nil, err
	}
	l.Folders = folders
	return newDoor(rest.Config{Server: l.Server, Tenant: l.Tenant, Served: l.Served}, &l), nil
}

// Serve answers the messages of a client, one a line, until there are no more or ctx is over.
func (d *Door) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := newLines(in, out)
	session, err := d.server.Connect(ctx, lines, nil)
	if err != nil {
		return errors.Join(err, lines.Close())
	}
	if err := d.join(session, LocalKey()); err != nil {
		return errors.Join(err, session.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	_ = session.Wait() // what ended it is below
	return errors.Join(lines.failure(), d.Close())
}

// lines is a connection over two streams, with a message a line. What is no message is answered
// with an error, and the connection goes on.
type lines struct {
	in       *bufio.Reader
	received chan received
	closed   chan struct{}

	send sync.Mutex // one message after the other
	out  io.Writer

	mu     sync.Mutex
	failed error
	once   sync.Once
}

// received is a line, or why there are no more.
type received struct {
	line []byte
	err  error
}

var _ mcp.Connection = (*lines)(nil)

// newLines returns the connection that reads from in and writes to out.
func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out, received: make(chan received), closed: make(chan struct{})}
}

// Connect begins to read.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go func() { // ends with the input, or with the process: a read of a pipe cannot be given up
		for {
			line, err := bounded.ReadLine(l.in, maxMessage)
			last := received{line, err}
			if errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0 { // the last may have no end
				last.err = nil
			}
			select {
			case l.received <- last:
			case <-l.closed:
				return
			}
			if last.err != nil {
				return
			}
		}
	}()
	return l, nil
}

// refusal answers what is no message. The SDK writes no id where there is none.
const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read the message: it is no object of JSON-RPC 2.0"}}`

// Read returns the next message; io.EOF when there are no more.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var next received
		select {
		case next = <-l.received:
		case <-l.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if next.err != nil {
			if !errors.Is(next.err, io.EOF) {
				l.fail(next.err)
			}
			return nil, io.EOF
		}
		if len(bytes.TrimSpace(next.line)) == 0 {
			continue
		}
		message, err := jsonrpc.DecodeMessage(next.line)
		if err == nil {
			return message, nil
		}
		if err := l.write([]byte(refusal)); err != nil {
			return nil, err
		}
	}
}

// Write sends a message.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return l.write(data)
}

// write sends a line.
func (l *lines) write(data []byte) error {
	l.send.Lock()
	defer l.send.Unlock()
	if _, err := l.out.Write(append(data, '\n')); err != nil {
		l.fail(err)
		_ = l.Close() // nobody reads what else there would be to say
		return err
	}
	return nil
}

// fail notes why the connection ended, if it was not its client that ended it.
func (l *lines) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
}

func (l *lines) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Close ends the connection.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID returns nothing: there is one session.
func (l *lines) SessionID() string { return "" }
