package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
)

// sessionAdded is the object of session add.
type sessionAdded struct {
	Name string `json:"name"`
	Head string `json:"head,omitempty"` // the snapshot that it goes on from; empty: nothing is new
	app.AddedPackages
}

func (p *program) sessionAdd() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "add A PACKAGE…", Short: "Add packages to a session, which keeps its variables", Args: takes(2, 500, "a name or a package"),
		Long: "Add packages to a session, which keeps its variables and files.\n\n" +
			"The packages are chosen to go together with those that the session has, which stay\nas they are. They lie on the session's own disk and count against it; a rollback to\nan earlier snapshot takes them away.",
		Example: "  praxis session add work polars\n  praxis session add work 'plotly>=6' kaleido",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(func(a *app.App) error {
				out, head, err := a.AddToSession(cmd.Context(), args[0], args[1:], p.progress())
				p.settled()
				if err != nil {
					return err
				}
				text := addedText(out)
				if head != "" {
					text += fmt.Sprintf("%s is at snapshot %s\n", args[0], app.ShortID(head))
				}
				return p.done(asJSON, sessionAdded{args[0], head, listed(out)}, text)
			})
		},
	}, &asJSON)
}

// addedText says what a session was given.
func addedText(out app.AddedPackages) string {
	text := ""
	if len(out.Added) > 0 {
		text += "added: " + strings.Join(app.PackageNames(out.Added), ", ") + "\n"
	}
	if len(out.Present) > 0 {
		text += "already there: " + strings.Join(app.PackageNames(out.Present), ", ") + "\n"
	}
	return text
}

// listed has empty lists where nothing is, so that a reader of JSON need not ask.
func listed(out app.AddedPackages) app.AddedPackages {
	return app.AddedPackages{Added: orEmpty(out.Added), Present: orEmpty(out.Present)}
}
