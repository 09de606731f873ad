package journal

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
)

// Names and bounds of a bundle.
const (
	manifestName = "manifest.json"
	logName      = "journal.jsonl"
	blobFolder   = "blobs/"
	childFolder  = "children/" // of bundles, one for each child
	bundleExt    = ".praxis"

	bundleVersion = 1
	treeVersion   = 2 // of a bundle with children
	maxNesting    = 32
	maxEntries    = 100_000
	maxManifest   = 32 << 20
	maxUnpacked   = 16 << 30
	// maxTexts is how much the records of a bundle may come to: many can refer to
	// one long content, and who reads a run has all of it in memory.
	maxTexts = 2 << 30
	// maxRatio is what deflate can reach: what is more counts bytes twice.
	maxRatio = 1032
)

// manifest is what a bundle says that it holds.
type manifest struct {
	Praxis  string         `json:"praxis"` // "run"
	Version int            `json:"version"`
	Run     string         `json:"run"`
	Records int64          `json:"records"`
	Bytes   int64          `json:"bytes"`
	Head    string         `json:"head"`
	Blobs   []manifestBlob `json:"blobs"` // sorted
	// Children are the runs that it began, sorted: each is a bundle of its own in this one.
	Children []string `json:"children,omitempty"`
}

type manifestBlob struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Export writes a run as one self-contained file: its journal and what that
// refers to, as a zip whose bytes depend on nothing else. A journal that is
// damaged or still written is not exported.
func (j *Journal) Export(ctx context.Context, id string, w io.Writer) error {
	if err := j.export(ctx, id, w); err != nil {
		return fmt.Errorf("cannot export run %.40q: %w", id, err)
	}
	return nil
}

