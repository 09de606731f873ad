package battery

import (
	"context"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/session"
)

// TestLimitsAreNamed runs into every limit of a session that leaves it alive:
// the message names the limit and its value, and the session goes on.
func TestLimitsAreNamed(t *testing.T) {
	m := manager(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	opt := session.Options{Image: defaultImage}
	opt.Limits.Processes, opt.Limits.Disk = 20, 10<<20
	s, err := m.Create(ctx, opt, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const forks = "import os, signal\nchildren = []\ntry:\n    while len(children) < 400:\n        pid = os.fork()\n        if pid == 0: signal.pause(); os._exit(0)\n        children.append(pid)\n"
	const reap = "for pid in children: os.kill(pid, 9); os.waitpid(pid, 0)\n"
	for _, c := range []struct {
		name, code string
		limit      event.Limit
		message    string
	}{
		{"forks", forks + "finally:\n    pass", event.ProcessCount, "the limit of 20 processes was reached"},
		{"forks are gone", reap, "", ""},
		{"threads", "import threading\ngo = threading.Event()\nfor i in range(400): threading.Thread(target=go.wait).start()", event.ProcessCount, "the limit of 20 processes and threads was reached"},
		{"threads are gone", "go.set()\nfor t in threading.enumerate():\n    if t is not threading.current_thread(): t.join()", "", ""},
		{"disk", "f = open('/work/x', 'wb')\nf.write(b'x' * 30_000_000)", event.DiskSpace, "the disk limit of 10 MiB was reached"},
		{"disk is free", "f.close(); os.remove('/work/x')", "", ""},
		{"disk, cleaned up", "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x' * 30_000_000)", event.DiskSpace, "disk limit of 10 MiB"},
		{"files", "held = [open('/etc/passwd') for i in range(5000)]", event.OpenFiles, "the limit of 1024 open files was reached"},
		{"would block", "import socket\na, b = socket.socketpair(); a.setblocking(False); a.recv(1)", "", ""},
	} {
		got, err := s.Execute(ctx, c.code, session.Exec{}, event.Discard)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		want := event.Error
		if c.limit == "" && c.name != "would block" {
			want = event.OK
		}
		named := strings.Contains(got.Message, c.message) && (c.message == "") == (got.Message == "")
		if got.Status != want || got.Limit != c.limit || !named || got.State != event.Intact {
			t.Errorf("%s: got %s %q %q %s %+v, want %s %q %q", c.name, got.Status, got.Limit, got.Message, got.State, got.Error, want, c.limit, c.message)
		}
	}
}
