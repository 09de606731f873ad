package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const gcLong = `Removes what nobody needs any more:

  - contents (inputs, long outputs, pictures) that no run and no thread refers to
  - snapshots of runs that are older than --older-than, or, the oldest first,
    while all of them are more than journal.snapshot_bytes; a run without its
    snapshots can still be shown, verified and replayed
  - templates that were not used for as long, or whose image is gone
  - images that were not used for as long, and that no named session and no snapshot
    needs; the same request makes the same image again
  - packages, interpreters and wheels that no image has, and pip's cache of versions
    before
  - installed programs that no snapshot and no template runs
  - what programs left behind that ended before they could clean up

A snapshot that a recorded run begins with stays as long as the run is younger than
--older-than, and than 30 days.

With home_quota in the configuration the same goes by itself, the longest unused first,
when the data folder would take more: before an image is built, a session begins or a
step is saved. What cannot be made again never does: sessions and their steps, runs, and
what runs of the last 30 days begin with. When nothing else is left, the command is
refused.

Snapshots that no named session stands at are packed, where that was not done: what
they have in common is stored once and compressed. The size of what goes is what is
free then; what other snapshots share with it stays.

Runs whose program was killed get their end in the record. The states of named
sessions and threads stay, and so do runs, unless --runs-older-than says
otherwise. --dry-run only says what would go; with --json also, one by one, which
snapshots, templates, images and wheels those are.`

// gcCommand is one praxis gc.
type gcCommand struct {
	p                     *program
	age, runAge           flagValue[time.Duration]
	dryRun, rebuild, json bool
}

func (p *program) gcCommand() *cobra.Command {
	g := &gcCommand{p: p}
	cmd := &cobra.Command{
		Use: "gc", Short: "Remove contents, snapshots and images that nobody needs", Long: gcLong, Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context()) },
	}
	g.age = flagValue[time.Duration]{parse: parseAge, kind: "time"}
	g.runAge = flagValue[time.Duration]{parse: parseAge, kind: "time"}
	fs := cmd.Flags()
	fs.BoolVar(&g.dryRun, "dry-run", false, "say what would go, and remove nothing")
	fs.Var(&g.age, "older-than", "age of snapshots, templates and images that may go (default 30d)")
	fs.Var(&g.runAge, "runs-older-than", "remove whole runs of that age too, such as 365d")
	fs.BoolVar(&g.rebuild, "rebuild-index", false, "make the index of runs anew from their journals, and nothing else")
	fs.BoolVar(&g.json, "json", false, "print one JSON object instead")
	return cmd
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
	q := app.CollectRequest{OlderThan: app.UsualAge, DryRun: g.dryRun}
	if g.age.value != nil {
		q.OlderThan = *g.age.value
	}
	if g.runAge.value != nil {
		q.Runs = max(*g.runAge.value, time.Nanosecond)
	}
	return g.p.withApp(func(a *app.App) error {
		out, err := a.Collect(ctx, q)
		switch {
		case g.json && err == nil:
			return g.p.printJSON(out)
		case err != nil && (g.json || out.Bytes == 0):
			return err
		}
		return errors.Join(g.p.emit(collectedText(out, cfg.Journal.SnapshotBytes, g.p.columns())), err) // what went before an error is gone all the same
	})
}

// collectedText says what went, or would go.
func collectedText(f app.Collected, quota int64, width int) string {
	t := format.Table{{Head: "WHAT"}, {Head: "HOW MANY", Right: true}, {Head: "SIZE", Right: true}, {Head: "WHY", Wrap: true}}
	add := func(n int, what string, bytes int64, why string) {
		if n == 0 {
			return
		}
		t.Add(what, safetext.Number(n), safetext.Size(bytes), why)
	}
	add(len(f.Journal.Runs), "runs", f.RunBytes, "older than --runs-older-than")
	add(f.Journal.Blobs, "contents", f.Journal.Bytes-f.RunBytes, "no run and no thread refers to them")
	parts, wheels := []app.RemovedState{}, []app.RemovedState{}
	for _, r := range f.Images.Parts {
		parts = append(parts, app.RemovedState{Bytes: r.Bytes, Why: r.Why})
	}
	for _, r := range f.Images.Wheels {
		wheels = append(wheels, app.RemovedState{Bytes: r.Bytes, Why: r.Why})
	}
	grouped := func(what string, gone []app.RemovedState) {
		for _, r := range byReason(gone) {
			add(r.n, what, r.bytes, r.why)
		}
	}
	grouped("snapshots", f.Sessions.Snapshots)
	grouped("templates", f.Sessions.Templates)
	add(f.Sessions.Chunks, "chunks", f.Sessions.ChunkBytes, "no snapshot is made of them")
	for _, i := range f.Images.Images {
		grouped("image "+safetext.Line(i.Name), []app.RemovedState{{Bytes: i.Freed, Why: i.Why}})
	}
	grouped("parts of images", parts)
	grouped("wheels", wheels)
	if f.Images.Cache > 0 {
		add(1, "pip's cache", f.Images.Cache, "wheels are kept instead")
	}
	grouped("programs", f.Sessions.Programs)
	var b strings.Builder
	switch {
	case t.Empty():
		b.WriteString("There is nothing to remove.\n")
	case f.DryRun:
		b.WriteString(format.Fitted(t, width) + fmt.Sprintf("\nThat would free %s. Nothing was removed.\n", safetext.Size(f.Bytes)))
	default:
		b.WriteString(format.Fitted(t, width) + fmt.Sprintf("\nfreed %s\n", safetext.Size(f.Bytes)))
	}
	if n := f.Sessions.InUse; n > 0 {
		fmt.Fprintf(&b, "%s in use by a running session: praxis gc removes them when it has ended.\n", are(n, "snapshot or template", "snapshots or templates"))
	}
	if n := f.Images.InUse; n > 0 {
		fmt.Fprintf(&b, "%s in use by a running session: praxis gc removes them when it has ended.\n", are(n, "image", "images"))
	}
	fmt.Fprintf(&b, "stored: %s (%s), and snapshots of runs with %s of the %s that they may have\n",
		safetext.Count(f.Journal.Remaining, "content"), safetext.Size(f.Journal.RemainingBytes), safetext.Size(f.Sessions.Left), safetext.Size(quota))
	b.WriteString(usageText(f.Home))
	return b.String()
}

// usageText says what the data folder takes, and of what.
func usageText(u app.Usage) string {
	var of []string
	for _, f := range u.Folders {
		if len(of) < 5 && f.Bytes >= 1<<20 {
			of = append(of, safetext.Line(f.Name)+" "+safetext.Size(f.Bytes))
		}
	}
	text := "the data folder takes " + safetext.Size(u.Bytes)
	if u.Quota > 0 {
		text += " of the " + safetext.Size(u.Quota) + " that it may have"
	}
	if len(of) > 0 {
		text += ": " + strings.Join(of, ", ")
	}
	return text + "\n"
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
func byReason(gone []app.RemovedState) []reason {
	var out []reason
	for _, g := range gone {
		why := g.Why
		if strings.HasPrefix(why, app.Unused) {
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

// index makes the index of runs anew.
func (g *gcCommand) index(ctx context.Context) error {
	o, err := g.p.options()
	if err != nil {
		return err
	}
	done, err := app.RebuildIndex(ctx, o, g.p.quiet())
	if err != nil {
		return err
	}
	if g.json {
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
}
