package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
	"praxis/internal/session"
)

const gcLong = `Removes what nobody needs any more:

  - contents (inputs, long outputs, pictures) that no run and no thread refers to
  - snapshots of runs that are older than --older-than, or, the oldest first,
    while all of them are more than journal.snapshot_bytes; a run without its
    snapshots can still be shown, verified and replayed
  - templates that were not used for as long, or whose image is gone
  - what programs left behind that ended before they could clean up

The states of named sessions and threads stay, and so do runs, unless
--runs-older-than says otherwise. --dry-run only says what would go.`

// gcCommand is one praxis gc.
type gcCommand struct {
	p                     *program
	age, runAge           flagValue[time.Duration]
	dryRun, rebuild, json bool
}

func (p *program) gcCommand() *cobra.Command {
	g := &gcCommand{p: p}
	cmd := &cobra.Command{
		Use: "gc", Short: "Remove contents and snapshots that nobody needs", Long: gcLong, Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context()) },
	}
	g.age = flagValue[time.Duration]{parse: parseAge, kind: "time"}
	g.runAge = flagValue[time.Duration]{parse: parseAge, kind: "time"}
	fs := cmd.Flags()
	fs.BoolVar(&g.dryRun, "dry-run", false, "say what would go, and remove nothing")
	fs.Var(&g.age, "older-than", "age of snapshots and templates that may go (default 30d)")
	fs.Var(&g.runAge, "runs-older-than", "remove whole runs of that age too, such as 365d")
	fs.BoolVar(&g.rebuild, "rebuild-index", false, "make the index of runs anew from their journals, and nothing else")
	fs.BoolVar(&g.json, "json", false, "print one JSON object instead")
	return cmd
}

// usualAge is how long the snapshots of runs are kept.
const usualAge = 30 * 24 * time.Hour

// tidy keeps the snapshots of runs within their quota: the oldest go.
func tidy(ctx context.Context, e engine, quota int64) error {
	_, err := e.named().CollectSnapshots(ctx, session.Collect{OlderThan: math.MaxInt64, Quota: quota})
	return err
}

// freed is the object of gc --json.
type freed struct {
	DryRun   bool              `json:"dry_run"`
	Journal  journal.Collected `json:"journal"`
	Sessions session.Collected `json:"sessions"`
	Bytes    int64             `json:"bytes"` // of both

	runBytes int64 // of the journals of runs that go
}

func (g *gcCommand) run(ctx context.Context) error {
	if g.rebuild {
		if g.dryRun || g.age.value != nil || g.runAge.value != nil {
			return usage("praxis gc", "--rebuild-index goes alone")
		}
		return g.index(ctx)
	}
	cfg, err := g.p.config()
	if err != nil {
		return err
	}
	return g.p.withEngine(ctx, cfg, func(e engine) error {
		out, err := g.collect(ctx, e, cfg.Journal.SnapshotBytes)
		switch {
		case g.json && err == nil:
			return g.p.printJSON(out)
		case err != nil && (g.json || out.Bytes == 0):
			return err
		}
		return errors.Join(g.p.emit(out.text(cfg.Journal.SnapshotBytes)), err) // what went before an error is gone all the same
	})
}

func (g *gcCommand) collect(ctx context.Context, e engine, quota int64) (out freed, err error) {
	out = freed{DryRun: g.dryRun, Journal: journal.Collected{Runs: []string{}, DryRun: g.dryRun}, Sessions: session.Collected{
		Snapshots: []session.Removed{}, Templates: []session.Removed{},
	}}
	records := e.records()
	what := journal.Collect{DryRun: g.dryRun, Others: func(ctx context.Context, yield func(string)) error {
		return threadContents(ctx, records, yield)
	}}
	if g.runAge.value != nil {
		what.OlderThan = max(*g.runAge.value, time.Nanosecond)
		what.Keep = func(s journal.Summary) bool {
			out.runBytes += s.Bytes
			return false
		}
	}
	out.Journal, err = records.Journal.Collect(ctx, what)
	out.Journal.Runs = orEmpty(out.Journal.Runs)
	if err == nil {
		age := usualAge
		if g.age.value != nil {
			age = *g.age.value
		}
		out.Sessions, err = e.named().CollectSnapshots(ctx, session.Collect{OlderThan: age, Quota: quota, DryRun: g.dryRun})
	}
	out.Bytes = out.Journal.Bytes + out.Sessions.Bytes
	return out, err
}

