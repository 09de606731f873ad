// Package sandboxtest is the exam of the sandbox contract. Every backend must
// pass it, the fake included.
package sandboxtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
)

// answerBound is how long the exam waits for anything. It is generous: it only
// turns a hang into a failure.
const answerBound = 60 * time.Second

// Guest tells the exam how to run its guest on the backend under test.
type Guest struct {
	// Spec returns a guest that runs Program. The exam changes its ID and Limits.
	Spec func(t testing.TB) sandbox.Spec
	// Traces returns what the host still holds of sandboxes of this test:
	// processes, folders, cgroups. Nil when the backend leaves none.
	Traces func(t testing.TB) []string
	// Orphan starts a sandbox in another process, kills that process with
	// SIGKILL and returns a backend that shares its state. Nil when no state
	// of the backend outlives its process.
	Orphan func(t testing.TB) sandbox.Backend
}

// exam is one case's backend and guest.
type exam struct {
	t testing.TB
	b sandbox.Backend
	g Guest
}

// Test runs the exam. make returns a new backend, which the exam closes.
func Test(t *testing.T, make func(t *testing.T) sandbox.Backend, guest Guest) {
	for _, c := range []struct {
		name string
		run  func(e exam)
	}{
		{"start and echo", exam.startAndEcho},
		{"bad specs are refused", exam.badSpecs},
		{"one id at a time", exam.oneID},
		{"two at once", exam.twoAtOnce},
		{"closed input ends the guest", exam.closedInput},
		{"checkpoint leaves the original alive", exam.checkpointLeaves},
		{"restore continues the state", exam.restoreContinues},
		{"restore twice", exam.restoreTwice},
		{"restore of a restore", exam.restoreOfRestore},
		{"a restored guest outlives its checkpoint", exam.outlives},
		{"eight restores at once", exam.manyRestores},
		{"restore with more memory", exam.restoreBigger},
		{"checkpoint does not overwrite", exam.checkpointExists},
		{"damaged checkpoints are refused", exam.damaged},
		{"checkpoints that do not fit are refused", exam.misfits},
		{"restore where the same files lie elsewhere", exam.moved},
		{"checkpoint of a guest that is over", exam.checkpointOver},
		{"exit statuses", exam.exits},
		{"memory limit", exam.memoryLimit},
		{"usage grows", exam.usage},
		{"close ends everything", exam.closes},
		{"close of the backend ends everything", exam.closesAll},
		{"cancel during start", exam.cancel},
		{"sweep after the owner was killed", exam.sweep},
		{"host", exam.host},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := make(t)
			e := exam{t: t, b: b, g: guest}
			t.Cleanup(func() {
				if err := b.Close(); err != nil {
					t.Errorf("Close of the backend: %v", err)
				}
				e.noTraces("after Close of the backend")
			})
			c.run(e)
		})
	}
}

// guest is a started sandbox and a reader of its lines.
type guest struct {
	e     exam
	s     sandbox.Sandbox
	lines chan string
}

func (e exam) spec(id string) sandbox.Spec {
	s := e.g.Spec(e.t)
	s.ID = id
	return s
}

func (e exam) start(id string) *guest { return e.startSpec(e.spec(id)) }

func (e exam) startSpec(spec sandbox.Spec) *guest {
	e.t.Helper()
	s, err := e.b.Start(e.t.Context(), spec)
	if err != nil {
		e.t.Fatalf("Start: %v", err)
	}
	return e.follow(s)
}

func (e exam) restore(id, dir string) *guest {
	e.t.Helper()
	s, err := e.b.Restore(e.t.Context(), e.spec(id), sandbox.Folder(dir))
	if err != nil {
		e.t.Fatalf("Restore: %v", err)
	}
	return e.follow(s)
}

func (e exam) follow(s sandbox.Sandbox) *guest {
	g := &guest{e: e, s: s, lines: make(chan string)}
	go func() { // ends with the guest's output
		defer close(g.lines)
		sc := bufio.NewScanner(s.Stream())
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			g.lines <- sc.Text()
		}
	}()
	e.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			e.t.Errorf("Close: %v", err)
		}
		for range g.lines {
		}
	})
	return g
}

