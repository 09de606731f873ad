package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"praxis"
	"praxis/event"
	"praxis/fault"
)

// Bounds on one operation. It is cancelled after the first; if it has not
// returned after the second, it hangs, which is a failure of what is tested.
const (
	opTime   = 2 * time.Minute
	hangTime = 3 * time.Minute
)

// record is what a host says of one operation, one line of JSON each.
type record struct {
	Op    string    `json:"op"`
	Begin time.Time `json:"begin"`
	// Alive is when the session was last known to live, before Begin where others were
	// in between: a fault since then may be why the operation failed. Zero: at Begin.
	Alive time.Time `json:"alive"`
	End   time.Time `json:"end"`
	// Ended is "ok", a status, a fault with its text, or an error with its text.
	Ended string `json:"ended"`
	// Wrong says what a result that counts as a success should have been, or
	// that the operation hangs: a failure whatever happened around it.
	Wrong string `json:"wrong,omitempty"`
}

// hostConfig is what a host is started with, as JSON.
type hostConfig struct {
	Home, Program, Tools string
	Name                 string // distinguishes its named sessions
	Sessions             int
	Seed                 uint64
}

// host is a long-lived program that embeds Praxis.
type host struct {
	hostConfig
	client *praxis.Client
	back   atomic.Int64 // nanoseconds by which its clock is behind
	ending atomic.Bool

	mu  sync.Mutex
	out *json.Encoder
}

// runHost is the process of a host: it works until its standard input ends,
// where every line is a number of seconds by which its clock goes back.
func runHost(config string) error {
	h := &host{out: json.NewEncoder(os.Stdout)}
	if err := json.Unmarshal([]byte(config), &h.hostConfig); err != nil {
		return err
	}
	client, err := praxis.Open(praxis.Options{
		Home: h.Home, Environ: []string{},
		Now: func() time.Time { return time.Now().Add(-time.Duration(h.back.Load())) },
	})
	if err != nil {
		return err
	}
	h.client = client
	first := h.worker(-1)
	for _, o := range operations()[6:8] { // what stays open once it was used
		first.do(o)
	}
	if err := first.close(); err != nil {
		return err
	}
	files, goroutines := count()
	var all sync.WaitGroup
	opening := make(chan struct{}, 1) // sessions begin one after the other
	for k := range h.Sessions {
		all.Go(func() { h.worker(k).work(opening) })
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if s, err := strconv.Atoi(in.Text()); err == nil {
			h.back.Add(int64(time.Duration(s) * time.Second))
		}
	}
	h.ending.Store(true)
	all.Wait()
	h.settled(files, goroutines)
	began := time.Now()
	h.say(record{Op: "end", Begin: began, Ended: ended(client.Close())})
	return nil
}

// spare is how many files and goroutines may be open in the end beyond those at
// the beginning: connections to the database that wait for their next use. It is
// less than the least number of sessions that are opened.
const spare = 6

// settled says whether the process has as many open files and goroutines as
// before its sessions. Some of them end a little after what they served.
func (h *host) settled(files, goroutines int) {
	began := time.Now()
	files, goroutines = files+spare, goroutines+spare
	f, g := count()
	for ; (f > files || g > goroutines) && time.Since(began) < 20*time.Second; f, g = count() {
		time.Sleep(100 * time.Millisecond)
	}
	r := record{Op: "settle", Begin: began, Ended: "ok"}
	if f > files || g > goroutines {
		r.Wrong = fmt.Sprintf("%d open files, at most %d are due; %d goroutines, at most %d", f, files, g, goroutines)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	h.say(r)
}

// count returns the open files and the goroutines of this process.
func count() (files, goroutines int) {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries), runtime.NumGoroutine()
}

func (h *host) say(r record) {
	r.End = time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.out.Encode(r) // who reads it ended: so do we, at the end of our input
}

// ended says how an operation ended.
func ended(err error) string {
	switch {
	case err == nil:
		return "ok"
	case fault.KindOf(err) == fault.Internal:
		return "error: " + err.Error()
	}
	return fmt.Sprintf("fault %v: %v", fault.KindOf(err), err)
}

// notOK is an execution that did not end as it should have.
type notOK struct{ x event.Execution }

func (e notOK) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%v, %s: %s %s", e.x.Status, e.x.State, e.x.Message, e.x.Stderr))
}

// wrong is a result that claims success and is not what it has to be.
type wrong string

