package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/planner"
	"praxis/internal/record/replay"
)

// plan carries a run out again if it is one of plans: that takes no sandbox. A
// run that cannot be found is for the caller to tell of.
func (r *replayCommand) plan(ctx context.Context, cmd *cobra.Command, ref string) (done bool, err error) {
	err = r.p.withRecords(func(records *app.Records) error {
		id, err := findRun(ctx, records.Journal, ref)
		if err != nil {
			return err
		}
		began, err := replay.Began(ctx, records.Journal, id)
		if err != nil && fault.KindOf(err) != fault.Conflict {
			return err
		}
		if err != nil || !replay.IsPlan(began) {
			return nil
		}
		done = true
		others := []string{"from", "model", "question", "code", "edit", "image", "with", "requirements", "file", "loose", "tools"}
		if i := slices.IndexFunc(others, cmd.Flags().Changed); i >= 0 {
			return usage("praxis replay", "--%s is for runs of code, and run %s is one of a plan", others[i], id)
		}
		return r.replayPlan(ctx, records, id)
	})
	return done, err
}

func (r *replayCommand) replayPlan(ctx context.Context, records *app.Records, id string) error {
	c := replay.PlanConfig{Redact: records.Journal.Redact}
	if r.policy != "" {
		text, err := readBounded(r.policy, maxPolicy)
		if err != nil {
			return err
		}
		c.Policy = &planner.Text{Name: r.policy, Text: string(text)}
	}
	rec, err := replay.LoadPlan(ctx, records.Journal, id)
	if err != nil {
		return err
	}
	report, err := replay.ReplayPlan(ctx, rec, c)
	if err != nil {
		return err
	}
	if r.json {
		err = r.p.printJSON(report)
	} else {
		err = report.Text(r.p.stdout)
	}
	switch {
	case err != nil:
		return err
	case !report.Identical:
		return fate{exitNot}
	case rec.Ended == nil:
		return fate{exitUnfinished}
	}
	return nil
}
