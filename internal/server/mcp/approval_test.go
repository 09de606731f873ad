package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/internal/app"
	"praxis/internal/server/access"
)

const saving = `tools:
  - name: notes.save
    version: 1.0.0
    description: Keeps a note.
    effects: write
    approval: true
    input: {type: object, required: [text], additionalProperties: false, properties: {text: {type: string}}}
    output: {type: string}
    run: {command: {argv: [echo, "saved {text}"], output: text}}
`

// savingTools are a tool whose calls a person has to agree to.
func savingTools(t *testing.T) app.ToolSpec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(file, []byte(saving), 0o600); err != nil {
		t.Fatal(err)
	}
	return app.ToolSpec{Files: []string{file}, Commands: true, Approval: app.ApprovalSpec{}}
}

const savingPlan = "from tools import notes\nprint(notes.save(text='one'))\nprint(notes.save(text='two'))\n"

// The person at the client decides about calls that a rule leaves to a person, in both versions
// of the protocol: each call by itself, or all of a run; who does not agree denies.
func TestApproval(t *testing.T) {
	w := newWorld(t, settings{tools: savingTools(t)})
	for _, version := range []string{legacy, stateless} {
		for _, c := range []struct {
			name, action, decision string
			questions              int32
			want                   string
		}{
			{"once", "accept", "once", 2, "saved one\n\nsaved two"},
			{"run", "accept", "run", 1, "saved one\n\nsaved two"},
			{"denied", "accept", "deny", 1, "was not called"},
			{"declined", "decline", "", 1, "was not called"},
			{"dismissed", "cancel", "", 1, "was not called"},
		} {
			t.Run(version+" "+c.name, func(t *testing.T) {
				var questions atomic.Int32
				p := w.connect(w.key, version, &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					questions.Add(1)
					if !strings.Contains(r.Params.Message, "notes.save") || !strings.Contains(r.Params.Message, `"text"`) {
						t.Errorf("the question is %q", r.Params.Message)
					}
					out := &sdk.ElicitResult{Action: c.action}
					if c.action == "accept" {
						out.Content = map[string]any{"decision": c.decision}
					}
					return out, nil
				}})
				text, _, out, _ := p.call("run_plan", object{"plan": savingPlan})
				if !strings.Contains(text, c.want) || questions.Load() != c.questions {
					t.Errorf("%d questions, want %d: %q, %v", questions.Load(), c.questions, text, out)
				}
			})
		}
	}
}

// A question that a client asks again, with the answer of its person, goes on in the session that
// it began in.
func TestApprovalOfQuestion(t *testing.T) {
	w := newWorld(t, settings{tools: savingTools(t)})
	w.says("=== reply\n```python\nset a\ncall notes.save {\"text\":\"one\"}\n```\n=== reply\nFINAL ANSWER: It is done.\n")
	var questions atomic.Int32
	p := w.connect(w.key, stateless, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		questions.Add(1)
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
	}})
	text, _, out, failed := p.call("ask", object{"question": "Do it."})
	session, _ := out["session"].(string)
	if has(t, text, "It is done.", "[session "+session+":"); failed || questions.Load() != 1 {
		t.Fatalf("%d questions: %q", questions.Load(), text)
	}
	if all := w.sessions(); len(all) != 1 || all[0] != session {
		t.Errorf("there are the sessions %v, want %s alone", all, session)
	}
	has(t, p.must("run_code", object{"code": "get a", "session": session}), "a is true")
}

// A key that may not approve has nobody to decide at the client: its calls wait for those who
// may, and whoever denies one is obeyed.
func TestApprovalByOthers(t *testing.T) {
	w := newWorld(t, settings{tools: savingTools(t)})
	p := w.connect(w.newKey(access.DefaultTenant, access.Run, access.Read), legacy, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		t.Error("the person at the client is asked, though the key may not approve")
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "run"}}, nil
	}})
	ended := make(chan string, 1)
	go func() {
		text, _, _, _ := p.call("run_plan", object{"plan": savingPlan})
		ended <- text
	}()
	var id string
	until(t, "there is an open question", func() bool {
		for _, q := range w.get("/v1/approvals")["approvals"].([]any) {
			id = fmt.Sprint(q.(map[string]any)["id"])
		}
		return id != ""
	})
	w.post("/v1/approvals/"+id, object{"decision": "deny"})
	has(t, <-ended, "was not called")
}

// A plan is checked without being run, and one that is refused says where.
func TestPlans(t *testing.T) {
	w := newWorld(t, settings{tools: savingTools(t)})
	p := w.connect(w.key, legacy, nil)
	text, _, out, failed := p.call("check_plan", object{"plan": savingPlan})
	if has(t, text, "accepted", "line 2: notes.save"); failed || out["accepted"] != true {
		t.Errorf("got %v", out)
	}
	text, _, out, failed = p.call("check_plan", object{"plan": "import os\n"})
	if has(t, text, "refused", "line 1"); failed || out["accepted"] != false {
		t.Errorf("got %v", out)
	}
	text, _, out, failed = p.call("run_plan", object{"plan": "import os\n"})
	if has(t, text, "line 1"); !failed || out["status"] != "refused" {
		t.Errorf("got %v", out)
	}
	text, _, out, failed = p.call("run_plan", object{"plan": "print(6 * 7)\n"})
	if has(t, text, "42"); failed || out["status"] != "ok" {
		t.Errorf("got %v", out)
	}
}
