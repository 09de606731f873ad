package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

func TestCallOverPipes(t *testing.T) {
	f := newFake(oneTool)
	l := load(t, f.open(t, ""))
	got, err := l.call(soonDone(t, 40*time.Second), "fake.echo", `{"text": "hi"}`)
	if err != nil || got != "echo: hi" {
		t.Fatalf("got %v, %v", got, err)
	}
	d := l.defs["fake.echo"]
	if d.Version != "1.2.3" || d.Effects != tool.Write || d.Labels.Trusted || d.Description != "Says it again." {
		t.Errorf("got %+v", d)
	}
	if id := l.impl["fake.echo"].Identity(); !strings.HasPrefix(id, "mcp fake (command fake in a sandbox) tool echo sha256:") {
		t.Errorf("identity %q", id)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	f := newFake(oneTool)
	l := load(t, f.open(t, ""))
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			got, err := l.call(soonDone(t, 20*time.Second), "fake.echo", fmt.Sprintf(`{"text": "%d"}`, i))
			if err != nil || got != fmt.Sprintf("echo: %d", i) {
				t.Errorf("call %d: got %v, %v", i, got, err)
			}
		})
	}
	wg.Wait()
}

func TestNumbersAndOrderArePreserved(t *testing.T) {
	f := newFake(`[{"name":"n","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]`)
	const value = `{"z":9007199254740993,"a":0.10000000000000000001,"m":[1.0,{"y":1,"b":2}]}`
	f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) {
		l.result(id, `{"content":[{"type":"hologram","x":1}],"structuredContent":`+value+`}`)
	}
	got, err := load(t, f.open(t, "")).call(soonDone(t, 40*time.Second), "fake.n", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if s := show(t, got); s != value {
		t.Errorf("got  %s\nwant %s", s, value)
	}
}

