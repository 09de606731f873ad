package scripted_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/scripted"
)

const script = `A comment before the first directive.

=== reply

First I look.

` + "```python\n\nprint(1)\n```" + `

=== note the file has a header
that is a comment too
=== expect region
=== refuse Traceback
=== reply cut
\=== not a directive
=== call execute_python
x = 1

print(x)
=== call final_answer text
done
`

func parse(t *testing.T, text string) *scripted.Model {
	t.Helper()
	m, err := scripted.Parse("demo", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func after(text string, replies int) llm.Request {
	var req llm.Request
	for range replies {
		req.Messages = append(req.Messages, llm.Message{Role: llm.User, Text: "q"}, llm.Message{Role: llm.Assistant, Text: "a"})
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.User, Results: []llm.Result{{Text: text}}})
	return req
}

func TestReplies(t *testing.T) {
	m := parse(t, script)
	if m.Name() != "scripted:demo" {
		t.Errorf("name = %s", m.Name())
	}
	want := []llm.Reply{
		{Text: "First I look.\n\n```python\n\nprint(1)\n```"},
		{Text: "=== not a directive", Cut: true, Calls: []llm.Call{
			{ID: "script_2_1", Name: "execute_python", Input: map[string]any{"code": "x = 1\n\nprint(x)"}},
			{ID: "script_2_2", Name: "final_answer", Input: map[string]any{"text": "done"}},
		}},
	}
	for i, w := range want {
		for range 2 { // a model keeps no state
			var shown string
			got, err := m.Complete(t.Context(), after("region,amount", i), func(s string) { shown += s })
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, w) || shown != w.Text {
				t.Errorf("reply %d = %+v (shown %q), want %+v", i+1, got, shown, w)
			}
		}
	}
}