// ask sends a line and returns the answer.
func (g *guest) request(line string) string {
	g.e.t.Helper()
	g.tell(line)
	return g.receive()
}

func (g *guest) tell(line string) {
	g.e.t.Helper()
	if _, err := io.WriteString(g.s.Stream(), line+"\n"); err != nil {
		g.e.t.Fatalf("write %q: %v", line, err)
	}
}

func (g *guest) receive() string {
	g.e.t.Helper()
	select {
	case s, ok := <-g.lines:
		if !ok {
			g.e.t.Fatalf("the guest's output ended: %+v", g.s.Wait())
		}
		return s
	case <-time.After(answerBound):
		g.e.t.Fatalf("no answer within %v", answerBound)
	}
	return ""
}

func (g *guest) want(line, want string) {
	g.e.t.Helper()
	if got := g.request(line); got != want {
		g.e.t.Fatalf("%s: got %q, want %q", line, got, want)
	}
}

func (g *guest) wait() sandbox.Exit {
	g.e.t.Helper()
	out := make(chan sandbox.Exit, 1)
	go func() { out <- g.s.Wait() }()
	select {
	case x := <-out:
		return x
	case <-time.After(answerBound):
		g.e.t.Fatalf("the guest is not over within %v", answerBound)
	}
	return sandbox.Exit{}
}

func (g *guest) checkpoint() string {
	g.e.t.Helper()
	dir := filepath.Join(g.e.t.TempDir(), "snap")
	d, err := g.s.Checkpoint(g.e.t.Context(), dir)
	if err != nil {
		g.e.t.Fatalf("Checkpoint: %v", err)
	}
	if d < 0 || d > answerBound {
		g.e.t.Errorf("Checkpoint: stood still for %v", d)
	}
	names, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(names) != 1 {
		g.e.t.Errorf("Checkpoint left %v beside its folder (%v)", names, err)
	}
	return dir
}

func (e exam) noTraces(when string) {
	e.t.Helper()
	if e.g.Traces == nil {
		return
	}
	if got := e.g.Traces(e.t); len(got) != 0 {
		e.t.Errorf("%s the host still holds %q", when, got)
	}
}

func (e exam) wantKind(err error, kind fault.Kind) {
	e.t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		e.t.Errorf("got %v (%v), want a fault of kind %v", err, fault.KindOf(err), kind)
	}
}

func (e exam) startAndEcho() {
	g := e.start("one")
	g.want("echo hello", "hello")
	g.want("echo "+strings.Repeat("x", 300_000), strings.Repeat("x", 300_000))
	g.want("add 41", "41")
	g.want("add 1", "42")
}

func (e exam) badSpecs() {
	good := e.spec("good")
	for name, change := range map[string]func(*sandbox.Spec){
		"no id":          func(s *sandbox.Spec) { s.ID = "" },
		"a path as id":   func(s *sandbox.Spec) { s.ID = "../up" },
		"a long id":      func(s *sandbox.Spec) { s.ID = strings.Repeat("a", 65) },
		"no program":     func(s *sandbox.Spec) { s.Args = nil },
		"relative root":  func(s *sandbox.Spec) { s.Root = "root" },
		"missing root":   func(s *sandbox.Spec) { s.Root = "/no/such/folder" },
		"bad memory":     func(s *sandbox.Spec) { s.Limits.Memory = -1 },
		"bad cpus":       func(s *sandbox.Spec) { s.Limits.CPUs = -0.5 },
		"bad processes":  func(s *sandbox.Spec) { s.Limits.Processes = -1 },
		"bad disk":       func(s *sandbox.Spec) { s.Limits.Disk = -1 },
		"bad open files": func(s *sandbox.Spec) { s.Limits.OpenFiles = -1 },
	} {
		s := good
		change(&s)
		box, err := e.b.Start(e.t.Context(), s)
		if err == nil {
			_ = box.Close()
		}
		if fault.KindOf(err) != fault.Invalid {
			e.t.Errorf("%s: got %v, want an invalid fault", name, err)
		}
	}
}