func (w wrong) Error() string { return string(w) }

// worker uses one session, and knows what must be in it.
type worker struct {
	h   *host
	k   int
	rng *rand.Rand

	session *praxis.Session
	alive   time.Time // when it was last known to live
	known   bool      // whether v is the value of the variable and the file
	v       int64
	snap    string // a snapshot, and the value in it; "": none
	snapV   int64
	named   int64 // of the named session's count: what was said to be saved
	unsure  bool  // a save may have happened of which nothing was said
	lastRun string
}

func (h *host) worker(k int) *worker {
	return &worker{h: h, k: k, unsure: true, rng: rand.New(rand.NewPCG(h.Seed, uint64(k+1)))}
}

// operation is something that a worker does, and how often.
type operation struct {
	name  string
	often int
	do    func(*worker, context.Context) error
}

func operations() []operation {
	return []operation{
		{"execute", 45, (*worker).execute}, {"file", 8, (*worker).file}, {"kill kernel", 2, (*worker).killKernel},
		{"snapshot", 4, (*worker).snapshot}, {"rollback", 4, (*worker).rollback}, {"fork", 3, (*worker).fork}, {"open", 2, (*worker).reopen},
		{"record", 5, (*worker).record}, {"replay", 2, (*worker).replay}, {"named", 4, (*worker).count}, {"command", 3, (*worker).command}, // not in the worker's session
		code("output", 5, "print('0123456789' * 20000)", event.OK, strings.Repeat("0123456789", 20000), 0),
		code("raise", 4, "1/0", event.Error, "", 0),
		code("timeout", 2, "while True: pass", event.Timeout, "", 200*time.Millisecond),
		code("memory", 1, "b = b'x' * (600 << 20)", event.Memory, "", 0),
		code("disk", 1, "import os\ntry:\n with open('/work/full', 'wb') as f:\n  for _ in range(200): f.write(b'x' * (1 << 20))\n"+
			"except OSError as e: print(e.errno)\nfinally: os.remove('/work/full')", event.OK, "28", 0),
	}
}

// code is an operation that executes code, with the status and the output that it has to have.
func code(name string, often int, text string, want event.Status, output string, timeout time.Duration) operation {
	return operation{name, often, func(w *worker, ctx context.Context) error {
		got, err := run(ctx, w.session, text, want, event.Bounds{Timeout: event.Duration(timeout)})
		if err == nil && got != output {
			err = wrong(fmt.Sprintf("%d bytes came instead of %d: %.100q", len(got), len(output), got))
		}
		w.known = w.known && want != event.Memory
		return err
	}}
}

// work does one operation after the other until the host ends.
func (w *worker) work(opening chan struct{}) {
	all := operations()
	open := all[slices.IndexFunc(all, func(o operation) bool { return o.name == "open" })]
	opening <- struct{}{}
	w.do(open)
	<-opening
	for failed := 0; !w.h.ending.Load(); {
		next := choose(w.rng, all, func(o operation) int { return o.often })
		if w.session == nil || failed >= 2 {
			time.Sleep(time.Duration(failed) * 100 * time.Millisecond)
			next = open
		}
		if failed++; w.do(next) {
			failed = 0
		}
		failed = min(failed, 20)
	}
	w.do(operation{"close", 0, func(w *worker, _ context.Context) error { return w.close() }})
}

// do does one operation within its bounds, and says what came of it.
func (w *worker) do(o operation) bool {
	began := time.Now()
	hangs := time.AfterFunc(hangTime, func() {
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		w.h.say(record{Op: o.name, Begin: began, Ended: "hangs", Wrong: "it did not return long after its context ended"})
	})
	defer hangs.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), opTime)
	defer cancel()
	err := o.do(w, ctx)
	apart := slices.Contains([]string{"record", "replay", "named", "command"}, o.name)
	r := record{Op: o.name, Begin: began, Alive: w.alive}
	if apart || o.name == "open" {
		r.Alive = time.Time{}
	}
	if err == nil && !apart {
		w.alive = began
	}
	var bad wrong
	var other notOK
	switch {
	case errors.As(err, &bad):
		r.Ended, r.Wrong = "ok", fmt.Sprintf("worker %d: %s", w.k, bad)
	case errors.As(err, &other):
		r.Ended = "status " + other.Error()
	default:
		r.Ended = ended(err)
	}
	if err != nil {
		w.known = false
	}
	w.h.say(r)
	return err == nil
}

