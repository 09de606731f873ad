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
	"praxis/internal/server/live"
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

// A run that broke off goes on, another goes another way from one of its steps, and both
// can be read step by step.
func TestRecords(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	model := func(name, text string) string { return "scripted:" + w.file(name, text) }
	step := "=== reply\n```python\nprint 42\n```\n"
	broken := w.must(key, "POST", "/v1/runs", object{"question": "What is it?", "model": model("a", step)}, 201)
	record := fmt.Sprint(broken["record"])
	if broken["failure"] == nil {
		t.Fatalf("got %v", broken)
	}
	got := w.must(key, "POST", "/v1/records/"+record+"/resume", object{"model": model("b", step+"=== reply\nFINAL ANSWER: It is 42.\n")}, 201)
	if answer, _ := got["answer"].(object); answer["text"] != "It is 42." {
		t.Fatalf("got %v", got)
	}
	w.must(key, "POST", "/v1/records/"+fmt.Sprint(got["record"])+"/resume", object{}, 409)
	branch := w.must(key, "POST", "/v1/records/"+fmt.Sprint(got["record"])+"/branch", object{"from": 2, "question": "What else?", "model": model("c", step+"=== reply\nFINAL ANSWER: It is 42.\n")}, 201)
	if branch["branch"] == nil || branch["record"] == got["record"] {
		t.Fatalf("got %v", branch)
	}
	tree := w.must(key, "GET", "/v1/records/"+record, nil, 200)
	if events := objects(tree["events"]); len(events) < 3 || events[0]["event"] != "run_began" || !strings.Contains(fmt.Sprint(events), "print 42") {
		t.Errorf("got %v", tree)
	}
	all := w.must(key, "POST", "/v1/records/verify", nil, 200)
	chain, _ := all["chain"].(object)
	if len(objects(all["records"])) != 3 || len(objects(chain["problems"])) != 0 || chain["entries"] == 0.0 {
		t.Errorf("got %v", all)
	}
	_, bundle := w.call(key, "GET", "/v1/records/"+record+"/export", nil)
	w.must(w.key("other"), "POST", "/v1/records/import", fmt.Sprint(bundle["text"]), 201)
}

// A plan waits at a call, and goes on when a key that may decide approves it.
func TestPlans(t *testing.T) {
	w := newSavingWorld(t)
	runner, approver := w.key("default"), w.key("default", access.Run, access.Approve)
	plan := object{"text": "from tools import notes\nprint(notes.save(text='a'))\n"}
	if got := w.must(runner, "POST", "/v1/plans/explain", plan, 200); got["accepted"] != true || len(objects(got["calls"])) != 1 {
		t.Errorf("got %v", got)
	}
	plan["later"] = true
	got := w.must(runner, "POST", "/v1/plans/run", plan, 201)
	if p, _ := got["plan"].(object); p["waiting"] == nil {
		t.Fatalf("got %v", got)
	}
	path := fmt.Sprintf("/v1/plans/%s/resume", got["record"])
	w.must(runner, "POST", path, object{"approve": true}, 403)
	w.must(runner, "POST", path, object{"endorse": "trust me", "result": "kept"}, 403)
	w.must(approver, "POST", path, object{}, 400)
	done := w.must(approver, "POST", path, object{"approve": true}, 201)
	if p, _ := done["plan"].(object); strings.TrimSpace(fmt.Sprint(p["output"])) != "kept a" {
		t.Errorf("got %v", done)
	}
	w.must(runner, "POST", "/v1/runs", object{"question": "?", "mode": "plan", "strict": true}, 400)
	script := w.file("plan.txt", "=== reply\n```python\nfrom tools import notes\nprint(notes.save(text='b'))\n```\n")
	got = w.must(runner, "POST", "/v1/runs", object{"question": "Keep b", "mode": "plan", "later": true, "model": "scripted:" + script}, 201)
	if got["waiting"] == nil {
		t.Errorf("got %v", got)
	}
	for path, body := range map[string]object{
		"explain": {"policy": "version: 1\nrules: []\n"}, "test": {"policy": "version: 1\nrules: []\n"}, "draft": {},
	} {
		w.must(runner, "POST", "/v1/policies/"+path, body, 200)
	}
	w.must(runner, "POST", "/v1/policies/test", object{}, 400)
}

