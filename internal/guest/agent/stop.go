package agent

import (
	"fmt"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
)

// reason is why an execution is being stopped.
type reason uint8

const (
	goOn reason = iota
	overWall
	overCPU
	overOutput
	overMemory
	overProcesses
	byCaller  // interrupted
	byRestart // the caller restarts or removes the context
	byProtocol
)

// Escalation: a first SIGINT, another after grace, then the end of the kernel.
// The end costs the variables, so it does not come after seconds alone, which a
// busy machine may let pass without giving the program any of its time: the
// program must have used lastCPU since the second signal, or be given longest.
const (
	grace     = 2 * time.Second
	lastGrace = time.Second // before that is looked at, and between two looks
	lastCPU   = 500 * time.Millisecond
	longest   = 8 * time.Second
)

// stop is how far the stopping of an execution is.
type stop struct {
	why   reason
	step  int // signals sent: 1 and 2 SIGINT, 3 SIGKILL
	next  time.Time
	last  time.Time     // when the second signal was sent
	cpu   time.Duration // what the program had used then
	limit string        // names the limit and its value
}

// status is the name of the status that the reason means.
func (r reason) status() string {
	switch r {
	case overWall, overCPU:
		return "timeout"
	case overOutput:
		return "output"
	case overMemory:
		return "memory"
	case overProcesses:
		return "killed"
	case byCaller, byRestart:
		return "interrupted"
	}
	return "crashed"
}

// limit is the name of the limit that the reason means, empty when it means none.
func (r reason) limit() string {
	switch r {
	case overWall:
		return wire.LimitWall
	case overCPU:
		return wire.LimitCPU
	case overOutput:
		return wire.LimitOutput
	case overMemory:
		return wire.LimitMemory
	case overProcesses:
		return wire.LimitProcesses
	}
	return ""
}

// deadlined reports whether there is a next step, and when.
func (s *stop) deadlined() (time.Time, bool) {
	return s.next, s.why != goOn && s.step < 3
}

// begin starts the escalation. A reason that is already there stays.
func (s *stop) begin(why reason, limit string, now time.Time) bool {
	if s.why != goOn {
		return false
	}
	*s = stop{why: why, limit: limit, next: now}
	return true
}

// escalate takes the steps that are due.
func (s *stop) escalate(c *child, now time.Time) {
	if s.why == goOn || s.step >= 3 || now.Before(s.next) {
		return
	}
	switch s.step++; s.step {
	case 1:
		// The kernel alone: what it started in the background lives on.
		c.kill(syscall.SIGINT)
		s.next = now.Add(grace)
	case 2:
		// A program that the kernel waits for gets it too.
		c.killGroup(syscall.SIGINT)
		s.next, s.last, s.cpu = now.Add(lastGrace), now, cpuOf(c.pid)
	case 3:
		if !s.hopeless(cpuOf(c.pid), now) {
			s.step, s.next = 2, now.Add(lastGrace/4)
			return
		}
		killTree(c)
	}
}

// hopeless reports whether a program that has used so much CPU time by now had
// its chance to end after the second signal.
func (s *stop) hopeless(cpu time.Duration, now time.Time) bool {
	return cpu-s.cpu >= lastCPU || now.Sub(s.last) >= longest
}

// bytesText writes a number of bytes as a person would.
func bytesText(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