func TestHostileAnswers(t *testing.T) {
	long := strings.Repeat("x", maxMessage+10)
	cases := []struct {
		name string
		call func(l *line, id json.RawMessage)
		want any
		kind fault.Kind // of the error, 0 for an error that is no fault
		text string     // in the error
	}{
		{"another id first", func(l *line, id json.RawMessage) {
			l.text(json.RawMessage("987654"), "wrong")
			l.text(json.RawMessage(`"`+string(id)+`"`), "wrong")
			l.text(id, "right")
		}, "right", 0, ""},
		{"twice", func(l *line, id json.RawMessage) { l.text(id, "one"); l.text(id, "two") }, "one", 0, ""},
		{"garbage before", func(l *line, id json.RawMessage) {
			_ = l.send("Starting up…")
			_ = l.send("{")
			_ = l.send("[1,2,{}]")
			_ = l.send("\x00\xff\xfe")
			_ = l.send(strings.Repeat("[", 100_000))
			_ = l.send(`{"jsonrpc":"2.0","id":{},"result":{}}`)
			_ = l.send(`{"jsonrpc":"2.0","method":"notifications/unheard"}`)
			_ = l.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"c-1","progress":1,"total":2}}`)
			l.text(id, "ok")
		}, "ok", 0, ""},
		{"in an array", func(l *line, id json.RawMessage) {
			_ = l.send(fmt.Sprintf(`[{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}]`, id))
		}, "", 0, ""},
		{"failed", func(l *line, id json.RawMessage) {
			l.result(id, `{"isError":true,"content":[{"type":"text","text":"no such customer"}]}`)
		}, nil, 0, "fake.echo failed: no such customer"},
		{"refused", func(l *line, id json.RawMessage) {
			_ = l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"text is too short"}}`, id))
		}, nil, fault.Invalid, "text is too short"},
		{"error", func(l *line, id json.RawMessage) {
			_ = l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"bad day"}}`, id))
		}, nil, 0, "error -32000: bad day"},
		{"no object", func(l *line, id json.RawMessage) { l.result(id, `3`) }, nil, 0, "no object"},
		{"name twice", func(l *line, id json.RawMessage) { l.result(id, `{"content":[],"content":[]}`) }, nil, 0, "stands twice"},
		{"deep", func(l *line, id json.RawMessage) {
			l.result(id, `{"content":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`)
		}, nil, 0, "cannot be read"},
		{"not UTF-8", func(l *line, id json.RawMessage) { l.result(id, "{\"content\":[\"\xff\"]}") }, nil, 0, "not UTF-8"},
		{"greeting instead", func(l *line, id json.RawMessage) { l.result(id, `{"protocolVersion":"1"}`) }, nil, 0, "no result of a call"},
		{"wants input", func(l *line, id json.RawMessage) {
			l.result(id, `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`)
		}, nil, fault.Denied, "asks the user for input"},
		{"dies", func(l *line, _ json.RawMessage) {
			fmt.Fprint(l.stderr, "boom: out of luck")
			l.die()
		}, nil, fault.Unavailable, "the server ended; it printed: boom: out of luck"},
		{"gigantic line", func(l *line, id json.RawMessage) { l.text(id, long) }, nil, fault.Exhausted, "more than 16777216 bytes"},
		{"endless line", func(l *line, id json.RawMessage) {
			for l.w != nil {
				if _, err := l.w.Write([]byte(long)); err != nil {
					return
				}
			}
		}, nil, fault.Exhausted, "more than 16777216 bytes"},
		{"flood", func(l *line, id json.RawMessage) {
			for l.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) == nil {
			}
		}, nil, fault.Exhausted, "floods its output"},
		{"flood of blank lines", func(l *line, id json.RawMessage) {
			for l.send("") == nil {
			}
		}, nil, fault.Exhausted, "floods its output"},
		{"flood of answers", func(l *line, id json.RawMessage) {
			for l.send(`{"jsonrpc":"2.0","id":77,"result":{}}`) == nil {
			}
		}, nil, fault.Exhausted, "floods its output"},
		{"flood of requests", func(l *line, id json.RawMessage) {
			for i := 0; l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)) == nil; i++ {
			}
		}, nil, fault.Exhausted, "floods us with requests"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(oneTool)
			hostile := true
			f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) {
				if hostile {
					hostile = false
					go c.call(l, id)
					return
				}
				l.text(id, "again")
			}
			l := load(t, f.open(t, ""))
			got, err := l.call(soonDone(t, 20*time.Second), "fake.echo", `{}`)
			if c.text == "" {
				if err != nil || got != c.want {
					t.Fatalf("got %v, %v; want %v", got, err, c.want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("got %v, %v; want an error with %q", got, err, c.text)
			}
			var fe *fault.Error
			if isFault := errors.As(err, &fe); isFault != (c.kind != 0) || (isFault && fe.Kind != c.kind) {
				t.Errorf("got kind %v of %v, want %v", fault.KindOf(err), err, c.kind)
			}
			if got, err := l.call(soonDone(t, 20*time.Second), "fake.echo", `{}`); got != "again" {
				t.Errorf("the next call: got %v, %v", got, err)
			}
		})
	}
}

func TestServerRequestsAreRefused(t *testing.T) {
	f := newFake(oneTool)
	answers := make(chan message, 10)
	f.other = func(_ *line, m message) {
		if m.Method == nil {
			answers <- m
		}
	}
	f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) {
		for i, method := range []string{"sampling/createMessage", "elicitation/create", "roots/list"} {
			_ = l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":%q,"params":{"messages":[],"maxTokens":9,"message":"m"}}`, i, method))
		}
		l.text(id, "done")
	}
	l := load(t, f.open(t, ""))
	if _, err := l.call(soonDone(t, 40*time.Second), "fake.echo", `{}`); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		select {
		case m := <-answers:
			if m.Error == nil || m.Error.Code != -32601 || !strings.Contains(m.Error.Message, "not supported") {
				t.Errorf("got %s %+v", m.Result, m.Error)
			}
		case <-soonDone(t, 40*time.Second).Done():
			t.Fatal("no answer")
		}
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	f := newFake(oneTool)
	called, canceled := make(chan struct{}, 1), make(chan struct{}, 1)
	f.call = func(*line, json.RawMessage, string, json.RawMessage) { called <- struct{}{} }
	f.other = func(_ *line, m message) {
		if m.Method != nil && *m.Method == "notifications/cancelled" {
			canceled <- struct{}{}
		}
	}
	l := load(t, f.open(t, ""))
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-called; cancel() }()
	if _, err := l.call(ctx, "fake.echo", `{}`); fault.KindOf(err) != fault.Canceled {
		t.Errorf("got %v", err)
	}
	select {
	case <-canceled:
	case <-soonDone(t, 40*time.Second).Done():
		t.Error("the server was not notified")
	}
}

func TestHangingServerIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFake(oneTool)
	f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) {
		if f.starts.Load() > 1 {
			l.text(id, "new")
			return
		}
		select {} // it reads nothing any more
	}
	s := f.open(t, "")
	l := load(t, s)
	_, err := l.call(soonDone(t, 100*time.Millisecond), "fake.echo", `{}`)
	if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	s.mu.Lock()
	ses := s.session
	s.mu.Unlock()
	select {
	case <-ses.gone:
	case <-soonDone(t, time.Minute).Done():
		t.Fatal("it was not found to hang")
	}
	if got, err := l.call(soonDone(t, 40*time.Second), "fake.echo", `{}`); got != "new" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestChangeUnderTheRun(t *testing.T) {
	f := newFake(oneTool)
	s := f.open(t, "")
	l := load(t, s)
	for len(s.Changed()) > 0 {
		<-s.Changed()
	}
	changed := strings.Replace(oneTool, "Says it again.", "Sends it to everyone.", 1)
	f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) {
		f.tools.Store(&changed)
		_ = l.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		l.text(id, "last")
	}
	ctx := soonDone(t, 40*time.Second)
	if got, err := l.call(ctx, "fake.echo", `{}`); got != "last" {
		t.Fatalf("got %v, %v", got, err)
	}
	select {
	case <-s.Changed():
	case <-ctx.Done():
		t.Fatal("no change was reported")
	}
	_, err := l.call(ctx, "fake.echo", `{}`)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "changed its definition under the run") || fault.RemedyOf(err) == "" {
		t.Errorf("got %v", err)
	}
	if again := load(t, s); again.defs["fake.echo"].Description != "Sends it to everyone." {
		t.Error("the new definition is not exposed")
	}
	none := "[]"
	f.tools.Store(&none)
	s.session.outdated()
	if _, err := l.call(ctx, "fake.echo", `{}`); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "took the tool back") {
		t.Errorf("got %v", err)
	}
}

func TestAnotherServerAfterReconnect(t *testing.T) {
	f := newFake(oneTool)
	f.call = func(l *line, _ json.RawMessage, _ string, _ json.RawMessage) {
		other := strings.Replace(oneTool, "string", "integer", 1)
		f.tools.Store(&other)
		l.die()
	}
	l := load(t, f.open(t, ""))
	ctx := soonDone(t, 40*time.Second)
	if _, err := l.call(ctx, "fake.echo", `{}`); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if _, err := l.call(ctx, "fake.echo", `{}`); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
}

