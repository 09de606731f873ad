package cmd

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/record/journal"
	"praxis/internal/session"
)

// printedAt returns what is printed at a terminal so wide.
func printedAt(t *testing.T, columns uint16, show func(p *program) error) string {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	done := make(chan struct{})
	go func() { // ends when the terminal has no program any more
		defer close(done)
		_, _ = io.Copy(&out, master)
	}()
	p := &program{stdout: tty, stderr: io.Discard, getenv: func(string) string { return "" }}
	if err := show(p); err != nil {
		t.Error(err)
	}
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
	<-done
	if err := master.Close(); err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(out.String(), "\r\n", "\n")
}

// TestNarrow checks that every table fits a terminal of 60 columns, and still says what
// its reader needs: names, ids, and whole sentences.
func TestNarrow(t *testing.T) {
	at := time.Date(2026, 11, 23, 3, 4, 5, 0, time.UTC)
	long := strings.Repeat("a long text ", 12)
	figures := map[string]app.BenchFigure{}
	for _, name := range append(app.BenchNames(), app.PlanBenchNames()...) {
		figures[name] = app.BenchFigure{P50: 12345.6, P95: 123456.7, P99: 1234567.8, Runs: 1000}
	}
	report := app.BenchReport{Figures: figures}
	cost := app.CostLine{Name: "anthropic:claude-sonnet-4-5-20250929", Runs: 12345, USD: 1234.5, Took: event.Duration(90 * time.Hour)}
	cost.Tokens = event.Tokens{Input: 123456789, Output: 12345678}
	limits := []app.Enforcement{{Limit: "memory", By: "cgroup and guest agent", Note: "the last " + long}, {Limit: "session_wall", By: "praxis", Note: "short"}}
	fingerprint := journal.Key{ID: "0123456789abcdef", Public: "ed25519:" + strings.Repeat("A", 43) + "=", Current: true}
	listed := app.ListedRun{}
	listed.ID, listed.Question, listed.Model, listed.Status, listed.Steps, listed.Began = "20261123-030405-abcd", long, cost.Name, "answered", 12, at
	for _, c := range []struct {
		name string
		show func(p *program) error
		want []string
	}{
		{"images", func(p *program) error {
			return p.listImages([]app.ImageInfo{{ID: strings.Repeat("ab", 32), Name: "python-3.14 with " + long, Bytes: 1 << 33, Used: at}}, false)
		}, []string{"abababab", "python-3.14 with"}},
		{"sessions", func(p *program) error {
			return p.listSessions([]app.NamedSession{{Name: "a-session-of-a-long-name", Used: at, Forked: "another-session-of-a-name"}}, false)
		}, []string{"a-session-of-a-long-name"}},
		{"threads", func(p *program) error {
			return p.listThreads([]app.Thread{{Name: "a-thread-of-a-name", Used: at, Question: long, Turns: 3, Bytes: 1 << 20}}, false)
		}, []string{"a-thread-of-a-name", "a long text"}},
		{"notes", func(p *program) error {
			return p.listNotes([]app.Note{{ID: strings.Repeat("cd", 8), Text: long, Created: at, Tags: []string{long}}}, false, "")
		}, []string{"cdcdcdcd", "a long text"}},
		{"keys", func(p *program) error { return p.listKeys([]app.Key{fingerprint}, false) }, []string{fingerprint.ID, "signs now"}},
		{"prices", func(p *program) error { return (&costCommand{p: p}).prices(app.PriceTable{}) }, nil},
		{"cost", func(p *program) error {
			return p.emit(costTable("MODEL", []app.CostLine{cost, {Name: "x"}}, cost, true, p.columns()))
		}, []string{"anthropic:claude-sonnet", "$1,234.50", "123,456,789"}},
		{"runs", func(p *program) error { return p.emit(runTable([]app.ListedRun{listed}, at, p.columns())) }, []string{listed.ID, "answered", "a long text"}},
		{"gc", func(p *program) error {
			c := app.Collected{Sessions: session.Collected{Templates: []session.Removed{{ID: "4", Bytes: 1 << 30, Why: long + "is the end"}}}}
			text, _, _ := strings.Cut(collectedText(c, 1, p.columns()), "\n\n")
			return p.emit(text)
		}, []string{"templates", "is the end"}},
		{"arguments", func(p *program) error {
			return p.emit(argumentTable([]app.ToolArgument{{Name: "recipient_account", Type: "string", Required: true, Default: `"` + long, What: long + "is the end"}}, p.columns()))
		}, []string{"recipient_account", "yes", "is the end"}},
		{"limits", func(p *program) error {
			_, table, _ := strings.Cut(describeHost(app.Host{Limits: limits}, "/home", p.columns()), "enforces them\n")
			table, _, _ = strings.Cut(table, "\n\n")
			return p.emit(table)
		}, []string{"session_wall", "praxis", "long text"}},
		{"bench", func(p *program) error {
			_, table, _ := strings.Cut(describeReport(report, app.BenchNames(), p.columns()), "\n\n")
			return p.emit(table)
		}, []string{"session_pss_mb", "12346", "what they share"}},
		{"bench trace", func(p *program) error {
			hop := app.BenchHop{Name: "host to agent and back", What: long + "is the end", Figure: app.BenchFigure{P50: 12346, P95: 12347, P99: 12348, Runs: 500}}
			_, table, _ := strings.Cut(describeTrace(app.BenchTrace{Hops: []app.BenchHop{hop}, Both: hop, Whole: hop}, p.columns()), "\n\n")
			return p.emit(table)
		}, []string{"host to agent", "12346", "is the end"}},
		{"plan bench", func(p *program) error {
			_, table, _ := strings.Cut(describePlans(report, p.columns()), "\n\n")
			return p.emit(table)
		}, []string{"parse_mb_per_s", "compile, run"}},
	} {
		got := printedAt(t, 60, c.show)
		for line := range strings.Lines(got) {
			// The last lines of the prices are an example to copy, and a path.
			if n := format.ColumnsOf(strings.TrimRight(line, "\n")); n > 60 && !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "US dollars") && !strings.HasPrefix(line, "Your own") {
				t.Errorf("%s: a line has %d columns: %q", c.name, n, line)
			}
		}
		for _, want := range c.want {
			if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
				t.Errorf("%s: %q is missing:\n%s", c.name, want, got)
			}
		}
	}
}
