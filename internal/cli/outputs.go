package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"praxis/internal/config"
	"praxis/internal/event"
	"praxis/internal/fault"
)

// Bounds on what is taken out of a session at once. The names, the number and
// the contents are the guest's: hostile.
const (
	maxSaved      = 1000
	maxSavedBytes = 4 << 30
	maxDepth      = 16
	maxName       = 200 // bytes of one part of a path, below the 255 of file systems
)

// savedFile is a file that was copied out of a session.
type savedFile struct {
	Path  string `json:"path"` // on this machine
	Bytes int64  `json:"bytes"`
}

// outFolder is the folder of --out. Files appear in it whole, under a name that
// is not one of the person's input files, and no symbolic link in it is followed.
type outFolder struct {
	dir    string
	root   *os.Root
	taken  map[string]bool // names given out by this command
	guard  []input         // never overwritten
	saved  []savedFile
	left   int64
	unique bool // never take the place of a file that is there already
}

// checkOut says early that a folder cannot be used. An empty name is none.
func checkOut(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // made when there is something to save
	case err != nil:
		return fault.New(fault.Invalid, "Name another folder after --out.", "cannot use folder %s: %w", cleanLine(dir), cause(err))
	case !info.IsDir():
		return fault.New(fault.Invalid, "Name another folder after --out.", "cannot use folder %s: it is a file", cleanLine(dir))
	}
	return nil
}

// cause takes the path out of an error that is told with its path anyway.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// openOut makes the folder and opens it.
func openOut(dir string, guard []input) (*outFolder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fault.New(fault.Invalid, "Name a folder after --out that you may write to.", "cannot make folder %s: %w", cleanLine(dir), cause(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Name a folder after --out that you may write to.", "cannot open folder %s: %w", cleanLine(dir), cause(err))
	}
	return &outFolder{dir: dir, root: root, taken: map[string]bool{}, guard: guard, left: maxSavedBytes}, nil
}

// Close closes the folder.
func (o *outFolder) Close() error { return o.root.Close() }

// save writes one file whole: what fill writes goes under another name first.
func (o *outFolder) save(name string, fill func(io.Writer) error) error {
	if len(o.saved) >= maxSaved {
		return fault.New(fault.Exhausted, "Pack them into one archive in the code.", "cannot save %s: more than %d files", cleanLine(name), maxSaved)
	}
	name, err := o.place(name)
	if err != nil {
		return o.failed(name, err)
	}
	tmp := path.Join(path.Dir(name), ".praxis-"+strconv.Itoa(os.Getpid())+".tmp")
	f, err := o.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	if errors.Is(err, fs.ErrExist) {
		// Left by a dead process of the same id.
		if err = o.root.Remove(tmp); err == nil {
			f, err = o.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
		}
	}
	if err != nil {
		return o.failed(name, err)
	}
	w := &bounded{w: f, left: o.left}
	err = fill(w)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = o.root.Rename(tmp, name)
	}
	if err != nil {
		// The first error is the one that matters.
		_ = o.root.Remove(tmp)
		return o.failed(name, err)
	}
	o.left -= w.n
	o.saved = append(o.saved, savedFile{Path: filepath.Join(o.dir, name), Bytes: w.n})
	return nil
}

func (o *outFolder) failed(name string, err error) error {
	where := cleanLine(filepath.Join(o.dir, name))
	switch {
	case errors.Is(err, errTooMuch):
		return fault.New(fault.Exhausted, "Save less at once.", "cannot save %s: more than %s were saved", where, config.FormatSize(maxSavedBytes))
	case errors.Is(err, syscall.ENOSPC):
		return fault.New(fault.Exhausted, "Make room on the disk and run it again.", "cannot save %s: the disk is full", where)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Invalid, "Name a folder after --out that you may write to.", "cannot save %s: permission denied", where)
	}
	return fmt.Errorf("cannot save %s: %w", where, cause(err))
}

// place turns a guest's name into one that may be used in the folder, and makes
// the folders above it.
func (o *outFolder) place(name string) (string, error) {
	name = safeName(name)
	stem, ext := name, path.Ext(name)
	stem = strings.TrimSuffix(stem, ext)
	for n := 2; ; n++ {
		if !o.inUse(name) {
			break
		}
		name = stem + "-" + strconv.Itoa(n) + ext
	}
	o.taken[name] = true
	dir := ""
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		dir = path.Join(dir, part)
		info, err := o.root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = o.root.Mkdir(dir, 0o755)
		case err == nil && !info.IsDir():
			err = fault.New(fault.Conflict, "Name another folder after --out.", "%s is in the way", filepath.Join(o.dir, dir))
		}
		if err != nil {
			return name, err
		}
	}
	return name, nil
}

// inUse says whether a name must not be given out.
func (o *outFolder) inUse(name string) bool {
	if o.taken[name] || o.guarded(name) {
		return true
	}
	if !o.unique {
		return false
	}
	_, err := o.root.Lstat(name)
	return err == nil
}

// guarded says whether the name is one of the person's own input files.
func (o *outFolder) guarded(name string) bool {
	info, err := o.root.Stat(name)
	return err == nil && slices.ContainsFunc(o.guard, func(in input) bool { return os.SameFile(in.info, info) })
}

