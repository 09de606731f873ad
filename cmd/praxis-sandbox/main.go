// Command praxis-sandbox is what runs around a sandbox: its helper, the user-space kernel
// and the server of its files. The command praxis carries it (package
// praxis/internal/programs).
package main

import (
	"os"

	"praxis/internal/sandbox/gvisor/runsc"
)

func main() { os.Exit(runsc.Main(os.Args)) }
