package agent

import (
	"os"
	"sync"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// maxEnded is how many processes are remembered after their end.
const maxEnded = 64

// process is a program that the host started. What it writes stays in its
// pipes until a follower's window takes it, so a slow reader slows the program
// down and nothing is lost or piles up.
type process struct {
	name     string
	srv      *server
	child    *child
	wakeup   wakeup
	out, err int
	stdin    *os.File   // nil: none
	feeding  sync.Mutex // held by the one that writes to stdin
	written  func()     // says that it writes no more files
	starter  *request   // that it was started by
	argv     []string   // as others see it
	dir      string
	terminal bool // out and stdin are the two ways of one

	mu       sync.Mutex
	cond     sync.Cond
	follower *request
	seq      uint64 // of the last output sent
	reason   string
	closing  bool
	exit     *wire.Exit
	known    bool // somebody received the exit
}

// start starts a process and follows it.
func (s *server) start(req *request, args wire.Process) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if !wire.ValidName(args.Proc) || len(args.Argv) == 0 || args.Argv[0] == "" {
		return failf("invalid", "", "cannot start process: it needs a name and arguments")
	}
	if args.Root && !(cfg.Build && cfg.privileged()) {
		return failf("denied", "Start it as the session's user.", "cannot start process: only a session that makes an image has programs of root")
	}
	dir := cfg.Workdir
	if args.Cwd != "" {
		root, rel, err := cfg.locate(args.Cwd)
		if err != nil {
			return err
		}
		dir = join(root, rel)
	}
	if args.Terminal != nil && !args.Terminal.Possible() {
		return failf("invalid", "Use 1 to 10000 rows and columns.", "cannot start process: a terminal has no such size")
	}
	p := &process{name: args.Proc, srv: s, out: -1, err: -1, wakeup: -1, starter: req, argv: shownArgv(args.Argv), dir: dir, terminal: args.Terminal != nil}
	p.cond.L = &p.mu
	s.mu.Lock()
	_, twice := s.procs[p.name]
	full := len(s.livePrograms()) >= maxProcesses || len(s.procs) >= 2*maxProcesses+maxEnded
	if len(s.procs) >= maxProcesses+maxEnded {
		s.forgetUnfollowed()
	}
	if !twice && !full {
		s.procs[p.name] = p
	}
	s.mu.Unlock()
	if twice {
		return failf("conflict", "", "cannot start process: there is one of that name")
	}
	if full {
		return failf("exhausted", "End another process first.", "cannot start process: %d run, the limit is %d", maxProcesses, maxProcesses)
	}
	if err := p.launch(cfg, args, dir); err != nil {
		s.mu.Lock()
		delete(s.procs, p.name)
		s.mu.Unlock()
		return err
	}
	s.guard.wake()
	p.follow(req, 0)
	return nil
}

// launch starts the program and the goroutine that looks after it.
func (p *process) launch(cfg config, args wire.Process, dir string) (err error) {
	theirs := [4]int{-1, -1, -1, -1}
	defer func() {
		closeAll(theirs[:]...)
		if err != nil {
			p.closeFiles()
		}
	}()
	if p.wakeup, err = newWakeup(); err != nil {
		return err
	}
	if p.terminal {
		theirs, err = p.openTerminal(cfg.privileged(), *args.Terminal)
	} else {
		theirs, err = p.openPipes(cfg.privileged(), args.Stdin)
	}
	if err != nil {
		return err
	}
	env, path := cfg.env(args.Env)
	c, err := launch(p.srv.reaper, program{
		Argv: args.Argv, Env: env, Path: path, Dir: dir, Cgroup: cfg.group, Privileged: cfg.privileged(),
		Memory: cfg.memoryOfProcess(), OpenFiles: cfg.Limits.OpenFiles, CPUs: cfg.cpus(), Namespaces: cfg.Limits.UserNamespaces > 0,
		Seeded: cfg.seeded(), Root: args.Root, Terminal: p.terminal,
	}, theirs)
	if err != nil {
		return err
	}
	p.srv.mu.Lock()
	p.child = c
	closing := p.srv.closing
	p.srv.mu.Unlock()
	c.notify(p.wakeup.wake)
	if closing {
		killTree(c)
	}
	p.written = p.srv.changes.writing()
	p.srv.wg.Add(1)
	go p.run()
	return nil
}