// A conversation is renamed and removed while its session is open: the session goes with it, and
// one without a conversation stays.
func TestThreadsOfOpenSessions(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	script := w.file("script.txt", "=== reply\nFINAL ANSWER: It is 42.\n")
	for _, name := range []string{"one", "bare"} {
		w.must(key, "POST", "/v1/sessions", object{"id": name}, 201)
	}
	w.must(key, "POST", "/v1/runs", object{"question": "What is it? 42?", "thread": "one", "model": "scripted:" + script}, 201)
	w.execute(key, "one", "set x")
	for _, what := range []string{"rename", "fork"} {
		w.must(key, "POST", "/v1/threads/one/"+what, object{"to": "bare"}, 409)
	}
	w.must(key, "POST", "/v1/threads/one/rename", object{"to": "two"}, 204)
	w.must(key, "GET", "/v1/sessions/one", nil, 404)
	if x := w.execute(key, "two", "get x"); !strings.Contains(fmt.Sprint(x["stdout"], x["result"]), "true") {
		t.Errorf("got %v", x)
	}
	w.must(key, "DELETE", "/v1/threads/two", nil, 204)
	for _, path := range []string{"/v1/sessions/two", "/v1/threads/two"} {
		w.must(key, "GET", path, nil, 404)
	}
	w.must(key, "DELETE", "/v1/threads/bare", nil, 404)
	w.must(key, "GET", "/v1/sessions/bare", nil, 200)
	w.stop()
	w.start()
	if list := objects(w.must(key, "GET", "/v1/sessions", nil, 200)["sessions"]); len(list) != 1 || list[0]["id"] != "bare" {
		t.Errorf("after a start there are %v", list)
	}
}

// What a tenant keeps is listed, changed and taken away.
func TestLibrary(t *testing.T) {
	w := newWorld(t)
	key := w.key("default", access.Admin)
	script := w.file("script.txt", "=== reply\n```python\nprint 42\n```\n=== reply\nFINAL ANSWER: It is 42.\n")
	w.must(key, "POST", "/v1/runs", object{"question": "What is it?", "thread": "one", "model": "scripted:" + script}, 201)
	w.must(key, "POST", "/v1/threads/one/fork", object{"to": "two"}, 204)
	w.must(key, "POST", "/v1/threads/two/rename", object{"to": "three"}, 204)
	if got := w.must(key, "GET", "/v1/threads/three", nil, 200); len(objects(got["turns"])) != 1 {
		t.Errorf("got %v", got)
	}
	w.must(key, "GET", "/v1/threads/two", nil, 404)
	w.must(key, "GET", "/v1/notes/none", nil, 404)
	w.must(key, "DELETE", "/v1/notes/none", nil, 404)
	w.must(key, "POST", "/v1/images", object{"with": []string{"pandas"}}, 201)
	w.must(key, "POST", "/v1/images", object{"file": "name: x\ncopy:\n  ./passwd: /x\n"}, 403)
	w.must(key, "POST", "/v1/images", object{"file": "name: x\nallow-net: [example.com]\nrun: [\"true\"]\n"}, 403)
	w.must(key, "GET", "/v1/images/none/history", nil, 503) // toys have no steps
	w.must(key, "GET", "/v1/images/none", nil, 503)
	if got := w.must(key, "GET", "/v1/storage", nil, 200); got["bytes"] == 0.0 {
		t.Errorf("got %v", got)
	}
}

// A skill is stored when its tests pass, and travels as a file that nobody vouches for.
func TestSkills(t *testing.T) {
	w := newWorld(t)
	key, other := w.key("default", access.Admin), w.key("other", access.Admin)
	w.must(key, "POST", "/v1/skills", object{"name": "a"}, 400)
	w.must(key, "POST", "/v1/skills", object{"name": "twice", "code": "def twice(x):\n    \"\"\"Doubles.\"\"\"\n    return 2 * x\n"}, 400) // without tests
	if got := w.must(key, "GET", "/v1/skills", nil, 200); len(objects(got["skills"])) != 0 {
		t.Errorf("got %v", got)
	}
	w.must(key, "POST", "/v1/skills/test", nil, 200)
	w.must(key, "GET", "/v1/skills/none", nil, 404)
	w.must(key, "GET", "/v1/skills/none/export", nil, 404)
	w.must(key, "DELETE", "/v1/skills/none", nil, 404)
	w.must(other, "POST", "/v1/skills/import", "no file", 400)
}

// A session travels to another tenant as a file, which the operator alone takes in; one that is
// there is not replaced, and what it may have counts.
func TestSessionTravels(t *testing.T) {
	w := newWorld(t)
	key, other := w.key("default", access.Admin), w.key("other", access.Admin)
	w.must(other, "POST", "/v1/sessions", object{"id": "one", "limits": object{"memory_bytes": 3 << 30}}, 201)
	w.execute(other, "one", "set x")
	_, file := w.call(other, "GET", "/v1/sessions/one/export?head=true", nil)
	text := fmt.Sprint(file["text"])
	w.must(other, "POST", "/v1/sessions/import?id=two", text, 403)
	w.must(w.key("default"), "POST", "/v1/sessions/import?id=two", text, 403)
	w.must(key, "POST", "/v1/sessions/import?id=two", text, 201)
	if x := w.execute(key, "two", "get x"); !strings.Contains(fmt.Sprint(x["stdout"], x["result"]), "true") {
		t.Errorf("got %v", x)
	}
	w.must(key, "POST", "/v1/sessions/import?id=two", text, 409)
	w.must(key, "POST", "/v1/sessions/import?id=three", text[:len(text)/2], 400)
	w.must(key, "GET", "/v1/sessions/three", nil, 404)
	w.must(key, "POST", "/v1/sessions/two/pause", nil, 200)
	if err := w.s.quotas.Put("default", access.Quota{Memory: 2 << 30}); err != nil {
		t.Fatal(err)
	}
	w.must(key, "POST", "/v1/sessions/two/resume", nil, 429)
}

