// Package audit is the record of who asked a server for what, and what became of it: one line
// of JSON for each attempt to do more than read, the refused ones as well.
//
// Every line has a number and the SHA-256 of the line before it, so that one that was changed
// or taken out shows. An operation that is allowed stands there twice, before it is done and
// after, so that what a crash interrupted can be seen. Lines reach the file at once and the
// disk within 50 ms: when the process is killed none is lost, when the power fails those of the
// last moment may be. Of callers that nobody knows, and of requests beyond what a key may make
// in a second, only some are written each second, with how many were left out: the log is not
// theirs to fill, nor to have old lines of others put out of.
//
// A file that has become long gets another name, and the oldest of those goes. The first line
// of a file names the last of the one before.
package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/server/observe"
)

// Status says what became of an attempt.
type Status string

// The statuses.
const (
	Begun  Status = "begun"  // it is allowed and about to be done
	Done   Status = "done"   // it went well
	Denied Status = "denied" // the caller may not, or nobody knows who it is
	Failed Status = "failed"
)

// Entry is one line.
type Entry struct {
	Seq       int64     `json:"seq,omitempty"`
	Before    string    `json:"before,omitempty"` // SHA-256 of the line before it; "": there is none
	Time      time.Time `json:"time"`
	Request   string    `json:"request"` // its id
	Tenant    string    `json:"tenant,omitempty"`
	Key       string    `json:"key,omitempty"` // the id of the key
	Operation string    `json:"operation,omitempty"`
	Object    string    `json:"object,omitempty"`
	Status    Status    `json:"status"`
	Fault     string    `json:"fault,omitempty"`    // its code or kind
	LeftOut   int64     `json:"left_out,omitempty"` // refusals of the kinds of which only some are written, since the last such line
}

// Bounds of the files.
const (
	maxBytes   = 64 << 20 // of a file
	maxFiles   = 8
	maxLine    = 8 << 10
	floodMax   = 10 // lines a second of refusals that cost a caller nothing
	syncWithin = 50 * time.Millisecond
	fileName   = "audit.jsonl"
)

// Log is the record of a server. It is safe for concurrent use by one process.
type Log struct {
	dir   string
	now   func() time.Time
	most  int64 // bytes of a file
	wait  sync.WaitGroup
	wake  chan struct{}
	stop  chan struct{}
	close sync.Once

	mu      sync.Mutex
	f       *os.File
	bytes   int64
	seq     int64
	before  string
	second  int64 // in which flood were written
	flood   int
	leftOut int64
	err     error // why lines may be missing; the first one
}

// Open opens the record in the folder dir, and goes on after its last whole line. now is the
// clock; nil: the machine's. Close must be called.
func Open(dir string, now func() time.Time) (*Log, error) {
	if now == nil {
		now = time.Now
	}
	l := &Log{dir: dir, now: now, most: maxBytes, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	if err := atomicfile.Make(dir); err != nil {
		return nil, err
	}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("cannot open the audit log: %w", err)
	}
	l.wait.Go(l.syncs)
	return l, nil
}

// path returns the file with a number: 0 is the one that is written.
func path(dir string, n int) string {
	if n == 0 {
		return filepath.Join(dir, fileName)
	}
	return filepath.Join(dir, fmt.Sprintf("audit.%d.jsonl", n))
}