// openPipes makes what the agent reads and writes of the process, and returns the other ends.
func (p *process) openPipes(privileged, stdin bool) (theirs [4]int, err error) {
	theirs = [4]int{-1, -1, -1, -1}
	if p.out, theirs[1], err = outPipe(privileged); err != nil {
		return theirs, err
	}
	if p.err, theirs[2], err = outPipe(privileged); err != nil || !stdin {
		return theirs, err
	}
	r, w, err := userPipe(privileged)
	if err != nil {
		return theirs, err
	}
	theirs[0] = r
	if err := syscall.SetNonblock(w, true); err != nil { // so that closing ends a write that waits
		closeAll(w)
		return theirs, err
	}
	p.stdin = os.NewFile(uintptr(w), "stdin")
	return theirs, nil
}

func (p *process) closeFiles() {
	closeAll(p.out, p.err, int(p.wakeup))
	p.out, p.err = -1, -1
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
}

// follow makes r the follower: it gets what the process writes, and what r
// brings becomes the process's standard input.
func (p *process) follow(r *request, after uint64) {
	p.mu.Lock()
	old := p.follower
	p.follower, p.seq = nil, after
	p.mu.Unlock()
	if old != nil {
		old.retire()
		old.fail(failf("conflict", "", "another request follows the process now"))
	}
	body, _ := marshal(wire.Started{PID: p.child.pid})
	r.trySend(wire.Event, body)
	if p.stdin != nil {
		p.srv.wg.Add(1)
		go p.feed(r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := r.listen(func() { p.credited(r) }); err != nil {
		p.lose(r, err)
	} else {
		p.follower = r
	}
	p.cond.Broadcast()
	p.answer()
}

// credited is called when the follower can take more, or is gone. One that was
// answered meanwhile is neither: its request is closed.
func (p *process) credited(r *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.follower != r {
		return
	}
	if err := r.gone(); err != nil {
		p.follower = nil
		p.lose(r, err)
	}
	p.cond.Broadcast()
}

// lose closes a follower that is gone. When it is the start that was given up,
// nobody knows of the process, which ends. The caller holds mu.
func (p *process) lose(r *request, err error) {
	r.fail(err)
	if r != p.starter || err != errCanceled {
		return
	}
	p.reason, p.closing = "its start was given up", true
	p.srv.wg.Add(1)
	go func() {
		defer p.srv.wg.Done()
		killTree(p.child)
	}()
}

// feed writes what the follower brings to the process's standard input.
func (p *process) feed(r *request) {
	defer p.srv.wg.Done()
	p.feeding.Lock() // an earlier follower's input comes first
	defer p.feeding.Unlock()
	for {
		b, err := r.receive()
		if err != nil {
			if r.gone() == nil && !p.terminal { // the end of the input, not of the follower
				_ = p.stdin.Close()
			}
			return
		}
		if _, err := p.stdin.Write(b); err != nil {
			_ = p.stdin.Close() // the process closed its end: drop the rest
		}
	}
}

// run reads the process's output and, once it is over, tells the follower.
func (p *process) run() {
	defer p.srv.wg.Done()
	buf := make([]byte, readSize)
	for p.out >= 0 || p.err >= 0 {
		if !p.waitWindow() {
			break
		}
		fds := []pollFD{{fd: int32(p.out), events: pollIn}, {fd: int32(p.err), events: pollIn}, {fd: int32(p.wakeup), events: pollIn}}
		wait := time.Duration(-1)
		if p.child.ended() { // a child of the process may hold the pipes open for ever
			wait = 0
		}
		if poll(fds, wait) != nil {
			break
		}
		if fds[2].revents != 0 {
			p.wakeup.clear()
		}
		ended := p.child.ended() // asked before reading: what it wrote is then in the pipes
		quiet := true
		for i, fd := range []*int{&p.out, &p.err} {
			if *fd < 0 {
				continue
			}
			n, again, err := readNow(*fd, buf)
			if again {
				continue
			}
			if quiet = false; n == 0 || err != nil {
				closeAll(*fd)
				*fd = -1
				continue
			}
			p.show(uint8(i+1), buf[:n])
		}
		if ended && quiet {
			break
		}
	}
	<-p.child.done
	p.settle()
}

// waitWindow waits until somebody can take output. It reports false when the
// process is to be forgotten.
func (p *process) waitWindow() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closing && (p.follower == nil || !p.follower.isOpen()) {
		p.cond.Wait()
	}
	return !p.closing
}

// show sends output to the follower; what it can no longer take because the
// stream was reopened just now is kept for the next one.
func (p *process) show(stream uint8, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closing {
		if r := p.follower; r != nil && r.trySend(wire.Output, wire.AppendOutput(nil, p.seq+1, stream), data) {
			p.seq++
			return
		}
		p.cond.Wait()
	}
}

// settle records the end of the process and answers the follower.
func (p *process) settle() {
	p.closeFiles()
	p.written()
	s := p.child.status
	p.mu.Lock()
	p.exit = &wire.Exit{Code: s.ExitStatus(), Reason: p.reason}
	if s.Signaled() {
		p.exit.Code, p.exit.Signal = -1, int(s.Signal())
	}
	p.answer()
	p.mu.Unlock()
	p.srv.mu.Lock()
	defer p.srv.mu.Unlock()
	p.srv.ended = append(p.srv.ended, p.name)
	for len(p.srv.ended) > maxEnded {
		delete(p.srv.procs, p.srv.ended[0])
		p.srv.ended = p.srv.ended[1:]
	}
}

// answer closes the follower's request once the process is over.
func (p *process) answer() {
	if p.exit != nil && p.follower != nil {
		// Whoever feeds the input of a process that is over need not wait for more.
		p.follower.retire()
		p.follower.reply(p.exit)
		p.follower, p.known = nil, true
	}
}

// endFor ends the process and remembers why.
func (p *process) endFor(reason string) {
	p.mu.Lock()
	p.reason = reason
	p.mu.Unlock()
	killTree(p.child)
}

// close ends the process and forgets it.
func (p *process) close() {
	p.mu.Lock()
	p.closing = true
	p.cond.Broadcast()
	p.mu.Unlock()
	p.srv.mu.Lock()
	c := p.child
	p.srv.mu.Unlock()
	if c != nil {
		killTree(c)
	}
}

func (s *server) connect(req *request, args wire.Connect) error {
	p, err := s.processOf(args.Proc)
	if err != nil {
		return err
	}
	p.follow(req, args.After)
	return nil
}

func (s *server) signal(_ *request, args wire.Signal) (none, error) {
	p, err := s.processOf(args.Proc)
	if err != nil {
		return none{}, err
	}
	if args.Signal < 1 || args.Signal > 31 {
		return none{}, failf("invalid", "Use a number from 1 to 31.", "cannot send signal %d: no such signal", args.Signal)
	}
	if p.child.ended() {
		return none{}, failf("conflict", "", "cannot send signal: the process is over")
	}
	if args.Signal == int(syscall.SIGKILL) {
		killTree(p.child)
	} else {
		p.child.killGroup(syscall.Signal(args.Signal))
	}
	return none{}, nil
}

// processOf returns a process that runs or ended not long ago.
func (s *server) processOf(name string) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.procs[name]; p != nil && p.child != nil {
		return p, nil
	}
	return nil, failf("not_found", "", "no process is called %s", safetext.Clip(name, wire.MaxName))
}

// started are the processes whose program was started. The caller holds mu.
func (s *server) started() []*process {
	var procs []*process
	for _, p := range s.procs {
		if p.child != nil && !p.child.ended() {
			procs = append(procs, p)
		}
	}
	return procs
}

// livePrograms are the pids of processes that run. The caller holds mu.
func (s *server) livePrograms() []int {
	var pids []int
	for _, p := range s.started() {
		pids = append(pids, p.child.pid)
	}
	return pids
}

// forgetUnfollowed lets processes go that are over and that nobody followed to
// their end, as happens to those of a session that was restored. The caller
// holds mu; their own goroutines do the rest.
func (s *server) forgetUnfollowed() {
	for _, p := range s.procs {
		if p.child != nil && p.child.ended() {
			s.wg.Add(1)
			go func() {
				defer s.wg.Done()
				p.letGo()
			}()
		}
	}
}

func (p *process) letGo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.follower == nil {
		p.closing = true
		p.cond.Broadcast()
	}
}
