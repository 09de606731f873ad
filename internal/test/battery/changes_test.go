package battery

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/session"
)

// changesBed is a session whose executions tell what they changed.
type changesBed struct {
	*testing.T
	*session.Session
	context string
}

func startChanges(t *testing.T) changesBed {
	t.Helper()
	s, err := manager(t).Create(t.Context(), session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b := changesBed{T: t, Session: s}
	t.Cleanup(func() { s.Close() })
	b.listed(changesPrelude)
	return b
}

// in is the bed with another session or context.
func (b changesBed) in(s *session.Session, context string) changesBed {
	return changesBed{T: b.T, Session: s, context: context}
}

// listed runs code and returns what it changed: kind, path and size of each file.
func (b changesBed) listed(code string) string {
	b.Helper()
	x, err := b.Execute(b.Context(), code, session.Exec{Changes: true, Context: b.context}, event.Discard)
	if err != nil {
		b.Fatal(err)
	}
	if x.Status != event.OK {
		b.Fatalf("%q: %s %s %+v", code, x.Status, x.Message, x.Error)
	}
	var all []string
	for _, c := range x.Changes {
		all = append(all, fmt.Sprintf("%s %s %d", c.Kind, strings.TrimPrefix(c.Path, "/work/"), c.Bytes))
	}
	if x.Unlisted != "" {
		all = append(all, "unlisted: "+x.Unlisted)
	}
	return strings.Join(all, ", ")
}

func (b changesBed) want(code, want string) {
	b.Helper()
	if got := b.listed(code); got != want {
		b.Errorf("%q: got %q, want %q", code, got, want)
	}
}

// rest runs so many executions that change nothing that the agent stops looking.
func (b changesBed) rest() {
	b.Helper()
	for range 4 {
		b.want("x+1", "")
	}
}

const changesPrelude = `
import ctypes, mmap, os, socket, subprocess, sys, threading, time
x = 1
libc = ctypes.CDLL(None, use_errno=True)
def put(path, text='x'):
    with open(path, 'w') as f:
        f.write(text)
def fd(path, flags=os.O_RDWR):
    return os.open(path, flags)
def wait(path):
    while not os.path.exists(path):
        time.sleep(0.001)
out = '/home/user/'
os.makedirs('d/e')
for name in 'abcefgh':
    put(name, 'text of ' + name)
put('d/in', 'i')
put('d/e/deep', 'd')
put(out + 'source', '0123456789')
`

// changesCases are what code can do to files, in this order, each after
// executions that did nothing.
var changesCases = []struct{ code, want string }{
	{"g = fd('a'); os.write(g, b'TEXT'); os.close(g)", "changed a 9"},
	{"g = fd('a'); os.pwrite(g, b'!', 4); os.close(g)", "changed a 9"},
	{"g = fd('a'); os.pwritev(g, [b'!', b'?'], 5); os.close(g)", "changed a 9"},
	{"os.truncate('b', 3)", "changed b 3"},
	{"g = fd('b'); os.ftruncate(g, 1); os.close(g)", "changed b 1"},
	{"open('b', 'w').close()", "changed b 0"},
	{"g = fd('b'); os.posix_fallocate(g, 0, 10); os.close(g)", "changed b 10"},
	{"g, s = fd('c'), fd(out + 'source'); print(os.sendfile(g, s, 0, 10)); os.close(g); os.close(s)", "changed c 10"},
	{"g, s = fd('c', os.O_RDWR | os.O_TRUNC), fd(out + 'source'); os.lseek(s, 4, 0); assert libc.copy_file_range(s, None, g, None, 10, 0) == 6; os.close(g); os.close(s)", "changed c 6"},
	{"g = fd('d/in'); r, w = os.pipe(); os.write(w, b'piped'); assert libc.splice(r, None, g, None, 5, 0) == 5; os.close(g)", "changed d/in 5"},
	{"put('d/e/deep', 'deeper')", "changed d/e/deep 6"},
	{"put('new')", "created new 1"},
	{"os.remove('new')", "removed new 0"},
	{"os.rename('d/in', 'd/on')", "removed d/in 0, created d/on 5"},
	{"os.rename('d/e', 'd/f')", "removed d/e/deep 0, created d/f/deep 6"},
	{"os.rename(out + 'source', 'd/f/source')", "created d/f/source 10"},
	{"os.rename('d/f/source', out + 'source')", "removed d/f/source 0"},
	{"os.rename('e', 'f')", "removed e 0, changed f 9"},
	{"put('new', 'content'); os.replace('new', 'f')", "changed f 7"},
	{"os.makedirs('m/n'); put('m/n/o')", "created m/n/o 1"},
	{"import shutil; shutil.rmtree('m')", "removed m/n/o 0"},
	{"os.mkdir('m')", ""},
	{"put('m/n')", "created m/n 1"},
	{"os.symlink('/work/d', out + 'door')", ""},
	{"put(out + 'door/on', 'by a door')", "changed d/on 9"},
	{"os.symlink('/work/d/on', out + 'key')", ""},
	{"put(out + 'key', 'by a link')", "changed d/on 9"},
	{"os.symlink(out, 'window')", ""},
	{"put('window/elsewhere')", ""},
	{"os.chmod('a', 0o600); os.utime('a', (1, 1)); os.utime('d', (1, 1))", ""},
	{"put('a', 'same size'); os.utime('a', (1, 1))", "changed a 9"},
	{"put('a', 'same size')", ""},
	{"os.mkfifo('pipe'); s = socket.socket(socket.AF_UNIX); s.bind('socket')", ""},
	{"put('m.pyc'); os.mkdir('__pycache__'); put('__pycache__/m')", ""},
	{"held = open('held', 'w'); held.write('unwritten')", "created held 0"},
	{"_ = held.flush()", "changed held 9"},
	{"os.rename('held', 'd/held')", "created d/held 9, removed held 0"},
	{"_ = held.write('!'); held.flush()", "changed d/held 10"},
	{"os.remove('d/held')", "removed d/held 0"},
	{"_ = held.write('!'); held.flush()", ""},
	{"_ = subprocess.run([sys.executable, '-c', 'open(\"g\", \"w\").write(\"child\")'], check=True)", "changed g 5"},
	{"pid = os.fork()\nif pid == 0:\n    put('g', 'forked')\n    os._exit(0)\n_ = os.waitpid(pid, 0)", "changed g 6"},
	{"t = threading.Thread(target=put, args=('g', 'a thread')); t.start(); t.join()", "changed g 8"},
	{"go = threading.Event(); t = threading.Thread(target=lambda: (go.wait(), put('g', 'later'))); t.start()", ""},
	{"go.set(); t.join()", "changed g 5"},
	// What goes on between two executions counts for the later one, whoever it is.
	{"t = threading.Thread(target=lambda: (wait(out + 'go'), put('g', 'between'), put(out + 'gone'))); t.start()", ""},
	{"put(out + 'go'); wait(out + 'gone'); t.join()", "changed g 7"},
	{"p = subprocess.Popen([sys.executable, '-c', 'import os, time\\nwhile not os.path.exists(\"/home/user/now\"): time.sleep(0.001)\\nopen(\"h\", \"w\").write(\"program\")'])", ""},
	{"put(out + 'now'); _ = p.wait()", "changed h 7"},
	// A file with two names: from here on the agent has to look.
	{"os.link('h', out + 'other')", ""},
	{"put(out + 'other', 'other name')", "changed h 10"},
	{"os.link(out + 'source', 'linked')", "created linked 10"},
	{"g = fd(out + 'source'); os.remove(out + 'source')", ""},
	{"os.write(g, b'9876'); os.close(g)", "changed linked 10"},
}

// TestChangesInTheSandbox does all that changes files after executions that did
// nothing, so that the agent has to notice it.
func TestChangesInTheSandbox(t *testing.T) {
	t.Parallel()
	b := startChanges(t)
	for _, c := range changesCases {
		b.rest()
		b.want(c.code, c.want)
	}
}

// TestChangesAfterRestore looks at what copies of a session that is at rest notice.
func TestChangesAfterRestore(t *testing.T) {
	t.Parallel()
	b := startChanges(t)
	b.rest()
	snap, err := b.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.want("put('a', 'one')", "changed a 3")
	b.rest()
	copied, err := b.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	c := b.in(copied, "")
	c.want("put('b', 'of the copy')", "changed b 11")
	b.want("x+1", "")
	b.want("put('c', 'of the first')", "changed c 12")
	c.rest()
	b.rest()
	for _, again := range []struct {
		what string
		do   func(context.Context) error
		want string
	}{
		{"pause", b.Pause, "changed a 5"},
		{"rollback", func(ctx context.Context) error { return b.Rollback(ctx, snap.ID) }, "changed a 5"},
	} {
		if err := again.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", again.what, err)
		}
		b.want("x+1", "")
		b.want("put('a', 'again'); put('a', 'again')", again.want)
		b.rest()
	}
	b.want("os.path.getsize('c')", "")
	b.want("put('d/e/deep', 'in a folder')", "changed d/e/deep 11")
}

