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
	var npm []string
	cmd := oneObject(&cobra.Command{
		Use: "add A [PACKAGE…]", Short: "Add packages to a session, which keeps its variables", Args: takes(1, 500, "a name"),
		Long: "Add packages to a session, which keeps its variables and files.\n\n" +
			"The packages are chosen to go together with those that the session has, which stay\nas they are. They lie on the session's own disk and count against it; a rollback to\nan earlier snapshot takes them away. Packages of npm are a folder of modules of their own\nwith all that they need, and are looked for where the image has none of their name.",
		Example: "  praxis session add work polars\n  praxis session add work 'plotly>=6' kaleido\n  praxis session add work --npm lodash,d3@7",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := args[1:]
			for _, list := range npm {
				for name := range strings.SplitSeq(list, ",") {
					wanted = append(wanted, app.NPMPrefix+strings.TrimSpace(name))
				}
			}
			if len(wanted) == 0 {
				return usage("praxis session add", "name a package")
			}
			return on(p, func(a adder) error {
				out, head, err := a.AddToSession(cmd.Context(), args[0], wanted, p.progress())
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
	cmd.Flags().StringArrayVar(&npm, "npm", nil, "add `PACKAGES` of npm, such as lodash,d3@7")
	return cmd
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
