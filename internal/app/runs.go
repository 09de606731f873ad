package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/record/journal"
	"praxis/internal/record/price"
	"praxis/internal/record/report"
	"praxis/internal/safetext"
)

// Types that describe runs and what they cost.
type (
	Run        = journal.Summary
	PriceTable = price.Table
	Costs      = price.Costs
	CostLine   = price.Line
)

// The titles of what a question without an answer came to.
const (
	DraftTitle = report.DraftTitle
	FoundTitle = report.FoundTitle
)

// RunQuery says which runs are listed. Every condition in it must be met.
type RunQuery struct {
	Model  string          // the model's name has this in it
	Status event.RunStatus // one of RunStatuses
	Kind   event.Kind
	Thread string
	Words  string    // that question, code or answer have
	Since  time.Time // zero: from the first
	Until  time.Time // before; zero: to the last
	MinUSD *float64  // that a run cost at least
	Limit  int       // how many are listed at the most; 0: all
	// Children lists runs that are parts of others, too.
	Children bool
}

func (q RunQuery) journal() journal.Query {
	return journal.Query{Model: q.Model, Status: q.Status, Kind: q.Kind, Thread: q.Thread, Words: q.Words, Since: q.Since, Until: q.Until, NoChildren: !q.Children}
}

// ListedRun is a run in a list.
type ListedRun struct {
	Run
	USD *float64 `json:"usd,omitempty"` // what it cost by the price table; left out when the price is not known
}

// RunStatuses are those that a run can have, as a list shows them.
func RunStatuses() []string {
	out := []string{string(event.Answered), string(event.Unverified), string(event.Unanswered), string(event.Failed), string(event.Abandoned), "running", "unfinished",
		string(event.Refused), string(event.Waiting), string(event.Limited), string(event.Stopped)}
	for s := event.OK; s <= event.Crashed; s++ {
		out = append(out, s.String())
	}
	return out
}

// check says what is wrong with a query.
func (q RunQuery) check() error {
	if all := RunStatuses(); q.Status != "" && !slices.Contains(all, string(q.Status)) {
		return fault.New(fault.Invalid, "Write one of "+strings.Join(all, ", ")+".", "cannot list runs: there is no status %q", safetext.Line(string(q.Status)))
	}
	switch q.Kind {
	case "", event.Ask, event.Code, event.Plan, event.ToolCall:
	default:
		return fault.New(fault.Invalid, "Write ask, code, plan or tool.", "cannot list runs: there is no kind %q", safetext.Line(string(q.Kind)))
	}
	if q.Limit < 0 {
		return fault.New(fault.Invalid, "Write a number from 0, which is all.", "cannot list %d runs", q.Limit)
	}
	return nil
}

// Runs lists runs, the newest first, and says whether there are more than it
// lists. Without prices, runs have no cost.
func (a *App) Runs(ctx context.Context, q RunQuery, prices PriceTable) (runs []ListedRun, more bool, err error) {
	if err := q.check(); err != nil {
		return nil, false, err
	}
	jq := q.journal()
	if q.Limit > 0 && q.MinUSD == nil {
		jq.Limit = q.Limit + 1
	}
	for s, err := range a.eachRun(ctx, jq) {
		if err != nil {
			return nil, false, err
		}
		line := ListedRun{Run: s}
		if cost, known := runCost(prices, s); known {
			line.USD = &cost
		}
		if q.MinUSD != nil && (line.USD == nil || *line.USD < *q.MinUSD) {
			continue
		}
		if q.Limit > 0 && len(runs) == q.Limit {
			return runs, true, nil
		}
		runs = append(runs, line)
	}
	return runs, false, nil
}

// runCost returns what a run cost. One that asked no model, or only a file, cost
// nothing.
func runCost(t PriceTable, s Run) (cost float64, known bool) {
	return t.RowCost(priceRow(s))
}

// priceRow is what a run used.
func priceRow(s Run) price.Row {
	row := price.Row{
		Model: s.Model, Day: s.Began.Local().Format(time.DateOnly), Scripted: s.Scripted, Local: s.Local, Tokens: s.Tokens, Took: s.Took,
	}
	for _, name := range slices.Sorted(maps.Keys(s.Others)) {
		row.Others = append(row.Others, price.Used{Model: name, Tokens: s.Others[name]})
	}
	return row
}

// HasRuns says whether there is any run.
func (a *App) HasRuns(ctx context.Context) (bool, error) {
	any, err := a.records.Journal.Runs(ctx, journal.Query{Limit: 1})
	return len(any) > 0, err
}

// RunsWithPrefix returns the newest runs whose ids begin with a prefix, for a
// shell that completes a word.
func (a *App) RunsWithPrefix(ctx context.Context, prefix string, most int) ([]Run, error) {
	var out []Run
	for s, err := range a.eachRun(ctx, journal.Query{Limit: most, NoChildren: true}) {
		if err != nil || len(out) >= most {
			return out, err
		}
		if strings.HasPrefix(s.ID, prefix) {
			out = append(out, s)
		}
	}
	return out, nil
}

