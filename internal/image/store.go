package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/seal"
)

// Store keeps images below one folder. Its methods are safe for concurrent
// use, also by several processes on one folder.
type Store struct {
	dir   string // absolute, without symbolic links
	seals *seal.Key

	mu     sync.Mutex
	leases map[string]*os.File // by image ID
}

// The folders of a store beside those of the parts.
const (
	imageDir   = "image"
	requestDir = "request"
	lockDir    = "lock"
	tmpDir     = "tmp"
	storeLock  = "store.lock"
	cacheDir   = "cache" // pip's, which is not kept any more
)

const (
	spaceRemedy = "Free some space, or keep the image store on another disk."
	// waitSlice is how often a lock that another holds is tried again.
	waitSlice = 50 * time.Millisecond
)

// progress takes one line of what is being done.
type progress func(string)

// record is what the store writes down of an image.
type record struct {
	ID       string    `json:"id"`
	Names    []string  `json:"names"` // requests that gave it, the first first
	Packages []Package `json:"packages"`
	Python   string    `json:"python"` // keys of its parts
	Root     string    `json:"root"`
	Layer    string    `json:"layer,omitempty"`
	Node     string    `json:"node,omitempty"`
	Modules  string    `json:"modules,omitempty"`
	First    string    `json:"first,omitempty"` // the language that is meant where none is named; "": Python
	NPM      []Package `json:"npm,omitempty"`
	// Base is the key of the root file system of a container image, where the image is
	// made of one, and Digest that of its manifest. Python and Root are empty when it
	// brings its own interpreter.
	Base    string    `json:"base,omitempty"`
	Digest  string    `json:"digest,omitempty"`
	Preload []string  `json:"preload,omitempty"`
	Created time.Time `json:"created"`
	// Built says what a file said of an image that was built of it, beside its base. Such an
	// image may have parts of a container image and of ours.
	Built *Built `json:"built,omitempty"`
}

// Open opens the store in dir, makes it when it is missing, and removes what
// builders that died left in it. What seals does not vouch for is built again.
func Open(dir string, seals *seal.Key) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open image store: %w", err)
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, explainFS("open image store", err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, explainFS("open image store", err)
	}
	// What lies here is run on the host: nobody else may have put it there.
	if err := atomicfile.Own(abs); err != nil {
		return nil, fmt.Errorf("cannot open image store: %w", err)
	}
	s := &Store{dir: abs, seals: seals, leases: map[string]*os.File{}}
	for _, d := range []string{imageDir, requestDir, lockDir, tmpDir, wheelDir, blobDir, stepDir, kindPython, kindPip, kindRoot, kindLayer, kindNode, kindModules, kindBase} {
		// Chmod, because a sandbox may read parts as another user and the umask may forbid that.
		if err := errors.Join(os.MkdirAll(filepath.Join(abs, d), 0o755), os.Chmod(filepath.Join(abs, d), 0o755)); err != nil {
			return nil, explainFS("open image store", err)
		}
	}
	s.sweep()
	return s, nil
}

// Close gives up the leases on the images that this store resolved.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.leases {
		errs = append(errs, f.Close())
	}
	clear(s.leases)
	return errors.Join(errs...)
}

// Resolve returns the image for a request and builds what is missing of it.
// It reports to sink what it does. The image is not removed while the store is open.
func (s *Store) Resolve(ctx context.Context, req Request, sink event.Sink) (Image, error) {
	img, err := s.resolve(ctx, req, func(text string) { sink.Emit(event.Progress{Stage: "image", Text: text}) })
	if err != nil {
		return Image{}, explainFS("build image", err)
	}
	return img, nil
}

func (s *Store) resolve(ctx context.Context, req Request, say progress) (Image, error) {
	reqs, npm, err := req.parseAll()
	if err != nil {
		return Image{}, err
	}
	w := req.wanted(reqs, npm)
	if req.Image != "" {
		return s.resolveNamed(ctx, req, w, say)
	}
	locked, err := s.lockStore(ctx, false, say)
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	p, err := supply{s: s, say: say}.beside(ctx, imageParts{}, w)
	if err != nil {
		return Image{}, err
	}
	return s.finish(ctx, p, []string{req.imageName(reqs, npm)}, nil)
}

// Lookup returns the image for a request if it can be had without building
// anything; otherwise the fault is NotFound. It neither leases nor marks it as used.
func (s *Store) Lookup(ctx context.Context, req Request) (Image, error) {
	reqs, npm, err := req.parseAll()
	if err != nil {
		return Image{}, err
	}
	w := req.wanted(reqs, npm)
	if req.Image != "" {
		return s.lookupNamed(ctx, req, w)
	}
	name := req.imageName(reqs, npm)
	p, err := supply{s: s, find: true}.beside(ctx, imageParts{}, w)
	if err != nil && !errors.Is(err, errUnbuilt) {
		return Image{}, err
	}
	var img Image
	if err == nil {
		img = p.assemble(name, nil)
		_, err = s.readRecord(img.ID)
	}
	if err != nil {
		return Image{}, fault.Coded(fault.ImageUnbuilt, fault.Data{"image": name}, "cannot find image %s: it was not built", name)
	}
	return img, nil
}

// remember writes the record of an image of ours, or adds a name to it.
func (s *Store) remember(img Image, p imageParts) error {
	const maxNames = 16
	r, err := s.readRecord(img.ID)
	if err != nil {
		r = p.record(img, nil)
		r.ID, r.Created = img.ID, time.Now().UTC().Truncate(time.Second)
	} else if slices.Contains(r.Names, img.Name) || len(r.Names) >= maxNames {
		return nil
	}
	r.Names = append(r.Names, img.Name)
	return s.writeRecord(r)
}

