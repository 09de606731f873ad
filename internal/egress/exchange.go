package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"praxis/internal/safetext"
)

// exchange sends one request on, made anew from what was understood of it, and
// its response back. It says whether another request may come.
func (s *side) exchange(ctx context.Context, req *http.Request, h head) bool {
	isHead := req.Method == http.MethodHead
	t, err := s.targetOf(req, h)
	if err == nil {
		_, err = s.p.match(s.p.Rules(), t)
	}
	if err != nil {
		s.refuse(refusalOf(err, t), isHead)
		return false
	}
	upgrade := ""
	if v := req.Header.Get("Upgrade"); v != "" {
		if !strings.EqualFold(v, "websocket") {
			s.refuse(refuse(unsupported, t, "", "the upgrade to %q is not passed on", safetext.Clip(v, 100)), isHead)
			return false
		}
		upgrade = "websocket"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, body := s.rebuild(ctx, cancel, req, t, upgrade)
	pairs, injected, ref := s.p.vault.inject(out, t, s.secure, upgrade != "")
	if ref != nil {
		s.refuse(ref, isHead)
		return false
	}
	only := s.p.vault.only(out, t, s.secure)
	out = out.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		if l := linkOf(i.Conn); l != nil {
			l.requests.Add(1)
			if injected {
				l.injected.Add(1)
			}
		}
	}}))
	if strings.EqualFold(req.Header.Get("Expect"), "100-continue") {
		if _, err := io.WriteString(s.w, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return false
		}
	}
	body.start()
	s.sending = body
	resp, err := s.transport.RoundTrip(out)
	if err != nil {
		if body.leaking.Load() {
			err = refuse(denied, t, "Send the placeholder only in the header and to the host that it is for.", "the body of a request to %s holds the placeholder of a credential", t)
		}
		if s.g.ended() == "" && ctx.Err() == nil {
			s.refuse(s.failed(err, t), isHead)
		}
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		s.upgraded(resp, upgrade)
		return false
	}
	return s.answer(req, resp, pairs, only, body)
}

// failed says why there is no response, without what errors of other packages
// may repeat of the request.
func (s *side) failed(err error, t target) *refusal {
	var ref *refusal
	if errors.As(err, &ref) {
		return ref
	}
	return refuse(unreachable, t, "", "%s did not answer as HTTP has it, or closed the connection", t)
}

// targetOf finds out where a request is to go.
func (s *side) targetOf(req *http.Request, h head) (target, error) {
	if s.tunnel != nil {
		t := s.tunnel.l.t
		if !strings.HasPrefix(req.RequestURI, "/") {
			return t, refuse(malformed, t, "", "a request in a tunnel names a path only")
		}
		got, err := parseTarget(h.host, t.port)
		if err != nil || got != t {
			return t, refuse(denied, t, "Send the request through a connection of its own.", "the request is for the host %q, but the connection is for %s", safetext.Clip(h.host, 100), t)
		}
		return t, nil
	}
	const remedy = "Use this address as a proxy: requests for http:// with a whole URL, and CONNECT or SOCKS5 for https://."
	switch {
	case req.URL.Scheme == "" || req.URL.Host == "":
		return target{}, refuse(malformed, target{}, remedy, "this is a proxy, not a server")
	case req.URL.Scheme != "http" || req.URL.Opaque != "":
		return target{}, refuse(unsupported, target{}, remedy, "URLs of the scheme %q are not fetched", safetext.Clip(req.URL.Scheme, 100))
	case req.URL.User != nil:
		return target{}, refuse(malformed, target{}, "Send them in the Authorization header.", "the URL holds a name or a password")
	}
	t, err := parseTarget(req.URL.Host, 80)
	if err != nil {
		return target{host: req.URL.Host}, refuse(malformed, target{host: req.URL.Host}, "", "%v", err)
	}
	if h.hosts > 0 {
		if got, err := parseTarget(h.host, 80); err != nil || got != t {
			return t, refuse(malformed, t, "", "the request is for %s, but its Host is %q", t, safetext.Clip(h.host, 100))
		}
	}
	return t, nil
}

