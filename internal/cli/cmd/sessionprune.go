package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const sessionPruneLong = `Removes old steps of named sessions: of those that are named, or of all. The step that
a session stands at always stays.

With a number, so many of the last steps of each stay; with an age, those that are
younger; with both, what either keeps. With neither, sessions.keep and sessions.keep_for
of the configuration say it, which are also kept to whenever a step is saved (praxis help
config).

A step that went cannot be gone back to any more. Its contents stay stored where another
session was forked from it, a session that runs needs it, or a recorded run of the last 30
days begins with it, which could not be replayed without; praxis gc removes them later.`

func (p *program) sessionPrune() *cobra.Command {
	var (
		q      app.PruneRequest
		asJSON bool
	)
	keep := flagValue[float64]{parse: app.ParseKeep, kind: "number"}
	age := flagValue[time.Duration]{parse: parseAge, kind: "time"}
	cmd := &cobra.Command{
		Use: "prune [A…]", Short: "Remove old steps of sessions", Long: sessionPruneLong, Args: takes(0, 1000, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Names, q.OlderThan = args, age.value
			if keep.value != nil {
				q.Keep = int(*keep.value)
			}
			return on(p, func(a traveller) error {
				all, err := a.PruneSessions(cmd.Context(), q)
				if err != nil {
					return err
				}
				if !asJSON {
					return p.emit(prunedText(all, q.DryRun, p.columns()))
				}
				for _, one := range all {
					if err := p.printJSON(prunedLine{one, q.DryRun}); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().Var(&keep, "keep", "how many steps of each session stay, the last ones")
	cmd.Flags().Var(&age, "older-than", "age of the steps that may go, such as 7d or 12h")
	cmd.Flags().BoolVar(&q.DryRun, "dry-run", false, "say what would go, and remove nothing")
	return objectLines(cmd, &asJSON)
}

// prunedLine is one object of session prune --json.
type prunedLine struct {
	app.PrunedSession
	DryRun bool `json:"dry_run"`
}

// prunedText says which steps went, or would go.
func prunedText(all []app.PrunedSession, dryRun bool, width int) string {
	t := format.Table{{Head: "NAME"}, {Head: "STEPS", Right: true}, {Head: "SIZE", Right: true}, {Head: "LEFT", Right: true}, {Head: "WHY", Wrap: true}}
	var notes strings.Builder
	bytes, needed := int64(0), 0
	for _, one := range all {
		if one.InUse {
			fmt.Fprintf(&notes, "%s is in use by another command: nothing of it was removed.\n", one.Name)
		}
		if len(one.Steps) == 0 {
			continue
		}
		bytes, needed = bytes+one.Bytes, needed+one.Needed
		t.Add(one.Name, safetext.Number(len(one.Steps)), safetext.Size(one.Bytes), safetext.Number(one.Left), one.Steps[0].Why)
	}
	if t.Empty() {
		return "There is nothing to remove.\n" + notes.String()
	}
	if needed > 0 {
		fmt.Fprintf(&notes, "%s stored: a recorded run begins there, or another session needs it.\n", stays(needed))
	}
	if dryRun {
		return format.Fitted(t, width) + fmt.Sprintf("\nThat would free %s. Nothing was removed.\n", safetext.Size(bytes)) + notes.String()
	}
	return format.Fitted(t, width) + fmt.Sprintf("\nfreed %s\n", safetext.Size(bytes)) + notes.String()
}

func stays(n int) string {
	if n == 1 {
		return "1 of them stays"
	}
	return safetext.Number(n) + " of them stay"
}
