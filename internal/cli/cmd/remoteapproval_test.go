package cmd

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/app"
	"praxis/internal/client"
)

// TestRemoteApproval checks that a call which a server makes is asked about at the terminal of
// who had it made: what is typed there decides, and is recorded; where somebody else answers
// first, the question goes away, and nothing that code prints is on its screen.
func TestRemoteApproval(t *testing.T) {
	dir, _ := payments(t, "write")
	t.Chdir(dir) // where the server's tool pays
	far := thereWith(t, dir, app.ToolSpec{Files: []string{filepath.Join(dir, "tools.yaml")}, Policy: filepath.Join(dir, "policy.yaml"), Commands: true})
	t.Setenv("PRAXIS_SERVER", far.env["PRAXIS_SERVER"])
	t.Setenv("PRAXIS_KEY", far.env["PRAXIS_KEY"])
	paid := func() int {
		data, _ := os.ReadFile("paid.txt") // nothing is paid yet where there is none
		return strings.Count(string(data), "paid")
	}
	run := func(code string, during func(p *person)) string {
		t.Helper()
		p, cmd := terminalOf(t, dir, "run", "-c", code)
		p.until("\x1b[?1049h")
		if question := p.until("? explain [n]: "); strings.Contains(question, "\nfalse question") || !strings.Contains(question, `to = "bob"`) || !strings.Contains(question, "asked for  it pays") {
			t.Errorf("got %q", question)
		}
		during(p)
		p.until("\x1b[?1049l")
		rest := p.until("the end")
		go io.Copy(io.Discard, p.master)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return rest
	}
	pays := "print false question\nbeside false question\ncall shop.pay {\"to\": \"bob\"}\nprint the end"
	if rest := run(pays, func(p *person) { p.types("n too much\n") }); !strings.Contains(rest, "too much") || paid() != 0 {
		t.Errorf("denied: %q, %d paid", rest, paid())
	}
	if rest := run(pays, func(p *person) { p.types("y as agreed\n") }); !strings.Contains(rest, "approved once") || paid() != 1 {
		t.Errorf("approved: %q, %d paid", rest, paid())
	}
	if code, out, errs := far.do("", "export", "last", "--format", "jsonl", "--out", "-"); code != 0 || !strings.Contains(out, "as agreed") || !strings.Contains(out, `"who":"key `) {
		t.Errorf("the record does not say who agreed, and why: %d %s %s", code, out, errs)
	}
	other, err := client.New(client.Config{URL: far.env["PRAXIS_SERVER"], Key: far.env["PRAXIS_KEY"]})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	rest := run(pays, func(*person) {
		open, err := other.Approvals(t.Context())
		if err != nil || len(open) != 1 {
			t.Fatalf("open: %v %v", open, err)
		}
		if err := other.Approve(t.Context(), open[0].ID, app.ApproveOnce, "by the other"); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(rest, "answered elsewhere") || paid() != 2 {
		t.Errorf("answered elsewhere: %q, %d paid", rest, paid())
	}
	// Who is to be asked by nobody is not, and no other way to ask is the client's to say.
	if code, out, errs := far.do("", "run", "-c", pays, "--approve", "never"); code != 0 || !strings.Contains(errs, "nobody is asked") || paid() != 2 {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, _, errs := far.do("", "run", "-c", pays, "--approve", "command:true"); code != exitUsage || !strings.Contains(errs, "cannot ask command:true") {
		t.Errorf("%d %q", code, errs)
	}
}
