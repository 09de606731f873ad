package cmd

import (
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	reports "praxis/internal/record/report"
)

const diffLong = `Shows what differs between two runs: the question, the model, the image, the
inputs, then step by step the code, its status, its output and the files that
it changed, and the answer. Times, tokens and ids are not compared. The exit
code is 1 when something differs, as with diff.`

func (p *program) diffCommand() *cobra.Command {
	var step int
	var asJSON bool
	cmd := &cobra.Command{
		Use: "diff RUN RUN", Short: "Show what differs between two runs", Long: diffLong, Args: takes(2, 2, "a run"),
		Example: "  praxis diff last~1 last",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.diff(cmd.Context(), args[0], args[1], step, asJSON)
		},
	}
	cmd.Flags().IntVar(&step, "step", 0, "compare step `N` alone")
	return oneObject(cmd, &asJSON)
}

// diffObject is the object of diff --json.
type diffObject struct {
	First  string `json:"first"`
	Second string `json:"second"`
	Same   bool   `json:"same"`
	Text   string `json:"text"` // what differs, as it is shown to a person
}

func (p *program) diff(ctx context.Context, a, b string, step int, asJSON bool) error {
	return on(p, func(x recorder) error {
		var runs [2]reports.Run
		var damage error
		for i, ref := range []string{a, b} {
			run, err := x.ReadRun(ctx, ref)
			if err != nil && run.Damage == "" {
				return err
			}
			runs[i], damage = run, errors.Join(damage, err)
		}
		var out bytes.Buffer
		same, err := reports.Diff(&out, runs[0], runs[1], reports.Options{Step: step, Colour: p.colours(p.stdout) && !asJSON})
		if err == nil {
			err = p.done(asJSON, diffObject{runs[0].ID, runs[1].ID, same, out.String()}, out.String())
		}
		if err := errors.Join(err, damage); err != nil {
			return err
		}
		if !same {
			return exitStatus{exitNot}
		}
		return nil
	})
}
