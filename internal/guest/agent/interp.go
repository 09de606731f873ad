package agent

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

const (
	maxControl  = 64 << 20 // largest control frame of a kernel, see the package comment
	readSize    = 64 << 10
	maxDrain    = 256 << 10 // read from a pipe before the other is looked at
	afterDone   = 1 << 20   // read from a pipe when an execution ends; no pipe holds more
	controlHead = 4
	maxLastText = 32 << 10              // bytes of standard error that say how an interpreter ended
	lastPause   = 50 * time.Millisecond // between two looks at an interpreter that is ending
)

// interp is one process of a kernel and the agent's ends of what it writes to.
type interp struct {
	child    *child
	language wire.Kernel // how it was started
	out, err int
	ctl      int
	began    time.Time
	ready    bool
	doomed   reason     // why it was killed
	quiet    bool       // the last poll found nothing in the pipes
	woken    time.Time  // when the last poll ended
	silent   *fileWatch // had not fired when the frame that is read now had begun; nil: not known
	id       uint64     // of the last execution sent
	outbox   []byte     // control frames that the socket did not take yet
	inbox    []byte     // bytes of control frames that are not whole yet
	broken   string     // why the control socket cannot be used any more
	ending   bool       // that is so because it ends, as it seems
	report   []byte     // what it said of its crash
	lastText []byte     // the end of what it wrote to standard error, where that says how it ended
	buf      []byte
	environ  map[string]string // that it was sent last
	lent     bool              // some of it is that of the last execution
}

// control is a frame of the kernel. Every field is checked before it is used.
type control struct {
	Type          string            `json:"type"`
	ID            uint64            `json:"id"`
	Version       string            `json:"version"`
	PreloadErrors map[string]string `json:"preload_errors"`
	Bundle        wire.Bundle       `json:"bundle"`
	Stream        int               `json:"stream"`
	Text          string            `json:"text"`
	Data          []byte            `json:"data"`
	Status        string            `json:"status"`
	Result        wire.Bundle       `json:"result"`
	Error         *wire.Raised      `json:"error"`
	Refused       []string          `json:"refused"`
	Interrupted   bool              `json:"interrupted"`
	Lost          bool              `json:"lost"`
	CPUMS         float64           `json:"cpu_ms"`
	WallMS        float64           `json:"wall_ms"`
	PeakMemory    float64           `json:"peak_memory_bytes"`
	Stamps        []int64           `json:"stamps"`
	Start         int               `json:"start"`
	End           int               `json:"end"`
	Matches       []string          `json:"matches"`
}

// launch starts an interpreter and tells it how to begin.
func (k *kernel) launch() (*interp, error) {
	cfg, err := k.srv.config()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	folder := cmp.Or(k.folder, cfg.Workdir)
	k.mu.Unlock()
	in := &interp{out: -1, err: -1, ctl: -1, began: time.Now(), buf: make([]byte, readSize)}
	var outW, errW, ctlK = -1, -1, -1
	defer func() { closeAll(outW, errW, ctlK) }()
	if in.out, outW, err = outPipe(cfg.privileged()); err == nil {
		if in.err, errW, err = outPipe(cfg.privileged()); err == nil {
			in.ctl, ctlK, err = socketPair()
		}
	}
	if err != nil {
		in.close()
		return nil, err
	}
	lang, err := cfg.languageOf(k.language)
	if err != nil {
		in.close()
		return nil, err
	}
	in.language = lang
	env, path := cfg.env(nil)
	in.child, err = launch(k.srv.reaper, program{
		Argv: cfg.command(lang), Env: env, Path: path, Dir: folder,
		Cgroup: cfg.group, Privileged: cfg.privileged(), Memory: cfg.addressSpace(lang.Reserve), OpenFiles: cfg.Limits.OpenFiles,
		CPUs:       cfg.cpus(),
		Namespaces: cfg.Limits.UserNamespaces > 0, Control: true, Seeded: cfg.seeded(),
	}, [4]int{-1, outW, errW, ctlK})
	if err != nil {
		in.close()
		return nil, err
	}
	return in, k.begin(in, cfg, folder)
}

