package app

import (
	"context"
	"errors"
	"time"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/record/journal"
	"praxis/internal/session"
)

// UsualAge is how long the snapshots of runs are kept.
const UsualAge = 30 * 24 * time.Hour

// CollectRequest says what may be removed.
type CollectRequest struct {
	OlderThan time.Duration // age of snapshots, templates and images that may go
	// Runs is the age of whole runs that may go; 0: none does.
	Runs   time.Duration
	DryRun bool // nothing is removed, and only said
}

// Collected is what was removed, or would be.
type Collected struct {
	DryRun   bool              `json:"dry_run"`
	Journal  journal.Collected `json:"journal"`
	Sessions session.Collected `json:"sessions"`
	Images   image.Collected   `json:"images"`
	Bytes    int64             `json:"bytes"` // of all
	RunBytes int64             `json:"-"`     // of the journals of runs that go
	// Home is what the data folder takes afterwards, or now when nothing is removed.
	Home Usage `json:"home"`
}

// RemovedState is a snapshot or a template that is not needed.
type RemovedState = session.Removed

// Unused begins the reason of a template or an image that goes because it was not used
// for long enough; how long that was follows.
const Unused = session.Unused

// Collect removes what nobody needs any more: contents that no run and no thread
// refers to, snapshots of runs that are older than asked or more than their quota,
// templates and images that are not used, and what no image has. A snapshot that a run
// begins with which is younger than asked, and than [UsualAge], stays. What was removed
// before an error is in the result.
func (a *App) Collect(ctx context.Context, q CollectRequest) (Collected, error) {
	out, err := a.collect(ctx, q, min(q.OlderThan, UsualAge))
	if err == nil {
		out.Home, err = a.Usage(ctx)
	}
	return out, err
}

// collect is Collect that leaves the snapshots that runs of that age, or younger, begin with.
func (a *App) collect(ctx context.Context, q CollectRequest, replayable time.Duration) (Collected, error) {
	out := Collected{DryRun: q.DryRun, Journal: journal.Collected{Runs: []string{}, DryRun: q.DryRun}, Sessions: session.Collected{
		Snapshots: []session.Removed{}, Templates: []session.Removed{}, Programs: []session.Removed{},
	}, Images: image.Collected{Images: []image.RemovedImage{}, Parts: []image.Removed{}, Wheels: []image.Removed{}}}
	m, err := a.machinery(ctx)
	if err != nil {
		return out, err
	}
	what := journal.Collect{DryRun: q.DryRun, Others: a.threadContents}
	if q.Runs > 0 {
		what.OlderThan = q.Runs
		what.Keep = func(s journal.Summary) bool {
			out.RunBytes += s.Bytes
			return false
		}
	}
	out.Journal, err = a.records.Journal.Collect(ctx, what)
	if out.Journal.Runs == nil {
		out.Journal.Runs = []string{}
	}
	var begun map[string]bool
	if err == nil {
		begun, err = a.begunWith(ctx, replayable)
	}
	if err == nil {
		out.Sessions, err = m.sessions.CollectSnapshots(ctx, session.Collect{
			Keep: func(id string) bool { return begun[id] }, OlderThan: q.OlderThan, Quota: a.opt.Config.Journal.SnapshotBytes, DryRun: q.DryRun,
		})
	}
	if err == nil {
		out.Images, err = m.collectImages(ctx, image.Collect{OlderThan: q.OlderThan, DryRun: q.DryRun}, out.Sessions.Snapshots)
	}
	out.Bytes = out.Journal.Bytes + out.Sessions.Bytes + out.Images.Bytes
	return out, err
}

// threadContents names the contents that threads refer to: their conversations,
// and the older parts that were condensed in them.
func (a *App) threadContents(ctx context.Context, yield func(sum string)) error {
	threads, err := a.records.Memory.Threads(ctx)
	if err != nil {
		return err
	}
	for _, t := range threads {
		if t.Conversation != "" {
			yield(t.Conversation)
		}
		for _, p := range t.Past {
			yield(p.Conversation)
		}
		for _, sum := range t.Contents {
			yield(sum)
		}
	}
	return nil
}

// Rebuilt is what became of the index of runs.
type Rebuilt = journal.Rebuilt

// RebuildIndex makes the index of runs anew from their journals. A database that
// is damaged is moved away for it, and a notice says so: the threads and notes in
// it are lost, unless they can be saved from there. No App may be open over the
// data folder.
func RebuildIndex(ctx context.Context, o Options, sink event.Sink) (Rebuilt, error) {
	out, err := rebuildIndex(ctx, o)
	moved, moveErr := moveDamagedDatabase(o.Config, err, time.Now())
	if moveErr != nil || moved == "" {
		return out, errors.Join(err, moveErr)
	}
	sink.Emit(event.Notice{Text: "the database was damaged and is " + moved + " now; the threads and notes in it are lost, unless they can be saved from there"})
	return rebuildIndex(ctx, o)
}

func rebuildIndex(ctx context.Context, o Options) (out Rebuilt, err error) {
	r, err := openRecords(o)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err = r.Journal.Rebuild(ctx)
	if out.Damaged == nil {
		out.Damaged = []string{}
	}
	return out, err
}