// A run whose client does not wait for it goes on when the server starts anew, under its id,
// with the question that was open; a reader learns that events are gone.
func TestRunsGoOn(t *testing.T) {
	w := newSavingWorld(t)
	key := w.key("default", access.Admin)
	script := w.file("script.txt", "=== reply\n```python\nprint 42\nmake out.txt made here\n```\n=== reply\n```python\ncall notes.save {\"text\":\"a\"}\n```\n=== reply\nFINAL ANSWER: It is 42.\n")
	run := w.must(key, "POST", "/v1/runs", object{"question": "What is it?", "model": "scripted:" + script, "detach": true, "keep_files": true}, 201)
	path := fmt.Sprintf("/v1/runs/%s", run["id"])
	last := ""
	w.events(w.request(key, "GET", path+"/events", nil), func(id, name, _ string) bool { last = id; return name != "approval_open" })
	w.stop()
	w.start()
	if err := w.s.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := w.request(key, "GET", path+"/events", nil)
	r.Header.Set("Last-Event-ID", last)
	var names []string
	w.events(r, func(_, name, data string) bool {
		names = append(names, name)
		if name == "approval_open" {
			for _, q := range objects(w.must(key, "GET", "/v1/approvals", nil, 200)["approvals"]) {
				w.must(key, "POST", fmt.Sprintf("/v1/approvals/%s", q["id"]), object{"decision": "once"}, 204)
			}
		}
		return true
	})
	got := w.must(key, "GET", path, nil, 200)
	if answer, _ := got["answer"].(object); answer["text"] != "It is 42." || len(names) < 3 || names[0] != "lost" {
		t.Fatalf("got %v after %v", got, names)
	}
	if made := w.must(key, "GET", path+"/files", nil, 200); !strings.Contains(fmt.Sprint(made), "made here") {
		t.Errorf("what it made is not kept: %v", made)
	}
	_, log := w.call(key, "GET", fmt.Sprintf("/v1/records/%s/export?format=jsonl", got["record"]), nil)
	if text := fmt.Sprint(log["text"]); !strings.Contains(text, `"tenant":"default"`) {
		t.Errorf("the record does not say on whose behalf it was: %.300s", text)
	}
	if left, err := filepath.Glob(filepath.Join(w.home, Folder, live.RunsFolder, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// No operation and no door reads the replies of a model from a file of the server, unless its
// operator allows that.
func TestFileModels(t *testing.T) {
	w := newWorld(t)
	w.s.shared.FileModels = false
	key := w.key("default", access.Admin)
	for path, in := range map[string]object{
		"/v1/runs": {"question": "?"}, "/v1/plans/run": {"text": "print(1)\n"}, "/v1/records/last/resume": {}, "/v1/records/last/branch": {"from": 1, "question": "?"},
		"/openai/v1/chat/completions": {"messages": []object{{"role": "user", "content": "?"}}}, "/openai/v1/responses": {"input": "?"},
	} {
		modes := []string{""}
		if path == "/v1/runs" {
			modes = []string{app.ModeCode, app.ModeTools, app.ModeBoth, app.ModePlan}
		}
		for _, mode := range modes {
			for _, model := range []string{"scripted:x", "replay:x", "record:x"} {
				if in["model"] = model; mode != "" {
					in["mode"] = mode
				}
				if got := w.must(key, "POST", path, in, 403); !strings.Contains(fmt.Sprint(got), "models of files") {
					t.Errorf("%s %s: got %v", path, mode, got)
				}
			}
		}
	}
	w.must(key, "POST", "/v1/runs", object{"question": "?", "fallback_models": []string{"scripted:x"}, "mode": "plan"}, 403)
	w.must(key, "POST", "/v1/runs", object{"question": "?", "subcall_models": []string{"scripted:x"}}, 403)
}

// A question says nothing that its mode would leave out without a word.
func TestModesRefuse(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	for name, value := range map[string]any{"keep_files": true, "language": "sql", "limits": object{"memory_bytes": 1 << 30}, "max_steps": 2, "no_skills": true, "thread": "t"} {
		got := w.must(key, "POST", "/v1/runs", object{"question": "?", "mode": "plan", "model": "scripted:x", name: value}, 400)
		if !strings.Contains(fmt.Sprint(got["detail"]), name) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	w.must(key, "POST", "/v1/runs", object{"question": "?", "later": true}, 400)
}
