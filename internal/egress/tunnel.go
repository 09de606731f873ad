package egress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"praxis/internal/safetext"
)

// spoken is what the first bytes of a tunnel are.
type spoken uint8

const (
	spokenHTTP spoken = iota + 1
	spokenTLS
	spokenOther
)

// tunnel serves what comes after CONNECT or a SOCKS request that were granted.
func (p *Proxy) tunnel(ctx context.Context, g *guest, l *link, via string) {
	anything := false
	p.mu.Lock()
	if found, ok := p.rules.match(l.t); ok {
		anything = found.raw(l.t.port) && !p.vault.covers(l.t)
	}
	p.mu.Unlock()
	if anything {
		p.tunnelAny(ctx, g, l, via)
		return
	}
	stop := g.within(p.limits.Head, "the first bytes")
	kind, name, err := classify(g.br, false)
	stop()
	p.judged(ctx, g, l, via, kind, name, err, l)
}

// tunnelAny serves a tunnel on a port where any protocol may be spoken: in many
// of them the host speaks first.
func (p *Proxy) tunnelAny(ctx context.Context, g *guest, l *link, via string) {
	type said struct {
		kind spoken
		name string
		err  error
	}
	host := newAhead(l)
	defer func() { l.end(""); <-host.first }()
	greeting := make(chan said, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		kind, name, err := classify(g.br, true)
		greeting <- said{kind, name, err}
	}()
	defer func() { _ = g.Close(); <-done }()
	select {
	case s := <-greeting:
		if s.err == nil && s.kind == spokenOther {
			p.pass(g, l, host, g)
			return
		}
		p.judged(ctx, g, l, via, s.kind, s.name, s.err, host)
	case <-host.first:
		p.pass(g, l, host, &waiting{done, g})
	}
}

// waiting is a reader that somebody else reads ahead of until done.
type waiting struct {
	done <-chan struct{}
	io.Reader
}

func (w *waiting) Read(b []byte) (int, error) {
	<-w.done
	return w.Reader.Read(b)
}

// pass lets any bytes through, unless the rules changed in the meantime.
func (p *Proxy) pass(g *guest, l *link, host net.Conn, up io.Reader) {
	l.raw.Store(true)
	p.mu.Lock()
	err := p.recheck(l)
	p.mu.Unlock()
	if err != nil {
		l.end("the rules changed")
		return
	}
	l.speaks("raw")
	splice(g, up, host, l)
}

// judged goes on with a tunnel once it is known what is spoken in it.
func (p *Proxy) judged(ctx context.Context, g *guest, l *link, via string, kind spoken, name string, err error, host net.Conn) {
	if err == nil && kind == spokenTLS {
		err = checkName(l.t, name)
	}
	if err == nil && kind == spokenOther {
		err = fmt.Errorf("neither TLS nor HTTP was spoken to %s", l.t)
	}
	if err != nil {
		switch {
		case g.ended() != "":
			l.end("")
			return
		case g.br.Buffered() == 0:
			l.end("the code said nothing")
			return
		}
		remedy := ""
		if kind == spokenOther {
			remedy = fmt.Sprintf("Other protocols pass only on ports other than 80 and 443 that a rule names, such as %s:5432.", l.t.host)
		}
		p.report.refused(refuse(malformed, l.t, remedy, "%v", err), via)
		l.end("refused: " + err.Error())
		if kind == spokenTLS {
			_, _ = g.Write(alert())
		}
		return
	}
	switch {
	case kind == spokenHTTP:
		l.speaks("http")
		newSide(p, g, &tunnelled{l, host}, via).serve(ctx)
	case p.vault.covers(l.t):
		l.speaks("https")
		p.terminate(ctx, g, &tunnelled{l, host}, via)
	default:
		l.speaks("tls")
		splice(g, g, host, l)
	}
}

// checkName compares the name of a ClientHello with the name that the tunnel was
// requested for. A tunnel to an address is allowed for whatever name.
func checkName(t target, name string) error {
	if t.addr.IsValid() {
		return nil
	}
	if name == "" {
		return fmt.Errorf("the TLS ClientHello for %s names no host", t)
	}
	if got, err := normalName(name); err != nil || got != t.host {
		return fmt.Errorf("the TLS ClientHello names %q, but the connection is for %s", safetext.Clip(name, 100), t)
	}
	return nil
}

// classify looks at the first bytes that the code says, and leaves them in br.
// anything says that they may be of any protocol: then only what is clearly HTTP
// or TLS counts as that.
func classify(br *bufio.Reader, anything bool) (spoken, string, error) {
	first, err := br.Peek(1)
	if err != nil {
		return 0, "", err
	}
	if first[0] == recordHandshake {
		if anything {
			if two, err := br.Peek(2); err != nil || two[1] != 3 {
				return spokenOther, "", nil
			}
		}
		name, err := peekHello(br)
		return spokenTLS, name, err
	}
	if !anything {
		if !isToken(first[0]) {
			return spokenOther, "", nil
		}
		return spokenHTTP, "", nil
	}
	for n := 1; ; n++ {
		b, err := br.Peek(n)
		if err != nil {
			return spokenOther, "", nil
		}
		switch begins(string(b)) {
		case beginsNo:
			return spokenOther, "", nil
		case beginsYes:
			return spokenHTTP, "", nil
		}
	}
}

const (
	beginsNo = iota
	beginsYes
	beginsMaybe
)

// begins says whether s is, or may become, the beginning of an HTTP request.
func begins(s string) int {
	for _, method := range []string{"GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ", "PRI "} {
		switch {
		case strings.HasPrefix(s, method):
			return beginsYes
		case strings.HasPrefix(method, s):
			return beginsMaybe
		}
	}
	return beginsNo
}

// isToken says whether c can be in a method or in the name of a header field.
func isToken(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
