package guest

import (
	"context"
	"errors"
	"io"

	"praxis/internal/guest/wire"
)

// Conn is a connection to a port of the session's own. Its end is EOF; a checkpoint ends it.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite says that nothing more will be sent.
	CloseWrite() error
}

// Dial says whether something in the session takes connections at a port of its own
// address: an error of the kind Unavailable says that nothing does.
func (c *Client) Dial(ctx context.Context, port int) error {
	_, err := roundTrip[struct{}](ctx, c, "connect to port", wire.OpDial, wire.Dial{Port: port})
	return err
}

// Forward connects to a port of the session's own address. That nothing takes connections
// there is known when the connection is first read.
func (c *Client) Forward(ctx context.Context, port int) (Conn, error) {
	const what = "connect to port"
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return nil, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, wire.OpForward, wire.Dial{Port: port})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &conn{
		next: func() (wire.Frame, error) {
			f, err := k.next(ctx, what)
			switch {
			case errors.Is(err, errLost):
				err = lostFault(what)
			case err != nil:
			case f.Kind == wire.Failure:
				err = c.failure(what, f.Body)
			case f.Kind == wire.Response:
				err = io.EOF
			case f.Kind != wire.Data && f.Kind != wire.End:
				err = c.reject(what, violation("%s for a connection", f.Kind))
			}
			return f, err
		},
		send: func(b []byte) error {
			err := k.send(ctx, what, b)
			if errors.Is(err, errLost) || errors.Is(err, errQuiet) {
				err = lostFault(what)
			}
			return err
		},
		end: func() error { return k.write(ctx, wire.End) },
		cancel: func() {
			cancel()
			k.abandon()
		},
	}, nil
}
