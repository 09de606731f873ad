package egress

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// guest is the code's end of a connection. It is a net.Conn for those that want
// one; time-outs close it as a whole, because what it is made of has none.
type guest struct {
	rwc    io.ReadWriteCloser
	br     *bufio.Reader // all reading goes through it
	cancel context.CancelFunc

	last   atomic.Pointer[time.Time] // a byte moved, in whichever direction
	reason atomic.Pointer[string]    // why we ended it
	once   sync.Once
}

func newGuest(rwc io.ReadWriteCloser, size int, cancel context.CancelFunc) *guest {
	g := &guest{rwc: rwc, cancel: cancel}
	g.br = bufio.NewReaderSize(source{g}, size)
	g.touch()
	return g
}

// source reads what lies under a guest's buffer.
type source struct{ g *guest }

func (s source) Read(b []byte) (int, error) {
	n, err := s.g.rwc.Read(b)
	if n > 0 {
		s.g.touch()
	}
	return n, err
}

func (g *guest) touch() {
	now := time.Now()
	g.last.Store(&now)
}

// watch ends g when no byte moved for so long. The returned function stops that.
func (g *guest) watch(idle time.Duration) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		left := idle - time.Since(*g.last.Load())
		if timer == nil { // stopped
			return
		}
		if left <= 0 {
			g.end("no byte moved for " + idle.String())
			return
		}
		timer.Reset(left)
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(idle, check)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
		timer = nil
	}
}

// within ends g unless the returned function is called in time.
func (g *guest) within(d time.Duration, what string) (stop func()) {
	timer := time.AfterFunc(d, func() { g.end(what + " took longer than " + d.String()) })
	return func() { timer.Stop() }
}

// end closes g and says why. The first reason counts.
func (g *guest) end(reason string) {
	g.reason.CompareAndSwap(nil, &reason)
	_ = g.Close()
}

// ended returns why we ended g, or "".
func (g *guest) ended() string {
	if r := g.reason.Load(); r != nil {
		return *r
	}
	return ""
}

func (g *guest) Read(b []byte) (int, error) { return g.br.Read(b) }

func (g *guest) Write(b []byte) (int, error) {
	n, err := g.rwc.Write(b)
	if n > 0 {
		g.touch()
	}
	return n, err
}

func (g *guest) Close() (err error) {
	g.once.Do(func() {
		g.cancel()
		err = g.rwc.Close()
	})
	return err
}

// closeWrite says that nothing more comes; ok is false when that cannot be said
// without closing the whole.
func (g *guest) closeWrite() (ok bool) { return closeWrite(g.rwc) }

func closeWrite(c any) bool {
	half, ok := c.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

func (g *guest) LocalAddr() net.Addr              { return nowhere() }
func (g *guest) RemoteAddr() net.Addr             { return nowhere() }
func (g *guest) SetDeadline(time.Time) error      { return nil }
func (g *guest) SetReadDeadline(time.Time) error  { return nil }
func (g *guest) SetWriteDeadline(time.Time) error { return nil }

func nowhere() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
}
