package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/safetext"
	"praxis/internal/tool"
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
		p.planParseCommand(), p.planCheckCommand(), p.planRunCommand(), p.planResumeCommand(), p.planExplainCommand(), p.planGraphCommand(), p.planBenchCommand())
	c.Long = planLong
	return c
}

// ruleFlags name what plans are held against.
type ruleFlags struct {
	tools    []string
	policy   string
	strict   bool
	commands bool // tools and servers may run programs on this machine
}

func (f *ruleFlags) register(cmd *cobra.Command) {
	f.registerFiles(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&f.strict, "strict", false, "count implicit flows, too: branches, loops, exceptions")
}

// registerFiles adds the flags that name files.
func (f *ruleFlags) registerFiles(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.tools, "tools", nil, "`FILE` that declares tools (may be repeated)")
	fs.StringVar(&f.policy, "policy", "", "`FILE` with the rules for calls")
	f.registerCommands(cmd)
}

func (f *ruleFlags) registerCommands(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.commands, "allow-commands", false, "let tools and their servers run programs on this machine, outside of any sandbox")
}

// maxPolicy bounds a policy in bytes.
const maxPolicy = 4 << 20

// read reads the files.
func (f *ruleFlags) read() (planner.Rules, error) {
	out := planner.Rules{Strict: f.strict}
	for _, name := range f.tools {
		text, err := readBounded(name, tool.MaxFile)
		if err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, planner.Text{Name: name, Text: string(text)})
	}
	if f.policy != "" {
		text, err := readBounded(f.policy, maxPolicy)
		if err != nil {
			return out, err
		}
		out.Policy = &planner.Text{Name: f.policy, Text: string(text)}
	}
	return out, nil
}

// load reads the files and what they, and the servers that they name, say. No
// tool can be called afterwards.
func (f *ruleFlags) load(ctx context.Context, p *program) (o plan.Options, err error) {
	cfg, err := p.config()
	if err != nil {
		return o, err
	}
	t, err := p.openTooling(ctx, cfg, nil, nil, &toolFlags{approve: "never"}, f)
	if err != nil {
		return o, err
	}
	return t.options(), t.Close()
}

// readBounded reads a file that a command line names.
func readBounded(name string, most int) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, inputFault(name, err)
	}
	if info.IsDir() {
		return nil, fault.New(fault.Invalid, "Name a file.", "cannot read %s: it is a folder", safetext.Line(name))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, inputFault(name, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, inputFault(name, err)
	}
	if len(data) > most {
		return nil, fault.New(fault.Invalid, "Give a shorter file.", "cannot read %s: it is longer than %s", safetext.Line(name), safetext.Size(int64(most)))
	}
	return data, nil
}

// maxPlan bounds a plan in bytes.
const maxPlan = 16 << 20

// readPlan reads a plan from a file, or from standard input for "-".
func (p *program) readPlan(name string) (plan.Source, error) {
	if name != "-" {
		text, err := readBounded(name, maxPlan)
		return plan.Source{Name: name, Text: text}, err
	}
	text, err := p.readInput(maxPlan, "Give a shorter plan.")
	return plan.Source{Name: "standard input", Text: text}, err
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

// prepare reads and checks a plan.
func (p *program) prepare(ctx context.Context, f *ruleFlags, name string) (*plan.Plan, error) {
	o, err := f.load(ctx, p)
	if err != nil {
		return nil, err
	}
	src, err := p.readPlan(name)
	if err != nil {
		return nil, err
	}
	o.Pedantic = true // whoever has a plan checked wants to hear of every mistake
	return plan.Prepare(src, o)
}

// planTitle is what a run of a plan is called in a list.
func planTitle(src plan.Source) string {
	title := filepath.Base(src.Name)
	for line := range bytes.Lines(src.Text) {
		text := strings.TrimSpace(string(line))
		if text != "" && !strings.HasPrefix(text, "#") {
			return title + ": " + safetext.Line(text)
		}
	}
	return title
}

// inputValue reads name=JSON.
func inputValue(text string) (name string, value any, err error) {
	name, raw, found := strings.Cut(text, "=")
	if !found || name == "" {
		return "", nil, fault.New(fault.Invalid, `Write it as NAME=JSON, such as --input customer='"4711"'.`, "cannot use the input %q: it names no value", safetext.Line(text))
	}
	value, err = tool.DecodeJSON([]byte(raw))
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
