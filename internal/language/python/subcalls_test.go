package python

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/language"
)

// subcallRequest is a call of a function that begins something.
type subcallRequest struct {
	Do, Role, Model string
	Fork            bool
	Items           []struct {
		Task string
		Data []language.Given
	}
}

// exposed starts a kernel whose code may make sub-calls, which f answers.
func exposed(t *testing.T, f func(q subcallRequest) string) *kernel {
	t.Helper()
	k := start(t, nil)
	exposeTools(t, k, func(body []byte) (byte, string) {
		var q subcallRequest
		if err := json.Unmarshal(body, &q); err != nil || q.Do != "begin" {
			return 1, `{"kind":"invalid","message":"no"}`
		}
		if strings.HasPrefix(q.Model, "none") {
			return 1, `{"kind":"exhausted","message":"nothing is left","remedy":"Stop."}`
		}
		return 0, f(q)
	})
	k.Send(map[string]any{"op": "environ", "set": map[string]string{"PRAXIS_SUBCALLS": "1"}, "unset": []string{}})
	return k
}

// echoed answers each item with its text, and with the beginnings of its data.
func echoed(q subcallRequest) string {
	var out []map[string]any
	for _, it := range q.Items {
		text := q.Role + " " + q.Model + " " + it.Task
		for _, d := range it.Data {
			data, err := os.ReadFile(d.Path)
			if err != nil {
				data = []byte(err.Error())
			}
			text += fmt.Sprintf(" | %s %s %s", d.Name, d.Form, data)
		}
		r := map[string]any{"text": text}
		switch {
		case strings.HasPrefix(it.Task, "fail"):
			r = map[string]any{"error": map[string]any{"kind": "unavailable", "message": it.Task, "remedy": "Go on."}}
		case q.Role == "subagent":
			r = map[string]any{"value": map[string]any{"n": 3, "text": text, "fork": q.Fork}}
		}
		out = append(out, r)
	}
	data, _ := json.Marshal(map[string]any{"results": out})
	return string(data)
}

func TestSubcalls(t *testing.T) {
	k := exposed(t, echoed)
	for _, c := range []struct{ code, want string }{
		{`llm_query("a")`, `'query  a'`},
		{`llm_query("a", "m")`, `'query m a'`},
		{`llm_query_batched(["a", "b"], model="m")`, `['query m a', 'query m b']`},
		{`llm_query_batched([])`, `[]`},
		{`rlm_query("a")`, `'recursion  a'`},
		{`rlm_query("a", "long é")`, `'recursion  a | context text long é'`},
		{`rlm_query_batched(["a", "b"], ["x", {"y": 1}])`, "['recursion  a | context text x',\n " + `'recursion  b | context shared {"praxis": 1, "from": "python", "kind": "json"}\n{"y":1}']`},
		{`agent("a", n={1, 2})["text"]`, `'subagent  a | n shared {"praxis": 1, "from": "python", "kind": "json"}\n[1,2]'`},
		{`agent("a", fork=True)["fork"], agent("a")["n"]`, `(True, 3)`},
		{`[r["text"] for r in agent_batched(["a", ("b", {"y": "2"})], x="1")]`, `['subagent  a | x text 1', 'subagent  b | x text 1 | y text 2']`},
		{`__import__("os").listdir("/tmp/.praxis-calls")`, `[]`},
	} {
		if got := k.Text(c.code); got != c.want {
			t.Errorf("%s: %s", c.code, got)
		}
	}
	for _, c := range []struct{ code, name, value string }{
		{`llm_query(3)`, "TypeError", "llm_query() takes text, not a int"},
		{`llm_query(" ")`, "ValueError", "llm_query() was given an empty text"},
		{`llm_query_batched("ab")`, "TypeError", "llm_query_batched() takes a list, not a str"},
		{`llm_query("a", model="none")`, "SubcallError", "nothing is left\nStop."},
		{`agent("fail 1")`, "SubcallError", "fail 1\nGo on."},
		{`agent("a", x=object())`, "TypeError", "a value of type object cannot be an argument: pass text, numbers, lists and dicts"},
		{`agent("a", **{"a b": 1})`, "ValueError", "agent() cannot name data 'a b': a name has letters, digits and _, 64 at most"},
		{`rlm_query_batched(["a"], ["x", "y"])`, "ValueError", "rlm_query_batched() was given 1 prompts and 2 contexts"},
		{`llm_query_batched(["a", "fail 2"])`, "SubcallError", "1 of 2 failed, the first: fail 2\nGo on. What the others gave is in the exception: e.results."},
	} {
		r := k.Run(c.code)
		if r.Done.Error == nil || r.Done.Error.Name != c.name || r.Done.Error.Value != c.value {
			t.Errorf("%s: %+v", c.code, r.Done.Error)
		} else if strings.Contains(r.Done.Error.Traceback, "praxis subcalls") {
			t.Errorf("%s shows the kernel's own frames:\n%s", c.code, r.Done.Error.Traceback)
		}
	}
	if got := k.Run("try:\n    llm_query_batched(['a', 'fail'])\nexcept SubcallError as e:\n    print(e.results[0], repr(e.results[1]), e.kind)").Stdout; got != "query  a SubcallError('fail') unavailable\n" {
		t.Errorf("a batch that failed in part gives %s", got)
	}
	k.Send(map[string]any{"op": "environ", "set": map[string]string{}, "unset": []string{"PRAXIS_SUBCALLS"}})
	if r := k.Run("llm_query('a')"); r.Done.Error == nil || r.Done.Error.Name != "NameError" {
		t.Errorf("when nothing is exposed any more: %+v", r.Done.Error)
	}
}

// TestGiven makes variables of files.
func TestGiven(t *testing.T) {
	k := start(t, nil)
	dir := t.TempDir()
	var given []language.Given
	for _, f := range []struct{ name, form, text string }{
		{"context", "text", "one\r\ntwo \xff é"},
		{"n", "shared", "{\"praxis\":1,\"from\":\"python\",\"kind\":\"json\"}\n[1,{\"a\":null}]"},
	} {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
		given = append(given, language.Given{Name: f.name, Path: path, Form: f.form})
	}
	if r := k.Run(load(given)); r.Done.Error != nil {
		t.Fatal(r.Done.Error)
	}
	if got := k.Text("context, n"); got != `('one\r\ntwo � é', [1, {'a': None}])` {
		t.Errorf("the variables are %s", got)
	}
	if r := k.Run(load([]language.Given{{Name: "x", Path: dir + "/none", Form: "shared"}})); r.Done.Error == nil || r.Done.Error.Name != "KeyError" {
		t.Errorf("a file that is not there: %+v", r.Done.Error)
	}
}
