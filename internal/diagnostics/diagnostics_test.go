package diagnostics

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"
)

func hide(secret string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, secret, "[secret KEY]") }
}

func TestCapture(t *testing.T) {
	before, flags := log.Writer(), log.Flags()
	t.Cleanup(func() { log.SetOutput(before); log.SetFlags(flags) })
	var out bytes.Buffer
	w := New(&out)
	w.Capture()
	remove := w.Redact(hide("s3cr3t"))
	log.Printf("a token s3cr3t\x1b[2J\nin two lines")
	slog.Warn("structured", "key", "s3cr3t")
	log.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "terc3s in reverse", nil)
	remove()
	log.Printf("s3cr3t")
	want := "praxis: note of a library: a token [secret KEY]\\x1b[2J in two lines\n" +
		"praxis: note of a library: WARN structured key=[secret KEY]\n" +
		"praxis: note of a library: " + idle + ": what the host sent is left out\n" +
		"praxis: note of a library: s3cr3t\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// TestGuard guards the log of a program that is not ours, twice at a time.
func TestGuard(t *testing.T) {
	before, flags := log.Writer(), log.Flags()
	t.Cleanup(func() { log.SetOutput(before); log.SetFlags(flags) })
	var out bytes.Buffer
	log.SetOutput(&out)
	log.SetFlags(0)
	a, releaseA := Guard()
	removeA := a.Redact(hide("first"))
	b, releaseB := Guard()
	removeB := b.Redact(hide("second"))
	log.Print("first second\tthird\nnext")
	removeA()
	releaseA()
	log.Print("first second")
	removeB()
	releaseB()
	log.Print("first second")
	want := "[secret KEY] [secret KEY]\tthird\nnext\nfirst [secret KEY]\nfirst second\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}
