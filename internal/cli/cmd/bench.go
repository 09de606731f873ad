package cmd

import (
	"context"
	"fmt"
	"os"
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

  sandbox    a restore and a fork beside a native import, restores together; memory and speed
  session    a round trip beside a Jupyter kernel's, a snapshot, a claim from the pool
  languages  a session in JavaScript beside one in Python, a round trip of each language, SQL beside DuckDB
  command    whole processes: the smallest run, on an empty home, a step of a named session
  journal    appending a record, what records add to an execution, verify, replay, listing runs
  tools      a call of a tool from code, a start with 1,000 tools
  agent      what a step of a question costs beyond its model and its execution, memory of a run
             that waits, 200 questions at once, programs a second beside processes of Python

Without one of these all are measured. What is compared is taken in turns, and a ratio
is the median of those of the rounds. A Jupyter kernel (ipykernel and jupyter_client
from the index) runs on the host with the image's own interpreter.`,
		Args:      takes(0, 1, ""),
		ValidArgs: app.BenchSuites(),
		RunE:      func(cmd *cobra.Command, args []string) error { return b.run(cmd.Context(), args) },
	}
	withFlag(cmd, &b.with)
	cmd.Flags().BoolVar(&b.json, "json", false, "print one JSON object instead")
	cmd.AddCommand(p.traceBenchCommand(), p.serverBenchCommand())
	return cmd
}

func (b *benchCommand) run(ctx context.Context, suites []string) error {
	for _, s := range suites {
		if !slices.Contains(app.BenchSuites(), s) {
			return usage("praxis bench", "there is no benchmark %q: write one of %s", safetext.Line(s), strings.Join(app.BenchSuites(), ", "))
		}
	}
	return b.p.withApp(func(a *app.App) error {
		report, err := a.Bench(ctx, packagesOf(b.with), suites, ownCommands(), b.p.quiet())
		b.p.settled()
		if err != nil {
			return err
		}
		if b.json {
			return b.p.printJSON(report)
		}
		return b.p.emit(describeReport(report, app.BenchNames(), b.p.columns()))
	})
}

// describeReport draws the figures of these names, and the goals of all.
func describeReport(r app.BenchReport, names []string, width int) string {
	var b strings.Builder
	describeMachine(&b, r.Machine)
	fmt.Fprintf(&b, "image    %s\n\n", safetext.Line(r.Image))
	t := format.Table{{Head: "FIGURE"}, {Head: "UNIT"}, {Head: "P50"}, {Head: "P95", Drop: 3}, {Head: "P99", Drop: 5}, {Head: "RUNS", Drop: 4}, {Head: "AIM", Drop: 1}, {Head: "WHAT IT IS", Wrap: true}}
	for _, name := range names {
		if f, ok := r.Figures[name]; ok {
			about := measured(name)
			t.Add(name, about.unit, number(f.P50), number(f.P95), number(f.P99), strconv.Itoa(f.Runs), about.aim, about.what)
		}
	}
	var skipped strings.Builder
	for _, name := range names {
		if why := r.Skipped[name]; why != "" {
			fmt.Fprintf(&skipped, "skipped: %s: %s\n", name, safetext.Line(why))
		}
	}
	return b.String() + format.Fitted(t, width) + describeGoals(r, width) + skipped.String()
}

// describeGoals compares the figures with what is wanted.
func describeGoals(r app.BenchReport, width int) string {
	goals := r.Compare()
	if len(goals) == 0 {
		return ""
	}
	t := format.Table{{Head: "FIGURE"}, {Head: "UNIT", Drop: 2}, {Head: "GOAL"}, {Head: "MEASURED"}, {Head: "MET", Drop: 1}, {Head: "WHAT IT IS", Wrap: true}}
	for _, g := range goals {
		switch {
		case g.Measured == nil:
			t.Add(g.Figure, g.Unit, g.Goal, "skipped", "", g.What)
		case g.Met:
			t.Add(g.Figure, g.Unit, g.Goal, number(*g.Measured), "yes", g.What)
		default:
			t.Add(g.Figure, g.Unit, g.Goal, number(*g.Measured), "no", g.What)
		}
	}
	return "\n" + format.Fitted(t, width)
}

// ownCommands are how this program is started for what is measured of whole processes.
func ownCommands() app.BenchCommands {
	self, err := os.Executable()
	if err != nil {
		return app.BenchCommands{} // and nothing of it is measured
	}
	return app.BenchCommands{
		Program: self, Home: "PRAXIS_HOME", Once: []string{"run", "-c", "1"},
		Step:   func(name string) []string { return []string{"run", "--session", name, "-c", "1"} },
		Remove: func(name string) []string { return []string{"session", "rm", name} },
	}
}

// meaning is what a person needs to read a figure.
type meaning struct{ unit, aim, what string }

// measured says what a figure is. The aims are those for an image with benchWith.
func measured(name string) meaning {
	m := described(name)
	for _, g := range app.BenchGoals() {
		if g.Figure == name {
			m.aim = g.Wanted()
		}
	}
	return m
}

