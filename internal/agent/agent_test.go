package agent_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm"
	"praxis/internal/llm/scripted"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// py is the language of the code in these tests.
var py = python.Language()

var update = flag.Bool("update", false, "write the transcripts anew")

// TestTranscripts plays whole conversations. A file of testdata holds sections,
// each opened by a line "-- name --":
//
//	question    what is asked
//	config      JSON of the fields of agent.Config that matter
//	script      the model's replies, in the format of package scripted
//	session     what the session must be sent and what it gives: lines after ">>>"
//	            are the code (of the snippet that evaluates placeholders: its
//	            first line and the placeholders), "<<<" begins the JSON of its Execution, "!!!" an error
//	history     JSON of the conversation that goes before
//	schema      what the answer must keep to
//	checks      JSON of the checks of the answer
//	notes       JSON of the notes that a search finds; without it there are none to be used
//	transcript  what must come of it: events, and what the model receives (-update writes it)
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := sections(string(raw))
			got := play(t, c)
			if *update {
				i := strings.Index(string(raw), "-- transcript --\n")
				if i < 0 {
					t.Fatal("no transcript section")
				}
				if err := os.WriteFile(file, []byte(string(raw)[:i]+"-- transcript --\n"+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := c["transcript"]; got != want {
				t.Errorf("transcript:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func sections(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			continue
		}
		out[name] += line
	}
	return out
}

// play runs a conversation and returns its transcript.
func play(t *testing.T, c map[string]string) string {
	t.Helper()
	cfg := agent.Config{Languages: language.Table{py}}
	if text := c["config"]; text != "" {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&cfg); err != nil {
			t.Fatal(err)
		}
	}
	script, err := scripted.Parse("case", strings.NewReader(c["script"]))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	session := parseSession(t, c["session"])
	model := &recordedEvents{Model: script, log: &log, t: t}
	cfg.Model = model
	cfg.Session = session
	cfg.Sink = event.SinkFunc(func(e event.Event) {
		model.expect(e)
		show(&log, e)
	})
	cfg.Now = clock()
	if cfg.Budget.Cost > 0 {
		cfg.Cost = func(t event.Tokens) float64 { return float64(t.Total()) / 1000 }
	}
	if text := c["history"]; text != "" {
		if err := json.Unmarshal([]byte(text), &cfg.History); err != nil {
			t.Fatal(err)
		}
	}
	if text := c["notes"]; text != "" {
		n := &notes{saved: map[string]string{}}
		if err := json.Unmarshal([]byte(text), &n.found); err != nil {
			t.Fatal(err)
		}
		cfg.Notes = n
	}
	if text := c["tools"]; text != "" {
		tools := toolbox{}
		if err := json.Unmarshal([]byte(text), &tools); err != nil {
			t.Fatal(err)
		}
		cfg.Tools = tools
		if _, ok := c["session"]; !ok {
			cfg.Session = nil
		}
	}
	if text := c["schema"]; text != "" {
		s, err := schema.Parse("schema.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Schema = &agent.Schema{Text: text, Check: func(value []byte) error {
			v, err := jsondoc.Decode(value)
			if err != nil {
				return err
			}
			if m := s.Validate(v); m != nil {
				return errors.New(m.All())
			}
			return nil
		}}
	}
	if text := c["checks"]; text != "" {
		cfg.Checks.Language = py
		if err := json.Unmarshal([]byte(text), &cfg.Checks.List); err != nil {
			t.Fatal(err)
		}
	}
	if cfg.Budget.Window > 0 {
		stored := blobs{}
		cfg.Store, cfg.Load = stored.Store, stored.Load
	}
	answer, err := agent.Run(t.Context(), cfg, c["question"])
	if rest := len(session.turns) - session.next; rest > 0 {
		t.Errorf("%d executions of the session were not asked for", rest)
	}
	fmt.Fprintf(&log, "answer: %q\n", answer.Text)
	for _, f := range answer.Figures {
		fmt.Fprintf(&log, "figure: %q %s %s", f.Text, f.Source, f.Expression)
		if m := cmp.Or(f.Match, f.Nearest); m != nil {
			fmt.Fprintf(&log, "(%s: %s)", m.Text, m.Place())
		}
		fmt.Fprintln(&log)
	}
	fmt.Fprintf(&log, "steps: %d, tokens: {%d %d}, took: %s\n", answer.Steps, answer.Tokens.Input, answer.Tokens.Output, answer.Took)
	if err != nil {
		fmt.Fprintf(&log, "error: %s: %s\nremedy: %s\ndraft: %q\nfound: %q\n", fault.KindOf(err), err, fault.RemedyOf(err), answer.Draft, answer.Found)
	}
	return log.String()
}

