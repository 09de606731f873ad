package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind/builtin"
	"praxis/internal/tool/toolfile"
)

// object reads JSON.
func object(t testing.TB, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.(*jsondoc.Object)
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// under is a tool as a run has it: with its derived definition, its arguments and
// results checked.
type under struct {
	d    *tool.Definition
	impl tool.Implementation
}

func derive(t testing.TB, k *builtin.Kind, dir, use, with string) *tool.Definition {
	t.Helper()
	b := tool.Binding{Kind: "go", Spec: object(t, `{"use":"`+use+`","with":`+with+`}`), Dir: dir}
	doc, err := k.Derive(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	d, err := toolfile.Define("test", doc)
	if err != nil {
		t.Fatalf("the derived definition is wrong: %v", err)
	}
	return d
}

func open(t testing.TB, cfg builtin.Config, dir, use, with string) under {
	t.Helper()
	k := builtin.New(cfg)
	d := derive(t, k, dir, use, with)
	impl, err := k.New(t.Context(), d, tool.Binding{Kind: "go", Spec: object(t, `{"use":"`+use+`","with":`+with+`}`), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := impl.Close(); err != nil {
			t.Error(err)
		}
	})
	return under{d, impl}
}

func (u under) try(t testing.TB, ctx context.Context, args string) (any, error) {
	t.Helper()
	given := object(t, args)
	if err := u.d.CheckArguments(given); err != nil {
		return nil, err
	}
	out, err := u.impl.Call(ctx, tool.Invocation{Tool: u.d, ID: "1", Key: "k", Arguments: u.d.FillDefaults(given)})
	if err == nil {
		if l, ok := out.(tool.Labelled); ok {
			out = l.Value
		}
		if err := u.d.CheckResult(out); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	return out, err
}

// got calls and returns the JSON of the result.
func (u under) got(t testing.TB, args string) string {
	t.Helper()
	out, err := u.try(t, t.Context(), args)
	if err != nil {
		t.Fatalf("%s: %v (%s)", args, err, fault.RemedyOf(err))
	}
	return encode(t, out)
}

// refused calls and checks the kind of the fault and a part of its words.
func (u under) refused(t testing.TB, args string, kind fault.Kind, words string) {
	t.Helper()
	out, err := u.try(t, t.Context(), args)
	if err == nil {
		t.Errorf("%s: got %s, want a fault %v", args, encode(t, out), kind)
		return
	}
	if fault.KindOf(err) != kind || !strings.Contains(err.Error()+" "+fault.RemedyOf(err), words) {
		t.Errorf("%s: got %v %q (%s), want %v with %q", args, fault.KindOf(err), err, fault.RemedyOf(err), kind, words)
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestUse(t *testing.T) {
	k := builtin.New(builtin.Config{})
	for spec, words := range map[string]string{
		`{"use":"files.raed"}`:                                  "files.read",
		`{"use":"files.read"}`:                                  "root",
		`{"use":"files.read","with":{"rot":"x"}}`:               "root",
		`{"use":"files.read","with":{"root":3}}`:                "root",
		`{"use":"sql.query","with":{}}`:                         "attached",
		`{"use":"sql.query","with":{"a b":"x.csv"}}`:            "letters",
		`{"use":"sql.query","with":{"main":"x.csv"}}`:           "own names",
		`{"use":"sql.query","with":{"x":"nowhere.csv"}}`:        "path",
		`{"use":"memory.save","with":{"x":1}}`:                  "x",
		`{"usee":"memory.save"}`:                                "use",
		`{"use":"sql.query","with":{"tables":{"x":{"fil":1}}}}`: "file",
	} {
		_, err := k.Derive(t.Context(), tool.Binding{Spec: object(t, spec), Dir: t.TempDir()})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error()+fault.RemedyOf(err), words) {
			t.Errorf("%s: got %v (%s), want %q", spec, err, fault.RemedyOf(err), words)
		}
	}
}

type notes struct{ saved []string }

func (n *notes) Save(_ context.Context, text string, tags []string) (string, bool, error) {
	if text == "full" {
		return "", false, fault.New(fault.Exhausted, "Remove some.", "cannot save: full")
	}
	n.saved = append(n.saved, text+":"+strings.Join(tags, ","))
	return "n1", len(n.saved) > 1, nil
}

func (n *notes) Search(_ context.Context, query string, limit int) ([]builtin.Note, error) {
	if query == "broken" {
		return nil, errors.New("disk")
	}
	var out []builtin.Note
	for range limit + 3 {
		out = append(out, builtin.Note{ID: "n1", Text: query, Created: time.Date(2027, 1, 31, 4, 5, 6, 7, time.UTC), From: "run 1"})
	}
	return out, nil
}

func TestMemory(t *testing.T) {
	n := &notes{}
	save := open(t, builtin.Config{Notes: n}, "", "memory.save", "{}")
	if got := save.got(t, `{"text":"x","tags":["a","b"]}`); got != `{"id":"n1","known":false}` || n.saved[0] != "x:a,b" {
		t.Errorf("got %s, %v", got, n.saved)
	}
	save.refused(t, `{"text":"full"}`, fault.Exhausted, "full")
	search := open(t, builtin.Config{Notes: n}, "", "memory.search", "{}")
	if got := search.got(t, `{"query":"q","limit":1.0}`); got != `[{"id":"n1","text":"q","created":"2027-01-31T04:05:06Z","tags":[],"from":"run 1"}]` {
		t.Errorf("got %s", got)
	}
	search.refused(t, `{"query":"broken"}`, fault.Internal, "disk")
	_, err := builtin.New(builtin.Config{}).New(t.Context(), save.d, tool.Binding{Spec: object(t, `{"use":"memory.save"}`)})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without notes: %v", err)
	}
}