func (e exam) oneID() {
	g := e.start("same")
	_, err := e.b.Start(e.t.Context(), e.spec("same"))
	e.wantKind(err, fault.Conflict)
	g.want("echo still here", "still here")
	if err := g.s.Close(); err != nil {
		e.t.Fatal(err)
	}
	e.start("same").want("echo again", "again")
}

func (e exam) twoAtOnce() {
	a, b := e.start("a"), e.start("b")
	a.want("put k from-a", "ok")
	b.want("put k from-b", "ok")
	a.want("write /tmp/f file-of-a", "ok")
	if got := b.request("read /tmp/f"); !strings.HasPrefix(got, "error:") {
		e.t.Errorf("b reads a's file: %q", got)
	}
	a.want("get k", "from-a")
	b.want("get k", "from-b")
}

func (e exam) closedInput() {
	g := e.start("eof")
	g.want("add 1", "1")
	if err := g.s.Stream().Close(); err != nil {
		e.t.Fatal(err)
	}
	if x := g.wait(); x.Status != event.OK || x.Code != 0 {
		e.t.Errorf("got %+v, want ok", x)
	}
}

func (e exam) checkpointLeaves() {
	g := e.start("orig")
	g.want("add 5", "5")
	first := g.checkpoint()
	g.want("add 1", "6")
	second := g.checkpoint()
	g.want("add 1", "7")
	e.restore("first", first).want("add 0", "5")
	e.restore("second", second).want("add 0", "6")
}

func (e exam) restoreContinues() {
	g := e.start("orig")
	g.want("add 7", "7")
	g.want("put key a value", "ok")
	g.want("write /tmp/note text in a file", "ok")
	g.want("grow 16", "ok")
	dir := g.checkpoint()
	if err := g.s.Close(); err != nil {
		e.t.Fatal(err)
	}
	r := e.restore("copy", dir)
	r.want("add 1", "8")
	r.want("get key", "a value")
	r.want("read /tmp/note", "text in a file")
}

func (e exam) restoreTwice() {
	g := e.start("orig")
	g.want("add 10", "10")
	dir := g.checkpoint()
	a, b := e.restore("a", dir), e.restore("b", dir)
	a.want("add 1", "11")
	b.want("add 2", "12")
	a.want("write /tmp/x a", "ok")
	b.want("write /tmp/x b", "ok")
	a.want("read /tmp/x", "a")
	b.want("read /tmp/x", "b")
	g.want("add 0", "10")
}

func (e exam) outlives() {
	g := e.start("orig")
	g.want("put key "+strings.Repeat("v", 1<<19), "ok")
	g.want("grow 32", "ok")
	dir := g.checkpoint()
	r := e.restore("copy", dir)
	if err := os.RemoveAll(dir); err != nil {
		e.t.Fatal(err)
	}
	r.want("get key", strings.Repeat("v", 1<<19))
	r.want("add 1", "1")
}

func (e exam) restoreOfRestore() {
	g := e.start("gen0")
	want := 0
	for i := 1; i <= 3; i++ {
		g.want("add 1", fmt.Sprint(want+1))
		want++
		dir := g.checkpoint()
		if err := g.s.Close(); err != nil {
			e.t.Fatal(err)
		}
		g = e.restore(fmt.Sprintf("gen%d", i), dir)
	}
	g.want("add 0", "3")
}

