package agent

import (
	"io"
	"net"
	"strconv"
	"time"

	"praxis/internal/guest/wire"
)

// dialTime is how long a port of the sandbox's own may take to accept a connection.
const dialTime = 5 * time.Second

// dial says whether somebody takes connections at a port.
func (s *server) dial(_ *request, args wire.Dial) (none, error) {
	conn, err := dialPort(args.Port)
	if err == nil {
		_ = conn.Close()
	}
	return none{}, err
}

// dialPort connects to a port of the sandbox's own address.
func dialPort(port int) (*net.TCPConn, error) {
	if port < 1 || port > 65535 {
		return nil, failf("invalid", "Use a port from 1 to 65535.", "cannot connect: the port is out of range")
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(port)), dialTime)
		if err == nil {
			return conn.(*net.TCPConn), nil
		}
	}
	return nil, failf("unavailable", "Start a server that listens at the port.", "nobody takes connections at port %d", port)
}

// forward carries bytes between the host and a port of the sandbox's own address, until both
// sides have ended or the host gives it up. The port of the way to the network is not one of
// the session's: whoever reaches it would use the network in the session's name.
func (s *server) forward(req *request, args wire.Dial) (none, error) {
	s.mu.Lock()
	own := s.proxy != nil && s.proxy.port == args.Port
	s.mu.Unlock()
	if own {
		return none{}, failf("denied", "Use a port that a program of the session listens at.", "cannot connect to port %d: it is the session's way to the network", args.Port)
	}
	conn, err := dialPort(args.Port)
	if err != nil {
		return none{}, err
	}
	defer conn.Close()
	if err := req.listen(func() {
		if req.gone() != nil {
			_ = conn.Close() // so that neither way waits any more
		}
	}); err != nil {
		return none{}, err
	}
	sent := make(chan struct{})
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		defer close(sent)
		if _, err := io.Copy(onlyWriter{conn}, &reader{r: req}); err == nil {
			_ = conn.CloseWrite()
		}
	}()
	_, err = io.Copy(req, onlyReader{conn})
	if err != nil {
		// A reset ends it both ways, and so does a host that is gone.
		req.end(errForgot)
		<-sent
		if req.gone() == errCanceled {
			return none{}, errCanceled
		}
		return none{}, failf("unavailable", "", "the connection was reset")
	}
	req.link.send(req.epoch, wire.End, req.id)
	<-sent
	return none{}, req.gone()
}
