package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	reports "praxis/internal/record/report"
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

// formats are those that a run is exported to, the first being the usual one.
func formats() []string { return []string{"praxis", "jsonl", "html", "ipynb", "md"} }

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

// exported is the object of export --json.
type exported struct {
	Run    string `json:"run"`
	Format string `json:"format"`
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
}

func (e *exportCommand) export(ctx context.Context, ref string) error {
	if err := e.settle(); err != nil {
		return err
	}
	return e.p.withRecords(func(r *app.Records) error {
		id, err := findRun(ctx, r.Journal, ref)
		if err != nil {
			return err
		}
		if e.out == "-" {
			return e.toStdout(ctx, r, id)
		}
		path := e.out
		if info, err := os.Stat(path); path == "" || strings.HasSuffix(path, "/") || err == nil && info.IsDir() {
			path = filepath.Join(path, id+"."+e.format)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return saveFault(path, err)
			}
		}
		var n int64
		err = writeWhole(path, e.force, func(w io.Writer) error {
			counted := &bounded{w: w, left: 1 << 62}
			err := e.write(ctx, r, id, path, counted)
			n = counted.n
			return err
		})
		var bad damaged
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if e.json {
			return errors.Join(e.p.printJSON(exported{id, e.format, path, n}), err)
		}
		return errors.Join(e.p.emit(fmt.Sprintf("saved %s (%s)\n", safetext.Line(path), safetext.Size(n))), err)
	})
}

// settle decides what is written, and refuses what cannot be.
func (e *exportCommand) settle() error {
	if e.format == "" {
		e.format = "praxis"
		if ext := strings.TrimPrefix(filepath.Ext(e.out), "."); slices.Contains(formats(), ext) {
			e.format = ext
		}
	}
	switch {
	case !slices.Contains(formats(), e.format):
		return fault.New(fault.Invalid, "Write one of "+strings.Join(formats(), ", ")+".", "cannot export: there is no format %q", safetext.Line(e.format))
	case e.out == "-" && e.json:
		return usage("praxis export", "--out - and --json both write to standard output")
	case e.out == "-" && e.format == "praxis" && isTerminal(e.p.stdout):
		return fault.New(fault.Invalid, "Name a file after --out, or send standard output into one.", "cannot export: a bundle is not text for a terminal")
	}
	return nil
}

func (e *exportCommand) toStdout(ctx context.Context, r *app.Records, id string) error {
	w := bufio.NewWriterSize(guestWriter(e.p.stdout), 64<<10)
	return errors.Join(e.write(ctx, r, id, "", w), w.Flush())
}

// write writes the run. The error is a damaged one when the run was written as
// far as its journal can be read.
func (e *exportCommand) write(ctx context.Context, r *app.Records, id, path string, w io.Writer) error {
	switch e.format {
	case "praxis":
		return r.Journal.Export(ctx, id, w)
	case "jsonl":
		return copyLog(ctx, r, id, w)
	}
	run, err := readRun(ctx, r.Journal, id)
	var bad damaged
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	if prices, err := e.p.prices(); err == nil {
		run.Cost = costOf(prices)
	}
	switch e.format {
	case "html":
		return errors.Join(reports.HTML(w, run), err)
	case "ipynb":
		return errors.Join(reports.Notebook(w, run), err)
	}
	if pictures := reports.Pictures(run); path != "" && len(pictures) > 0 {
		dir := strings.TrimSuffix(path, filepath.Ext(path)) + "_files"
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return saveFault(dir, err)
		}
		saved, err := savePictures(dir, filepath.Base(dir), pictures, e.force)
		if err != nil {
			return err
		}
		run.Saved = saved
	}
	return errors.Join(reports.Markdown(w, run), err)
}

// copyLog writes the lines of a run's journal as they stand.
func copyLog(ctx context.Context, r *app.Records, id string, w io.Writer) (err error) {
	f, err := r.Files.Logs().Read(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(w, f)
	return err
}

// writeWhole makes a file of what fill writes. It gets its name when it is
// whole; another file of that name is left alone unless it may be replaced.
// What fill could write before a damage is kept, and the damage returned.
func writeWhole(path string, replace bool, fill func(io.Writer) error) error {
	there := func() error {
		return fault.New(fault.Conflict, "Choose another place with --out, or replace what is there with --force.", "cannot save %s: it is there already", safetext.Line(path))
	}
	if info, err := os.Lstat(path); err == nil && (!replace || info.IsDir()) {
		return choice{there()} // before any work is done
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".praxis-*.tmp")
	if err != nil {
		return saveFault(path, err)
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 256<<10)
	fillErr := fill(w)
	var bad damaged
	if fillErr != nil && !errors.As(fillErr, &bad) {
		if atomicfile.Full(fillErr) {
			fillErr = saveFault(path, fillErr)
		}
		return errors.Join(fillErr, f.Close())
	}
	err = errors.Join(w.Flush(), f.Sync(), f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), exportMode)
	}
	if err != nil {
		return saveFault(path, err)
	}
	if replace {
		err = os.Rename(f.Name(), path)
	} else if err = os.Link(f.Name(), path); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		// A file system without links: the name was free a moment ago.
		err = os.Rename(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return choice{there()}
	}
	if err == nil {
		err = atomicfile.Sync(filepath.Dir(path))
	}
	if err != nil {
		return saveFault(path, err)
	}
	return fillErr
}

// exportMode is that of an exported file. A run may hold what is private: who
// else may read it is for the person to say.
const exportMode = 0o600

func saveFault(path string, err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	switch {
	case atomicfile.Full(err):
		return fault.New(fault.Exhausted, "Make room on the disk, or name another place with --out.", "cannot save %s: the disk is full", safetext.Line(path))
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Invalid, "Make the folder first, or name another place with --out.", "cannot save %s: there is no such folder", safetext.Line(path))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.Invalid, "Name a place with --out that you may write to.", "cannot save %s: %w", safetext.Line(path), cause(err))
	}
	return fmt.Errorf("cannot save %s: %w", safetext.Line(path), cause(err))
}
