package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/internal/guest/wire"
)

func TestTailKeepsTheEnd(t *testing.T) {
	for _, max := range []int{1, 7, 100} {
		tl := tail{max: max}
		var all [3]string
		var order strings.Builder
		for i := range 500 {
			text := fmt.Sprint("<", i, ">", strings.Repeat("x", i%9))
			s := uint8(1 + i%3/2)
			tl.add(s, []byte(text))
			all[s] += text
			order.WriteString(text)
			if tl.len() > max {
				t.Fatalf("max %d: holds %d bytes", max, tl.len())
			}
		}
		var got [3]string
		joined := ""
		for _, c := range tl.chunks {
			got[c.stream] += string(c.data)
			joined += string(c.data)
		}
		if !strings.HasSuffix(order.String(), joined) || len(joined) != max {
			t.Errorf("max %d: holds %q", max, joined)
		}
		for s := 1; s <= 2; s++ {
			if tl.omitted[s] != int64(len(all[s])-len(got[s])) {
				t.Errorf("max %d: stream %d: says that %d bytes are left out, want %d", max, s, tl.omitted[s], len(all[s])-len(got[s]))
			}
		}
	}
	flip := tail{max: 1 << 20}
	for i := range 3 * maxChunks {
		flip.add(uint8(1+i%2), []byte("x"))
	}
	if len(flip.chunks) > maxChunks || flip.omitted[1]+flip.omitted[2]+int64(flip.len()) != 3*maxChunks {
		t.Errorf("streams that take turns: %d chunks, %v left out, %d kept", len(flip.chunks), flip.omitted, flip.len())
	}
}

func TestParseStat(t *testing.T) {
	const line = "123 (a) b (c) 1 2) S 7 123 99 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 5 6000000 50 18446744073709551615"
	p, ok := parseStat(123, []byte(line))
	want := procInfo{pid: 123, parent: 7, session: 99, cpu: time.Second, rss: 50 * int64(os.Getpagesize()), address: 6000000}
	if !ok || p != want {
		t.Errorf("got %+v, %v, want %+v", p, ok, want)
	}
	for _, bad := range []string{"", "1 (x", "1 (x) S 1 2"} {
		if _, ok := parseStat(1, []byte(bad)); ok {
			t.Errorf("%q was read", bad)
		}
	}
	self, _ := os.ReadFile("/proc/self/stat")
	if p, ok := parseStat(os.Getpid(), self); !ok || p.parent != os.Getppid() || p.rss <= 0 {
		t.Errorf("of this process: %+v, %v", p, ok)
	}
}

func TestTree(t *testing.T) {
	all := []procInfo{{pid: 1}, {pid: 10, parent: 1, session: 10}, {pid: 11, parent: 10, session: 10}, {pid: 12, parent: 11, session: 12},
		{pid: 13, parent: 1, session: 10}, {pid: 14, parent: 1, session: 14}, {pid: 15, parent: 12, session: 15}}
	var got []int
	for _, p := range tree(all, 10) {
		got = append(got, p.pid)
	}
	if fmt.Sprint(got) != "[10 11 12 13 15]" {
		t.Errorf("got %v", got)
	}
}

func TestMemoryField(t *testing.T) {
	text := []byte("MemTotal:        1048576 kB\nMemFree:          894464 kB\nAnonPages:         17456 kB\n")
	if n, ok := memoryField(text, "MemFree:"); !ok || n != 894464<<10 {
		t.Errorf("got %d, %v", n, ok)
	}
	if _, ok := memoryField(text, "Gone:"); ok {
		t.Error("a field that is not there was read")
	}
	if _, ok := memoryField([]byte("MemFree: lots kB\n"), "MemFree:"); ok {
		t.Error("a field that is no number was read")
	}
}

func TestOpOf(t *testing.T) {
	for body, want := range map[string]string{
		`{"op":"execute","code":"x"}`: "execute", `{"op":"ping"}`: "ping", `{ "code": "\"op\":\"no\"", "op": "stat" }`: "stat",
		`{"op":"a\u0062c"}`: "abc", `{"x":1}`: "",
	} {
		if got, err := opOf([]byte(body)); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", body, got, err, want)
		}
	}
	for _, bad := range []string{"", "x", `{"op":1}`, `{"op":"`} {
		if got, err := opOf([]byte(bad)); err == nil {
			t.Errorf("%s: got %q", bad, got)
		}
	}
}