// begin hands an interpreter that was just started over to its kernel.
func (k *kernel) begin(in *interp, started config, folder string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	cfg, err := k.srv.config() // a setup may have come meanwhile
	if err != nil {
		return err
	}
	preload := []string{}
	if k.preload && in.language.Preload != nil {
		preload = in.language.Preload
	}
	k.in, k.cfg, k.early = in, cfg, nil
	in.child.notify(k.wakeup.wake)
	if k.closing || cfg.Deterministic != started.Deterministic {
		k.kill(byRestart, "")
		return nil
	}
	k.preload = false
	limitLive(in.child.pid, cfg, in.language.Reserve)
	in.environ = started.variables()
	in.send(map[string]any{"op": "start", "preload": preload, "seed": cfg.Seed, "deterministic": cfg.Deterministic, "columns": cfg.Columns})
	in.sendEnvironment(cfg, nil)
	if k.folder != "" && k.folder != folder { // it was moved meanwhile
		in.send(map[string]any{"op": "environ", "folder": k.folder})
	}
	k.srv.guard.wake()
	return nil
}

func (in *interp) close() { closeAll(in.out, in.err, in.ctl) }

// send queues a control frame and writes what the socket takes now.
func (in *interp) send(v any) {
	body, err := marshal(v)
	if err != nil || len(in.outbox)+len(body) > maxOutbox {
		in.broken = "it did not read what it was sent"
		return
	}
	in.outbox = append(binary.BigEndian.AppendUint32(in.outbox, uint32(len(body))), body...)
	in.flush()
}

// sendEnvironment tells the interpreter how its environment changed, to which more is added.
func (in *interp) sendEnvironment(cfg config, more map[string]string) {
	now := cfg.variables()
	maps.Copy(now, more)
	set, unset := map[string]string{}, []string{}
	for k, v := range now {
		if old, ok := in.environ[k]; !ok || old != v {
			set[k] = v
		}
	}
	for k := range in.environ {
		if _, ok := now[k]; !ok {
			unset = append(unset, k)
		}
	}
	if in.environ = now; len(set)+len(unset) > 0 {
		in.send(map[string]any{"op": "environ", "set": set, "unset": unset})
	}
}