// toolbox are tools by their names, and what each call of one gives.
type toolbox map[string]string

func (b toolbox) Tools() []llm.Tool {
	var out []llm.Tool
	for _, name := range slices.Sorted(maps.Keys(b)) {
		out = append(out, llm.Tool{Name: name, Description: "Gives " + name + ".", Schema: map[string]any{"type": "object"}})
	}
	return out
}

func (b toolbox) Call(_ context.Context, _ int, id string, c llm.Call) (agent.Used, error) {
	text, failed := strings.CutPrefix(b[c.Name], "failed: ")
	return agent.Used{Tool: c.Name, Text: text + " (" + id + ")", Failed: failed}, nil
}

// clock goes on by a second whenever it is read.
func clock() func() time.Time {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

// recordedEvents writes down what the model received last, and gives every reply tokens.
// It checks that each request is as the events describe it, and one that providers
// take.
type recordedEvents struct {
	llm.Model
	log      *bytes.Buffer
	t        *testing.T
	expected []llm.Message
	replies  []llm.Message // as many as were given: the script counts them, also those that are condensed
}

func (h *recordedEvents) expect(e event.Event) {
	if e, ok := e.(event.ModelRequested); ok {
		h.expected = append(slices.Clone(h.expected[:e.Repeated]), e.Messages...)
	}
}

func (h *recordedEvents) check(messages []llm.Message) {
	if !reflect.DeepEqual(messages, h.expected) {
		h.t.Errorf("the events describe another request: %+v, want %+v", h.expected, messages)
	}
	for i, m := range messages {
		if want := []llm.Role{llm.User, llm.Assistant}[i%2]; m.Role != want {
			h.t.Errorf("message %d is of the %s", i, m.Role)
		}
		var calls []llm.Call
		if i > 0 {
			calls = messages[i-1].Calls
		}
		if len(m.Results) != len(calls) && m.Role == llm.User {
			h.t.Errorf("message %d holds %d results for %d calls", i, len(m.Results), len(calls))
			continue
		}
		for j, r := range m.Results {
			if r.CallID != calls[j].ID || r.Text == "" {
				h.t.Errorf("message %d, result %d is %+v for the call %s", i, j, r, calls[j].ID)
			}
		}
	}
}

func (h *recordedEvents) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	h.check(req.Messages)
	last := req.Messages[len(req.Messages)-1]
	if last.Text != "" {
		fmt.Fprintf(h.log, "received:\n%s", indent(last.Text))
	}
	for _, r := range last.Results {
		mark := ""
		if r.IsError {
			mark = " (error)"
		}
		fmt.Fprintf(h.log, "received %s%s:\n%s", r.CallID, mark, indent(r.Text))
	}
	req.Messages = append(slices.Clone(h.replies), last)
	h.replies = append(h.replies, llm.Message{Role: llm.Assistant})
	reply, err := h.Model.Complete(ctx, req, delta)
	reply.Tokens = event.Tokens{Input: 100, Output: 10}
	return reply, err
}

// indent sets a text off and folds lines that repeat.
func indent(text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && lines[i+n] == lines[i] {
			n++
		}
		b.WriteString("    | " + lines[i])
		if n > 1 {
			fmt.Fprintf(&b, "  (%d times)", n)
		}
		b.WriteString("\n")
		i += n
	}
	return b.String()
}

