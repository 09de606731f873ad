package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/registry"
)

// toolsFile is the file of tools that is meant when none is named.
const toolsFile = "praxis.tools.yaml"

const toolsLong = `A tool is a function with a name, a version, a schema for its arguments and one
for its result, declared in a file. A model, its code and plans can call what the
file lists and nothing else, each call through one gate that validates, asks the
policy and a person, and records.

  praxis tools check  praxis.tools.yaml
  praxis tools ls
  praxis tools call   sql.query sql='select count(*) from sales'
  praxis ask --tools praxis.tools.yaml --mode tools "QUESTION"

Where no file is named, ` + toolsFile + ` in this folder is meant.`

func (p *program) toolsCommand() *cobra.Command {
	c := group("tools", "Look at, check, test and call the tools that files declare",
		p.toolsListCommand(), p.toolsShowCommand(), p.toolsCheckCommand(), p.toolsCallCommand(), p.toolsTestCommand(),
		p.toolsDiffCommand(), p.toolsImportCommand(), p.toolsSchemaCommand())
	c.Long = toolsLong
	return c
}

const toolsSchemaLong = `Prints the JSON Schema of files of tools, for editors that complete and check
while one types. Write it once, and name it in the first line of a file:

  praxis tools schema > tools.schema.json

  # yaml-language-server: $schema=tools.schema.json
  version: 1
  tools: …`

func (p *program) toolsSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of files of tools, for editors", Long: toolsSchemaLong,
		Example: "  praxis tools schema > tools.schema.json",
		Args:    takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			return p.emit(strings.TrimRight(string(tool.FileSchema()), "\n") + "\n")
		},
	}
}

// toolFiles returns the files that are meant: those named, else the one of this
// folder.
func toolFiles(named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	if _, err := os.Stat(toolsFile); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "Name a file, or write one: see \"praxis tools --help\".", "cannot find tools: there is no file %s in this folder", toolsFile)
	}
	return []string{toolsFile}, nil
}

// toolOpening says how tools are opened.
type toolOpening struct {
	files    []string
	commands bool // programs may run on this machine
	offline  bool // servers are not asked
	records  *app.Records
	lenient  bool // a tool is looked at also when nothing can carry it out
	// report hears of all that is wrong; nil: the first is an error, but for
	// what is only not permitted.
	report func(pos tool.Position, err error)
}

// openTools opens what files of tools declare, for f.
func (p *program) openTools(ctx context.Context, o toolOpening, f func(*registry.Registry, *registry.Secrets) error) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	texts, err := (&ruleFlags{tools: o.files}).read()
	if err != nil {
		return err
	}
	var files []registry.File
	for _, t := range texts.Tools {
		files = append(files, registry.File{Name: t.Name, Text: []byte(t.Text)})
	}
	secrets, err := app.ReadToolSecrets(files, p.getenv)
	switch {
	case err == nil:
	case o.report == nil:
		return err
	case fault.KindOf(err) == fault.Conflict: // the rest is said again when the file is opened
		o.report(tool.Position{}, err)
	}
	boxes := &lazyApp{p: p, cfg: cfg}
	defer p.closing(boxes, &err)
	var wrong error
	later := map[tool.Position]error{} // said unless the tool is there in spite of it
	report := o.report
	if report == nil {
		report = func(pos tool.Position, err error) {
			var ps tool.Problems
			kind := fault.KindOf(err)
			if kind == fault.Denied && o.lenient {
				later[pos] = err
			} else if kind == fault.Denied || kind == fault.Unavailable || o.lenient && pos.Line > 0 && !errors.As(err, &ps) {
				p.toolRemark(pos, err)
			} else if wrong == nil {
				wrong = atPlace(pos, err)
			}
		}
	}
	reg, err := app.OpenTools(ctx, cfg.Home, o.records, boxes.open, app.ToolOptions{
		Files: files, Secrets: secrets, Commands: o.commands, Servers: !o.offline, Sink: p.progress(), Report: report,
	})
	p.settled()
	if err != nil {
		return err
	}
	defer p.closing(reg, &err)
	if wrong != nil {
		return wrong
	}
	for _, f := range reg.Files() {
		for _, b := range f.Bindings {
			delete(later, b.Pos)
		}
	}
	for pos, err := range later {
		p.toolRemark(pos, err)
	}
	if o.report == nil && !o.offline {
		for _, text := range reg.Problems() {
			if err := p.remark("%s", text); err != nil {
				return err
			}
		}
	}
	return f(reg, secrets)
}

