package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"praxis/fault"
	"praxis/internal/store"
)

// importBatch is how many bytes of lines are written at once.
const importBatch = 1 << 20

// Import takes in a run that Export wrote, with its children. All of it is checked before
// anything is written, and the run comes last, so that it is there only with all of them. A run that is here already is left as it is: the same one is no
// error, another one of that name is a Conflict. Errors say why; what was to be
// imported is its caller's to name.
func (j *Journal) Import(ctx context.Context, r io.ReaderAt, size int64) (Summary, error) {
	b, err := openBundle(r, size)
	if err != nil {
		return Summary{}, err
	}
	c, err := b.checkTree(ctx)
	if err != nil {
		return Summary{}, err
	}
	if c.report.Damage != nil {
		return Summary{}, c.report.Damage
	}
	if err := j.catchUp(ctx); err != nil {
		return Summary{}, err
	}
	var s Summary
	for _, x := range b.tree() {
		if _, _, err := x.decodes(ctx); err != nil {
			return Summary{}, err
		}
	}
	for _, x := range slices.Backward(b.tree()) {
		if s, err = j.importOne(ctx, x); err != nil {
			return Summary{}, err
		}
	}
	return s, nil
}

func (j *Journal) importOne(ctx context.Context, b *bundle) (Summary, error) {
	s, text, err := b.decodes(ctx)
	if err != nil {
		return Summary{}, err
	}
	same, err := j.here(ctx, b)
	if err != nil {
		return Summary{}, err
	}
	if same {
		if known, indexed, err := j.known(ctx, s.ID); err == nil && indexed {
			return known, nil
		}
		return s, j.put(ctx, s, text)
	}
	for _, blob := range b.manifest.Blobs {
		if err := j.takeBlob(ctx, b, blob); err != nil {
			return Summary{}, err
		}
	}
	key, err := j.keys.signer()
	if err == nil {
		err = j.linkNow(ctx, key, linkImported, s.ID, b.manifest.Head)
	}
	if err != nil {
		return Summary{}, err
	}
	if err := j.takeLog(ctx, b); err != nil {
		return Summary{}, errors.Join(err, j.linkNow(context.WithoutCancel(ctx), key, linkRemoved, s.ID, ""))
	}
	return s, j.put(ctx, s, text)
}

// here says whether the whole run is here already. One that is not, and has the
// same name, is a Conflict, unless it is the beginning of it that a broken
// import left.
func (j *Journal) here(ctx context.Context, b *bundle) (bool, error) {
	id := b.manifest.Run
	old, err := j.cfg.Logs.Read(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer old.Close()
	return j.sameStart(ctx, b, old)
}

// sameStart compares what is here with what is in the bundle.
func (j *Journal) sameStart(ctx context.Context, b *bundle, old io.Reader) (whole bool, err error) {
	id := b.manifest.Run
	src, err := b.openLog()
	if err != nil {
		return false, err
	}
	defer src.Close()
	other := fault.Coded(fault.RunExists, fault.Data{"run": id}, "another run %s is here already", id)
	here, there := make([]byte, 64<<10), make([]byte, 64<<10)
	for size := int64(0); ; {
		n, errHere := io.ReadFull(old, here)
		if errHere != nil && !errors.Is(errHere, io.EOF) && !errors.Is(errHere, io.ErrUnexpectedEOF) {
			return false, errHere
		}
		if m, err := io.ReadFull(src, there[:n]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return false, err
		} else if !bytes.Equal(here[:n], there[:m]) {
			return false, other
		}
		if size += int64(n); errHere == nil {
			continue
		}
		if size == b.manifest.Bytes {
			return true, nil
		}
		// A run of our own that has no end yet is no broken import.
		if _, err := j.cfg.Index.Get(ctx, runDoc, id); fault.KindOf(err) != fault.NotFound {
			return false, errors.Join(other, err)
		}
		return false, nil
	}
}

// takeBlob stores a content of the bundle.
func (j *Journal) takeBlob(ctx context.Context, b *bundle, want manifestBlob) error {
	r, err := b.open(ctx, want.SHA256)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := j.cfg.Blobs.Put(ctx, r)
	if err == nil && got.SHA256 != want.SHA256 {
		err = refused("content %s is not what its name says", want.SHA256)
	}
	return err
}

// takeLog writes the journal of the bundle, or what is missing of it.
func (j *Journal) takeLog(ctx context.Context, b *bundle) (err error) {
	id := b.manifest.Run
	log, err := j.cfg.Logs.Create(ctx, id)
	skip := int64(0)
	if fault.KindOf(err) == fault.Conflict {
		log, skip, err = j.goOn(ctx, b)
	}
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, log.Close())
		if err != nil {
			// What is not whole is not left: nothing else knows of it.
			err = errors.Join(err, j.cfg.Logs.Remove(context.WithoutCancel(ctx), id))
		}
	}()
	src, err := b.openLog()
	if err != nil {
		return err
	}
	defer src.Close()
	head, err := appendLines(ctx, log, src, skip)
	if err != nil {
		return err
	}
	if head != b.manifest.Head {
		return refused("it is being changed")
	}
	return log.Sync()
}

// goOn opens the log that a broken import left, and says how much of it there is.
func (j *Journal) goOn(ctx context.Context, b *bundle) (store.Log, int64, error) {
	log, _, err := j.cfg.Logs.Reopen(ctx, b.manifest.Run)
	if err != nil {
		return nil, 0, err
	}
	old, err := j.cfg.Logs.Read(ctx, b.manifest.Run)
	if err != nil {
		return nil, 0, errors.Join(err, log.Close())
	}
	defer old.Close()
	var size counter
	if _, err := j.sameStart(ctx, b, io.TeeReader(old, &size)); err != nil {
		return nil, 0, errors.Join(err, log.Close())
	}
	return log, int64(size), nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// appendLines appends the lines of src that begin at skip or later, and returns
// the hash of the last one.
func appendLines(ctx context.Context, log store.Log, src io.Reader, skip int64) (head string, err error) {
	var batch [][]byte
	size := 0
	flush := func() error {
		defer func() { batch, size = nil, 0 }()
		if len(batch) == 0 {
			return nil
		}
		return log.Append(batch...)
	}
	for in := newLines(src); ; {
		b, off, whole, err := in.next()
		if errors.Is(err, io.EOF) {
			return head, flush()
		}
		if err == nil && !whole {
			err = refused("it is being changed")
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return "", err
		}
		head = hashLine(b)
		if off < skip {
			continue
		}
		batch = append(batch, append(bytes.Clone(b), '\n'))
		if size += len(b) + 1; size >= importBatch {
			if err := flush(); err != nil {
				return "", err
			}
		}
	}
}
