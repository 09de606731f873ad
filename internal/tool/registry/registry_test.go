package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// closing guards the lists of what was closed: a registry closes side by side.
var closing sync.Mutex

// echo answers calls with their arguments.
type echo struct {
	name   string
	closed *[]string
}

func (e echo) Call(_ context.Context, c tool.Invocation) (any, error) { return c.Arguments, nil }
func (e echo) Identity() string                                       { return "echo " + e.name }
func (e echo) Close() error {
	closing.Lock()
	defer closing.Unlock()
	*e.closed = append(*e.closed, e.name)
	return nil
}

// kind makes echoes; it refuses bindings without a file.
type kind struct{ closed *[]string }

func (k kind) Derive(_ context.Context, b tool.Binding) (*jsondoc.Object, error) {
	if _, ok := b.Spec.Get("file"); !ok {
		return nil, fault.New(fault.Invalid, "Name one.", "there is no file")
	}
	return jsondoc.NewObject(jsondoc.Member{Name: "effects", Value: "pure"}, jsondoc.Member{Name: "version", Value: "1.0.0"}), nil
}

func (k kind) New(_ context.Context, d *tool.Definition, b tool.Binding) (tool.Implementation, error) {
	if v, _ := b.Spec.Get("file"); v == "bad" {
		return nil, fault.New(fault.Invalid, "Write another.", "the file is bad")
	} else if v == "forbidden" {
		return nil, fault.New(fault.Denied, "Allow it.", "it runs a program")
	}
	return echo{d.ID(), k.closed}, nil
}

// server provides tools.
type server struct {
	tools   []tool.Provided
	err     error
	closed  *[]string
	changed chan struct{}
}

func (s *server) Tools(context.Context) ([]tool.Provided, error) { return s.tools, s.err }
func (s *server) Changed() <-chan struct{}                       { return s.changed }
func (s *server) Close() error {
	closing.Lock()
	defer closing.Unlock()
	*s.closed = append(*s.closed, "server")
	return nil
}

