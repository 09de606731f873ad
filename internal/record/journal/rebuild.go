package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/store"
)

// Rebuilt says what Rebuild did.
type Rebuilt struct {
	Runs    int      `json:"runs"`    // rows that were written
	Removed int      `json:"removed"` // rows whose journal is gone
	Damaged []string `json:"damaged"` // runs that could not be read to their end
}

// Rebuild makes the index of runs anew from the journals. A row that knows of
// more records than there are is left as it is, since it shows that some are
// missing.
func (j *Journal) Rebuild(ctx context.Context) (Rebuilt, error) {
	r, err := j.rebuild(ctx)
	if err != nil {
		return r, fmt.Errorf("cannot build the index of runs again: %w", err)
	}
	return r, nil
}

func (j *Journal) rebuild(ctx context.Context) (Rebuilt, error) {
	var out Rebuilt
	there := map[string]bool{}
	ours, err := j.begunHere(ctx)
	if err != nil {
		return out, err
	}
	for id, err := range j.cfg.Logs.Names(ctx) {
		if err != nil {
			return out, err
		}
		if !validID(id) {
			continue
		}
		there[id] = true
		if err := j.reindex(ctx, id, ours[id], &out); err != nil {
			return out, err
		}
	}
	for _, kind := range []string{runDoc, openDoc} {
		gone, err := j.goneRows(ctx, kind, there)
		if err != nil {
			return out, err
		}
		for _, id := range gone {
			if j.there(ctx, id) {
				continue // it began meanwhile
			}
			if err := j.cfg.Index.Delete(ctx, kind, id); err != nil {
				return out, err
			}
			if kind == runDoc {
				out.Removed++
			}
		}
	}
	return out, nil
}

// begunHere returns the runs that the chain says were begun here and did not end. One
// that is not whole says nothing.
func (j *Journal) begunHere(ctx context.Context) (map[string]bool, error) {
	var rep ChainReport
	runs, _, err := j.readChain(ctx, &rep, nil)
	if err != nil || len(rep.Problems) > 0 {
		return nil, err
	}
	ours := map[string]bool{}
	for id, l := range runs {
		ours[id] = l.Kind == linkBegan
	}
	return ours, nil
}

// reindex writes the row of one run. ours says that it is known to have been made
// here.
func (j *Journal) reindex(ctx context.Context, id string, ours bool, out *Rebuilt) error {
	s, text, err := j.summarize(ctx, id)
	damage := damageOf(err)
	switch {
	case damage != nil:
		out.Damaged = append(out.Damaged, id)
		s.Status, s.Reason = Unfinished, safetext.Clip(damage.Error(), maxReason)
	case fault.KindOf(err) == fault.NotFound:
		return nil // it was removed meanwhile
	case err != nil:
		return err
	}
	if s.Kind == "" {
		return nil // there is nothing to be listed
	}
	d, err := j.cfg.Index.Get(ctx, runDoc, id)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	if row, failed := summaryOf(d); err == nil && failed == nil {
		s.Imported = row.Imported
		if row.Records > s.Records {
			if damage == nil && s.Status != Running { // else it went on meanwhile
				out.Damaged = append(out.Damaged, id)
			}
			return nil
		}
	}
	s.Imported = s.Imported && !ours
	if s.Status == Unfinished && damage == nil && !s.Imported {
		s.Status = Running // so that it is given an end
	}
	out.Runs++
	return j.put(ctx, s, text)
}

// goneRows returns the rows without a journal.
func (j *Journal) goneRows(ctx context.Context, kind string, there map[string]bool) ([]string, error) {
	var gone []string
	var before *store.Doc
	for {
		docs, err := j.cfg.Index.Find(ctx, store.Query{Kind: kind, Before: before, Limit: maxPage})
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			if !there[d.ID] {
				gone = append(gone, d.ID)
			}
		}
		if len(docs) < maxPage {
			return gone, nil
		}
		before = &docs[len(docs)-1]
	}
}

// runsOfLogs is Runs without an index, for when it cannot be read, or lacks runs and
// cannot be written.
func (j *Journal) runsOfLogs(ctx context.Context, q Query) ([]Summary, error) {
	var out []Summary
	first := q.first()
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(q.Words, `"`, " ")))
	var ids []string
	for id, err := range j.cfg.Logs.Names(ctx) {
		if err != nil {
			return nil, err
		}
		if validID(id) {
			ids = append(ids, id)
		}
	}
	ours, err := j.begunHere(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Backward(ids) {
		s, text, err := j.summarize(ctx, id)
		if err != nil && damageOf(err) == nil {
			return nil, err
		}
		s.Imported = s.Imported && !ours[id]
		after := first == nil || order(s) < first.Order || order(s) == first.Order && s.ID < first.ID
		if s.Kind != "" && after && q.fits(s, strings.ToLower(text), words) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Summary) int {
		if order(a) != order(b) {
			return int(min(max(order(b)-order(a), -1), 1))
		}
		return strings.Compare(b.ID, a.ID)
	})
	return out[:min(len(out), q.Limit)], nil
}

// fits compares a run as the index would.
func (q Query) fits(s Summary, text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, strings.TrimSuffix(w, "*")) {
			return false
		}
	}
	return !(q.NoChildren && s.Caller != nil) && (q.Kind == "" || q.Kind == s.Kind) && (q.Thread == "" || q.Thread == s.Thread) &&
		(q.Status == "" || q.Status == s.Status) && !s.Began.Before(q.Since) &&
		strings.Contains(strings.ToLower(s.Model), strings.ToLower(q.Model))
}
