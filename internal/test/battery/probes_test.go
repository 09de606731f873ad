package battery

import (
	"bufio"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/test/container"
	"praxis/internal/test/prepared"
)

//go:embed testdata/probes.txt
var probesText string

//go:embed testdata/prelude.py
var prelude string

//go:embed testdata/probes_js.txt
var scriptProbes string

//go:embed testdata/prelude.js
var scriptPrelude string

// probe is one case of probes.txt.
type probe struct {
	name    string
	tries   string
	expect  []string // statuses that are fine
	limits  event.Limits
	timeout time.Duration
	code    string
}

func parseProbes(t *testing.T, text string) []probe {
	t.Helper()
	var out []probe
	for _, part := range strings.Split(text, "\n=== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		p := probe{name: strings.TrimSpace(name), expect: []string{"ok"}, timeout: time.Minute}
		lines := bufio.NewScanner(strings.NewReader(rest))
		var code []string
		for lines.Scan() {
			key, value, ok := strings.Cut(lines.Text(), ": ")
			if !ok || len(code) > 0 || !slices.Contains([]string{"tries", "expect", "limits", "timeout"}, key) {
				code = append(code, lines.Text())
				continue
			}
			if err := p.set(key, value); err != nil {
				t.Fatalf("probe %s: %v", p.name, err)
			}
		}
		p.code = strings.Join(code, "\n")
		if p.tries == "" {
			t.Fatalf("probe %s does not say what it tries", p.name)
		}
		out = append(out, p)
	}
	return out
}

func (p *probe) set(key, value string) error {
	switch key {
	case "tries":
		p.tries = value
	case "expect":
		p.expect = strings.Fields(value)
	case "timeout":
		var n int
		if _, err := fmt.Sscan(value, &n); err != nil {
			return err
		}
		p.timeout = time.Duration(*longer*n) * time.Second
	case "limits":
		name, v, _ := strings.Cut(value, "=")
		var n int64
		if _, err := fmt.Sscan(strings.TrimSuffix(v, "MiB"), &n); err != nil {
			return err
		}
		switch name {
		case "memory":
			p.limits.Memory = n << 20
		case "disk":
			p.limits.Disk = n << 20
		case "processes":
			p.limits.Processes = int(n)
		default:
			return fmt.Errorf("unknown limit %q", name)
		}
	}
	return nil
}

// longer is how many times as long as probes.txt says code that never ends is let go on.
var longer = flag.Int("longer", 1, "factor of the time that probes without an end get")

var placeholder = regexp.MustCompile(`\{\{\w+\}\}`)

func TestProbes(t *testing.T) {
	h := newHost(t)
	t.Cleanup(func() { h.check(t) }) // after all of them
	m := manager(t)
	probes := parseProbes(t, probesText)
	if len(probes) < 60 {
		t.Fatalf("%d probes, want at least 60", len(probes))
	}
	tryProbes(t, h, m, defaultImage, probes)
}

// allProbes has every probe tried on container images and in JavaScript, too; otherwise it is
// one in 16 and one in three there.
var allProbes = flag.Bool("all-probes", false, "try every probe on container images and in JavaScript, too")

// TestProbesOnContainers tries the probes on images that somebody else made: one that has
// nothing but a static program, beside which our Python stands, and one with its own Python.
func TestProbesOnContainers(t *testing.T) {
	h := newHost(t)
	t.Cleanup(func() { h.check(t) })
	m := manager(t)
	for n, img := range []image.Image{
		imported(t, "probed-bare:1", container.Image{Layers: [][]byte{container.Layer(t, container.Entry{Name: "bin/hello", Text: staticProgram(t)}, container.Entry{Name: "usr/bin/env", Text: staticProgram(t)},
			container.Entry{Name: "lib/x86_64-linux-gnu/libc.so.6", Text: "library"})}}),
		imported(t, "probed-own:1", container.Image{Layers: [][]byte{container.Folder(t, "", defaultImage.Root), container.Folder(t, "usr/local", defaultImage.Mounts[0].Source),
			container.Layer(t, container.Entry{Name: "opt/python/lib/python3.14/os.py", Text: "# of the image"})},
			Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, "User": "0:0"}}),
	} {
		var some []probe
		for i, p := range parseProbes(t, probesText) {
			if n == 0 && slices.ContainsFunc([]string{"/bin/sh", "shell=True"}, func(w string) bool { return strings.Contains(p.code, w) }) {
				continue // that image has no shell and no programs
			}
			if *allProbes || i%16 == 8*n {
				some = append(some, p)
			}
		}
		t.Run([]string{"bare", "own Python"}[n], func(t *testing.T) { tryProbes(t, h, m, img, some) })
	}
}