func show(log *bytes.Buffer, e event.Event) {
	switch e := e.(type) {
	case event.ModelDelta:
		return // the reply is in the script
	case event.ModelRequested:
		fmt.Fprintf(log, "ModelRequested step %d %s: %d kept, %d new\n", e.Step, e.Model, e.Repeated, len(e.Messages))
	case event.ModelReplied:
		fmt.Fprintf(log, "ModelReplied step %d, %s: %q\n", e.Step, e.Took, e.Thought)
	case event.ExecutionBegan:
		what := ""
		if e.Purpose != "" {
			what = fmt.Sprintf(" for %s %s", e.Purpose, e.Check)
		}
		fmt.Fprintf(log, "ExecutionBegan step %d%s\n%s", e.Step, what, indent(brief(e.Code)))
	case event.Output:
		fmt.Fprintf(log, "Output %s %d bytes\n", e.Stream, len(e.Data))
	case event.ExecutionEnded:
		fmt.Fprintf(log, "ExecutionEnded step %d %s %s\n", e.Step, e.Execution.Status, e.Execution.Message)
	case event.AnswerGiven: // its figures are listed below
		fmt.Fprintf(log, "AnswerGiven %q\n", e.Text)
		if e.Value != nil || e.Files != nil {
			fmt.Fprintf(log, "    value %s, files %q\n", e.Value, e.Files)
		}
		if e.Incomplete != "" {
			fmt.Fprintf(log, "incomplete: %s\n", e.Incomplete)
		}
	case event.ToolCalled:
		fmt.Fprintf(log, "ToolCalled step %d %s %s %v\n", e.Step, e.ID, e.Tool, e.Arguments)
	case event.ToolReturned:
		fmt.Fprintf(log, "ToolReturned step %d %s, %s: %s\n%s", e.Step, e.ID, e.Took, e.Error, indent(e.Result))
	case event.HistoryCondensed:
		fmt.Fprintf(log, "HistoryCondensed step %d: %d messages, %d bytes, %s\n%s", e.Step, e.Messages, e.Bytes, e.Whole, indent(e.Summary))
	default:
		fmt.Fprintf(log, "%s %+v\n", strings.TrimPrefix(fmt.Sprintf("%T", e), "event."), e)
	}
}

// brief leaves out of snippets what is always the same.
func brief(code string) string {
	if code == py.Model.Changes {
		return "CHANGES"
	}
	const first = "# the figures of the answer"
	_, placeholders, ok := strings.Cut(code, "\n__figures__(\n")
	if !ok || !strings.HasPrefix(code, first) {
		return code
	}
	return first + "\n__figures__(\n" + placeholders
}

// fake is a session that expects certain code and gives certain results.
type fake struct {
	t     *testing.T
	turns []turn
	next  int
}

type turn struct {
	code string
	x    event.Execution
	err  error
}

func parseSession(t *testing.T, text string) *fake {
	t.Helper()
	f := &fake{t: t}
	for i, entry := range strings.Split(text, ">>>\n")[1:] {
		code, result, ok := strings.Cut(entry, "\n<<<")
		if !ok {
			var message string
			if code, message, ok = strings.Cut(entry, "\n!!! "); !ok {
				t.Fatalf("entry %d of the session has no result", i+1)
			}
			kind, message, _ := strings.Cut(strings.TrimSpace(message), " ")
			turn := turn{code: code, err: errors.New(message)}
			if kind == "invalid" {
				turn.err = fault.New(fault.Invalid, "", "%s", message)
			}
			f.turns = append(f.turns, turn)
			continue
		}
		x := event.Execution{State: event.Intact}
		if err := json.Unmarshal([]byte(result), &x); err != nil {
			t.Fatalf("entry %d of the session: %v", i+1, err)
		}
		x.Stdout = strings.ReplaceAll(x.Stdout, "LONG", strings.Repeat("0123456789\n", 2000))
		f.turns = append(f.turns, turn{code: code, x: x})
	}
	return f
}

func (f *fake) Execute(_ context.Context, _, code string, sink event.Sink) (event.Execution, error) {
	if f.next >= len(f.turns) {
		f.t.Errorf("the session was sent too much: %s", code)
		return event.Execution{}, errors.New("too much")
	}
	turn := f.turns[f.next]
	f.next++
	if code = brief(code); code != turn.code {
		f.t.Errorf("execution %d: code %q, want %q", f.next, code, turn.code)
	}
	sink.Emit(event.ExecutionBegan{Code: "the session's own event"})
	if turn.x.Stdout != "" {
		sink.Emit(event.Output{Stream: event.Stdout, Data: []byte(turn.x.Stdout)})
	}
	return turn.x, turn.err
}