// toolRemark tells what a command can do without.
func (p *program) toolRemark(pos tool.Position, err error) {
	err = atPlace(pos, err)
	tell(p.stderr, err.Error(), remedyOf(err))
}

// atPlace names the place of what is wrong, unless it says so itself.
func atPlace(pos tool.Position, err error) error {
	var f *fault.Error
	var ps tool.Problems
	if pos.Line == 0 || errors.As(err, &ps) || strings.Contains(err.Error(), pos.String()) || !errors.As(err, &f) {
		return err
	}
	return fmt.Errorf("%s: %w", pos, err)
}

// where says what carries a tool out, in a few words.
func where(reg *registry.Registry, d *tool.Definition) string {
	for _, f := range reg.Files() {
		if b, ok := f.Bindings[d.ID()]; ok {
			return strings.TrimSpace(b.Kind + " " + target(b))
		}
		if name, ok := strings.CutPrefix(f.Name, "server "); ok && d.Pos.File == f.Name {
			return "mcp " + name
		}
	}
	if d.Model {
		return "a model"
	}
	return "nothing"
}

// target is what a binding leads to: a file, a host, a program.
func target(b tool.Binding) string {
	text := func(name string) string {
		v, _ := b.Spec.Get(name)
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		s, _ := v.(string)
		return s
	}
	switch b.Kind {
	case "command":
		return text("argv")
	case "go":
		return text("use")
	case "http":
		_, rest, _ := strings.Cut(text("url"), "://")
		host, _, _ := strings.Cut(rest, "/")
		return host
	case "python":
		return text("file")
	case "wasm":
		return text("module")
	}
	return ""
}

// splitID reads NAME[@VERSION].
func splitID(s string) (name, version string) {
	name, version, _ = strings.Cut(s, "@")
	return name, version
}

// findTool returns the tool that a person names.
func findTool(set *tool.Set, id string) (*tool.Definition, error) {
	name, version := splitID(id)
	d, err := set.Resolve(name, version)
	if err != nil && set.Len() == 0 {
		return nil, fault.New(fault.NotFound, "See what is wrong with praxis tools check.", "cannot find %s: the file gives no tools", safetext.Line(name))
	}
	return d, err
}

// allTools returns every version of every tool, by name, the newest first.
func allTools(set *tool.Set) []*tool.Definition {
	var out []*tool.Definition
	for _, name := range set.Names() {
		out = append(out, set.Versions(name)...)
	}
	return out
}

// firstSentence is what a tool does, in short.
func firstSentence(d *tool.Definition) string {
	text := strings.TrimSpace(d.Description)
	if text == "" {
		text = d.Title
	}
	text, _, _ = strings.Cut(text, "\n")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	return text
}

// hashOf is the hash of a definition as it stands in the journal.
func hashOf(d *tool.Definition) string { return fmt.Sprintf("%x", d.Hash()) }

// toolPin is a definition as a run records it.
func toolPin(d *tool.Definition) event.ToolPin {
	return event.ToolPin{Name: d.Name, Version: string(d.Version), Hash: hashOf(d)}
}

// completeTools offers the names of tools, then files.
func (p *program) completeTools(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.Name() == "call" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ctx, stop := context.WithTimeout(cmd.Context(), completionTime)
	defer stop()
	var named []string
	if f := cmd.Flags().Lookup("tools"); f != nil {
		named, _ = cmd.Flags().GetStringArray("tools")
	}
	var out []cobra.Completion
	// What fails offers nothing: an error has no place on a line that is being typed.
	if files, err := toolFiles(named); err == nil {
		ignore := func(tool.Position, error) {}
		_ = p.openTools(ctx, toolOpening{files: files, commands: true, offline: true, report: ignore}, func(reg *registry.Registry, _ *registry.Secrets) error {
			for d := range reg.Set().All() {
				if strings.HasPrefix(d.Name, typed) {
					out = append(out, cobra.CompletionWithDesc(d.Name, firstSentence(d)))
				}
			}
			return nil
		})
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