func (e exam) manyRestores() {
	g := e.start("orig")
	g.want("add 100", "100")
	dir := g.checkpoint()
	var wg sync.WaitGroup
	sandboxes := make([]sandbox.Sandbox, 8)
	errs := make([]error, len(sandboxes))
	specs := make([]sandbox.Spec, len(sandboxes))
	for i := range specs {
		specs[i] = e.spec(fmt.Sprintf("many-%d", i))
	}
	for i := range sandboxes {
		wg.Go(func() { sandboxes[i], errs[i] = e.b.Restore(e.t.Context(), specs[i], sandbox.Folder(dir)) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		for _, b := range sandboxes {
			if b != nil {
				_ = b.Close()
			}
		}
		e.t.Fatal(err)
	}
	for i, b := range sandboxes {
		e.follow(b).want(fmt.Sprintf("add %d", i), fmt.Sprint(100+i))
	}
}

func (e exam) restoreBigger() {
	g := e.start("orig")
	g.want("add 3", "3")
	dir := g.checkpoint()
	spec := e.spec("bigger")
	spec.Limits = spec.Limits.WithDefaults()
	spec.Limits.Memory *= 2
	spec.Limits.CPUs *= 2
	s, err := e.b.Restore(e.t.Context(), spec, sandbox.Folder(dir))
	if err != nil {
		e.t.Fatal(err)
	}
	e.follow(s).want("add 1", "4")
}

func (e exam) checkpointExists() {
	g := e.start("orig")
	dir := e.t.TempDir()
	_, err := g.s.Checkpoint(e.t.Context(), dir)
	e.wantKind(err, fault.Conflict)
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		e.t.Errorf("the folder holds %v (%v)", names, err)
	}
	_, err = g.s.Checkpoint(e.t.Context(), filepath.Join(dir, "no", "such", "parent"))
	if err == nil {
		e.t.Error("a checkpoint was written where there is no folder")
	}
	g.want("echo alive", "alive")
}

func (e exam) damaged() {
	g := e.start("orig")
	g.want("grow 4", "ok")
	dir := g.checkpoint()
	if err := g.s.Close(); err != nil {
		e.t.Fatal(err)
	}
	refused := func(what, dir string, kinds ...fault.Kind) {
		e.t.Helper()
		s, err := e.b.Restore(e.t.Context(), e.spec("copy"), sandbox.Folder(dir))
		if err == nil {
			_ = s.Close()
		}
		for _, k := range kinds {
			if err != nil && fault.KindOf(err) == k {
				if k == fault.Conflict && !errors.As(err, new(sandbox.Damaged)) {
					e.t.Errorf("%s: %v does not say that it is damaged", what, err)
				}
				return
			}
		}
		e.t.Errorf("%s: got %v, want one of %v", what, err, kinds)
	}
	refused("no such folder", filepath.Join(e.t.TempDir(), "none"), fault.NotFound, fault.Conflict)
	refused("an empty folder", e.t.TempDir(), fault.Conflict)
	names, err := os.ReadDir(dir)
	if err != nil || len(names) == 0 {
		e.t.Fatalf("the checkpoint holds %v (%v)", names, err)
	}
	for _, n := range names {
		path := filepath.Join(dir, n.Name())
		whole, err := os.ReadFile(path)
		if err != nil || len(whole) == 0 {
			e.t.Fatalf("%s: %d bytes, %v", path, len(whole), err)
		}
		flipped := append([]byte{}, whole...)
		flipped[len(flipped)/2] ^= 0x40
		for what, b := range map[string][]byte{
			"flipped bit in ": flipped, "end cut off ": whole[:len(whole)-1], "nothing in ": {},
			"something added to ": append(append([]byte{}, whole...), 'x'),
		} {
			if what == "something added to " && strings.HasSuffix(n.Name(), ".json") {
				continue // a blank after the end changes nothing
			}
			e.write(path, b)
			refused(what+n.Name(), dir, fault.Conflict)
		}
		if err := os.Remove(path); err != nil {
			e.t.Fatal(err)
		}
		refused("without "+n.Name(), dir, fault.Conflict)
		e.write(path, whole)
	}
	e.noTraces("after refused restores")
	e.restore("whole", dir).want("echo whole again", "whole again")
}

func (e exam) write(path string, b []byte) {
	e.t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		e.t.Fatal(err)
	}
}

func (e exam) misfits() {
	g := e.start("orig")
	dir := g.checkpoint()
	other := e.t.TempDir()
	for name, change := range map[string]func(*sandbox.Spec){
		"another root":    func(s *sandbox.Spec) { s.Root = other },
		"other contents":  func(s *sandbox.Spec) { s.Contents = "others" },
		"a mount less":    func(s *sandbox.Spec) { s.Mounts = s.Mounts[:max(0, len(s.Mounts)-1)] },
		"another program": func(s *sandbox.Spec) { s.Args = append(append([]string{}, s.Args...), "more") },
		"another disk":    func(s *sandbox.Spec) { s.Limits.Disk = 123 << 20 },
	} {
		spec := e.spec("copy")
		if name == "a mount less" && len(spec.Mounts) == 0 {
			continue
		}
		change(&spec)
		s, err := e.b.Restore(e.t.Context(), spec, sandbox.Folder(dir))
		if err == nil {
			_ = s.Close()
			e.t.Errorf("%s: the checkpoint was restored", name)
			continue
		}
		if k := fault.KindOf(err); k != fault.Conflict && k != fault.Invalid {
			e.t.Errorf("%s: got %v (%v), want a conflict", name, err, k)
		}
	}
}

