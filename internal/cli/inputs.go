package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// workDir is the session's working folder.
const workDir = "/work"

// maxInputs bounds what a person may hand in.
const maxInputs = 256

// input is a file of the person that the code is to see.
type input struct {
	name  string // in the working folder
	path  string // on this machine
	bytes int64
	info  os.FileInfo
}

// checkInputs looks at every file before anything costs time: one clear line
// for what is wrong with the first that is.
func checkInputs(paths []string) ([]input, error) {
	if len(paths) > maxInputs {
		return nil, fault.New(fault.Invalid, "Put them into one archive and unpack it in the code.", "cannot take %d files: at most %d are taken", len(paths), maxInputs)
	}
	var out []input
	names := map[string]string{}
	for _, p := range paths {
		in, err := checkInput(p)
		if err != nil {
			return nil, err
		}
		if other, taken := names[in.name]; taken {
			return nil, fault.New(fault.Invalid, "Rename one of them: both would be "+path.Join(workDir, safetext.Line(in.name))+".",
				"cannot take file %s: %s has the same name", safetext.Line(p), safetext.Line(other))
		}
		names[in.name] = p
		out = append(out, in)
	}
	return out, nil
}

func checkInput(p string) (input, error) {
	info, err := os.Stat(p)
	if err != nil {
		return input{}, inputFault(p, err)
	}
	if info.IsDir() {
		return input{}, fault.New(fault.Invalid, "Name the files in it, or pack it and unpack it in the code.", "cannot take file %s: it is a folder", safetext.Line(p))
	}
	if !info.Mode().IsRegular() {
		return input{}, fault.New(fault.Invalid, "Copy what it holds to a file first.", "cannot take file %s: it is not a regular file", safetext.Line(p))
	}
	f, err := os.Open(p)
	if err != nil {
		return input{}, inputFault(p, err)
	}
	name := filepath.Base(p)
	if err := f.Close(); err != nil {
		return input{}, inputFault(p, err)
	}
	if !utf8.ValidString(name) {
		return input{}, fault.New(fault.Invalid, "Rename it.", "cannot take file %s: its name is not UTF-8", safetext.Line(p))
	}
	return input{name: name, path: p, bytes: info.Size(), info: info}, nil
}

// inputFault says what is wrong with a file that was named on the command line.
func inputFault(p string, err error) error {
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

// putInputs copies the files into the session's working folder.
func putInputs(ctx context.Context, w workspace, inputs []input) error {
	for _, in := range inputs {
		if err := putInput(ctx, w, in); err != nil {
			return err
		}
	}
	return nil
}

func putInput(ctx context.Context, w workspace, in input) error {
	f, err := in.open()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := w.put(ctx, path.Join(workDir, in.name), f); err != nil {
		return fmt.Errorf("cannot copy %s into the session: %w", safetext.Line(in.path), err)
	}
	return nil
}

// open opens the file.
func (in input) open() (io.ReadCloser, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return nil, inputFault(in.path, err)
	}
	return f, nil
}

// readCode returns the code that a command line names: -c, a file, or "-" for
// standard input, which is also meant when nothing is named and it is no terminal.
func (p *program) readCode(inline *string, args []string) (string, error) {
	switch {
	case inline != nil && len(args) > 0:
		return "", usage("praxis run", "both -c and %s were given", safetext.Line(args[0]))
	case inline != nil:
		return checkCode("-c", []byte(*inline))
	case len(args) > 0 && args[0] != "-":
		return readCodeFile(args[0])
	case len(args) == 0 && isTerminal(p.stdin):
		return "", fault.New(fault.Invalid, `Name a file, write the code after -c, or pipe it in: praxis run -c "print(1)".`, "cannot run: there is no code")
	}
	data, err := io.ReadAll(io.LimitReader(p.stdin, wire.MaxCode+1))
	if err != nil {
		return "", fault.New(fault.Invalid, "", "cannot read standard input: %w", err)
	}
	return checkCode("standard input", data)
}

func readCodeFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", inputFault(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return "", fault.New(fault.Invalid, "Name a file with Python code.", "cannot run %s: it is a folder", safetext.Line(name))
	}
	data, err := io.ReadAll(io.LimitReader(f, wire.MaxCode+1))
	if err != nil {
		return "", inputFault(name, err)
	}
	return checkCode(name, data)
}

func checkCode(name string, data []byte) (string, error) {
	if len(data) > wire.MaxCode {
		return "", fault.New(fault.Invalid, "Put data into files (--file) and keep the code to what computes.",
			"cannot run %s: it is longer than %d KiB", safetext.Line(name), wire.MaxCode>>10)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return "", fault.New(fault.Invalid, "Save it as UTF-8.", "cannot run %s: it is not UTF-8 text", safetext.Line(name))
	}
	return text, nil
}
