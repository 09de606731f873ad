package guest

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"path"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// liar is a stream whose guest answers the hello as it should and then says
// what the fuzzer made up, whatever it is asked.
type liar struct {
	*io.PipeReader
	out  *io.PipeWriter
	lies []byte
}

func newLiar(lies []byte) *liar {
	r, w := io.Pipe()
	return &liar{PipeReader: r, out: w, lies: lies}
}

func (l *liar) Write(p []byte) (int, error) {
	frame, err := wire.NewReader(bytes.NewReader(p)).Next()
	if err != nil {
		return len(p), nil
	}
	say := l.lies
	if frame.Kind == wire.HelloKind {
		var h wire.Hello
		if err := json.Unmarshal(frame.Body, &h); err != nil {
			return 0, err
		}
		b, err := json.Marshal(wire.Hello{Version: wire.Version, Epoch: h.Epoch})
		if err != nil {
			return 0, err
		}
		if say, err = wire.Append(nil, wire.HelloKind, 0, b); err != nil {
			return 0, err
		}
	}
	end := frame.Kind != wire.HelloKind
	go func() { // ends with the reader
		l.out.Write(say)
		if end {
			l.out.Close()
		}
	}()
	return len(p), nil
}

func (l *liar) Close() error {
	l.out.Close()
	return l.PipeReader.Close()
}

// frames makes frames of the fuzzer's bytes: kind, id, length, body, and so on.
func frames(b []byte) []byte {
	var out []byte
	for len(b) >= 4 {
		n := min(int(binary.BigEndian.Uint16(b[2:])), len(b)-4)
		kind, id, body := wire.Kind(b[0]%14), uint32(b[1]%4), b[4:4+n]
		b = b[4+n:]
		var err error
		if out, err = wire.Append(out, kind, id, body); err != nil {
			return out
		}
	}
	return append(out, b...) // what is left is no frame
}

func fuzzFrame(kind wire.Kind, id byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{byte(kind), id}, uint16(len(body))), body...)
}

// FuzzClient feeds every kind of request with a hostile guest's frames: the
// client must return, with an answer or an error, and never panic.
func FuzzClient(f *testing.F) {
	f.Add(byte(0), fuzzFrame(wire.Response, 1, `{"status":"ok","state":"intact","wall_ms":1,"result":{"text":"2"}}`))
	f.Add(byte(0), append(fuzzFrame(wire.Output, 1, "\x00\x00\x00\x00\x00\x00\x00\x01\x01hello"), fuzzFrame(wire.Response, 1, `{"status":"error","state":"intact"}`)...))
	f.Add(byte(0), append(fuzzFrame(wire.Part, 1, `{"seq":1,"type":"display",`), fuzzFrame(wire.Event, 1, `"bundle":{"text":"x"}}`)...))
	f.Add(byte(0), fuzzFrame(wire.Response, 1, `{"status":"ok","state":"intact","changes":[{"path":"/work/a","kind":"created","bytes":3},{"path":"/work/b","kind":"removed","bytes":0}],"unlisted":"x"}`))
	f.Add(byte(0), fuzzFrame(wire.Response, 1, `{"status":"ok","state":"intact","changes":[{"path":"/etc/a","kind":"changed","bytes":-3,"sha256":"00"}]}`))
	f.Add(byte(1), append(fuzzFrame(wire.Event, 1, `{"files":[{"path":"/work/a","kind":"file","size":1}]}`), fuzzFrame(wire.Response, 1, `{}`)...))
	f.Add(byte(2), append(fuzzFrame(wire.Data, 1, "content"), append(fuzzFrame(wire.End, 1, ""), fuzzFrame(wire.Response, 1, `{"path":"/work/a","kind":"file"}`)...)...))
	f.Add(byte(3), fuzzFrame(wire.Response, 1, `{"start":0,"end":1,"matches":["a"]}`))
	f.Add(byte(4), fuzzFrame(wire.Failure, 1, `{"kind":"not_found","message":"cannot"}`))
	f.Add(byte(5), append(fuzzFrame(wire.Event, 1, `{"pid":3}`), fuzzFrame(wire.Response, 1, `{"code":0}`)...))
	f.Add(byte(6), fuzzFrame(wire.Credit, 1, "\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, op byte, lies []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		c := New(newLiar(frames(lies)), Patience{})
		defer c.Close()
		if err := c.Hello(ctx, wire.Hello{}); err != nil {
			t.Fatal(err)
		}
		var err error
		switch op % 7 {
		case 0:
			var x event.Execution
			if x, err = c.Execute(ctx, wire.Execute{Code: "1", Changes: true}, event.Discard); err == nil && (x.Status == 0 || x.State == "") {
				t.Errorf("an execution without a status: %+v", x)
			}
			for _, c := range x.Changes {
				if !strings.HasPrefix(c.Path, "/work/") || path.Clean(c.Path) != c.Path || c.Bytes < 0 {
					t.Errorf("a change that cannot be: %+v", c)
				}
			}
		case 1:
			_, err = c.List(ctx, "/work", true)
		case 2:
			_, err = c.ReadFile(ctx, "/work/a", io.Discard)
		case 3:
			_, err = c.Complete(ctx, "", "a", 1)
		case 4:
			err = c.Setup(ctx, wire.Setup{Kernels: []wire.Kernel{{Language: "python", Command: []string{"/bin/python"}}}, Workdir: "/work"})
		case 5:
			var p *Process
			if p, err = c.Start(ctx, wire.Process{Argv: []string{"true"}}, event.Discard); err == nil {
				_, err = p.Wait(ctx)
			}
		case 6:
			_, err = c.WriteFile(ctx, "/work/a", bytes.NewReader(make([]byte, 3<<20)), 0o600)
		}
		if ctx.Err() != nil {
			t.Errorf("the guest kept the host waiting (%v)", err)
		}
	})
}

