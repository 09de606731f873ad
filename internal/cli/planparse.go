package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/plan"
	"praxis/internal/plan/syntax"
	"praxis/internal/safetext"
)

const planParseLong = `Reads a program as Python 3.14 does and prints its tree, as ast.dump writes it
with an indent of two; with --json it stands on one line.
What is wrong with it is shown with its line, as many mistakes as can be told
apart. Nothing runs. The exit code is 1 when it is no Python.

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

// parsed is the object of plan parse --json.
type parsed struct {
	File   string        `json:"file"`
	Tree   string        `json:"tree,omitempty"`
	Errors []syntaxError `json:"errors"`
}

type syntaxError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line"` // from 1
	Col     int    `json:"col"`  // from 1
	EndLine int    `json:"end_line"`
	EndCol  int    `json:"end_col"`
}

func (p *program) planParse(name string, asJSON, attributes bool) error {
	src, err := p.readPlan(name)
	if err != nil {
		return err
	}
	module, bad := syntax.Parse(src.Text, syntax.Options{})
	if len(bad) == 0 {
		bad = syntax.Check(module)
	}
	tree := ""
	if len(bad) == 0 {
		tree = syntax.Dump(module, attributes)
	}
	if asJSON {
		out := parsed{File: src.Name, Tree: tree, Errors: []syntaxError{}}
		for _, e := range bad {
			out.Errors = append(out.Errors, syntaxError{
				e.Kind.String(), e.Message, int(e.Pos.Line), int(e.Pos.Col) + 1, int(e.End.Line), int(e.End.Col) + 1,
			})
		}
		err = p.printJSON(out)
	} else if len(bad) == 0 {
		err = p.emit(safetext.Text(indented(tree)) + "\n")
	} else {
		err = p.syntaxErrors(src, bad)
	}
	if err == nil && len(bad) > 0 {
		return fate{exitNot}
	}
	return err
}

// syntaxErrors shows mistakes with their lines.
func (p *program) syntaxErrors(src plan.Source, bad []*syntax.Error) error {
	var b strings.Builder
	for i, e := range bad {
		if i > 0 {
			b.WriteString("\n")
		}
		_, what, _ := strings.Cut(e.Render(src.Text), ": ") // behind the line's number, which stands before it
		fmt.Fprintf(&b, "%s:%d:%d: error: %s\n", safetext.Line(src.Name), e.Pos.Line, e.Pos.Col+1, safetext.Text(strings.TrimRight(what, "\n")))
	}
	_, err := io.WriteString(p.stderr, b.String())
	return err
}
