package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

func (p *program) sessionCommand() *cobra.Command {
	return group("session", "Named sessions and their snapshots",
		p.sessionList(), p.sessionAdd(), p.sessionFork(), p.sessionRollback(), p.sessionLog(), p.sessionExport(), p.sessionImport(), p.sessionPrune(), p.sessionRemove())
}

// sessionLine is one object of session ls --json.
type sessionLine struct {
	Name      string    `json:"name"`
	Head      string    `json:"head"`
	Snapshots int       `json:"snapshots"`
	Bytes     int64     `json:"bytes"` // on disk: what its snapshots share counts once
	Image     string    `json:"image"`
	Forked    string    `json:"forked,omitempty"`
	Seed      *int64    `json:"seed,omitempty"`
	Created   time.Time `json:"created"`
	Used      time.Time `json:"used"`
	// Added are the packages that it has beside its image's.
	Added    []event.Package `json:"added,omitempty"`
	Unsealed bool            `json:"unsealed,omitempty"` // it can only be removed
}

func (p *program) sessionList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List named sessions, the last used first", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(p, func(a sessioner) error {
				all, err := a.NamedSessions(cmd.Context())
				if err != nil {
					return err
				}
				return p.listSessions(all, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) listSessions(all []app.NamedSession, asJSON bool) error {
	var notes strings.Builder
	t := format.Table{{Head: "NAME"}, {Head: "SNAPSHOTS", Drop: 3}, {Head: "SIZE", Drop: 2}, {Head: "IMAGE", Drop: 1}, {Head: "FORKED FROM", Drop: 4}, {Head: "LAST USED"}}
	for _, s := range all {
		var bytes int64
		for _, snap := range s.Snapshots {
			bytes += snap.Stored
		}
		if asJSON {
			err := p.printJSON(sessionLine{s.Name, s.Head, len(s.Snapshots), bytes, s.Image.Name, s.Forked, s.Seed, s.Created, s.Used, app.AddedTo(s), s.Unsealed})
			if err != nil {
				return err
			}
			continue
		}
		t.Add(s.Name, fmt.Sprint(len(s.Snapshots)), safetext.Size(bytes), s.Image.Name, s.Forked, when(s.Used))
		if s.Unsealed {
			fmt.Fprintf(&notes, "%s is not as Praxis wrote it, or was sealed with another key: it can only be removed.\n", s.Name)
		}
	}
	if asJSON {
		return nil
	}
	if len(all) == 0 {
		return p.emit("There are no named sessions. Make one with: praxis run --session NAME …\n")
	}
	return p.emit(format.Fitted(t, p.columns()) + notes.String())
}

func when(t time.Time) string { return t.Local().Format(time.DateTime) }

func (p *program) sessionFork() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "fork A B", Short: "Make session B, which starts where A stands now", Args: takes(2, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a sessioner) error {
				if err := a.ForkSession(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				return p.done(asJSON, sessionAt{Name: args[1], Forked: args[0]}, fmt.Sprintf("forked %s from %s\n", args[1], args[0]))
			})
		},
	}, &asJSON)
}

func (p *program) sessionRollback() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "rollback A [SNAPSHOT]", Short: "Go back to a snapshot, or to the one before the last", Args: takes(1, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) == 2 {
				id = args[1]
			}
			return on(p, func(a sessioner) error {
				head, err := a.RollbackSession(cmd.Context(), args[0], id)
				if err != nil {
					return err
				}
				return p.done(asJSON, sessionAt{Name: args[0], Head: head}, fmt.Sprintf("%s is at snapshot %s\n", args[0], app.ShortID(head)))
			})
		},
	}, &asJSON)
}

const sessionLogLong = `Shows a session's snapshots as a tree, the oldest first.

The size of each is what it costs on disk beside those that are older: what they
have in common is stored once and compressed, but for the last one, which stays as
it is so that the next command begins at once. With --json "stored_bytes" is that
size, and "bytes" that of the whole state.`

func (p *program) sessionLog() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "log A", Short: "Show a session's snapshots as a tree", Long: sessionLogLong, Args: takes(1, 1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a sessioner) error {
				log, err := a.SessionLog(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if !asJSON {
					return p.emit(snapshotTree(log))
				}
				for _, s := range log {
					if err := p.printJSON(s); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// snapshotTree draws snapshots below what they were made from, the oldest first.
// What was made after a rollback is a branch of its own.
func snapshotTree(log []app.SnapshotInfo) string {
	known := map[string]bool{}
	for _, s := range log {
		known[s.ID] = true
	}
	children := map[string][]app.SnapshotInfo{}
	for _, s := range log {
		parent := s.Parent
		if !known[parent] || parent == s.ID {
			parent = "" // the first, or one whose parent was dropped from the history
		}
		children[parent] = append(children[parent], s)
	}
	var b strings.Builder
	drawn := map[string]bool{}
	var draw func(parent, indent string)
	draw = func(parent, indent string) {
		for {
			next := children[parent]
			for i, s := range next {
				if drawn[s.ID] {
					return // a damaged history that goes in a circle
				}
				drawn[s.ID] = true
				mark := "○"
				if s.Head {
					mark = "●"
				}
				branch := ""
				if len(next) > 1 && i < len(next)-1 {
					branch = "├─"
				} else if len(next) > 1 {
					branch = "└─"
				}
				fmt.Fprintf(&b, "%s%s%s %s  %s  %8s  %s\n", indent, branch, mark, app.ShortID(s.ID), when(s.Created), safetext.Size(s.Stored), label(s.Label))
				if len(next) > 1 {
					bar := "  "
					if i < len(next)-1 {
						bar = "│ "
					}
					draw(s.ID, indent+bar)
				}
			}
			if len(next) != 1 {
				return
			}
			parent = next[0].ID
		}
	}
	draw("", "")
	return b.String()
}

// label is the code that made a snapshot, short enough for a line.
func label(s string) string { return safetext.Clip(safetext.Line(s), 60) }

func (p *program) sessionRemove() *cobra.Command {
	var asJSON bool
	return objectLines(&cobra.Command{
		Use: "rm A…", Short: "Remove sessions and their snapshots", Args: takes(1, 1000, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a sessioner) error {
				for _, name := range args {
					if err := a.RemoveSession(cmd.Context(), name); err != nil {
						return err
					}
					if err := p.done(asJSON, removed{name}, "removed "+name+"\n"); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}, &asJSON)
}
