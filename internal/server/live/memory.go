package live

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"praxis/event"
	"praxis/internal/app"
)

// maxMemory bounds the bytes of what a hub keeps in memory of executions, processes and runs
// together. What ended longest ago goes first; of what goes on, the oldest events do.
const maxMemory = 256 << 20

// newLog makes a log that counts for what the hub keeps.
func (h *Hub) newLog() *Log {
	l := newLog()
	l.grew = h.grew
	return l
}

// grew notes that the hub keeps more, and has somebody look when that is much.
func (h *Hub) grew(n int) {
	if h.grown.Add(int64(n)) < maxMemory/8 {
		return
	}
	h.grown.Store(0)
	select {
	case h.heavy <- struct{}{}:
	default: // somebody is about to
	}
}

// lightens keeps what the hub keeps within its bound, until the hub closes.
func (h *Hub) lightens(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.heavy:
			h.lighten(maxMemory)
		}
	}
}

// footprint is work of which something is kept in memory.
type footprint struct {
	began  time.Time
	log    *Log
	bytes  int
	ended  bool
	forget func()
}

// lighten forgets what ended, the oldest first, and old events of what goes on, until there are
// no more than so many bytes.
func (h *Hub) lighten(most int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []footprint
	for _, e := range h.sessions {
		all = e.procs.footprints(e.execs.footprints(all))
	}
	all = h.runs.footprints(all)
	sum, going := 0, 0
	for _, k := range all {
		sum += k.bytes
		if !k.ended {
			going++
		}
	}
	slices.SortFunc(all, func(a, b footprint) int { return a.began.Compare(b.began) })
	for _, k := range all {
		if k.ended && sum > most {
			k.forget()
			sum -= k.bytes
		}
	}
	if sum <= most {
		return
	}
	for _, k := range all {
		if !k.ended {
			k.log.mu.Lock()
			k.log.shrink(most / going)
			k.log.mu.Unlock()
		}
	}
}

// footprints adds what is kept of works. Hub.mu is held.
func (w *works[W]) footprints(all []footprint) []footprint {
	for _, x := range *w {
		began, log, result := x.keeps()
		all = append(all, footprint{began, log, log.size() + result, x.Ended(), func() {
			*w = slices.DeleteFunc(*w, func(old W) bool { return old == x })
		}})
	}
	return all
}

func (x *Execution) keeps() (began time.Time, log *Log, result int) {
	if x.Ended() {
		result = bytesOf(x.result)
	}
	return x.began, x.Log, result
}

func (p *Process) keeps() (began time.Time, log *Log, result int) { return p.began, p.Log, 2 * maxTail }

func (r *Run) keeps() (began time.Time, log *Log, result int) {
	if r.Ended() {
		result = r.bytes
	}
	return r.began, r.Log, result
}

// sizeOf is what the result of a run has, about, in bytes.
func sizeOf(result any) int {
	if code, ok := result.(app.CodeResult); ok {
		return bytesOf(code.Execution)
	}
	data, err := json.Marshal(result)
	if err != nil {
		return 0 // it is not sent to a client either
	}
	return len(data)
}

// bytesOf is what the result of an execution has, in bytes.
func bytesOf(x event.Execution) int {
	n := len(x.Stdout) + len(x.Stderr)
	for _, b := range append(x.Displays[:len(x.Displays):len(x.Displays)], x.Result) {
		for _, data := range b {
			n += len(data)
		}
	}
	return n
}
