package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/notebook"
	"praxis/internal/record/report"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// maxNotebook bounds a notebook's file in bytes: its pictures stand in it.
const maxNotebook = 64 << 20

// NotebookExtension is the ending of the files that notebooks are in.
const NotebookExtension = notebook.Extension

// Notebook is a Jupyter notebook, whose cells of code are run in order.
type Notebook struct {
	path string
	read []byte // the file's content
	book *notebook.Notebook
}

// ReadNotebook reads a notebook, and refuses one whose cells cannot be run. One that is
// to be saved must be a file that may be written to: nobody wants to learn that when the
// cells have run.
func ReadNotebook(path string, save bool) (*Notebook, error) {
	data, err := ReadText(path, maxNotebook)
	if err != nil {
		return nil, err
	}
	n, err := ParseNotebook(path, data)
	if err != nil {
		return nil, err
	}
	if save {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, saveFault(path, err)
		}
		if err := f.Close(); err != nil {
			return nil, saveFault(path, err)
		}
	}
	return n, nil
}

// ParseNotebook is ReadNotebook of what somebody read before, from a file of a name.
func ParseNotebook(name string, data []byte) (*Notebook, error) {
	book, err := notebook.Parse(data, Languages())
	if err != nil {
		return nil, fault.New(fault.Invalid, fault.RemedyOf(err), "cannot run notebook %s: %w", safetext.Clip(safetext.Line(name), 200), err)
	}
	return &Notebook{path: name, read: data, book: book}, nil
}

// File is the notebook as it was read.
func (n *Notebook) File() []byte { return n.read }

// Code is the code of all cells.
func (n *Notebook) Code() string { return strings.Join(n.book.Code(), "\n") }

// pieces are its cells.
func (n *Notebook) pieces() []run.Piece {
	var out []run.Piece
	langs := n.book.Languages()
	for i, code := range n.book.Code() {
		out = append(out, run.Piece{Language: langs[i], Code: code})
	}
	return out
}

// Save writes the notebook with the outputs of the cells that were run over the file that
// it was read from, unless that is another by now.
func (n *Notebook) Save(cells *CellCollector) (SavedFile, error) {
	failed := func(err error) (SavedFile, error) { return SavedFile{}, saveFault(n.path, err) }
	outputs, err := cells.outputs.Outputs()
	if err != nil {
		return failed(err)
	}
	data, err := n.book.With(outputs)
	if err != nil {
		return failed(err)
	}
	if len(data) > maxNotebook {
		return SavedFile{}, fault.New(fault.Exhausted, "Show less, or smaller pictures.",
			"cannot save %s: with its outputs it is longer than %s", safetext.Line(n.path), safetext.Size(maxNotebook))
	}
	path, err := filepath.EvalSymlinks(n.path)
	if err != nil {
		return failed(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return failed(err)
	}
	if now, err := ReadText(path, maxNotebook); err != nil || !bytes.Equal(now, n.read) {
		return SavedFile{}, fault.New(fault.Conflict, "Run it again.", "cannot save %s: it was changed while its cells ran", safetext.Line(n.path))
	}
	if err := atomicfile.Replace(path, data, info.Mode().Perm()); err != nil {
		return failed(err)
	}
	return SavedFile{Path: n.path, Bytes: int64(len(data))}, nil
}

// NewCellCollector returns what takes what comes of a notebook's cells.
func NewCellCollector() *CellCollector { return &CellCollector{outputs: report.NewCells()} }

// CellCollector takes what comes of a notebook's cells while they run.
type CellCollector struct {
	outputs    *report.Cells
	executions []event.Execution
}

// Emit keeps what a cell shows, and how it ended.
func (c *CellCollector) Emit(e event.Event) {
	c.outputs.Emit(e)
	if ended, ok := e.(event.ExecutionEnded); ok {
		c.executions = append(c.executions, ended.Execution)
	}
}