func (s *Store) recordPath(id string) string { return filepath.Join(s.dir, imageDir, id+".json") }
func (s *Store) leasePath(id string) string  { return filepath.Join(s.dir, imageDir, id+".lease") }

// readRecord reads the record of an image, which our key has sealed.
func (s *Store) readRecord(id string) (record, error) {
	return s.decodeRecord(id, func(data []byte, r *record) error { return s.seals.Decode(imageDir, id, data, r) })
}

// peekRecord reads the record of an image, whoever wrote it.
func (s *Store) peekRecord(id string) (record, error) {
	return s.decodeRecord(id, func(data []byte, r *record) error { return seal.Peek(data, r) })
}

func (s *Store) decodeRecord(id string, decode func([]byte, *record) error) (record, error) {
	var r record
	data, err := bounded.ReadFile(s.recordPath(id), maxSmallFile)
	if err != nil {
		return record{}, err
	}
	if err := decode(data, &r); err != nil {
		return record{}, err
	}
	if r.ID != id || len(r.Names) == 0 {
		return record{}, fmt.Errorf("the record of image %s is damaged", id)
	}
	for _, key := range []string{r.Python, r.Root, r.Layer, r.Node, r.Modules, r.Base} {
		if key != "" && (filepath.Base(key) != key || strings.HasPrefix(key, ".")) {
			return record{}, fmt.Errorf("the record of image %s is damaged", id)
		}
	}
	return r, nil
}

// lease marks the image as used and keeps it from being removed.
func (s *Store) lease(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if f, ok := s.leases[id]; ok {
		_ = os.Chtimes(f.Name(), now, now) // only Prune looks at it
		return nil
	}
	f, err := os.OpenFile(s.leasePath(id), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("cannot lease the image: %w", err)
	}
	if err := tryLock(f, false); err != nil {
		return errors.Join(fmt.Errorf("cannot lease the image: %w", err), f.Close())
	}
	_ = os.Chtimes(f.Name(), now, now)
	s.leases[id] = f
	return nil
}

func (s *Store) tmp() string { return filepath.Join(s.dir, tmpDir) }

// fileLock is a lock file that this process holds.
type fileLock struct{ file *os.File }

// release gives the lock back. Closing is what releases; its error says nothing about the lock.
func (h fileLock) release() { _ = h.file.Close() }

// lock takes the exclusive lock of a name.
func (s *Store) lock(ctx context.Context, name string, say progress) (fileLock, error) {
	return waitLock(ctx, filepath.Join(s.dir, lockDir, name), true, func() {
		say("waiting for another process that builds the same")
	})
}

// lockStore takes the lock of the whole store.
func (s *Store) lockStore(ctx context.Context, exclusive bool, say progress) (fileLock, error) {
	return waitLock(ctx, filepath.Join(s.dir, storeLock), exclusive, func() {
		say("waiting for another process that uses the image store")
	})
}

// waitLock takes a lock; waiting is called once when it is not free at once.
func waitLock(ctx context.Context, path string, exclusive bool, waiting func()) (fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fileLock{}, fmt.Errorf("cannot lock the image store: %w", err)
	}
	tick := time.NewTicker(waitSlice)
	defer tick.Stop()
	for first := true; ; first = false {
		err := tryLock(f, exclusive)
		if err == nil {
			return fileLock{f}, nil
		}
		if !errors.Is(err, errLocked) {
			return fileLock{}, errors.Join(err, f.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return fileLock{}, errors.Join(context.Cause(ctx), f.Close())
		case <-tick.C:
		}
	}
}

// sweep removes what builders that died left. What a living one holds is
// locked and stays. It is a courtesy: errors are left to those who build.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.tmp())
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(s.tmp(), e.Name())
		name, ok := lockNameOf(e.Name())
		if !ok {
			// A small file: writing one takes no lock and far less than an hour.
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
				_ = os.Remove(path)
			}
			continue
		}
		f, err := os.OpenFile(filepath.Join(s.dir, lockDir, name), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return
		}
		if tryLock(f, true) == nil {
			_ = os.RemoveAll(path)
		}
		_ = f.Close()
	}
}

// lockNameOf returns the lock under which a folder below tmp is filled: its
// name without the random end. Keys may hold dots, the ends do not.
func lockNameOf(entry string) (string, bool) {
	entry = strings.TrimSuffix(entry, ".damaged")
	i := strings.LastIndexByte(entry, '.')
	if i <= 0 || !strings.Contains(entry[:i], "-") {
		return "", false
	}
	return entry[:i], true
}

// needSpace refuses to begin what the disk has no space for.
func (s *Store) needSpace(bytes int64) error {
	free, err := freeBytes(s.dir)
	if err != nil {
		return fmt.Errorf("cannot measure the free space: %w", err)
	}
	if free < bytes {
		return fault.New(fault.Exhausted, spaceRemedy, "cannot build image: %d MB are needed and %d MB are free in %s", bytes>>20, free>>20, s.dir)
	}
	return nil
}

// explainFS makes a fault of what a disk or its rights refused. Faults and
// errors that are ours go through.
func explainFS(what string, err error) error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return err
	case errors.Is(err, context.Canceled):
		return fault.New(fault.Canceled, "", "cannot %s: canceled: %w", what, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "Allow more time.", "cannot %s: out of time: %w", what, err)
	case atomicfile.Full(err):
		return fault.New(fault.Exhausted, spaceRemedy, "cannot %s: no space is left: %w", what, err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return fault.New(fault.Denied, "Use a folder that you may write to.", "cannot %s: %w", what, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.Invalid, "Use the path of a folder.", "cannot %s: %w", what, err)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}
