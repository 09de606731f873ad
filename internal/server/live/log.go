package live

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"praxis/event"
)

// Entry is one event of a log.
type Entry struct {
	Seq  int64           `json:"seq"`   // from 1
	Name string          `json:"event"` // as package event names it
	Data json.RawMessage `json:"data"`
}

// Bounds of a log.
const (
	maxLog    = 16 << 20 // bytes that are kept; what is older goes first
	entryCost = 64       // bytes of an entry beside its data
	maxRead   = 64       // entries that a reader has at a time: one that is slow keeps them
)

// Log holds the events of an execution or a run, so that whoever reads them can go away and
// come back. It is safe for concurrent use.
type Log struct {
	most    int           // bytes that are kept
	quiet   time.Duration // after which readers learn that it goes on
	grew    func(n int)   // receives the bytes of each entry; nil: nobody does
	mu      sync.Mutex
	entries []Entry
	bytes   int
	base    int64 // the events have the numbers above it
	next    int64 // the number of the next event
	ended   bool
	changed chan struct{} // closed when something is added, and replaced

	readers  int
	patience time.Duration // how long nobody may read before left fires
	left     *time.Timer   // nil: nobody need read
}

// quietFor is the silence after which a reader learns that a log goes on.
const quietFor = 10 * time.Second

func newLog() *Log {
	return &Log{most: maxLog, quiet: quietFor, next: 1, changed: make(chan struct{})}
}

// after makes a log that begins behind a number.
func (l *Log) after(base int64) *Log {
	l.base, l.next = base, base+1
	return l
}

// Emit adds an event. One that cannot be written as JSON is a mistake of the program that no
// client could do anything about: it is left out.
func (l *Log) Emit(e event.Event) {
	if data, err := event.Marshal(e); err == nil {
		l.add(event.Name(e), data)
	}
}

// note adds something that is no event of a run.
func (l *Log) note(name string, v any) {
	if data, err := event.Encode(v); err == nil {
		l.add(name, data)
	}
}

// add adds an entry.
func (l *Log) add(name string, data []byte) {
	if l.put(name, data) && l.grew != nil {
		l.grew(entryCost + len(data))
	}
}

func (l *Log) put(name string, data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false // a thread that the code left wrote once more
	}
	l.entries = append(l.entries, Entry{l.next, name, data})
	l.next++
	l.bytes += entryCost + len(data)
	l.shrink(l.most)
	l.wake()
	return true
}

// shrink leaves out the oldest entries, but for the last one, until the log has no more than
// so many bytes. l.mu is held.
func (l *Log) shrink(most int) {
	drop := 0
	for l.bytes > most && drop < len(l.entries)-1 {
		l.bytes -= entryCost + len(l.entries[drop].Data)
		drop++
	}
	clear(l.entries[:drop]) // what is left of them is moved when the slice grows
	l.entries = l.entries[drop:]
}

// Last is the number of the newest entry; 0: there was none.
func (l *Log) Last() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next - 1
}

// size is what the log has, in bytes.
func (l *Log) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}

// end says that nothing more is added.
func (l *Log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.left != nil {
		l.left.Stop()
	}
	l.wake()
}

// wake wakes the readers. l.mu is held.
func (l *Log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// WhenLeft has f called when nobody has read the log for so long, from now on, as long as it
// has not ended.
func (l *Log) WhenLeft(patience time.Duration, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.patience, l.left = patience, time.AfterFunc(patience, f)
	if l.ended || l.readers > 0 {
		l.left.Stop()
	}
}

// reading counts a reader, and whoever goes away before the end is waited for.
func (l *Log) reading(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers += n
	switch {
	case l.left == nil:
	case l.readers > 0:
		l.left.Stop()
	case !l.ended:
		l.left.Reset(l.patience)
	}
}

// Reader receives what a log holds. What one of its functions fails with ends the reading. Lost and
// Still may be nil.
type Reader struct {
	Entry func(Entry) error
	// Lost is called before an entry when those between it and the one before are not kept any
	// more; 0 entries: it is not known how many.
	Lost func(entries int64) error
	// Still is called when nothing happened for a while.
	Still func() error
}

// Read gives r every entry after the number after, those that come later, too, until the log
// ends or ctx is over.
func (l *Log) Read(ctx context.Context, after int64, r Reader) error {
	lost, still := r.Lost, r.Still
	if lost == nil {
		lost = func(int64) error { return nil }
	}
	if still == nil {
		still = func() error { return nil }
	}
	quiet := time.NewTimer(l.quiet)
	defer quiet.Stop()
	l.reading(1)
	defer l.reading(-1)
	if after < l.base { // what a log of before had is gone, and nobody knows how much it was
		if after > 0 {
			if err := lost(0); err != nil {
				return err
			}
		}
		after = l.base
	}
	for {
		l.mu.Lock()
		i, _ := slices.BinarySearchFunc(l.entries, after+1, func(e Entry, seq int64) int { return int(e.Seq - seq) })
		found, changed, ended := slices.Clone(l.entries[i:min(i+maxRead, len(l.entries))]), l.changed, l.ended
		l.mu.Unlock()
		for _, e := range found {
			if gap := e.Seq - after - 1; gap > 0 {
				if err := lost(gap); err != nil {
					return err
				}
			}
			if err := r.Entry(e); err != nil {
				return err
			}
			after = e.Seq
		}
		if len(found) > 0 {
			continue
		}
		if ended {
			return nil
		}
		quiet.Reset(l.quiet)
		select {
		case <-changed:
		case <-quiet.C:
			if err := still(); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
