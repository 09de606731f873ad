package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/server/live"
)

// hub returns the sessions of a tenant.
func (w *sandboxes) hub(tenant string) *live.Hub {
	w.Helper()
	all, err := w.s.doors.Tenant(w.Context(), tenant)
	if err != nil {
		w.Fatal(err)
	}
	return all.Hub
}

// A sandbox of which nothing can be stored leaves no session behind.
func TestE2BUnstored(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b := w.make(key, object{})
	records := filepath.Join(w.home, Folder, e2bFolder, "sandboxes")
	if err := os.Rename(records, records+"-"); err != nil {
		t.Fatal(err)
	}
	w.control(key, "POST", "/v2/sandboxes", object{"templateID": "base"}, 500)
	w.control(key, "POST", "/sandboxes/"+b.id+"/snapshots", object{}, 500)
	if got := w.control(key, "POST", "/sandboxes/"+b.id+"/fork", object{}, 201).([]any); got[0].(object)["error"] == nil {
		t.Errorf("got %v", got)
	}
	if err := os.Rename(records+"-", records); err != nil {
		t.Fatal(err)
	}
	if list := w.hub("default").List(); len(list) != 1 {
		t.Errorf("there are %+v", list)
	}
}

// Who is refused resumes nothing; an address that is signed does.
func TestE2BResume(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b := w.make(key, object{"autoPause": true, "autoResume": object{"enabled": true}})
	token := b.headers["X-Access-Token"]
	if status, text := b.send("POST", "/files?path=a", "application/octet-stream", []byte("1")); status != 200 {
		t.Fatalf("got %d %s", status, text)
	}
	w.control(key, "POST", "/sandboxes/"+b.id+"/pause", object{}, 204)
	delete(b.headers, "X-Access-Token")
	sum := sha256.Sum256([]byte("a:read::" + token))
	signature := url.QueryEscape("v1_" + base64.RawStdEncoding.EncodeToString(sum[:]))
	for _, path := range []string{"/health", "/files?path=a&signature=v1_x", "/files?path=b&signature=" + signature, "/metrics?path=a&signature=" + signature} {
		if status, text := b.send("GET", path, "", nil); status != 502 {
			t.Errorf("%s: got %d %s", path, status, text)
		}
	}
	if got := w.control(key, "GET", "/sandboxes/"+b.id, nil, 200).(object); got["state"] != "paused" {
		t.Errorf("got %v", got)
	}
	if status, text := b.send("GET", "/files?path=a&signature="+signature, "", nil); status != 200 || text != "1" {
		t.Errorf("signed: got %d %s", status, text)
	}
}

// busy is a sandbox in which code runs that nothing of this door's ends. stop ends it.
func (w *sandboxes) busy(key string, body object) (b box, stop func()) {
	w.Helper()
	b = w.make(key, body)
	x, err := w.hub("default").Execute(w.Context(), b.id, live.Code{Text: "print on\nwait"})
	if err != nil {
		w.Fatal(err)
	}
	on := errors.New("it runs")
	if err := x.Log.Read(w.Context(), 0, live.Reader{Entry: func(e live.Entry) error {
		if strings.Contains(e.Name, "output") {
			return on
		}
		return nil
	}}); !errors.Is(err, on) {
		w.Fatalf("the code ended: %v", err)
	}
	return b, func() { x.Interrupt(); <-x.Done() }
}

