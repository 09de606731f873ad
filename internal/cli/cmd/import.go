package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

const importLong = `Takes over runs that praxis export wrote. Everything in a file is checked first:
records, hashes, contents, signatures. Nothing is taken over of one that is not
whole, and a run that is here already is never replaced by another.`

func (p *program) importCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE…", Short: "Take over runs from files that were exported", Long: importLong, Args: takes(1, 10000, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a importer) error {
				for _, path := range args {
					if err := p.importFile(cmd.Context(), a, path, asJSON); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, with \"id\"")
	return cmd
}

func (p *program) importFile(ctx context.Context, a importer, path string, asJSON bool) error {
	r, err := a.Import(ctx, path)
	if r.ID == "" {
		return err
	}
	var printErr error
	if asJSON {
		printErr = p.printJSON(r)
	} else {
		printErr = p.emit("imported " + runTitle(r.Run) + "\n")
	}
	if printErr != nil {
		return printErr
	}
	for _, id := range r.UnknownKeys {
		if err := p.note("%s is signed by key %s, which is not known here: praxis key trust", r.ID, id); err != nil {
			return err
		}
	}
	return err
}
