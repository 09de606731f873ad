package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/safetext"
)

const planParseLong = `Reads a program as Python 3.14 does and prints its tree, as ast.dump writes it
with an indent of two; with --json the tree is on one line.
What is wrong with it is shown with its line, as many mistakes as can be
distinguished. Nothing runs. The exit code is 1 when it is no Python.

FILE - is standard input.`

func (p *program) planParseCommand() *cobra.Command {
	var asJSON, attributes bool
	cmd := &cobra.Command{
		Use: "parse FILE", Short: "Print the tree of a program", Long: planParseLong, Args: takes(1, 1, "the file of the program"),
		RunE: func(_ *cobra.Command, args []string) error { return p.planParse(args[0], asJSON, attributes) },
	}
	cmd.Flags().BoolVar(&attributes, "attributes", false, "with the place of each node")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

func (p *program) planParse(name string, asJSON, attributes bool) error {
	src, err := p.readPlan(name)
	if err != nil {
		return err
	}
	out := app.ParsePlan(src, attributes)
	if asJSON {
		err = p.printJSON(out)
	} else if len(out.Errors) == 0 {
		err = p.emit(safetext.Text(indented(out.Tree)) + "\n")
	} else {
		err = p.syntaxErrors(out)
	}
	if err == nil && len(out.Errors) > 0 {
		return exitStatus{exitNot}
	}
	return err
}

// syntaxErrors shows mistakes with their lines.
func (p *program) syntaxErrors(out app.PlanParsed) error {
	var b strings.Builder
	for i, e := range out.Errors {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s:%d:%d: error: %s\n", safetext.Line(out.File), e.Line, e.Col, safetext.Text(strings.TrimRight(e.Text, "\n")))
	}
	_, err := io.WriteString(p.stderr, b.String())
	return err
}
