package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/config"
	"praxis/internal/record/journal"
	reports "praxis/internal/record/report"
	"praxis/internal/safetext"
)

// openRecords opens what is kept of runs.
func (p *program) openRecords(c config.Config) (*app.Records, error) {
	return app.OpenRecords(c, p.environ, p.version)
}

// withRecords opens the records for f and closes them. No sandbox is needed,
// and nothing is written unless f does.
func (p *program) withRecords(f func(*app.Records) error) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	r, err := p.openRecords(cfg)
	if err != nil {
		return err
	}
	defer p.closing(r, &err)
	return f(r)
}

// pageSize is how many runs are read from the index at once.
const pageSize = 2000

// eachRun returns the runs that a query asks for, the newest first, however
// many there are. The query's limit is how many are read first.
func eachRun(ctx context.Context, j *journal.Journal, q journal.Query) iter.Seq2[journal.Summary, error] {
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

// findRun returns the id of the run that a person names.
func findRun(ctx context.Context, j *journal.Journal, ref string) (string, error) {
	id, err := j.Find(ctx, ref)
	if fault.KindOf(err) != fault.NotFound {
		return id, err
	}
	if any, listErr := j.Runs(ctx, journal.Query{Limit: 1}); listErr == nil && len(any) == 0 {
		return "", fault.New(fault.NotFound, "Every praxis ask and praxis run makes one.", "cannot find run %s: there are no runs yet", safetext.Line(ref))
	}
	return "", err
}

// source is where a run is read from: the journal, or an exported file.
type source interface {
	Records(ctx context.Context, id string) iter.Seq2[event.Record, error]
}

// readRun reads a run, or the file that one was exported to. What a damaged
// journal has before the damage is returned with it.
func readRun(ctx context.Context, j *journal.Journal, ref string) (out reports.Run, err error) {
	from := source(j)
	if isFile(ref) {
		b, err := j.OpenBundle(ctx, ref)
		if err != nil {
			return reports.Run{}, bundleFault(ref, err)
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		from, out.ID = b, b.Run()
	} else if out.ID, err = findRun(ctx, j, ref); err != nil {
		return reports.Run{}, err
	}
	for rec, err := range from.Records(ctx, out.ID) {
		var d *journal.Damage
		switch {
		case errors.As(err, &d):
			out.Damage = fmt.Sprintf("the journal is damaged at record %d, byte %d: %s", d.Seq, d.Offset, d.Problem)
			return out, damaged{fault.New(fault.Conflict, "What stands before it is whole. Look closer with: praxis verify "+safetext.Line(ref),
				"cannot read all of run %s: %s", out.ID, out.Damage)}
		case fault.KindOf(err) == fault.NotFound && len(out.Records) == 0:
			return reports.Run{}, fault.New(fault.Conflict, "If it was removed on purpose, have the index forget it: praxis gc --rebuild-index",
				"cannot read run %s: %s", out.ID, journalGone)
		case err != nil:
			return reports.Run{}, err
		}
		out.Records = append(out.Records, rec)
	}
	return out, nil
}

// bundleFault says what is wrong with an exported file that was named.
func bundleFault(path string, err error) error {
	var d *journal.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return inputFault(path, err)
	case errors.As(err, &d):
		return fault.New(fault.Conflict, "Look closer with: praxis verify "+safetext.Line(path),
			"cannot read %s: the journal in it is damaged at record %d, byte %d: %s", safetext.Line(path), d.Seq, d.Offset, d.Problem)
	}
	return err
}

// runTitle is what a run is called in a message.
func runTitle(s journal.Summary) string { return s.ID + "  " + label(s.Question) }

// noRuns says how to make the first run.
const noRuns = "There are no runs yet. Every praxis ask and praxis run makes one: praxis run -c 'print(6 * 7)'\n"

// damaged marks what could be read of a journal that is not whole.
type damaged struct{ error }

// Unwrap returns the fault.
func (d damaged) Unwrap() error { return d.error }