// TestChangesByOthers lets other contexts and interpreters that end do the writing.
func TestChangesByOthers(t *testing.T) {
	t.Parallel()
	b := startChanges(t)
	other := b.in(b.Session, "other")
	other.listed("x = 1")
	b.rest()
	other.rest()
	other.want("open('a', 'w').write('other')", "changed a 5")
	b.rest()
	other.want("open('a', 'w').write('once more')", "changed a 9")
	// What another context writes while nobody asks is not what comes next has done.
	b.rest()
	if _, err := other.Execute(t.Context(), "open('a', 'w').write('silently')", session.Exec{Context: "other"}, event.Discard); err != nil {
		t.Fatal(err)
	}
	b.want("x+1", "")
	b.rest()
	got, err := b.Execute(t.Context(), "put('b', 'last'); os._exit(1)", session.Exec{Changes: true}, event.Discard)
	if err != nil || got.State != event.Lost || len(got.Changes) != 1 || got.Changes[0].Path != "/work/b" {
		t.Errorf("%+v %v", got, err)
	}
	b.want("x = 1", "")
	b.rest()
	other.rest()
	other.want("open('c', 'w').write('x')", "changed c 1")
}

// TestChangesOfManyFolders holds more folders than are listened to.
func TestChangesOfManyFolders(t *testing.T) {
	t.Parallel()
	b := startChanges(t)
	b.rest()
	b.want("for i in range(3000): os.mkdir('q%d' % i)", "")
	b.rest()
	b.want("put('q2999/x'); os.rename('q1', 'q2/q1')", "created q2999/x 1")
	b.rest()
	b.want("put('q2/q1/y')", "created q2/q1/y 1")
	b.want("import shutil\nfor i in range(3000): shutil.rmtree('q%d' % i, ignore_errors=True)", "removed q2/q1/y 0, removed q2999/x 0")
	b.rest()
	b.want("put('d/e/deep', 'heard again')", "changed d/e/deep 11")
}