func (in *interp) flush() {
	for len(in.outbox) > 0 && in.broken == "" {
		n, err := syscall.Write(in.ctl, in.outbox)
		switch err {
		case nil:
			in.outbox = in.outbox[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return
		default:
			in.broken, in.ending = "it closed its control channel", true
		}
	}
	if len(in.outbox) == 0 {
		in.outbox = nil
	}
}

// pump reads what the interpreter writes until it is over.
func (k *kernel) pump(in *interp) {
	files := &k.srv.changes
	defer files.stopWatching()
	for {
		a := files.watch.Load()
		// The watch comes after the socket, so that it is looked at later.
		fds := []pollFD{{fd: int32(in.out), events: pollIn}, {fd: int32(in.err), events: pollIn}, {fd: int32(in.ctl), events: pollIn}, {fd: int32(k.wakeup), events: pollIn}, a.entry()}
		k.mu.Lock()
		if len(in.outbox) > 0 {
			fds[2].events |= pollOut
		}
		paused := k.cur != nil && k.cur.stopping.why == goOn && k.cur.full()
		if paused { // what is not read slows the code down
			fds[0].fd, fds[1].fd = -1, -1
			if in.language.Framed {
				fds[2].events &^= pollIn
			}
		}
		k.mu.Unlock()
		if err := poll(fds, -1); err != nil {
			k.mu.Lock()
			in.broken = "the agent cannot wait for it: " + err.Error()
			k.mu.Unlock()
		}
		in.woken = time.Now()
		if fds[3].revents != 0 {
			k.wakeup.clear()
		}
		if fds[4].revents != 0 {
			files.dropWatch(a)
			a = nil
		}
		k.mu.Lock()
		if in.quiet = fds[0].revents|fds[1].revents == 0 && !paused; !in.quiet && !paused {
			k.drain(in, maxDrain)
		}
		if in.silent = nil; fds[2].revents != 0 {
			in.silent = a
		}
		if fds[2].revents != 0 || in.broken != "" {
			k.readControl(in)
		}
		in.silent = nil
		in.flush()
		if in.broken != "" && !in.child.ended() {
			k.mu.Unlock()
			k.lastWords(in)
			k.mu.Lock()
		}
		over := in.child.ended()
		if over {
			k.drain(in, afterDone)
			k.readControl(in) // a last frame may have been written before the end
		} else if in.broken != "" {
			k.kill(byProtocol, "the kernel was ended: "+in.broken)
		}
		settled := k.settled
		k.settled = nil
		k.mu.Unlock()
		k.tell(settled, !over)
		if over {
			return
		}
		if in.broken != "" {
			<-in.child.done
		}
	}
}

// lastWords waits for an interpreter that seems to end until it has ended: how
// it did says more than that it closed its socket. One that goes on instead gets
// as much as one that does not stop.
func (k *kernel) lastWords(in *interp) {
	s := stop{last: time.Now(), cpu: cpuOf(in.child.pid)}
	for in.ending && !s.hopeless(cpuOf(in.child.pid), time.Now()) {
		select {
		case <-in.child.done:
			return
		case <-time.After(lastPause):
		}
		k.mu.Lock()
		k.drain(in, maxDrain) // or it would wait for a reader, and never end
		k.mu.Unlock()
	}
}

// drain reads what is in the pipes, standard output first. The kernel writes to
// one only while the other is empty, so the order that it meant is kept.
func (k *kernel) drain(in *interp, limit int) {
	for _, s := range []struct {
		fd     *int
		stream uint8
	}{{&in.out, 1}, {&in.err, 2}} {
		for got := 0; *s.fd >= 0 && got < limit; {
			n, again, err := readNow(*s.fd, in.buf)
			if again {
				break
			}
			if n == 0 || err != nil { // nobody can write to it any more
				closeAll(*s.fd)
				*s.fd = -1
				break
			}
			got += n
			k.takeOutput(s.stream, in.buf[:n])
			if n < len(in.buf) {
				break // it was empty; asking again would cost a call
			}
		}
	}
}

func (k *kernel) takeOutput(stream uint8, data []byte) {
	if stream == 2 && k.in.language.CrashMemory != "" {
		k.in.lastText = append(k.in.lastText, data...)
		k.in.lastText = k.in.lastText[max(0, len(k.in.lastText)-maxLastText):]
	}
	switch e := k.cur; {
	case !k.in.ready:
		if space := maxStartLog - len(k.early); space > 0 {
			k.early = append(k.early, data[:min(space, len(data))]...)
		}
	case e == nil || e.rehearsal:
		k.late.add(stream, data)
	default:
		if !e.write(stream, data) && e.stopping.why == goOn {
			k.stop(overOutput, fmt.Sprintf("the output limit of %s was reached", bytesText(e.stopAt)))
		}
	}
}

// readControl reads the control socket and handles the frames that are whole.
func (k *kernel) readControl(in *interp) {
	for in.ctl >= 0 && (in.broken == "" || in.report != nil) {
		n, again, err := readNow(in.ctl, in.buf)
		if again {
			return
		}
		if n == 0 || err != nil {
			if in.report != nil {
				return
			}
			in.broken, in.ending = "it closed its control channel", true
			return
		}
		if in.report != nil {
			in.addReport(in.buf[:n])
			continue
		}
		in.inbox = append(in.inbox, in.buf[:n]...)
		if err := k.takeFrames(in); err != nil {
			in.broken = err.Error()
			return
		}
		if in.report == nil && n < len(in.buf) {
			return
		}
	}
}

func (k *kernel) takeFrames(in *interp) error {
	for len(in.inbox) >= controlHead {
		length := binary.BigEndian.Uint32(in.inbox)
		if in.takeReport() {
			return nil
		}
		if length > maxControl {
			return fmt.Errorf("it sent a control frame of %d bytes", length)
		}
		total := controlHead + int(length)
		if len(in.inbox) < total {
			return nil
		}
		var c control
		if err := json.Unmarshal(in.inbox[controlHead:total], &c); err != nil {
			return errors.New("it sent a control frame that cannot be read")
		}
		if in.inbox = in.inbox[total:]; len(in.inbox) == 0 {
			in.inbox = nil
		}
		k.take(in, c)
		in.silent = nil // the next frame may have begun after the poll
	}
	return nil
}

// take handles one control frame. User code can write to the socket too, so a
// frame that does not fit the moment is dropped.
func (k *kernel) take(in *interp, c control) {
	switch c.Type {
	case "ready":
		if !in.ready {
			k.becomeReady(c)
		}
	case "output":
		if c.Stream == 1 || c.Stream == 2 {
			k.drain(in, maxDrain) // what others wrote before
			k.takeOutput(uint8(c.Stream), append([]byte(c.Text), c.Data...))
		}
	case "display":
		if in.language.Framed {
			k.drain(in, maxDrain)
		}
		if e := k.cur; e != nil && !e.rehearsal && c.ID == in.id && len(c.Bundle) > 0 {
			e.display(c.Bundle)
		}
	case "completions":
		if q, ok := k.questions[c.ID]; ok {
			delete(k.questions, c.ID)
			q.req.reply(cleanCompletion(c, q.size))
		}
	case "done":
		if e := k.cur; e != nil && c.ID == in.id && !e.began.IsZero() {
			// The kernel writes "done" after its output, and the poll looked at
			// the pipes before it looked at the socket: quiet pipes are empty.
			if !in.quiet {
				k.drain(in, afterDone)
			}
			k.cur = nil
			k.srv.seeds.next()
			// They are closed once the lock is free: the host's next request comes at once.
			out := k.final(e, k.result(e, c))
			if out.Stamps = e.stamps; out.Stamps != nil {
				out.Stamps.Noticed = in.woken.UnixNano()
				if len(c.Stamps) == 3 {
					out.Stamps.Read, out.Stamps.Begun, out.Stamps.Done = c.Stamps[0], c.Stamps[1], c.Stamps[2]
				}
			}
			k.settled = append(k.settled, settled{e, out, in.silent})
		}
	}
}

func (k *kernel) becomeReady(c control) {
	k.in.ready = true
	k.reply = wire.SetupReply{Version: safetext.Clip(c.Version, 64)}
	for mod, why := range c.PreloadErrors {
		if k.reply.PreloadErrors == nil {
			k.reply.PreloadErrors = map[string]string{}
		}
		if len(k.reply.PreloadErrors) < 100 {
			k.reply.PreloadErrors[safetext.Clip(mod, 200)] = safetext.Clip(why, 1000)
		}
	}
	k.early = nil
	if !k.live() {
		return
	}
	for _, w := range k.waiters {
		w <- nil
	}
	k.waiters = nil
	k.sendEntropy()
	if e := k.cur; e != nil && !e.waiting {
		k.sendCode(e)
		k.srv.guard.wake()
	}
}

func cleanCompletion(c control, size int) wire.Completion {
	out := wire.Completion{Start: min(max(c.Start, 0), size), End: min(max(c.End, 0), size), Matches: []string{}}
	out.End = max(out.Start, out.End)
	for _, m := range c.Matches[:min(len(c.Matches), wire.MaxMatches)] {
		if len(m) <= 1<<10 {
			out.Matches = append(out.Matches, safetext.Clip(m, 2<<10))
		}
	}
	return out
}