// threadContents names the contents that threads refer to: their conversations,
// and the older parts that stand in them as hashes.
func threadContents(ctx context.Context, r *app.Records, yield func(sum string)) error {
	threads, err := r.Memory.Threads(ctx)
	if err != nil {
		return err
	}
	for _, t := range threads {
		if t.Conversation == "" {
			continue
		}
		yield(t.Conversation)
		if err := hashesIn(ctx, r.Journal, t.Conversation, yield); err != nil && fault.KindOf(err) != fault.NotFound {
			return fmt.Errorf("cannot read thread %s: %w", t.Name, err)
		}
	}
	return nil
}

// anyHash is what a content is named by.
var anyHash = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// hashesIn yields what in a content may be the name of another.
func hashesIn(ctx context.Context, j *journal.Journal, sum string, yield func(sum string)) (err error) {
	f, err := j.Blob(ctx, sum)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	for _, found := range anyHash.FindAll(text, -1) {
		yield(string(found))
	}
	return nil
}

// text says what went, or would go.
func (f freed) text(quota int64) string {
	t := table{{head: "WHAT"}, {head: "HOW MANY", right: true}, {head: "SIZE", right: true}, {head: "WHY"}}
	add := func(n int, what string, bytes int64, why string) {
		if n == 0 {
			return
		}
		t.add(what, safetext.Number(n), safetext.Size(bytes), why)
	}
	add(len(f.Journal.Runs), "runs", f.runBytes, "older than --runs-older-than")
	add(f.Journal.Blobs, "contents", f.Journal.Bytes-f.runBytes, "no run and no thread refers to them")
	for _, part := range []struct {
		what string
		gone []session.Removed
	}{{"snapshots", f.Sessions.Snapshots}, {"templates", f.Sessions.Templates}} {
		for _, r := range byReason(part.gone) {
			add(r.n, part.what, r.bytes, r.why)
		}
	}
	var b strings.Builder
	switch {
	case t.empty():
		b.WriteString("There is nothing to remove.\n")
	case f.DryRun:
		b.WriteString(t.String() + fmt.Sprintf("\nThat would free %s. Nothing was removed.\n", safetext.Size(f.Bytes)))
	default:
		b.WriteString(t.String() + fmt.Sprintf("\nfreed %s\n", safetext.Size(f.Bytes)))
	}
	if n := f.Sessions.InUse; n > 0 {
		fmt.Fprintf(&b, "%s in use by a running session: praxis gc removes them when it has ended.\n", are(n, "snapshot or template", "snapshots or templates"))
	}
	fmt.Fprintf(&b, "kept: %s (%s), and snapshots of runs with %s of the %s that they may have\n",
		safetext.Count(f.Journal.Kept, "content"), safetext.Size(f.Journal.KeptBytes), safetext.Size(f.Sessions.Left), safetext.Size(quota))
	return b.String()
}

func are(n int, one, many string) string {
	if n == 1 {
		return "1 " + one + " is"
	}
	return safetext.Number(n) + " " + many + " are"
}

// reason is how much goes for one reason.
type reason struct {
	why   string
	n     int
	bytes int64
}

// byReason adds up what goes by why it goes, in the order in which reasons occur.
func byReason(gone []session.Removed) []reason {
	var out []reason
	for _, g := range gone {
		why := g.Why
		if strings.HasPrefix(why, session.Unused) {
			why = "not used for long enough" // how long differs for each
		}
		i := slices.IndexFunc(out, func(r reason) bool { return r.why == why })
		if i < 0 {
			i = len(out)
			out = append(out, reason{why: why})
		}
		out[i].n++
		out[i].bytes += g.Bytes
	}
	return out
}

// index makes the index of runs anew. A database that is damaged is moved away
// for it.
func (g *gcCommand) index(ctx context.Context) error {
	cfg, err := g.p.config()
	if err != nil {
		return err
	}
	err = g.rebuildIndex(ctx)
	aside, asideErr := app.SetDatabaseAside(cfg, err, time.Now())
	if asideErr != nil {
		return errors.Join(err, asideErr)
	}
	if aside == "" {
		return err
	}
	if err := g.p.remark("the database was damaged and is %s now; the threads and notes in it are lost, unless they can be saved from there", aside); err != nil {
		return err
	}
	return g.rebuildIndex(ctx)
}

func (g *gcCommand) rebuildIndex(ctx context.Context) error {
	return g.p.withRecords(func(r *app.Records) error {
		done, err := r.Journal.Rebuild(ctx)
		if err != nil {
			return err
		}
		if g.json {
			done.Damaged = orEmpty(done.Damaged)
			return g.p.printJSON(done)
		}
		text := "the index knows " + safetext.Count(done.Runs, "run") + " now\n"
		if done.Removed > 0 {
			text += "forgot " + safetext.Count(done.Removed, "run") + " without a journal\n"
		}
		for _, id := range done.Damaged {
			text += "the journal of " + id + " is damaged: praxis verify " + id + "\n"
		}
		return g.p.emit(text)
	})
}
