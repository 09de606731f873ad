package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
)

const importLong = `Takes over runs that praxis export wrote. Everything in a file is checked first:
records, hashes, contents, signatures. Nothing is taken over of one that is not
whole, and a run that is here already is never replaced by another.`

func (p *program) importCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE…", Short: "Take over runs from files that were exported", Long: importLong, Args: takes(1, 10000, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withRecords(func(r *app.Records) error {
				for _, path := range args {
					if err := p.importFile(cmd.Context(), r.Journal, path, asJSON); err != nil {
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

func (p *program) importFile(ctx context.Context, j *journal.Journal, path string, asJSON bool) (err error) {
	f, info, err := openExported(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s, err := j.Import(ctx, f, info.Size())
	if err != nil {
		return fmt.Errorf("cannot import %s: %w", safetext.Line(path), err)
	}
	if asJSON {
		err = p.printJSON(s)
	} else {
		err = p.emit("imported " + runTitle(s) + "\n")
	}
	if err != nil {
		return err
	}
	rep, err := j.Verify(ctx, s.ID)
	for _, k := range rep.Keys {
		if !k.Known && err == nil {
			err = p.remark("%s is signed by key %s, which is not known here: praxis key trust", s.ID, k.ID)
		}
	}
	return err
}

// openExported opens a file that a person names.
func openExported(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, inputFault(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.Invalid, "Name a file that praxis export wrote.", "cannot read %s: it is no regular file", safetext.Line(path))
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}
