package files

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/store"
)

var (
	_ store.Blobs = (*Blobs)(nil)
)

const (
	// small is how long a content may be to stay in memory until its name
	// is known: when it is there already, nothing is written at all.
	small = 1 << 20
	// piece is how much of a longer content is read at once.
	piece = 256 << 10
	// temporary begins the names of contents that are being written.
	temporary = ".tmp-"
)

// Blobs are the blobs of a [Store].
type Blobs struct {
	s     *Store
	dir   string
	usage usage

	mu    sync.Mutex
	swept bool // what dead writers left is gone
}

func (b *Blobs) path(sum string) string { return filepath.Join(b.dir, sum[:2], sum) }

func validSum(sum string) bool {
	return len(sum) == 2*sha256.Size && strings.Trim(sum, "0123456789abcdef") == ""
}

// check refuses what is not a SHA-256 sum.
func check(ctx context.Context, sum string) error {
	if !validSum(sum) {
		return fault.New(fault.Invalid, "Give the 64 hexadecimal digits of a SHA-256 sum, in small letters.", "%.80q is not the name of a content", sum)
	}
	return context.Cause(ctx)
}

// Put stores what r holds.
func (b *Blobs) Put(ctx context.Context, r io.Reader) (store.Blob, error) {
	blob, err := b.put(ctx, r)
	if err != nil {
		return store.Blob{}, b.s.failed("store a content", err)
	}
	return blob, nil
}

func (b *Blobs) put(ctx context.Context, r io.Reader) (store.Blob, error) {
	if err := context.Cause(ctx); err != nil {
		return store.Blob{}, err
	}
	if err := b.prepare(); err != nil {
		return store.Blob{}, err
	}
	head, err := io.ReadAll(io.LimitReader(&source{ctx: ctx.Err, r: r}, small+1))
	if err != nil {
		return store.Blob{}, err
	}
	if len(head) <= small {
		sum := sha256.Sum256(head)
		blob := store.Blob{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(head))}
		if done, err := b.again(blob); done || err != nil {
			return blob, err
		}
	}
	return b.write(head, &source{ctx: ctx.Err, r: r})
}

// prepare has the folder made, and sweeps it once.
func (b *Blobs) prepare() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.s.make(b.dir); err != nil || b.swept {
		return err
	}
	if err := b.sweep(); err != nil {
		return err
	}
	b.swept = true
	return nil
}

