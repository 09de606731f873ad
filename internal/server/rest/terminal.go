package rest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
)

// Bounds of a terminal's connection.
const (
	maxTyped  = 64 << 10         // bytes of a message
	pingEvery = 30 * time.Second // so that a client that is gone is noticed
)

// control is a text message of a client: what it wants besides typing. One of its fields is set.
type control struct {
	Resize *app.TerminalSize `json:"resize,omitempty"`
	Signal int               `json:"signal,omitempty"`
}

// decodeControl reads a text message.
func decodeControl(message []byte) (control, error) {
	var c control
	if err := Decode(message, &c); err != nil {
		return c, err
	}
	if (c.Resize == nil) == (c.Signal == 0) {
		return c, fault.New(fault.Invalid, `Send {"resize":{"rows":24,"cols":80}} or {"signal":2}; bytes to be typed go as binary messages.`, "cannot read the message: it must have either resize or signal")
	}
	return c, nil
}

// terminal carries a terminal over a WebSocket. Pages of other origins are refused.
func (d *door) terminal(w http.ResponseWriter, r *http.Request, t *api.Terminal) error {
	defer t.Leave()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return nil // it has answered
	}
	var work sync.WaitGroup
	defer work.Wait()
	defer conn.CloseNow()
	conn.SetReadLimit(maxTyped)
	// What is being sent or received when its context ends takes the connection with it, and
	// the reason could not be sent: only waiting is ended by ctx.
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	typed := make(chan error, 1)
	work.Go(func() {
		defer stop()
		typed <- typeIn(ctx, func() (websocket.MessageType, []byte, error) { return conn.Read(r.Context()) }, t.Process)
	})
	work.Go(func() {
		defer stop()
		ping(ctx, r.Context(), conn)
	})
	if err = show(ctx, r.Context(), conn, t); err == nil {
		_ = conn.Close(websocket.StatusNormalClosure, "") // the client may be gone
		return nil
	}
	select {
	case err := <-typed: // why it is over, if it is the client's doing
		if f := fault.Of(err); err != nil && f.Kind != fault.Internal && f.Kind != fault.Canceled {
			_ = conn.Close(websocket.StatusPolicyViolation, reason(f.Message))
		}
	default:
	}
	return nil
}

// reason fits a message in a frame that closes.
func reason(message string) string { return safetext.Clip(message, 120) }

// typeIn gives what the client sends to the process, until the client is gone.
func typeIn(ctx context.Context, read func() (websocket.MessageType, []byte, error), p *live.Process) error {
	for {
		kind, message, err := read()
		if err != nil {
			return err
		}
		if kind == websocket.MessageBinary {
			err = p.Input(ctx, message)
		} else {
			var c control
			if c, err = decodeControl(message); err == nil && c.Resize != nil {
				err = p.Resize(ctx, *c.Resize)
			} else if err == nil {
				err = p.Signal(ctx, c.Signal)
			}
		}
		if p.Ended() {
			continue // what it showed last is still on its way
		}
		if err != nil {
			return err
		}
	}
}

// ping asks the client again and again whether it is there, and returns when it is not.
func ping(ctx, sending context.Context, conn *websocket.Conn) {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		brief, cancel := context.WithTimeout(sending, writeFor)
		err := conn.Ping(brief)
		cancel()
		if err != nil {
			return
		}
	}
}

// show sends what the process shows, until it has ended.
func show(ctx, sending context.Context, conn *websocket.Conn, t *api.Terminal) error {
	send := func(kind websocket.MessageType, message []byte) error {
		brief, cancel := context.WithTimeout(sending, writeFor)
		defer cancel()
		return conn.Write(brief, kind, message)
	}
	say := func(v any) error {
		message, err := event.Encode(v)
		if err != nil {
			return err
		}
		return send(websocket.MessageText, message)
	}
	if err := say(map[string]any{"event": "started", "process": t.Final()}); err != nil {
		return err
	}
	err := t.Process.Log.Read(ctx, t.After, live.Reader{
		Entry: func(e live.Entry) error {
			o, err := live.DecodeOutput(e.Data)
			if err != nil || e.Name != live.OutputEvent {
				return errors.Join(err, errors.New("cannot show what is no output"))
			}
			return send(websocket.MessageBinary, o.Bytes())
		},
		Lost: func(n int64) error { return say(map[string]any{"event": "lost", "events": n}) },
	})
	if err != nil {
		return err
	}
	<-t.Process.Done()
	return say(map[string]any{"event": "end", "process": t.Final()})
}