// open opens the file that is written.
func (l *Log) open() error {
	f, err := os.OpenFile(path(l.dir, 0), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	whole, last, err := tail(f)
	if err == nil && last.Seq == 0 { // a file that is empty goes on with the one before
		if old, opened := os.Open(path(l.dir, 1)); opened == nil {
			_, last, err = tail(old)
			err = errors.Join(err, old.Close())
		} else if !errors.Is(opened, fs.ErrNotExist) {
			err = opened
		}
	}
	if err == nil {
		err = f.Truncate(whole) // the process ended within a line
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.f, l.bytes, l.seq, l.before = f, whole, last.Seq, last.hash
	return nil
}

// hashed is an entry with the hash of its line.
type hashed struct {
	Entry
	hash string
}

// tail returns how many bytes of a file are whole lines, and the last of them. A line that is
// none is left where it is: who checks the file learns of it, and the chain goes on behind it.
func tail(f *os.File) (whole int64, last hashed, err error) {
	var end []byte
	for line, err := range lines(f) {
		if err != nil {
			return whole, last, err
		}
		whole += int64(len(line)) + 1
		end = append(end[:0], line...)
	}
	if whole == 0 {
		return 0, last, nil
	}
	e, damaged := decode(end)
	if damaged != nil {
		e.Seq, err = numberOf(f)
	}
	return whole, hashed{e, hashOf(end)}, err
}

// numberOf returns the number of the last whole line of a file by those before it.
func numberOf(f *os.File) (seq int64, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	for line, err := range lines(f) {
		if err != nil {
			return 0, err
		}
		seq++
		if e, err := decode(line); err == nil {
			seq = e.Seq
		}
	}
	return seq, nil
}

// lines yields the whole lines of r, without their ends.
func lines(r io.Reader) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReaderSize(r, maxLine)
		for {
			line, err := in.ReadSlice('\n')
			switch {
			case errors.Is(err, io.EOF):
				return // what is left is no whole line
			case err != nil:
				yield(nil, err)
				return
			}
			if !yield(bytes.TrimSuffix(line, []byte("\n")), nil) {
				return
			}
		}
	}
}

