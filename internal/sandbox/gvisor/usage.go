package gvisor

import (
	"context"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor/control"
)

// How often a sandbox is measured. With a memory cgroup the kernel keeps the
// limit and the measurement only follows the high-water mark. Without one it is
// the limit: at 5 GB/s, a guest that allocates as fast as it can overruns it by
// what it writes in one interval, some 100 MB.
const (
	groupInterval = 250 * time.Millisecond
	calmInterval  = 100 * time.Millisecond
	nearInterval  = 20 * time.Millisecond // from half the limit on
	walkInterval  = time.Second
)

// watch measures until stop is closed and kills the sandbox when it broke the
// memory limit.
func (x *box) watch(stop <-chan struct{}) {
	limit := x.spec.Limits.Memory
	timer := time.NewTimer(nearInterval)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		}
		mem, byGroup := x.sample()
		if x.oomKilled() || !byGroup && mem > limit+memoryOverhead {
			x.mu.Lock()
			x.overrun = memoryMessage(limit)
			x.mu.Unlock()
			x.kill()
			return
		}
		switch {
		case byGroup:
			timer.Reset(groupInterval)
		case mem > limit/2:
			timer.Reset(nearInterval)
		default:
			timer.Reset(calmInterval)
		}
	}
}

// oomKilled says whether the kernel killed a process of the sandbox for its memory limit.
func (x *box) oomKilled() bool { return x.group != nil && x.group.oomKills() > 0 }

// sample measures the memory in use and keeps the high-water mark.
func (x *box) sample() (mem int64, byGroup bool) {
	x.measure.Lock()
	defer x.measure.Unlock()
	if x.group != nil {
		mem, byGroup = x.group.memory()
	}
	if !byGroup {
		x.walk()
		mem = x.tree.memory()
	}
	x.mu.Lock()
	x.peak = max(x.peak, mem)
	x.mu.Unlock()
	return mem, byGroup
}

// walk looks for new processes, at most once a walkInterval. x.measure is held.
func (x *box) walk() {
	if time.Since(x.walked) >= walkInterval || x.tree.sentry == 0 {
		x.tree.walk()
		x.walked = time.Now()
	}
}

func (x *box) cpuOfGroup() (time.Duration, bool) {
	if x.group == nil {
		return 0, false
	}
	return x.group.cpu()
}

// Usage implements [sandbox.Sandbox]. Once the guest is over it tells the last
// CPU time and the high-water mark.
func (x *box) Usage(ctx context.Context) (sandbox.Usage, error) {
	select {
	case <-x.done:
		x.mu.Lock()
		defer x.mu.Unlock()
		u := x.last
		u.PeakMemory, u.Overrun = x.peak, x.exit.Status == event.Memory
		return u, nil
	default:
	}
	mem, _ := x.sample()
	cpu, ok := x.cpuOfGroup()
	if !ok {
		x.measure.Lock()
		x.walk()
		cpu = x.tree.cpu()
		x.measure.Unlock()
	}
	// A guest that is just being saved does not answer at once: the last count stands.
	count := -1
	brief, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if r, err := x.call(brief, control.Request{Op: control.Count}); err == nil {
		count = r.Count
	} else if ctx.Err() != nil {
		return sandbox.Usage{}, fault.New(fault.Canceled, "", "cannot measure sandbox: %w", ctx.Err())
	}
	overrun := x.oomKilled()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last.Memory, x.last.PeakMemory, x.last.Overrun = mem, x.peak, overrun || x.overrun != ""
	x.last.CPU = max(x.last.CPU, cpu) // processes that ended uncounted do not take time back
	if count >= 0 {
		x.last.Processes = count
	}
	return x.last, nil
}
