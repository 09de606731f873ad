package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
)

// clientHello returns what a TLS client says first.
func clientHello(t testing.TB, name string) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = tls.Client(theirs, &tls.Config{ServerName: name, InsecureSkipVerify: true}).HandshakeContext(ctx)
	}()
	head := make([]byte, 5)
	if _, err := io.ReadFull(ours, head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(head[3])<<8|int(head[4]))
	if _, err := io.ReadFull(ours, body); err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = ours.Close()
	<-done
	return append(head, body...)
}

// split cuts the message of one record into records of n bytes.
func split(record []byte, n int) []byte {
	var out []byte
	for body := record[5:]; len(body) > 0; {
		part := body[:min(n, len(body))]
		body = body[len(part):]
		out = append(append(out, 22, 3, 1, byte(len(part)>>8), byte(len(part))), part...)
	}
	return out
}

func TestPeekHello(t *testing.T) {
	named, nameless := clientHello(t, "api.example.com"), clientHello(t, "")
	twice := bytes.Clone(named)
	cut := bytes.Replace(named, []byte("api.example.com"), []byte("api.example.co\x00"), 1)
	wrongSort := bytes.Clone(named)
	wrongSort[bytes.Index(named, []byte("api.example.com"))-3] = 1
	twice[5] = 2 // a ServerHello
	for _, c := range []struct {
		what string
		in   []byte
		name string
		bad  string
	}{
		{"whole", named, "api.example.com", ""},
		{"none named", nameless, "", ""},
		{"split into records", split(named, 7), "api.example.com", ""},
		{"one byte each", split(named, 1), "api.example.com", ""},
		{"a NUL in the name", cut, "api.example.co\x00", ""}, // is no name: the caller refuses it
		{"no host name", wrongSort, "", "malformed"},
		{"another message", twice, "", "malformed"},
		{"ends early", named[:len(named)-1], "", "EOF"},
		{"an empty record", append([]byte{22, 3, 1, 0, 0}, named...), "", "malformed"},
		{"another record in between", append(split(named, 40)[:45], 21, 3, 1, 0, 1, 0), "", "malformed"},
		{"a long record", append([]byte{22, 3, 1, 0x40, 1}, make([]byte, 0x4001)...), "", "malformed"},
		{"a long message", append([]byte{22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{22, 3, 1, 0, 1, 0}, 20000)...), "", "longer than"},
	} {
		br := bufio.NewReaderSize(bytes.NewReader(c.in), 64<<10)
		name, err := peekHello(br)
		if c.bad == "" && (err != nil || name != c.name) || c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
			t.Errorf("%s: got %q %v, want %q %q", c.what, name, err, c.name, c.bad)
		}
		if rest, _ := io.ReadAll(br); !bytes.Equal(rest, c.in) {
			t.Errorf("%s: bytes were taken", c.what)
		}
	}
}

func TestCheckName(t *testing.T) {
	byName, _ := parseTarget("api.example.com:443", 0)
	byAddress, _ := parseTarget("93.184.216.34:443", 0)
	for name, ok := range map[string]bool{
		"api.example.com": true, "API.example.com": true, "api.example.com.": true,
		"": false, "example.com": false, "api.example.com\x00": false, "api.example.com.evil.net": false, "93.184.216.34": false,
	} {
		if err := checkName(byName, name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
		if err := checkName(byAddress, name); err != nil {
			t.Errorf("%q with an address: %v", name, err)
		}
	}
}

func FuzzPeekHello(f *testing.F) {
	hello := clientHello(f, "api.example.com")
	f.Add(hello)
	f.Add(split(hello, 9))
	f.Add(clientHello(f, ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		br := bufio.NewReaderSize(bytes.NewReader(b), 4<<10)
		name, err := peekHello(br)
		if err == nil && len(name) > len(b) {
			t.Fatalf("the name %q came from nowhere", name)
		}
		if rest, _ := io.ReadAll(br); !bytes.Equal(rest, b) {
			t.Fatal("bytes were taken")
		}
	})
}
