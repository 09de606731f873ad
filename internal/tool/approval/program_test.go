package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

const secret = "canary-7f3a"

func webhook(t *testing.T, h http.HandlerFunc) *Webhook {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	w, err := NewWebhook(WebhookConfig{URL: server.URL + "/ask?token=" + secret, Secret: secret, Headers: map[string]string{"Authorization": "Bearer " + secret}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func grant(w io.Writer, bound string) {
	fmt.Fprintf(w, `{"granted":true,"scope":"exact","bound":%q,"who":"ann@example.com","reason":"as agreed"}`, bound)
}

func TestWebhook(t *testing.T) {
	var got map[string]any
	w := webhook(t, func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		now := time.Now()
		header := r.Header.Get(SignatureHeader)
		if !Verify(secret, header, body, now, time.Minute) {
			t.Errorf("the signature %q is wrong", header)
		}
		for what, ok := range map[string]bool{
			"another secret": Verify("other", header, body, now, time.Minute),
			"another body":   Verify(secret, header, append(body, ' '), now, time.Minute),
			"later":          Verify(secret, header, body, now.Add(2*time.Minute), time.Minute),
			"before":         Verify(secret, header, body, now.Add(-2*time.Minute), time.Minute),
			"no signature":   Verify(secret, "", body, now, time.Minute),
			"no secret":      Verify("", header, body, now, time.Minute),
			"another time":   Verify(secret, "t=1"+strings.TrimPrefix(header, "t="), body, now, 100*365*24*time.Hour),
		} {
			if ok {
				t.Errorf("%s: verified", what)
			}
		}
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s %v", r.Method, r.Header)
		}
		grant(rw, bound)
	})
	a := answerOf(t, w, deletion(t))
	if want := (gate.Answer{Granted: true, Scope: gate.Exact, By: gate.ByProgram, Who: "ann@example.com", Reason: "as agreed"}); a != want {
		t.Errorf("got %+v, want %+v", a, want)
	}
	for key, want := range map[string]any{
		"version": 1.0, "run": "r-1", "id": "c-7", "tool": "crm.delete", "tool_version": "1.2.0", "effects": "write", "origin": "code", "line": 12.0,
		"rule": "writes-ask", "reason": "it deletes", "bound": bound, "description": "Deletes a customer.",
	} {
		if got[key] != want {
			t.Errorf("%s: got %v, want %v", key, got[key], want)
		}
	}
	labels := got["labels"].(map[string]any)["why"].(map[string]any)
	if got["arguments"].(map[string]any)["customer"] != "c-1" || labels["trusted"] != false {
		t.Errorf("got %v", got)
	}
}

// TestProgramSeesMarks checks that programs get what a person sees beside the
// arguments: quotes, what is new and what is not what it seems.
func TestProgramSeesMarks(t *testing.T) {
	q := payment(t)
	q.Bound = bound
	q.Arguments = jsondoc.NewObject(jsondoc.Member{Name: "to", Value: "раypal"}, jsondoc.Member{Name: "why", Value: "rent"})
	q.Found = map[string][]gate.Found{"to": {{Text: "what mail.read returned (call c-1)", Quote: "pay раypal"}}}
	var got struct {
		Found    map[string][]gate.Found
		New, Odd map[string][]string
	}
	w := webhook(t, func(rw http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		grant(rw, bound)
	})
	memory := stored{}
	if a := answerOf(t, Remember(w, memory), q); !a.Granted {
		t.Fatal(a)
	}
	if len(got.Found["to"]) != 1 || got.Found["to"][0] != q.Found["to"][0] || len(got.New["to"]) != 1 || len(got.New["why"]) != 1 ||
		len(got.Odd) != 1 || !strings.Contains(strings.Join(got.Odd["to"], "\n"), "Cyrillic") {
		t.Errorf("got %+v", got)
	}
	got.New = nil
	answerOf(t, Remember(w, memory), q)
	if got.New == nil || len(got.New) > 0 {
		t.Errorf("got %v, want an empty object: all was approved before", got.New)
	}
}

// TestWebhookDenies checks that whatever a server does but answer properly is a no, without
// a secret in it.
func TestWebhookDenies(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("a redirect was followed")
		grant(w, bound)
	}))
	defer elsewhere.Close()
	for name, test := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
			grant(w, bound)
		}, "status 307; redirects are not followed"},
		"error with a grant": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); grant(w, bound) }, "status 500"},
		"created":            {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); grant(w, bound) }, "status 201"},
		"another bound":      {func(w http.ResponseWriter, r *http.Request) { grant(w, "ffff") }, "bound to another call"},
		"flood": {func(w http.ResponseWriter, r *http.Request) {
			junk := []byte(strings.Repeat(" ", 1<<16))
			for r.Context().Err() == nil {
				if _, err := w.Write(junk); err != nil {
					return
				}
			}
		}, "more than 64KiB"},
		"flood of headers": {func(w http.ResponseWriter, r *http.Request) {
			for i := range 2000 {
				w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 1000))
			}
			grant(w, bound)
		}, "cannot ask"},
		"breaks off": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			grant(w, bound)
		}, "broke off"},
		"page":  {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>yes") }, "no JSON"},
		"panic": {func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "cannot ask"},
	} {
		a := answerOf(t, webhook(t, test.h), deletion(t))
		if a.Granted || a.By != gate.ByNobody || a.Who == "" || !strings.Contains(a.Reason, test.want) {
			t.Errorf("%s: got %+v, want a denial with %q", name, a, test.want)
		}
		if strings.Contains(fmt.Sprint(a), secret) {
			t.Errorf("%s: the secret is in %+v", name, a)
		}
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	w, err := NewWebhook(WebhookConfig{URL: gone.URL + "/?" + secret, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, w, deletion(t)); a.Granted || !strings.Contains(a.Reason, "refused") || strings.Contains(fmt.Sprint(a), secret) {
		t.Errorf("nobody there: got %+v", a)
	}
}

// TestWebhookProvesWhoItIs checks that over https only a server with a certificate
// for its name gets the question.
func TestWebhookProvesWhoItIs(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { grant(w, bound) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	w, err := NewWebhook(WebhookConfig{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, w, deletion(t)); a.Granted || !strings.Contains(a.Reason, "certificate") {
		t.Errorf("got %+v", a)
	}
	if w, err = NewWebhook(WebhookConfig{URL: server.URL, Transport: server.Client().Transport}); err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, w, deletion(t)); !a.Granted {
		t.Errorf("got %+v", a)
	}
}

func TestWebhookHangs(t *testing.T) {
	started := make(chan struct{}, 2)
	w := webhook(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		started <- struct{}{}
		<-r.Context().Done()
	})
	a := answerOf(t, Timeout(w, 50*time.Millisecond), deletion(t))
	if a.Granted || a.By != gate.ByTimeout {
		t.Errorf("got %+v", a)
	}
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if a, err := w.Approve(ctx, deletion(t)); err != nil || a.Granted || a.By != gate.ByTimeout || !strings.Contains(a.Reason, "given up") {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestWebhookConfig(t *testing.T) {
	for name, headers := range map[string]map[string]string{
		"a line break":   {"X-A": "a\r\nHost: b" + secret},
		"an empty name":  {"": secret},
		"a colon":        {"X-A:": secret},
		"its own header": {SignatureHeader: secret},
		"the host":       {"hOsT": secret},
	} {
		_, err := NewWebhook(WebhookConfig{URL: "https://example.com", Secret: secret, Headers: headers})
		if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// script writes a program of the shell and returns an approver that runs it.
func script(t *testing.T, text string) *Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "approve.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := NewCommand([]string{"sh", path, "an argument"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	c := script(t, `cat > `+dir+`/question; echo "$1" > `+dir+`/argument; printf '{"granted":true,"scope":"run","bound":"5f0c","reason":"as agreed"}'`)
	a := answerOf(t, c, deletion(t))
	if want := (gate.Answer{Granted: true, Scope: gate.Whole, By: gate.ByProgram, Who: "sh", Reason: "as agreed"}); a != want {
		t.Errorf("got %+v, want %+v", a, want)
	}
	data, err := os.ReadFile(dir + "/question")
	if err != nil || !strings.Contains(string(data), `"arguments":{"customer":"c-1","why":"asked by mail"}`) {
		t.Errorf("got %s, %v", data, err)
	}
	if data, err := os.ReadFile(dir + "/argument"); err != nil || string(data) != "an argument\n" {
		t.Errorf("got %s, %v", data, err)
	}
}

func TestCommandDenies(t *testing.T) {
	const yes = `printf '{"granted":true,"bound":"5f0c"}'; `
	for text, want := range map[string]string{
		yes + `echo "no such ` + "\x1b" + `[31mhost" >&2; exit 3`: `it exited with 3: no such \x1b[31mhost`,
		yes + `kill -9 $$`:                         "ended by the signal killed",
		`printf '{"granted":true,"bound":"5f0d"}'`: "bound to another call",
		`exit 0`: "no JSON",
		`yes`:    "more than 64KiB",
		`yes >&2 & ` + yes + `kill -9 $!; exit 1`: "it exited with 1",
	} {
		a := answerOf(t, script(t, text), deletion(t))
		if a.Granted || a.By != gate.ByNobody || !strings.Contains(a.Reason, want) {
			t.Errorf("%s: got %+v, want a denial with %q", text, a, want)
		}
	}
	// One that does not read its question may still answer.
	q := deletion(t)
	q.Arguments.Set("why", strings.Repeat("x", 1<<20))
	if a := answerOf(t, script(t, "exec 0<&-; "+yes), q); !a.Granted {
		t.Errorf("got %+v", a)
	}
}

// TestCommandIsKilled checks that when time is over nothing of the program is left.
func TestCommandIsKilled(t *testing.T) {
	dir := t.TempDir()
	c := script(t, `(trap "" TERM HUP INT; while :; do sleep 1; done) & echo $! > `+dir+`/new; echo $$ >> `+dir+`/new; mv `+dir+`/new `+dir+`/pids; trap "" TERM; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan gate.Answer, 1)
	go func() {
		a, _ := c.Approve(ctx, deletion(t))
		done <- a
	}()
	pids := eventually(t, func() (string, bool) {
		data, err := os.ReadFile(dir + "/pids")
		return string(data), err == nil
	})
	cancel()
	if a := <-done; a.Granted || a.By != gate.ByTimeout {
		t.Errorf("got %+v", a)
	}
	for _, text := range strings.Fields(pids) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, func() (string, bool) { return "", gone(pid) })
	}
}

// gone says whether a process has ended, even if nobody asked for its status yet.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(data), ") Z ")
}

// eventually waits for what another process does.
func eventually(t *testing.T, f func() (string, bool)) string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		if s, ok := f(); ok {
			return s
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("it did not happen")
	return ""
}
