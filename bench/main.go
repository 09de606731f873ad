// Command bench measures Praxis beside others: what "praxis bench" and "praxis
// plan bench" leave out, because it needs libraries that serve nothing else. It
// is a module of its own, so that the product links none of them.
//
//	go run . plans    the programs of "praxis plan bench" on starlark-go, too
//	go run . tokens   the tokens that tools in code save (package workflow)
//
// The figures are printed as a table, or with -json as one object. Sandboxes
// are those of Praxis: this program is its own helper and guest, as praxis is.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bench"
)

func main() { os.Exit(code(os.Args)) }

// code runs the program and returns the exit code.
func code(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, errUsage):
		return 2
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		if remedy := fault.RemedyOf(err); remedy != "" {
			fmt.Fprintln(os.Stderr, remedy)
		}
		return 1
	}
	return 0
}

// errUsage says that the command was written wrongly, which was said already.
var errUsage = errors.New("usage")

// options are what a person chose.
type options struct {
	rounds int
	json   bool
	sink   event.Sink
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.Usage = func() {
		fmt.Fprintln(progress, "usage: bench [-rounds N] [-json] plans|tokens")
		flags.PrintDefaults()
	}
	o := options{sink: event.SinkFunc(func(e event.Event) {
		if e, ok := e.(event.Progress); ok {
			fmt.Fprintf(progress, "%s: %s\n", e.Stage, e.Text)
		}
	})}
	flags.IntVar(&o.rounds, "rounds", 9, "how often each figure of plans is taken")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	if flags.NArg() != 1 || o.rounds < 1 {
		flags.Usage()
		return errUsage
	}
	switch flags.Arg(0) {
	case "plans":
		return plans(ctx, o, out)
	case "tokens":
		return tokens(ctx, o, out)
	}
	flags.Usage()
	return errUsage
}

// plans measures the plan language beside starlark-go.
func plans(ctx context.Context, o options, out io.Writer) (err error) {
	e, err := open(ctx, o.sink)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	rivals := []bench.Rival{starlarkGo()}
	report, err := bench.Plans(ctx, bench.PlanConfig{Image: e.image, Rounds: o.rounds, Rivals: rivals, Sink: o.sink})
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(out, report)
	}
	return printPlans(out, report, rivals)
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
