package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"praxis/internal/bench"
)

// starlarkGo is the interpreter of Starlark that is written in Go. It labels
// nothing.
func starlarkGo() bench.Rival {
	return bench.Rival{Name: "starlark", Seconds: func(p bench.Program) (float64, error) {
		f, err := load(p)
		if err != nil {
			return 0, err
		}
		return bench.Best(func() error {
			_, err := starlark.Call(&starlark.Thread{}, f, nil, nil)
			return err
		})
	}}
}

// otherText are the programs that Starlark cannot run as they stand: it has no
// f-strings.
func otherText(name string) string {
	if name == "strings" {
		return `
def f():
    size = 0
    for i in range(zero, 150000):
        size += len("%d: %s %r" % (i, str(i * 2), "ab"))
    return size
`
	}
	return ""
}

// load compiles a program and returns its f.
func load(p bench.Program) (starlark.Value, error) {
	src := otherText(p.Name)
	if src == "" {
		src = p.Python
	}
	opts := &syntax.FileOptions{While: true, Recursion: true, TopLevelControl: true, GlobalReassign: true}
	globals, err := starlark.ExecFileOptions(opts, &starlark.Thread{}, p.Name, "zero = 0\n"+src, nil)
	if err != nil {
		return nil, err
	}
	return globals["f"], nil
}

// printPlans writes the figures of plans and of their rivals.
func printPlans(out io.Writer, r bench.Report, rivals []bench.Rival) error {
	fmt.Fprintf(out, "%s, %d cores, Linux %s, %d MiB\n\n", r.Machine.CPU, r.Machine.Cores, r.Machine.Kernel, r.Machine.MemoryMB)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FIGURE\tP50\tP95\tRUNS")
	for _, name := range bench.PlanNames(rivals...) {
		f := r.Figures[name]
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%d\n", name, f.P50, f.P95, f.Runs)
	}
	return t.Flush()
}
