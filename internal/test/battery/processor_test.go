package battery

import (
	"runtime"
	"testing"

	"praxis/event"
	"praxis/internal/session"
)

// askProcessor asks on which processor it runs while that system call is refused, and again
// after it may only run on the last one.
const askProcessor = `
import ctypes, os, struct
libc = ctypes.CDLL(None)

def asked(refused, cpus):
    pid = os.fork()
    if pid == 0:
        os.sched_setaffinity(0, cpus)
        if refused:
            filter = b"".join(struct.pack("HBBI", *i) for i in ((0x20, 0, 0, 0), (0x15, 0, 1, 309), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000)))
            held = ctypes.create_string_buffer(filter)
            program = struct.pack("HxxxxxxQ", 4, ctypes.addressof(held))
            if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
                os._exit(99)
        os._exit(libc.sched_getcpu() & 0xff)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

every, last = os.sched_getaffinity(0), max(os.sched_getaffinity(0))
first = asked(True, every) == 0
chosen = asked(False, {last}) == last and asked(True, {last}) == (255 if last else 0) and asked(False, every) in every
first, chosen
`

// TestProcessor wants the question which processor a thread runs on answered without a system
// call, as long as every program may run on the first one, and rightly then.
func TestProcessor(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("it is a system call on this kind of processor")
	}
	s, err := manager(t).Create(t.Context(), session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := must(t, s, askProcessor); got != "(True, True)" {
		t.Errorf("without a call, and after processors were chosen: %s", got)
	}
}
