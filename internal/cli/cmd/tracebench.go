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

type traceBenchCommand struct {
	p    *program
	with []string
	runs int
	json bool
}

func (p *program) traceBenchCommand() *cobra.Command {
	b := &traceBenchCommand{p: p}
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Say where the time of the smallest execution goes",
		Long: `Runs the smallest execution many times and says how long each hop of its way takes:
from the host to the agent in the sandbox, from there to the kernel, and back.

The two machines have clocks of their own. What lies between them is measured by
one clock for both ways together, and divided as if the fastest way there took as
long as the fastest way back. The medians of hops need not add up to the whole.`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context()) },
	}
	withFlag(cmd, &b.with)
	cmd.Flags().IntVar(&b.runs, "runs", 500, "how many executions")
	cmd.Flags().BoolVar(&b.json, "json", false, "print one JSON object instead")
	return cmd
}

// withFlag is the packages of what is measured.
func withFlag(cmd *cobra.Command, with *[]string) {
	cmd.Flags().StringArrayVar(with, "with", []string{benchWith}, "`PACKAGES` of the image that is measured")
	cmd.Flags().Lookup("with").DefValue = benchWith // as a person writes it
}

// packagesOf are those of the flag; "none" means none.
func packagesOf(with []string) []string {
	if slices.Equal(with, []string{"none"}) {
		return nil
	}
	return with
}

func (b *traceBenchCommand) run(ctx context.Context) error {
	if b.runs < 1 || b.runs > 100_000 {
		return usage("praxis bench trace", "--runs %d is not a number from 1 to 100000", b.runs)
	}
	return b.p.withApp(func(a *app.App) error {
		trace, err := a.BenchTrace(ctx, packagesOf(b.with), b.runs, b.p.quiet())
		b.p.settled()
		if err != nil {
			return err
		}
		if b.json {
			return b.p.printJSON(trace)
		}
		return b.p.emit(describeTrace(trace, b.p.columns()))
	})
}

func describeTrace(r app.BenchTrace, width int) string {
	var b strings.Builder
	describeMachine(&b, r.Machine)
	fmt.Fprintf(&b, "image    %s\ncode     %s, %s\n\n", safetext.Line(r.Image), r.Code, safetext.Count(r.Whole.Runs, "run"))
	t := format.Table{{Head: "HOP"}, {Head: "P50 µs"}, {Head: "P95", Drop: 2}, {Head: "P99", Drop: 3}, {Head: "WHAT IT IS", Wrap: true}}
	for _, h := range slices.Concat(r.Hops, []app.BenchHop{r.Both, r.Whole}) {
		t.Add(h.Name, strconv.FormatFloat(h.P50, 'f', 0, 64), strconv.FormatFloat(h.P95, 'f', 0, 64), strconv.FormatFloat(h.P99, 'f', 0, 64), h.What)
	}
	return b.String() + format.Fitted(t, width)
}

// describeMachine says where something was measured.
func describeMachine(b *strings.Builder, m app.BenchMachine) {
	fmt.Fprintf(b, "machine  %s, %s, Linux %s, %d MiB\n",
		safetext.Line(m.CPU), safetext.Count(m.Cores, "core"), safetext.Line(m.Kernel), m.MemoryMB)
}