// Cost adds up what the runs of a query used.
func (a *App) Cost(ctx context.Context, q RunQuery, prices PriceTable) (Costs, error) {
	var rows []price.Row
	for s, err := range a.eachRun(ctx, q.journal()) {
		if err != nil {
			return Costs{}, err
		}
		rows = append(rows, priceRow(s))
	}
	return price.Sum(prices, rows), nil
}

// PricesPath returns the file in which a person keeps prices, or "" where the
// environment names no folder for it.
func PricesPath(getenv func(string) string) string {
	path := config.Path(getenv)
	if path == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(path), "prices.json")
}

// LoadPrices reads the price table: the person's own prices, and the list prices.
func LoadPrices(getenv func(string) string) (PriceTable, error) {
	return price.Load(PricesPath(getenv))
}

// FormatUSD writes a cost as a person reads it.
func FormatUSD(usd float64) string { return price.Format(usd) }

// CostOf returns a function that writes what tokens of a model cost, for a report.
func CostOf(t PriceTable) func(string, event.Tokens) string {
	return func(model string, tokens event.Tokens) string {
		cost, known := t.Cost(model, tokens)
		if !known {
			return ""
		}
		return price.Format(cost)
	}
}

// pageSize is how many runs are read from the index at once.
const pageSize = 2000

// eachRun returns the runs that a query asks for, the newest first, however
// many there are. The query's limit is how many are read first.
func (a *App) eachRun(ctx context.Context, q journal.Query) iter.Seq2[journal.Summary, error] {
	j := a.records.Journal
	return func(yield func(journal.Summary, error) bool) {
		if q.Limit == 0 {
			q.Limit = pageSize
		}
		for {
			page, err := j.Runs(ctx, q)
			if err != nil {
				yield(journal.Summary{}, err)
				return
			}
			for _, s := range page {
				if !yield(s, nil) {
					return
				}
			}
			if len(page) < q.Limit {
				return
			}
			q.Before, q.Limit = &page[len(page)-1], pageSize
		}
	}
}

// FindRun returns the id of the run that a reference names: an id, its beginning,
// "last", or "last~2" for the one two before the last.
func (a *App) FindRun(ctx context.Context, ref string) (string, error) {
	j := a.records.Journal
	id, err := j.Find(ctx, ref)
	if fault.KindOf(err) != fault.NotFound {
		return id, err
	}
	if any, listErr := j.Runs(ctx, journal.Query{Limit: 1}); listErr == nil && len(any) == 0 {
		return "", fault.New(fault.NotFound, "Ask a question or run some code first.", "cannot find run %s: there are no runs yet", safetext.Line(ref))
	}
	return "", err
}

// ThreadOfRun returns the id of the run that a reference names, and the thread that it belongs
// to; "": none.
func (a *App) ThreadOfRun(ctx context.Context, ref string) (id, thread string, err error) {
	if id, err = a.FindRun(ctx, ref); err != nil {
		return "", "", err
	}
	known, err := a.records.Journal.Summary(ctx, id)
	return id, known.Thread, err
}

// RemovedRun is a run that is not there any more.
type RemovedRun struct {
	Run  string `json:"run"`
	Lost bool   `json:"lost"` // its journal was gone already: that was taken note of
}

// RemoveRun removes the journal of a run. The chain of runs says who did and when; of a
// run whose journal is gone it takes note. What the run alone refers to is for
// [App.Collect] to remove.
func (a *App) RemoveRun(ctx context.Context, ref string) (RemovedRun, error) {
	id, err := a.FindRun(ctx, ref)
	if err != nil && wholeID.MatchString(ref) {
		id, err = ref, nil // the chain may be all that knows it
	}
	if err != nil {
		return RemovedRun{}, err
	}
	lost, err := a.records.Journal.Remove(ctx, id)
	return RemovedRun{Run: id, Lost: lost}, err
}

// recordSource is where a run is read from: the journal, or an exported file.
type recordSource interface {
	Records(ctx context.Context, id string) iter.Seq2[event.Record, error]
}

