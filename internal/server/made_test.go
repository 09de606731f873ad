package server

import (
	"archive/tar"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"praxis/internal/server/access"
)

// What a run made is fetched once, by who may, and in a session of a name that is live the
// run goes on from what stands there.
func TestMadeFiles(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.execute(key, "s", "set x")
	run := w.must(key, "POST", "/v1/runs/code", object{"code": "get x\nwrite out.txt made here", "name": "s", "keep_files": true}, 201)
	done, _ := run["code"].(object)
	if x, _ := done["execution"].(object); x["status"] != "ok" || !strings.Contains(fmt.Sprint(x["stdout"], x["result"]), "true") || done["snapshot"] == "" {
		t.Fatalf("got %v", run)
	}
	if text := fmt.Sprint(run); strings.Contains(text, w.home) {
		t.Errorf("it names a folder of the server: %s", text)
	}
	path := "/v1/runs/" + fmt.Sprint(run["id"]) + "/files"
	w.must(w.key("other", access.Admin), "GET", path, nil, 404)
	res, err := http.DefaultClient.Do(w.request(key, "GET", path, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	files := tar.NewReader(res.Body)
	h, err := files.Next()
	if err != nil || h.Name != "out.txt" {
		t.Fatalf("got %+v, %v", h, err)
	}
	if data, err := io.ReadAll(files); err != nil || !strings.Contains(string(data), "made") {
		t.Errorf("got %q, %v", data, err)
	}
	w.must(key, "DELETE", path, nil, 204)
	w.must(key, "GET", path, nil, 404)
	if x := w.execute(key, "s", "cat out.txt"); !strings.Contains(fmt.Sprint(x["stdout"]), "made") {
		t.Errorf("the session has it not: %v", x)
	}
	// A session that a run makes is one of the server's afterwards; one that it did not make is none.
	w.must(key, "POST", "/v1/runs/code", object{"code": "set y", "name": "new"}, 201)
	if got := w.must(key, "GET", "/v1/sessions/new", nil, 200); got["state"] != "paused" {
		t.Errorf("got %v", got)
	}
	w.must(key, "POST", "/v1/runs/code", object{"code": "x", "name": "none", "limits": object{"memory_bytes": 1}}, 400)
	w.must(key, "GET", "/v1/sessions/none", nil, 404)
}

// What nobody follows any more is interrupted after the time that was said, and not before.
func TestLinger(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	for path, in := range map[string]object{"/v1/sessions/s/executions": {"code": "print on\nwait"}, "/v1/runs/code": {"code": "print on\nwait"}} {
		in["detach"], in["linger_s"] = true, 0.05
		x := w.must(key, "POST", path, in, 201)
		tenant, err := w.s.tenant(t.Context(), access.DefaultTenant)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := tenant.Hub.Run(fmt.Sprint(x["id"])); err == nil {
			<-r.Done()
		} else if r, err := tenant.Hub.Execution("s", fmt.Sprint(x["id"])); err == nil {
			<-r.Done()
		}
		if got := w.must(key, "GET", strings.TrimSuffix(path, "/code")+"/"+fmt.Sprint(x["id"]), nil, 200); !strings.Contains(fmt.Sprint(got), "interrupted") && !strings.Contains(fmt.Sprint(got), "canceled") { // before the sandbox was there
			t.Errorf("got %v", got)
		}
	}
	x := w.must(key, "POST", "/v1/sessions/s/executions", object{"code": "print on\nwait", "detach": true, "linger_s": 3600}, 201)
	at := "/v1/sessions/s/executions/" + fmt.Sprint(x["id"])
	w.events(w.request(key, "GET", at+"/events", nil), func(_, name, _ string) bool { return name != "output" })
	if got := w.must(key, "GET", at, nil, 200); got["ended"] != false {
		t.Errorf("got %v", got)
	}
	w.must(key, "POST", at+"/interrupt", nil, 200)
	left := object{"code": "print on\nwait", "detach": true, "stream": true, "linger_s": 0.05}
	w.events(w.request(key, "POST", "/v1/sessions/s/executions", left), func(_, name, _ string) bool { return name != "output" })
	tenant, err := w.s.tenant(t.Context(), access.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tenant.Hub.Executions("s")
	if err != nil {
		t.Fatal(err)
	}
	<-all[len(all)-1].Done()
}
