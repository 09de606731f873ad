package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

func (p *program) threadCommand() *cobra.Command {
	return group("thread", "Conversations that go on (ask --thread NAME)",
		p.threadList(), p.threadShow(), p.threadFork(), p.threadRename(), p.threadRemove())
}

func (p *program) threadList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List threads, the last used first", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(p, func(a threader) error {
				all, err := a.Threads(cmd.Context())
				if listErr := p.listThreads(all, asJSON); listErr != nil {
					return listErr
				}
				return err // of those that cannot be read
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) listThreads(all []app.Thread, asJSON bool) error {
	if asJSON {
		for _, th := range all {
			if err := p.printJSON(th); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		return p.emit("There are no threads. Begin one with: praxis ask --thread NAME \"QUESTION\"\n")
	}
	cols := format.Table{
		{Head: "NAME"}, {Head: "QUESTIONS", Right: true, Drop: 1}, {Head: "SIZE", Right: true, Drop: 3},
		{Head: "FORKED FROM", Drop: 4}, {Head: "LAST USED", Drop: 2}, {Head: "LAST QUESTION"},
	}
	for _, th := range all {
		cols.Add(th.Name, fmt.Sprint(th.Turns), safetext.Size(th.Bytes), th.Forked, when(th.Used), th.Question)
	}
	return p.emit(format.Fitted(cols, p.columns()))
}

func (p *program) threadShow() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "show NAME", Short: "Show a thread: its questions and answers", Args: takes(1, 1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a threader) error {
				turns, err := a.ThreadTurns(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(struct {
						Turns []app.Turn `json:"turns"`
					}{orEmpty(turns)})
				}
				return p.emit(turnsText(turns))
			})
		},
	}, &asJSON)
}

// turnsText shows what was asked and answered. The whole of each run is shown by
// praxis show.
func turnsText(turns []app.Turn) string {
	var b strings.Builder
	for _, t := range turns {
		if t.Removed {
			fmt.Fprintf(&b, "run %s was removed\n\n", safetext.Line(t.Run))
			continue
		}
		fmt.Fprintf(&b, "%s  run %s\n> %s\n\n", when(t.Time), safetext.Line(t.Run), indentRest(safetext.Text(t.Question), "> "))
		if t.Answer != "" {
			fmt.Fprintf(&b, "%s\n\n", safetext.Text(t.Answer))
		}
	}
	return b.String()
}

func (p *program) threadFork() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "fork A B", Short: "Make thread B, which goes on where A stands now", Args: takes(2, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a threader) error {
				if err := a.ForkThread(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				return p.done(asJSON, sessionAt{Name: args[1], Forked: args[0]}, fmt.Sprintf("forked thread %s from %s\n", args[1], args[0]))
			})
		},
	}, &asJSON)
}

func (p *program) threadRename() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "rename A B", Short: "Give a thread and its session another name", Args: takes(2, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a threader) error {
				if err := a.RenameThread(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				return p.done(asJSON, sessionAt{Name: args[1], Was: args[0]}, fmt.Sprintf("thread %s is called %s now\n", args[0], args[1]))
			})
		},
	}, &asJSON)
}

func (p *program) threadRemove() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "rm A", Short: "Remove a thread and its session", Args: takes(1, 1, "a name"),
		Long: "Removes a thread: its conversation, variables and files. Its runs stay in the journal.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a threader) error {
				if err := a.RemoveThread(cmd.Context(), args[0]); err != nil {
					return err
				}
				return p.done(asJSON, removed{args[0]}, fmt.Sprintf("removed thread %s\n", safetext.Line(args[0])))
			})
		},
	}, &asJSON)
}
