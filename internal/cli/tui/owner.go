package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"praxis/internal/safetext"
)

// maxQueued bounds what is kept, in bytes, while a question is open.
const maxQueued = 1 << 20

// Owner is the one way to the terminal. While a question is open, everything that
// else would be written is kept and appears after the answer, so that no output of
// a guest can be taken for a part of the question. Of the output for a terminal,
// what is over a bound is dropped and counted; a pipe, which may lead to the same
// terminal, loses nothing: its writers wait. The zero value is ready. It is safe for
// concurrent use.
type Owner struct {
	Notes io.Writer // gets the line that says how much was dropped; nil: nothing does

	mu      sync.Mutex
	free    *sync.Cond // nil until something waits
	open    int        // questions
	restore func()     // of the question that is open
	queue   []queued
	size    int // bytes in queue
	dropped int // bytes

	stop     chan struct{} // closed by Stop; see stopped
	making   sync.Once
	stopping sync.Once
}

// Stop gives writes up that wait for a reader who does not read: the program is to
// end. What a reader takes within a second is still written.
func (o *Owner) Stop() { o.stopping.Do(func() { close(o.stopped()) }) }

func (o *Owner) stopped() chan struct{} {
	o.making.Do(func() { o.stop = make(chan struct{}) })
	return o.stop
}

type queued struct {
	to   *owned
	data []byte
}

// Hold keeps everything off the terminal until release is called. restore gives the
// question up, which denies the call, and takes it off the terminal; see [Owner.Restore].
func (o *Owner) Hold(restore func()) (release func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open++
	o.restore = restore
	return sync.OnceFunc(o.release)
}

func (o *Owner) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open--; o.open > 0 {
		return
	}
	o.restore = nil
	for _, q := range o.queue {
		q.to.put(q.data)
	}
	if o.dropped > 0 && o.Notes != nil {
		// Nothing can be done about a standard error that is gone.
		_, _ = fmt.Fprintf(o.Notes, "\npraxis: %s of output that came while a question was open is not shown\n", safetext.Size(int64(o.dropped)))
	}
	o.queue, o.size, o.dropped = nil, 0, 0
	if o.free != nil {
		o.free.Broadcast()
	}
}

// Restore gives an open question up and takes it off the terminal, as when the
// person interrupts it or the program is to end.
func (o *Owner) Restore() {
	o.mu.Lock()
	restore := o.restore
	o.mu.Unlock()
	if restore == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		restore()
	}()
	select {
	case <-done:
	case <-time.After(maxRestore): // the terminal is stopped
	}
}

// maxRestore bounds how long a terminal may take to show the first screen again, and
// a reader to read when the program is to end.
const maxRestore = time.Second

// Writer returns w with its output kept while a question is open. What has a
// descriptor keeps it, for those that look whether it is a terminal.
func (o *Owner) Writer(w io.Writer, terminal bool) io.Writer {
	to := &owned{owner: o, w: w, terminal: terminal}
	if f, ok := w.(descriptor); ok {
		return &ownedFile{to, f}
	}
	return to
}

type descriptor interface{ Fd() uintptr }

type owned struct {
	owner    *Owner
	w        io.Writer
	terminal bool
	err      error // of a write after a question

	passing sync.Mutex // one write at a time to what is no terminal
	gone    bool       // its reader did not read
}

// errStuck is the error of writes that were given up.
var errStuck = errors.New("whoever reads the output does not read it")

// pass writes to what is no terminal, whose reader may read when it likes.
func (t *owned) pass(data []byte) (int, error) {
	t.passing.Lock()
	defer t.passing.Unlock()
	if t.gone {
		return 0, errStuck
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	data = bytes.Clone(data) // the caller's may change when the write was given up
	go func() {              // ends when there is a reader, or with the program
		n, err := t.w.Write(data)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-t.owner.stopped():
	}
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(maxRestore):
		t.gone = true
		return 0, errStuck
	}
}

type ownedFile struct {
	*owned
	descriptor
}

// put writes what was kept. The next Write returns its error.
func (t *owned) put(data []byte) {
	switch {
	case t.err != nil:
	case t.terminal:
		_, t.err = t.w.Write(data)
	default:
		_, t.err = t.pass(data)
	}
}

// Write writes, or keeps what was to be written until the question is answered.
func (t *owned) Write(data []byte) (int, error) {
	o := t.owner
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.open > 0 && o.size+len(data) > maxQueued && !t.terminal {
		if o.free == nil {
			o.free = sync.NewCond(&o.mu)
		}
		o.free.Wait()
	}
	switch {
	case t.err != nil:
		return 0, t.err
	case o.open == 0 && t.terminal:
		return t.w.Write(data)
	case o.open == 0:
		o.mu.Unlock() // others have other readers
		defer o.mu.Lock()
		return t.pass(data)
	case o.dropped > 0 && t.terminal || o.size+len(data) > maxQueued:
		o.dropped += len(data)
	default:
		o.queue = append(o.queue, queued{t, append([]byte(nil), data...)})
		o.size += len(data)
	}
	return len(data), nil
}
