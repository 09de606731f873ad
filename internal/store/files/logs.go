package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/store"
)

var (
	_ store.Logs    = (*Logs)(nil)
	_ store.Watcher = (*Logs)(nil)
	_ store.Log     = (*log)(nil)
)

// errClosed is what a log says after Close.
var errClosed = errors.New("the log is closed")

const (
	ending = ".jsonl"
	// shardLength is how much of a name is the name of its folder.
	shardLength = 8
	// maxAppend is how many bytes one Append takes.
	maxAppend = 64 << 20
)

// Logs are the logs of a [Store].
type Logs struct {
	s   *Store
	dir string
}

// path returns where a log is, when its name can be one.
func (l *Logs) path(name string) (string, error) {
	if !validName(name) {
		return "", fault.New(fault.Invalid, "A name is letters, digits, '-', '_' and '.', at most 64, and begins with a letter or a digit.",
			"%.80q cannot be the name of a log", name)
	}
	return filepath.Join(l.dir, shard(name), name+ending), nil
}

func shard(name string) string { return name[:min(len(name), shardLength)] }

func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i, c := range []byte(name) {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '-' && c != '_' && c != '.') {
			return false
		}
	}
	return true
}

// label is a name as errors have it; bad ones have quoted it themselves.
func label(name string) string {
	if !validName(name) {
		return ""
	}
	return " " + name
}

// Create makes a log and opens it for appending.
func (l *Logs) Create(ctx context.Context, name string) (store.Log, error) {
	made, err := l.create(ctx, name)
	if err != nil {
		return nil, l.s.failed("make log"+label(name), err)
	}
	return made, nil
}

func (l *Logs) create(ctx context.Context, name string) (*log, error) {
	path, err := l.path(name)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if err := l.s.make(dir); err != nil {
		return nil, err
	}
	var f file
	err = l.s.gated(l.dir, func() error {
		f, err = l.s.disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND)
		if errors.Is(err, fs.ErrExist) {
			return fault.New(fault.Conflict, "Take another name.", "it exists already")
		}
		if err != nil {
			return err
		}
		return lock(f.Handle())
	})
	if err == nil {
		if err = f.Sync(); err == nil {
			err = l.s.disk.Sync(dir)
		}
	}
	if err == nil {
		return &log{s: l.s, name: name, path: path, f: f}, nil
	}
	if f != nil {
		// A log that nobody was given must not stand in the way of the next try.
		err = errors.Join(err, l.s.disk.Remove(path))
		f.Close()
	}
	return nil, err
}

// Reopen opens a log that exists for appending, without its torn tail.
func (l *Logs) Reopen(ctx context.Context, name string) (store.Log, int64, error) {
	opened, cut, err := l.reopen(ctx, name)
	if err != nil {
		return nil, 0, l.s.failed("open log"+label(name), err)
	}
	return opened, cut, nil
}

