package cmd

import (
	"os"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/lazyregexp"
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

// readsStdin finds code that reads from standard input.
var readsStdin = lazyregexp.New(`\bstdin\b|\binput\s*\(|\bfileinput\b`)

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
	return app.StdinOf(p.stdin)
}
