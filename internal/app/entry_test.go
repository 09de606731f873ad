package app

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/internal/agent/skill"
	"praxis/internal/store"
)

// recorded keeps what is recorded of a run.
type recorded struct {
	mu     sync.Mutex
	events []event.Event
}

// Emit keeps an event.
func (r *recorded) Emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// sources returns what the argument of the last call depends on, as its label
// names it.
func (r *recorded) sources(t *testing.T) []string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range slices.Backward(r.events) {
		if call, ok := e.(event.ToolCalled); ok {
			return call.Labels["query"].Sources
		}
	}
	t.Fatalf("nothing was called: %v", r.events)
	return nil
}

// entryWorld is an App with a tool that code can call, and what it may reach.
type entryWorld struct {
	*testing.T
	app  *App
	dir  string
	site *httptest.Server
}

func newEntryWorld(t *testing.T) *entryWorld {
	w := &entryWorld{T: t, app: toyApp(t, map[string]string{}), dir: t.TempDir()}
	w.site = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "a page") }))
	t.Cleanup(w.site.Close)
	w.file("tools.yaml", "tools:\n  - run: {go: memory.search}\n")
	return w
}

func (w *entryWorld) file(name, text string) string {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

func (w *entryWorld) tools() ToolSpec {
	return ToolSpec{Files: []string{filepath.Join(w.dir, "tools.yaml")}}
}

// probe is code whose call shows what has entered the run by then.
const probe = "call memory.search {\"query\":\"q\"}"

// code runs code before the probe.
func (w *entryWorld) code(q CodeRequest) *recorded {
	w.Helper()
	q.TrustCode = true
	return w.untrusted(q)
}

// untrusted runs code for whose values nobody vouches.
func (w *entryWorld) untrusted(q CodeRequest) *recorded {
	w.Helper()
	q.Code, q.Tools = strings.TrimPrefix(q.Code+"\n"+probe, "\n"), w.tools()
	var r recorded
	out, err := w.app.RunCode(w.Context(), q, &r)
	if err != nil || out.Unsaved != nil || out.Execution.Status != event.OK || out.Execution.Stderr != "" {
		w.Fatalf("%v, %v, %+v", err, out.Unsaved, out.Execution)
	}
	return &r
}

// ask lets a scripted model answer. Its last action is the probe.
func (w *entryWorld) ask(q AskRequest, replies ...string) *recorded {
	w.Helper()
	var script strings.Builder
	for _, reply := range append(replies, "```python\n"+probe+"\n```", "FINAL ANSWER: Done.") {
		script.WriteString("=== reply\n" + reply + "\n")
	}
	q.Question, q.Model, q.Tools = "What?", "scripted:"+w.file("script.txt", script.String()), w.tools()
	var r recorded
	if out, err := w.app.Ask(w.Context(), q, &r); err != nil || out.Unsaved != nil {
		w.Fatal(err, out.Unsaved)
	}
	return &r
}

// entryCase is one way by which data from outside enter a run.
type entryCase struct {
	from string // the constant of package event
	run  func(w *entryWorld) *recorded
	want string // what the call depends on; "": on nothing
}

func entryCases() map[string]entryCase {
	return map[string]entryCase{
		"nothing": {"", func(w *entryWorld) *recorded { return w.code(CodeRequest{}) }, ""},
		"code":    {"FromCode", func(w *entryWorld) *recorded { return w.untrusted(CodeRequest{}) }, "code"},
		"file": {"FromFile", func(w *entryWorld) *recorded {
			return w.code(CodeRequest{Files: w.inputs()})
		}, "in.csv"},
		"file of a question": {"FromFile", func(w *entryWorld) *recorded {
			return w.ask(AskRequest{Files: w.inputs()})
		}, "in.csv"},
		"file of a branch": {"FromFile", func(w *entryWorld) *recorded {
			w.ask(AskRequest{Files: w.inputs()}, "```python\nprint 1\n```")
			return w.branch(w.app, "last", 2)
		}, "in.csv"},
		"file of an imported run": {"FromFile", func(w *entryWorld) *recorded {
			w.ask(AskRequest{Files: w.inputs()}, "```python\nprint 1\n```")
			out := filepath.Join(w.dir, "a.praxis")
			if _, err := w.app.Export(w.Context(), ExportRequest{Run: "last", Path: out}); err != nil {
				w.Fatal(err)
			}
			other := toyApp(w.T, nil)
			in, err := other.Import(w.Context(), out)
			if err != nil {
				w.Fatal(err)
			}
			return w.branch(other, in.ID, 2)
		}, "in.csv"},
		"session": {"FromSession", func(w *entryWorld) *recorded {
			w.code(CodeRequest{Session: SessionSpec{Name: "s"}})
			return w.code(CodeRequest{Session: SessionSpec{Name: "s"}})
		}, "session"},
		"thread": {"FromThread", func(w *entryWorld) *recorded {
			w.ask(AskRequest{Thread: "t"})
			return w.ask(AskRequest{Thread: "t"}, "a reply to the first question", "and its answer")
		}, "thread"},
		"notes": {"FromNotes", func(w *entryWorld) *recorded {
			w.ask(AskRequest{Notes: true}, "=== call save_note text\nthe sky is blue")
			return w.ask(AskRequest{Notes: true}, "=== call search_notes query\nsky")
		}, "notes"},
		"skill": {"FromCode", func(w *entryWorld) *recorded {
			w.skill(false)
			return w.ask(AskRequest{})
		}, "code"},
		"skill of a branch": {"FromCode", func(w *entryWorld) *recorded {
			w.skill(false)
			w.ask(AskRequest{}, "```python\nprint 1\n```")
			return w.branch(w.app, "last", 2)
		}, "code"},
		"skill that a person vouches for": {"FromCode", func(w *entryWorld) *recorded {
			w.skill(true)
			return w.ask(AskRequest{})
		}, ""},
		"session of a branch": {"FromSession", func(w *entryWorld) *recorded {
			w.code(CodeRequest{Session: SessionSpec{Name: "s"}})
			w.code(CodeRequest{Session: SessionSpec{Name: "s"}})
			return w.branch(w.app, "last", 1)
		}, "session"},
		"thread of a branch": {"FromThread", func(w *entryWorld) *recorded {
			w.ask(AskRequest{Thread: "t"})
			w.ask(AskRequest{Thread: "t"}, "a reply to the first question", "and its answer")
			return w.branch(w.app, "last", 1)
		}, "thread"},
		"notes of a branch": {"FromNotes", func(w *entryWorld) *recorded {
			w.ask(AskRequest{Notes: true}, "=== call save_note text\nthe sky is blue")
			w.ask(AskRequest{Notes: true}, "=== call search_notes query\nsky")
			return w.branch(w.app, "last", 2)
		}, "notes"},
		"tool of a branch": {"FromTool", func(w *entryWorld) *recorded {
			w.ask(AskRequest{}, "```python\n"+probe+"\n```")
			return w.branch(w.app, "last", 2)
		}, "memory.search"},
		"network": {"FromNetwork", func(w *entryWorld) *recorded {
			return w.code(CodeRequest{Code: "fetch " + w.site.URL + "/", Net: NetSpec{Hosts: []string{w.site.Listener.Addr().String()}}})
		}, "the network"},
		"tool": {"FromTool", func(w *entryWorld) *recorded { return w.code(CodeRequest{Code: probe}) }, "memory.search"},
	}
}

// skill stores a skill that fits the question and whose tests are known to pass.
func (w *entryWorld) skill(vouched bool) {
	w.Helper()
	s := skill.Skill{Name: "what", Description: "Says what", Signature: "()", Code: "def what(): return 1\n", Tests: "assert what() == 1\n"}
	img, err := w.app.imageOf(w.Context(), SessionSpec{}, event.Discard)
	if err == nil {
		_, err = w.app.putSkill(w.Context(), s, false)
	}
	if err == nil && vouched {
		err = w.app.vouch(w.Context(), s.Hash())
	}
	if err == nil {
		_, err = w.app.records.DB.KV().Set(w.Context(), skillsBucket, verdictKey(img, s), []byte(`{"ok":true}`), store.Any)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *entryWorld) inputs() []Input {
	w.Helper()
	files, err := LocalFiles([]string{w.file("in.csv", "1\n")})
	if err != nil {
		w.Fatal(err)
	}
	return files
}

// branch goes on from a step of a run with other code.
func (w *entryWorld) branch(a *App, run string, from int) *recorded {
	w.Helper()
	var r recorded
	if _, err := a.Branch(w.Context(), BranchRequest{Run: run, From: from, Code: "print 2\n" + probe}, &r); err != nil {
		w.Fatal(err)
	}
	return &r
}

// TestEntries takes every way by which data from outside enter a run, through
// all that a run is made of, and requires that what its code gives to a tool from
// then on depends on them. Package event has a constant for each way, and its
// TestEntering says of every event whether data enter with it.
func TestEntries(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "event", "entry.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "From") {
			missing[spec.Names[0].Name] = true
		}
		return true
	})
	if len(missing) < 6 {
		t.Errorf("package event has the ways %v", missing)
	}
	delete(missing, "FromChild") // the code of toys begins nothing: gate's TestChildTaint takes it
	for name, c := range entryCases() {
		delete(missing, c.from)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.run(newEntryWorld(t)).sources(t)
			found := slices.ContainsFunc(got, func(s string) bool { return c.want != "" && strings.Contains(s, c.want) })
			if found != (c.want != "") || c.want == "" && len(got) > 0 {
				t.Errorf("the call depends on %q, want %q", got, c.want)
			}
		})
	}
	if len(missing) > 0 {
		t.Errorf("nothing takes the ways %v", missing)
	}
}