// moved restores over a copy of the root folder: what it holds is named alike.
func (e exam) moved() {
	spec := e.spec("first")
	spec.Contents = "the exam's files"
	g := e.startSpec(spec)
	g.want("add 42", "42")
	dir := g.checkpoint()
	copied, err := filepath.EvalSymlinks(e.t.TempDir())
	if err == nil {
		copied = filepath.Join(copied, "root")
		err = os.CopyFS(copied, os.DirFS(spec.Root))
	}
	if err != nil {
		e.t.Fatal(err)
	}
	spec.ID, spec.Root = "second", copied
	s, err := e.b.Restore(e.t.Context(), spec, sandbox.Folder(dir))
	if err != nil {
		e.t.Fatalf("Restore: %v", err)
	}
	e.follow(s).want("add 1", "43")
}

func (e exam) checkpointOver() {
	g := e.start("over")
	g.tell("exit 0")
	g.wait()
	dir := filepath.Join(e.t.TempDir(), "snap")
	_, err := g.s.Checkpoint(e.t.Context(), dir)
	e.wantKind(err, fault.Conflict)
	if names, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(names) != 0 {
		e.t.Errorf("a refused checkpoint left %v (%v)", names, err)
	}
}

func (e exam) exits() {
	for _, c := range []struct {
		line   string
		status event.Status
		code   int
	}{
		{"exit 0", event.OK, 0},
		{"exit 3", event.Crashed, 3},
		{"abort", event.Crashed, -1},
	} {
		g := e.start("ends")
		g.tell(c.line)
		x := g.wait()
		if x.Status != c.status || x.Code != c.code {
			e.t.Errorf("%s: got %+v, want %v and code %d", c.line, x, c.status, c.code)
		}
		if (x.Message == "") != (c.status == event.OK) || strings.Contains(x.Message, "\n") {
			e.t.Errorf("%s: got message %q", c.line, x.Message)
		}
		if y := g.s.Wait(); y != x {
			e.t.Errorf("%s: Wait answered %+v, then %+v", c.line, x, y)
		}
	}
	g := e.start("closed")
	if err := g.s.Close(); err != nil {
		e.t.Fatal(err)
	}
	if x := g.wait(); x.Status != event.Killed {
		e.t.Errorf("closed: got %+v, want killed", x)
	}
}

func (e exam) memoryLimit() {
	spec := e.spec("hog")
	spec.Limits.Memory = 64 << 20
	g := e.startSpec(spec)
	sibling := e.start("sibling")
	// A runtime may refuse before the limit does; the exam's guest does not.
	for range 10 {
		if _, err := io.WriteString(g.s.Stream(), "grow 100\n"); err != nil {
			break
		}
	}
	x := g.wait()
	if x.Status != event.Memory {
		e.t.Fatalf("got %+v, want memory", x)
	}
	if !strings.Contains(x.Message, "memory limit") || !strings.Contains(x.Message, "64 MiB") {
		e.t.Errorf("the message %q does not name the limit and its value", x.Message)
	}
	sibling.want("echo unharmed", "unharmed")
}

