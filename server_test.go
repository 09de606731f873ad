package praxis_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"praxis"
	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server"
)

// serve starts a server over the data folder of the tests, as "praxis serve" does.
func serve() (where praxis.Server, stop func()) {
	s, err := server.New(server.Config{Home: home, Version: "test", Open: func(t server.Tenant) (*app.App, error) {
		c, err := app.DefaultConfig(t.Home, func(string) string { return "" })
		if err != nil {
			return nil, err
		}
		return app.Open(app.Options{Config: c, Version: "test"})
	}})
	if err != nil {
		log.Fatal(err)
	}
	key, _, _, err := s.FirstKey()
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	return praxis.Server{URL: web.URL, Key: key}, func() {
		web.Close()
		if err := s.Close(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
}

// A server does the work; the rest of the program is as with Open.
func ExampleConnect() {
	ctx := context.Background()
	where, stop := serve()
	defer stop()
	client, err := praxis.Connect(where) // praxis.Server{URL: "https://…", Key: "praxis_…"}
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session, err := client.NewSession(ctx, praxis.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	call := session.Execute("n = 6 * 7\nprint(n)")
	for e := range call.Events(ctx) {
		if out, ok := e.(event.Output); ok {
			fmt.Print(string(out.Data))
		}
	}
	result, err := call.Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status)

	dir := filepath.Join(home, "made")
	done, err := client.RunCode(praxis.Code{Text: "open('out.txt', 'w').write('made there')", OutDir: dir}).Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(done.Saved[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// 42
	// ok
	// made there
}

// TestConnect checks what a session of a server does beside executing, and that what is for
// one machine is refused.
func TestConnect(t *testing.T) {
	ctx := t.Context()
	where, stop := serve()
	defer stop()
	client, err := praxis.Connect(where)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	session, err := client.NewSession(ctx, praxis.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	value := func(s *praxis.Session, code string) string {
		t.Helper()
		x, err := s.Execute(code).Result(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return x.Result["text"]
	}
	value(session, "x = 1\nopen('f.txt', 'w').write('one')")
	before, err := session.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := session.Fork(ctx)
	if err != nil {
		t.Fatal(err)
	}
	value(session, "x = 2")
	if err := session.Rollback(ctx, before); err != nil {
		t.Fatal(err)
	}
	if here, there := value(session, "x"), value(fork, "x + 1"); here != "1" || there != "2" {
		t.Errorf("got %s and %s", here, there)
	}
	files, err := session.Files(ctx)
	if err != nil || len(files) != 1 || files[0].Path != "/work/f.txt" {
		t.Errorf("got %+v, %v", files, err)
	}
	waiting := session.Execute("print('on')\nwhile True: pass")
	for e := range waiting.Events(ctx) {
		if _, ok := e.(event.Output); ok {
			if err := session.Interrupt(ctx); err != nil {
				t.Error(err)
			}
		}
	}
	if x, err := waiting.Result(ctx); err != nil || x.Status != event.Interrupted {
		t.Errorf("got %+v, %v", x, err)
	}
	if err := errors.Join(fork.Close(), session.Close(), session.Close()); err != nil {
		t.Error(err)
	}
	if _, err := session.Execute("1").Result(ctx); fault.CodeOf(err) != fault.SessionMissing {
		t.Errorf("after its end: %v", err)
	}
	if _, err := client.Fix(praxis.Repair{}).Result(ctx); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	if _, err := client.RunCode(praxis.Code{Text: "1", Tools: praxis.ToolOptions{Files: []string{"x"}}}).Result(ctx); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	if _, err := praxis.Connect(praxis.Server{URL: where.URL}); fault.CodeOf(err) != fault.ServerKeyMissing {
		t.Errorf("without a key: %v", err)
	}
}