// sweep removes what writers that are no more have left. Those that are alive have
// a lock on theirs.
func (b *Blobs) sweep() error {
	return b.s.gated(b.dir, func() error {
		entries, err := b.s.list(b.dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), temporary) || !e.Type().IsRegular() {
				continue
			}
			path := filepath.Join(b.dir, e.Name())
			f, err := b.s.disk.Open(path, os.O_RDWR)
			if err != nil {
				return err
			}
			ok, err := tryLock(f.Handle())
			if err == nil && ok {
				err = b.s.disk.Remove(path)
			}
			f.Close()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// source reads until the caller gives up.
type source struct {
	ctx func() error
	r   io.Reader
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// again says whether a content is there, whole, and sets its time. One that is
// there and damaged counts as absent: it is replaced.
func (b *Blobs) again(blob store.Blob) (bool, error) {
	path := b.path(blob.SHA256)
	if ok, err := b.s.has(filepath.Dir(path)); !ok || err != nil {
		return false, err
	}
	before, err := plain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || before.Size() != blob.Bytes || !intact(path, blob.SHA256) {
		return false, err
	}
	found := false
	err = b.s.gated(b.dir, func() error {
		// It may have been collected since.
		now, err := plain(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !os.SameFile(before, now) {
			return err
		}
		found = true
		return touch(path, time.Now())
	})
	if !found || err != nil {
		return false, err
	}
	// Who wrote it may have died before its name was on disk.
	if err := b.s.make(filepath.Dir(path)); err != nil {
		return false, err
	}
	return true, b.s.disk.Sync(filepath.Dir(path))
}

// intact says whether a file holds what its name says.
func intact(path, sum string) bool {
	f, err := read(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, make([]byte, piece))
	return err == nil && hex.EncodeToString(h.Sum(nil)) == sum
}

// write stores a content by way of a temporary file.
func (b *Blobs) write(head []byte, rest io.Reader) (blob store.Blob, err error) {
	available, err := b.available()
	if err != nil {
		return store.Blob{}, err
	}
	if int64(len(head)) > available {
		return store.Blob{}, b.usage.exhausted()
	}
	f, path, err := b.temporary()
	if err != nil {
		return store.Blob{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.discard(path))
		}
		f.Close()
	}()
	blob, err = b.fill(f, head, rest, available)
	if err != nil {
		return store.Blob{}, err
	}
	if err := f.Sync(); err != nil {
		return store.Blob{}, err
	}
	if blob.Bytes > small {
		if done, err := b.again(blob); done || err != nil {
			return blob, errors.Join(err, b.discard(path))
		}
	}
	return blob, b.name(path, blob)
}

// available returns how many bytes may still be stored.
func (b *Blobs) available() (int64, error) {
	if b.usage.quota <= 0 {
		return 1<<63 - 1, nil
	}
	used, err := b.usage.bytes(b.s, b.dir)
	return b.usage.quota - used, err
}

// temporary makes the file that a content is written to. It is locked, so that
// it is seen to belong to somebody.
func (b *Blobs) temporary() (f file, path string, err error) {
	path = filepath.Join(b.dir, temporary+rand.Text())
	err = b.s.gated(b.dir, func() error {
		f, err = b.s.disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return err
		}
		return lock(f.Handle())
	})
	if err != nil && f != nil {
		err = errors.Join(err, b.discard(path))
		f.Close()
	}
	return f, path, err
}

// discard removes a temporary file. It is no error that it is gone.
func (b *Blobs) discard(path string) error {
	if err := b.s.disk.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// fill writes a content to f, and stops when the quota has no space for it.
func (b *Blobs) fill(f file, head []byte, rest io.Reader, limit int64) (store.Blob, error) {
	h := sha256.New()
	total := int64(0)
	put := func(p []byte) error {
		if total += int64(len(p)); total > limit {
			return b.usage.exhausted()
		}
		h.Write(p)
		_, err := f.Write(p)
		return err
	}
	if err := put(head); err != nil {
		return store.Blob{}, err
	}
	for buf, end := make([]byte, piece), len(head) <= small; !end; {
		n, err := full(rest, buf)
		if end = errors.Is(err, io.EOF); err != nil && !end {
			return store.Blob{}, err
		}
		if err := put(buf[:n]); err != nil {
			return store.Blob{}, err
		}
	}
	return store.Blob{SHA256: sumOf(h), Bytes: total}, nil
}

// full reads until buf is full or something ends it. Unlike io.ReadFull it
// lets a reader's own io.ErrUnexpectedEOF be distinguished from the end.
func full(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	if err != nil && err != io.EOF && errors.Is(err, io.EOF) {
		err = fmt.Errorf("the source broke off: %v", err)
	}
	return n, err
}

func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// name gives a temporary file, which is on disk, the name of its content.
func (b *Blobs) name(temp string, blob store.Blob) error {
	path := b.path(blob.SHA256)
	dir := filepath.Dir(path)
	if err := b.s.make(dir); err != nil {
		return err
	}
	err := b.s.gated(b.dir, func() error {
		if _, err := plain(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// Others may have stored something since the space was computed.
		available, err := b.available()
		if err == nil && blob.Bytes > available {
			err = b.usage.exhausted()
		}
		if err != nil {
			return err
		}
		return b.s.disk.Rename(temp, path)
	})
	if err != nil {
		return err
	}
	return b.s.disk.Sync(dir)
}

// Open reads a blob and checks it on the way.
func (b *Blobs) Open(ctx context.Context, sum string) (io.ReadCloser, error) {
	f, err := b.open(ctx, sum)
	if err != nil {
		return nil, b.s.failed("read a content", err)
	}
	return &reader{f: f, h: sha256.New(), sum: sum}, nil
}

func (b *Blobs) open(ctx context.Context, sum string) (*os.File, error) {
	if err := check(ctx, sum); err != nil {
		return nil, err
	}
	path := b.path(sum)
	ok, err := b.s.has(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var f *os.File
	if ok {
		f, err = read(path)
	}
	if !ok || errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "", "%s is not stored", sum)
	}
	return f, err
}

// reader hashes what is read.
type reader struct {
	f   *os.File
	h   hash.Hash
	sum string
	end error // what Read says from the end on
}

func (r *reader) Read(p []byte) (int, error) {
	if r.end != nil {
		return 0, r.end
	}
	n, err := r.f.Read(p)
	r.h.Write(p[:n])
	if errors.Is(err, io.EOF) {
		r.end = io.EOF
		if got := sumOf(r.h); got != r.sum {
			r.end = fault.New(fault.Conflict, "Restore the file from a copy.", "content %s is damaged: its sum is %s", r.sum, got)
		}
		return n, r.end
	}
	return n, err
}

func (r *reader) Close() error { return r.f.Close() }

// All returns what there is.
func (b *Blobs) All(ctx context.Context) iter.Seq2[store.Blob, error] {
	return func(yield func(store.Blob, error) bool) {
		err := b.s.each(b.dir, func(info fs.FileInfo) (bool, error) {
			if err := context.Cause(ctx); err != nil {
				return false, err
			}
			return yield(store.Blob{SHA256: info.Name(), Bytes: info.Size(), Stored: info.ModTime()}, nil), nil
		})
		if err != nil {
			yield(store.Blob{}, b.s.failed("list contents", err))
		}
	}
}

// each calls visit with every blob until it says no.
func (s *Store) each(dir string, visit func(fs.FileInfo) (bool, error)) error {
	shards, err := s.list(dir)
	if err != nil {
		return err
	}
	for _, d := range shards {
		if !isShard(d) {
			continue
		}
		if more, err := s.eachOf(filepath.Join(dir, d.Name()), visit); !more || err != nil {
			return err
		}
	}
	return nil
}

func isShard(d fs.DirEntry) bool {
	return d.IsDir() && len(d.Name()) == 2 && strings.Trim(d.Name(), "0123456789abcdef") == ""
}

// eachOf is each of one folder. It says whether to go on.
func (s *Store) eachOf(dir string, visit func(fs.FileInfo) (bool, error)) (bool, error) {
	entries, err := s.list(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !validSum(e.Name()) || e.Name()[:2] != filepath.Base(dir) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if more, err := visit(info); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Remove removes a blob.
func (b *Blobs) Remove(ctx context.Context, sum string) error {
	_, err := b.remove(ctx, sum, func(time.Time) bool { return true })
	return err
}

// RemoveUnused removes a blob that Put last returned at or before since.
func (b *Blobs) RemoveUnused(ctx context.Context, sum string, since time.Time) (bool, error) {
	return b.remove(ctx, sum, func(stored time.Time) bool { return !stored.After(since) })
}

func (b *Blobs) remove(ctx context.Context, sum string, selected func(stored time.Time) bool) (removed bool, err error) {
	err = check(ctx, sum)
	ok := false
	if err == nil {
		ok, err = b.s.has(filepath.Dir(b.path(sum)))
	}
	if ok && err == nil {
		err = b.s.gated(b.dir, func() error {
			info, err := plain(b.path(sum))
			if err != nil || !selected(info.ModTime()) {
				return err
			}
			removed = true
			return b.s.disk.Remove(b.path(sum))
		})
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, b.s.failed("remove a content", err)
	}
	return removed && err == nil, nil
}