func tryProbes(t *testing.T, h *host, m *session.Manager, img image.Image, probes []probe) {
	for _, p := range probes {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			code := h.fill(prelude + "\n" + p.code)
			if left := placeholder.FindString(code); left != "" {
				t.Fatalf("nothing is planted for %s", left)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			s, err := m.Create(ctx, session.Options{Image: img, Limits: p.limits}, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			alive(ctx, t, s, "print(6*7)", "", p.ask(ctx, t, s, code, ""))
		})
	}
}

// TestJavaScriptProbes does the same to sessions of JavaScript. Beside each, its Python and
// another session must live on.
func TestJavaScriptProbes(t *testing.T) {
	store, _, err := prepared.JavaScript(t.TempDir())
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("Node cannot be fetched: the package registry cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	img, err := store.Resolve(t.Context(), image.Request{Languages: []string{"javascript"}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	t.Cleanup(func() { h.check(t) }) // after all of them
	m := manager(t)
	sibling, err := m.Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sibling.Close() })
	probes := parseProbes(t, scriptProbes)
	if len(probes) < 50 {
		t.Fatalf("%d probes, want at least 50", len(probes))
	}
	for i, p := range probes {
		if !*allProbes && i%3 != 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			code := h.fill(scriptPrelude + "\n" + p.code)
			if left := placeholder.FindString(code); left != "" {
				t.Fatalf("nothing is planted for %s", left)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			s, err := m.Create(ctx, session.Options{Image: img, Limits: p.limits}, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			about := p.ask(ctx, t, s, code, "javascript")
			alive(ctx, t, s, "await null, 6 * 7", "javascript", about)
			alive(ctx, t, s, "print(6*7)", "python", about)
		})
	}
	t.Cleanup(func() {
		alive(context.WithoutCancel(t.Context()), t, sibling, "console.log(6*7)", "javascript", "a session beside them all")
	})
}

// ask runs a probe, and returns what is to be said of it.
func (p probe) ask(ctx context.Context, t *testing.T, s *session.Session, code, lang string) string {
	t.Helper()
	got, err := s.Execute(ctx, code, session.Exec{Language: lang, Bounds: event.Bounds{Timeout: event.Duration(p.timeout)}}, event.Discard)
	if err != nil {
		t.Fatalf("it tries to %s: %v", p.tries, err)
	}
	about := fmt.Sprintf("it tries to %s\nstatus %s, %s, state %s\nstdout %.2000s\nstderr %.2000s\nerror %.2000v", p.tries, got.Status, got.Message, got.State, got.Stdout, got.Stderr, got.Error)
	t.Logf("%s: %s", got.Status, got.Message)
	if strings.Contains(got.Stdout, "ESCAPED") {
		t.Errorf("it got through: %s", about)
	}
	if !strings.Contains(got.Stdout, "CONTAINED") && !slices.Contains(p.expect, "memory") {
		t.Errorf("it did not run to its point: %s", about)
	}
	if !slices.Contains(p.expect, got.Status.String()) {
		t.Errorf("status %s, want one of %v: %s", got.Status, p.expect, about)
	}
	if ended := got.Status != event.OK && got.Status != event.Error; ended && got.Message == "" {
		t.Errorf("no message: %s", about)
	}
	if limit := named(got.Status); limit != "" && !strings.ContainsAny(got.Message, "0123456789") {
		t.Errorf("the message does not name the %s limit's value: %s", limit, about)
	}
	return about
}

// named returns the limit that a status is about, or "".
func named(s event.Status) string {
	switch s {
	case event.Timeout, event.Memory, event.OutputLimit:
		return s.String()
	}
	return ""
}

// alive requires that the session works after what was done to it: code in a language prints 42.
func alive(ctx context.Context, t *testing.T, s *session.Session, code, lang, about string) {
	t.Helper()
	for range 2 {
		after, err := s.Execute(ctx, code, session.Exec{Language: lang, Bounds: event.Bounds{Timeout: event.Duration(time.Minute)}}, event.Discard)
		if err != nil {
			t.Fatalf("the session is unusable afterwards: %v: %s", err, about)
		}
		// What the bomb left running may take the first execution down as well, but says so.
		if after.Status == event.OK && strings.Contains(after.Stdout+after.Result["text"], "42") {
			return
		}
		about += fmt.Sprintf("\nafterwards: status %s, %s, stdout %.300s", after.Status, after.Message, after.Stdout)
	}
	t.Errorf("the session does not answer afterwards: %s", about)
}