// decode reads a line.
func decode(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil || e.Seq < 1 {
		return e, fault.New(fault.Conflict, "Compare it with a copy.", "cannot read a line of the audit log: it is damaged")
	}
	return e, nil
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// Begin writes down that a request is about to be done.
func (l *Log) Begin(r *observe.Request) error { return l.add(entryOf(r, Begun)) }

// End writes down what became of a request. Those that only read are left out, unless they
// were refused.
func (l *Log) End(r *observe.Request) error {
	switch {
	case r.Kind == fault.Denied:
		return l.add(entryOf(r, Denied))
	case !r.Writes:
		return nil
	case r.Kind != 0:
		return l.add(entryOf(r, Failed))
	}
	return l.add(entryOf(r, Done))
}

func entryOf(r *observe.Request, s Status) Entry {
	return Entry{Request: r.ID, Tenant: r.Tenant, Key: r.Key, Operation: r.Operation, Object: r.Object, Status: s, Fault: r.Fault()}
}

// add writes a line.
func (l *Log) add(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UTC()
	flood := e.Tenant == "" || e.Fault == string(fault.RequestsUsedUp)
	if flood {
		if now.Unix() != l.second {
			l.second, l.flood = now.Unix(), 0
		}
		if l.flood++; l.flood > floodMax {
			l.leftOut++
			return nil
		}
		e.LeftOut = l.leftOut
	}
	if l.f == nil {
		return errors.New("cannot write the audit log: it is closed")
	}
	e.Seq, e.Before, e.Time = l.seq+1, l.before, now
	line, err := json.Marshal(e)
	if err == nil && len(line) >= maxLine {
		err = errors.New("the line is too long")
	}
	if err == nil && l.bytes+int64(len(line)) >= l.most {
		err = l.rotate()
	}
	if err == nil {
		err = l.write(line)
	}
	switch {
	case atomicfile.Full(err):
		return fault.Coded(fault.DiskFull, fault.Data{"folder": l.dir}, "cannot write the audit log: %w", err)
	case err != nil:
		return fmt.Errorf("cannot write the audit log: %w", err)
	}
	l.seq, l.before = e.Seq, hashOf(line)
	if flood {
		l.leftOut = 0
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// write appends a line whole, or nothing. l.mu is held.
func (l *Log) write(line []byte) error {
	n, err := l.f.Write(append(line, '\n'))
	if err != nil {
		if n > 0 { // a full disk took a part of it
			_, sought := l.f.Seek(l.bytes, io.SeekStart)
			err = errors.Join(err, l.f.Truncate(l.bytes), sought)
		}
		return err
	}
	l.bytes += int64(n)
	return nil
}

// rotate begins another file. l.mu is held.
func (l *Log) rotate() error {
	if err := l.f.Sync(); err != nil {
		return err
	}
	for n := maxFiles - 2; n >= 0; n-- {
		if err := os.Rename(path(l.dir, n), path(l.dir, n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path(l.dir, 0), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	old := l.f
	l.f, l.bytes = f, 0
	return errors.Join(old.Close(), atomicfile.Sync(l.dir))
}

// syncs puts on disk what was written, until the log is closed.
func (l *Log) syncs() {
	for {
		select {
		case <-l.stop:
			return
		case <-l.wake:
		}
		select {
		case <-l.stop:
			return
		case <-time.After(syncWithin):
		}
		l.mu.Lock()
		f := l.f
		l.mu.Unlock()
		// Writing goes on meanwhile. A file that was put aside was synced before.
		if err := f.Sync(); err != nil && !errors.Is(err, os.ErrClosed) {
			l.mu.Lock()
			l.err = errors.Join(l.err, err)
			l.mu.Unlock()
		}
	}
}

// Close puts everything on disk.
func (l *Log) Close() error {
	l.close.Do(func() { close(l.stop) })
	l.wait.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return l.err
	}
	l.err = errors.Join(l.err, l.f.Sync(), l.f.Close())
	l.f = nil
	return l.err
}

// Query says which entries are asked for.
type Query struct {
	Tenant string // "": of all
	Limit  int    // the newest; at least 1
}

// List returns entries of a tenant, the newest first, without what binds them to those of others.
func (l *Log) List(tenant string, limit int) ([]Entry, error) {
	list, err := List(l.dir, Query{tenant, limit})
	for i := range list {
		list[i].Seq, list[i].Before, list[i].LeftOut = 0, "", 0
	}
	return list, err
}

// List returns entries, the newest first. It reads the files of a folder, whether a server
// writes them or not.
func List(dir string, q Query) ([]Entry, error) {
	var out []Entry
	for n := 0; n < maxFiles && len(out) < q.Limit; n++ {
		err := newest(path(dir, n), func(line []byte) bool {
			if e, err := decode(line); err == nil && (q.Tenant == "" || e.Tenant == q.Tenant) {
				out = append(out, e)
			}
			return len(out) < q.Limit
		})
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return out, fmt.Errorf("cannot read the audit log: %w", err)
		}
	}
	return out, nil
}

// newestBlock is how much of a file is read at once from its end.
const newestBlock = 64 << 10

// newest calls f for the whole lines of a file, the last one first, for as long as it wants more.
func newest(file string, f func(line []byte) (more bool)) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	var rest []byte // that ends a line which begins further ahead
	whole := false  // what stands behind the last end of a line is none
	for at := info.Size(); at > 0; {
		n := min(at, newestBlock)
		block := make([]byte, n, n+int64(len(rest)))
		at -= n
		if _, err := in.ReadAt(block, at); err != nil {
			return err
		}
		rest = append(block, rest...)
		for end := bytes.LastIndexByte(rest, '\n'); end >= 0; end = bytes.LastIndexByte(rest, '\n') {
			line := rest[end+1:]
			rest = rest[:end]
			if whole && !f(line) {
				return nil
			}
			whole = true
		}
		if len(rest) > maxLine+newestBlock {
			return errors.New("a line is longer than any that is written")
		}
	}
	if whole && len(rest) > 0 {
		f(rest)
	}
	return nil
}

// each calls f for every whole line of a file.
func each(file string, f func(line []byte)) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	for line, err := range lines(in) {
		if err != nil {
			return err
		}
		f(line)
	}
	return nil
}

// Check says how many entries the files of a folder have, and where their chain is broken: ""
// when it is whole. The oldest line that is kept has nothing before it to be compared with.
func Check(dir string) (entries int64, broken string, err error) {
	var last hashed
	for n := maxFiles - 1; n >= 0; n-- {
		err := each(path(dir, n), func(line []byte) {
			entries++
			e, err := decode(line)
			switch {
			case broken != "":
			case err != nil:
				broken = fmt.Sprintf("the line after entry %d is damaged", last.Seq)
			case last.hash != "" && (e.Before != last.hash || e.Seq != last.Seq+1):
				broken = fmt.Sprintf("entry %d does not follow on entry %d", e.Seq, last.Seq)
			}
			last = hashed{e, hashOf(line)}
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return entries, broken, fmt.Errorf("cannot read the audit log: %w", err)
		}
	}
	return entries, broken, nil
}
