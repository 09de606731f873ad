package guest_test

import (
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// TestLimitsAreNamed runs into the limits that hold without a sandbox.
func TestLimitsAreNamed(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) { s.Limits.Kernel, s.Limits.OpenFiles = 400<<20, 250 })
	b.run("import errno, mmap, threading, time\nkept = 7")
	for _, c := range []struct {
		code    string
		args    wire.Execute
		status  event.Status
		limit   event.Limit
		message string
	}{
		{"held = []\nwhile True: held.append(open('/dev/null'))", wire.Execute{}, event.Error, event.OpenFiles, "the limit of 250 open files was reached"},
		{"try:\n    while True: held.append(open('/dev/null'))\nexcept OSError:\n    held.clear()\n    raise ValueError('mine')", wire.Execute{}, event.Error, event.OpenFiles, "the limit of 250 open files was reached"},
		{"go = threading.Event()\nfor i in range(400): threading.Thread(target=go.wait, daemon=True).start()", wire.Execute{}, event.Memory, event.MemoryUse,
			"the memory limit of 400 MiB per process was reached: there was no space for another thread; the variables are kept"},
		{"go.set(); mmap.mmap(-1, 1 << 30)", wire.Execute{}, event.Memory, event.MemoryUse, "the memory limit of 400 MiB per process was reached (ENOMEM); the variables are kept"},
		{"bytearray(1 << 30)", wire.Execute{}, event.Memory, event.MemoryUse, "the memory limit of 400 MiB per process was reached (MemoryError); the variables are kept"},
		{"raise BlockingIOError(errno.EAGAIN, 'x')", wire.Execute{}, event.Error, "", ""},
		{"raise OSError(errno.ENOSPC, 'x')", wire.Execute{}, event.Error, "", ""},
		{"1 / 0", wire.Execute{}, event.Error, "", ""},
		{"time.sleep(60)", wire.Execute{WallMS: 300}, event.Timeout, event.WallTime, "the wall time limit of 300ms was reached; the code was interrupted; the variables are kept"},
		{"while True: pass", wire.Execute{CPUMS: 200}, event.Timeout, event.CPUTime, "the CPU time limit of 200ms was reached; the code was interrupted; the variables are kept"},
		{"while True: print('y' * 65536)", wire.Execute{OutputBytes: 1 << 20}, event.OutputLimit, event.OutputSize, "the output limit of 16 MiB was reached; the code was interrupted; the variables are kept"},
		{"print('y' * (12 << 20))", wire.Execute{OutputBytes: 1 << 20}, event.OK, "", ""},
	} {
		args := c.args
		args.Code = c.code
		x := b.exec(args)
		if x.Status != c.status || x.Limit != c.limit || x.Message != c.message || x.State != event.Intact {
			t.Errorf("%q: got %s %q %q %s, %+v\nwant %s %q %q", c.code, x.Status, x.Limit, x.Message, x.State, x.Error, c.status, c.limit, c.message)
		}
		if x.Status == event.Error && (x.Error == nil || !strings.Contains(x.Error.Traceback, "<cell ")) {
			t.Errorf("%q: there is no traceback: %+v", c.code, x.Error)
		}
	}
	b.want("kept", "7")
}

// TestCrashReport requires that a crash shows where the code was, and nothing
// of the kernel, and that text which only begins like a report ends the kernel.
func TestCrashReport(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	x := b.run("import ctypes\ndef touch():\n    ctypes.string_at(1)\nprint('before')\ntouch()")
	if x.Status != event.Crashed || x.State != event.Lost || !strings.Contains(x.Message, "signal 11") || x.Stdout != "before\n" {
		t.Fatalf("got %s %s %q %q", x.Status, x.State, x.Message, x.Stdout)
	}
	for _, want := range []string{"Segmentation fault", `File "<cell 1>", line 3 in touch`, `File "<cell 1>", line 5 in <module>`} {
		if !strings.Contains(x.Stderr, want) {
			t.Errorf("the report has no %q: %s", want, x.Stderr)
		}
	}
	if strings.Contains(x.Stderr, "kernel.py") || strings.Contains(x.Stderr, "<praxis") || strings.Contains(x.Stderr, "C stack") {
		t.Errorf("the report shows what is not the user's: %s", x.Stderr)
	}
	b.want("1 + 1", "2")
	x = b.run(socket + "[os.write(fd, b'Fatal lie\\n' * 100000) for fd in sockets]\ntime.sleep(100)")
	if x.Status != event.Crashed || x.State != event.Lost || !strings.Contains(x.Message, "crash") || len(x.Stderr) > 80<<10 {
		t.Errorf("a lie: got %s %s %q and %d bytes", x.Status, x.State, x.Message, len(x.Stderr))
	}
	b.want("1 + 1", "2")
	// A crash of a worker is no crash of the kernel.
	x = b.run("import ctypes, os\npid = os.fork()\nif pid == 0: ctypes.string_at(1)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])")
	if x.Status != event.OK || x.Result["text"] != "-11" || !strings.Contains(x.Stderr, "Segmentation fault") {
		t.Errorf("a worker: got %s %q %q %v", x.Status, x.Result["text"], x.Stderr, x.Error)
	}
}
