package agent

import (
	"fmt"
	"sync"
	"time"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// Bounds of what the agent keeps of executions.
const (
	maxEntries      = 20000    // of a log; output that comes in more pieces counts as over its bound
	maxDisplayBytes = 32 << 20 // of an execution's displays together
	maxFinished     = 32       // executions kept after their end, to be attached to
	maxLogBytes     = 48 << 20 // of all logs kept after their execution's end
	maxWhole        = 64 << 20 // of an output file, and of all output
	minWhole        = 8 << 20  // no execution is stopped for less output
	wholeFactor     = 16       // so many times what is shown may be printed
	maxOutputFiles  = 16
	maxUnsent       = 16 << 20 // of a Whole execution that is being stopped; what comes then is left out
)

// entry is one event of a log. It never changes.
type entry struct {
	stream uint8  // 0: data is JSON
	data   []byte // output, or the JSON of a wire.ExecEvent
}

// execution is a piece of code that runs or ran: a log of events and, in the
// end, its result. Whoever follows it has a position in the log, so that a slow
// or a lost follower costs nothing.
type execution struct {
	wire.Execute
	number int // names the file of its whole output
	// rehearsal says that the kernel runs code of its own: nothing of it is shown or kept.
	rehearsal bool
	files     wholeFiles
	stopAt    int64 // bytes of output that stop it

	// The kernel's lock guards these: limits, and how far stopping it is.
	waiting bool      // not to be sent yet: the working folder is being looked at
	began   time.Time // when the code was sent to the kernel
	cpuBase time.Duration
	// cpuBefore is what the interpreter and its children had used before, in a session
	// with a seed, whose programs cannot measure themselves.
	cpuBefore time.Duration
	cpuNext   time.Time // when the CPU time is looked at again
	stopping  stop
	notes     []string
	stamps    *wire.Stamps // nil: nobody asked
	seen      witness

	resume func() // wakes whoever reads the output of a Whole execution; nil: nobody waits

	mu       sync.Mutex
	log      []entry
	first    int // entries that were before log[0] and are gone: all of them arrived
	unsent   int // units of the log's entries from next on
	lost     [3]int64
	bytes    int // of the log
	shown    displayCount
	head     int // bytes of output that may still go to the log
	tail     tail
	total    int64 // bytes of output so far
	whole    *wholeFile
	wholeErr error
	result   []byte // JSON of wire.Executed; nil while it runs
	follower *request
	next     int // number of entries that the follower has or will not get
	sent     int // bytes of that entry, or of result, that went as parts
}

type displayCount struct{ bytes, number int }

func newExecution(args wire.Execute, number int, files wholeFiles) *execution {
	if args.OutputBytes == 0 {
		args.OutputBytes = wire.DefaultOutput
	}
	bound := int(args.OutputBytes)
	end := min(bound/2, max(4<<10, bound/8))
	stopAt := min(max(wholeFactor*args.OutputBytes, minWhole), maxWhole)
	return &execution{Execute: args, number: number, files: files, stopAt: stopAt, head: bound - end, tail: tail{max: end}}
}

// write takes output. It reports false once so much came that the execution must be stopped.
func (e *execution) write(stream uint8, data []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.total += int64(len(data))
	if e.Whole {
		if e.unsent > maxUnsent {
			e.lost[stream] += int64(len(data))
		} else {
			e.append(entry{stream: stream, data: append([]byte(nil), data...)})
		}
		e.flush()
		return true
	}
	rest := data
	if e.head > 0 && e.tail.len() == 0 && len(e.log) < maxEntries {
		n := min(e.head, len(rest))
		e.head -= n
		e.append(entry{stream: stream, data: append([]byte(nil), rest[:n]...)})
		rest = rest[n:]
	} else {
		e.head = 0
	}
	if len(rest) > 0 {
		if e.whole == nil && e.wholeErr == nil && e.tail.overflows(len(rest)) {
			e.keepWhole()
		}
		e.tail.add(stream, rest)
		e.keep(rest)
	}
	e.flush()
	return e.total <= e.stopAt
}

// full reports whether no more output is to be read for now, because whoever
// follows a Whole execution has not taken what there is.
func (e *execution) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Whole && e.unsent >= wire.Window
}

