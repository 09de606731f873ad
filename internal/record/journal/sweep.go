package journal

import (
	"context"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/store"
)

const (
	// sweepRuns and sweepBytes bound what a run that begins does for others: how
	// many runs it ends, and how much it reads of them before it begins another.
	sweepRuns  = 16
	sweepBytes = 64 << 20
	// sweepLook is how many runs without an end are checked.
	sweepLook = 1000
)

// sweep gives runs an end whose process did not, at most so many, and begins none
// after it has read sweepBytes. It returns how many it ended. Whatever it cannot do,
// the next one tries: the run that begins must not wait for it, or fail.
func (j *Journal) sweep(ctx context.Context, key signer, most int) (ended int) {
	docs, err := j.cfg.Index.Find(ctx, store.Query{Kind: openDoc, Limit: sweepLook})
	if err != nil {
		return 0
	}
	done, read := 0, int64(0)
	for _, d := range docs {
		if writing, err := j.writing(ctx, d.ID); ctx.Err() != nil || writing || err != nil && fault.KindOf(err) != fault.NotFound {
			continue
		}
		if done++; done > most || read > sweepBytes {
			break
		}
		c := newChecker(d.ID)
		if j.abandon(ctx, d.ID, key, c) == nil {
			ended++
		}
		read += c.report.Bytes
	}
	return ended
}

// sweepAll gives every run an end whose process did not, as far as it can.
func (j *Journal) sweepAll(ctx context.Context) error {
	_ = j.catchUp(ctx) // what it could not list has its end the next time
	docs, err := j.cfg.Index.Find(ctx, store.Query{Kind: openDoc, Limit: 1})
	if err != nil || len(docs) == 0 {
		return context.Cause(ctx)
	}
	key, err := j.keys.signer()
	if err != nil {
		return err
	}
	for j.sweep(ctx, key, sweepLook) > 0 {
	}
	return context.Cause(ctx)
}

// abandon ends a run that nobody writes any more. c reads it.
func (j *Journal) abandon(ctx context.Context, id string, key signer, c *checker) error {
	log, torn, err := j.cfg.Logs.Reopen(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return j.lost(ctx, id)
	}
	if err != nil {
		return err
	}
	defer log.Close()
	z := newSummarizer(id)
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return err
	}
	defer src.Close()
	err = c.events(ctx, src, j.Blob, func(r event.Record) bool { z.add(r); return true })
	switch damage := damageOf(err); {
	case damage != nil:
		// Nothing is written behind what is not as it was.
		return j.markUnfinished(ctx, id, z.summary(c.report.Records, c.report.Bytes, c.head), "its "+strings.TrimPrefix(damage.Error(), "the "))
	case err != nil:
		return err
	case c.report.Finished: // and only the index does not know it
		return j.put(ctx, z.summary(c.report.Records, c.report.Bytes, c.head), z.text())
	case c.ended:
		return j.markUnfinished(ctx, id, z.summary(c.report.Records, c.report.Bytes, c.head), "its last checkpoint is missing")
	}
	return j.close(ctx, id, log, key, c, z, torn)
}

// close writes the end of an abandoned run.
func (j *Journal) close(ctx context.Context, id string, log store.Log, key signer, c *checker, z *summarizer, torn int64) error {
	before, err := j.cfg.Index.Get(ctx, runDoc, id)
	row := Summary{}
	if err == nil {
		row, err = summaryOf(before)
	}
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	if row.Records > c.report.Records {
		return j.markUnfinished(ctx, id, row, fmt.Sprintf("its journal has %d records, and had %d", c.report.Records, row.Records))
	}
	reason := row.Reason
	if reason == "" {
		reason = "the process that executed it ended first"
	}
	if torn > 0 {
		reason += fmt.Sprintf("; %d bytes of a torn record were cut off", torn)
	}
	s := z.summary(0, 0, "")
	end := event.RunEnded{Status: event.Abandoned, Reason: reason, Steps: s.Steps, Tokens: s.Tokens, Took: s.Took}
	r := newRecorder(j, id, log, key, nil, event.Discard)
	r.seq, r.head, r.size, r.sum = c.report.Records, c.head, c.report.Bytes, z
	now := j.now()
	again, err := event.Encode(resumed{Events: event.Version, Key: key.Public, Succession: j.keys.succession(key.Key), Cut: torn})
	if err != nil {
		return err
	}
	data, err := event.Marshal(end)
	if err != nil {
		return err
	}
	// Its process may have ended before the chain named it.
	if err := j.linkNow(ctx, key, linkBegan, id, ""); err != nil {
		return err
	}
	lines := [][]byte{r.chain(now, resumedKind, again), r.chain(now, event.Name(end), data), r.checkpoint(now)}
	if err := log.Append(lines...); err != nil {
		return err
	}
	if err := log.Sync(); err != nil {
		return err
	}
	if err := j.linkNow(ctx, key, linkEnded, id, r.head); err != nil {
		return err
	}
	z.add(event.Record{Seq: r.seq - 2, Time: now, Event: end})
	return j.put(ctx, z.summary(r.seq, r.size, r.head), z.text())
}

// lost notes that a run's journal is gone.
func (j *Journal) lost(ctx context.Context, id string) error {
	d, err := j.cfg.Index.Get(ctx, runDoc, id)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return j.cfg.Index.Delete(ctx, openDoc, id)
		}
		return err
	}
	s, err := summaryOf(d)
	if err != nil {
		return err
	}
	return j.markUnfinished(ctx, id, s, "its journal is gone")
}

// markUnfinished notes that a run stays without an end, and why.
func (j *Journal) markUnfinished(ctx context.Context, id string, s Summary, why string) error {
	d, err := j.cfg.Index.Get(ctx, runDoc, id)
	if err == nil {
		if row, err := summaryOf(d); err == nil && row.Records > s.Records {
			s = row // what is known of it is not forgotten
		}
	} else if fault.KindOf(err) != fault.NotFound {
		return err
	}
	s.Status, s.Reason = Unfinished, safetext.Clip(why, maxReason)
	return j.put(ctx, s, d.Text+"\n"+s.Question)
}
