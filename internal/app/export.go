package app

import (
	"bufio"
	"bytes"
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

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/record/report"
	"praxis/internal/safetext"
)

// ExportFormats are the formats that a run is exported to, the usual one first:
// a bundle that can be imported, the bare journal, a page, a notebook, Markdown.
func ExportFormats() []string { return []string{"praxis", "jsonl", "html", "ipynb", "md"} }

// ExportRequest asks for a run to be written into a file.
type ExportRequest struct {
	Run    string // its id, or a reference to it
	Format string // one of ExportFormats; "": by the name of Path, else the first
	Path   string // of the file, or of a folder for it; "": this folder
	Force  bool   // replace a file that is there
	Prices PriceTable
}

// Exported is a run that was written into a file.
type Exported struct {
	Run    string `json:"run"`
	Format string `json:"format"`
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	// LeftOut says what the code displayed that the format does not hold, such as
	// pages whose scripts would have to run.
	LeftOut []string `json:"left_out,omitempty"`
}

// ExportFormat decides the format of a request, and refuses one that there is not.
func (q ExportRequest) ExportFormat() (string, error) {
	format := q.Format
	if format == "" {
		format = ExportFormats()[0]
		info, err := os.Stat(q.Path)
		folder := strings.HasSuffix(q.Path, "/") || err == nil && info.IsDir()
		if ext := strings.TrimPrefix(filepath.Ext(q.Path), "."); ext != "" && !folder {
			if format = ext; !slices.Contains(ExportFormats(), ext) {
				return "", fault.New(fault.Invalid, "Name it with one of ."+strings.Join(ExportFormats(), ", .")+", or say which format it is to have.",
					"cannot export to %s: there is no format for files called .%s", safetext.Line(q.Path), safetext.Line(ext))
			}
		}
	}
	if !slices.Contains(ExportFormats(), format) {
		return "", fault.New(fault.Invalid, "Write one of "+strings.Join(ExportFormats(), ", ")+".", "cannot export: there is no format %q", safetext.Line(format))
	}
	return format, nil
}

// Export writes a run into a file, whole or not at all. Of a damaged journal what
// can be read is written, and the damage is returned with the file.
func (a *App) Export(ctx context.Context, q ExportRequest) (Exported, error) {
	format, err := q.ExportFormat()
	if err != nil {
		return Exported{}, err
	}
	id, err := a.FindRun(ctx, q.Run)
	if err != nil {
		return Exported{}, err
	}
	x := &export{app: a, id: id, format: format, request: q}
	out, err := SaveExport(q, id, format, func(path string, w io.Writer) error {
		x.path = path
		return x.write(ctx, w)
	})
	out.LeftOut = x.leftOut
	return out, errors.Join(err, x.damage)
}

// SaveExport makes the file that a run with this id is exported to: fill writes it, whole or
// not at all.
func SaveExport(q ExportRequest, id, format string, fill func(path string, w io.Writer) error) (Exported, error) {
	path, err := exportPath(q.Path, id+"."+format)
	if err != nil {
		return Exported{}, err
	}
	out := Exported{Run: id, Format: format, Path: path}
	err = writeWhole(path, q.Force, func(w io.Writer) error {
		counted := &boundedWriter{w: w, left: 1 << 62}
		err := fill(path, counted)
		out.Bytes = counted.n
		return err
	})
	return out, err
}

// exportPath is where something is exported to: path, or the file called name in it
// when it is a folder, which is made if its name ends in a slash. "" is this folder.
func exportPath(path, name string) (string, error) {
	info, err := os.Stat(path)
	if path != "" && !strings.HasSuffix(path, "/") && (err != nil || !info.IsDir()) {
		return path, nil
	}
	path = filepath.Join(path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", saveFault(path, err)
	}
	return path, nil
}

// WriteExport writes a run to w in a format, and returns what the format does not hold
// (see [Exported]).
func (a *App) WriteExport(ctx context.Context, q ExportRequest, w io.Writer) (leftOut []string, err error) {
	format, err := q.ExportFormat()
	if err != nil {
		return nil, err
	}
	id, err := a.FindRun(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	x := &export{app: a, id: id, format: format, request: q}
	err = x.write(ctx, w)
	return x.leftOut, errors.Join(err, x.damage)
}

// export is one run on its way into a file.
type export struct {
	app        *App
	id, format string
	path       string // of the file; "": there is none
	request    ExportRequest
	damage     error // of the journal; what stands before it is written
	leftOut    []string
}

func (x *export) write(ctx context.Context, w io.Writer) error {
	switch x.format {
	case "praxis":
		return x.app.records.Journal.Export(ctx, x.id, w)
	case "jsonl":
		return x.app.copyLog(ctx, x.id, w)
	}
	run, err := x.app.ReadTree(ctx, x.id)
	if err != nil && run.Damage == "" {
		return err
	}
	x.damage = err
	run.Cost = CostOf(x.request.Prices)
	defer func() { x.leftOut = report.LeftOut(run, x.format) }()
	switch x.format {
	case "html":
		if s := &run.Seal; x.damage == nil {
			if s.Hash, s.Key, s.Signature, err = x.app.records.Journal.Seal(ctx, x.id); err != nil {
				return err
			}
		}
		return report.HTML(w, run)
	case "ipynb":
		return report.Notebook(w, run)
	}
	if pictures := report.Pictures(run); x.path != "" && len(pictures) > 0 {
		dir := strings.TrimSuffix(x.path, filepath.Ext(x.path)) + "_files"
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return saveFault(dir, err)
		}
		if run.Saved, err = SavePictures(dir, filepath.Base(dir), pictures, x.request.Force); err != nil {
			return err
		}
	}
	return report.Markdown(w, run)
}

