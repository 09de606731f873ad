package praxis_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis"
	"praxis/event"
	"praxis/fault"
	"praxis/internal/test/prepared"
)

// home is the data folder of all tests, which TestMain makes.
var home string

func TestMain(m *testing.M) { os.Exit(main(m)) }

func main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "praxis-library-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	home = filepath.Join(dir, "home")
	if err := errors.Join(prepared.Fill(home), prepared.Fresh()); err != nil {
		log.Fatal(err)
	}
	return m.Run()
}

func options() praxis.Options { return praxis.Options{Home: home} }

// open opens a session, and returns what ends it.
func open() (*praxis.Session, func()) {
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	session, err := client.NewSession(context.Background(), praxis.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return session, func() {
		if err := errors.Join(session.Close(), client.Close()); err != nil {
			log.Fatal(err)
		}
	}
}

// TestProgram checks that nothing of the importing program gets into the data
// folder, from which sandboxes run.
func TestProgram(t *testing.T) {
	session, end := open()
	_, err := session.Execute("1").Result(t.Context())
	end()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	err = filepath.WalkDir(filepath.Join(home, "programs"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "praxis") {
			names = append(names, d.Name())
		}
		return err
	})
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{"praxis-guest", "praxis-sandbox"}) {
		t.Errorf("the programs are %v, %v", names, err)
	}
}

// TestCall checks that a call is made once, whoever waits for it, and that it
// stops when the loop over its events is left.
func TestCall(t *testing.T) {
	session, end := open()
	defer end()
	ctx := t.Context()

	counted := session.Execute("n = globals().get('n', 0) + 1; print(n); n")
	results := make(chan string, 4)
	for range cap(results) {
		go func() {
			x, err := counted.Result(ctx)
			results <- fmt.Sprint(x.Result["text"], err)
		}()
	}
	for range cap(results) {
		if got := <-results; got != "1<nil>" {
			t.Errorf("a result is %s", got)
		}
	}
	for e := range counted.Events(ctx) {
		t.Errorf("events of a call that was made: %v", e)
	}

	endless := session.Execute("import time\nwhile True:\n    print('on', flush=True)\n    time.sleep(0.01)")
	for e := range endless.Events(ctx) {
		if _, ok := e.(event.Output); ok {
			break
		}
	}
	if x, err := endless.Result(ctx); err == nil && x.Status != event.Interrupted {
		t.Errorf("a call that was left: %+v, %v", x, err)
	}
	if x, err := session.Execute("n").Result(ctx); err != nil || x.Result["text"] != "1" {
		t.Errorf("after it: %+v, %v", x, err)
	}

	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of the loop's body is lost")
			}
		}()
		for range session.Execute("print(1)").Events(ctx) {
			panic("in the loop")
		}
	}()
}

// TestFaults checks that what the caller did wrong has a code or a kind, before
// anything costs time.
func TestFaults(t *testing.T) {
	client, err := praxis.Open(praxis.Options{Home: t.TempDir(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, c := range []struct {
		name string
		call func() error
		code fault.Code
		kind fault.Kind
	}{
		{"no model", func() error { _, err := client.Ask(praxis.Question{Text: "Why?"}).Result(ctx); return err }, fault.ModelUnchosen, fault.Invalid},
		{"no question", func() error { _, err := client.Ask(praxis.Question{}).Result(ctx); return err }, "", fault.Invalid},
		{"no file", func() error {
			_, err := client.RunCode(praxis.Code{Text: "1", Files: []string{"none"}}).Result(ctx)
			return err
		}, "", fault.NotFound},
		{"no such tools", func() error {
			_, err := client.RunPlan(praxis.Plan{Tools: praxis.ToolOptions{Files: []string{"none"}}}).Result(ctx)
			return err
		}, "", fault.NotFound},
		{"no run", func() error { _, err := client.Replay("last").Result(ctx); return err }, "", fault.NotFound},
	} {
		err := c.call()
		if fault.CodeOf(err) != c.code || fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v (%q, %v), want %q, %v", c.name, err, fault.CodeOf(err), fault.KindOf(err), c.code, c.kind)
		}
		if err != nil && strings.Contains(fault.RemedyOf(err), "--") {
			t.Errorf("%s: the remedy names a flag: %s", c.name, fault.RemedyOf(err))
		}
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
}