// rebuild makes the request that is sent on.
func (s *side) rebuild(ctx context.Context, cancel context.CancelFunc, req *http.Request, t target, upgrade string) (*http.Request, *inbound) {
	scheme, usual := "http", uint16(80)
	if s.secure {
		scheme, usual = "https", 443
	}
	host := joinHost(t.host, t.addr)
	if t.port != usual {
		host += ":" + strconv.Itoa(int(t.port))
	}
	header := req.Header.Clone()
	removeHopByHop(header)
	if len(header["User-Agent"]) == 0 {
		header.Set("User-Agent", "") // or else net/http sends its own
	}
	if upgrade != "" {
		header.Set("Connection", "Upgrade")
		header.Set("Upgrade", upgrade)
	}
	body := &inbound{src: req.Body, side: s, cancel: cancel, closed: make(chan struct{}), empty: req.Body == nil || req.Body == http.NoBody || req.ContentLength == 0, left: req.ContentLength}
	out := &http.Request{
		Method: req.Method, Host: host, Header: header, ContentLength: req.ContentLength,
		URL:   &url.URL{Scheme: scheme, Host: t.String(), Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery, ForceQuery: req.URL.ForceQuery},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if !body.empty {
		body.search = s.p.vault.searcher()
		out.Body = body
	}
	return out.WithContext(ctx), body
}

// inbound is the body of a request of the code.
type inbound struct {
	src    io.Reader
	side   *side
	cancel context.CancelFunc
	empty  bool
	search *searcher // for placeholders; nil: there are none

	closed  chan struct{} // when nothing reads it any more
	shut    sync.Once
	left    int64 // of the length that was announced; negative: none was
	ended   atomic.Bool
	leaking atomic.Bool
	once    sync.Once
}

func (b *inbound) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if b.search != nil && b.search.found(p[:n]) {
		b.leaking.Store(true)
		return 0, errLeak
	}
	b.left -= int64(n)
	if err == io.EOF || b.left == 0 {
		b.end()
	}
	return n, err
}

// Close leaves what was not read where it is: the connection is then given up,
// rather than read to the end of a body that nobody wants.
func (b *inbound) Close() error {
	b.shut.Do(func() { close(b.closed) })
	return nil
}

// start is called when the request is sent.
func (b *inbound) start() {
	if b.empty {
		b.end()
		_ = b.Close()
	}
}

// end is called when nothing of the request is left to be read. From then on
// what the code does next is awaited, so that it is seen when it goes away.
func (b *inbound) end() {
	b.once.Do(func() {
		done := b.side.ahead()
		b.ended.Store(true) // afterwards: who sees it reads the next request, and waits for who reads ahead
		go func() {
			defer close(done)
			if _, err := b.side.br.Peek(1); err != nil {
				b.cancel()
			}
		}()
	})
}

// answer writes the response, in which the values of credentials give way to
// their placeholders, or as much of it as the code may see.
func (s *side) answer(req *http.Request, resp *http.Response, pairs []pair, only *Fields, body *inbound) bool {
	isHead := req.Method == http.MethodHead
	if len(pairs) > 0 || only != nil {
		if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") && !isHead {
			// What the host calls its coding is not repeated: that, too, could be a secret.
			s.refuse(refuse(unsupported, s.place(), "", "the host answered in a coding, such as gzip, in which credentials cannot be looked for"), false)
			return false
		}
	}
	if only != nil {
		stop := s.g.within(s.p.limits.Idle, "the answer of the host")
		seen, err := only.narrow(resp, isHead, pairs)
		stop()
		if err != nil {
			s.refuse(refuse(unreachable, s.place(), "", "the code gets only some fields of what the host answers, and %v", err), false)
			return false
		}
		resp = seen
	} else if len(pairs) > 0 {
		scrubHead(resp, pairs)
		resp.Body = &scrubbed{Closer: resp.Body, scrubber: newScrubber(resp.Body, pairs)}
		if !isHead && resp.ContentLength != 0 {
			resp.ContentLength = -1
		}
	}
	removeHopByHop(resp.Header)
	resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/1.1", 1, 1
	resp.TransferEncoding, resp.Close, resp.Uncompressed = nil, false, false
	if !req.ProtoAtLeast(1, 1) {
		resp.Proto, resp.ProtoMinor, resp.Close = "HTTP/1.0", 0, true
	} else if resp.ContentLength < 0 {
		resp.TransferEncoding = []string{"chunked"}
	}
	if req.Close || !body.ended.Load() {
		resp.Close = true
	}
	if err := resp.Write(s.w); err != nil {
		return false
	}
	return !resp.Close
}

// upgraded passes a connection on that became a WebSocket.
func (s *side) upgraded(resp *http.Response, upgrade string) {
	host, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || upgrade == "" || !strings.EqualFold(resp.Header.Get("Upgrade"), upgrade) {
		s.refuse(refuse(unreachable, s.place(), "", "the host changed the protocol without being asked to"), false)
		return
	}
	var text strings.Builder
	_ = resp.Header.Write(&text) // a builder takes all
	if _, err := fmt.Fprintf(s.w, "HTTP/1.1 101 Switching Protocols\r\n%s\r\n", text.String()); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.alone()
		_, _ = io.Copy(host, s.br)
		_ = host.Close()
	}()
	_, _ = io.Copy(s.w, host)
	_ = s.g.Close()
	<-done
}
