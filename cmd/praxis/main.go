// Command praxis runs a model's code in a sandbox. Everything is one static
// file: the command line, the helper of each sandbox and the first process
// inside it are this program, told apart by how it is started.
package main

import (
	"os"

	"praxis/internal/cli"
	"praxis/internal/guest/agent"
	"praxis/internal/sandbox/gvisor"
)

// version is written by the linker, see the Makefile.
var version = "development"

func main() {
	if gvisor.Dispatch(os.Args) {
		return
	}
	if len(os.Args) > 1 && (os.Args[1] == "guest-agent" || os.Args[1] == "guest-exec") {
		os.Exit(agent.Main())
	}
	os.Exit(cli.Main(version))
}
