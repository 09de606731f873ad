package agent

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// The guard's pace. While something runs it looks every quick. When nothing runs it looks
// ever more seldom, up to slow: in sessions that are called now and then, what the guard does
// after an execution would otherwise cost many times what the execution does.
const (
	quick = 50 * time.Millisecond
	slow  = time.Second
	hasty = 10 * time.Millisecond // while more than half of the memory is used
	// between are two measurements at least while nothing runs: executions that are over
	// before the guard looks have it look again and again.
	between = 250 * time.Millisecond
)

// guard keeps time, CPU and memory limits.
type guard struct {
	srv    *server
	wakeup chan struct{}
	stop   chan struct{}
	wg     sync.WaitGroup
	sleepy atomic.Bool // it would not look again soon by itself

	victim int // the process that was ended last; used by run alone
	killed time.Time
}

func newGuard(s *server) *guard {
	g := &guard{srv: s, wakeup: make(chan struct{}, 1), stop: make(chan struct{})}
	g.sleepy.Store(true)
	g.wg.Add(1)
	go g.run()
	return g
}

// wake makes the guard look now and then every quick.
func (g *guard) wake() {
	select {
	case g.wakeup <- struct{}{}:
	default:
	}
}

// nudge is wake for the path that must be fast: it does nothing while the guard is about
// to look anyway.
func (g *guard) nudge() {
	if g.sleepy.Load() {
		g.wake()
	}
}

func (g *guard) close() {
	close(g.stop)
	g.wg.Wait()
}

func (g *guard) run() {
	defer g.wg.Done()
	timer := time.NewTimer(slow)
	defer timer.Stop()
	pace, tight := quick, false
	look := time.Now().Add(slow) // when it looks next, unless something has a deadline before
	var measured time.Time       // when memory and processes were last counted
	for {
		woken := false
		select {
		case <-g.stop:
			return
		case <-g.wakeup:
			woken = true
		case <-timer.C:
		}
		now := time.Now()
		next, active := g.srv.tick(now)
		switch due := !now.Before(look); {
		case due:
			if active || tight || now.Sub(measured) >= between {
				tight = g.srv.checkMemory()
				g.srv.checkProcesses()
				measured = now
			}
			if pace = min(2*pace, slow); active || woken {
				pace = quick
			}
			wait := pace
			if tight {
				wait = min(wait, max(pace/5, hasty))
			}
			look = now.Add(wait)
		case active || woken:
			pace = quick
			if soon := now.Add(quick); soon.Before(look) {
				look = soon
			}
		}
		g.sleepy.Store(look.Sub(now) > quick)
		if look.Before(next) {
			next = look
		}
		timer.Reset(max(next.Sub(now), time.Millisecond))
	}
}

// tick looks after everything that runs.
func (s *server) tick(now time.Time) (next time.Time, active bool) {
	s.mu.Lock()
	kernels := s.allKernels()
	active = len(s.livePrograms()) > 0
	s.mu.Unlock()
	next = now.Add(time.Hour)
	for _, k := range kernels {
		t, a := k.tick(now)
		if active = active || a; t.Before(next) {
			next = t
		}
	}
	return next, active
}

// checkMemory ends the largest program when the session's memory is used up.
// It reports whether more than half of it is.
func (s *server) checkMemory() (tight bool) {
	s.mu.Lock()
	cfg := s.cfg
	s.mu.Unlock()
	limit := cfg.Limits.Memory
	if !cfg.ready || limit <= 0 {
		return false
	}
	used, ok := int64(0), true
	var all []procInfo
	if cfg.privileged() {
		used, ok = memoryUsed()
	} else {
		all = descendants()
		for _, p := range all {
			used += p.rss
		}
	}
	if tight = used > limit/2; !ok || used <= memoryBound(limit) {
		return ok && tight
	}
	if all == nil {
		all = descendants()
	}
	largest := procInfo{}
	now := time.Now()
	for _, p := range all {
		if p.pid == s.guard.victim && now.Sub(s.guard.killed) < time.Second {
			return true // it is still going, and its memory with it
		}
		if !p.zombie && p.rss > largest.rss {
			largest = p
		}
	}
	if largest.pid != 0 && now.Sub(s.guard.killed) >= 2*quick {
		s.guard.victim, s.guard.killed = largest.pid, now
		s.killForMemory(largest.pid, fmt.Sprintf("the memory limit of %s was reached", bytesText(limit)))
	}
	return true
}

// memoryBound is a little below the limit, where the host ends programs or the whole sandbox.
func memoryBound(limit int64) int64 { return limit - limit/32 }

// killForMemory ends a process and tells whoever waits for what it was doing.
func (s *server) killForMemory(pid int, limit string) {
	s.mu.Lock()
	kernels := s.allKernels()
	procs := s.started()
	s.mu.Unlock()
	for _, p := range procs {
		if p.child.pid == pid {
			p.endFor(limit)
			return
		}
	}
	for _, k := range kernels {
		if k.endFor(pid, limit) {
			return
		}
	}
	killPID(pid)
}

// endFor ends the process if it is the kernel's interpreter or belongs to it.
func (k *kernel) endFor(pid int, limit string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in == nil {
		return false
	}
	if k.in.child.pid == pid {
		k.kill(overMemory, limit)
		return true
	}
	for _, p := range tree(processes(), k.in.child.pid) {
		if p.pid == pid {
			killPID(pid)
			if k.cur != nil && len(k.cur.notes) < 3 {
				k.cur.notes = append(k.cur.notes, limit+" and a process that the code had started was ended")
			}
			return true
		}
	}
	return false
}

// memoryUsed reads what everything in the sandbox uses that is its own: not the
// files of the image that are mapped, which gVisor counts as used too, and more
// than a small limit leaves.
func memoryUsed() (int64, bool) {
	var buf [4096]byte
	text, err := readSmall("/proc/meminfo", buf[:])
	if err != nil {
		return 0, false
	}
	return memoryField(text, "AnonPages:") // tmpfs included
}

func memoryField(text []byte, name string) (int64, bool) {
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok {
			continue
		}
		kb, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
		return kb << 10, err == nil
	}
	return 0, false
}

// descendants are all processes below the agent.
func descendants() []procInfo {
	self := os.Getpid()
	var out []procInfo
	for _, p := range tree(processes(), self) {
		if p.pid != self {
			out = append(out, p)
		}
	}
	return out
}