// run executes code that must end with a status, and returns what it printed.
func run(ctx context.Context, s *praxis.Session, code string, want event.Status, b event.Bounds) (string, error) {
	if b.Timeout == 0 {
		b.Timeout = event.Duration(opTime)
	}
	x, err := s.ExecuteWithin(code, b).Result(ctx)
	if err != nil {
		return "", err
	}
	if x.Status != want || want == event.OK && x.State != event.Intact {
		return "", notOK{x}
	}
	return strings.TrimSpace(x.Stdout), nil
}

// show prints the variable and the file that have to agree.
const show = "print(globals().get('v', 0), open('/work/v').read() if __import__('os').path.exists('/work/v') else 0)"

// check compares what show printed.
func check(got string, want int64) error {
	if w := fmt.Sprint(want, " ", want); got != w {
		return wrong(fmt.Sprintf("variable and file are %q instead of %q", got, w))
	}
	return nil
}

func (w *worker) execute(ctx context.Context) error {
	next := w.rng.Int64N(1 << 40)
	got, err := run(ctx, w.session, fmt.Sprintf("%s\nv = %d\nwith open('/work/v', 'w') as f: _ = f.write(str(v))", show, next), event.OK, event.Bounds{})
	if err == nil && w.known {
		err = check(got, w.v)
	}
	w.known, w.v = err == nil, next
	return err
}

func (w *worker) file(ctx context.Context) error {
	content := strings.Repeat(fmt.Sprintln(w.rng.Int64()), 1+w.rng.IntN(5000))
	if err := w.session.WriteFile(ctx, "data/in.txt", strings.NewReader(content)); err != nil {
		return err
	}
	if _, err := run(ctx, w.session, "import shutil; _ = shutil.copy('data/in.txt', 'data/out.txt')", event.OK, event.Bounds{}); err != nil {
		return err
	}
	var back strings.Builder
	err := w.session.ReadFile(ctx, "/work/data/out.txt", &back)
	if err == nil && back.String() != content {
		err = wrong(fmt.Sprintf("a file of %d bytes came back with %d, or others", len(content), back.Len()))
	}
	return err
}

func (w *worker) snapshot(ctx context.Context) error {
	if err := w.execute(ctx); err != nil {
		return err
	}
	id, err := w.session.Snapshot(ctx)
	if err == nil {
		w.snap, w.snapV = id, w.v
	}
	return err
}

func (w *worker) rollback(ctx context.Context) error {
	if w.snap == "" {
		return w.snapshot(ctx)
	}
	if err := w.session.Rollback(ctx, w.snap); err != nil {
		return err
	}
	w.known, w.v = true, w.snapV
	return w.execute(ctx)
}

// fork looks into the child, and goes on with it or with the parent.
func (w *worker) fork(ctx context.Context) error {
	if err := w.execute(ctx); err != nil {
		return err
	}
	child, err := w.session.Fork(ctx)
	if err != nil {
		return err
	}
	got, err := run(ctx, child, show, event.OK, event.Bounds{})
	if err == nil {
		err = check(got, w.v)
	}
	if err == nil && w.rng.IntN(2) == 0 {
		w.session, child = child, w.session
		w.snap = ""
	}
	return errors.Join(err, child.Close())
}

// killKernel loses the variable; the file stays.
func (w *worker) killKernel(ctx context.Context) error {
	if err := w.execute(ctx); err != nil {
		return err
	}
	x, err := w.session.Execute("import os; os.kill(os.getpid(), 9)").Result(ctx)
	if err != nil {
		return err
	}
	if x.Status == event.OK || x.State != event.Lost {
		return notOK{x}
	}
	got, err := run(ctx, w.session, show, event.OK, event.Bounds{})
	if err == nil && got != fmt.Sprint(0, " ", w.v) {
		err = wrong(fmt.Sprintf("after the kernel was killed, variable and file are %q instead of \"0 %d\"", got, w.v))
	}
	w.known = false
	return err
}

