package egress

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
)

// The first bytes of a connection, and the names of the protocols in events.
const (
	socks4          = 4
	socks5          = 5
	recordHandshake = 22 // TLS

	viaHTTP    = "http"
	viaConnect = "connect"
	viaSOCKS   = "socks5"
)

// The replies of RFC 1928.
const (
	socksOK          = 0
	socksFailed      = 1
	socksDenied      = 2
	socksUnreachable = 4
	socksCommand     = 7
	socksAddress     = 8
	socksNoMethod    = 255
)

// socksError is a request that is answered with a code.
type socksError struct {
	code   byte // 0: nothing can be answered
	reason string
}

func (e *socksError) Error() string { return e.reason }

// serveSOCKS serves a connection that began with the version of SOCKS5.
func (p *Proxy) serveSOCKS(ctx context.Context, g *guest) {
	stop := g.within(p.limits.Head, "the SOCKS request")
	t, err := readSOCKS(g.br, g)
	stop()
	if err != nil {
		var bad *socksError
		if errors.As(err, &bad) {
			p.report.refused(refuse(malformed, t, "", "%s", bad.reason), viaSOCKS)
			if bad.code != 0 {
				_ = replySOCKS(g, bad.code)
			}
			return
		}
		p.noteTimeout(g, viaSOCKS)
		return
	}
	l, err := p.open(ctx, g, t, viaSOCKS)
	if err != nil {
		ref := refusalOf(err, t)
		p.report.refused(ref, viaSOCKS)
		code := byte(socksFailed)
		switch ref.verdict {
		case denied:
			code = socksDenied
		case unreachable:
			code = socksUnreachable
		}
		_ = replySOCKS(g, code)
		return
	}
	defer l.Close()
	if replySOCKS(g, socksOK) == nil {
		p.tunnel(ctx, g, l, viaSOCKS)
	}
}

func replySOCKS(w io.Writer, code byte) error {
	_, err := w.Write([]byte{socks5, code, 0, 1, 0, 0, 0, 0, 0, 0})
	return err
}

// readSOCKS reads the greeting, which it answers, and the request (RFC 1928). It
// takes no byte more.
func readSOCKS(br *bufio.Reader, w io.Writer) (target, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(br, head); err != nil {
		return target{}, err
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(br, methods); err != nil {
		return target{}, err
	}
	plain := false
	for _, m := range methods {
		plain = plain || m == 0
	}
	if !plain {
		if _, err := w.Write([]byte{socks5, socksNoMethod}); err != nil {
			return target{}, err
		}
		return target{}, &socksError{0, "the SOCKS client demands a password; the proxy has none"}
	}
	if _, err := w.Write([]byte{socks5, 0}); err != nil {
		return target{}, err
	}
	request := make([]byte, 4)
	if _, err := io.ReadFull(br, request); err != nil {
		return target{}, err
	}
	if request[0] != socks5 || request[2] != 0 {
		return target{}, &socksError{socksFailed, "the SOCKS request is malformed"}
	}
	if request[1] != 1 {
		return target{}, &socksError{socksCommand, fmt.Sprintf("the SOCKS command %d is not supported, only CONNECT", request[1])}
	}
	host, err := readSOCKSHost(br, request[3])
	if err != nil {
		return target{}, err
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(br, port); err != nil {
		return target{}, err
	}
	t := target{port: binary.BigEndian.Uint16(port)}
	if t.port == 0 {
		return target{}, &socksError{socksFailed, "port 0 is no port"}
	}
	if t.host, t.addr, err = parseHost(host, false); err != nil {
		return target{port: t.port}, &socksError{socksDenied, err.Error()}
	}
	return t, nil
}

// readSOCKSHost reads an address or a name as text.
func readSOCKSHost(br *bufio.Reader, kind byte) (string, error) {
	switch kind {
	case 1:
		var b [4]byte
		_, err := io.ReadFull(br, b[:])
		return netip.AddrFrom4(b).String(), err
	case 4:
		var b [16]byte
		_, err := io.ReadFull(br, b[:])
		return netip.AddrFrom16(b).String(), err
	case 3:
		n, err := br.ReadByte()
		if err != nil {
			return "", err
		}
		b := make([]byte, n)
		_, err = io.ReadFull(br, b)
		return string(b), err
	default:
		return "", &socksError{socksAddress, fmt.Sprintf("the SOCKS address has the unknown type %d", kind)}
	}
}
