package journal

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Verify checks the journal of a run: every record, the chain of hashes, the
// signatures, the contents that records refer to, and whether the index knows
// more of it. It writes nothing. What is wrong is in the report; the error says
// why it could not be read.
func (j *Journal) Verify(ctx context.Context, id string) (Report, error) {
	r, err := j.verify(ctx, id)
	if err != nil {
		return Report{}, fmt.Errorf("cannot verify run %.40q: %w", id, err)
	}
	return r, nil
}

func (j *Journal) verify(ctx context.Context, id string) (Report, error) {
	c, err := j.checked(ctx, id)
	if err != nil {
		return Report{}, err
	}
	if err := j.compare(ctx, id, c); err != nil {
		return Report{}, err
	}
	return c.result(j.keys)
}

// checked checks the log of a run and the contents that it refers to.
func (j *Journal) checked(ctx context.Context, id string) (*checker, error) {
	if !validID(id) {
		return nil, noSuch(id)
	}
	c := newChecker(id)
	writing, err := j.writing(ctx, id)
	if err != nil {
		return nil, absent(id, err)
	}
	c.torn, c.report.Running = writing, writing
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return nil, absent(id, err)
	}
	defer src.Close()
	if err := c.checkFast(ctx, src); err != nil {
		return nil, err
	}
	if c.report.Finished {
		c.report.Running = false
	}
	if c.report.Damage == nil {
		err = c.blobs(ctx, j.Blob)
	}
	return c, err
}

// result completes the report.
func (c *checker) result(keys keyring) (Report, error) {
	known, err := keys.known()
	if err != nil {
		return Report{}, err
	}
	trusted := map[string]bool{}
	for _, k := range known {
		trusted[k.Public] = true
	}
	for i := range c.report.Keys {
		k := &c.report.Keys[i]
		k.After = c.before(k.Public)
		if k.Known = trusted[k.Public]; !k.Known {
			k.Through = through(k.After, trusted)
			k.Known = k.Through != ""
		}
	}
	if c.report.Damage == nil {
		c.report.Head = c.head
	}
	return c.report, nil
}

// before returns the keys whose statements lead to a key, the next one first.
func (c *checker) before(public string) []string {
	var out []string
	for range maxSuccession {
		i := slices.IndexFunc(c.chains, func(s Succession) bool { return s.To == public })
		if i < 0 {
			break
		}
		public = c.chains[i].From
		out = append(out, public)
	}
	return out
}

// through returns the trusted one of keys, or "".
func through(keys []string, trusted map[string]bool) string {
	for _, public := range keys {
		if !trusted[public] {
			continue
		}
		raw, err := parsePublic(public)
		if err != nil {
			return ""
		}
		return keyID(raw)
	}
	return ""
}

// blobs checks the contents that records refer to. The first record with one
// that is not as it should be is the damage.
func (c *checker) blobs(ctx context.Context, open opener) error {
	sums := make([]string, 0, len(c.refs))
	for sum := range c.refs {
		sums = append(sums, sum)
	}
	slices.SortFunc(sums, func(a, b string) int { return int(c.refs[a].seq - c.refs[b].seq) })
	buf := make([]byte, 256<<10)
	for _, sum := range sums {
		n, err := drain(ctx, open, sum, buf)
		switch kind := fault.KindOf(err); {
		case kind == fault.NotFound:
			return stopped(c.damaged(c.refs[sum], "content %s, to which it refers, is missing", sum))
		case kind == fault.Conflict, kind == fault.Invalid:
			return stopped(c.damaged(c.refs[sum], "content %s, to which it refers, was changed", sum))
		case err != nil:
			return err
		case c.sizes[sum] >= 0 && c.sizes[sum] != n:
			return stopped(c.damaged(c.refs[sum], "content %s has %d bytes, not the %d that it says", sum, n, c.sizes[sum]))
		}
	}
	return nil
}

// stopped is nil for a damage that was noted.
func stopped(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// drain reads a content to its end, so that it is checked.
func drain(ctx context.Context, open opener, sum string, buf []byte) (int64, error) {
	r, err := open(ctx, sum)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return io.CopyBuffer(struct{ io.Writer }{io.Discard}, until(ctx, r), buf)
}

// compare compares what stands there with what the index knows. An index that
// cannot be read, or that does not know the run, says nothing.
func (j *Journal) compare(ctx context.Context, id string, c *checker) error {
	if c.report.Damage != nil || c.report.Running { // one that goes on may have more by now
		return nil
	}
	d, err := j.cfg.Index.Get(ctx, runDoc, id)
	if err != nil {
		return context.Cause(ctx)
	}
	s, err := summaryOf(d)
	if err != nil {
		return nil
	}
	c.report.Indexed = true
	at := place{c.report.Records, c.report.Bytes}
	switch {
	case s.Records > c.report.Records:
		return stopped(c.damaged(at, "it ends here, and the index knows %d records: the end was cut off", s.Records))
	case s.Status != Running && s.Records < c.report.Records:
		at.seq = s.Records
		return stopped(c.damaged(at, "the index knows only %d records of the run, which had ended: %d were added", s.Records, c.report.Records-s.Records))
	case s.Records == c.report.Records && s.Head != c.head:
		at.seq--
		return stopped(c.damaged(at, "the index knows another record as the last one: this is not the journal that was written here"))
	}
	return nil
}

// VerifyFile checks a journal in a file: a bundle that Export wrote, or a bare
// journal, whose contents cannot be checked then. It writes nothing.
func (j *Journal) VerifyFile(ctx context.Context, path string) (Report, error) {
	r, err := j.verifyFile(ctx, path)
	if err != nil {
		return Report{}, fmt.Errorf("cannot verify file: %w", err)
	}
	return r, nil
}

// notOurs refuses a file that no export wrote: nothing of it is damaged.
func notOurs(path string) error {
	return fault.New(fault.Invalid, "Give the path of a .praxis or .jsonl file that was exported, or the id of a run.",
		"%s is neither a bundle nor a journal", safetext.Line(path))
}

// recorded says whether there is a bundle in a file, or in its beginning a record,
// however damaged: all have the name of their first field.
func recorded(f io.ReaderAt, size int64) bool {
	if _, err := zip.NewReader(f, size); err == nil {
		return true
	}
	head := make([]byte, maxLook)
	n, err := f.ReadAt(head, 0)
	return err != nil && !errors.Is(err, io.EOF) || bytes.Contains(head[:n], []byte(`"seq":`))
}

// maxLook is how much of a file is read to see what it is.
const maxLook = 1 << 20

func (j *Journal) verifyFile(ctx context.Context, path string) (Report, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return Report{}, fault.New(fault.NotFound, "Give the path of a .praxis or .jsonl file.", "there is no file %s", path)
	}
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Report{}, err
	}
	if !info.Mode().IsRegular() {
		return Report{}, fault.New(fault.Invalid, "Give the path of a .praxis or .jsonl file.", "%s is not a file", path)
	}
	magic := make([]byte, 2)
	if _, err := f.ReadAt(magic, 0); err == nil && string(magic) == "PK" {
		b, err := openBundle(f, info.Size())
		if err != nil {
			return bundleReport(err)
		}
		c, err := b.checkTree(ctx)
		if err != nil {
			return bundleReport(err)
		}
		return c.result(j.keys)
	}
	if info.Size() > 0 && !recorded(f, info.Size()) {
		return Report{}, notOurs(path)
	}
	c := newChecker("")
	if err := c.checkFast(ctx, f); err != nil {
		return Report{}, err
	}
	c.report.Unchecked = len(c.refs)
	return c.result(j.keys)
}
