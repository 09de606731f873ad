package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const planLong = `A plan is a program in a subset of Python 3.14 whose flows of data are checked
before it runs, and whose values say while it runs where they came from and who
may read them. It needs no sandbox: it reaches nothing but the tools that a file
declares, and each of its calls is decided by the rules of a policy.

  praxis plan check FILE --tools tools.yaml --policy policy.yaml
  praxis plan run   FILE --tools tools.yaml --policy policy.yaml
  praxis policy test policy.yaml --tools tools.yaml
  praxis ask --mode plan --tools tools.yaml --policy policy.yaml "QUESTION"`

func (p *program) planCommand() *cobra.Command {
	c := group("plan", "Check and run plans: programs whose flows of data are proved first",
		p.planCheckCommand(), p.planRunCommand(), p.planResumeCommand(), p.planExplainCommand(), p.planGraphCommand(), p.planBenchCommand())
	c.Long = planLong
	return c
}

// readPlan reads a plan from a file, or from standard input for "-".
func (p *program) readPlan(name string) (app.PlanSource, error) {
	if name != "-" {
		return app.ReadPlan(name)
	}
	text, err := p.readInput(app.MaxPlan, "Give a shorter plan.")
	return app.PlanSource{Name: "standard input", Text: text}, err
}

// readInput reads standard input, which has at most so many bytes.
func (p *program) readInput(most int64, remedy string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(p.stdin, most+1))
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "", "cannot read standard input: %w", err)
	case int64(len(text)) > most:
		return nil, fault.New(fault.Invalid, remedy, "cannot read standard input: it is longer than %s", safetext.Size(most))
	}
	return text, nil
}

// inputValue reads name=JSON.
func inputValue(text string) (name string, value any, err error) {
	name, raw, found := strings.Cut(text, "=")
	if !found || name == "" {
		return "", nil, fault.New(fault.Invalid, `Write it as NAME=JSON, such as --input customer='"4711"'.`, "cannot use the input %q: it names no value", safetext.Line(text))
	}
	value, err = app.DecodeJSON([]byte(raw))
	if err != nil {
		remedy := "Write the value as JSON."
		if !strings.ContainsAny(raw, `"'{[`) {
			remedy = fmt.Sprintf(`Write the value as JSON: --input %s='"%s"' if it is a text.`, safetext.Line(name), safetext.Line(raw))
		}
		return "", nil, fault.New(fault.Invalid, remedy, "cannot use the input %s: %w", safetext.Line(name), err)
	}
	return name, value, nil
}

// inputValues reads all of them.
func inputValues(texts []string) (map[string]any, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	out := map[string]any{}
	for _, text := range texts {
		name, value, err := inputValue(text)
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			return nil, fault.New(fault.Invalid, "Give it once.", "cannot use the input %s: it is given twice", safetext.Line(name))
		}
		out[name] = value
	}
	return out, nil
}