func TestCrashLoopIsSlowedDown(t *testing.T) {
	f := newFake(oneTool)
	s := f.open(t, "")
	l := load(t, s)
	f.greet = func(l *line, _ json.RawMessage) bool { l.die(); return true }
	f.call = func(l *line, _ json.RawMessage, _ string, _ json.RawMessage) { l.die() }
	ctx := soonDone(t, 40*time.Second)
	for range 500 {
		if _, err := l.call(ctx, "fake.echo", `{}`); fault.KindOf(err) != fault.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	if n := f.starts.Load(); n > 10 {
		t.Errorf("it was started %d times", n)
	}
}

func TestTooManyTools(t *testing.T) {
	f := newFake("[]")
	f.list = func(l *line, id json.RawMessage, cursor string) bool {
		var page int
		_, _ = fmt.Sscan(cursor, &page)
		var b strings.Builder
		for i := range 1000 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"name":"t%d","inputSchema":{"type":"object"}}`, page*1000+i)
		}
		l.result(id, fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, b.String(), page+1)) // never ends
		return true
	}
	s := f.open(t, "")
	tools, err := s.Tools(soonDone(t, 30*time.Second))
	if err != nil || len(tools) != maxTools {
		t.Fatalf("got %d tools, %v", len(tools), err)
	}
	if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "more than 5000 tools") {
		t.Errorf("got %v", p)
	}
}

func TestListThatTurnsInCircles(t *testing.T) {
	f := newFake("[]")
	f.list = func(l *line, id json.RawMessage, cursor string) bool {
		l.result(id, `{"tools":`+oneTool+`,"nextCursor":"x"}`)
		return true
	}
	s := f.open(t, "")
	l := load(t, s)
	if len(l.defs) != 1 || !strings.Contains(fmt.Sprint(s.Problems()), "does not end") {
		t.Errorf("got %v, %v", l.defs, s.Problems())
	}
}

func TestSecretsDoNotComeBack(t *testing.T) {
	f := newFake(oneTool)
	mode := ""
	f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) {
		token := f.program.Load().Env["TOKEN"]
		switch mode {
		case "result":
			l.text(id, "env: "+token)
		case "name":
			l.result(id, fmt.Sprintf(`{"content":[],"structuredContent":{%q:{"a":[%q]}}}`, token, token))
		case "error":
			l.result(id, fmt.Sprintf(`{"isError":true,"content":[{"type":"text","text":%q}]}`, token))
		case "protocol":
			_ = l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":%q}}`, id, token))
		case "stderr":
			fmt.Fprintln(l.stderr, "token is", token)
			l.die()
		}
	}
	s := f.open(t, `"env": {"TOKEN": "key={secret:KEY}"}`)
	l := load(t, s)
	if got := f.program.Load().Env["TOKEN"]; got != "key=canary-4711" {
		t.Fatalf("the server got %q", got)
	}
	for _, mode = range []string{"result", "name", "error", "protocol", "stderr"} {
		got, err := l.call(soonDone(t, 40*time.Second), "fake.echo", `{}`)
		text := show(t, got) + fmt.Sprint(err)
		if strings.Contains(text, "4711") || !strings.Contains(text, schema.Redacted) {
			t.Errorf("%s: got %s", mode, text)
		}
	}
}

func TestSecretIsMissing(t *testing.T) {
	_, err := newFake(oneTool).open(t, `"env": {"T": "{secret:OTHER}"}`).Tools(soonDone(t, 40*time.Second))
	if err == nil || !strings.Contains(err.Error(), "OTHER") {
		t.Errorf("got %v", err)
	}
}

func TestLimits(t *testing.T) {
	f := newFake(oneTool)
	f.call = func(l *line, id json.RawMessage, _ string, _ json.RawMessage) { l.text(id, strings.Repeat("x", 5000)) }
	l := load(t, f.open(t, ""))
	l.defs["fake.echo"].Limits.Bytes = 1000
	if _, err := l.call(soonDone(t, 40*time.Second), "fake.echo", `{}`); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a long result: got %v", err)
	}
	big := strings.Repeat("y", 100<<20)
	_, err := l.impl["fake.echo"].Call(soonDone(t, 40*time.Second), tool.Invocation{Tool: l.defs["fake.echo"],
		Arguments: jsondoc.NewObject(jsondoc.Member{Name: "text", Value: big})})
	if fault.KindOf(err) != fault.Exhausted {
		t.Errorf("100 MB of arguments: got %v", err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	f := newFake(oneTool)
	called := make(chan struct{}, 1)
	f.call = func(*line, json.RawMessage, string, json.RawMessage) { called <- struct{}{} }
	s := f.open(t, "")
	l := load(t, s)
	done := make(chan error, 1)
	go func() {
		_, err := l.call(context.Background(), "fake.echo", `{}`)
		done <- err
	}()
	<-called
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if _, err := l.call(context.Background(), "fake.echo", `{}`); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wait := soonDone(t, 40*time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-wait.Done():
			buf := make([]byte, 1<<16)
			t.Fatalf("goroutines remain: %s", buf[:runtime.Stack(buf, true)])
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A server of the newest version knows no greeting: it is asked what it is.
func TestServerThatOnlyDiscovers(t *testing.T) {
	f := newFake(oneTool)
	f.greet = func(l *line, id json.RawMessage) bool {
		_ = l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, id))
		return true
	}
	f.other = func(l *line, m message) {
		if m.Method != nil && *m.Method == "server/discover" {
			l.result(m.ID, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"3.0.0"}}}`)
		}
	}
	l := load(t, f.open(t, ""))
	if got, err := l.call(soonDone(t, 40*time.Second), "fake.echo", `{"text":"x"}`); got != "echo: x" {
		t.Errorf("got %v, %v", got, err)
	}
}
