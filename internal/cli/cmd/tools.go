package cmd

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"praxis/internal/app"
)

const toolsLong = `A tool is a function with a name, a version, a schema for its arguments and one
for its result, declared in a file. A model, its code and plans can call what the
file lists and nothing else, each call through one gate that validates, asks the
policy and a person, and records.

  praxis tools check  praxis.tools.yaml
  praxis tools ls
  praxis tools call   sql.query sql='select count(*) from sales'
  praxis ask --tools praxis.tools.yaml --mode tools "QUESTION"

Where no file is named, ` + app.ToolsFile + ` in this folder is meant.`

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
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of files of tools, for editors", Long: toolsSchemaLong,
		Example: "  praxis tools schema > tools.schema.json",
		Args:    takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			return p.done(asJSON, json.RawMessage(app.ToolFileSchema()), app.ToolFileSchema())
		},
	}, &asJSON)
}

// completeTools suggests the names of tools, then files.
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
	// What fails suggests nothing: an error has no place on a line that is being typed.
	if files, err := app.ToolFiles(named); err == nil {
		_ = p.withApp(func(a *app.App) error {
			found, err := a.ToolNames(ctx, files, typed)
			for _, t := range found {
				out = append(out, cobra.CompletionWithDesc(t.Name, t.Summary))
			}
			return err
		})
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
