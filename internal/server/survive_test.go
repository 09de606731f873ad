package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
	"praxis/internal/test/storetest"
	"praxis/internal/test/toy"
)

// On a full disk everything that writes is refused and says so, what is read is read, and all
// goes on when there is space again.
func TestFullDisk(t *testing.T) {
	dir, inside := storetest.OnFullDisk(t)
	if !inside {
		return
	}
	w := &world{T: t, home: filepath.Join(dir, "home")}
	w.start()
	defer w.stop()
	key := w.key("default", access.Admin)
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.execute(key, "s", "set x")
	record := w.must(key, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)["record"]
	rest := filepath.Join(dir, "rest")
	f, err := os.Create(rest)
	if err != nil {
		t.Fatal(err)
	}
	for n := 64 << 10; n > 0; { // to the last byte
		if _, err = f.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	for path, body := range map[string]object{
		"/v1/sessions": {}, "/v1/sessions/s/snapshots": {}, "/v1/runs/code": {"code": "print 1"},
	} {
		if got := w.must(key, "POST", path, body, 429); got["code"] != "disk_full" || got["remedy"] == "" {
			t.Errorf("%s: got %v", path, got)
		}
	}
	w.must(key, "GET", "/v1/sessions/s", nil, 200)
	w.must(key, "GET", fmt.Sprintf("/v1/records/%s", record), nil, 200)
	if err := errors.Join(f.Close(), os.Remove(rest)); err != nil {
		t.Fatal(err)
	}
	if x := w.execute(key, "s", "get x"); !strings.Contains(fmt.Sprint(x["stdout"]), "true") {
		t.Errorf("the session lost its variables: %v", x)
	}
	w.must(key, "POST", "/v1/sessions/s/snapshots", object{}, 201)
	w.must(key, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)
	for _, r := range objects(w.must(key, "POST", "/v1/records/verify", nil, 200)["records"]) {
		if r["status"] != "whole" {
			t.Errorf("got %v", r)
		}
	}
}

// The index of runs is made again when it is lost. One that is damaged is named, with what to do,
// and other tenants go on.
func TestLostIndex(t *testing.T) {
	w := newWorld(t)
	key, other := w.key("default", access.Admin), w.key("other")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(key, "POST", "/v1/sessions/s/snapshots", object{}, 201)
	record := w.must(key, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)["record"]
	index := func(f func(path string) error) {
		found, err := filepath.Glob(filepath.Join(w.home, "praxis.db*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("there is no index: %v", err)
		}
		for _, path := range found {
			if err := f(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.stop()
	index(os.Remove)
	w.start()
	if list := objects(w.must(key, "GET", "/v1/records", nil, 200)["records"]); len(list) != 1 || list[0]["id"] != record {
		t.Errorf("got %v", list)
	}
	w.must(key, "GET", fmt.Sprintf("/v1/records/%s", record), nil, 200)
	w.must(key, "POST", "/v1/sessions/s/resume", nil, 200)
	w.stop()
	index(func(path string) error {
		return os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600)
	})
	w.start()
	for range 2 {
		if got := w.must(key, "GET", "/v1/records", nil, 409); got["code"] != "database_damaged" || got["remedy"] == "" {
			t.Errorf("got %v", got)
		}
	}
	w.must(other, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)
	index(os.Remove)
	w.must(key, "GET", fmt.Sprintf("/v1/records/%s", record), nil, 200) // the server need not be started anew
}

// A model that never answers keeps nobody else waiting: its question ends when its time is over
// or when it is cancelled.
func TestHangingModel(t *testing.T) {
	requests, gone := make(chan struct{}, 10), make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	}))
	t.Cleanup(model.Close)
	t.Cleanup(func() { close(gone) })
	w := &world{T: t, home: t.TempDir()}
	cfg := config(w.home)
	cfg.Open = opened(func(o *app.Options) {
		o.Getenv = func(name string) string {
			return map[string]string{"OPENAI_BASE_URL": model.URL + "/v1", "OPENAI_API_KEY": "k"}[name]
		}
	})
	w.startWith(cfg)
	t.Cleanup(w.stop)
	key := w.key("default")
	question := object{"question": "What is it?", "model": "openai:slow", "detach": true}
	run := fmt.Sprintf("/v1/runs/%s", w.must(key, "POST", "/v1/runs", question, 201)["id"])
	<-requests
	w.must(key, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)
	if got := w.must(key, "POST", run+"/cancel", nil, 200); got["ended"] != true || got["failure"] == nil {
		t.Errorf("got %v", got)
	}
	got := w.must(key, "POST", "/v1/runs", object{"question": "What is it?", "model": "openai:slow", "budget": object{"time_s": 1}}, 201)
	if why, _ := got["failure"].(object); why["code"] != "time_used_up" {
		t.Errorf("got %v", got)
	}
}

// Code that does not end keeps no other session waiting, and its own can be deleted.
func TestHangingGuest(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	first := w.must(key, "POST", "/v1/sessions/s/executions", object{"code": "wait", "detach": true}, 201)
	w.must(key, "POST", "/v1/sessions", object{"id": "other"}, 201)
	w.execute(key, "other", "print 1")
	w.must(key, "GET", fmt.Sprintf("/v1/sessions/s/executions/%s", first["id"]), nil, 200)
	w.must(key, "DELETE", "/v1/sessions/s", nil, 204)
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.execute(key, "s", "print 1")
}

// Sessions for which no sandbox is ready are made all the same, and counted.
func TestEmptyPool(t *testing.T) {
	w := &world{T: t, home: t.TempDir()}
	cfg := config(w.home)
	cfg.Open, cfg.OpenMetrics = opened(func(o *app.Options) { o.Warm = 1 }), true
	w.startWith(cfg)
	t.Cleanup(w.stop)
	key := w.key("default")
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() {
			id := fmt.Sprint("s", i)
			if status, got := w.call(key, "POST", "/v1/sessions", object{"id": id}); status != 201 {
				t.Errorf("%s: %d %v", id, status, got)
			} else if status, got := w.call(key, "POST", "/v1/sessions/"+id+"/executions", object{"code": "print 1"}); status != 201 {
				t.Errorf("%s: %d %v", id, status, got)
			}
		})
	}
	all.Wait()
	_, got := w.call("", "GET", "/metrics", nil)
	var hits, misses int
	for line := range strings.Lines(fmt.Sprint(got["text"])) {
		_, _ = fmt.Sscanf(line, "praxis_pool_hits_total %d", &hits)
		_, _ = fmt.Sscanf(line, "praxis_pool_misses_total %d", &misses)
	}
	if hits+misses != 5 || misses == 0 {
		t.Errorf("%d sessions found a sandbox, %d found none", hits, misses)
	}
}

