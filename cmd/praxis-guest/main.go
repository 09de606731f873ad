// Command praxis-guest is the first process of every sandbox. The command praxis carries
// it (package praxis/internal/programs).
package main

import (
	"os"

	"praxis/internal/guest/agent"
)

func main() { os.Exit(agent.Main()) }
