package cmd

import (
	"github.com/spf13/cobra"

	"praxis/internal/app"
)

// assertCommand runs a person's assertions on the final state of a run.
func (p *program) assertCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "assert RUN FILE.py", Short: "Run assertions on the final state of a run", Args: takes(2, 2, "a run and a file"),
		Long: `Runs a Python file in the session of a run as it was at its end, with its
variables and files: assert statements, and functions whose names begin with
test_, one by one. Nothing of it is kept. The state is that of the run's last
snapshot; when that is gone, the run is replayed to its end first. The exit code
is 0 only when everything holds.`,
		Example: "  praxis assert last checks.py",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			code, err := readCodeFile(args[1])
			if err != nil {
				return err
			}
			return p.withApp(func(a *app.App) error {
				out, err := a.Assert(ctx, args[0], args[1], code, p.quiet())
				p.settled()
				if err != nil {
					return err
				}
				if asJSON {
					err = p.printJSON(out)
				} else {
					err = out.Text(p.stdout)
				}
				if err == nil && !out.OK {
					return exitStatus{exitRaised}
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}
