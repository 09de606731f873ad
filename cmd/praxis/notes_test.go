package main

import (
	"bytes"
	"log"
	"testing"
)

// TestGather checks that the program's own output of package log is the one that takes
// secrets out.
func TestGather(t *testing.T) {
	out, flags := log.Writer(), log.Flags()
	t.Cleanup(func() { log.SetOutput(out); log.SetFlags(flags) })
	var b bytes.Buffer
	notes := gather(&b)
	defer notes.Redact(func(string) string { return "redacted" })()
	log.Print("a secret")
	if b.String() != "praxis: note of a library: redacted\n" {
		t.Errorf("got %q", b.String())
	}
}
