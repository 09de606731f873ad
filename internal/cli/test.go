package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"praxis/internal/config"
	"praxis/internal/record/replay"
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
			ctx := cmd.Context()
			cfg, err := p.config()
			if err != nil {
				return err
			}
			return p.withEngine(ctx, cfg, func(e engine) error {
				var writeErr error
				_, totals, err := replay.Test(ctx, args[0], replay.Suite{
					Config: replay.Config{Redact: e.records().Journal.Redact, Program: p.version, Sink: p.progress()},
					Bundle: func(ctx context.Context, path string) (replay.Bundle, error) {
						return p.openBundle(ctx, cfg, e, path, r.chosen())
					},
					Done: func(res replay.Result) {
						p.settled()
						res.Remedy = worded(res.Code, res.Data, res.Remedy)
						if asJSON {
							writeErr = errors.Join(writeErr, p.printJSON(res))
						} else {
							writeErr = errors.Join(writeErr, res.Text(p.stdout))
						}
					},
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
					return fate{exitRaised}
				}
				return err
			})
		},
	}
	r.imageFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a run, the totals last")
	return cmd
}

// openBundle opens a run that was exported.
func (p *program) openBundle(ctx context.Context, c config.Config, e engine, path string, o sessionOptions) (replay.Bundle, error) {
	b, err := e.records().Journal.OpenBundle(ctx, path)
	if err != nil {
		return replay.Bundle{}, err
	}
	out := replay.Bundle{Source: b, Run: b.Run(), Open: p.opener(e, o), Close: b.Close}
	if b.Foreign() {
		out.Open = foreign(out.Open, c)
	}
	return out, nil
}
