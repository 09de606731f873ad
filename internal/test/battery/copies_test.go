package battery

import (
	"context"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/session"
)

// TestCopies keeps what the README says of two sessions of one template: what
// they have in common, and what is each one's own.
func TestCopies(t *testing.T) {
	t.Parallel()
	m := manager(t)
	const code = `import ctypes, os, random, subprocess, sys, uuid
print("boot", open("/proc/sys/kernel/random/boot_id").read().strip())
print("hash", hash("a"))
seen = '''
import ctypes
libc = ctypes.CDLL(None)
libc.getauxval.restype = ctypes.c_ulong
print("layout", [l.split("-")[0] for l in open("/proc/self/maps") if "libc.so" in l or "[stack]" in l])
print("canary", ctypes.string_at(libc.getauxval(25), 16).hex())
'''
exec(seen)
print("urandom", os.urandom(8).hex())
print("random", random.random())
print("new generator", random.Random().random())
print("uuid1", uuid.uuid1())
print("uuid4", uuid.uuid4())
child = subprocess.run([sys.executable, "-c", "print('hash', hash('a'))" + seen], capture_output=True, text=True, check=True).stdout
print(*("child's " + l for l in child.splitlines()), sep="\n")
`
	look := func() map[string]string {
		s, err := m.Create(context.Background(), session.Options{Image: defaultImage}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		x, err := s.Execute(context.Background(), code, session.Exec{}, event.Discard)
		if err != nil || x.Status != event.OK {
			t.Fatalf("%+v, %v", x, err)
		}
		out := map[string]string{}
		for line := range strings.Lines(x.Stdout) {
			i := strings.LastIndex(line, " ")
			if j := strings.Index(line, " ["); j > 0 {
				i = j
			}
			out[line[:i]] = line[i:]
		}
		return out
	}
	first, second := look(), look()
	same := map[string]bool{"boot": true, "hash": true, "layout": true, "canary": true}
	if len(first) != 12 {
		t.Errorf("the code shows %d facts: %v", len(first), first)
	}
	for name, value := range first {
		if got := second[name] == value; got != same[name] {
			t.Errorf("%s is %q and %q: the same is %v, and the README says %v", name, value, second[name], got, same[name])
		}
	}
}
