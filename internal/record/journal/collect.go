package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"praxis/fault"
)

// unusedFor is how long ago a content must have been stored to be removed: a run
// that is being written may be about to refer to a younger one.
const unusedFor = time.Hour

// Collect says what is to be removed.
type Collect struct {
	// OlderThan is how long ago a run must have begun to be removed; 0: none is.
	OlderThan time.Duration
	// Keep says which of the old runs stay; nil: none.
	Keep func(Summary) bool
	// Others calls yield with the names of contents that something else than a
	// journal refers to; nil: nothing else does.
	Others func(ctx context.Context, yield func(sum string)) error
	// DryRun removes nothing and only says what would be.
	DryRun bool
}

// Collected says what was removed, or would be.
type Collected struct {
	Runs           []string `json:"runs"`
	Blobs          int      `json:"blobs"`
	Bytes          int64    `json:"bytes"`     // of journals and contents
	Remaining      int      `json:"remaining"` // contents that are referred to, or young
	RemainingBytes int64    `json:"remaining_bytes"`
	DryRun         bool     `json:"dry_run"`
}

// Collect gives runs an end whose process did not, removes old runs, if that is asked
// for, and then the contents that no journal refers to. A content whose name stands anywhere in a journal stays,
// also when that journal is damaged.
func (j *Journal) Collect(ctx context.Context, what Collect) (Collected, error) {
	out, err := j.collect(ctx, what)
	if err != nil {
		return out, fmt.Errorf("cannot collect what is not needed: %w", err)
	}
	return out, nil
}

func (j *Journal) collect(ctx context.Context, what Collect) (Collected, error) {
	out := Collected{DryRun: what.DryRun}
	gone := map[string]bool{}
	if !what.DryRun {
		if err := j.sweepAll(ctx); err != nil {
			return out, err
		}
	}
	if what.OlderThan > 0 {
		if err := j.collectRuns(ctx, what, gone, &out); err != nil {
			return out, err
		}
	}
	// What is stored, or stored again, from here on is younger than since.
	since := time.Now().Add(-unusedFor)
	unused, err := j.candidates(ctx, since, &out)
	if err != nil {
		return out, err
	}
	if err := j.keepUsed(ctx, gone, unused); err != nil {
		return out, err
	}
	if what.Others != nil {
		if err := what.Others(ctx, func(sum string) { delete(unused, sum) }); err != nil {
			return out, err
		}
	}
	for sum, size := range unused {
		removed := true
		if !what.DryRun {
			if removed, err = j.cfg.Blobs.RemoveUnused(ctx, sum, since); err != nil {
				return out, err
			}
		}
		if removed {
			out.Blobs++
			out.Bytes += size
			out.Remaining--
			out.RemainingBytes -= size
		}
	}
	return out, nil
}

// candidates returns the contents that are old enough, with their sizes, and
// counts all of them as remaining.
func (j *Journal) candidates(ctx context.Context, since time.Time, out *Collected) (map[string]int64, error) {
	old := map[string]int64{}
	for blob, err := range j.cfg.Blobs.All(ctx) {
		if err != nil {
			return nil, err
		}
		out.Remaining++
		out.RemainingBytes += blob.Bytes
		if !blob.Stored.After(since) {
			old[blob.SHA256] = blob.Bytes
		}
	}
	return old, nil
}

// collectRuns removes old runs that nobody writes.
func (j *Journal) collectRuns(ctx context.Context, what Collect, gone map[string]bool, out *Collected) error {
	q := Query{Until: j.now().Add(-what.OlderThan), Limit: maxPage}
	for {
		runs, err := j.Runs(ctx, q)
		if err != nil {
			return err
		}
		for _, s := range runs {
			if s.Status == Running || gone[s.ID] || what.Keep != nil && what.Keep(s) || s.Caller != nil && j.there(ctx, s.Caller.Run) {
				continue // a child goes with its caller
			}
			children, err := j.Children(ctx, s.ID)
			if err != nil {
				return err
			}
			if !what.DryRun {
				_, _, err := j.removeTree(ctx, s.ID)
				if fault.KindOf(err) == fault.Conflict {
					if writing, _ := j.writing(ctx, s.ID); writing {
						continue // it goes on after all
					}
				}
				if err != nil {
					return err
				}
			}
			for _, s := range append(children, s) {
				gone[s.ID] = true
				out.Runs = append(out.Runs, s.ID)
				out.Bytes += s.Bytes
			}
		}
		if len(runs) < q.Limit {
			return nil
		}
		q.Before = &runs[len(runs)-1]
	}
}