// keepWhole begins the file of the whole output with what came so far.
func (e *execution) keepWhole() {
	e.whole, e.wholeErr = e.files.create(e.number)
	for _, entry := range e.log {
		if entry.stream != 0 {
			e.keep(entry.data)
		}
	}
	for _, c := range e.tail.chunks {
		e.keep(c.data)
	}
}

func (e *execution) keep(data []byte) {
	if e.whole == nil || e.wholeErr != nil {
		return
	}
	e.wholeErr = e.whole.write(data)
}

// display takes a rich value. What is over the bound is left out, once with a word about it.
func (e *execution) display(b wire.Bundle) {
	b.Clean()
	size := 0
	for k, v := range b {
		size += len(k) + len(v)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.shown.number >= wire.MaxDisplays:
		return
	case e.shown.number == wire.MaxDisplays-1 || e.shown.bytes+size > maxDisplayBytes:
		e.shown.number = wire.MaxDisplays
		b = wire.Bundle{"text": fmt.Sprintf("[no more displays: an execution shows at most %d, of %d MiB together]", wire.MaxDisplays, maxDisplayBytes>>20)}
	default:
		e.shown.number++
		e.shown.bytes += size
	}
	e.event(wire.ExecEvent{Type: wire.EventDisplay, Bundle: b})
	e.flush()
}

func (e *execution) event(v wire.ExecEvent) {
	v.Seq = uint64(e.first + len(e.log) + 1)
	body, err := marshal(v)
	if err != nil || len(body) > wire.MaxMessage {
		v.Bundle = wire.Bundle{"text": "[left out: too large to send]"}
		body, _ = marshal(v)
	}
	e.append(entry{data: body})
}

func (e *execution) append(n entry) {
	e.log = append(e.log, n)
	e.bytes += len(n.data)
	e.unsent += wire.Cost(len(n.data))
}

// forget drops the entries of a Whole execution that have surely arrived: those
// before the last ones that can be on their way.
func (e *execution) forget() {
	if !e.Whole {
		return
	}
	size, keep := 0, e.next-e.first
	for keep > 0 && size < wire.MaxInFlight {
		keep--
		size += wire.Cost(len(e.log[keep].data))
	}
	if keep < len(e.log)/2 {
		return // later, so that the entries are not moved for each of them
	}
	for _, n := range e.log[:keep] {
		e.bytes -= len(n.data)
	}
	e.log = append([]entry(nil), e.log[keep:]...)
	e.first += keep
}

// finish adds the tail of the output and closes the log.
func (e *execution) finish(out wire.Executed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.result != nil {
		return
	}
	e.resume = nil // the kernel may be gone before the last of it is taken
	if e.whole != nil {
		if err := e.whole.close(); e.wholeErr == nil {
			e.wholeErr = err
		}
		if e.wholeErr == nil {
			out.OutputFile = e.whole.path
		}
	}
	if e.tail.cut() {
		if e.wholeErr != nil {
			out.Message = joinSentences(out.Message, "the whole output could not be kept: "+plain(e.wholeErr))
		}
		e.event(wire.ExecEvent{Type: wire.EventCut, Stdout: e.tail.omitted[1], Stderr: e.tail.omitted[2], File: out.OutputFile})
	}
	if e.lost[1]+e.lost[2] > 0 {
		e.event(wire.ExecEvent{Type: wire.EventCut, Stdout: e.lost[1], Stderr: e.lost[2]})
	}
	for _, c := range e.tail.chunks {
		for data := c.data; len(data) > 0; {
			n := min(len(data), wire.Chunk)
			e.append(entry{stream: c.stream, data: data[:n]})
			data = data[n:]
		}
	}
	e.tail = tail{}
	out.Message = safetext.Clip(out.Message, wire.MaxText)
	if out.Stamps != nil {
		out.Stamps.Answered = time.Now().UnixNano()
	}
	body, err := marshal(out)
	if err != nil || len(body) > wire.MaxMessage {
		out.Result = wire.Bundle{"text": "[left out: too large to send]"}
		out.Error = nil
		body, _ = marshal(out)
	}
	e.result = body
	e.bytes += len(body)
	e.flush()
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// follow makes r the follower, from the entry after the number after.
func (e *execution) follow(r *request, after uint64) error {
	e.mu.Lock()
	if after > uint64(e.first+len(e.log)) || after < uint64(e.first) {
		e.mu.Unlock()
		return failf("invalid", "", "cannot attach to execution %s: it has no event %d", e.Exec, after)
	}
	old := e.follower
	e.follower, e.next, e.sent, e.unsent = r, int(after), 0, 0
	for _, n := range e.log[e.next-e.first:] {
		e.unsent += wire.Cost(len(n.data))
	}
	e.mu.Unlock()
	if old != nil && old != r {
		old.fail(failf("conflict", "", "another request follows the execution now"))
	}
	r.mu.Lock()
	r.onCredit = func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.follower != r {
			return
		}
		if err := r.gone(); err != nil {
			e.follower = nil
			r.fail(err)
			return
		}
		e.flush()
	}
	r.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.follower == r {
		e.flush()
	}
	return nil
}

