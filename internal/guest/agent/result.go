package agent

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

func cores() int { return max(runtime.NumCPU(), 1) }

// result makes the end of an execution from what the kernel says of it.
func (k *kernel) result(e *execution, c control) wire.Executed {
	out := wire.Executed{
		Status: "ok", State: "intact",
		WallMS: number(c.WallMS), CPUMS: number(c.CPUMS), PeakMemoryBytes: int64(number(c.PeakMemory)),
		Error: cleanRaised(c.Error),
	}
	if k.cfg.seeded() {
		// By the interpreter's clocks it took no time.
		out.WallMS = float64(time.Since(e.began)) / float64(time.Millisecond)
		out.CPUMS = max(float64(cpuOf(k.in.child.pid)-e.cpuBefore)/float64(time.Millisecond), 0)
	}
	if len(c.Result) > 0 {
		c.Result.Clean()
		out.Result = c.Result
	}
	switch c.Status {
	case "ok":
		out.Error = nil
	case "exit":
		if out.Error == nil || out.Error.Value == "" || out.Error.Value == "0" || out.Error.Value == "None" {
			out.Error = nil
		} else {
			out.Status = "error"
		}
	default:
		if out.Error == nil {
			out.Error = &wire.Raised{Name: "Exception"}
		}
		if out.Status = "error"; !isNamed(out.Error, k.in.language.MemoryException) {
			k.explain(e, c.Refused, &out)
		} else {
			out.Status, out.Limit = "memory", wire.LimitMemory
			out.Message = "memory ran out (" + out.Error.Name + ")"
			if m := k.cfg.memoryOfProcess(); m > 0 {
				out.Message = fmt.Sprintf("the memory limit of %s per process was reached (%s)", bytesText(m), out.Error.Name)
				noteState(&out, noteIntact)
			}
		}
	}
	switch why := e.stopping.why; why {
	case goOn:
	case byCaller:
		if c.Interrupted || isNamed(out.Error, k.in.language.InterruptException) {
			out.Status, out.Limit, out.Message = why.status(), "", "the code was interrupted"
			noteState(&out, noteIntact)
		}
	default:
		out.Status, out.Limit = why.status(), why.limit()
		out.Message = joinSentences(e.stopping.limit, "the code was interrupted")
		noteState(&out, noteIntact)
	}
	if c.Lost {
		out.State = "lost"
		if out.StateNote == noteIntact {
			out.Message = strings.TrimSuffix(strings.TrimSuffix(out.Message, noteIntact), "; ")
		}
		noteState(&out, noteLost)
	}
	return out
}

// What became of the variables, in the words of messages.
const (
	noteIntact = "the variables are kept"
	noteLost   = "the kernel was restarted: the variables are lost, files are kept"
)

// noteState adds to a message what became of the variables.
func noteState(out *wire.Executed, note string) {
	out.Message, out.StateNote = joinSentences(out.Message, note), note
}

// number makes what the kernel says of itself a number that can be used.
func number(f float64) float64 {
	if math.IsNaN(f) || f < 0 {
		return 0
	}
	return min(f, 1e15)
}

// isNamed reports whether an exception has a name that its language gives a
// meaning; without one no exception has it.
func isNamed(r *wire.Raised, name string) bool { return r != nil && name != "" && r.Name == name }

func cleanRaised(r *wire.Raised) *wire.Raised {
	if r == nil {
		return nil
	}
	return &wire.Raised{
		Name:      safetext.Clip(r.Name, 256),
		Value:     safetext.Clip(r.Value, wire.MaxText),
		Traceback: clipMiddle(r.Traceback, wire.MaxTraceback),
		Hint:      safetext.Clip(r.Hint, wire.MaxHint),
	}
}

// clipMiddle keeps both ends: a traceback tells most at its end.
func clipMiddle(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	half := n/2 - 16
	return strings.ToValidUTF8(s[:half], "") + "\n…\n" + strings.ToValidUTF8(s[len(s)-half:], "")
}

// ended settles what was going on when the interpreter ended. It returns why
// when the interpreter never became ready.
func (k *kernel) ended(in *interp) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.in = nil
	for id, q := range k.questions {
		delete(k.questions, id)
		q.req.fail(failf("unavailable", "Ask again.", "cannot complete: the kernel of context %s ended", k.name))
	}
	how := describe(in.child.status)
	if !in.ready {
		if in.doomed == byRestart {
			return nil
		}
		if time.Since(in.began) >= startTime {
			how = fmt.Sprintf("it was not ready after %s", startTime)
		}
		text := strings.TrimSpace(strings.ToValidUTF8(string(k.early), "\uFFFD"))
		return errors.New(joinSentences(joinSentences(how, in.broken), text))
	}
	e := k.cur
	if e == nil || e.began.IsZero() {
		// An execution that was not sent yet gets the next interpreter.
		if in.doomed != byRestart {
			k.lost = how + " while nothing ran, and the variables were lost"
		}
		return nil
	}
	k.cur = nil
	k.srv.seeds.next()
	out := wire.Executed{
		Status: "crashed", State: "lost", Message: how,
		WallMS:          float64(time.Since(e.began)) / float64(time.Millisecond),
		CPUMS:           milliseconds(in.child.usage),
		PeakMemoryBytes: in.child.usage.Maxrss * 1024,
	}
	if in.child.status.Signaled() && in.child.status.Signal() == syscall.SIGKILL {
		out.Status = "killed"
	}
	if text := crashText(in.report, in.language.CrashHidden, k.cfg.fileOf(in.language, in.language.Program)); text != "" {
		e.write(2, []byte(text))
	}
	out.Limit = e.stopping.why.limit()
	if e.stopping.why == goOn && in.child.status.Signaled() && (in.ranOut() || k.filledUp(in)) {
		out.Status, out.Limit = "memory", wire.LimitMemory
		out.Message = fmt.Sprintf("the memory limit of %s was reached", bytesText(k.cfg.memoryOfProcess()))
	}
	switch e.stopping.why {
	case goOn:
	case byCaller:
		out.Status, out.Message = "interrupted", "the code did not stop when it was interrupted"
	case overWall, overCPU, overOutput:
		out.Status, out.Message = e.stopping.why.status(), joinSentences(e.stopping.limit, "the code did not stop when it was interrupted")
	default:
		out.Status, out.Message = e.stopping.why.status(), e.stopping.limit
	}
	noteState(&out, noteLost)
	k.settled = append(k.settled, settled{e: e, out: k.final(e, out)})
	return nil
}

// ranOut says that an interpreter ended because memory ran out, as far as its last words tell.
func (in *interp) ranOut() bool {
	return in.language.CrashMemory != "" && bytes.Contains(in.lastText, []byte(in.language.CrashMemory))
}

// filledUp says that an interpreter that nobody here killed was ended while it had used up
// the session's memory: the host, which knows the same limit, saw it first.
func (k *kernel) filledUp(in *interp) bool {
	limit := k.cfg.Limits.Memory
	return limit > 0 && in.child.status.Signal() == syscall.SIGKILL && in.child.usage.Maxrss*1024 > memoryBound(limit)
}

func milliseconds(u syscall.Rusage) float64 {
	d := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	return float64(d) / float64(time.Millisecond)
}

func describe(s syscall.WaitStatus) string {
	if s.Signaled() {
		return fmt.Sprintf("the interpreter was ended by signal %d (%s)", int(s.Signal()), s.Signal())
	}
	return fmt.Sprintf("the interpreter ended by itself with exit code %d", s.ExitStatus())
}
