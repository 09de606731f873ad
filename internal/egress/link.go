package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"praxis/event"
)

// link is a connection to a host. It counts its bytes, and its end is an event.
type link struct {
	net.Conn
	p      *Proxy
	g      *guest // that it was made for
	id     string
	t      target
	addr   netip.Addr
	opened time.Time

	sent, received     atomic.Int64
	requests, injected atomic.Int64
	eof                atomic.Bool // the host closed it
	done               atomic.Bool // the code closed it before
	raw                atomic.Bool // any bytes pass
	protocol           atomic.Pointer[string]
	once               sync.Once
}

var errBound = errors.New("the bound of bytes is met")

func (l *link) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if n > 0 {
		l.g.touch()
	}
	if most, total := l.p.limits.ReceivedBytes, l.received.Add(int64(n)); most > 0 && total > most {
		l.g.end(fmt.Sprintf("the bound of %d bytes from the host is met", most))
		return 0, errBound
	}
	if errors.Is(err, io.EOF) {
		l.eof.Store(true)
	}
	return n, err
}

func (l *link) Write(b []byte) (int, error) {
	if most := l.p.limits.SentBytes; most > 0 && l.sent.Load()+int64(len(b)) > most {
		l.g.end(fmt.Sprintf("the bound of %d bytes to the host is met", most))
		return 0, errBound
	}
	n, err := l.Conn.Write(b)
	if n > 0 {
		l.g.touch()
		l.sent.Add(int64(n))
	}
	return n, err
}

// Close ends the link with the reason that is at hand.
func (l *link) Close() error {
	l.end("")
	return nil
}

// end closes the link and reports it. The first reason counts.
func (l *link) end(reason string) {
	l.once.Do(func() {
		_ = l.Conn.Close()
		if reason == "" {
			reason = l.g.ended()
		}
		switch {
		case reason != "":
		case l.done.Load():
			reason = "the code closed it"
		case l.eof.Load():
			reason = "the host closed it"
		default:
			reason = "the code is done with it"
		}
		e := event.ConnectionClosed{
			ID: l.id, Sent: l.sent.Load(), Received: l.received.Load(),
			Requests: int(l.requests.Load()), Injected: int(l.injected.Load()),
			Took: event.Duration(l.p.now().Sub(l.opened)), Reason: printable(reason),
		}
		if p := l.protocol.Load(); p != nil {
			e.Protocol = *p
		}
		l.p.unlink(l, e)
	})
}

// speaks notes the protocol.
func (l *link) speaks(protocol string) { l.protocol.CompareAndSwap(nil, &protocol) }

// ahead is a link whose host may speak first: it is known when it did.
type ahead struct {
	*link
	br    *bufio.Reader
	first chan struct{} // closed when the host said something, or ended
}

func newAhead(l *link) *ahead {
	a := &ahead{link: l, br: bufio.NewReader(l), first: make(chan struct{})}
	go func() {
		defer close(a.first)
		_, _ = a.br.Peek(1) // an error comes again at the next reading
	}()
	return a
}

func (a *ahead) Read(b []byte) (int, error) {
	<-a.first
	return a.br.Read(b)
}

// splice passes bytes both ways until both ends are done. up is what the code
// says; it may wait first.
func splice(g *guest, up io.Reader, host net.Conn, l *link) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := io.Copy(host, up)
		l.done.Store(!l.eof.Load())
		if err != nil || !closeWrite(l.Conn) {
			l.end("")
		}
	}()
	_, err := io.Copy(g, host)
	if err != nil || !l.eof.Load() || !g.closeWrite() {
		l.end("")
		_ = g.Close()
	}
	<-done
	l.end("")
}
