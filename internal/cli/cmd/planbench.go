package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
)

type planBenchCommand struct {
	p      *program
	rounds int
	json   bool
}

func (p *program) planBenchCommand() *cobra.Command {
	b := &planBenchCommand{p: p}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast plans are on this machine",
		Long: `Measures how fast plans start and run on this machine, with labels on everything
that they compute. Ratios are to the CPython of the default image and are taken
in turns in one run.`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context()) },
	}
	cmd.Flags().IntVar(&b.rounds, "rounds", 9, "how often each figure is taken")
	cmd.Flags().BoolVar(&b.json, "json", false, "print one JSON object instead")
	return cmd
}

func (b *planBenchCommand) run(ctx context.Context) error {
	if b.rounds < 1 || b.rounds > 1000 {
		return usage("praxis plan bench", "--rounds %d is not a number from 1 to 1000", b.rounds)
	}
	return b.p.withApp(func(a *app.App) error {
		report, err := a.BenchPlans(ctx, b.rounds, b.p.quiet())
		b.p.settled()
		if err != nil {
			return err
		}
		if b.json {
			return b.p.printJSON(report)
		}
		return b.p.emit(describePlans(report, b.p.columns()))
	})
}

func describePlans(r app.BenchReport, width int) string {
	var b strings.Builder
	describeMachine(&b, r.Machine)
	b.WriteByte('\n')
	t := format.Table{{Head: "FIGURE"}, {Head: "UNIT"}, {Head: "P50"}, {Head: "P95", Drop: 3}, {Head: "RUNS", Drop: 4}, {Head: "AIM", Drop: 1}, {Head: "WHAT IT IS", Wrap: true}}
	for _, name := range app.PlanBenchNames() {
		if f, ok := r.Figures[name]; ok {
			about := measuredPlan(name)
			t.Add(name, about.unit, number(f.P50), number(f.P95), strconv.Itoa(f.Runs), about.aim, about.what)
		}
	}
	return b.String() + format.Fitted(t, width)
}

// measuredPlan says what a figure of plans is.
func measuredPlan(name string) meaning {
	switch name {
	case "start_us":
		return meaning{"µs", "≤ 200", "a plan of 20 lines from its text to its first call: parse, check, compile, run"}
	case "parse_mb_per_s":
		return meaning{"MB/s", "≥ 20", "parsing"}
	case "fib30_ratio":
		return meaning{"×", "≤ 4", "calls: fib(30), compared with CPython"}
	case "loop_ratio":
		return meaning{"×", "≤ 4", "a loop over integers"}
	case "dicts_ratio":
		return meaning{"×", "≤ 4", "updates of a dict"}
	case "strings_ratio":
		return meaning{"×", "≤ 4", "f-strings"}
	case "label_overhead":
		return meaning{"×", "≤ 1.25", "the same programs with labels ÷ without"}
	case "dump_kb":
		return meaning{"kB", "", "the stored state of a plan that waits"}
	case "resume_us":
		return meaning{"µs", "", "from a stored state to the call that it waits at, checked again"}
	}
	return meaning{}
}
