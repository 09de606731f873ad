// Command praxis runs a model's code in a sandbox. Everything is one static file: it
// carries the programs that run inside of sandboxes and around them.
package main

import (
	"io"
	"os"

	"praxis/internal/cli/cmd"
	"praxis/internal/diagnostics"
)

// version is written by the linker, see the Makefile.
var version = "development"

func main() { os.Exit(run()) }

// run is the program. It returns the exit code.
func run() int {
	return cmd.Main(version, gather(os.Stderr))
}

// gather lets what libraries log go one way from here on, to out, without the secrets
// of runs.
func gather(out io.Writer) *diagnostics.Writer {
	notes := diagnostics.New(out)
	notes.Capture()
	return notes
}
