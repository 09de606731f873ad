package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// resumeWorld is a server that answers as a model does, by how often it answered before
// in the conversation, and a folder with tools.
type resumeWorld struct {
	*testing.T
	dir     string
	url     string
	replies []string
	output  int // tokens that each reply has; 0: 5

	mu       sync.Mutex
	requests map[int]int // requests, by the reply that they got
}

// golden are the replies of a run that calls a tool which acts and one that reads, fails
// once, and writes a file.
var golden = []string{
	"I begin.\n```python\nset x\ncall mail.send {\"to\": \"ann@acme.com\", \"body\": \"hello\"}\nprint 12\n```",
	"```python\nraise ValueError bad\n```",
	"```python\nget x\ncall mail.read {}\nmake out.txt hi\n```",
	"FINAL ANSWER: It is 12.",
}

func newResumeWorld(t *testing.T, replies ...string) *resumeWorld {
	w := &resumeWorld{T: t, dir: t.TempDir(), replies: replies, requests: map[int]int{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	for name, text := range map[string]string{"tools.yaml": mailTools, "policy.yaml": "version: 1\nrules:\n  - {name: all, tools: [mail.send], decision: allow, reason: a test, remedy: None.}\n", "in.csv": "a,b\n1,2\n", "inbox.txt": "hello"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// ServeHTTP answers one request of the chat completions protocol.
func (w *resumeWorld) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Role string } }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.Error(err)
	}
	n := 0
	for _, m := range body.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	w.mu.Lock()
	w.requests[n]++
	w.mu.Unlock()
	if n >= len(w.replies) {
		w.Errorf("reply %d is asked for", n)
		return
	}
	reply, err := json.Marshal(w.replies[n])
	if err != nil {
		w.Error(err)
	}
	out.Header().Set("Content-Type", "text/event-stream")
	const head = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[`
	fmt.Fprintf(out, head+`{"index":0,"delta":{"role":"assistant","content":%s},"finish_reason":null}]}`+"\n\n", reply)
	fmt.Fprint(out, head+`{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
	n = cmp.Or(w.output, 5)
	fmt.Fprintf(out, head+`],"usage":{"prompt_tokens":3,"completion_tokens":%d,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n", n, 3+n)
}

// once requires that each reply was asked for once, but for one that was on its way when
// the process was killed.
func (w *resumeWorld) once(open int) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	more := 0
	for n := range w.replies {
		more += w.requests[n] - 1
		if w.requests[n] == 0 {
			more = len(w.replies)
		}
	}
	if more < 0 || more > open {
		w.Errorf("the model was asked %v", w.requests)
	}
}

// sent counts what the tool did that acts.
func (w *resumeWorld) sent() int {
	data, err := os.ReadFile(filepath.Join(w.dir, "sent.txt"))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

func (w *resumeWorld) tools() ToolSpec {
	return ToolSpec{Files: []string{filepath.Join(w.dir, "tools.yaml")}, Policy: filepath.Join(w.dir, "policy.yaml"), Commands: true}
}

func (w *resumeWorld) app(t *testing.T, home string) *App {
	return toyAppIn(t, home, map[string]string{"OPENAI_BASE_URL": w.url + "/v1", "OPENAI_API_KEY": "k", "PATH": os.Getenv("PATH")})
}

// The variables of the process that is killed.
const (
	killAt     = "PRAXIS_TEST_KILL_AT" // the number of the event
	killIn     = "PRAXIS_TEST_KILL_IN" // the folder of the world
	killHome   = "PRAXIS_TEST_KILL_HOME"
	killURL    = "PRAXIS_TEST_KILL_URL"
	killRun    = "PRAXIS_TEST_KILL_RUN" // the run that is gone on with; "": it is asked for the first time
	killThread = "PRAXIS_TEST_KILL_THREAD"
)

// TestKilledProcess is no test: it is the process that TestResumeAfterKill kills.
func TestKilledProcess(t *testing.T) {
	at, err := strconv.Atoi(os.Getenv(killAt))
	if err != nil {
		t.Skip("it is a process of another test")
	}
	w := &resumeWorld{T: t, dir: os.Getenv(killIn), url: os.Getenv(killURL)}
	a, n := w.app(t, os.Getenv(killHome)), 0
	sink := event.SinkFunc(func(e event.Event) {
		if event.Transient(e) {
			return
		}
		if n++; n == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	if run := os.Getenv(killRun); run != "" {
		_, err = a.ResumeAsk(t.Context(), AskResume{Run: run, Tools: w.tools(), Files: []string{filepath.Join(w.dir, "in.csv")}}, sink)
	} else {
		_, err = a.Ask(t.Context(), w.question(os.Getenv(killThread)), sink)
	}
	t.Fatalf("it was not killed: %v", err)
}

func (w *resumeWorld) question(thread string) AskRequest {
	files, err := LocalFiles([]string{filepath.Join(w.dir, "in.csv")})
	if err != nil {
		w.Fatal(err)
	}
	return AskRequest{Question: "What is it?", Model: "openai:m", Thread: thread, Tools: w.tools(), Files: files}
}

// kill begins or goes on with a run in a process of its own, which is killed at an event.
func (w *resumeWorld) kill(home, run, thread string, at int) {
	w.Helper()
	c := exec.CommandContext(w.Context(), os.Args[0], "-test.run=^TestKilledProcess$")
	c.Env = append(os.Environ(), killAt+"="+strconv.Itoa(at), killIn+"="+w.dir, killHome+"="+home, killURL+"="+w.url, killRun+"="+run, killThread+"="+thread)
	out, err := c.CombinedOutput()
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); err == nil || !ok || s.Signal() != syscall.SIGKILL {
		w.Fatalf("the process was not killed at event %d: %v\n%s", at, err, out)
	}
}

// names are the events of a run that are recorded.
func names(r *recorded) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.events {
		if !event.Transient(e) {
			out = append(out, event.Name(e))
		}
	}
	return out
}

// whole runs the golden run to its end and returns its events.
func (w *resumeWorld) whole(thread string) []string {
	w.Helper()
	var events recorded
	out, err := w.app(w.T, w.TempDir()).Ask(w.Context(), w.question(thread), &events)
	if err != nil || out.Text != "It is 12." || w.sent() != 1 {
		w.Fatalf("%+v, %v, sent %d", out, err, w.sent())
	}
	return names(&events)
}

// TestResumeAfterKill kills the process at each event of a run, and goes on: the answer
// is the same, the model is asked each time once, and no call is made twice.
func TestResumeAfterKill(t *testing.T) {
	t.Parallel()
	for _, thread := range []string{"", "talk"} {
		all := newResumeWorld(t, golden...).whole(thread)
		for i, name := range all[:len(all)-1] {
			t.Run(fmt.Sprintf("%s%d %s", thread, i+1, name), func(t *testing.T) {
				t.Parallel()
				w, home := newResumeWorld(t, golden...), t.TempDir()
				w.kill(home, "", thread, i+1)
				w.resumes(home)
			})
		}
	}
}

// TestResumeAfterKills kills the run that goes on, too.
func TestResumeAfterKills(t *testing.T) {
	t.Parallel()
	all := newResumeWorld(t, golden...).whole("")
	for i := 7; i < len(all)-4; i += 6 {
		for at := 2; at <= 12; at += 5 {
			t.Run(fmt.Sprintf("%d %s, then %d", i, all[i-1], at), func(t *testing.T) {
				t.Parallel()
				w, home := newResumeWorld(t, golden...), t.TempDir()
				w.kill(home, "", "", i)
				w.kill(home, "last", "", at)
				w.resumes(home)
			})
		}
	}
}

// resumes goes on with the last run and checks what came of it.
func (w *resumeWorld) resumes(home string) {
	w.Helper()
	a := w.app(w.T, home)
	killed, err := a.ReadRun(w.Context(), "last")
	if err != nil {
		w.Fatal(err)
	}
	// What was under way when a process was killed, of all that came one after the other: a
	// request, whose answer may have come, and calls.
	requests, begun, ended := 0, 0, 0
	for run := killed; ; {
		parent, open := "", 0
		for _, r := range run.Records {
			switch e := r.Event.(type) {
			case event.ModelRequested:
				open++
			case event.ModelReplied:
				open--
			case event.ToolCalled:
				begun++
			case event.ToolReturned:
				ended++
			case event.RunBegan:
				if e.Parent != nil {
					parent = e.Parent.Run
				}
			}
		}
		requests += open
		if parent == "" {
			break
		}
		if run, err = a.ReadRun(w.Context(), parent); err != nil {
			w.Fatal(err)
		}
	}
	var events recorded
	out, err := a.ResumeAsk(w.Context(), AskResume{Run: "last", Tools: w.tools(), Files: []string{filepath.Join(w.dir, "in.csv")}}, &events)
	if err != nil || out.Text != "It is 12." || out.Unsaved != nil {
		w.Errorf("%+v, %v\n%v", out, err, names(&events))
		return
	}
	w.once(requests)
	// A call that was begun and has no end is not made again: nobody knows.
	if sent := w.sent(); sent > 1 || sent == 0 && begun == ended {
		w.Errorf("the tool did it %d times; %d calls were begun, %d ended", sent, begun, ended)
	}
	if out.Made.Files != 1 {
		w.Errorf("%d files were made", out.Made.Files)
	}
	if r, err := a.Replay(w.Context(), ReplayRequest{Run: out.Run}, event.Discard); err != nil || !r.Identical {
		w.Errorf("replayed: %v, %+v", err, r)
	}
	if _, err := a.ResumeAsk(w.Context(), AskResume{Run: out.Run, Tools: w.tools()}, event.Discard); fault.CodeOf(err) != fault.RunAnswered {
		w.Errorf("a run with an answer goes on: %v", err)
	}
}

// TestResumeTwice goes on with one run from many sides at once: one of them does.
func TestResumeTwice(t *testing.T) {
	w, home := newResumeWorld(t, golden...), t.TempDir()
	w.kill(home, "", "", 20)
	a := w.app(t, home)
	run, err := a.FindRun(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = a.ResumeAsk(t.Context(), AskResume{Run: run, Tools: w.tools()}, event.Discard)
		})
	}
	wg.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if fault.CodeOf(err) != fault.RunResumed {
			t.Error(err)
		}
	}
	if done != 1 || w.sent() != 1 {
		t.Errorf("%d went on, %d were sent", done, w.sent())
	}
	w.once(0)
}

// TestResumeUnknownCall does not make a call again that was begun and has no end, and says
// so to the person and to the model.
func TestResumeUnknownCall(t *testing.T) {
	w, home := newResumeWorld(t, golden...), t.TempDir()
	w.kill(home, "", "", slices.Index(w.whole(""), "decision_made")+1)
	a := w.app(t, home)
	if err := os.Remove(filepath.Join(w.dir, "sent.txt")); err != nil { // of the whole run
		t.Fatal(err)
	}
	var events recorded
	out, err := a.ResumeAsk(t.Context(), AskResume{Run: "last", Tools: w.tools()}, &events)
	if err != nil || out.Text != "It is 12." || w.sent() != 0 {
		t.Errorf("%+v, %v, sent %d", out, err, w.sent())
	}
	notices := eventsOf[event.Notice](&events)
	if len(notices) != 1 || !strings.Contains(notices[0].Text, "mail.send was being called in step 1 when run") {
		t.Errorf("the person receives %+v", notices)
	}
	returned := eventsOf[event.ToolReturned](&events)[0]
	if !strings.Contains(returned.Error, "mail.send was not called again") || returned.Rehearsed == "" {
		t.Errorf("the call returned %+v", returned)
	}
	if seen := eventsOf[event.ModelRequested](&events)[1].Messages; !strings.Contains(seen[len(seen)-1].Text, "it may be done") {
		t.Errorf("the model receives %+v", seen)
	}
}

// TestResumeRefuses refuses what cannot go on, each with what to do.
func TestResumeRefuses(t *testing.T) {
	w, home := newResumeWorld(t, golden...), t.TempDir()
	w.kill(home, "", "", 20)
	a := w.app(t, home)
	other := filepath.Join(w.dir, "other.yaml")
	if err := os.WriteFile(other, []byte(strings.Replace(mailTools, "Sends a mail.", "Sends another.", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		q    AskResume
		want string
	}{
		"no such run":    {AskResume{Run: "20000101-000000-0000"}, "there is no run"},
		"no tools":       {AskResume{Run: "last"}, "nothing says what implements its tools"},
		"other tools":    {AskResume{Run: "last", Tools: ToolSpec{Files: []string{other}, Commands: true}}, "the tools are not those"},
		"too many steps": {AskResume{Run: "last", MaxSteps: 5000}, "cannot use max steps"},
		"packages":       {AskResume{Run: "last", Tools: w.tools(), Session: SessionSpec{With: []string{"numpy"}}}, "in another session than its own"},
		"another file":   {AskResume{Run: "last", Files: []string{"x.csv=" + other}}, "was given no file of that name"},
	} {
		if _, err := a.ResumeAsk(t.Context(), c.q, event.Discard); err == nil || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := a.RunCode(t.Context(), CodeRequest{Code: "print 1"}, event.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeAsk(t.Context(), AskResume{Run: "last"}, event.Discard); fault.CodeOf(err) != fault.RunNoQuestion {
		t.Error(err)
	}
	// A thread that went on since is not taken back.
	w.kill(home, "", "talk", 20)
	run, err := a.FindRun(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(t.Context(), w.question("talk"), event.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeAsk(t.Context(), AskResume{Run: run, Tools: w.tools()}, event.Discard); fault.CodeOf(err) != fault.RunMoved {
		t.Error(err)
	}
}

// TestResumeKeepsToCost goes on with a run that may cost no more than it was allowed: a
// model whose price nobody knows is not asked.
func TestResumeKeepsToCost(t *testing.T) {
	w := newResumeWorld(t, golden...)
	a := toyAppIn(t, t.TempDir(), map[string]string{"OPENAI_BASE_URL": w.url + "/v1", "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://models.example"})
	ctx, stop := context.WithCancel(t.Context())
	_, err := a.Ask(ctx, AskRequest{Question: "What is it?", Model: "openai:m", Budget: event.Budget{Cost: 1}}, event.SinkFunc(func(e event.Event) {
		if _, ok := e.(event.StepBegan); ok {
			stop()
		}
	}))
	if fault.KindOf(err) != fault.Canceled {
		t.Fatal(err)
	}
	if _, err := a.ResumeAsk(t.Context(), AskResume{Run: "last", Model: "anthropic:unknown"}, event.Discard); fault.CodeOf(err) != fault.PriceUnknown {
		t.Error(err)
	}
}

// TestResumeWithMore goes on with a run whose tokens were used up, and may use more.
func TestResumeWithMore(t *testing.T) {
	w, home := newResumeWorld(t, golden...), t.TempDir()
	a := w.app(t, home)
	q := w.question("")
	q.Budget.Output, w.output = 100, 80
	if out, err := a.Ask(t.Context(), q, event.Discard); fault.CodeOf(err) != fault.TokensUsedUp || out.Steps != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := a.ResumeAsk(t.Context(), AskResume{Run: "last", Tools: w.tools(), Budget: event.Budget{Cost: -1}}, event.Discard); fault.KindOf(err) != fault.Invalid {
		t.Error(err)
	}
	out, err := a.ResumeAsk(t.Context(), AskResume{Run: "last", Tools: w.tools(), Budget: event.Budget{Output: 1000}}, event.Discard)
	if err != nil || out.Text != "It is 12." || w.sent() != 1 {
		t.Errorf("%+v, %v, sent %d", out, err, w.sent())
	}
	w.once(0)
	if r, err := a.Replay(t.Context(), ReplayRequest{Run: out.Run}, event.Discard); err != nil || !r.Identical {
		t.Errorf("replayed: %+v, %v", r, err)
	}
}
