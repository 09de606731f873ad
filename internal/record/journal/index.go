package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

// The kinds of documents in the index. One of openDoc stands beside that of
// runDoc as long as the run has no end, so that such are found at once.
const (
	runDoc  = "run"
	openDoc = "run_open"
)

// maxPage is how many runs are asked for at once.
const maxPage = 10_000

// Query says which runs are wanted. What is empty does not matter.
type Query struct {
	Since, Until time.Time // began at or after, and before
	Model        string    // a part of its name
	Status       event.RunStatus
	Kind         event.Kind
	Thread       string
	Words        string   // in question, code or answer, as store.Query has them
	NoChildren   bool     // without runs that are parts of others
	Before       *Summary // the last one of the page before
	Limit        int      // 0: 100
}

// put writes the row of a run.
func (j *Journal) put(ctx context.Context, s Summary, text string) error {
	doc, err := document(s, text)
	if err != nil {
		return err
	}
	if s.Status == Running {
		return j.cfg.Index.Put(ctx, doc, store.Doc{Kind: openDoc, ID: s.ID, Order: doc.Order})
	}
	return j.cfg.Index.Put(ctx, doc, store.Doc{Kind: openDoc, ID: s.ID, Gone: true})
}

// document makes the row of a run.
func document(s Summary, text string) (store.Doc, error) {
	body, err := json.Marshal(s)
	return store.Doc{
		Kind: runDoc, ID: s.ID, Order: order(s), Version: s.Records, Text: text, Body: body,
		Fields: map[string]any{
			"kind": string(s.Kind), "model": s.Model, "status": string(indexed(s.Status)), "thread": s.Thread, "began": s.Began.Unix(),
		},
	}, err
}

// order is what runs are sorted by: when they began, within the second that
// their name says, so that runs are found by the beginning of it.
func order(s Summary) int64 {
	t, ok := idTime(s.ID)
	if !ok || s.Began.Truncate(time.Second).Equal(t) {
		return s.Began.UnixNano()
	}
	return t.UnixNano()
}

func summaryOf(d store.Doc) (Summary, error) {
	var s Summary
	if err := json.Unmarshal(d.Body, &s); err != nil {
		return Summary{}, fault.Coded(fault.IndexDamaged, fault.Data{"run": d.ID}, "cannot read the index's row of run %.40q: %w", d.ID, err)
	}
	return s, nil
}

// Runs returns the runs that q asks for, the newest first.
func (j *Journal) Runs(ctx context.Context, q Query) ([]Summary, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	err := j.catchUp(ctx)
	var out []Summary
	if err == nil {
		out, err = j.runsOfIndex(ctx, q)
	}
	if useless(ctx, err) {
		out, err = j.runsOfLogs(ctx, q)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list runs: %w", err)
	}
	return out, nil
}

func (j *Journal) runsOfIndex(ctx context.Context, q Query) (out []Summary, err error) {
	before := q.first()
	for {
		docs, err := j.cfg.Index.Find(ctx, store.Query{Kind: runDoc, Where: q.where(), Words: q.Words, Before: before, Limit: min(q.Limit, maxPage)})
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			s, err := j.row(ctx, d)
			if err != nil {
				return nil, err
			}
			if !q.Since.IsZero() && s.Began.Before(q.Since) || q.Status != "" && s.Status != q.Status || q.NoChildren && s.Caller != nil {
				continue
			}
			if out = append(out, s); len(out) == q.Limit {
				return out, nil
			}
		}
		if len(docs) < min(q.Limit, maxPage) {
			return out, nil
		}
		before = &docs[len(docs)-1]
	}
}

// where returns what the index compares. The index counts began in seconds.
func (q Query) where() []store.Condition {
	var out []store.Condition
	equal := func(field, value string) {
		if value != "" {
			out = append(out, store.Condition{Field: field, Op: store.Equal, Value: value})
		}
	}
	equal("kind", string(q.Kind))
	equal("thread", q.Thread)
	equal("status", string(indexed(q.Status)))
	if q.Model != "" {
		out = append(out, store.Condition{Field: "model", Op: store.Contains, Value: q.Model})
	}
	if !q.Since.IsZero() {
		out = append(out, store.Condition{Field: "began", Op: store.AtLeast, Value: q.Since.Unix()})
	}
	return out
}

// indexed is the status as the index compares it. The index does not
// know which runs without an end are running.
func indexed(o event.RunStatus) event.RunStatus {
	if o == Unfinished {
		return Running
	}
	return o
}

// first returns what the first page comes after.
func (q Query) first() *store.Doc {
	var before *store.Doc
	if !q.Until.IsZero() {
		before = &store.Doc{Order: q.Until.UnixNano()}
	}
	if q.Before != nil && (before == nil || order(*q.Before) < before.Order) {
		before = &store.Doc{Order: order(*q.Before), ID: q.Before.ID}
	}
	return before
}

// row makes a summary of a document. Whether a run without an end is running is
// asked of its log.
func (j *Journal) row(ctx context.Context, d store.Doc) (Summary, error) {
	s, err := summaryOf(d)
	if err != nil || s.Status != Running {
		return s, err
	}
	writing, err := j.writing(ctx, s.ID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return s, err
	}
	if !writing {
		s.Status = Unfinished
	}
	return s, nil
}