// notes remember what was saved, and find the same whatever is looked for.
type notes struct {
	found []agent.Note
	saved map[string]string
}

func (n *notes) Save(_ context.Context, step int, text string, _ []string) (id string, known bool, err error) {
	if strings.Contains(text, "too long") {
		return "", false, fault.New(fault.Invalid, "Save a shorter one.", "cannot save the note: it is too long")
	}
	if id, known = n.saved[text]; !known {
		id = fmt.Sprintf("note%d-of-step%d", len(n.saved)+1, step)
		n.saved[text] = id
	}
	return id, known, nil
}

func (n *notes) Search(_ context.Context, query string) ([]agent.Note, error) {
	switch query {
	case "nothing":
		return nil, nil
	case "broken":
		return nil, errors.New("the disk is gone")
	}
	return n.found, nil
}

// blobs keep content by its hash.
type blobs map[string][]byte

func (b blobs) Store(_ context.Context, data []byte) (string, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	b[sum] = bytes.Clone(data)
	return sum, nil
}

func (b blobs) Load(_ context.Context, sum string) ([]byte, error) {
	if data, ok := b[sum]; ok {
		return data, nil
	}
	return nil, fault.New(fault.NotFound, "", "cannot read blob %s: there is none", sum)
}

func TestSystemPrompt(t *testing.T) {
	var req llm.Request
	script, err := scripted.Parse("case", strings.NewReader("=== reply\nFINAL ANSWER: yes"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = agent.Run(t.Context(), agent.Config{
		Languages: language.Table{py},
		Model:     spy{script, &req}, Session: &fake{t: t}, Budget: agent.Budget{Reply: 123}, Packages: []string{"numpy 2.3.1", "pandas 2.3.0"},
		Files: []agent.File{{Name: "a.csv", Path: "/work/a.csv", Bytes: 12, Profile: "x,y\n1,2\n"}, {Name: "b.bin", Path: "/work/b.bin", Bytes: 5, Note: "is not text"}},
	}, "Well?")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s\n\n%s\n", req.System, req.Messages[0].Text)
	for _, tool := range req.Tools {
		schema, err := json.Marshal(tool.Schema)
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf("\n%s: %s\n%s\n", tool.Name, tool.Description, schema)
	}
	compare(t, "testdata/system.golden", got)
	if req.MaxTokens != 123 {
		t.Errorf("a reply may have %d tokens", req.MaxTokens)
	}
}

// traits are a model of which something else is known.
type traits struct {
	llm.Model
	is event.Traits
}

func (m traits) Traits() event.Traits { return m.is }

// TestFormats checks that a prompt mentions the formats that the model has, and no others.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct {
		is       event.Traits
		has, not []string
		tools    int
	}{
		"native":     {event.Traits{Sees: true}, []string{"call the tool execute_python", "You see the pictures", "Your limits: 10 steps in all, 30s for each execution, 1GiB of memory."}, []string{"```", "FINAL ANSWER", "cannot see"}, 5},
		"a server":   {event.Traits{Local: true}, []string{"call the tool execute_python", "if you have no tools, write one fenced block:\n```python\n", "FINAL ANSWER", "cannot see pictures"}, nil, 5},
		"text alone": {event.Traits{TextOnly: true}, []string{"To run code, write one fenced block:\n```python\n", "```recall", "FINAL ANSWER", "- look: Gives look. Arguments: {\"type\":\"object\"}"}, []string{"call the tool execute", "call the tool final", "if you have no tools"}, 0},
	} {
		var req llm.Request
		script, err := scripted.Parse("case", strings.NewReader("=== reply\nFINAL ANSWER: yes"))
		if err != nil {
			t.Fatal(err)
		}
		cfg := agent.Config{
			Languages: language.Table{py}, Model: traits{spy{script, &req}, c.is}, Session: &fake{t: t}, Notes: &notes{}, Tools: toolbox{"look": ""},
			Bounds: event.Bounds{Timeout: event.Duration(30 * time.Second)}, Limits: event.Limits{Memory: 1 << 30},
		}
		if _, err := agent.Run(t.Context(), cfg, "Well?"); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.has {
			if !strings.Contains(req.System, want) {
				t.Errorf("%s: the prompt lacks %q", name, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(req.System, not) {
				t.Errorf("%s: the prompt has %q", name, not)
			}
		}
		if len(req.Tools) != c.tools {
			t.Errorf("%s: the request has %d tools", name, len(req.Tools))
		}
	}
}

// TestSystemPromptWithNotes checks what is added when there are notes.
func TestSystemPromptWithNotes(t *testing.T) {
	prompt := func(n agent.Notes) (string, []llm.Tool) {
		var req llm.Request
		script, err := scripted.Parse("case", strings.NewReader("=== reply\nFINAL ANSWER: yes"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agent.Run(t.Context(), agent.Config{Languages: language.Table{py}, Model: spy{script, &req}, Session: &fake{t: t}, Notes: n}, "Well?"); err != nil {
			t.Fatal(err)
		}
		return req.System, req.Tools
	}
	without, two := prompt(nil)
	with, four := prompt(&notes{})
	got, ok := strings.CutPrefix(with, without)
	if !ok || len(two) != 2 || len(four) != 4 || strings.Contains(without, "note") {
		t.Fatalf("notes change the rest of the prompt, or the tools: %d and %d", len(two), len(four))
	}
	got = strings.TrimSpace(got) + "\n"
	for _, tool := range four[2:] {
		schema, err := json.Marshal(tool.Schema)
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf("\n%s: %s\n%s\n", tool.Name, tool.Description, schema)
	}
	compare(t, "testdata/notes.golden", got)
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("prompt:\n%s\nwant:\n%s", got, want)
	}
}

// spy keeps the last request.
type spy struct {
	llm.Model
	req *llm.Request
}

func (s spy) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	*s.req = req
	return s.Model.Complete(ctx, req, delta)
}

// waiting is a model and a session that do nothing until they are canceled.
type waiting struct {
	llm.Model
	entered chan struct{}
}

func (w waiting) Execute(ctx context.Context, _, _ string, _ event.Sink) (event.Execution, error) {
	close(w.entered)
	<-ctx.Done()
	return event.Execution{Status: event.Interrupted, State: event.Intact}, nil
}

type waitingModel struct{ waiting }

func (w waitingModel) Complete(ctx context.Context, _ llm.Request, _ func(string)) (llm.Reply, error) {
	close(w.entered)
	<-ctx.Done()
	return llm.Reply{}, ctx.Err()
}

func TestCancel(t *testing.T) {
	script, err := scripted.Parse("case", strings.NewReader("=== reply\n```python\nx\n```"))
	if err != nil {
		t.Fatal(err)
	}
	w := waiting{Model: script, entered: make(chan struct{})}
	tests := map[string]struct {
		cfg  agent.Config
		last string // what was begun is closed
	}{
		"while the model thinks": {agent.Config{Languages: language.Table{py}, Model: waitingModel{waiting{Model: script, entered: make(chan struct{})}}, Session: w}, "model_failed"},
		"while code runs":        {agent.Config{Languages: language.Table{py}, Model: script, Session: w}, "execution_ended"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := tt.cfg
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var last event.Event
				cfg.Sink = event.SinkFunc(func(e event.Event) { last = e })
				fresh := waiting{Model: script, entered: make(chan struct{})}
				cfg.Session = fresh
				if _, ok := cfg.Model.(waitingModel); ok {
					cfg.Model = waitingModel{fresh}
				}
				done := make(chan error)
				go func() {
					_, err := agent.Run(ctx, cfg, "Well?")
					done <- err
				}()
				<-fresh.entered
				cancel()
				if err := <-done; fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.Canceled) {
					t.Errorf("error = %v, want canceled", err)
				}
				if got := event.Name(last); got != tt.last {
					t.Errorf("the last event is %s, want %s", got, tt.last)
				}
			})
		})
	}
}

func TestNothingToRun(t *testing.T) {
	if _, err := agent.Run(t.Context(), agent.Config{Languages: language.Table{py}, Session: &fake{t: t}}, "Well?"); err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("no model: error = %v", err)
	}
	script, err := scripted.Parse("case", strings.NewReader("=== reply\nFINAL ANSWER: yes"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Run(t.Context(), agent.Config{Languages: language.Table{py}, Model: script, Session: &fake{t: t}}, " \n"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no question: error = %v, want invalid", err)
	}
}
