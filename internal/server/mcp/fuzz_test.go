package mcp

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
)

// Whatever a client writes, it gets one refusal for each line that is no message, every message
// arrives, and the connection ends with the input.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"))
	f.Add([]byte("garbage\n[1]\n\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{},"result":null}` + "\r\n\x00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		l := newLines(bytes.NewReader(data), &out)
		c, err := l.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for {
			m, err := c.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || m == nil {
				t.Fatalf("got %v, %v", m, err)
			}
			read++
		}
		if err := errors.Join(l.failure(), c.Close()); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		if refused := bytes.Count(out.Bytes(), []byte("\n")); read+refused != lines {
			t.Errorf("%d lines: %d were read and %d refused", lines, read, refused)
		}
		for line := range strings.Lines(out.String()) {
			if line != refusal+"\n" {
				t.Errorf("a refusal is %q", line)
			}
		}
	})
}

// What names a file names it alone: what is read of a name that we wrote is what was written,
// and no name leads out of its session.
func FuzzURI(f *testing.F) {
	f.Add("praxis://sessions/s/files/work/a b.png")
	f.Add("praxis://sessions/s%2f../files/..%2f..%2fetc")
	f.Add("praxis://runs/20261128-1")
	f.Add("praxis://runs/%")
	f.Fuzz(func(t *testing.T, uri string) {
		session, file, run, ok := decodeURI(uri)
		if !ok {
			return
		}
		if run != "" {
			if session != "" || file != "" || strings.Contains(run, "/") {
				t.Errorf("%q names the run %q, and %q of %q", uri, run, file, session)
			}
			return
		}
		if session == "" || strings.Contains(session, "/") || file != path.Clean(file) || !strings.HasPrefix(file, "/") {
			t.Errorf("%q names %q of %q", uri, file, session)
		}
		s, g, _, again := decodeURI(fileURI(session, file))
		if file != "/" && (!again || s != session || g != file) {
			t.Errorf("%q of %q is written %q, which names %q of %q", file, session, fileURI(session, file), g, s)
		}
	})
}

// What a client sends back of a call is what it got, or is refused.
func FuzzPosition(f *testing.F) {
	f.Add(`{"run":"r-1","after":3}`)
	f.Add(`{"run":"","after":-1}`)
	f.Add(`{"run":"r","after":1}{}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := decodePosition(text)
		if err != nil {
			return
		}
		again, err := p.encode()
		if err != nil {
			t.Fatal(err)
		}
		if q, err := decodePosition(again); err != nil || q != p {
			t.Errorf("%q is %v, and then %v: %v", text, p, q, err)
		}
	})
}