// TestManyEventsCostNoMemory writes a lot to files that are listened to, while
// code runs and while none does: gVisor keeps every event until it is fetched.
func TestManyEventsCostNoMemory(t *testing.T) {
	t.Parallel()
	b := startChanges(t)
	b.listed(`
def flood(n):
    f, g = fd('a'), fd('b')
    for i in range(n):
        os.pwrite(f, b'x', 0)
        os.pwrite(g, b'x', 0)
    os.close(f); os.close(g)
`)
	b.want("put('a'); put('b'); flood(100000)", "changed a 1, changed b 1") // nobody listens yet
	before, err := b.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.rest()
	b.want("flood(100000)", "")
	b.rest()
	b.want("t = threading.Thread(target=flood, args=(100000,)); t.start()", "")
	b.want("t.join()", "")
	after, err := b.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if grown := after.PeakMemory - before.PeakMemory; grown > 12<<20 {
		t.Errorf("the session's memory grew by %d bytes, from %d", grown, before.PeakMemory)
	}
}

// TestRestingAgentDoesNotLook tells an agent that listens from one that looks by
// what only the latter would find out: gVisor tells of files by their names, and
// nothing of what is written to a descriptor whose name is gone.
func TestRestingAgentDoesNotLook(t *testing.T) {
	t.Parallel()
	b := startChanges(t)
	b.listed("for i in range(900): put('n%d' % i)")
	b.want("g = fd('n1'); os.link('n1', 'm1'); os.remove('n1')", "created m1 1, removed n1 0")
	b.rest()
	b.want("os.write(g, b'unheard'); x+1", "")
	b.rest()
	b.want("put('n2', 'heard')", "changed m1 7, changed n2 5")
}