// safeName makes a relative path of harmless parts: no control characters, no
// parts that mean a folder, and no leading dot, so that a guest cannot write
// the settings of a program (.bashrc, .git) or of a shell (-rf).
func safeName(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." {
			continue
		}
		part = strings.Map(func(r rune) rune {
			if r < 0x20 || (r >= 0x7f && r < 0xa0) || r == 0xfffd || r == '\\' || r == ':' {
				return '_'
			}
			return r
		}, strings.ToValidUTF8(part, "_"))
		part = cleanLine(part)
		if part[0] == '.' || part[0] == '-' {
			part = "_" + part[1:]
		}
		if len(part) > maxName {
			ext := path.Ext(part)
			if len(ext) > 20 {
				ext = ""
			}
			part = strings.ToValidUTF8(part[:maxName-len(ext)], "") + ext
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "unnamed"
	}
	if len(parts) > maxDepth {
		parts = append(parts[:maxDepth-1:maxDepth-1], parts[len(parts)-1])
	}
	return path.Join(parts...)
}

// errTooMuch is what a bounded writer answers when its bound is reached.
var errTooMuch = errors.New("too much data")

// bounded counts and bounds what is written.
type bounded struct {
	w       io.Writer
	n, left int64
}

// Write passes p on while the bound allows it.
func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left-b.n {
		return 0, errTooMuch
	}
	n, err := b.w.Write(p)
	b.n += int64(n)
	return n, err
}

// picture is an image that the code displayed.
type picture struct {
	ext  string
	data []byte
}

// pictures returns the images of an execution in the order in which they were
// displayed, the value of the last expression at the end.
func pictures(x event.Execution) []picture {
	var out []picture
	for _, b := range append(slices.Clone(x.Displays), x.Result) {
		if p, ok := pictureOf(b); ok {
			out = append(out, p)
		}
	}
	return out
}

// pictureOf returns the best picture of a bundle: one value is one file.
func pictureOf(b event.Bundle) (picture, bool) {
	for _, kind := range [...]struct{ mime, ext string }{{"image/png", ".png"}, {"image/jpeg", ".jpg"}} {
		if text, ok := b[kind.mime]; ok {
			data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
			if err == nil && len(data) > 0 {
				return picture{kind.ext, data}, true
			}
		}
	}
	if svg := b["image/svg+xml"]; svg != "" {
		return picture{".svg", []byte(svg)}, true
	}
	return picture{}, false
}

// savePictures saves pictures as figure-1.png and so on.
func (o *outFolder) savePictures(pics []picture) error {
	n := 0
	for _, p := range pics {
		name := ""
		for n++; ; n++ {
			if name = "figure-" + strconv.Itoa(n) + p.ext; !o.inUse(name) {
				break
			}
		}
		err := o.save(name, func(w io.Writer) error {
			_, err := w.Write(p.data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listing remembers what was in the working folder.
type listing map[string]guestFile

// listWork lists the regular files of the working folder. Symbolic links are
// left out: what they lead to is not a file that the code wrote here.
func listWork(ctx context.Context, w workspace) (listing, error) {
	files, err := w.list(ctx, workDir)
	if err != nil {
		return nil, fmt.Errorf("cannot list the session's files: %w", err)
	}
	out := listing{}
	for _, f := range files {
		rel, inside := strings.CutPrefix(f.path, workDir+"/")
		if f.regular && inside && rel != "" && !isCache(rel) {
			out[rel] = f
		}
	}
	return out, nil
}

// isCache says whether a file is bytecode that the interpreter left.
func isCache(rel string) bool {
	return strings.HasSuffix(rel, ".pyc") || strings.Contains("/"+rel, "/__pycache__/")
}

// since returns the names of the files that are new or were changed, sorted.
func (l listing) since(before listing) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		old, was := before[name]
		if now := l[name]; !was || old.size != now.size || !old.changed.Equal(now.changed) {
			out = append(out, name)
		}
	}
	return out
}

// saveFiles copies files of the working folder.
func (o *outFolder) saveFiles(ctx context.Context, w workspace, names []string) error {
	for _, name := range names {
		err := o.save(name, func(to io.Writer) error { return w.get(ctx, path.Join(workDir, name), to) })
		if fault.KindOf(err) == fault.NotFound {
			continue // the code goes on in the background and removed it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collector takes what an execution, or a run of several, leaves behind.
type collector struct {
	dir    string // "" saves nothing and only counts
	inputs []input
	before listing
}

// collected says what was found and saved.
type collected struct {
	files    int // files that were written or changed
	pictures int
	saved    []savedFile
}

// begin remembers how the working folder looks before the code runs.
func (c *collector) begin(ctx context.Context, w workspace) error {
	before, err := listWork(ctx, w)
	c.before = before
	return err
}

// end saves what is new. A session that is gone has nothing to save but the
// pictures, which are here already.
func (c *collector) end(ctx context.Context, w workspace, pics []picture, gone bool) (collected, error) {
	var names []string
	if !gone {
		after, err := listWork(ctx, w)
		if err != nil {
			return collected{}, err
		}
		names = after.since(c.before)
	}
	out := collected{files: len(names), pictures: len(pics)}
	if c.dir == "" || out.files+out.pictures == 0 {
		return out, nil
	}
	o, err := openOut(c.dir, c.inputs)
	if err != nil {
		return out, err
	}
	err = o.saveFiles(ctx, w, names)
	err = errors.Join(err, o.savePictures(pics))
	out.saved = o.saved
	return out, errors.Join(err, o.Close())
}

// hint says how to get what was made and not saved, or "".
func (c collected) hint() string {
	var parts []string
	for _, k := range [...]struct {
		n    int
		what string
	}{{c.pictures, "picture"}, {c.files, "file"}} {
		switch {
		case k.n == 1:
			parts = append(parts, "1 "+k.what)
		case k.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", k.n, k.what))
		}
	}
	if len(parts) == 0 || len(c.saved) > 0 {
		return ""
	}
	return "the code made " + strings.Join(parts, " and ") + ": add --out DIR to save them"
}

// outTime bounds how long saving goes on after the command was cancelled.
const outTime = 10 * time.Second