// Remove removes a run with its children, and the chain of runs says who did. Of one whose journal is
// gone already it takes note there, so that it is not missed for ever: lost. What the
// run alone refers to is for Collect to remove.
func (j *Journal) Remove(ctx context.Context, id string) (lost bool, err error) {
	if _, lost, err = j.removeTree(ctx, id); err != nil {
		return false, fmt.Errorf("cannot remove run %.40q: %w", id, err)
	}
	return lost, nil
}

func (j *Journal) remove(ctx context.Context, id string) (lost bool, err error) {
	if !validID(id) {
		return false, noSuch(id)
	}
	if writing, err := j.writing(ctx, id); writing {
		return false, fault.New(fault.Conflict, "Wait until it has ended.", "it is still being written")
	} else if fault.KindOf(err) == fault.NotFound {
		if missed, err := j.missed(ctx, id); err != nil || !missed {
			return false, errors.Join(err, noSuch(id))
		}
		lost = true
	}
	key, err := j.keys.signer()
	if err != nil {
		return false, err
	}
	// First the chain says that it is removed: else it would be missed after a crash.
	if err := j.linkNow(ctx, key, map[bool]string{false: linkRemoved, true: linkLost}[lost], id, ""); err != nil {
		return false, err
	}
	if err := j.cfg.Logs.Remove(ctx, id); err != nil && fault.KindOf(err) != fault.NotFound {
		return false, errors.Join(err, j.linkNow(context.WithoutCancel(ctx), key, linkBegan, id, ""))
	}
	j.unmark(id)
	if err := j.cfg.Index.Delete(ctx, runDoc, id); err != nil {
		return false, err
	}
	return lost, j.cfg.Index.Delete(ctx, openDoc, id)
}

// missed says whether a run without a log is missed: the index knows it, or the chain
// does not say what became of it.
func (j *Journal) missed(ctx context.Context, id string) (bool, error) {
	if _, err := j.cfg.Index.Get(ctx, runDoc, id); fault.KindOf(err) != fault.NotFound {
		return err == nil, err
	}
	runs, _, err := j.readChain(ctx, &ChainReport{}, nil)
	l, known := runs[id]
	return known && l.Kind != linkRemoved && l.Kind != linkLost, err
}

// keepUsed takes those contents out of unused whose names stand in a journal.
func (j *Journal) keepUsed(ctx context.Context, gone map[string]bool, unused map[string]int64) error {
	for id, err := range j.cfg.Logs.Names(ctx) {
		if err == nil && !gone[id] && len(unused) > 0 {
			err = j.keepUsedBy(ctx, id, unused)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}

// keepUsedBy looks for names as text: also where the journal is damaged.
func (j *Journal) keepUsedBy(ctx context.Context, id string, unused map[string]int64) error {
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return err
	}
	defer src.Close()
	in := bufio.NewReaderSize(until(ctx, src), 256<<10)
	var first, last [sumLength]byte // of the digits that stand in a row
	for n := 0; ; {
		c, err := in.ReadByte()
		if err == nil && isHex(c) {
			if n < sumLength {
				first[n] = c
			}
			last[n%sumLength] = c
			n++
			continue
		}
		if n >= sumLength {
			delete(unused, string(first[:]))
			at := n % sumLength
			delete(unused, string(last[at:])+string(last[:at]))
		}
		if n = 0; err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