// until asks after a sandbox until it is so.
func (b box) until(key string, so func(object) bool) {
	b.Helper()
	for !so(b.control(key, "GET", "/sandboxes/"+b.id, nil, 200).(object)) {
		if b.Context().Err() != nil {
			b.Fatal("it never is")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A sandbox that cannot be paused since something runs in it runs on, as it says itself.
func TestE2BPauseGivenUp(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b, stop := w.busy(key, object{"timeout": 3600})
	defer stop()
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, "POST", w.web.URL+"/sandboxes/"+b.id+"/pause", nil)
		if err == nil {
			r.Header.Set("X-API-KEY", key)
			_, err = http.DefaultClient.Do(r)
		}
		left <- err
	}()
	b.until(key, func(got object) bool { return got["state"] == "paused" })
	leave()
	if err := <-left; err == nil {
		t.Error("it is paused while code runs in it")
	}
	b.until(key, func(got object) bool { return got["state"] == "running" })
	if status, text := b.send("GET", "/health", "", nil); status != 204 {
		t.Errorf("got %d %s", status, text)
	}
}

// A sandbox that cannot be paused at its end keeps no other from its own.
func TestE2BEndsApart(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	other, _ := w.key("team-b")
	b, stop := w.busy(key, object{"timeout": 3600, "autoPause": true})
	defer stop()
	w.control(key, "POST", "/sandboxes/"+b.id+"/timeout", object{"timeout": 0}, 204)
	b.until(key, func(got object) bool {
		return fmt.Sprint(got["endAt"]) > time.Now().AddDate(0, 6, 0).Format(time.RFC3339)
	}) // it is being paused
	theirs := w.make(other, object{"timeout": 0})
	for {
		if _, err := w.hub("team-b").Get(theirs.id); fault.KindOf(err) == fault.NotFound {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("it never ends")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Pausing does not wait for a client that sends a file slowly.
func TestE2BPauseWhileFileComes(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b := w.make(key, object{})
	body, send := io.Pipe()
	answered := make(chan int, 1)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.web.URL+"/files?path=a", body)
		if err != nil {
			t.Error(err)
			return
		}
		for k, v := range b.headers {
			r.Header.Set(k, v)
		}
		r.Header.Set("Content-Type", "application/octet-stream")
		status := 0
		if res, err := http.DefaultClient.Do(r); err == nil {
			status = res.StatusCode
			_ = res.Body.Close()
		}
		_ = body.Close()
		answered <- status
	}()
	piece := make([]byte, 32<<10)
	if _, err := send.Write(piece); err != nil {
		t.Fatal(err)
	}
	paused := make(chan struct{})
	go func() {
		defer close(paused)
		w.control(key, "POST", "/sandboxes/"+b.id+"/pause", object{}, 204)
	}()
	for {
		if _, err := send.Write(piece); err != nil {
			break // the server reads no more
		}
		time.Sleep(time.Millisecond)
	}
	if status := <-answered; status == 200 {
		t.Error("half of a file is a file")
	}
	<-paused
}

// What runs in the code interpreter is in the audit log, and so is who is refused.
func TestE2BInterpreterAudit(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b := w.make(key, object{})
	b.headers["E2b-Sandbox-Port"] = "49999"
	if status, text := b.send("POST", "/execute", "application/json", []byte(`{"code":"print a"}`)); status != 200 || !strings.Contains(text, "end_of_execution") {
		t.Fatalf("got %d %s", status, text)
	}
	delete(b.headers, "X-Access-Token")
	if status, text := b.send("POST", "/execute", "application/json", []byte(`{"code":"print a"}`)); status != 401 {
		t.Fatalf("got %d %s", status, text)
	}
	list, err := w.s.shared.Audit.List("default", 100)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, e := range list {
		if e.Operation == "e2b.interpreter.execute" && e.Object == "session="+b.id {
			said[string(e.Status)]++
		}
	}
	if said["begun"] != 1 || said["done"] != 1 || said["denied"] != 1 {
		t.Errorf("got %v", said)
	}
}

// A program of a sandbox gets no token, and what it answers reaches nothing beyond its host.
func TestE2BForward(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	made := w.control(key, "POST", "/v2/sandboxes", object{"templateID": "base", "network": object{"allowPublicTraffic": false, "maskRequestHost": "app:${PORT}"}}, 201).(object)
	b, traffic := w.boxOf(made), fmt.Sprint(made["trafficAccessToken"])
	res := w.do(t.Context(), "GET", "/page", map[string]string{
		"Host": "80-" + b.id + ".sbx.test", "E2b-Traffic-Access-Token": traffic, "X-Access-Token": b.headers["X-Access-Token"], "X-API-KEY": key, "Authorization": "Bearer " + key,
		"E2b-Sandbox-Id": b.id, "X-Own": "1",
	}, nil)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	head := string(data) // the program answers with what it got
	if res.StatusCode != 200 || !strings.Contains(head, "GET /page ") || !strings.Contains(head, "Host: app:80") || !strings.Contains(head, "X-Own: 1") {
		t.Fatalf("got %d %s", res.StatusCode, head)
	}
	for _, secret := range []string{traffic, b.headers["X-Access-Token"], key, strings.TrimPrefix(key, "e2b_"), "E2b-Sandbox-Id"} {
		if strings.Contains(head, secret) {
			t.Errorf("the program gets %s", secret)
		}
	}
	for name, want := range map[string]string{"Set-Cookie": "a=b", "Alt-Svc": "", "Referrer-Policy": "same-origin"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}
