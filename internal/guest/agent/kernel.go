package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"praxis/internal/guest/wire"
)

// Bounds of a kernel.
const (
	startTime   = 5 * time.Minute // from the start of the program to "ready", preload included
	answerTime  = 5 * time.Second // for completions
	maxLate     = 64 << 10        // bytes of output between executions that are kept
	maxOutbox   = 16 << 20        // bytes that wait to be sent to a kernel
	maxWaiting  = 16              // completions that wait for an answer
	maxStartLog = 4 << 10         // bytes of what a kernel wrote before it was ready
)

// kernel is a context: one interpreter after another under one name.
type kernel struct {
	name     string
	language string // never changes
	srv      *server
	wakeup   wakeup
	kick     chan struct{} // wakes run while there is no interpreter
	over     chan struct{} // closed when run has returned

	mu           sync.Mutex
	in           *interp // nil: being started or dead
	cfg          config  // what the interpreter was started with
	dead         bool    // not started again until it is asked for
	closing      bool
	cur          *execution
	folder       string // where interpreters are started; empty: the session's working folder
	ran          int    // executions of code by this interpreter
	late         tail
	early        []byte // output before ready, for the message when it never comes
	waiters      []chan error
	reply        wire.SetupReply
	preload      bool // the next start imports the preload: the first one, or after a setup
	entropy      string
	questions    map[uint64]question
	lastQuestion uint64
	settled      []settled // executions that are over and whose end the pump has still to tell
	lost         string    // why variables were lost while nothing ran; the next execution says it
}

// settled is an execution that ran, and its result.
type settled struct {
	e      *execution
	out    wire.Executed
	silent *fileWatch // one that had not fired when it ended; nil: there is none
}

// question is a completion that waits for its answer.
type question struct {
	req   *request
	until time.Time
	size  int // code points of the code
}

func newKernel(s *server, name, language, folder string) (*kernel, error) {
	b, err := newWakeup()
	if err != nil {
		return nil, fmt.Errorf("cannot make context %s: %w", name, err)
	}
	k := &kernel{
		name: name, language: language, folder: folder, srv: s, wakeup: b, preload: name == wire.Main,
		kick: make(chan struct{}, 1), over: make(chan struct{}),
		late: tail{max: maxLate}, questions: map[uint64]question{},
	}
	s.wg.Add(1)
	go k.run()
	return k, nil
}

// run starts interpreters, one after the other, until the kernel is closed.
func (k *kernel) run() {
	defer k.srv.wg.Done()
	defer close(k.over)
	for {
		in, err := k.launch()
		if err == nil {
			k.pump(in)
			err = k.ended(in)
			k.mu.Lock()
			settled := k.settled
			k.settled, k.ran = nil, 0
			k.mu.Unlock()
			k.tell(settled, false)
			in.close()
		}
		if !k.again(err) {
			k.wakeup.close()
			return
		}
	}
}

// again decides whether to start another interpreter: at once after one that
// worked, only when asked for after one that did not start. It reports false
// when the kernel is closed.
func (k *kernel) again(err error) bool {
	k.mu.Lock()
	k.dead = err != nil
	if err != nil {
		k.giveUp(err)
	}
	for k.dead && !k.closing {
		k.mu.Unlock()
		<-k.kick
		k.mu.Lock()
		if k.cur != nil || len(k.waiters) > 0 {
			k.dead = false
		}
	}
	defer k.mu.Unlock()
	if k.closing {
		k.giveUp(fmt.Errorf("context %s was removed", k.name))
	}
	return !k.closing
}

// giveUp tells everybody who waits that there is no interpreter.
func (k *kernel) giveUp(err error) {
	if e := k.cur; e != nil {
		k.cur = nil
		k.finish(e, wire.Executed{Status: "crashed", State: "lost", Message: "the kernel does not start: " + asFailure(err).message})
	}
	for _, w := range k.waiters {
		w <- err
	}
	k.waiters = nil
}

