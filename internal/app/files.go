package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// MaxInputs bounds how many files a run is given.
const MaxInputs = 256

// Input is a file that code is to see.
type Input struct {
	Name  string // in the working folder
	Path  string // on this machine; "": it has none
	Bytes int64
	Open  func() (io.ReadCloser, error)
}

// LocalFiles are files of this machine. It looks at every one before anything
// costs time: the fault is of the first with which something is wrong.
func LocalFiles(paths []string) ([]Input, error) {
	if len(paths) > MaxInputs {
		return nil, fault.New(fault.Invalid, "Put them into one archive and unpack it in the code.", "cannot take %d files: at most %d are taken", len(paths), MaxInputs)
	}
	var out []Input
	names := map[string]string{}
	for _, p := range paths {
		in, err := LocalFile(p)
		if err != nil {
			return nil, err
		}
		if other, taken := names[in.Name]; taken {
			return nil, fault.New(fault.Invalid, "Rename one of them: both would be "+path.Join(WorkDir, safetext.Line(in.Name))+".",
				"cannot take file %s: %s has the same name", safetext.Line(p), safetext.Line(other))
		}
		names[in.Name] = p
		out = append(out, in)
	}
	return out, nil
}

// LocalFile is a file of this machine.
func LocalFile(p string) (Input, error) {
	info, err := os.Stat(p)
	if err != nil {
		return Input{}, FileFault(p, err)
	}
	if info.IsDir() {
		return Input{}, fault.New(fault.Invalid, "Name the files in it, or pack it and unpack it in the code.", "cannot take file %s: it is a folder", safetext.Line(p))
	}
	if !info.Mode().IsRegular() {
		return Input{}, fault.New(fault.Invalid, "Copy what it holds to a file first.", "cannot take file %s: it is not a regular file", safetext.Line(p))
	}
	f, err := os.Open(p)
	if err != nil {
		return Input{}, FileFault(p, err)
	}
	name := filepath.Base(p)
	if err := f.Close(); err != nil {
		return Input{}, FileFault(p, err)
	}
	if !utf8.ValidString(name) {
		return Input{}, fault.New(fault.Invalid, "Rename it.", "cannot take file %s: its name is not UTF-8", safetext.Line(p))
	}
	return Input{Name: name, Path: p, Bytes: info.Size(), Open: func() (io.ReadCloser, error) {
		f, err := os.Open(p)
		if err != nil {
			return nil, FileFault(p, err)
		}
		return f, nil
	}}, nil
}

// FileFault says what is wrong with a file that a caller named.
func FileFault(p string, err error) error {
	cause := err
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		cause = pathErr.Err // the path is said already
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.NotFound, "Check the path.", "cannot read %s: there is no such file", safetext.Line(p))
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Invalid, "Make it readable for you (chmod u+r).", "cannot read %s: permission denied", safetext.Line(p))
	}
	return fault.New(fault.Invalid, "", "cannot read %s: %w", safetext.Line(p), cause)
}

// inputNames returns what the inputs are called.
func inputNames(inputs []Input) []string {
	var out []string
	for _, in := range inputs {
		out = append(out, in.Name)
	}
	return out
}

// runInputs describes inputs for a run without a model.
func runInputs(inputs []Input) []run.Input {
	var out []run.Input
	for _, in := range inputs {
		out = append(out, run.Input{File: agent.File{Name: in.Name, Path: path.Join(WorkDir, in.Name), Bytes: in.Bytes}, Open: in.Open})
	}
	return out
}

// previewed describes inputs for a run whose model is shown what they begin with.
// What is unusual about one goes to sink, too.
func previewed(inputs []Input, sink event.Sink) ([]run.Input, error) {
	out := runInputs(inputs)
	for i, in := range inputs {
		var err error
		if out[i].Preview, out[i].Note, err = preview(in); err != nil {
			return nil, err
		}
		if note := out[i].Note; note != "" {
			sink.Emit(event.Notice{Text: "file " + in.Name + " " + note})
		}
	}
	return out, nil
}

// AddFiles copies files into the session's working folder.
func (s *Session) AddFiles(ctx context.Context, inputs []Input) error {
	for _, in := range inputs {
		f, err := in.Open()
		if err != nil {
			return err
		}
		err = s.WriteFile(ctx, path.Join(WorkDir, in.Name), f)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("cannot copy %s into the session: %w", safetext.Line(in.Name), err)
		}
	}
	return nil
}
