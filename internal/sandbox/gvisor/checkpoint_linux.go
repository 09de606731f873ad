package gvisor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor/control"
)

// gvisorVersion is the release whose checkpoints can be read: gVisor promises
// nothing across releases. A test holds it equal to go.mod's.
const gvisorVersion = "v0.0.0-20260905035102-160fafc42237"

const (
	manifestFile   = "manifest.json"
	manifestFormat = 3
	maxManifest    = 1 << 20
	sumCacheSize   = 256
	maxSaveError   = 300
)

// stateFiles are gVisor's files of a checkpoint, small ones first.
var stateFiles = []string{"checkpoint.img", "pages_meta.img", "pages.img"}

// manifest says what a checkpoint is and what it fits.
type manifest struct {
	Format    int        `json:"format"`
	GVisor    string     `json:"gvisor"`
	Arch      string     `json:"arch"`
	Guest     string     `json:"guest"` // its files, see [sandbox.Spec.Files]
	Args      []string   `json:"args"`
	Disk      int64      `json:"disk"`
	OpenFiles int        `json:"open_files"`
	Seeded    bool       `json:"seeded,omitempty"`
	Files     []stateSum `json:"files"`
}

type stateSum struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	CRC32C uint32 `json:"crc32c"`
}

func damaged(dir, format string, args ...any) error {
	return fault.New(fault.Conflict, "Use another checkpoint: this one cannot be repaired.", "cannot restore sandbox: checkpoint %s is damaged: %w", dir, sandbox.Damaged{Err: fmt.Errorf(format, args...)})
}

// readManifest reads the manifest of the checkpoint in dir and compares sizes.
func readManifest(dir string) (*manifest, error) {
	f, err := os.Open(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "", "cannot restore sandbox: there is no checkpoint %s", dir)
		}
		return nil, damaged(dir, "it has no %s", manifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot restore sandbox: %w", err)
	}
	defer f.Close()
	b, err := bounded.Read(f, maxManifest)
	switch long := (*bounded.TooLong)(nil); {
	case errors.As(err, &long):
		return nil, damaged(dir, "%s: %w", manifestFile, err)
	case err != nil:
		return nil, fmt.Errorf("cannot restore sandbox: %w", err)
	}
	b, line, _ := bytes.Cut(b, []byte("\n"))
	if string(line) != fmt.Sprintf("%08x\n", crc32.Checksum(b, castagnoli())) {
		return nil, damaged(dir, "%s is not what was written", manifestFile)
	}
	m := &manifest{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, damaged(dir, "cannot read %s: %w", manifestFile, err)
	}
	if m.Format != manifestFormat {
		return nil, fault.New(fault.Conflict, "Make the checkpoint again with this version.", "cannot restore sandbox: checkpoint %s has format %d, not %d", dir, m.Format, manifestFormat)
	}
	if len(m.Files) != len(stateFiles) {
		return nil, damaged(dir, "%d files are listed, not %d", len(m.Files), len(stateFiles))
	}
	for i, s := range m.Files {
		if s.Name != stateFiles[i] {
			return nil, damaged(dir, "it lists %q instead of %s", s.Name, stateFiles[i])
		}
		fi, err := os.Lstat(filepath.Join(dir, s.Name))
		if err != nil || !fi.Mode().IsRegular() {
			return nil, damaged(dir, "it has no file %s", s.Name)
		}
		if fi.Size() != s.Size {
			return nil, damaged(dir, "%s has %d bytes, not %d", s.Name, fi.Size(), s.Size)
		}
	}
	return m, nil
}

// fits tells whether spec is one that the checkpoint can be restored with.
func (m *manifest) fits(spec sandbox.Spec) error {
	no := func(remedy, format string, args ...any) error {
		return fault.New(fault.Conflict, remedy, "cannot restore sandbox: "+format, args...)
	}
	switch {
	case m.GVisor != gvisorVersion || m.Arch != runtime.GOARCH:
		return no("Make the checkpoint again with this version.", "it was made by gVisor %s for %s, this is %s for %s", m.GVisor, m.Arch, gvisorVersion, runtime.GOARCH)
	case m.Guest != spec.Files():
		return no("Use the image and the mounts that the checkpoint was made with.", "it was made with %s, not %s", m.Guest, spec.Files())
	case !slices.Equal(m.Args, spec.Args):
		return no("Use the program that the checkpoint was made with.", "it runs %q, not %q", m.Args, spec.Args)
	case m.Disk != spec.Limits.Disk:
		return no("Use the disk limit that the checkpoint was made with.", "it was made with a disk limit of %s, not %s", size(m.Disk), size(spec.Limits.Disk))
	case m.OpenFiles != spec.Limits.OpenFiles:
		return no("Use the open file limit that the checkpoint was made with.", "it was made with a limit of %d open files, not %d", m.OpenFiles, spec.Limits.OpenFiles)
	case m.Seeded != spec.Seeded:
		return no("Make it again with this version.", "it was made by a version in which a seed meant something else, or as another kind of sandbox")
	}
	return nil
}

