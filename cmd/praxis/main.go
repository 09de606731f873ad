// Command praxis runs a model's code in a sandbox. Everything is one static
// file: the command line, the helper of each sandbox and the first process
// inside it are this program, distinguished by how it is started.
package main

import (
	"io"
	"os"

	"praxis/internal/cli/cmd"
	"praxis/internal/diagnostics"
	"praxis/internal/guest/agent"
	"praxis/internal/sandbox/gvisor"
)

// version is written by the linker, see the Makefile.
var version = "development"

func main() { os.Exit(run(os.Args)) }

// run is the program in each of its roles. It returns the exit code.
func run(args []string) int {
	if gvisor.Dispatch(args) {
		return 0
	}
	if len(args) > 1 && (args[1] == "guest-agent" || args[1] == "guest-exec") {
		return agent.Main()
	}
	return cmd.Main(version, gather(os.Stderr))
}

// gather lets what libraries log go one way from here on, to out, without the secrets
// of runs.
func gather(out io.Writer) *diagnostics.Writer {
	notes := diagnostics.New(out)
	notes.Capture()
	gvisor.LogTo(notes)
	return notes
}