// live reports whether there is an interpreter that takes code.
func (k *kernel) live() bool { return k.in != nil && k.in.ready && k.in.doomed == goOn }

// poke lets run look again.
func (k *kernel) poke() {
	select {
	case k.kick <- struct{}{}:
	default:
	}
}

// waitReady returns once an interpreter is ready, or why there is none.
func (k *kernel) waitReady() (wire.SetupReply, error) {
	k.mu.Lock()
	if k.closing {
		k.mu.Unlock()
		return wire.SetupReply{}, failf("not_found", "", "context %s was removed", k.name)
	}
	if k.live() {
		defer k.mu.Unlock()
		return k.reply, nil
	}
	w := make(chan error, 1)
	k.waiters = append(k.waiters, w)
	k.mu.Unlock()
	k.poke()
	err := <-w
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.reply, err
}

// execute begins an execution. It is called by the reader of the host's
// stream: with an interpreter that is ready it ends in one write to it.
func (k *kernel) execute(e *execution) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closing:
		return failf("not_found", "", "cannot execute: context %s was removed", k.name)
	case k.cur != nil:
		return failf("conflict", "Wait for it, interrupt it or use another context.", "cannot execute: context %s is busy with another execution", k.name)
	}
	e.resume = k.wakeup.wake
	k.cur = e
	k.move(e.Folder)
	k.showLate(e)
	if k.live() && !e.waiting {
		k.sendCode(e)
	} else if k.dead {
		k.poke()
	}
	return nil
}

// move has the interpreters of the kernel work in a folder from now on; empty: where they do.
func (k *kernel) move(folder string) {
	if folder == "" || folder == k.folder {
		return
	}
	k.folder = folder
	if k.in != nil {
		k.in.send(map[string]any{"op": "environ", "folder": folder})
		k.wakeIfStuck()
	}
}

// release sends the code of an execution that waited, unless it was stopped.
func (k *kernel) release(e *execution) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e.waiting = false
	if k.cur == e && k.live() {
		k.sendCode(e)
		k.srv.guard.wake()
	}
}

// showLate gives output that came between executions to the next one.
func (k *kernel) showLate(e *execution) {
	if k.late.len() == 0 {
		return
	}
	if n := k.late.omitted[1] + k.late.omitted[2]; n > 0 {
		e.write(1, fmt.Appendf(nil, "… [%d bytes left out] …\n", n))
	}
	for _, c := range k.late.chunks {
		e.write(c.stream, c.data)
	}
	k.late = tail{max: maxLate}
}

func (k *kernel) sendCode(e *execution) {
	k.srv.seeds.next()
	if k.cfg.seeded() {
		e.cpuBefore = cpuOf(k.in.child.pid)
	}
	e.began = time.Now()
	k.in.id++
	if e.Code != "" && !e.rehearsal {
		k.ran++
	}
	if len(e.Environ) > 0 || k.in.lent {
		k.in.sendEnvironment(k.cfg, e.Environ)
		k.in.lent = len(e.Environ) > 0
	}
	message := map[string]any{"op": "execute", "id": k.in.id, "code": e.Code, "result": !e.Silent, "columns": e.Columns}
	if e.File != "" {
		message["file"] = e.File
	}
	if e.Rich {
		message["rich"] = true
	}
	if e.stamps != nil {
		message["stamps"] = true
		e.stamps.Handed = e.began.UnixNano()
	}
	k.in.send(message)
	k.wakeIfStuck()
}

// ringIfStuck wakes the pump when the kernel's socket did not take everything.
func (k *kernel) wakeIfStuck() {
	if len(k.in.outbox) > 0 {
		k.wakeup.wake()
	}
}

// interrupt begins to stop what runs: anything, or only the execution called exec.
func (k *kernel) interrupt(exec string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cur != nil && (exec == "" || k.cur.Exec == exec) {
		k.stop(byCaller, "the code was interrupted before it began")
	}
}

