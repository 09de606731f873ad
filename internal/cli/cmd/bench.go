package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// benchWith are the packages that the figures are about: what most sessions import.
const benchWith = "numpy,pandas"

type benchCommand struct {
	p    *program
	with []string
	json bool
}

func (p *program) benchCommand() *cobra.Command {
	b := &benchCommand{p: p}
	cmd := &cobra.Command{
		Use:   "bench [" + strings.Join(app.BenchSuites(), "|") + "]",
		Short: "Measure how fast sandboxes, sessions and tools are on this machine",
		Long: "Measures how fast sandboxes, sessions and tools are on this machine, with " + benchWith + ` imported.
Where no package index can be reached, the figures are of the bare interpreter,
and the output says so. "--with none" asks for that.

  sandbox  restoring an interpreter, one after the other and together; its memory and speed
  session  a claim from the pool, a round trip, a snapshot, a fork
  journal  appending a record, what records add to an execution, verify, replay, listing runs
  tools    a call of a tool from code, a start with 1,000 tools

Without one of these all are measured.`,
		Args:      takes(0, 1, ""),
		ValidArgs: app.BenchSuites(),
		RunE:      func(cmd *cobra.Command, args []string) error { return b.run(cmd.Context(), args) },
	}
	cmd.Flags().StringArrayVar(&b.with, "with", []string{benchWith}, "`PACKAGES` of the image that is measured")
	cmd.Flags().Lookup("with").DefValue = benchWith // as a person writes it
	cmd.Flags().BoolVar(&b.json, "json", false, "print one JSON object instead")
	return cmd
}

func (b *benchCommand) run(ctx context.Context, suites []string) error {
	for _, s := range suites {
		if !slices.Contains(app.BenchSuites(), s) {
			return usage("praxis bench", "there is no benchmark %q: write one of %s", safetext.Line(s), strings.Join(app.BenchSuites(), ", "))
		}
	}
	if slices.Equal(b.with, []string{"none"}) {
		b.with = nil
	}
	return b.p.withApp(func(a *app.App) error {
		report, err := a.Bench(ctx, b.with, suites, b.p.quiet())
		b.p.settled()
		if err != nil {
			return err
		}
		if b.json {
			return b.p.printJSON(report)
		}
		return b.p.emit(describeReport(report, b.p.columns()))
	})
}

func describeReport(r app.BenchReport, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "machine  %s, %s, Linux %s, %d MiB\nimage    %s\n\n",
		safetext.Line(r.Machine.CPU), safetext.Count(r.Machine.Cores, "core"), safetext.Line(r.Machine.Kernel), r.Machine.MemoryMB, r.Image)
	t := format.Table{{Head: "FIGURE"}, {Head: "UNIT"}, {Head: "P50"}, {Head: "P95", Drop: 3}, {Head: "P99", Drop: 5}, {Head: "RUNS", Drop: 4}, {Head: "AIM", Drop: 1}, {Head: "WHAT IT IS", Wrap: true}}
	for _, name := range app.BenchNames() {
		if f, ok := r.Figures[name]; ok {
			about := measured(name)
			t.Add(name, about.unit, number(f.P50), number(f.P95), number(f.P99), strconv.Itoa(f.Runs), about.aim, about.what)
		}
	}
	return b.String() + format.Fitted(t, width)
}

// meaning is what a person needs to read a figure.
type meaning struct{ unit, aim, what string }

// measured says what a figure is. The aims are those for an image with benchWith.
func measured(name string) meaning {
	switch name {
	case "native_import_ms":
		return meaning{"ms", "", "start of Python on the host, until the image's packages are imported"}
	case "restore_ms":
		return meaning{"ms", "≤ 110 and ≤ 0.35 × native_import_ms", "a new session from a template, until code that uses the packages answers"}
	case "restores_per_second":
		return meaning{"1/s", "", "new sessions a second, eight at once"}
	case "session_pss_mb":
		return meaning{"MB", "≤ 70", "memory of one session beside others, what they share counted once"}
	case "cpu_ratio":
		return meaning{"×", "≤ 1.05", "time of code that only computes, compared with the host"}
	case "claim_warm_ms":
		return meaning{"ms", "≤ 5", "taking a session that was prepared ahead"}
	case "exec_roundtrip_us":
		return meaning{"µs", "≤ 500", "the smallest execution, there and back"}
	case "snapshot_ms":
		return meaning{"ms", "≤ 60", "how long a session stands still for a snapshot"}
	case "fork_ms":
		return meaning{"ms", "≤ 170", "copying a running session, until the copy answers"}
	case "append_us":
		return meaning{"µs", "", "recording an event that must be on disk before it is acted on"}
	case "append_nosync_us":
		return meaning{"µs", "", "recording an event that is synced with others"}
	case "overhead_ratio":
		return meaning{"×", "≤ 1.3", "the smallest execution recorded, its changed files too, compared with not"}
	case "verify_mb_per_s":
		return meaning{"MB/s", "≥ 200", "verifying a journal"}
	case "replay_ratio":
		return meaning{"×", "≤ 1.5", "a replay without the start of its session, compared with its executions"}
	case "list_100k_ms":
		return meaning{"ms", "≤ 50", "listing a page of 100,000 runs"}
	case "call_us":
		return meaning{"µs", "≤ 700", "a pure tool written in Go, called from Python in the sandbox, there and back"}
	case "call_recorded_us":
		return meaning{"µs", "", "the same in a run that is recorded: a call is on disk before it is made"}
	case "calls_per_second":
		return meaning{"1/s", "", "such calls a second, 32 at a time"}
	case "start_ms":
		return meaning{"ms", "≤ 100", "opening 1,000 tools of files, until the model can be shown them"}
	}
	return meaning{}
}

// number writes a figure with three digits that count.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
