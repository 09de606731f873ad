package cmd

import (
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
	data, err := p.readInput(app.MaxCode, shorterCode)
	if err != nil {
		return "", err
	}
	return checkCode("standard input", data)
}

func readCodeFile(name string) (string, error) {
	data, err := app.ReadText(name, app.MaxCode)
	if err != nil {
		return "", err
	}
	return checkCode(name, data)
}

// shorterCode is what to do where code is too long.
const shorterCode = "Put data into files (--file) and keep the code to what computes."

func checkCode(name string, data []byte) (string, error) {
	if len(data) > app.MaxCode {
		return "", fault.New(fault.Invalid, shorterCode,
			"cannot run %s: it is longer than %d KiB", safetext.Line(name), app.MaxCode>>10)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return "", fault.New(fault.Invalid, "Save it as UTF-8.", "cannot run %s: it is not UTF-8 text", safetext.Line(name))
	}
	return text, nil
}