// writing says whether a process writes the log of a run.
func (j *Journal) writing(ctx context.Context, id string) (bool, error) {
	w, ok := j.cfg.Logs.(store.Watcher)
	if !ok {
		return false, nil
	}
	return w.Writing(ctx, id)
}

// Summary returns what the index knows of a run; of one that it does not know,
// what its journal says.
func (j *Journal) Summary(ctx context.Context, id string) (Summary, error) {
	_ = j.catchUp(ctx) // what it could not write is read from the log
	s, _, err := j.known(ctx, id)
	if err != nil {
		return Summary{}, fmt.Errorf("cannot look up run %.40q: %w", id, err)
	}
	return s, nil
}

// known is Summary; indexed says whether the index knows the run.
func (j *Journal) known(ctx context.Context, id string) (s Summary, indexed bool, err error) {
	if !validID(id) {
		return Summary{}, false, noSuch(id)
	}
	d, err := j.cfg.Index.Get(ctx, runDoc, id)
	switch {
	case err == nil:
		s, err = j.row(ctx, d)
		return s, err == nil, err
	case fault.KindOf(err) != fault.NotFound && !useless(ctx, err):
		return Summary{}, false, err
	}
	s, _, err = j.summarize(ctx, id)
	if damageOf(err) != nil && s.Kind != "" {
		err = nil // what its whole records say
	}
	return s, false, err
}

func noSuch(ref string) error {
	return fault.Coded(fault.RunMissing, fault.Data{"run": ref}, "there is no run %.80q", ref)
}

// Find returns the id of the run that ref names: its id, the beginning of it
// when no other begins so, "last", or "last~N" for the Nth before the last; and behind
// any of them ".N" for its child with that number. Children do not count for "last".
func (j *Journal) Find(ctx context.Context, ref string) (string, error) {
	id, err := j.find(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("cannot find the run: %w", err)
	}
	return id, nil
}

func (j *Journal) find(ctx context.Context, ref string) (string, error) {
	if run, path, ok := childRef(ref); ok {
		id, err := j.find(ctx, run)
		for i := 0; i < len(path) && err == nil; i++ {
			id, err = j.findChild(ctx, id, path[i])
		}
		return id, err
	}
	if back, ok := strings.CutPrefix(ref, "last"); ok {
		return j.findLast(ctx, ref, back)
	}
	if validID(ref) {
		_, _, err := j.known(ctx, ref)
		if err != nil && fault.KindOf(err) != fault.NotFound && j.there(ctx, ref) {
			err = nil // what is wrong with the index is for others to say
		}
		return ref, err
	}
	from, to, ok := prefixTimes(ref)
	if !ok {
		return "", noSuch(ref)
	}
	var fits []string
	q := Query{Since: from, Until: to, Limit: maxPage}
	for len(fits) < 3 {
		runs, err := j.Runs(ctx, q)
		if err != nil {
			return "", err
		}
		for _, s := range runs {
			if strings.HasPrefix(s.ID, ref) {
				fits = append(fits, s.ID)
			}
		}
		if len(runs) < q.Limit {
			break
		}
		q.Before = &runs[len(runs)-1]
	}
	switch len(fits) {
	case 0:
		return "", noSuch(ref)
	case 1:
		return fits[0], nil
	}
	return "", fault.Coded(fault.RunAmbiguous, fault.Data{"run": ref}, "%q may be %s or %s", ref, fits[0], fits[1])
}

// there says whether a run has a journal.
func (j *Journal) there(ctx context.Context, id string) bool {
	src, err := j.cfg.Logs.Read(ctx, id)
	return err == nil && src.Close() == nil
}

func (j *Journal) findLast(ctx context.Context, ref, back string) (string, error) {
	n := 0
	if back != "" {
		var err error
		if n, err = strconv.Atoi(strings.TrimPrefix(back, "~")); err != nil || back[0] != '~' || n < 0 || n >= maxPage {
			return "", fault.New(fault.Invalid, "Give an id, the beginning of one, last, last~N, or one of them with .N for a child.", "%.40q names no run", ref)
		}
	}
	runs, err := j.Runs(ctx, Query{Limit: n + 1, NoChildren: true})
	if err != nil {
		return "", err
	}
	if len(runs) <= n {
		return "", fault.Coded(fault.RunMissing, fault.Data{"run": ref}, "there are only %d runs", len(runs))
	}
	return runs[n].ID, nil
}

// prefixTimes returns between which times runs began whose id begins with ref.
func prefixTimes(ref string) (from, to time.Time, ok bool) {
	if len(ref) > len(idLayout)+5 {
		return from, to, false
	}
	for _, unit := range []struct {
		length int
		next   func(time.Time) time.Time
	}{
		{15, func(t time.Time) time.Time { return t.Add(time.Second) }},
		{13, func(t time.Time) time.Time { return t.Add(time.Minute) }},
		{11, func(t time.Time) time.Time { return t.Add(time.Hour) }},
		{8, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
		{6, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
		{4, func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
	} {
		if len(ref) < unit.length {
			continue
		}
		from, err := time.Parse(idLayout[:unit.length], ref[:unit.length])
		return from, unit.next(from), err == nil && from.Year() > 1970 && from.Year() < 2262
	}
	return from, to, false
}
