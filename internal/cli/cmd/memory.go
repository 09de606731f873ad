package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

func (p *program) memoryCommand() *cobra.Command {
	return group("memory", "Notes that the agent keeps across threads",
		p.memoryList(), p.memorySearch(), p.memoryShow(), p.memoryRemove())
}

func (p *program) memoryList() *cobra.Command {
	var asJSON bool
	var q app.NoteQuery
	cmd := &cobra.Command{
		Use: "ls", Short: "List notes, newest first", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(p, func(a noter) error {
				found, err := a.Notes(cmd.Context(), q)
				if listErr := p.listNotes(found, asJSON, "There are no notes. The agent keeps them in questions with --thread or --notes.\n"); listErr != nil {
					return listErr
				}
				return err // of those that cannot be read
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Thread, "thread", "", "of the thread `NAME` alone")
	fs.StringVar(&q.Tag, "tag", "", "with this `TAG` alone")
	fs.IntVar(&q.Limit, "limit", 100, "at most so many")
	fs.BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) memorySearch() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "search WORDS", Short: "Search the notes, the best first", Args: takes(1, 100, "words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a noter) error {
				found, err := a.SearchNotes(cmd.Context(), strings.Join(args, " "))
				if err != nil {
					return err
				}
				return p.listNotes(found, asJSON, "No note fits.\n")
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) listNotes(found []app.Note, asJSON bool, none string) error {
	t := format.Table{{Head: "ID"}, {Head: "WHEN", Drop: 1}, {Head: "THREAD", Drop: 2}, {Head: "TAGS", Drop: 3}, {Head: "NOTE"}}
	for _, n := range found {
		if asJSON {
			if err := p.printJSON(n); err != nil {
				return err
			}
			continue
		}
		t.Add(app.ShortID(n.ID), when(n.Created), n.From.Thread, safetext.Line(strings.Join(n.Tags, " ")), safetext.Clip(safetext.Line(n.Text), 60))
	}
	switch {
	case asJSON:
		return nil
	case len(found) == 0:
		return p.emit(none)
	}
	return p.emit(format.Fitted(t, p.columns()))
}

func (p *program) memoryShow() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "show ID", Short: "Show a note and where it comes from", Args: takes(1, 1, "the id of a note"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a noter) error {
				n, err := a.Note(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return p.done(asJSON, n, noteText(n))
			})
		},
	}, &asJSON)
}

// noteText shows all of a note.
func noteText(n app.Note) string {
	text := fmt.Sprintf("note   %s\nkept   %s\nfrom   %s\n", safetext.Line(n.ID), when(n.Created), safetext.Line(app.NoteOrigin(n)))
	if len(n.Tags) > 0 {
		text += "tags   " + safetext.Line(strings.Join(n.Tags, ", ")) + "\n"
	}
	return text + "\n" + safetext.Text(n.Text) + "\n"
}

func (p *program) memoryRemove() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "rm ID", Short: "Remove a note", Args: takes(1, 1, "the id of a note"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a noter) error {
				id, err := a.RemoveNote(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return p.done(asJSON, removed{id}, fmt.Sprintf("removed note %s\n", id))
			})
		},
	}, &asJSON)
}
