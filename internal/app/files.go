package app

import (
	"cmp"
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
	// Variable is the name of the variable that the content, a text, is the value of; "": it
	// is a file of the working folder.
	Variable string

	at string // in the session; "": in the working folder, by its name
}

// LocalFiles are files of this machine, and all files of folders. It looks at every
// one before anything costs time: the fault is of the first with which something is
// wrong.
func LocalFiles(paths []string) ([]Input, error) {
	var out []Input
	names := map[string]string{}
	for _, p := range paths {
		list, err := filesAt(p)
		if err != nil {
			return nil, err
		}
		for _, in := range list {
			if other, taken := names[in.Name]; taken {
				return nil, sameName(in.Path, other, in.Name)
			}
			names[in.Name] = in.Path
			out = append(out, in)
		}
	}
	if len(out) > MaxInputs {
		return nil, tooMany(len(out))
	}
	return out, nil
}

func sameName(p, other, name string) error {
	return fault.New(fault.Invalid, "Rename one of them: both would be "+path.Join(WorkDir, safetext.Line(name))+".",
		"cannot take file %s: %s has the same name", safetext.Line(p), safetext.Line(other))
}

func tooMany(n int) error {
	return fault.New(fault.Invalid, "Put them into one archive and unpack it in the code.", "cannot take %d files: at most %d are taken", n, MaxInputs)
}

// filesAt returns a file, or those of a folder under the folder's name.
func filesAt(p string) ([]Input, error) {
	if info, err := os.Stat(p); err == nil && info.IsDir() {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, FileFault(p, err)
		}
		return FolderFiles(p, filepath.Base(full))
	}
	in, err := LocalFile(p)
	return []Input{in}, err
}

// FolderFiles are the files of a folder of this machine, as files of the folder "as"
// in the working folder; "" is the working folder itself. Symbolic links are not
// followed: they, and what else is no plain file, are left out, as are files and
// folders whose names begin with a dot.
//
// The folder itself may be named by a link.
func FolderFiles(folder, as string) ([]Input, error) {
	var out []Input
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, FileFault(folder, err)
	}
	folder = real
	err = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return FileFault(p, err)
		case p != folder && d.Name()[0] == '.' && d.IsDir():
			return filepath.SkipDir
		case d.IsDir(), !d.Type().IsRegular(), d.Name()[0] == '.':
			return nil
		}
		in, err := LocalFile(p)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, p)
		if err != nil {
			return FileFault(p, err)
		}
		in.Name = path.Join(as, filepath.ToSlash(below))
		if out = append(out, in); len(out) > MaxInputs {
			return tooMany(len(out))
		}
		return nil
	})
	return out, err
}

// WithFolder adds the files that lie in the folder of a script, and below it, to
// those that were named. One that was named from there itself is taken once.
func WithFolder(script string, named []Input) ([]Input, error) {
	out, err := FolderFiles(filepath.Dir(script), "")
	if err != nil {
		return nil, err
	}
	beside := map[string]Input{}
	for _, in := range out {
		beside[in.Name] = in
	}
	for _, in := range named {
		other, taken := beside[in.Name]
		switch {
		case !taken:
			out = append(out, in)
		case realName(in.Path) != realName(other.Path):
			return nil, sameName(in.Path, other.Path, in.Name)
		}
	}
	if len(out) > MaxInputs {
		return nil, tooMany(len(out))
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
		return Input{}, fault.New(fault.Invalid, "Name a file in it.", "cannot take file %s: it is a folder", safetext.Line(p))
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

// maxStdin bounds what code reads from standard input, in bytes.
const maxStdin = 256 << 20

// StdinOf reads to its end what code is to read from standard input, and stores it in a
// file that drop removes.
func StdinOf(from io.Reader) (in *Input, drop func(), err error) {
	f, err := os.CreateTemp("", "praxis-stdin-*")
	if err != nil {
		return nil, func() {}, fault.New(fault.Unavailable, "Name another folder for temporary files in TMPDIR.", "cannot store standard input: %w", err)
	}
	drop = func() { _ = os.Remove(f.Name()) } // what stays is the system's to remove
	n, err := io.Copy(f, io.LimitReader(from, maxStdin+1))
	err = errors.Join(err, f.Close())
	switch {
	case err != nil:
		err = fault.New(fault.Invalid, "", "cannot read standard input: %w", err)
	case n > maxStdin:
		err = fault.New(fault.Invalid, "Write it to a file, and give the code that.", "cannot read standard input: it is longer than %s", safetext.Size(maxStdin))
	}
	if err != nil {
		drop()
		return nil, func() {}, err
	}
	return &Input{Name: "standard input", Bytes: n, Open: func() (io.ReadCloser, error) { return os.Open(f.Name()) }}, drop, nil
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
		out = append(out, run.Input{File: agent.File{Name: in.Name, Path: cmp.Or(in.at, path.Join(WorkDir, in.Name)), Bytes: in.Bytes}, Open: in.Open})
	}
	return out
}

// questionInputs describes inputs for a run with a model. What they are is found out in the
// sandbox, if anything can be: that one is empty goes to sink, too.
func questionInputs(inputs []Input, sink event.Sink) ([]run.Input, error) {
	out := runInputs(inputs)
	for i, in := range inputs {
		switch {
		case in.at != "": // it is no file of the person's
		case in.Variable != "":
			var err error
			if out[i], err = textVariable(in); err != nil {
				return nil, err
			}
		case in.Bytes == 0:
			out[i].Note = "is empty"
			sink.Emit(event.Notice{Text: "file " + in.Name + " is empty"})
		}
	}
	return out, nil
}

// AddFiles copies files into the session's working folder.
func (s *Session) AddFiles(ctx context.Context, inputs []Input) error {
	return AddFiles(ctx, s, inputs)
}

// FileWriter is what files are written into.
type FileWriter interface {
	WriteFile(ctx context.Context, name string, from io.Reader) error
}

// AddFiles copies inputs into the working folder of a session.
func AddFiles(ctx context.Context, s FileWriter, inputs []Input) error {
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