// flush sends what the follower's window allows.
func (e *execution) flush() {
	r := e.follower
	if r == nil {
		return
	}
	full := e.unsent >= wire.Window
	defer func() {
		e.forget()
		if full && e.unsent < wire.Window && e.resume != nil {
			e.resume()
		}
	}()
	for e.next < e.first+len(e.log) {
		n := e.log[e.next-e.first]
		if n.stream != 0 {
			if !r.trySend(wire.Output, wire.AppendOutput(nil, uint64(e.next+1), n.stream), n.data) {
				return
			}
		} else if !e.sendText(r, wire.Event, n.data) {
			return
		}
		e.next, e.sent = e.next+1, 0
		e.unsent -= wire.Cost(len(n.data))
	}
	if e.result == nil {
		return
	}
	for len(e.result)-e.sent > wire.MaxBody {
		if !e.sendPart(r, e.result) {
			return
		}
	}
	e.follower = nil
	r.replyBody(e.result[e.sent:])
}

// sendText sends a JSON text, in parts if it must be, and reports whether all of it went.
func (e *execution) sendText(r *request, kind wire.Kind, text []byte) bool {
	for len(text)-e.sent > wire.MaxBody {
		if !e.sendPart(r, text) {
			return false
		}
	}
	return r.trySend(kind, text[e.sent:])
}

func (e *execution) sendPart(r *request, text []byte) bool {
	n := min(len(text)-e.sent, wire.Chunk)
	if !r.trySend(wire.Part, text[e.sent:e.sent+n]) {
		return false
	}
	e.sent += n
	return true
}

func (e *execution) size() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bytes
}

// tail keeps the last bytes of output.
type tail struct {
	max     int
	chunks  []chunk
	n       int
	omitted [3]int64 // bytes left out, by stream
}

type chunk struct {
	stream uint8
	data   []byte
}

// maxChunks bounds a tail whose streams take turns byte by byte.
const maxChunks = 4096

func (t *tail) len() int { return t.n }

func (t *tail) cut() bool { return t.omitted[1]+t.omitted[2] > 0 }

func (t *tail) overflows(n int) bool { return t.n+n > t.max || len(t.chunks) >= maxChunks }

func (t *tail) add(stream uint8, data []byte) {
	if over := len(data) - t.max; over > 0 {
		t.omitted[stream] += int64(over)
		data = data[over:]
	}
	if last := len(t.chunks) - 1; last >= 0 && t.chunks[last].stream == stream && len(t.chunks[last].data) < 4<<10 {
		t.chunks[last].data = append(t.chunks[last].data, data...)
	} else if len(data) > 0 {
		t.chunks = append(t.chunks, chunk{stream: stream, data: append([]byte(nil), data...)})
	}
	t.n += len(data)
	for t.n > t.max || len(t.chunks) > maxChunks {
		first := &t.chunks[0]
		n := len(first.data)
		if len(t.chunks) <= maxChunks {
			n = min(n, t.n-t.max)
		}
		t.omitted[first.stream] += int64(n)
		t.n -= n
		if first.data = first.data[n:]; len(first.data) == 0 {
			t.chunks[0] = chunk{}
			t.chunks = t.chunks[1:]
		}
	}
}
