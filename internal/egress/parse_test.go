package egress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestReadSOCKS(t *testing.T) {
	domain := func(name string) string { return string([]byte{3, byte(len(name))}) + name }
	const hello = "\x05\x01\x00\x05\x01\x00"
	for _, c := range []struct {
		in, want string // target, or a part of the error
		code     int    // -1: it is no SOCKS error
	}{
		{hello + domain("api.example.com") + "\x01\xbb", "api.example.com:443", 0},
		{"\x05\x03\x02\x00\x01\x05\x01\x00" + domain("API.Example.com.") + "\x00\x50", "api.example.com:80", 0},
		{hello + "\x01\x5d\xb8\xd8\x22\x00\x50", "93.184.216.34:80", 0},
		{hello + "\x04\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x50", "[2001:db8::7]:80", 0},
		{hello + domain("93.184.216.34") + "\x00\x50", "93.184.216.34:80", 0},
		{hello + domain("2001:db8::7") + "\x00\x50", "[2001:db8::7]:80", 0},
		{hello + domain("127.1") + "\x00\x50", "odd notation", socksDenied},
		{hello + domain("0x7f000001") + "\x00\x50", "odd notation", socksDenied},
		{hello + domain("::ffff:127.0.0.1") + "\x00\x50", "odd notation", socksDenied},
		{hello + domain("fe80::1%eth0") + "\x00\x50", "zone", socksDenied},
		{hello + domain("a\x00b.example.com") + "\x00\x50", "no host name", socksDenied},
		{hello + domain("") + "\x00\x50", "empty", socksDenied},
		{hello + "\x04" + strings.Repeat("\x00", 10) + "\xff\xff\x7f\x00\x00\x01\x00\x50", "odd notation", socksDenied},
		{hello + domain("api.example.com") + "\x00\x00", "port 0", socksFailed},
		{hello + "\x05\x00\x50", "unknown type", socksAddress},
		{"\x05\x01\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00", "command 2", socksCommand},
		{"\x05\x01\x00\x05\x03\x00\x01\x00\x00\x00\x00\x00\x00", "command 3", socksCommand},
		{"\x05\x01\x00\x04\x01\x00\x01", "malformed", socksFailed},
		{"\x05\x01\x00\x05\x01\x07\x01", "malformed", socksFailed},
		{"\x05\x01\x02", "password", 0},
		{"\x05\x00", "password", 0},
		{hello + "\x01\x5d\xb8", "EOF", -1},
		{hello + "\x03\xff\x61", "EOF", -1},
		{"\x05", "EOF", -1},
	} {
		var out bytes.Buffer
		br := bufio.NewReader(strings.NewReader(c.in + "rest"))
		if c.code == -1 {
			br = bufio.NewReader(strings.NewReader(c.in))
		}
		got, err := readSOCKS(br, &out)
		if err == nil {
			rest, _ := io.ReadAll(br)
			if got.String() != c.want || string(rest) != "rest" || out.String() != "\x05\x00" {
				t.Errorf("%q: got %s, rest %q, answer %q", c.in, got, rest, out.String())
			}
			continue
		}
		var bad *socksError
		if code := -1; !strings.Contains(err.Error(), c.want) || errors.As(err, &bad) != (c.code != -1) || bad != nil && int(bad.code) != c.code {
			t.Errorf("%q: got %v (%v), want %q %d", c.in, err, code, c.want, c.code)
		}
	}
}

func FuzzReadSOCKS(f *testing.F) {
	f.Add([]byte("\x05\x01\x00\x05\x01\x00\x03\x0fapi.example.com\x01\xbb"))
	f.Add([]byte("\x05\x02\x00\x02\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50"))
	f.Add([]byte("\x05\x01\x00\x05\x01\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x7f\x00\x00\x01\x00\x50"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readSOCKS(bufio.NewReader(bytes.NewReader(b)), io.Discard)
		if err != nil {
			return
		}
		again, err := parseTarget(got.String(), 0)
		if err != nil || again != got {
			t.Fatalf("%+v is written %s, which is %+v %v", got, got, again, err)
		}
	})
}

