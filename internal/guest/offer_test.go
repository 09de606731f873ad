package guest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"praxis/internal/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// desk is a host with a few tools.
type desk struct {
	mu      sync.Mutex
	calls   []string
	entered chan struct{} // a call of wait began
	leave   chan struct{} // closed to let wait go on
	left    chan error    // how a call of wait ended
}

func newDesk() *desk {
	return &desk{entered: make(chan struct{}, 256), leave: make(chan struct{}), left: make(chan error, 256)}
}

const specFind = `{"name":"crm.find","version":"1.2.0","doc":"Find customers.\n\nBy region.","signature":"crm.find(region: str, limit: int = 10) -> list[dict]",
"stub":"def find(region: str, limit: int = 10) -> list[dict]: ...","parameters":[{"name":"region","type":"str","required":true},{"name":"limit","type":"int","required":false,"default":10}],"returns":"list[dict]"}`

const specNow = `{"name":"now","version":"1.0.0","doc":"The time.","signature":"now() -> str","stub":"def now() -> str: ...","parameters":[],"returns":"str"}`

const specEcho = `{"name":"echo","version":"1.0.0","parameters":[{"name":"value","required":false}]}`

func (d *desk) Tools(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	var m struct {
		Do, Name, Tool, Version, ID, Query string
		Arguments                          json.RawMessage
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	switch m.Do {
	case "names":
		return json.RawMessage(`{"names":["crm.find","crm.sub.deep","echo","fail","now","wait"],"total":6}`), nil
	case "namespace":
		if m.Name == "crm" {
			return json.RawMessage(`{"tools":[` + specFind + `],"namespaces":["crm.sub"]}`), nil
		}
		return json.RawMessage(`{"tools":[],"namespaces":[]}`), nil
	case "search":
		return json.RawMessage(`{"tools":[{"name":"crm.find","version":"1.2.0","summary":"Find customers."}]}`), nil
	case "describe":
		switch m.Name {
		case "crm.find":
			return json.RawMessage(specFind), nil
		case "now":
			return json.RawMessage(specNow), nil
		case "fail":
			return json.RawMessage(strings.Replace(specEcho, "echo", "fail", 1)), nil
		case "wait":
			return json.RawMessage(strings.Replace(specEcho, "echo", "wait", 1)), nil
		}
		return json.RawMessage(specEcho), nil
	case "call":
		return d.call(ctx, m.Tool, m.Arguments)
	}
	return nil, fault.New(fault.Invalid, "", "cannot do %q", m.Do)
}

func (d *desk) call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	d.mu.Lock()
	if len(arguments) < 1<<10 {
		d.calls = append(d.calls, tool+string(arguments))
	}
	d.mu.Unlock()
	switch tool {
	case "fail":
		var a struct{ Value string }
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, err
		}
		if a.Value == "secret" {
			return nil, errors.New("the password is 1234")
		}
		for k := fault.Invalid; k <= fault.Internal; k++ {
			if k.String() == a.Value {
				return nil, fault.New(k, "Do better.", "cannot do it")
			}
		}
	case "wait":
		d.entered <- struct{}{}
		select {
		case <-d.leave:
			d.left <- nil
		case <-ctx.Done():
			d.left <- ctx.Err()
			return nil, ctx.Err()
		}
	case "now":
		return json.RawMessage(`{"result":"noon"}`), nil
	}
	return append(append([]byte(`{"result":`), arguments...), '}'), nil
}

// Connect sends back what it gets, in capitals, and "bye" at the end.
func (d *desk) Connect(_ context.Context, conn io.ReadWriteCloser) {
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		if n > 0 {
			if _, err := conn.Write([]byte(strings.ToUpper(string(buf[:n])))); err != nil {
				return
			}
		}
		if err != nil {
			break
		}
	}
	if _, err := conn.Write([]byte("bye")); err != nil {
		return
	}
	_ = conn.(interface{ CloseWrite() error }).CloseWrite()
}

// freePort is a port that nobody listens at now.
func freePort(t testing.TB) int {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func offer(b *bed, d *desk) int {
	port := freePort(b.t)
	o := wire.Offer{Tools: true, Net: true, Port: port, Environ: map[string]string{"PROXY_PORT": fmt.Sprint(port)}}
	if err := b.Offer(b.ctx(), o, d); err != nil {
		b.t.Fatal(err)
	}
	return port
}

var _ guest.Host = (*desk)(nil)

func TestToolsFromCode(t *testing.T) {
	b := start(t, nil)
	b.want(`
try:
    import tools; tools.names()
except tools.Unavailable as e: r = str(e)
r`, `'this session has no tools\nGo on without them.'`)
	offer(b, newDesk())
	b.want("from tools import crm, now; now()", "'noon'")
	b.want("crm.find('eu')", "{'region': 'eu'}")
	b.want("crm.find(region='eu', limit=3)", "{'region': 'eu', 'limit': 3}")
	b.want("import os; os.environ['PROXY_PORT'] != ''", "True")
}