// stop begins to stop what runs, if anything does.
func (k *kernel) stop(why reason, limit string) {
	e := k.cur
	if e == nil {
		return
	}
	if e.began.IsZero() { // nothing ran yet, so there is nothing to interrupt
		k.cur = nil
		k.finish(e, wire.Executed{Status: why.status(), State: "intact", Message: limit, Limit: why.limit()})
		return
	}
	now := time.Now()
	if e.stopping.begin(why, limit, now) {
		k.escalate(e, now)
		k.srv.guard.wake()
		k.wakeup.wake() // its output is read on, so that it can end
	}
}

// escalate takes the steps of stopping that are due. A kernel that waits in an event loop
// gets a frame besides, since a signal does not wake it.
func (k *kernel) escalate(e *execution, now time.Time) {
	before := e.stopping.step
	e.stopping.escalate(k.in.child, now)
	if k.in.language.Framed && e.stopping.step > before && e.stopping.step < 3 {
		k.in.send(map[string]any{"op": "interrupt", "id": k.in.id})
		k.wakeIfStuck()
	}
}

// kill ends the interpreter; run starts another.
func (k *kernel) kill(why reason, limit string) {
	if e := k.cur; e != nil && !e.began.IsZero() {
		if e.stopping.why == goOn || e.stopping.why == byCaller {
			e.stopping.why, e.stopping.limit = why, limit
		}
		e.stopping.step = 3
	}
	if k.in != nil {
		k.in.doomed = why
		killTree(k.in.child)
	}
}

// restart ends the interpreter and waits for the next one.
func (k *kernel) restart() error {
	k.mu.Lock()
	k.kill(byRestart, "the context was restarted by the caller")
	k.mu.Unlock()
	_, err := k.waitReady()
	return err
}

// close ends the kernel for good.
func (k *kernel) close() {
	k.mu.Lock()
	k.closing = true
	k.kill(byRestart, "the context was removed by the caller")
	k.mu.Unlock()
	k.poke()
	<-k.over
}

// adopt applies a setup to an interpreter that lives.
func (k *kernel) adopt(old, cfg config) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in == nil {
		return // the one that is being started takes the setup of that moment
	}
	if k.cfg.Deterministic != cfg.Deterministic {
		// Its hash seed and its threads were fixed when it was started.
		k.preload = k.name == wire.Main
		k.kill(byRestart, "the session's determinism was changed")
		return
	}
	limitLive(k.in.child.pid, cfg, k.in.language.Reserve)
	if k.live() && cfg.Seed != nil && (old.Seed == nil || *old.Seed != *cfg.Seed) {
		k.in.send(map[string]any{"op": "seed", "seed": *cfg.Seed})
		k.wakeIfStuck()
	}
	k.cfg = cfg
}

// reseed mixes entropy into the interpreter's generators before the next
// execution. Each context gets its own, so that no two make the same numbers.
func (k *kernel) reseed(entropy string) {
	sum := sha256.Sum256([]byte(k.name + "\x00" + entropy))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entropy = hex.EncodeToString(sum[:])
	if k.live() {
		k.sendEntropy()
	}
}

func (k *kernel) sendEntropy() {
	if k.entropy == "" {
		return
	}
	k.in.send(map[string]any{"op": "reseed", "entropy": k.entropy})
	k.entropy = ""
	k.wakeIfStuck()
}

// complete asks the interpreter for completions.
func (k *kernel) complete(req *request, args wire.Complete) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.cur != nil || !k.live():
		return failf("conflict", "Ask again when it is idle.", "cannot complete: context %s is busy", k.name)
	case len(k.questions) >= maxWaiting:
		return failf("exhausted", "Ask again later.", "cannot complete: %d completions wait already", maxWaiting)
	}
	k.lastQuestion++
	k.questions[k.lastQuestion] = question{req: req, until: time.Now().Add(answerTime), size: len([]rune(args.Code))}
	k.in.send(map[string]any{"op": "complete", "id": k.lastQuestion, "code": args.Code, "cursor": args.Cursor})
	k.wakeIfStuck()
	k.srv.guard.wake()
	return nil
}

