package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// fake is a server within the test, behind pipes as a sandbox would give them. Its
// answers are written by hand, so that it can be as hostile as it likes.
type fake struct {
	tools   atomic.Pointer[string] // the list, a JSON array
	version string
	list    func(l *line, id json.RawMessage, cursor string) bool // true: it answered
	call    func(l *line, id json.RawMessage, name string, params json.RawMessage)
	other   func(l *line, m message)
	greet   func(l *line, id json.RawMessage) bool
	starts  atomic.Int64
	program atomic.Pointer[Program]
}

// line writes to the client, whole lines at a time.
type line struct {
	mu     sync.Mutex
	w      io.Writer
	stderr io.Writer
	die    func()
}

func (l *line) send(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := io.WriteString(l.w, text+"\n")
	return err
}

func (l *line) result(id json.RawMessage, result string) {
	_ = l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (l *line) text(id json.RawMessage, text string) {
	quoted, _ := json.Marshal(text)
	l.result(id, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
}

type fakeProcess struct {
	stdin          *io.PipeWriter
	stdout, stderr *io.PipeReader
	kill           func()
}

func (p *fakeProcess) Stdin() io.WriteCloser { return p.stdin }
func (p *fakeProcess) Stdout() io.ReadCloser { return p.stdout }
func (p *fakeProcess) Stderr() io.ReadCloser { return p.stderr }
func (p *fakeProcess) Stop(time.Duration)    { p.kill() }

// Launch starts the fake.
func (f *fake) Launch(_ context.Context, p Program) (Process, error) {
	f.starts.Add(1)
	f.program.Store(&p)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	errR, errW := io.Pipe()
	kill := sync.OnceFunc(func() {
		inR.Close()
		outW.Close()
		errW.Close()
		inW.Close()
	})
	l := &line{w: outW, stderr: errW, die: kill}
	go func() {
		defer kill()
		f.serve(bufio.NewReaderSize(inR, 1<<20), l)
	}()
	return &fakeProcess{inW, outR, errR, kill}, nil
}

func (f *fake) serve(r *bufio.Reader, l *line) {
	for {
		data, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(data, &m) != nil || m.Method == nil {
			if f.other != nil {
				f.other(l, m)
			}
			continue
		}
		switch *m.Method {
		case "initialize":
			if f.greet != nil && f.greet(l, m.ID) {
				continue
			}
			l.result(m.ID, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":%q}}`, f.version))
		case "tools/list":
			var p struct {
				Cursor string `json:"cursor"`
			}
			_ = json.Unmarshal(m.Params, &p)
			if f.list != nil && f.list(l, m.ID, p.Cursor) {
				continue
			}
			l.result(m.ID, `{"tools":`+*f.tools.Load()+`}`)
		case "tools/call":
			var p struct {
				Name string `json:"name"`
			}
			_ = json.Unmarshal(m.Params, &p)
			f.call(l, m.ID, p.Name, m.Params)
		case "ping":
			l.result(m.ID, `{}`)
		default:
			if f.other != nil {
				f.other(l, m)
			}
		}
	}
}

const oneTool = `[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]`

func newFake(tools string) *fake {
	f := &fake{version: "1.2.3"}
	tools = strings.ReplaceAll(tools, "\n", " ") // a message is a line
	f.tools.Store(&tools)
	f.call = func(l *line, id json.RawMessage, _ string, params json.RawMessage) {
		var p struct {
			Arguments struct {
				Text string `json:"text"`
			} `json:"arguments"`
		}
		_ = json.Unmarshal(params, &p)
		l.text(id, "echo: "+p.Arguments.Text)
	}
	return f
}

type secretMap map[string]string

func (s secretMap) Secret(name string) (string, error) {
	if v, ok := s[name]; ok {
		return v, nil
	}
	return "", fmt.Errorf("no secret %s", name)
}

func object(t testing.TB, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(*jsondoc.Object)
}

// open opens a fake with more settings beside the command, `"trusted": true` say.
func (f *fake) open(t testing.TB, more string) *Server {
	t.Helper()
	spec := `{"command": ["fake"], "sandbox": true`
	if more != "" {
		spec += ", " + more
	}
	s, err := Open(context.Background(), Config{Name: "fake", Spec: object(t, spec+"}"), Sandbox: f, Secrets: secretMap{"KEY": "canary-4711"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// loaded are the tools of a server as a run has them.
type loaded struct {
	t    testing.TB
	defs map[string]*tool.Definition
	impl map[string]tool.Implementation
}

func load(t testing.TB, s *Server) *loaded {
	t.Helper()
	tools, err := s.Tools(soonDone(t, 20*time.Second))
	if err != nil {
		t.Fatalf("Tools: %v", err)
	}
	return defined(t, tools)
}

// defined makes definitions of tools.
func defined(t testing.TB, tools []tool.Provided) *loaded {
	t.Helper()
	out := &loaded{t, map[string]*tool.Definition{}, map[string]tool.Implementation{}}
	for _, p := range tools {
		d, err := toolfile.Define("x.json", p.Document)
		if err != nil {
			t.Fatalf("Define: %v", err)
		}
		out.defs[d.Name], out.impl[d.Name] = d, p.Implementation
	}
	return out
}

func (l *loaded) call(ctx context.Context, name, arguments string) (any, error) {
	l.t.Helper()
	d := l.defs[name]
	if d == nil {
		l.t.Fatalf("there is no tool %s", name)
	}
	return l.impl[name].Call(ctx, tool.Invocation{Tool: d, ID: "c-1", Key: "k-1", Arguments: object(l.t, arguments)})
}

func soonDone(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func show(t testing.TB, v any) string {
	t.Helper()
	b, err := jsondoc.NewObject(jsondoc.Member{Name: "v", Value: v}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(b), `{"v":`), "}")
}