func TestReplyIsCopied(t *testing.T) {
	m := parse(t, script)
	first, err := m.Complete(t.Context(), after("region", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Calls[0].Input["code"] = "changed"
	second, err := m.Complete(t.Context(), after("region", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if second.Calls[0].Input["code"] == "changed" {
		t.Error("a reply shares its input with the script")
	}
}

func TestChecks(t *testing.T) {
	m := parse(t, script)
	tests := []struct {
		name, seen string
		replies    int
		want       string
	}{
		{"missing", "amount only", 1, `line 14 expects the observation before reply 2 to contain "region", but it is "amount only"`},
		{"present", "region Traceback", 1, `line 15 expects the observation before reply 2 not to contain "Traceback"`},
		{"over", "region", 2, "it ends after 2 replies"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := m.Complete(t.Context(), after(tt.seen, tt.replies), nil)
			if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), tt.want) || fault.RemedyOf(err) == "" {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestBadScripts(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "line 1: it holds no reply"},
		{"comment only", "hello\n", "it holds no reply"},
		{"unknown", "=== repyl\n", `line 1: "repyl" is no directive`},
		{"no word", "===\n", `"" is no directive`},
		{"reply of what", "=== reply twice\n", `line 1: "twice" after reply`},
		{"reply cut twice", "=== reply cut cut\n", `line 1: "cut" after reply`},
		{"reply after nothing", "=== reply after\n", `line 1: "after" after reply`},
		{"reply after what", "=== reply after soon\n", `line 1: "soon" is no time`},
		{"reply after long", "=== reply after 1h\n", `line 1: "1h" is no time`},
		{"when nothing", "=== when\n=== reply\n", `line 1: "when" needs a text`},
		{"text after when", "=== when a\nstray\n=== reply\n", `line 1: text after "when"`},
		{"part without reply", "=== when a\n=== when b\n=== reply\n", "line 1: it holds no reply"},
		{"check before part", "=== reply\n=== expect a\n=== when b\n=== reply\n", "line 2: a check without a reply"},
		{"check without reply", "=== reply\na\n=== expect b\n", "line 3: a check without a reply"},
		{"check without text", "=== expect\n=== reply\n", `line 1: "expect" needs a text`},
		{"text after check", "=== expect a\nstray\n=== reply\n", `line 1: text after "expect"`},
		{"text after the last check", "=== reply\n=== expect a\nstray", `line 2: text after "expect"`},
		{"call first", "=== call x\n", "line 1: a call belongs to a reply"},
		{"call after check", "=== reply\n=== expect a\n=== call x\n", "line 3: a call belongs to a reply"},
		{"nameless call", "=== reply\n=== call\n", "line 2: a call is written"},
		{"too large", strings.Repeat("x", scripted.MaxBytes+1), "longer than"},
		{"too many", strings.Repeat("=== reply\n", 1001), "line 1001: more than 1000 replies"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scripted.Parse("demo", strings.NewReader(tt.text))
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestParts checks which part of a script answers a question.
func TestParts(t *testing.T) {
	m := parse(t, "=== reply\nfirst\n=== reply\nsecond\n=== when page 1\n=== reply after 1ms\none\n=== when page\n=== reply cut after 1ms\nany\n")
	for _, c := range []struct {
		question string
		replies  int
		want     string
	}{{"all", 0, "first"}, {"all", 1, "second"}, {"read page 1", 0, "one"}, {"read page 2", 0, "any"}} {
		req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: c.question}}}
		for range c.replies {
			req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant}, llm.Message{Role: llm.User})
		}
		got, err := m.Complete(t.Context(), req, nil)
		if err != nil || got.Text != c.want || got.Cut != (c.want == "any") {
			t.Errorf("%s: %+v, %v", c.question, got, err)
		}
	}
	only := parse(t, "=== when a\n=== reply\nx\n")
	if _, err := only.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "b"}}}, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a question that no part answers: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := parse(t, "=== reply after 1m\nx\n").Complete(ctx, after("", 0), nil); fault.KindOf(err) != fault.Canceled {
		t.Errorf("a reply that is waited for: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sales.script")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(script, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := scripted.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name() != "scripted:sales" {
		t.Errorf("name = %s", m.Name())
	}
	if got, err := m.Complete(t.Context(), after("", 0), nil); err != nil || strings.Contains(got.Text, "\r") {
		t.Errorf("reply = %q, %v", got.Text, err)
	}
	if _, err := scripted.Open(filepath.Join(dir, "none")); fault.KindOf(err) != fault.NotFound || strings.Count(err.Error(), "none") != 1 {
		t.Errorf("error = %v, want not found", err)
	}
	if _, err := scripted.Open(dir); fault.KindOf(err) != fault.Invalid {
		t.Errorf("error = %v, want invalid", err)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	said := 0
	_, err := parse(t, "=== reply\none").Complete(ctx, after("", 0), func(string) { said++ })
	if fault.KindOf(err) != fault.Canceled || said > 0 {
		t.Errorf("error = %v, want canceled, %d pieces", err, said)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(script)
	f.Add("=== reply\n=== call a b\n=== expect c\n=== reply")
	f.Add("\\===\n=== note\n===\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := scripted.Parse("fuzz", strings.NewReader(text))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "\n") {
				t.Errorf("error = %q, want one line and invalid", err)
			}
			return
		}
		for n := range strings.Count(text, "reply") {
			got, err := m.Complete(context.Background(), after(text, n), nil)
			if err != nil {
				if fault.KindOf(err) != fault.Conflict {
					t.Errorf("error = %v, want conflict", err)
				}
				continue
			}
			for _, c := range got.Calls {
				if c.ID == "" || c.Name == "" || len(c.Input) != 1 {
					t.Errorf("call = %+v", c)
				}
			}
		}
	})
}

// TestThoughtAndTokens checks what a reply has beside its text.
func TestThoughtAndTokens(t *testing.T) {
	m := parse(t, "=== reply\n=== thought\nHm.\nYes.\n=== tokens 1200 34\n=== reply\nDone.")
	thought := ""
	req := after("", 0)
	req.Reasoning = func(text string) { thought += text }
	got, err := m.Complete(t.Context(), req, nil)
	if err != nil || got.Text != "" || got.Reasoning.Text != "Hm.\nYes." || thought != got.Reasoning.Text || got.Tokens.Input != 1200 || got.Tokens.Output != 34 {
		t.Errorf("got %+v, %v, streamed %q", got, err, thought)
	}
	for _, bad := range []string{"=== thought\nx", "=== tokens 1 2", "=== reply\n=== tokens 1", "=== reply\n=== tokens 1 x", "=== reply\n=== tokens 1 2 3", "=== reply\n=== tokens -1 2", "=== reply\n=== tokens 1 2\ntext", "=== reply\n=== expect x\n=== thought"} {
		if _, err := scripted.Parse("demo", strings.NewReader(bad)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