func (k *kernel) info() wire.ContextInfo {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := wire.ContextInfo{Name: k.name, Language: k.language, State: "starting", Version: k.reply.Version, PreloadErrors: k.reply.PreloadErrors, Lost: k.lost, Folder: k.folder, Executions: k.ran}
	if k.in != nil {
		i.PID = k.in.child.pid
	}
	switch {
	case k.dead:
		i.State = "dead"
	case k.cur != nil:
		i.State, i.Execution = "busy", k.cur.Exec
	case k.live():
		i.State = "idle"
	}
	return i
}

// tick looks after the limits of what runs. It returns when to look again and
// whether there is anything to look after.
func (k *kernel) tick(now time.Time) (next time.Time, active bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, q := range k.questions {
		if active = true; now.After(q.until) {
			delete(k.questions, id)
			q.req.fail(failf("unavailable", "Restart the context if this goes on.", "cannot complete: no answer after %s", answerTime))
		}
	}
	if k.in != nil && !k.in.ready {
		active = true
		if now.Sub(k.in.began) > startTime {
			k.kill(byProtocol, "")
		}
	}
	e := k.cur
	if e == nil || e.began.IsZero() || k.in == nil {
		return now.Add(time.Hour), active
	}
	next = now.Add(time.Hour)
	if e.WallMS > 0 {
		limit := time.Duration(e.WallMS) * time.Millisecond
		if end := e.began.Add(limit); !now.Before(end) {
			e.stopping.begin(overWall, fmt.Sprintf("the wall time limit of %s was reached", limit), now)
		} else {
			next = end
		}
	}
	if e.CPUMS > 0 && e.stopping.why == goOn && !now.Before(e.cpuNext) {
		k.checkCPU(e, now)
	}
	k.watch(e, now)
	if k.escalate(e, now); e.stopping.why != goOn {
		k.wakeup.wake()
	}
	if t, ok := e.stopping.deadlined(); ok && t.Before(next) {
		next = t
	}
	return next, true
}

// checkCPU measures the CPU time of the interpreter and its children. What was
// used before the first look is taken to be this execution's, as far as one
// core could use it in that time.
func (k *kernel) checkCPU(e *execution, now time.Time) {
	used := cpuOf(k.in.child.pid)
	if e.cpuNext.IsZero() {
		e.cpuBase = max(used-now.Sub(e.began), 0)
	}
	used -= e.cpuBase
	limit := time.Duration(e.CPUMS) * time.Millisecond
	if used >= limit {
		e.stopping.begin(overCPU, fmt.Sprintf("the CPU time limit of %s was reached", limit), now)
		return
	}
	// It takes at least this long on every core to use the rest up.
	e.cpuNext = now.Add(max((limit-used)/time.Duration(cores()), 20*time.Millisecond))
}

// tell closes executions that ran: which files they changed is found here,
// so the kernel's lock must be free. listens says that the caller will wait for
// the watch.
func (k *kernel) tell(settled []settled, listens bool) {
	for _, x := range settled {
		switch {
		case x.e.rehearsal:
		case x.e.Changes:
			x.out.Changes, x.out.Unlisted = k.srv.changes.after(k.srv.workFolder(), x.silent, listens)
		default:
			k.srv.changes.touch()
		}
		x.e.finish(x.out)
		k.srv.retire(x.e)
	}
}

// finish closes an execution that did not run: its result is the last of its log.
func (k *kernel) finish(e *execution, out wire.Executed) {
	e.finish(k.final(e, out))
	k.srv.retire(e)
}

// final adds to a result what the kernel has to say besides.
func (k *kernel) final(e *execution, out wire.Executed) wire.Executed {
	if len(e.notes) > 0 {
		out.Message = joinSentences(out.Message, strings.Join(e.notes, "; "))
	}
	if k.lost != "" && !e.rehearsal {
		out.State, out.Message = "lost", joinSentences(k.lost, out.Message)
		k.lost = ""
	}
	return out
}
