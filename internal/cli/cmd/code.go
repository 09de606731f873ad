package cmd

import (
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
