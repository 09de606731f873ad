package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/safetext"
)

const sessionExportLong = `Writes a named session into one file: its snapshots, which hold its variables and
files, and the packages of its image. The same version of Praxis goes on with it in
another data folder, on this machine or on another whose processor can do as much.

The file holds all that the session's code knew: treat it like the data.`

func (p *program) sessionExport() *cobra.Command {
	var q app.SessionExport
	var asJSON bool
	cmd := &cobra.Command{
		Use: "export A", Short: "Write a session into a file", Long: sessionExportLong, Args: takes(1, 1, "a name"),
		Example: "  praxis session export analysis --out analysis.praxis-session",
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a traveller) error {
				q.Name = args[0]
				out, err := a.ExportSession(cmd.Context(), q, p.progress())
				if err != nil {
					return err
				}
				return p.done(asJSON, out, fmt.Sprintf("saved %s (%s)\n", safetext.Line(out.Path), safetext.Size(out.Bytes)))
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Path, "out", "", "`FILE` to write, or folder to write into (default: this folder)")
	fs.BoolVar(&q.Head, "head", false, "where it stands alone, without the snapshots before")
	fs.BoolVar(&q.Force, "force", false, "replace the file when it is there")
	return oneObject(cmd, &asJSON)
}

const sessionImportLong = `Makes a named session of a file that praxis session export wrote. Everything in the
file is compared with its digest, and the image is made anew from its packages and has to
be the very same. Nothing is there when it fails.

What the session's code does is kept in a sandbox like that of any other; what it says is
worth as much as where the file comes from.`

func (p *program) sessionImport() *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take over a session from a file that was exported", Long: sessionImportLong, Args: takes(1, 1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a traveller) error {
				s, err := a.ImportSession(cmd.Context(), args[0], name, p.progress())
				if err != nil {
					return err
				}
				return p.done(asJSON, sessionAt{Name: s.Name, Head: s.Head}, fmt.Sprintf("imported session %s, at snapshot %s\n", s.Name, app.ShortID(s.Head)))
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that it gets (default: the one that it had)")
	return oneObject(cmd, &asJSON)
}
