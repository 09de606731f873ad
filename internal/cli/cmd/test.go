package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
)

// testCommand replays every run of a folder.
func (p *program) testCommand() *cobra.Command {
	var asJSON bool
	r := &replayCommand{p: p}
	cmd := &cobra.Command{
		Use: "test DIR", Short: "Replay every run of a folder, as a test runner does", Args: takes(1, 1, "a folder"),
		Long: `Replays every run that was exported into a folder (praxis export RUN --out DIR)
and says which are identical. The exit code is 0 only when all are. With --image
or --with on another image: the regression test of an upgrade.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(func(a *app.App) error {
				var writeErr error
				totals, err := a.TestRuns(cmd.Context(), args[0], r.chosen(), p.quiet(), func(res app.SuiteResult) {
					p.settled()
					res.Remedy = format.Worded(res.Code, res.Data, res.Remedy)
					if asJSON {
						writeErr = errors.Join(writeErr, p.printJSON(res))
					} else {
						writeErr = errors.Join(writeErr, res.Text(p.stdout))
					}
				})
				if err := errors.Join(err, writeErr); err != nil {
					return err
				}
				if asJSON {
					err = p.printJSON(totals)
				} else {
					err = totals.Text(p.stdout)
				}
				if err == nil && totals.OK != totals.Runs {
					return exitStatus{exitRaised}
				}
				return err
			})
		},
	}
	r.imageFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a run, the totals last")
	return cmd
}