func (l *Logs) reopen(ctx context.Context, name string) (*log, int64, error) {
	path, err := l.existing(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	var f file
	err = l.s.gated(l.dir, func() error {
		f, err = l.claim(path)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	size, cut, err := trim(f)
	if err == nil {
		// Whoever made it may have died before its entry was on disk.
		err = l.s.disk.Sync(filepath.Dir(path))
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return &log{s: l.s, name: name, path: path, f: f, size: size, dirty: true}, cut, nil
}

// existing returns the path of a log whose folders are there and ours.
func (l *Logs) existing(ctx context.Context, name string) (string, error) {
	path, err := l.path(name)
	if err != nil {
		return "", err
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	ok, err := l.s.has(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	if ok {
		_, err = plain(path)
	}
	if !ok || errors.Is(err, fs.ErrNotExist) {
		return "", absent()
	}
	return path, err
}

func absent() error {
	return fault.New(fault.NotFound, "", "there is none of that name")
}

// claim opens a log for writing and locks it. The caller has the folder's lock.
func (l *Logs) claim(path string) (file, error) {
	f, err := l.s.disk.Open(path, os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absent()
	}
	if err != nil {
		return nil, err
	}
	ok, err := tryLock(f.Handle())
	if err == nil && !ok {
		err = fault.New(fault.Conflict, "Wait until it is done, or stop the process that writes it.", "another writer has it open")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// trim cuts off what follows the last newline.
func trim(f file) (size, cut int64, err error) {
	info, err := f.Handle().Stat()
	if err != nil {
		return 0, 0, err
	}
	buf := make([]byte, 64<<10)
	for end := info.Size(); end > 0 && size == 0; {
		part := buf[:min(end, int64(len(buf)))]
		if _, err := f.Handle().ReadAt(part, end-int64(len(part))); err != nil {
			return 0, 0, err
		}
		end -= int64(len(part))
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			size = end + int64(i) + 1
		}
	}
	if cut = info.Size() - size; cut == 0 {
		return size, 0, nil
	}
	if err := f.Truncate(size); err != nil {
		return 0, 0, fmt.Errorf("cannot cut off its torn tail: %w", err)
	}
	return size, cut, f.Sync()
}

// Read opens a log for reading, as it stands. What it returns is an *os.File.
func (l *Logs) Read(ctx context.Context, name string) (io.ReadCloser, error) {
	path, err := l.existing(ctx, name)
	if err == nil {
		var f *os.File
		if f, err = read(path); err == nil {
			return f, nil
		}
	}
	return nil, l.s.failed("read log"+label(name), err)
}

// Writing says whether a writer has a log open.
func (l *Logs) Writing(ctx context.Context, name string) (bool, error) {
	f, err := l.Read(ctx, name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	yes, err := locked(f.(*os.File))
	if err != nil {
		return false, l.s.failed("see who writes log "+name, err)
	}
	return yes, nil
}

// Names returns the names of all logs, sorted.
func (l *Logs) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := l.names(ctx, func(name string) bool { return yield(name, nil) }); err != nil {
			yield("", l.s.failed("list logs", err))
		}
	}
}

// names calls yield with every name until it says no. A folder's name is the
// beginning of the names in it, so that they are sorted when the folders are.
func (l *Logs) names(ctx context.Context, yield func(string) bool) error {
	dirs, err := l.s.list(l.dir)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if !d.IsDir() || !validName(d.Name()) {
			continue
		}
		entries, err := l.s.list(filepath.Join(l.dir, d.Name()))
		if err != nil {
			return err
		}
		// The ending sorts after '-' and before digits: not as the names do.
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ending); ok && validName(name) && shard(name) == d.Name() {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if !yield(name) {
				return nil
			}
		}
	}
	return nil
}

// Remove removes a log.
func (l *Logs) Remove(ctx context.Context, name string) error {
	if err := l.remove(ctx, name); err != nil {
		return l.s.failed("remove log"+label(name), err)
	}
	return nil
}

func (l *Logs) remove(ctx context.Context, name string) error {
	path, err := l.existing(ctx, name)
	if err != nil {
		return err
	}
	return l.s.gated(l.dir, func() error {
		f, err := l.claim(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := l.s.disk.Remove(path); err != nil {
			return err
		}
		return l.s.disk.Sync(filepath.Dir(path))
	})
}

// log is a log that is open for appending.
type log struct {
	s    *Store
	name string
	path string
	f    file

	// syncing is locked during a sync, so that who comes meanwhile waits for it.
	// It is taken before mu.
	syncing sync.Mutex

	mu       sync.Mutex
	size     int64 // bytes of whole lines
	reserved int64 // where the space that is reserved for later lines ends
	dirty    bool  // something changed since the last sync began
	broken   error // why nothing more is taken
}

// Append writes lines in one write.
func (l *log) Append(lines ...[]byte) error {
	data, err := join(lines)
	if err != nil {
		return l.s.failed("append to log "+l.name, err)
	}
	if len(data) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.s.failed("append to log "+l.name, l.broken)
	}
	l.dirty = true
	if _, err := l.f.Write(data); err != nil {
		l.reserved = 0 // cutting gives the spare space back, too
		if cutErr := l.f.Truncate(l.size); cutErr != nil {
			l.broken = fmt.Errorf("part of a record is left at byte %d and cannot be cut off: %w", l.size, cutErr)
			err = errors.Join(err, l.broken)
		}
		return l.s.failed("append to log "+l.name, err)
	}
	l.size += int64(len(data))
	l.reserveSpace()
	return nil
}

// spare is how much space a log keeps for its next lines, so that how a run ended
// can be written when something else has filled the disk.
const spare = 16 << 10

// reserveSpace reserves the spare space behind the last line.
func (l *log) reserveSpace() {
	if l.reserved >= l.size+spare/2 {
		return
	}
	if reserve(l.f.Handle(), l.size, spare) {
		l.reserved = l.size + spare
	}
}

// join checks lines and puts them together.
func join(lines [][]byte) ([]byte, error) {
	total := 0
	for _, line := range lines {
		if i := bytes.IndexByte(line, '\n'); i != len(line)-1 || i < 0 {
			return nil, fault.New(fault.Invalid, "", "what is not one line with a newline at its end cannot be a record")
		}
		total += len(line)
	}
	switch {
	case total > maxAppend:
		return nil, fault.New(fault.Invalid, "", "%d bytes are too many for one step, at most %d are taken", total, maxAppend)
	case len(lines) == 1:
		return lines[0], nil
	}
	return bytes.Join(lines, nil), nil
}

// Sync puts what was appended on disk.
func (l *log) Sync() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	err, dirty := l.broken, l.dirty
	l.dirty = false
	l.mu.Unlock()
	if err == nil && dirty {
		if err = l.f.Sync(); err != nil {
			// The kernel may have dropped what it could not write: a second
			// try would succeed and say nothing.
			err = fmt.Errorf("what was written last may not be on disk: %w", err)
			l.mu.Lock()
			l.broken = err
			l.mu.Unlock()
		}
	}
	if err != nil {
		return l.s.failed("sync log "+l.name, err)
	}
	return nil
}

// Close gives up the log.
func (l *log) Close() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.broken, errClosed) {
		return nil
	}
	if l.broken == nil && l.reserved > l.size {
		release(l.f.Handle(), l.size)
	}
	l.broken = errClosed
	err := unlock(l.f.Handle())
	if err := errors.Join(err, l.f.Close()); err != nil {
		return l.s.failed("close log "+l.name, err)
	}
	return nil
}