func TestWithin(t *testing.T) {
	roots := []string{"/work", "/tmp", "/work/deep"}
	for path, want := range map[string]string{
		"/work": "/work .", "/work/a/b": "/work a/b", "/work/deep/x": "/work/deep x", "/tmp/x": "/tmp x",
		"/workx": "", "/": "", "/etc/passwd": "", "/tm": "",
	} {
		root, rel, err := within(roots, path)
		if got := strings.TrimSpace(root + " " + rel); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestSetupIsChecked(t *testing.T) {
	kernels := func(change func(*wire.Kernel)) func(*wire.Setup) {
		return func(s *wire.Setup) {
			k := wire.Kernel{Language: "python", Command: []string{"/usr/bin/python3"}}
			change(&k)
			s.Kernels = []wire.Kernel{k}
		}
	}
	good := wire.Setup{Workdir: "/work"}
	kernels(func(k *wire.Kernel) { k.Program, k.Files = "a/b", map[string]string{"a/b": "x"} })(&good)
	if s, err := check(good); err != nil || s.Temp != "/tmp" || len(s.Roots) != 3 || s.Columns != 100 {
		t.Errorf("got %+v, %v", s, err)
	}
	for name, change := range map[string]func(*wire.Setup){
		"relative command":  kernels(func(k *wire.Kernel) { k.Command = []string{"python3"} }),
		"no command":        kernels(func(k *wire.Kernel) { k.Command = nil }),
		"name of language":  kernels(func(k *wire.Kernel) { k.Language = "../x" }),
		"file elsewhere":    kernels(func(k *wire.Kernel) { k.Files = map[string]string{"../x": ""} }),
		"absolute file":     kernels(func(k *wire.Kernel) { k.Files = map[string]string{"/x": ""} }),
		"missing program":   kernels(func(k *wire.Kernel) { k.Program = "x" }),
		"crash of a frame":  kernels(func(k *wire.Kernel) { k.CrashBegins = "\x00\x00\x00\x08" }),
		"short crash":       kernels(func(k *wire.Kernel) { k.CrashBegins = "Fat" }),
		"kernel's variable": kernels(func(k *wire.Kernel) { k.Deterministic = map[string]string{"": "x"} }),
		"same language":     func(s *wire.Setup) { s.Kernels = append(slices.Clone(s.Kernels), s.Kernels[0]) },
		"many languages":    func(s *wire.Setup) { s.Kernels = make([]wire.Kernel, wire.MaxKernels+1) },
		"unclean workdir":   func(s *wire.Setup) { s.Workdir = "/work/../etc" },
		"workdir elsewhere": func(s *wire.Setup) { s.Workdir = "/etc" },
		"temp elsewhere":    func(s *wire.Setup) { s.Temp = "/var" },
		"relative root":     func(s *wire.Setup) { s.Roots = []string{"work"} },
		"negative memory":   func(s *wire.Setup) { s.Limits.Memory = -1 },
		"negative files":    func(s *wire.Setup) { s.Limits.OpenFiles = -1 },
		"negative CPUs":     func(s *wire.Setup) { s.Limits.CPUs = -1 },
		"many CPUs":         func(s *wire.Setup) { s.Limits.CPUs = 1e9 },
		"columns":           func(s *wire.Setup) { s.Columns = 1 },
		"variable":          func(s *wire.Setup) { s.Env = map[string]string{"A=B": "x"} },
		"zero byte":         func(s *wire.Setup) { s.Env = map[string]string{"A": "x\x00"} },
	} {
		s := good
		change(&s)
		if _, err := check(s); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// TestPrivilegesAreNotSkippedSilently sets up an agent that is said to be
// privileged and is not root, or has nothing to count processes with.
func TestPrivilegesAreNotSkippedSilently(t *testing.T) {
	dir := t.TempDir()
	s, err := check(wire.Setup{Workdir: dir, Home: dir, Temp: dir, Roots: []string{dir}, Cgroup: dir + "/none/pids"})
	if err != nil {
		t.Fatal(err)
	}
	c := config{Setup: s}
	var f *failure
	if err := c.prepare(); !errors.As(err, &f) || f.kind != "conflict" {
		t.Errorf("got %v", err)
	}
}

func TestProgramOverTheSocket(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "no length": "\n", "not a number": "12x\n", "huge": "99999999999999999999\n", "cut": "100\n{}", "no JSON": "2\n[]",
	} {
		if p, err := readProgram(strings.NewReader(text)); err == nil && len(p.Argv) > 0 {
			t.Errorf("%s: got %+v", name, p)
		}
	}
	p, err := readProgram(strings.NewReader("17\n" + `{"argv":["true"]}` + "rest"))
	if err != nil || len(p.Argv) != 1 || p.Argv[0] != "true" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestWholeOutputWaits writes far more than a window in all, as long as there is
// space. What is kept stays bounded, and a stream that was lost is followed again.
func TestWholeOutputWaits(t *testing.T) {
	var sent bytes.Buffer
	r := newRequest(&link{w: &sent, epoch: 1}, 5, 1, func(*request) {})
	e := newExecution(wire.Execute{Exec: "x", OutputBytes: 1 << 10, Whole: true}, 1, wholeFiles{temp: t.TempDir()})
	woken := 0
	e.resume = func() { woken++ }
	if err := e.follow(r, 0); err != nil {
		t.Fatal(err)
	}
	const all = 64 << 20
	var wrote, got, seq uint64
	taken := 0
	for got < all {
		for wrote < all && !e.full() {
			e.write(1, bytes.Repeat([]byte{byte(wrote >> 14)}, 1<<14))
			wrote += 1 << 14
		}
		if size := e.size(); size > 8*wire.Window {
			t.Fatalf("%d bytes are kept", size)
		}
		frames := wire.NewReader(&sent)
		credit := 0
		for {
			f, err := frames.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if f.Kind != wire.Output {
				continue // the end of the request that was lost
			}
			n, _, data, err := wire.ParseOutput(f.Body)
			if seq++; err != nil || n != seq || data[0] != byte(got>>14) {
				t.Fatalf("output %d, want %d, %v", n, seq, err)
			}
			got += uint64(len(data))
			credit += wire.Cost(len(f.Body))
		}
		if taken++; taken == 3 { // what is on its way does not arrive
			sent.Reset()
			r = newRequest(r.link, 6, 1, func(*request) {})
			if err := e.follow(r, seq-1); err != nil {
				t.Fatal(err)
			}
			seq, got = seq-1, got-1<<14
			continue
		}
		r.credit(credit)
	}
	if wrote != all || woken == 0 {
		t.Errorf("%d bytes were written, woken %d times", wrote, woken)
	}
	if err := e.follow(r, 0); err == nil {
		t.Error("it is followed from a beginning that is gone")
	}
}

// TestFollowerFallsBehind fills a log faster than its follower gives credit.
// Everything must arrive, in order, and no more than the window be on its way.
func TestFollowerFallsBehind(t *testing.T) {
	var sent bytes.Buffer
	l := &link{w: &sent, epoch: 1}
	closed := false
	r := newRequest(l, 5, 1, func(*request) { closed = true })
	e := newExecution(wire.Execute{Exec: "x", OutputBytes: 8 << 20}, 1, wholeFiles{temp: t.TempDir()})
	if err := e.follow(r, 0); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := range 100 {
		text := strings.Repeat(string(rune('a'+i%26)), 50_000)
		e.write(1, []byte(text))
		want.WriteString(text)
	}
	e.display(wire.Bundle{"text": "d", "text/html": strings.Repeat("h", 3<<20)})
	e.finish(wire.Executed{Status: "ok", State: "intact"})
	frames := wire.NewReader(&sent)
	var got strings.Builder
	html, seq, flying := 0, uint64(0), 0
	for !closed || sent.Len() > 0 {
		f, err := frames.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("nothing more came, and the log is not at its end")
		}
		if err != nil {
			t.Fatal(err)
		}
		switch f.Kind {
		case wire.Output:
			n, _, data, err := wire.ParseOutput(f.Body)
			if seq++; err != nil || n != seq {
				t.Fatalf("output %d, want %d, %v", n, seq, err)
			}
			got.Write(data)
		case wire.Part, wire.Event:
			html += len(f.Body)
		case wire.Response:
			continue
		}
		if flying += wire.Cost(len(f.Body)); flying > wire.MaxInFlight {
			t.Fatalf("%d units are on their way", flying)
		}
		if sent.Len() == 0 || flying > wire.Window/2 {
			n := flying
			flying = 0
			rest := sent.Bytes()
			sent = *bytes.NewBuffer(append([]byte(nil), rest...))
			r.credit(n)
		}
	}
	if got.String() != want.String() || html < 3<<20 {
		t.Errorf("got %d bytes of %d and %d of markup", got.Len(), want.Len(), html)
	}
}
