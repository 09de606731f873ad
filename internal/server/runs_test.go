package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/app"
	"praxis/internal/server/access"
)

// file writes a file of the operator's, and returns its path.
func (w *world) file(name, text string) string {
	w.Helper()
	path := filepath.Join(w.home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// saving is a tool that somebody has to agree to.
const saving = `tools:
  - name: notes.save
    version: 1.0.0
    description: Keeps a note.
    effects: write
    approval: true
    input: {type: object, required: [text], additionalProperties: false, properties: {text: {type: string}}}
    output: {type: string}
    run: {command: {argv: [echo, "kept {text}"], output: text}}
`

func newSavingWorld(t *testing.T) *world {
	w := newWorld(t)
	w.stop()
	w.tools = app.ToolSpec{Files: []string{w.file("tools.yaml", saving)}, Commands: true}
	w.start()
	return w
}

// objects returns a list of an answer.
func objects(v any) []object {
	list, _ := v.([]any)
	out := []object{}
	for _, o := range list {
		out = append(out, o.(object))
	}
	return out
}

// A call that somebody has to agree to is an open question: an event of its run, answered by
// its id with the scope approve, once, and recorded with the key.
func TestApprovals(t *testing.T) {
	w := newSavingWorld(t)
	runner, approver := w.key("default"), w.key("default", access.Read, access.Approve)
	code := strings.Repeat(`call notes.save {"text":"a"}`+"\n", 3) + `call notes.save {"text":"b"}`
	started := w.must(runner, "POST", "/v1/runs/code", object{"code": code, "detach": true}, 201)
	decisions := []string{"once", "exact", "deny"} // the third call is covered by the second's
	seen := map[string]bool{}
	w.events(w.request(runner, "GET", fmt.Sprintf("/v1/runs/%s/events", started["id"]), nil), func(_, name, data string) bool {
		if name != "approval_open" {
			return true
		}
		var q struct {
			ID, For string
			Call    struct {
				Tool      string
				Arguments struct{ Text string }
				New       map[string][]string
			}
		}
		if err := json.Unmarshal([]byte(data), &q); err != nil {
			t.Fatal(err)
		}
		if q.For != started["id"] || q.Call.Tool != "notes.save" || len(decisions) == 0 || seen[q.ID] {
			t.Fatalf("got %s", data)
		}
		open := objects(w.must(approver, "GET", "/v1/approvals", nil, 200)["approvals"])
		if len(open) != 1 || open[0]["id"] != q.ID {
			t.Fatalf("open: %v", open)
		}
		path := "/v1/approvals/" + q.ID
		w.must(runner, "POST", path, object{"decision": "once"}, 403)
		w.must(approver, "POST", path, object{"decision": "always"}, 400)
		for old := range seen {
			w.must(approver, "POST", "/v1/approvals/"+old, object{"decision": "once"}, 404)
		}
		seen[q.ID] = true
		w.must(approver, "POST", path, object{"decision": decisions[0], "reason": "as I say"}, 204)
		decisions = decisions[1:]
		return true
	})
	run := w.must(runner, "GET", fmt.Sprintf("/v1/runs/%s", started["id"]), nil, 200)
	x := fmt.Sprint(run["code"])
	if len(decisions) != 0 || strings.Count(x, "kept a") != 3 || strings.Contains(x, "kept b") || !strings.Contains(x, "as I say") {
		t.Errorf("%d questions were not asked: %v", len(decisions), run)
	}
	_, log := w.call(runner, "GET", fmt.Sprintf("/v1/records/%s/export?format=jsonl", run["record"]), nil)
	if text := fmt.Sprint(log["text"]); strings.Count(text, `"who":"key `) != 4 || !strings.Contains(text, " of default\"") {
		t.Errorf("the record does not say who decided: %v", text)
	}
	if v := w.must(runner, "POST", fmt.Sprintf("/v1/records/%s/replay", run["record"]), nil, 200); v["identical"] != true {
		t.Errorf("got %v", v)
	}
}

// A question is gone with the client that waited for its run, and is never asked where
// nobody is to be.
func TestApprovalsEnd(t *testing.T) {
	w := newSavingWorld(t)
	key := w.key("default", access.Admin)
	code := object{"code": `call notes.save {"text":"a"}`, "stream": true}
	w.events(w.request(key, "POST", "/v1/runs/code", code), func(_, name, _ string) bool { return name != "approval_open" })
	run := objects(w.must(key, "GET", "/v1/runs", nil, 200)["runs"])[0]
	w.events(w.request(key, "GET", fmt.Sprintf("/v1/runs/%s/events", run["id"]), nil), func(string, string, string) bool { return true })
	if open := objects(w.must(key, "GET", "/v1/approvals", nil, 200)["approvals"]); len(open) != 0 {
		t.Errorf("open: %v", open)
	}
	got := w.must(key, "POST", "/v1/runs/code", object{"code": code["code"], "unattended": true}, 201)
	if text := fmt.Sprint(got); strings.Contains(text, "kept") || !strings.Contains(text, "nobody is asked") {
		t.Errorf("got %v", got)
	}
}