func described(name string) meaning {
	switch name {
	case "restore_ratio":
		return meaning{"×", "", "restore_ms compared with native_import_ms, round by round"}
	case "fork_ratio":
		return meaning{"×", "", "fork_ms compared with native_import_ms, round by round"}
	case "jupyter_start_ms":
		return meaning{"ms", "", "start of a Jupyter kernel, until it is ready"}
	case "jupyter_import_ms":
		return meaning{"ms", "", "importing the image's packages in it"}
	case "jupyter_roundtrip_us":
		return meaning{"µs", "", "the smallest execution in it, there and back"}
	case "roundtrip_ratio":
		return meaning{"×", "", "exec_roundtrip_us compared with jupyter_roundtrip_us, round by round"}
	case "python_start_ms":
		return meaning{"ms", "", "a new Python session without packages, until 1+1 answers"}
	case "js_start_ms":
		return meaning{"ms", "", "a new JavaScript session, until 1+1 answers"}
	case "js_start_ratio":
		return meaning{"×", "", "js_start_ms compared with python_start_ms, round by round"}
	case "python_trip_us", "js_trip_us", "sql_trip_us", "bash_trip_us":
		return meaning{"µs", "", "1+1 in that language, there and back"}
	case "js_trip_ratio":
		return meaning{"×", "", "js_trip_us compared with python_trip_us, round by round"}
	case "sql_inside_ms":
		return meaning{"ms", "", "a query that groups a million rows of a Parquet file, in a session"}
	case "sql_outside_ms":
		return meaning{"ms", "", "the same by DuckDB in Python on the host, with as many threads"}
	case "sql_ratio":
		return meaning{"×", "", "sql_inside_ms compared with sql_outside_ms, round by round"}
	case "run_ms":
		return meaning{"ms", "", "the smallest run as a whole process, warm, without packages"}
	case "step_ms":
		return meaning{"ms", "", "the same in a named session, whose state is saved"}
	case "first_run_ms":
		return meaning{"ms", "", "the same on an empty home: everything is unpacked and made"}
	case "native_import_ms":
		return meaning{"ms", "", "start of Python on the host, until the image's packages are imported"}
	case "restore_ms":
		return meaning{"ms", "", "a new session from a template, until code that uses the packages answers"}
	case "restores_per_second":
		return meaning{"1/s", "", "new sessions a second, eight at once"}
	case "session_pss_mb":
		return meaning{"MB", "", "memory of one session beside others, what they share counted once"}
	case "cpu_ratio":
		return meaning{"×", "", "time of code that only computes, compared with the host"}
	case "claim_warm_ms":
		return meaning{"ms", "", "taking a session that was prepared ahead"}
	case "exec_roundtrip_us":
		return meaning{"µs", "", "the smallest execution, there and back"}
	case "snapshot_ms":
		return meaning{"ms", "", "how long a session stands still for a snapshot"}
	case "fork_ms":
		return meaning{"ms", "", "copying a running session, until the copy answers"}
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
		return meaning{"µs", "", "a pure tool written in Go, called from Python in the sandbox, there and back"}
	case "call_recorded_us":
		return meaning{"µs", "", "the same in a run that is recorded: a call is on disk before it is made"}
	case "calls_per_second":
		return meaning{"1/s", "", "such calls a second, 32 at a time"}
	case "start_ms":
		return meaning{"ms", "≤ 100", "opening 1,000 tools of files, until the model can be shown them"}
	}
	return describedAgent(name)
}

// describedAgent says what a figure of the agent means.
func describedAgent(name string) meaning {
	switch name {
	case "agent_step_ms":
		return meaning{"ms", "", "a step of a question beyond its model and its execution, recorded; no state is saved"}
	case "agent_step_saved_ms":
		return meaning{"ms", "", "the same with the state saved before each step, which the model's time does not hide: it answers at once"}
	case "agent_idle_mb":
		return meaning{"MB", "", "memory of a run that waits for its model, one of 50, without its sandbox"}
	case "agent_runs_200_s":
		return meaning{"s", "", "200 questions at once, each a call of a tool and an answer, without sandboxes"}
	case "agent_runs_200_code_s":
		return meaning{"s", "", "the same with code, each in a new sandbox, eight of them at a time"}
	case "agent_branches_ratio":
		return meaning{"×", "≤ 1", "4 attempts at a question that computes for some seconds, in forks of one session, beside the question asked 4 times in sessions of their own"}
	case "sub_queries_50_s":
		return meaning{"s", "", "50 queries of a model that takes 100 ms for each, asked together by code (llm_query_batched), each recorded"}
	case "context_find_ms":
		return meaning{"ms", "", "finding a word at the end of a text of 100 MiB that is a variable"}
	case "context_grep_ms":
		return meaning{"ms", "", "the same by grep -F over a file in the same sandbox"}
	case "context_lines_ms":
		return meaning{"ms", "", "the same by plain Python, line by line, over that file"}
	case "programs_per_second":
		return meaning{"1/s", "", "small programs that questions are answered with, in one session, one after the other, each run recorded"}
	case "subprocess_per_second":
		return meaning{"1/s", "", "the same programs, each a new process of the image's Python on the host"}
	case "programs_ratio":
		return meaning{"×", "", "programs_per_second compared with subprocess_per_second, round by round"}
	}
	return describedServer(name)
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