func (j *Journal) export(ctx context.Context, id string, w io.Writer) error {
	c, err := j.checked(ctx, id)
	if err == nil {
		err = j.compare(ctx, id, c)
	}
	switch {
	case err != nil:
		return err
	case c.report.Damage != nil:
		return c.report.Damage
	case c.report.Running:
		return fault.Coded(fault.RunUnfinished, fault.Data{"run": id}, "it is still being written")
	}
	m := manifest{Praxis: "run", Version: bundleVersion, Run: id, Records: c.report.Records, Bytes: c.report.Bytes, Head: c.head}
	for _, sum := range slices.Sorted(maps.Keys(c.refs)) {
		size := c.sizes[sum]
		if size < 0 {
			if size, err = drain(ctx, j.Blob, sum, make([]byte, 256<<10)); err != nil {
				return err
			}
		}
		m.Blobs = append(m.Blobs, manifestBlob{sum, size})
	}
	if m.Children, err = j.exported(ctx, id); err != nil {
		return err
	}
	if len(m.Children) > 0 {
		m.Version = treeVersion
	}
	data, err := event.Encode(m)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	if err := addEntry(z, manifestName, bytes.NewReader(data), int64(len(data))); err != nil {
		return err
	}
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := addEntry(z, logName, until(ctx, src), m.Bytes); err != nil {
		return err
	}
	for _, b := range m.Blobs {
		if err := j.addBlob(ctx, z, b); err != nil {
			return err
		}
	}
	for _, child := range m.Children {
		// Not packed once more, so that it can be read where it stands.
		to, err := z.CreateHeader(&zip.FileHeader{Name: childFolder + child + bundleExt, Method: zip.Store})
		if err == nil {
			err = j.Export(ctx, child, to)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

func (j *Journal) addBlob(ctx context.Context, z *zip.Writer, b manifestBlob) error {
	r, err := j.Blob(ctx, b.SHA256)
	if err != nil {
		return err
	}
	defer r.Close()
	return addEntry(z, blobFolder+b.SHA256, until(ctx, r), b.Bytes)
}

// addEntry adds what r holds, which has size bytes.
func addEntry(z *zip.Writer, name string, r io.Reader, size int64) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	n, err := io.Copy(w, r)
	if err == nil && n != size {
		err = fmt.Errorf("%s has %d bytes, not %d: it is being changed", name, n, size)
	}
	return err
}

// bundle is a zip that claims to hold a run.
type bundle struct {
	manifest manifest
	log      *zip.File
	blobs    map[string]*zip.File
	children []*bundle // sorted by their runs
	most     int64     // bytes that its records may come to with their texts
}

// refused says that a file is no bundle, or one that lies.
func refused(format string, args ...any) error {
	return fault.New(fault.Invalid, "Have the run exported again.", "it is no bundle that Praxis wrote: "+format, args...)
}

// bundleReport makes of what is wrong with a bundle a report.
func bundleReport(err error) (Report, error) {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Invalid {
		return Report{Damage: &Damage{Problem: f.Message}}, nil
	}
	return Report{}, err
}

// openBundle looks at the names and sizes of what is in a bundle, and in those of the
// children in it.
func openBundle(r io.ReaderAt, size int64) (*bundle, error) {
	left := &space{bundles: maxTree, bytes: maxUnpacked}
	return left.open(r, size, 0)
}

// space is what the bundles of a tree may come to together.
type space struct {
	bundles int
	bytes   uint64
}

func (left *space) open(r io.ReaderAt, size int64, depth int) (*bundle, error) {
	if left.bundles--; left.bundles < 0 || depth > maxNesting {
		return nil, refused("it holds too many children")
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, refused("%w", err)
	}
	if len(z.File) > maxEntries {
		return nil, refused("it has %d entries, more than %d", len(z.File), maxEntries)
	}
	b := &bundle{blobs: map[string]*zip.File{}, most: maxTexts}
	var about *zip.File
	total, seen := uint64(0), map[string]bool{}
	children := map[string]*zip.File{}
	for _, f := range z.File {
		if seen[f.Name] {
			return nil, refused("%.80q is in it twice", f.Name)
		}
		seen[f.Name] = true
		if f.Mode().Type() != 0 || f.Flags&1 != 0 || f.Method != zip.Deflate && f.Method != zip.Store {
			return nil, refused("%.80q is no plain file", f.Name)
		}
		total += min(f.UncompressedSize64, maxUnpacked+1)
		if total > maxUnpacked {
			return nil, refused("it would become larger than %d bytes", int64(maxUnpacked))
		}
		sum, isBlob := strings.CutPrefix(f.Name, blobFolder)
		child, isChild := strings.CutPrefix(strings.TrimSuffix(f.Name, bundleExt), childFolder)
		switch {
		case isChild && validID(child) && f.Name == childFolder+child+bundleExt:
			children[child] = f
		case f.Name == manifestName:
			about = f
		case f.Name == logName:
			b.log = f
		case isBlob && validSum(sum):
			b.blobs[sum] = f
		default:
			return nil, refused("%.80q does not belong into one", f.Name)
		}
	}
	switch {
	case about == nil || b.log == nil:
		return nil, refused("%s or %s is missing", manifestName, logName)
	case total > maxRatio*uint64(size):
		return nil, refused("%d bytes cannot come from %d", total, size)
	case z.Comment != "":
		return nil, refused("it has a comment")
	}
	if total > left.bytes {
		return nil, refused("it would become larger than %d bytes", int64(maxUnpacked))
	}
	left.bytes -= total
	if err := beginsWith(r, z.File); err != nil {
		return nil, err
	}
	if err := b.readManifest(about); err != nil {
		return nil, err
	}
	return b, left.openChildren(b, r, size, children, depth)
}

// openChildren opens the bundles of the children, which must be those that the manifest names.
func (left *space) openChildren(b *bundle, r io.ReaderAt, size int64, files map[string]*zip.File, depth int) error {
	names := b.manifest.Children
	if !slices.Equal(slices.Sorted(maps.Keys(files)), names) && len(files)+len(names) > 0 || (len(names) > 0) != (b.manifest.Version == treeVersion) {
		return refused("its children are not those that the manifest says")
	}
	for _, id := range names {
		f := files[id]
		at, err := f.DataOffset()
		if err != nil || f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 || at < 0 || f.UncompressedSize64 > uint64(size-at) {
			return refused("child %.40s is not stored as it must be", id)
		}
		child, err := left.open(io.NewSectionReader(r, at, int64(f.UncompressedSize64)), int64(f.UncompressedSize64), depth+1)
		if err != nil {
			return err
		}
		if child.manifest.Run != id {
			return refused("child %.40s is another run", id)
		}
		b.children = append(b.children, child)
	}
	return nil
}

// tree returns the bundle and those of its children, each before its own.
func (b *bundle) tree() []*bundle {
	out := []*bundle{b}
	for _, c := range b.children {
		out = append(out, c.tree()...)
	}
	return out
}

// checkTree checks all that is in the bundle and in those of its children. The report is
// that of the run; it has the damage of a child, and the keys of all.
func (b *bundle) checkTree(ctx context.Context) (*checker, error) {
	whole, err := b.check(ctx)
	if err != nil || whole.report.Damage != nil {
		return whole, err
	}
	for _, x := range b.tree()[1:] {
		c, err := x.check(ctx)
		if err != nil {
			return whole, err
		}
		if whole.report.Damage = c.report.Damage; whole.report.Damage != nil {
			return whole, nil
		}
		for _, k := range c.report.Keys {
			if !slices.ContainsFunc(whole.report.Keys, func(known KeyReport) bool { return known.Public == k.Public }) {
				whole.report.Keys = append(whole.report.Keys, k)
			}
		}
		whole.report.Finished = whole.report.Finished && c.report.Finished
	}
	return whole, nil
}

// beginsWith refuses a file in which something stands before the first entry:
// programs that read zips skip it, and others would run or show it.
func beginsWith(r io.ReaderAt, entries []*zip.File) error {
	const header = 30 // bytes of an entry's header; the lengths of name and extra are its last four
	head := make([]byte, header)
	if _, err := r.ReadAt(head, 0); err != nil {
		return refused("%w", err)
	}
	content := int64(header) + int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
	for _, f := range entries {
		at, err := f.DataOffset()
		if err != nil {
			return refused("%w", err)
		}
		if at == content && string(head[:4]) == "PK\x03\x04" {
			return nil
		}
	}
	return refused("something stands before its first entry")
}

// readManifest reads what the bundle says, and compares it with the entries.
func (b *bundle) readManifest(f *zip.File) error {
	if f.UncompressedSize64 > maxManifest {
		return refused("its manifest has %d bytes", f.UncompressedSize64)
	}
	data, err := readEntry(f)
	if err != nil {
		return err
	}
	var version struct{ Version int }
	if json.Unmarshal(data, &version) == nil && version.Version > treeVersion {
		return fault.New(fault.Invalid, "Use a newer version of Praxis.", "it is a bundle of version %d, and this program knows none above %d", version.Version, treeVersion)
	}
	m := &b.manifest
	if err := strict(data, m); err != nil {
		return refused("its manifest is none: %w", err)
	}
	if m.Praxis != "run" || m.Version != bundleVersion && m.Version != treeVersion || !validID(m.Run) || !validSum(m.Head) {
		return refused("its manifest says what cannot be")
	}
	if uint64(m.Bytes) != b.log.UncompressedSize64 {
		return refused("its journal does not have the %d bytes that the manifest says", m.Bytes)
	}
	if len(m.Blobs) != len(b.blobs) {
		return refused("it has %d contents, not the %d that the manifest says", len(b.blobs), len(m.Blobs))
	}
	for i, blob := range m.Blobs {
		f := b.blobs[blob.SHA256]
		if f == nil || f.UncompressedSize64 != uint64(blob.Bytes) || i > 0 && m.Blobs[i-1].SHA256 >= blob.SHA256 {
			return refused("content %.64s is not what the manifest says", blob.SHA256)
		}
	}
	return nil
}

// readEntry reads a small entry.
func readEntry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, refused("%w", err)
	}
	data, err := bounded.ReadClose(r, maxManifest)
	if err != nil {
		return nil, refused("%s: %w", f.Name, err)
	}
	return data, nil
}