// record makes a run in a session of its own, with a call of a tool.
func (w *worker) record(ctx context.Context) error {
	n := w.rng.IntN(1000)
	out, err := w.h.client.RunCode(praxis.Code{
		Text:    fmt.Sprintf("from tools import sales\nprint(sales.query(sql='select sum(units) + %d as n from sales')['rows'][0]['n'])", n),
		Session: praxis.SessionOptions{Limits: limits()}, Bounds: event.Bounds{Timeout: event.Duration(opTime)},
		Tools: praxis.ToolOptions{Files: []string{w.h.Tools}},
	}).Result(ctx)
	switch x := out.Execution; {
	case err != nil:
		return err
	case x.Status != event.OK:
		return notOK{x}
	case strings.TrimSpace(x.Stdout) != strconv.Itoa(60+n):
		return wrong(fmt.Sprintf("a tool gave %q instead of %d", x.Stdout, 60+n))
	}
	w.lastRun = out.Run
	return nil
}

func (w *worker) replay(ctx context.Context) error {
	if w.lastRun == "" {
		return w.record(ctx)
	}
	got, err := w.h.client.Replay(w.lastRun).Result(ctx)
	w.lastRun = ""
	if err == nil && !got.Identical {
		return fmt.Errorf("a replay is not identical: %s", got.Report)
	}
	return err
}

// count counts in a named session, through the library or by the command. What
// was said to be saved is there the next time.
func (w *worker) count(ctx context.Context) error {
	if w.k >= 2 {
		return w.record(ctx) // each named session keeps its last twenty snapshots
	}
	const code = "n = globals().get('n', 0) + 1\nprint(n)"
	var n int64
	var text string
	var err error
	if w.rng.IntN(2) == 0 {
		text, err = w.praxis(ctx, "run", "--session", w.name(), "--memory", "256MiB", "--disk", "64MiB", "-c", code)
	} else {
		var out praxis.CodeResult
		out, err = w.h.client.RunCode(praxis.Code{
			Text: code, Session: praxis.SessionOptions{Name: w.name(), Limits: limits()}, Bounds: event.Bounds{Timeout: event.Duration(opTime)},
		}).Result(ctx)
		if text = out.Execution.Stdout; err == nil && out.Execution.Status != event.OK {
			err = notOK{out.Execution}
		}
	}
	if err == nil {
		_, err = fmt.Sscan(text, &n)
	}
	if err != nil {
		w.unsure = true
		return err
	}
	before, unsure := w.named, w.unsure
	w.named, w.unsure = n, false
	if n != before+1 && !(unsure && n > before) {
		return wrong(fmt.Sprintf("a named session counts %d after %d", n, before))
	}
	return nil
}

// name is that of the worker's named session, which hosts that come later go on with.
func (w *worker) name() string { return fmt.Sprintf("%s-%d", w.h.Name, w.k) }

// command uses the command as a person does.
func (w *worker) command(ctx context.Context) (err error) {
	bundle := w.name() + ".jsonl"
	switch w.rng.IntN(5) {
	case 0:
		var text string
		text, err = w.praxis(ctx, "run", "-c", "print(2**64)")
		if err == nil && text != "18446744073709551616\n" {
			err = wrong(fmt.Sprintf("2**64 is %q", text))
		}
	case 1:
		_, err = w.praxis(ctx, "runs")
	case 2:
		_, err = w.praxis(ctx, "export", "last~1", "--format", "jsonl", "--out", bundle)
		_ = os.Remove(bundle)
	case 3: // snapshots of live sessions stay
		_, err = w.praxis(ctx, "gc", "--older-than", "2m")
	case 4:
		if err = w.count(ctx); err == nil && w.k < 2 {
			_, _ = w.praxis(ctx, "session", "rm", w.name()+"-fork") // it is there after a fault
			_, err = w.praxis(ctx, "session", "fork", w.name(), w.name()+"-fork")
		}
	}
	return err
}

// praxis runs the command.
func (w *worker) praxis(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, w.h.Program, args...)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", fmt.Errorf("praxis %s: exit code %d: %s", args[0], exit.ExitCode(), strings.Join(lines[max(0, len(lines)-3):], " | "))
	}
	return string(out), err
}

func limits() event.Limits { return event.Limits{Memory: 256 << 20, Disk: 64 << 20} }

func (w *worker) close() error {
	if w.session == nil {
		return nil
	}
	err := w.session.Close()
	w.session, w.snap, w.known = nil, "", false
	return err
}

func (w *worker) reopen(ctx context.Context) error {
	err := w.close()
	s, openErr := w.h.client.NewSession(ctx, praxis.SessionOptions{Limits: limits()})
	if openErr == nil {
		w.session = s
	}
	return errors.Join(err, openErr)
}