var followers = flag.Int("followers", 300, "clients of TestIdleFollowers; the nightly target has 10000")

// pipes is a listener without sockets: as many connections as there is memory for.
type pipes struct {
	made   chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.close.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// inMemory is what the process has in memory, in bytes.
func inMemory() int64 {
	runtime.GC()
	runtime.GC() // what finalizers gave up
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// Clients that follow what says nothing take little each, all learn of the end, and nothing of
// them is left.
func TestIdleFollowers(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	x := w.must(key, "POST", "/v1/sessions/s/executions", object{"code": "wait", "detach": true}, 201)
	path := fmt.Sprintf("/v1/sessions/s/executions/%s", x["id"])
	http.DefaultClient.CloseIdleConnections()
	before, memory := runtime.NumGoroutine(), inMemory()
	w.s.cfg.Requests, w.s.cfg.Burst = 1e6, 1e6
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	defer stop()
	l := &pipes{made: make(chan net.Conn), closed: make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- w.s.Serve(ctx, l, nil) }()
	follow := fmt.Sprintf("GET %s/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n", path, key)
	// learned reads what a follower is sent: ready is called when that begins, and what is returned
	// says whether its end came.
	learned := func(conn net.Conn, ready func()) bool {
		piece, tail := make([]byte, 512), ""
		for {
			n, err := conn.Read(piece)
			if ready != nil && n > 0 {
				ready()
				ready = nil
			}
			if tail += string(piece[:n]); len(tail) > 2000 {
				tail = tail[len(tail)-2000:]
			}
			if err != nil {
				return strings.Contains(tail, "event: end")
			}
		}
	}
	var begun, over sync.WaitGroup
	begun.Add(*followers)
	ended := make(chan bool, *followers)
	for range *followers {
		client, server := net.Pipe()
		l.made <- server
		over.Go(func() {
			defer client.Close()
			if _, err := io.WriteString(client, follow); err != nil {
				t.Error(err)
			}
			ended <- learned(client, begun.Done)
		})
	}
	begun.Wait()
	each := (inMemory() - memory) / int64(*followers)
	t.Logf("%d followers: %d KiB each, on both sides", *followers, each>>10)
	if each > 128<<10 {
		t.Errorf("each takes %d bytes", each)
	}
	w.must(key, "POST", path+"/interrupt", nil, 200)
	over.Wait()
	for range *followers {
		if !<-ended {
			t.Fatal("a follower did not learn of the end")
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			var buf [1 << 16]byte
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf[:], true)])
		}
	}
}

// opened returns what opens a tenant over toys, with other options.
func opened(change func(*app.Options)) func(t Tenant) (*app.App, error) {
	return func(t Tenant) (*app.App, error) {
		c, err := app.DefaultConfig(t.Home, func(string) string { return "" })
		if err != nil {
			return nil, err
		}
		o := app.Options{Config: c, Watch: t.Watch, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}}
		change(&o)
		return app.Open(o)
	}
}

// Tenants whose runs are to go on are found whatever the data folder is called.
func TestRecoverFindsTenants(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a[1]*")
	for _, dir := range []string{home, filepath.Join(home, "tenants", "team")} {
		runs := filepath.Join(dir, Folder, live.RunsFolder)
		if err := os.MkdirAll(runs, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(runs, "r-1.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, found := config(home), map[string]bool{}
	cfg.Failed = func(tenant, _ string, err error) {
		found[tenant] = strings.Contains(err.Error(), "r-1.json is damaged")
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Recover(t.Context()), s.Close(context.WithoutCancel(t.Context()))); err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || !found["default"] || !found["team"] {
		t.Errorf("found %v", found)
	}
}
