package journal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"praxis/fault"
	"praxis/internal/store"
)

// The index repeats what logs say, so that no run waits for it or fails by it: a
// run whose row could not be written has a mark, an empty file of its name in a
// folder beside the logs. Whoever lists or finds runs next writes the row and
// removes the mark. A run is marked before its first row is written, so that it is
// listed also when its process was killed at that moment.
const (
	unlistedFolder = "unlisted"
	// everyRun is the mark that says that the index was empty, and there were logs.
	everyRun = "all"
)

func (j *Journal) markPath(name string) string {
	return filepath.Join(j.cfg.Dir, unlistedFolder, name)
}

// mark notes that the row of a run is missing, or old.
func (j *Journal) mark(name string) error {
	f, err := os.OpenFile(j.markPath(name), os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(j.markPath(name)), 0o700); err == nil {
			f, err = os.OpenFile(j.markPath(name), os.O_WRONLY|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// unmark notes that the row of a run is as it should be. A mark that stays costs
// the next one who lists a look at the log.
func (j *Journal) unmark(name string) { _ = os.Remove(j.markPath(name)) }

// marked returns the marks that there are.
func (j *Journal) marked() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(j.cfg.Dir, unlistedFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.Name() == everyRun {
			return []string{everyRun}, nil
		}
		if validID(e.Name()) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// catchUp writes the rows that are missing, so that what the index lists is all
// that there is.
func (j *Journal) catchUp(ctx context.Context) error {
	j.filling.Lock()
	defer j.filling.Unlock()
	names, err := j.marked()
	if err != nil {
		return err
	}
	if lost, err := j.lostIndex(ctx); err != nil {
		return err
	} else if lost || len(names) > 0 && names[0] == everyRun {
		return j.fillIndex(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, j.patience)
	defer cancel()
	for _, id := range names {
		writing, err := j.writing(ctx, id)
		if err == nil {
			err = j.reindex(ctx, id, true, &Rebuilt{})
		}
		if err == nil && !writing {
			err = j.dropEmpty(ctx, id)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		if !writing { // whoever writes it still marks it again, or takes the mark away
			j.unmark(id)
		}
	}
	return nil
}

// dropEmpty removes the log of a run that was killed before its first record. One that
// the index or the chain knows had records, and stays for a check to find.
func (j *Journal) dropEmpty(ctx context.Context, id string) error {
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return err
	}
	_, err = io.ReadFull(src, make([]byte, 1))
	if closed := src.Close(); !errors.Is(err, io.EOF) || closed != nil {
		return errors.Join(err, closed)
	}
	if _, err := j.cfg.Index.Get(ctx, runDoc, id); fault.KindOf(err) != fault.NotFound {
		return err
	}
	runs, _, err := j.readChain(ctx, &ChainReport{}, nil)
	if _, known := runs[id]; known || err != nil {
		return err
	}
	if err := j.cfg.Logs.Remove(ctx, id); fault.KindOf(err) != fault.Conflict {
		return err
	}
	return nil // somebody opened it meanwhile
}

// lostIndex says whether the index is empty while there are logs: it was lost, or
// is new.
func (j *Journal) lostIndex(ctx context.Context) (bool, error) {
	if j.filled {
		return false, nil
	}
	docs, err := j.cfg.Index.Find(ctx, store.Query{Kind: runDoc, Limit: 1})
	if err != nil {
		return false, err
	}
	if len(docs) == 0 {
		for _, err := range j.cfg.Logs.Names(ctx) {
			return err == nil, err
		}
	}
	j.filled = true
	return false, nil
}

// fillIndex makes all rows. Until it has them all there is a mark that says so.
func (j *Journal) fillIndex(ctx context.Context) error {
	marked := j.mark(everyRun)
	if _, err := j.rebuild(ctx); err != nil {
		return err
	}
	if marked == nil {
		j.unmark(everyRun)
	}
	j.filled = true
	return nil
}

// beforeRun does for the index what is to be done before a run begins, in a short
// time: one that was lost is marked, and runs of dead processes get their end.
func (j *Journal) beforeRun(ctx context.Context, key signer) {
	ctx, cancel := context.WithTimeout(ctx, j.patience)
	defer cancel()
	if !j.filling.TryLock() {
		return // somebody in this process is at it
	}
	lost, err := j.lostIndex(ctx)
	if err == nil && lost && j.mark(everyRun) == nil {
		j.filled = true // but for those that are marked
	}
	j.filling.Unlock()
	if err == nil {
		j.sweep(ctx, key, sweepRuns)
	}
}

// enlist writes the row of a run, in a short time, or marks it. The error says that
// neither was possible.
func (j *Journal) enlist(ctx context.Context, s Summary, text string) error {
	limited, cancel := context.WithTimeout(ctx, j.patience)
	defer cancel()
	err := j.put(limited, s, text)
	if err == nil {
		j.unmark(s.ID)
		return nil
	}
	if markErr := j.mark(s.ID); markErr != nil {
		return errors.Join(err, markErr)
	}
	return nil
}

// useless says whether the index is of no use for the time being, so that the logs
// themselves are read. One that is damaged is not: its reader is to know.
func useless(ctx context.Context, err error) bool {
	kind := fault.KindOf(err)
	return err != nil && ctx.Err() == nil && kind != fault.Conflict && kind != fault.Invalid
}