// mirror is a host that answers a text with itself, and sends bytes back.
type mirror struct{}

func (mirror) Tools(_ context.Context, body json.RawMessage) (json.RawMessage, error) {
	return body, nil
}

func (mirror) Connect(_ context.Context, conn io.ReadWriteCloser) { _, _ = io.Copy(conn, conn) }

// FuzzRequests feeds a client that exposes tools with a hostile guest's frames.
// Closing it must end everything that was asked for.
func FuzzRequests(f *testing.F) {
	request := func(id byte, body string) []byte { return fuzzFrame(wire.GuestRequestKind, id, body) }
	f.Add(request(1, `{"op":"tools","name":"a","body":[1]}`))
	f.Add(append(request(1, `{"op":"connect","name":"a"}`), append(fuzzFrame(wire.Data, 1, "x"), fuzzFrame(wire.End, 1, "")...)...))
	f.Add(append(request(1, `{"op":"tools","name":"a","long":true}`), append(fuzzFrame(wire.Data, 1, "[1"), append(fuzzFrame(wire.Data, 1, "]"), fuzzFrame(wire.End, 1, "")...)...)...))
	f.Add(append(request(1, `{"op":"tools","name":"a","again":true,"sent":3,"after":7,"long":true}`), request(2, `{"op":"tools","name":"a","body":1}`)...))
	f.Add(append(request(1, `{"op":"tools","name":"a","long":true}`), fuzzFrame(wire.Data, 1, "[1")...)) // and no end
	f.Add(append(request(1, `{"op":"connect","name":"a"}`), fuzzFrame(wire.Cancel, 1, "")...))
	f.Fuzz(func(t *testing.T, lies []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		text := frames(lies)
		for b := text; len(b) > 9; { // ids of guest requests
			n := int(binary.BigEndian.Uint32(b))
			if n < 5 || len(b) < 4+n {
				break
			}
			b[5] |= 0x80
			b = b[4+n:]
		}
		c := New(newLiar(text), Patience{})
		if err := c.Hello(ctx, wire.Hello{}); err != nil {
			t.Fatal(err)
		}
		if err := c.Expose(ctx, wire.Exposure{Tools: true, Net: true}, mirror{}); err == nil {
			t.Error("an exposure that the guest did not take")
		}
		if ctx.Err() != nil {
			t.Error("the guest kept the host waiting")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if c.requests.tools != 0 || c.requests.conns != 0 || c.requests.bodies != 0 || c.requests.answers != 0 {
			t.Errorf("what was asked for is not settled: %+v", c.requests)
		}
	})
}