// Checkpoint implements [sandbox.Sandbox]. Once the guest stands still it
// cannot be hurried: when ctx ends during a checkpoint, the result is thrown
// away as soon as the guest goes on.
func (x *box) Checkpoint(ctx context.Context, dir string) (time.Duration, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, fmt.Errorf("cannot checkpoint sandbox: %w", err)
	}
	if _, err := os.Lstat(dir); err == nil {
		return 0, fault.New(fault.Conflict, "Choose a new folder.", "cannot checkpoint sandbox: %s exists", dir)
	}
	var n [8]byte
	if _, err := rand.Read(n[:]); err != nil {
		return 0, fmt.Errorf("cannot checkpoint sandbox: %w", err)
	}
	tmp := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+"."+hex.EncodeToString(n[:])+".tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return 0, saveError(err)
	}
	r, err := x.save(ctx, tmp)
	if err == nil {
		if err = ctx.Err(); err != nil {
			err = fault.New(fault.Canceled, "", "cannot checkpoint sandbox: %w", err)
		}
	}
	if err == nil {
		err = saveError(x.seal(tmp, dir))
	} else {
		err = saveError(err)
	}
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(tmp))
	}
	return time.Duration(r.TookNS), nil
}

// save lets the sentry write the guest's state into tmp. It may use every CPU
// for that, so that the guest, which stands still, goes on the sooner.
func (x *box) save(ctx context.Context, tmp string) (control.Reply, error) {
	x.freeCPU()
	r, err := x.order(ctx, control.Request{Op: control.Checkpoint, Dir: tmp}, "checkpoint")
	// The cgroup is gone when the guest has ended meanwhile.
	if limitErr := x.limitCPU(); err == nil && limitErr != nil && !errors.Is(limitErr, fs.ErrNotExist) {
		return r, limitErr
	}
	return r, err
}

// saveError turns a full disk, which the helper reports as text, into a fault.
func saveError(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	if full(err) {
		return fault.New(fault.Exhausted, "Free disk space and try again; the session goes on.", "cannot checkpoint sandbox: the disk is full")
	}
	if !strings.HasPrefix(err.Error(), "cannot checkpoint") {
		err = fmt.Errorf("cannot checkpoint sandbox: %w", err)
	}
	// gVisor's own texts can hold whole structures.
	if text := err.Error(); len(text) > maxSaveError {
		return errors.New(text[:maxSaveError] + " …")
	}
	return err
}

// full says whether an error is that of a full disk. A helper reports it as text.
func full(err error) bool { return strings.Contains(err.Error(), unix.ENOSPC.Error()) }

// seal sums the files that the sentry wrote to tmp and gives the folder its
// name. The guest runs meanwhile.
func (x *box) seal(tmp, dir string) error {
	l := x.spec.Limits
	m := manifest{
		Format: manifestFormat, GVisor: gvisorVersion, Arch: runtime.GOARCH,
		Guest: x.spec.Files(), Args: x.spec.Args,
		Disk: l.Disk, OpenFiles: l.OpenFiles, Seeded: x.spec.Seeded,
	}
	for _, name := range stateFiles {
		s, err := x.b.sums.take(filepath.Join(tmp, name), filepath.Join(dir, name))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, s)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// The last line is the sum of the first: nothing else vouches for the manifest.
	b = fmt.Appendf(b, "\n%08x\n", crc32.Checksum(b, castagnoli()))
	if err := os.WriteFile(filepath.Join(tmp, manifestFile), b, 0o600); err != nil {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, dir, unix.RENAME_NOREPLACE)
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, "Choose a new folder.", "cannot checkpoint sandbox: %s exists", dir)
	}
	return err
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// sum returns the CRC-32C and the size of what r holds.
func sum(r io.Reader) (uint32, int64, error) {
	h := crc32.New(castagnoli())
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{r}, make([]byte, 1<<20))
	return h.Sum32(), n, err
}

// sumCache remembers which checkpoint files were compared with their sums, so
// that a template is read once for many restores. A file counts as the same
// while its inode, size and times are.
type sumCache struct {
	mu   sync.Mutex
	seen map[string]string // by path
}

func newSumCache() *sumCache { return &sumCache{seen: make(map[string]string)} }

// take sums the file at path, which will be called name: a fork restores what
// was written a moment ago and need not read it twice.
func (c *sumCache) take(path, name string) (stateSum, error) {
	f, err := os.Open(path)
	if err != nil {
		return stateSum{}, err
	}
	defer f.Close()
	s := stateSum{Name: filepath.Base(path)}
	if s.CRC32C, s.Size, err = sum(f); err != nil {
		return s, err
	}
	id, err := fileID(f, s.CRC32C)
	if err == nil {
		c.know(name, id)
	}
	return s, err
}

// fileID tells one content of a file from another without reading it.
func fileID(f *os.File, crc uint32) (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return "", err
	}
	return fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim, crc), nil
}

func (c *sumCache) know(path, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= sumCacheSize {
		clear(c.seen)
	}
	c.seen[path] = id
}

// check compares every file of the checkpoint with the manifest, beside what
// else the caller does. The channel gets one answer.
func (c *sumCache) check(dir string, m *manifest) <-chan error {
	out := make(chan error, 1)
	go func() { // ends by itself: it reads three local files
		var err error
		for _, s := range m.Files {
			if err = c.checkFile(filepath.Join(dir, s.Name), s); err != nil {
				err = damaged(dir, "%w", err)
				break
			}
		}
		out <- err
	}()
	return out
}

func (c *sumCache) checkFile(path string, want stateSum) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	id, err := fileID(f, want.CRC32C)
	if err != nil {
		return err
	}
	c.mu.Lock()
	same := c.seen[path] == id
	c.mu.Unlock()
	if same {
		return nil
	}
	got, _, err := sum(f)
	if err != nil {
		return err
	}
	if got != want.CRC32C {
		return fmt.Errorf("%s is not what was written", want.Name)
	}
	c.know(path, id)
	return nil
}