func provided(t *testing.T, doc string, closed *[]string) tool.Provided {
	t.Helper()
	v, err := jsondoc.Decode([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	o := v.(*jsondoc.Object)
	name, _ := o.Get("name")
	return tool.Provided{Document: o, Implementation: echo{fmt.Sprint(name), closed}}
}

const file = `secrets: {A: {env: A}, B: {file: b.txt}, C: {env: NONE}}
tools:
  - {name: x.one, run: {python: {file: one.py}}}
  - {name: x.one, version: 2.0.0, run: {python: {file: one.py}}}
  - {name: x.bare, version: 1.0.0, effects: read}
servers:
  good: {url: https://good.example.com}
  gone: {url: https://gone.example.com}
`

func TestOpen(t *testing.T) {
	var closed []string
	cfg := Config{
		Kinds: map[string]tool.Kind{"python": kind{&closed}},
		OpenServer: func(_ context.Context, s tool.ServerEntry, _ string, _ tool.SecretSource) (tool.Server, error) {
			if s.Name == "gone" {
				return nil, fault.New(fault.Unavailable, "Start it.", "nobody answers")
			}
			return &server{closed: &closed, tools: []tool.Provided{
				provided(t, `{"name":"good.a","version":"1.0.0","effects":"write"}`, &closed),
				provided(t, `{"name":"not a name","version":"1.0.0","effects":"write"}`, &closed),
			}}, nil
		},
	}
	r, err := Open(t.Context(), cfg, []File{{"dir/t.yaml", []byte(file)}}, provided(t, `{"name":"own.go","version":"1.0.0","effects":"pure"}`, &closed))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for d := range r.Set().All() {
		for _, v := range r.Set().Versions(d.Name) {
			ids = append(ids, fmt.Sprintf("%s=%q", v.ID(), r.Identity(v)))
		}
	}
	want := `good.a@1.0.0="echo good.a" own.go@1.0.0="echo own.go" x.bare@1.0.0="" x.one@2.0.0="echo x.one@2.0.0" x.one@1.0.0="echo x.one@1.0.0"`
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("tools\n%s\nwant\n%s", got, want)
	}
	problems := strings.Join(r.Problems(), "\n")
	if !strings.Contains(problems, "the server gone gives no tools: nobody answers. Start it.") || !strings.Contains(problems, "a tool was left out") {
		t.Errorf("problems:\n%s", problems)
	}
	d, err := r.Set().Resolve("x.one", "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	args := jsondoc.NewObject(jsondoc.Member{Name: "q", Value: "1"})
	if got, err := r.Call(t.Context(), tool.Invocation{Tool: d, Arguments: args}); err != nil || got != any(args) {
		t.Errorf("a call gives %v, %v", got, err)
	}
	bare, _ := r.Set().Lookup("x.bare")
	if _, err := r.Call(t.Context(), tool.Invocation{Tool: bare}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a tool without an implementation gives %v", err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil || len(closed) != 5 || closed[4] != "server" {
		t.Errorf("closed %v, %v", closed, err)
	}
}

func TestOpenBad(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"tools: [{name: a, run: {python: {}}}]", "t.yaml:1:24: there is no file"},
		{"tools: [{name: a, run: {python: {file: bad}}}]", "t.yaml:1:24: the file is bad"},
		{"tools: [{name: a, version: 1.0.0, effects: pure, run: {wasm: {module: x}}}]", "no tools of the kind wasm"},
		{"tools: [{name: a, run: {python: {file: x}}}, {name: a, run: {python: {file: y}}}]", "stands twice"},
	} {
		var closed []string
		_, err := Open(t.Context(), Config{Kinds: map[string]tool.Kind{"python": kind{&closed}}}, []File{{"t.yaml", []byte(c.text)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n gives %v", c.text, err)
		}
	}
	var closed []string
	_, err := Open(t.Context(), Config{Kinds: map[string]tool.Kind{"python": kind{&closed}}},
		[]File{{"a.yaml", []byte("tools: [{name: a, run: {python: {file: x}}}]")}, {"b.yaml", []byte("tools: [{name: a, run: {python: {file: y}}}]")}})
	if fault.KindOf(err) != fault.Conflict || len(closed) != 2 {
		t.Errorf("the same tool in two files gives %v, closed %v", err, closed)
	}
}

// TestRefused checks that a tool that may not run here does not keep others from running.
func TestRefused(t *testing.T) {
	var closed []string
	r, err := Open(t.Context(), Config{Kinds: map[string]tool.Kind{"python": kind{&closed}}},
		[]File{{"t.yaml", []byte("tools: [{name: a, run: {python: {file: forbidden}}}, {name: b, run: {python: {file: x}}}]")}})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := r.Set().Lookup("a")
	if _, err := r.Call(t.Context(), tool.Invocation{Tool: d}); fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) != "Allow it." {
		t.Errorf("it gives %v", err)
	}
	if !r.Implements(d) || r.Set().Len() != 2 {
		t.Error("tools are missing")
	}
}

func TestSecrets(t *testing.T) {
	env := map[string]string{"A": "hunter2-a"}
	files := map[string]string{"dir/b.txt": "hunter2-b\r\n"}
	s, err := ReadSecrets(Places{
		Getenv: func(name string) string { return env[name] },
		ReadFile: func(name string, _ int64) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		},
	}, []File{{"dir/t.yaml", []byte(file)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"A": "hunter2-a", "B": "hunter2-b"} {
		if got, err := s.Secret(name); err != nil || got != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{"C": "NONE is not set", "D": "there is no secret D"} {
		if _, err := s.Secret(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, s); strings.Contains(text, "hunter2") {
			t.Errorf("%s shows %s", verb, text)
		}
	}
	if _, err := ReadSecrets(Places{Getenv: func(string) string { return "" }}, []File{{"a", []byte("secrets: {A: {env: X}}")}, {"b", []byte("secrets: {A: {env: Y}}")}}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("two secrets of one name give %v", err)
	}
}

// TestReport checks that Report receives all that is wrong, and that what is right
// stays.
func TestReport(t *testing.T) {
	var closed []string
	var reported []string
	cfg := Config{
		Kinds: map[string]tool.Kind{"python": kind{&closed}, "command": kind{&closed}},
		OpenServer: func(context.Context, tool.ServerEntry, string, tool.SecretSource) (tool.Server, error) {
			return nil, fault.New(fault.Unavailable, "", "nobody answers")
		},
		Report: func(pos jsondoc.Position, err error) { reported = append(reported, pos.String()+" "+err.Error()) },
	}
	r, err := Open(context.Background(), cfg, []File{
		{Name: "a.yaml", Text: []byte("tools:\n  - {name: x.bad, run: {python: {file: bad}}}\n  - {name: x.good, run: {python: {file: good}}}\n  - {name: x.run, run: {command: {file: forbidden}}}\n")},
		{Name: "b.yaml", Text: []byte("tools: 3\n")},
		{Name: "c.yaml", Text: []byte("servers:\n  gone: {url: https://gone.example.com}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.yaml:2:24 the file is bad", "a.yaml:4:24 it runs a program",
		`b.yaml b.yaml:1:8: tools: expected a list, got a number`, "c.yaml:2:3 nobody answers",
	}
	if len(reported) != len(want) {
		t.Fatalf("reported %q", reported)
	}
	for i := range want[:2] {
		if reported[i] != want[i] {
			t.Errorf("reported %q, want %q", reported[i], want[i])
		}
	}
	if !strings.HasPrefix(reported[2], "b.yaml b.yaml:1:8: ") || reported[3] != want[3] {
		t.Errorf("reported %q", reported[2:])
	}
	if got := r.Set().Names(); len(got) != 3 {
		t.Errorf("the tools are %q", got)
	}
	if d, _ := r.Set().Lookup("x.good"); !r.Implements(d) {
		t.Error("nothing implements what is right")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestFollow checks that a follower is notified once of each server, and that nothing
// goes on when Follow has returned.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed []string
		servers := map[string]*server{}
		for _, name := range []string{"one", "two", "gone", "quiet"} {
			servers[name] = &server{closed: &closed, changed: make(chan struct{}, 1)}
		}
		r, err := Open(t.Context(), Config{
			OpenServer: func(_ context.Context, s tool.ServerEntry, _ string, _ tool.SecretSource) (tool.Server, error) {
				return servers[s.Name], nil
			},
		}, []File{{"t.yaml", []byte("servers: {one: {url: https://one.example.com}, two: {url: https://two.example.com}, gone: {url: https://gone.example.com}, quiet: {url: https://quiet.example.com}}")}})
		if err != nil {
			t.Fatal(err)
		}
		close(servers["gone"].changed)
		ctx, cancel := context.WithCancel(t.Context())
		reported, returned := map[string]int{}, false
		go func() {
			r.Follow(ctx, func(name string) { reported[name]++ })
			returned = true
		}()
		servers["one"].changed <- struct{}{}
		synctest.Wait()
		servers["one"].changed <- struct{}{}
		servers["two"].changed <- struct{}{}
		synctest.Wait()
		if reported["one"] != 1 || reported["two"] != 1 || len(reported) != 2 || returned {
			t.Errorf("reported %v, returned: %v", reported, returned)
		}
		cancel()
		synctest.Wait()
		if !returned {
			t.Error("it goes on although its context is over")
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
