package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// side is one HTTP conversation with the code: at the proxy itself, or in a
// tunnel, whose target is then the only one.
type side struct {
	p      *Proxy
	g      *guest
	br     *bufio.Reader
	w      io.Writer
	via    string
	tunnel *tunnelled // nil: the proxy itself is spoken to
	secure bool       // TLS is spoken on both sides, and read here

	transport *http.Transport
	sending   *inbound // the last body that was sent on

	mu       sync.Mutex
	watching chan struct{} // closed when nobody reads ahead; nil: nobody did
}

// tunnelled is a link that was opened before the first request.
type tunnelled struct {
	l    *link
	host net.Conn // the link, as it is read
}

func newSide(p *Proxy, g *guest, tunnel *tunnelled, via string) *side {
	return &side{p: p, g: g, br: g.br, w: g, via: via, tunnel: tunnel}
}

// ahead says that somebody reads ahead until he closes the channel.
func (s *side) ahead() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watching = make(chan struct{})
	return s.watching
}

// alone waits until nobody reads ahead.
func (s *side) alone() {
	s.mu.Lock()
	watching := s.watching
	s.mu.Unlock()
	if watching != nil {
		<-watching
	}
}

// serveProxy serves a connection that speaks HTTP to the proxy itself.
func (p *Proxy) serveProxy(ctx context.Context, g *guest) {
	newSide(p, g, nil, viaHTTP).serve(ctx)
}

// terminate serves a tunnel to a host with credentials: TLS ends here, and
// begins anew towards the host, whose certificate is verified.
func (p *Proxy) terminate(ctx context.Context, g *guest, tunnel *tunnelled, via string) {
	t := tunnel.l.t
	conn := tls.Server(g, &tls.Config{
		MinVersion:             tls.VersionTLS12,
		NextProtos:             []string{"http/1.1"},
		SessionTicketsDisabled: true,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return p.ca.leaf(t, time.Now())
		},
	})
	stop := g.within(p.limits.Head, "the TLS handshake")
	err := conn.HandshakeContext(ctx)
	stop()
	if err != nil {
		reason := "the code does not accept the certificate of the proxy"
		if g.ended() == "" {
			p.report.refused(refuse(malformed, t, "Let the code trust the certificates in SSL_CERT_FILE: the proxy must read what goes to a host with credentials.", "the TLS handshake failed: %s", reason), via)
		}
		tunnel.l.end(reason)
		return
	}
	s := newSide(p, g, tunnel, via)
	s.br, s.w, s.secure = bufio.NewReaderSize(conn, p.limits.HeadBytes), conn, true
	s.serve(ctx)
	_ = conn.Close()
}

// serve answers requests, one at a time, until the connection is done.
func (s *side) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	s.transport = s.newTransport(ctx)
	defer func() {
		cancel()
		_ = s.g.Close()
		if s.sending != nil {
			<-s.sending.closed
		}
		s.alone()
		s.transport.CloseIdleConnections()
		if s.tunnel != nil {
			s.tunnel.l.end("")
		}
	}()
	for s.next(ctx) {
	}
}

// next serves one request and says whether another may come.
func (s *side) next(ctx context.Context) bool {
	s.alone()
	if _, err := s.br.Peek(1); err != nil { // as long as it takes: idleness has a bound of its own
		return false
	}
	stop := s.g.within(s.p.limits.Head, "the head of a request")
	h, err := peekHead(s.br)
	stop()
	if err != nil {
		if ref := asRefusal(err, s.place()); ref != nil {
			s.refuse(ref, false)
		} else {
			s.p.noteTimeout(s.g, s.via)
		}
		return false
	}
	req, err := http.ReadRequest(s.br)
	if err != nil {
		s.refuse(refuse(malformed, s.place(), "", "the request is malformed"), false)
		return false
	}
	if req.Method == http.MethodConnect && s.tunnel == nil {
		s.connect(ctx, req)
		return false
	}
	return s.exchange(ctx, req, h)
}

// place is the target of a tunnel, or none.
func (s *side) place() target {
	if s.tunnel != nil {
		return s.tunnel.l.t
	}
	return target{}
}

// refuse reports a refusal and answers with it. What comes after it on the
// connection is not read: it could be a body, or made to look like a request.
func (s *side) refuse(ref *refusal, head bool) {
	s.p.report.refused(ref, s.via)
	stop := s.g.within(s.p.limits.Head, "the refusal")
	defer stop()
	_ = ref.writePage(s.w, head)
}

// connect serves CONNECT.
func (s *side) connect(ctx context.Context, req *http.Request) {
	s.via = viaConnect
	t, err := parseTarget(req.RequestURI, 0)
	switch {
	case err != nil:
		s.refuse(refuse(malformed, target{host: req.RequestURI}, "Write CONNECT HOST:PORT.", "%v", err), false)
		return
	case req.ContentLength != 0 || len(req.TransferEncoding) > 0:
		s.refuse(refuse(malformed, t, "", "CONNECT has a body"), false)
		return
	}
	l, err := s.p.open(ctx, s.g, t, viaConnect)
	if err != nil {
		s.refuse(refusalOf(err, t), false)
		return
	}
	defer l.Close()
	if _, err := io.WriteString(s.g, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
		s.p.tunnel(ctx, s.g, l, viaConnect)
	}
}

// newTransport makes what requests are sent again with: net/http, on links that
// are opened as all others are, and never for other guests.
func (s *side) newTransport(ctx context.Context) *http.Transport {
	var used atomic.Bool
	dial := func(_ context.Context, _, address string) (net.Conn, error) {
		if s.tunnel != nil && used.CompareAndSwap(false, true) {
			return s.tunnel.host, nil
		}
		t, err := parseTarget(address, 0)
		if err != nil {
			return nil, err
		}
		l, err := s.p.open(ctx, s.g, t, s.via)
		if err != nil {
			return nil, err
		}
		if s.secure {
			l.speaks("https")
		} else {
			l.speaks("http")
		}
		return l, nil
	}
	secure := func(_ context.Context, network, address string) (net.Conn, error) {
		t, err := parseTarget(address, 0)
		if err != nil {
			return nil, err
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		stop := s.g.within(s.p.limits.Head, "the TLS handshake of the host")
		defer stop()
		c := tls.Client(conn, &tls.Config{ServerName: t.host, RootCAs: s.p.roots, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12})
		if err := c.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, refuse(unreachable, t, "", "%s did not prove who it is: %s", t, tlsReason(err))
		}
		return c, nil
	}
	return &http.Transport{
		DialContext: dial, DialTLSContext: secure,
		DisableCompression: true, MaxIdleConns: 4, MaxIdleConnsPerHost: 1, IdleConnTimeout: 30 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		Protocols:              onlyHTTP1(),
	}
}

func onlyHTTP1() *http.Protocols {
	var out http.Protocols
	out.SetHTTP1(true)
	return &out
}

// tlsReason says why a handshake failed, without what the other side wrote.
func tlsReason(err error) string {
	var bad *tls.CertificateVerificationError
	if errors.As(err, &bad) {
		return "its certificate cannot be trusted"
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) {
		return "the connection ended"
	}
	return "the TLS handshake failed"
}

// linkOf finds the link under a connection of the transport.
func linkOf(c net.Conn) *link {
	switch c := c.(type) {
	case *link:
		return c
	case *ahead:
		return c.link
	case *tls.Conn:
		return linkOf(c.NetConn())
	}
	return nil
}

// removeHopByHop removes the header fields that concern one connection only
// (RFC 9110, 7.6.1), and what older programs add to them.
func removeHopByHop(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect"} {
		h.Del(name)
	}
}