// smuggled are requests that two servers could read differently, or that no
// client sends.
var smuggled = map[string]string{
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n":    "both",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n":             "twice",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\ncontent-length: 6\r\n\r\n":             "twice",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n":                               "no number",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n":                                 "no number",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n":                                "no number",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n":                                    "no number",
	"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n":               "no number",
	"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n":               "Transfer-Encoding",
	"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n":                        "Transfer-Encoding",
	"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n": "Transfer-Encoding",
	"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n":                        "character",
	"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \vchunked\r\n\r\n":                       "control character",
	"GET / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n":                         "Transfer-Encoding",
	"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n":                                    "no header field",
	"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\tTransfer-Encoding: chunked\r\n\r\n":               "character",
	"GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n":                                                 "CR LF",
	"GET / HTTP/1.1\nHost: a\n\n":                                                             "CR LF",
	"GET / HTTP/1.1\r\nHost: a\rX: 1\r\n\r\n":                                                 "control character",
	"GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n":                                            "control character",
	"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                            "twice",
	"GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n":                                                "no header field",
	"GET  / HTTP/1.1\r\nHost: a\r\n\r\n":                                                      "first line",
	"GET / HTTP/1.1 \r\nHost: a\r\n\r\n":                                                      "first line",
	"GET /\r\n\r\n":                                                                           "first line",
	"GET /\tx HTTP/1.1\r\n\r\n":                                                               "control character",
	"GE(T / HTTP/1.1\r\n\r\n":                                                                 "method",
	" GET / HTTP/1.1\r\n\r\n":                                                                 "first line",
	"\r\nGET / HTTP/1.1\r\n\r\n":                                                              "it is empty",
	"GET / HTTP/2.0\r\n\r\n":                                                                  "only HTTP/1.1",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                                        "only HTTP/1.1",
	"GET / HTTP/1.1\r\nExpect: 200-ok\r\n\r\n":                                                "Expect",
	"SSH-2.0-client\r\n\r\n":                                                                  "first line",
	"GET / HTTP/1.1\r\n" + strings.Repeat("X: 1\r\n", 300) + "\r\n":                           "more than 200",
	"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 8<<10) + "\r\n\r\n":                         "longer than",
	strings.Repeat("G", 8<<10):                                                                "longer than",
	"GET / HTTP/1.1\r\nHost: a\r\n":                                                           "EOF",
}

func TestPeekHead(t *testing.T) {
	for in, want := range smuggled {
		if _, err := peekHead(bufio.NewReaderSize(strings.NewReader(in), 4<<10)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %v, want %q", in, err, want)
		}
	}
	const good = "POST http://a.example/x HTTP/1.1\r\nhost:  a.example \r\nTransfer-Encoding: Chunked\r\nX-Y: \xff\r\n\r\n0\r\n\r\n"
	br := bufio.NewReader(strings.NewReader(good))
	h, err := peekHead(br)
	if err != nil || h.host != "a.example" || h.hosts != 1 {
		t.Errorf("got %+v %v", h, err)
	}
	if rest, _ := io.ReadAll(br); string(rest) != good {
		t.Errorf("bytes were taken: %q", rest)
	}
}

// FuzzPeekHead requires that a head that is accepted is one that net/http reads,
// with the same host.
func FuzzPeekHead(f *testing.F) {
	for in := range smuggled {
		f.Add(in)
	}
	f.Add("POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc")
	f.Fuzz(func(t *testing.T, in string) {
		br := bufio.NewReaderSize(strings.NewReader(in), 4<<10)
		h, err := peekHead(br)
		if err != nil {
			return
		}
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if req.URL.Host == "" && req.Method != "CONNECT" && h.hosts == 1 && strings.TrimSpace(req.Host) != h.host {
			t.Fatalf("host %q, net/http has %q", h.host, req.Host)
		}
		if len(req.TransferEncoding) > 0 && req.ContentLength >= 0 {
			t.Fatalf("two lengths in %q", in)
		}
	})
}

func TestScrubber(t *testing.T) {
	pairs := []pair{{"secret-longer", "<L>"}, {"secret", "<S>"}, {"cret-x", "<X>"}}
	for in, want := range map[string]string{
		"":                               "",
		"nothing here":                   "nothing here",
		"a secret b":                     "a <S> b",
		"secretsecret":                   "<S><S>",
		"secret-longer":                  "<L>",
		"secret-longe":                   "<S>-longe",
		"secre":                          "secre",
		"sesecretsecre":                  "se<S>secre",
		"secret-x cret-x":                "<S>-x <X>",
		strings.Repeat("sec", 30000):     strings.Repeat("sec", 30000),
		strings.Repeat("secret ", 10000): strings.Repeat("<S> ", 10000),
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			got, err := io.ReadAll(newScrubber(&pieces{in, size}, pairs))
			if err != nil || string(got) != want {
				t.Errorf("%.40q in pieces of %d: got %.80q %v", in, size, got, err)
			}
		}
	}
	// Bytes that cannot become a secret are passed on at once.
	r, w := io.Pipe()
	s := newScrubber(r, pairs)
	go func() { _, _ = w.Write([]byte("data: 1\n\nsec")) }()
	b := make([]byte, 100)
	if n, err := s.Read(b); err != nil || string(b[:n]) != "data: 1\n\n" {
		t.Errorf("got %q %v", b[:n], err)
	}
	_ = w.Close()
}

// pieces is a reader that gives its text in pieces.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

func FuzzScrubber(f *testing.F) {
	f.Add("a secret-longer b secre", uint8(3))
	f.Add("cret-xsecretsecret-", uint8(1))
	f.Fuzz(func(t *testing.T, in string, size uint8) {
		pairs := []pair{{"secret-longer", "<L>"}, {"secret", "<S>"}}
		got, err := io.ReadAll(newScrubber(&pieces{in, int(size) + 1}, pairs))
		want := strings.NewReplacer("secret-longer", "<L>", "secret", "<S>").Replace(in)
		if err != nil || string(got) != want {
			t.Fatalf("%q: got %q %v, want %q", in, got, err, want)
		}
	})
}