func (e exam) usage() {
	g := e.start("use")
	g.want("echo up", "up")
	before, err := g.s.Usage(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	g.want("grow 32", "ok")
	g.want("spin 300", "ok")
	after, err := g.s.Usage(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	if after.Memory-before.Memory < 24<<20 {
		e.t.Errorf("32 MiB more in use, but memory went from %d to %d", before.Memory, after.Memory)
	}
	if after.PeakMemory < after.Memory || after.PeakMemory < before.PeakMemory {
		e.t.Errorf("peak memory %d then %d, memory %d", before.PeakMemory, after.PeakMemory, after.Memory)
	}
	if after.CPU <= before.CPU {
		e.t.Errorf("cpu time did not grow: %v then %v", before.CPU, after.CPU)
	}
	if after.Processes < 1 {
		e.t.Errorf("%d processes", after.Processes)
	}
	if err := g.s.Close(); err != nil {
		e.t.Fatal(err)
	}
	if over, err := g.s.Usage(e.t.Context()); err != nil || over.CPU < after.CPU || over.PeakMemory < after.PeakMemory {
		e.t.Errorf("after the end: %+v, %v; before it: %+v", over, err, after)
	}
}

func (e exam) closes() {
	g := e.start("gone")
	g.want("echo up", "up")
	for range 2 {
		if err := g.s.Close(); err != nil {
			e.t.Fatal(err)
		}
	}
	e.noTraces("after Close")
	if _, err := io.WriteString(g.s.Stream(), "echo\n"); err == nil {
		e.t.Error("a closed guest takes input")
	}
}

func (e exam) closesAll() {
	a, b := e.start("a"), e.start("b")
	a.want("echo up", "up")
	if err := e.b.Close(); err != nil {
		e.t.Fatal(err)
	}
	for _, g := range []*guest{a, b} {
		if x := g.wait(); x.Status != event.Killed {
			e.t.Errorf("got %+v, want killed", x)
		}
	}
	e.noTraces("after Close of the backend")
	_, err := e.b.Start(context.Background(), e.spec("late"))
	e.wantKind(err, fault.Conflict)
}

func (e exam) cancel() {
	done, cancel := context.WithCancel(e.t.Context())
	cancel()
	_, err := e.b.Start(done, e.spec("early"))
	e.wantKind(err, fault.Canceled)
	for _, after := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(e.t.Context(), after)
		s, err := e.b.Start(ctx, e.spec("hasty"))
		cancel()
		if err != nil {
			e.wantKind(err, fault.Canceled)
		} else if err := s.Close(); err != nil { // it was faster
			e.t.Fatal(err)
		}
		e.noTraces("after a canceled start")
	}
	g := e.start("hasty") // the id is free again
	_, err = g.s.Checkpoint(done, filepath.Join(e.t.TempDir(), "snap"))
	e.wantKind(err, fault.Canceled)
	g.want("echo fine", "fine")
}

func (e exam) sweep() {
	if e.g.Orphan == nil {
		e.t.Skip("no state of this backend outlives its process")
	}
	b := e.g.Orphan(e.t)
	defer func() {
		if err := b.Close(); err != nil {
			e.t.Error(err)
		}
	}()
	mine, err := b.Start(e.t.Context(), e.spec("mine"))
	if err != nil {
		e.t.Fatal(err)
	}
	g := e.follow(mine)
	n, err := b.Sweep(e.t.Context())
	if err != nil || n != 1 {
		e.t.Errorf("Sweep: %d, %v; want 1", n, err)
	}
	g.want("echo untouched", "untouched")
	if n, err := b.Sweep(e.t.Context()); err != nil || n != 0 {
		e.t.Errorf("second Sweep: %d, %v; want 0", n, err)
	}
}

func (e exam) host() {
	h, err := e.b.Host(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	if h.Backend == "" || h.Boundary == "" || strings.Contains(h.Boundary, "\n") {
		e.t.Errorf("backend %q, boundary %q", h.Backend, h.Boundary)
	}
	have := make(map[string]bool)
	for _, l := range h.Limits {
		if l.By == "" {
			e.t.Errorf("nobody keeps %s", l.Limit)
		}
		have[l.Limit] = true
	}
	for _, l := range []string{"memory", "cpus", "processes", "disk", "open_files", "wall", "output"} {
		if !have[l] {
			e.t.Errorf("the host does not say who keeps %s", l)
		}
	}
	for _, f := range h.Findings {
		if f.What == "" || f.Remedy == "" {
			e.t.Errorf("finding %+v lacks what or remedy", f)
		}
	}
}