// copyLog writes the lines of a run's journal as they stand.
func (a *App) copyLog(ctx context.Context, id string, w io.Writer) (err error) {
	f, err := a.records.Files.Logs().Read(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(w, f)
	return err
}

// writeWhole makes a file of what fill writes. It gets its name when it is
// whole; another file of that name is left alone unless it may be replaced.
func writeWhole(path string, replace bool, fill func(io.Writer) error) error {
	there := func() error {
		return fault.Coded(fault.FileExists, fault.Data{"file": path}, "cannot save %s: it is there already", safetext.Line(path))
	}
	if info, err := os.Lstat(path); err == nil && (!replace || info.IsDir()) {
		return there() // before any work is done
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".praxis-*.tmp")
	if err != nil {
		return saveFault(path, err)
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 256<<10)
	fillErr := fill(w)
	if fillErr != nil {
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
		// A file system without links: the name was free shortly before.
		err = os.Rename(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return there()
	}
	if err == nil {
		err = atomicfile.Sync(filepath.Dir(path))
	}
	if err != nil {
		return saveFault(path, err)
	}
	return nil
}

// exportMode is that of an exported file. A run may contain private data: who
// else may read it is for the person to say.
const exportMode = 0o600

func saveFault(path string, err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	switch {
	case atomicfile.Full(err):
		return fault.New(fault.Exhausted, "Free space on the disk, or name another place.", "cannot save %s: the disk is full", safetext.Line(path))
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Invalid, "Make the folder first, or name another place.", "cannot save %s: there is no such folder", safetext.Line(path))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.Invalid, "Name a place that you may write to.", "cannot save %s: %w", safetext.Line(path), cause(err))
	}
	return fmt.Errorf("cannot save %s: %w", safetext.Line(path), cause(err))
}

// SavePictures writes pictures into a folder and returns their paths by their
// names. The paths begin with prefix instead of the folder when it is not empty.
func SavePictures(dir, prefix string, pictures []report.Picture, force bool) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range pictures {
		name := filepath.Base(p.Name)
		path := filepath.Join(dir, name)
		if data := p.File(); !sameContent(path, data) {
			if err := writeWhole(path, force, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			}); err != nil {
				return nil, err
			}
		}
		out[p.Name] = path
		if prefix != "" {
			out[p.Name] = prefix + "/" + name
		}
	}
	return out, nil
}

// sameContent says whether a file is what would be written there.
func sameContent(path string, data []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	there, err := os.ReadFile(path)
	return err == nil && bytes.Equal(there, data)
}

// Imported is a run that was taken over.
type Imported struct {
	Run
	UnknownKeys []string `json:"-"` // ids of keys that signed it and are not known here
}

// Import takes over a run from a file that one was exported to. Everything in it
// is checked first; a run that is here already is never replaced by another.
func (a *App) Import(ctx context.Context, path string) (out Imported, err error) {
	return a.importAs(ctx, path, path)
}

// importAs is Import of a file that its caller knows under a name.
func (a *App) importAs(ctx context.Context, path, name string) (out Imported, err error) {
	f, size, err := openExported(path)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if out.Run, err = a.records.Journal.Import(ctx, f, size); err != nil {
		return out, fmt.Errorf("cannot import %s: %w", safetext.Line(name), err)
	}
	rep, err := a.records.Journal.Verify(ctx, out.ID)
	for _, k := range rep.Keys {
		if !k.Known {
			out.UnknownKeys = append(out.UnknownKeys, k.ID)
		}
	}
	return out, err
}

// openExported opens a file that a caller names, and returns its size.
func openExported(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, FileFault(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.Invalid, "Name a file that a run was exported to.", "cannot read %s: it is no regular file", safetext.Line(path))
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// SaveFile writes a file whole. One of that name is left alone unless it may be
// replaced.
func SaveFile(path string, replace bool, data []byte) error {
	return writeWhole(path, replace, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
