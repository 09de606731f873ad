package cmd

import (
	"errors"
	"io"
	"os"
	"regexp"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

// readCode returns the code that a command line names: -c, a file, or "-" for
// standard input, which is also meant when nothing is named and it is no terminal.
func (p *program) readCode(inline *string, args []string) (string, error) {
	switch {
	case inline != nil && len(args) > 0:
		return "", usage("praxis run", "both -c and %s were given", safetext.Line(args[0]))
	case inline != nil:
		return app.CheckCode("-c", *inline)
	case len(args) > 0 && args[0] != "-":
		return readCodeFile(args[0])
	case len(args) == 0 && isTerminal(p.stdin):
		return "", fault.New(fault.Invalid, `Name a file, write the code after -c, or pipe it in: praxis run -c "print(1)".`, "cannot run: there is no code")
	}
	data, err := p.readInput(app.MaxCode, app.ShorterCode)
	if err != nil {
		return "", err
	}
	return app.CheckCode("standard input", string(data))
}

func readCodeFile(name string) (string, error) {
	data, err := app.ReadText(name, app.MaxCode)
	if err != nil {
		return "", err
	}
	return app.CheckCode(safetext.Line(name), string(data))
}

// maxStdin bounds what code reads from standard input, in bytes.
const maxStdin = 256 << 20

// readsStdin finds code that reads from standard input.
var readsStdin = regexp.MustCompile(`\bstdin\b|\binput\s*\(|\bfileinput\b`)

// stdinFor returns what code reads from standard input, as a file that drop removes;
// nil when it reads none. A pipe need never end, so that it is read for code that
// mentions it alone, or when it is asked for.
func (p *program) stdinFor(code string, wanted bool) (in *app.Input, drop func(), err error) {
	drop = func() {}
	piped := false
	if f, ok := p.stdin.(*os.File); ok {
		info, err := f.Stat()
		piped = err == nil && (info.Mode().IsRegular() || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0)
	} else {
		piped = p.stdin != nil
	}
	if !wanted && (!piped || !readsStdin.MatchString(code)) {
		return nil, drop, nil
	}
	f, err := os.CreateTemp("", "praxis-stdin-*")
	if err != nil {
		return nil, drop, fault.New(fault.Unavailable, "Name another folder for temporary files in TMPDIR.", "cannot keep standard input: %w", err)
	}
	drop = func() { _ = os.Remove(f.Name()) } // what stays is the system's to remove
	n, err := io.Copy(f, io.LimitReader(p.stdin, maxStdin+1))
	err = errors.Join(err, f.Close())
	switch {
	case err != nil:
		err = fault.New(fault.Invalid, "", "cannot read standard input: %w", err)
	case n > maxStdin:
		err = fault.New(fault.Invalid, "Write it to a file and give it with --file.", "cannot read standard input: it is longer than %s", safetext.Size(maxStdin))
	}
	if err != nil {
		drop()
		return nil, func() {}, err
	}
	return &app.Input{Name: "standard input", Bytes: n, Open: func() (io.ReadCloser, error) { return os.Open(f.Name()) }}, drop, nil
}
