package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const exportLong = `Writes a run into a file, RUN.praxis in this folder when nothing else is said.

  praxis  everything: the journal, its signatures, inputs and outputs. It can be
          verified, imported and replayed elsewhere
  jsonl   the journal alone, one record a line, as sha256sum can check it; what
          is long is named by its hash
  html    one page with its pictures, to read and to print
  ipynb   a Jupyter notebook with its outputs
  md      Markdown; pictures go into a folder beside it

A file that is there is left alone unless --force is given.`

// exportCommand is one praxis export.
type exportCommand struct {
	p           *program
	format, out string
	force, json bool
}

func (p *program) exportCommand() *cobra.Command {
	e := &exportCommand{p: p}
	cmd := &cobra.Command{
		Use: "export RUN", Short: "Write a run into a file: a bundle, a page, a notebook", Long: exportLong,
		Example: "  praxis export last --format html\n  praxis export last --out runs/\n  praxis export last --format jsonl --out - | head -1",
		Args:    takes(1, 1, "a run"),
		RunE:    func(cmd *cobra.Command, args []string) error { return e.export(cmd.Context(), args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&e.format, "format", "", "`FORMAT`: praxis, jsonl, html, ipynb or md (default: by the name of --out, else praxis)")
	fs.StringVar(&e.out, "out", "", "`FILE` to write, folder to write into, or - for standard output")
	fs.BoolVar(&e.force, "force", false, "replace the file when it is there")
	fs.BoolVar(&e.json, "json", false, "print one JSON object about the file")
	return cmd
}

func (e *exportCommand) export(ctx context.Context, ref string) error {
	q := app.ExportRequest{Run: ref, Format: e.format, Path: e.out, Force: e.force}
	if e.out == "-" {
		q.Path = ""
	}
	format, err := q.ExportFormat()
	switch {
	case err != nil:
		return err
	case e.out == "-" && e.json:
		return usage("praxis export", "--out - and --json both write to standard output")
	case e.out == "-" && format == "praxis" && isTerminal(e.p.stdout):
		return fault.New(fault.Invalid, "Name a file after --out, or send standard output into one.", "cannot export: a bundle is not text for a terminal")
	}
	if q.Prices, err = app.LoadPrices(e.p.getenv); err != nil {
		q.Prices = app.PriceTable{} // a page without costs is better than none
	}
	return on(e.p, func(a exporter) error {
		if e.out == "-" {
			w := bufio.NewWriterSize(guestWriter(e.p.stdout), 64<<10)
			leftOut, err := a.WriteExport(ctx, q, w)
			return errors.Join(err, w.Flush(), e.note(leftOut))
		}
		out, err := a.Export(ctx, q)
		switch {
		case out.Bytes == 0: // nothing was written
			return err
		case e.json:
			return errors.Join(e.p.printJSON(out), err)
		}
		return errors.Join(e.p.emit(fmt.Sprintf("saved %s (%s)\n", safetext.Line(out.Path), safetext.Size(out.Bytes))), e.note(out.LeftOut), err)
	})
}

// maxLeftOut bounds how much of what was left out is listed.
const maxLeftOut = 10

// note says what the file does not hold.
func (e *exportCommand) note(leftOut []string) error {
	var b strings.Builder
	for i, text := range leftOut {
		if i == maxLeftOut {
			fmt.Fprintf(&b, "praxis: left out: %d more\n", len(leftOut)-i)
			break
		}
		fmt.Fprintf(&b, "praxis: left out: %s\n", safetext.Line(text))
	}
	if len(leftOut) > 0 {
		b.WriteString("praxis: praxis show RUN --out DIR saves it\n")
	}
	_, err := io.WriteString(e.p.stderr, b.String())
	return err
}
