package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/server/api"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// sendFor is how long a peer may take to read a message.
const sendFor = 30 * time.Second

// Lines is a peer at the other end of two streams, which sends one message a line.
type Lines struct {
	in  *bufio.Reader
	out io.Writer
}

// NewLines returns the peer that writes to in and reads from out.
func NewLines(in io.Reader, out io.Writer) *Lines {
	return &Lines{bufio.NewReaderSize(in, 64<<10), out}
}

var errLong = errors.New("a message is longer than it may be")

// Receive returns the next line that is not empty.
func (l *Lines) Receive(context.Context) ([]byte, error) {
	for {
		line, err := bounded.ReadLine(l.in, MaxMessage)
		switch line = bytes.TrimSpace(line); {
		case len(line) > 0 && (err == nil || errors.Is(err, io.EOF)): // the last may have no end
			return line, nil
		case errors.As(err, new(*bounded.TooLong)):
			return nil, errLong
		case err != nil:
			return nil, err
		}
	}
}

// Send writes a line.
func (l *Lines) Send(_ context.Context, message []byte) error {
	_, err := l.out.Write(append(message, '\n'))
	return err
}

// socket is a peer at the other end of a WebSocket.
type socket struct {
	conn   *websocket.Conn
	bodies *rest.Bodies
}

// Receive returns the next message.
func (s socket) Receive(ctx context.Context) ([]byte, error) {
	var message []byte
	_, from, err := s.conn.Reader(ctx)
	if err == nil {
		var free func()
		message, free, err = s.bodies.Read(from)
		free() // it is decoded at once, and one message of a connection is read at a time
	}
	if websocket.CloseStatus(err) != -1 || errors.Is(err, io.EOF) {
		err = errGone
	}
	return message, err
}

// Send sends a message.
func (s socket) Send(ctx context.Context, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendFor)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, message)
}

// New returns the handler of JSON-RPC over HTTP (POST) and over WebSocket.
func New(cfg rest.Config) http.Handler {
	table := api.Named()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := rest.KeyOf(r)
		d := &Door{table, func(ctx context.Context, o *api.Operation) (*api.Call, error) {
			return rest.Authorize(ctx, cfg, key, o.Scope)
		}, cfg.Served}
		// Who has no key learns nothing of methods, and keeps no connection.
		if _, err := rest.Identify(r.Context(), cfg, key); err != nil {
			observe.From(r.Context()).Failed(err)
			rest.Fail(w, r, err)
			return
		}
		switch {
		case r.Method == http.MethodPost:
			post(w, r, d, cfg.Bodies)
		case r.Method == http.MethodGet:
			conn, err := websocket.Accept(w, r, nil) // it refuses pages of other origins
			if err != nil {
				return // it has answered
			}
			conn.SetReadLimit(MaxMessage)
			defer conn.CloseNow()
			if d.Serve(r.Context(), socket{conn, cfg.Bodies}) == nil {
				_ = conn.Close(websocket.StatusNormalClosure, "") // the peer may be gone
			}
		default:
			w.Header().Set("Allow", "GET, POST")
			http.Error(w, "send a request by POST, or open a WebSocket", http.StatusMethodNotAllowed)
		}
	})
}

// post answers one message. There is no connection for events: what an operation would send
// as events is left out, and its result is what the whole came to.
func post(w http.ResponseWriter, r *http.Request, d *Door, bodies *rest.Bodies) {
	message, free, err := bodies.Read(http.MaxBytesReader(w, r.Body, MaxMessage))
	if fault.KindOf(err) == fault.Unavailable {
		free()
		rest.Fail(w, r, err)
		return
	}
	requests, batch, bad := decode(message)
	free()
	var out any
	switch {
	case err != nil:
		out = refused(nil, codeParse, "cannot read the request: it is too long, or did not arrive")
	case bad != nil:
		out = bad
	default:
		c := &connection{door: d, peer: silent{}, gone: func() {}, going: map[string]context.CancelFunc{}}
		out = c.answer(r.Context(), requests, batch)
	}
	if out == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	data, err := json.Marshal(out)
	if err != nil {
		http.Error(w, "the server failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	rest.Deadline(w)
	_, _ = w.Write(append(data, '\n')) // that the client is gone is its own affair
}

// silent is a peer that no notification reaches.
type silent struct{}

// Receive says that there are no messages.
func (silent) Receive(context.Context) ([]byte, error) { return nil, io.EOF }

// Send drops a message.
func (silent) Send(context.Context, []byte) error { return nil }