// entry reads an entry and checks it on the way.
type entry struct {
	r    io.ReadCloser
	name string
	left int64
	hash hash.Hash // nil: it has no sum
	sum  string
}

// open opens a content of the bundle.
func (b *bundle) open(_ context.Context, sum string) (io.ReadCloser, error) {
	f := b.blobs[sum]
	if f == nil {
		return nil, fault.New(fault.NotFound, "", "content %.64s is not in the bundle", sum)
	}
	r, err := f.Open()
	if err != nil {
		return nil, refused("%w", err)
	}
	return &entry{r: r, name: f.Name, left: int64(f.UncompressedSize64), hash: sha256.New(), sum: sum}, nil
}

// openLog opens the journal of the bundle.
func (b *bundle) openLog() (io.ReadCloser, error) {
	r, err := b.log.Open()
	if err != nil {
		return nil, refused("%w", err)
	}
	return &entry{r: r, name: logName, left: int64(b.log.UncompressedSize64)}, nil
}

// Read never returns more than the entry's size. Whatever is wrong with the
// packing is a lie of the bundle.
func (e *entry) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.left -= int64(n); e.left < 0 {
		return 0, refused("%s is longer than it says", e.name)
	}
	if e.hash != nil {
		e.hash.Write(p[:n])
	}
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return 0, refused("%s: %w", e.name, err)
	case e.hash != nil && hex.EncodeToString(e.hash.Sum(nil)) != e.sum:
		return 0, fault.New(fault.Conflict, "", "content %s is not what its name says", e.sum)
	}
	return n, io.EOF
}