// ReadRun reads a run, or the file that one was exported to. Of a damaged journal
// it returns what stands before the damage, which Damage describes, with the fault.
func (a *App) ReadRun(ctx context.Context, ref string) (out report.Run, err error) {
	out.Languages = a.opt.Languages
	j := a.records.Journal
	from := recordSource(j)
	if IsFile(ref) {
		b, err := j.OpenBundle(ctx, ref)
		if err != nil {
			return report.Run{}, bundleFault(ref, err)
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		from, out.ID = b, b.Run()
	} else if out.ID, err = a.FindRun(ctx, ref); err != nil {
		return report.Run{}, err
	}
	for rec, err := range from.Records(ctx, out.ID) {
		var d *journal.Damage
		switch {
		case errors.As(err, &d):
			out.Damage = fmt.Sprintf("the journal is damaged at record %d, byte %d: %s", d.Seq, d.Offset, d.Problem)
			return out, fault.Coded(fault.JournalDamaged, fault.Data{"run": out.ID}, "cannot read all of run %s: %s", out.ID, out.Damage)
		case fault.KindOf(err) == fault.NotFound && len(out.Records) == 0:
			return report.Run{}, fault.Coded(fault.JournalGone, fault.Data{"run": out.ID},
				"cannot read run %s: %s", out.ID, journalGone)
		case err != nil:
			return report.Run{}, err
		}
		out.Records = append(out.Records, rec)
	}
	return out, nil
}

// ReadTree reads a run with its children, and theirs. One whose record is gone, or that
// does not say itself whose child it is, is left out; of one that is damaged there is what
// stands before the damage.
func (a *App) ReadTree(ctx context.Context, ref string) (report.Run, error) {
	run, err := a.ReadRun(ctx, ref)
	if err != nil && run.Damage == "" {
		return run, err
	}
	seen := map[string]bool{run.ID: true} // a record from elsewhere may go round in a circle
	if IsFile(ref) {
		b, openErr := a.records.Journal.OpenBundle(ctx, ref)
		if openErr != nil { // it is a bare journal
			return run, err
		}
		return run, errors.Join(err, a.addBundled(ctx, &run, b, seen), b.Close())
	}
	return run, errors.Join(err, a.addChildren(ctx, &run, seen))
}

// maxTree bounds the children that are read with a run.
const maxTree = 1000

// addChildren adds the children of a run, those too that it took over from the runs that
// it goes on from.
func (a *App) addChildren(ctx context.Context, run *report.Run, seen map[string]bool) error {
	known, err := a.records.Journal.Summary(ctx, run.ID)
	if err != nil {
		return err
	}
	callers := []string{run.ID}
	for p := known.Parent; p != nil && p.Change == event.Resumed && len(callers) < maxResumed; {
		callers = append(callers, p.Run)
		before, err := a.records.Journal.Summary(ctx, p.Run)
		if err != nil {
			break
		}
		p = before.Parent
	}
	for _, r := range run.Records {
		e, ok := r.Event.(event.ChildBegan)
		if !ok || !wholeID.MatchString(e.Run) || seen[e.Run] || len(seen) > maxTree {
			continue
		}
		s, err := a.records.Journal.Summary(ctx, e.Run)
		if err != nil || s.Imported != known.Imported || s.Caller == nil || !slices.Contains(callers, s.Caller.Run) {
			continue
		}
		seen[e.Run] = true
		child, err := a.ReadRun(ctx, e.Run)
		if err != nil && child.Damage == "" {
			continue
		}
		if err := a.addChildren(ctx, &child, seen); err != nil {
			return err
		}
		if run.Children == nil {
			run.Children = map[string]report.Run{}
		}
		run.Children[e.Run] = child
	}
	return nil
}

// addBundled adds the children of a run that stand in its bundle.
func (a *App) addBundled(ctx context.Context, run *report.Run, b *journal.Bundle, seen map[string]bool) error {
	for _, r := range run.Records {
		e, ok := r.Event.(event.ChildBegan)
		if !ok || seen[e.Run] || len(seen) > maxTree || !b.Has(e.Run) {
			continue
		}
		seen[e.Run] = true
		child := report.Run{ID: e.Run, Languages: run.Languages}
		for rec, err := range b.Records(ctx, e.Run) {
			if err != nil {
				return err
			}
			child.Records = append(child.Records, rec)
		}
		if err := a.addBundled(ctx, &child, b, seen); err != nil {
			return err
		}
		if run.Children == nil {
			run.Children = map[string]report.Run{}
		}
		run.Children[e.Run] = child
	}
	return nil
}

// maxResumed bounds the runs that one goes on from, one after the other.
const maxResumed = 100

// bundleFault says what is wrong with an exported file that was named.
func bundleFault(path string, err error) error {
	var d *journal.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return FileFault(path, err)
	case errors.As(err, &d):
		return fault.Coded(fault.JournalDamaged, fault.Data{"run": path},
			"cannot read %s: the journal in it is damaged at record %d, byte %d: %s", safetext.Line(path), d.Seq, d.Offset, d.Problem)
	}
	return err
}

// IsFile says whether a reference names a file rather than a run.
func IsFile(arg string) bool {
	if strings.ContainsRune(arg, '/') || strings.HasSuffix(arg, ".praxis") || strings.HasSuffix(arg, ".jsonl") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular()
}
