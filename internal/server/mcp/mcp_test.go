package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/internal/app"
	"praxis/internal/server"
	"praxis/internal/server/access"
	"praxis/internal/server/mcp"
	"praxis/internal/test/toy"
)

// world is a server over toys whose usual model follows a script.
type world struct {
	*testing.T
	home, script string
	s            *server.Server
	web          *httptest.Server
	key          string
}

// settings are what the server of a world is made with beside what all have.
type settings struct {
	tools app.ToolSpec
}

func newWorld(t *testing.T, with settings) *world {
	t.Helper()
	w := &world{T: t, home: t.TempDir(), script: filepath.Join(t.TempDir(), "script")}
	w.says("=== reply\nFINAL ANSWER: nothing.\n")
	var err error
	w.s, err = server.New(server.Config{Home: w.home, Version: "test", Tools: with.tools, Hosts: []string{"praxis.example"}, Open: func(t server.Tenant) (*app.App, error) {
		c, err := app.DefaultConfig(t.Home, func(string) string { return "" })
		if err != nil {
			return nil, err
		}
		c.Ask.Model = "scripted:" + w.script
		return app.Open(app.Options{Config: c, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	}})
	if err == nil {
		w.key, _, _, err = w.s.FirstKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.web = httptest.NewServer(w.s.Handler())
	t.Cleanup(func() {
		w.web.CloseClientConnections()
		w.web.Close()
		if err := w.s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return w
}

// says makes the usual model follow a script from the next question on.
func (w *world) says(script string) {
	w.Helper()
	if err := os.WriteFile(w.script, []byte(script), 0o600); err != nil {
		w.Fatal(err)
	}
}

// keyed sends a key with each request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// connect returns a client of the server.
func (w *world) connect(key string, options *sdk.ClientOptions) *peer {
	w.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	s, err := c.Connect(w.Context(), &sdk.StreamableClientTransport{Endpoint: w.web.URL + mcp.Path, HTTPClient: &http.Client{Transport: keyed{key}}}, nil)
	if err != nil {
		w.Fatal(err)
	}
	p := &peer{w.T, s}
	w.Cleanup(func() { _ = s.Close() }) // it may be closed already
	return p
}

// peer is a client's side of a connection.
type peer struct {
	*testing.T
	*sdk.ClientSession
}

// call calls a tool and returns its text, its pictures and its structured result.
func (p *peer) call(name string, args any) (text string, pictures int, out map[string]any, failed bool) {
	p.Helper()
	res, err := p.CallTool(p.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		p.Fatalf("%s: %v", name, err)
	}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			text += c.Text
		case *sdk.ImageContent:
			pictures++
		}
	}
	out, _ = res.StructuredContent.(map[string]any)
	return text, pictures, out, res.IsError
}

// must calls a tool and returns its text.
func (p *peer) must(name string, args any) string {
	p.Helper()
	text, _, _, failed := p.call(name, args)
	if failed {
		p.Fatalf("%s failed: %s", name, text)
	}
	return text
}

type object = map[string]any

func code(text string) object { return object{"code": text} }

// legacy makes a client speak the version of the protocol that has sessions.
func TestRunCode(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.connect(w.key, nil)
	t.Logf("version %v", p.InitializeResult().ProtocolVersion)
	text, pictures, out, failed := p.call("run_code", code("set a\nprint hello\npicture\nmake b.txt x\nvalue 42"))
	t.Logf("%q %d %v %v", text, pictures, out, failed)
	text = p.must("run_code", code("get a"))
	t.Log(text)
	text = p.must("list_files", object{})
	t.Log(text)
	l, err := p.ListTools(t.Context(), nil)
	data, _ := json.Marshal(l)
	t.Log(string(data), err, len(data))
	_ = slices.Contains([]string{}, "")
	_ = io.EOF
	_ = strings.TrimSpace
	_ = access.Admin
}