func (e *entry) Close() error { return e.r.Close() }

// check checks all that is in the bundle.
func (b *bundle) check(ctx context.Context) (*checker, error) {
	src, err := b.openLog()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	c := newChecker(b.manifest.Run)
	if err := c.checkFast(ctx, src); err != nil || c.report.Damage != nil {
		return c, err
	}
	if err := c.blobs(ctx, b.open); err != nil || c.report.Damage != nil {
		return c, err
	}
	at := place{c.report.Records, c.report.Bytes}
	switch m := b.manifest; {
	case c.report.Records != m.Records || c.head != m.Head:
		return c, stopped(c.damaged(at, "the manifest knows %d records, and another last one: the end was cut off, or is another", m.Records))
	case len(c.refs) != len(b.blobs):
		return c, refused("it has contents that no record refers to")
	}
	return c, nil
}

// decodes reads every record of the bundle as those who use it will.
func (b *bundle) decodes(ctx context.Context) (Summary, string, error) {
	src, err := b.openLog()
	if err != nil {
		return Summary{}, "", err
	}
	defer src.Close()
	z := newSummarizer(b.manifest.Run)
	c := newChecker(b.manifest.Run)
	c.most = b.most
	if err := c.events(ctx, src, b.open, func(r event.Record) bool { z.add(r); return true }); err != nil {
		return Summary{}, "", err
	}
	s := z.summary(c.report.Records, c.report.Bytes, c.head)
	if s.Status == Running || !c.report.Finished {
		s.Status = Unfinished
	}
	s.Imported = true
	began, ok := idTime(s.ID)
	// The name is made before the first record is: the second may be another.
	if late := s.Began.Sub(began); s.Kind == "" || !ok || late < 0 || late > time.Minute {
		return Summary{}, "", refused("its run does not begin as its name says")
	}
	return s, z.text(), nil
}
