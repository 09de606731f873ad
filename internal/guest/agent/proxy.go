package agent

import (
	"io"
	"net"
	"sync"
	"time"

	"praxis/internal/guest/wire"
)

// proxy takes connections at a port of the sandbox's own machine, which has no
// network, to the host. Nothing of them is looked at here.
type proxy struct {
	s    *server
	l    *net.TCPListener
	port int

	mu    sync.Mutex
	conns map[*net.TCPConn]struct{}
	shut  bool
}

func newProxy(s *server, l *net.TCPListener, port int) *proxy {
	p := &proxy{s: s, l: l, port: port, conns: map[*net.TCPConn]struct{}{}}
	s.wg.Add(1)
	go p.run()
	return p
}

// run accepts connections. One too many is closed.
func (p *proxy) run() {
	defer p.s.wg.Done()
	for {
		conn, err := p.l.AcceptTCP()
		if err != nil {
			p.mu.Lock()
			shut := p.shut
			p.mu.Unlock()
			if shut {
				return
			}
			time.Sleep(acceptPause) // too many files are open
			continue
		}
		if !p.keep(conn) {
			_ = conn.Close()
		}
	}
}

// keep begins to serve a connection.
func (p *proxy) keep(conn *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut || len(p.conns) >= wire.MaxConnect {
		return false
	}
	p.conns[conn] = struct{}{}
	p.s.wg.Add(1)
	go p.serve(conn)
	return true
}

// close ends the listener and every connection.
func (p *proxy) close() {
	_ = p.l.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = true
	for conn := range p.conns {
		_ = conn.Close()
	}
}

// serve carries bytes both ways until the host has done with the connection.
func (p *proxy) serve(conn *net.TCPConn) {
	defer p.s.wg.Done()
	defer func() {
		_ = conn.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, conn)
	}()
	a := p.s.toHost
	r := a.begin(nil, []byte(`{"op":"connect","name":"`+a.name()+`"}`))
	if r == nil {
		return // a checkpoint is taken: connections do not live through it
	}
	up := make(chan struct{})
	go func() {
		defer close(up)
		if _, err := io.Copy(r, onlyReader{conn}); err == nil {
			a.link.send(r.epoch, wire.End, r.id)
		} else if r.gone() == nil {
			a.link.send(r.epoch, wire.Cancel, r.id)
		}
		// What is not read when a connection is closed resets it, and loses
		// what the other side has not read.
		_, _ = io.Copy(io.Discard, conn)
	}()
	if _, err := io.Copy(onlyWriter{conn}, &reader{r: r}); err != nil && r.gone() == nil {
		a.link.send(r.epoch, wire.Cancel, r.id)
	}
	_ = conn.CloseWrite()
	r.waitGone()
	_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
	<-up
}

// lingerTime is how long a connection that the host has done with may still send.
const lingerTime = time.Second

// acceptPause is how long nothing is accepted after that failed.
const acceptPause = 50 * time.Millisecond

// onlyReader and onlyWriter keep io.Copy from asking the connection to copy by
// itself, which would take larger pieces or other system calls.
type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)
