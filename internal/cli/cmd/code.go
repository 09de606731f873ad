package cmd

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

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
		return checkCode("-c", []byte(*inline))
	case len(args) > 0 && args[0] != "-":
		return readCodeFile(args[0])
	case len(args) == 0 && isTerminal(p.stdin):
		return "", fault.New(fault.Invalid, `Name a file, write the code after -c, or pipe it in: praxis run -c "print(1)".`, "cannot run: there is no code")
	}
	data, err := io.ReadAll(io.LimitReader(p.stdin, app.MaxCode+1))
	if err != nil {
		return "", fault.New(fault.Invalid, "", "cannot read standard input: %w", err)
	}
	return checkCode("standard input", data)
}

func readCodeFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", app.FileFault(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return "", fault.New(fault.Invalid, "Name a file with Python code.", "cannot run %s: it is a folder", safetext.Line(name))
	}
	data, err := io.ReadAll(io.LimitReader(f, app.MaxCode+1))
	if err != nil {
		return "", app.FileFault(name, err)
	}
	return checkCode(name, data)
}

func checkCode(name string, data []byte) (string, error) {
	if len(data) > app.MaxCode {
		return "", fault.New(fault.Invalid, "Put data into files (--file) and keep the code to what computes.",
			"cannot run %s: it is longer than %d KiB", safetext.Line(name), app.MaxCode>>10)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return "", fault.New(fault.Invalid, "Save it as UTF-8.", "cannot run %s: it is not UTF-8 text", safetext.Line(name))
	}
	return text, nil
}
