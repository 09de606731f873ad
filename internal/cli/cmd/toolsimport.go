package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/safetext"
)

func (p *program) toolsImportCommand() *cobra.Command {
	c := group("import", "Make entries of tools from OpenAPI documents and MCP servers", p.importOpenAPICommand(), p.importMCPCommand())
	c.Long = `Makes entries of tools from what others describe:

  praxis tools import openapi petstore.yaml --out pets.tools.yaml
  praxis tools import mcp files --command 'npx -y @modelcontextprotocol/server-everything' --allow-commands`
	return c
}

const importOpenAPILong = `Makes a file of tools from an OpenAPI document (3.0 or 3.1, JSON or YAML): each
operation becomes a tool of the kind http. Nothing is fetched. GET and HEAD read,
all others write; look through what was made, since a document does not say what a
call does to the world, and what an operation answers is not trusted.

What cannot be expressed is left out, with a warning on standard error.`

// openAPIImport is one praxis tools import openapi.
type openAPIImport struct {
	p                                *program
	namespace, server, version, file string
	only                             []string
	json                             bool
}

func (p *program) importOpenAPICommand() *cobra.Command {
	i := &openAPIImport{p: p}
	cmd := &cobra.Command{
		Use: "openapi FILE", Short: "Make a file of tools from an OpenAPI document", Long: importOpenAPILong,
		Example: "  praxis tools import openapi petstore.yaml --namespace pets --only 'GET /pets' --out pets.tools.yaml",
		Args:    takes(1, 1, "the document"),
		RunE:    func(_ *cobra.Command, args []string) error { return i.run(args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&i.namespace, "namespace", "", "`NAME` before the names of the tools (default: the operation's tag)")
	fs.StringVar(&i.server, "server", "", "the `URL` that paths are appended to (default: the document's first)")
	fs.StringVar(&i.version, "tools-version", "", "`VERSION` of the tools (default: the document's)")
	fs.StringArrayVar(&i.only, "only", nil, "`OPERATION` to take: an operationId, a tag, a path or \"GET /path\" (may be repeated)")
	fs.StringVar(&i.file, "out", "", "write to this `FILE`, which must not be there yet")
	return oneObject(cmd, &i.json)
}

func (i *openAPIImport) run(name string) error {
	text, err := app.ImportOpenAPI(app.OpenAPIRequest{
		File: name, Namespace: i.namespace, Server: i.server, Version: i.version, Only: i.only,
	}, i.p.quiet())
	if err != nil {
		return err
	}
	if i.file == "" {
		return i.p.document(i.json, string(text))
	}
	if err := app.SaveFile(i.file, false, text); err != nil {
		return err
	}
	if i.json {
		return i.p.printJSON(app.SavedFile{Path: i.file, Bytes: int64(len(text))})
	}
	return i.p.note("wrote %s; see what is in it with: praxis tools ls --tools %s", i.file, i.file)
}

const importMCPLong = `Asks an MCP server what it provides, and prints the entry under servers: for a
file of tools. What the server would provide stands below it, as comments.

A server is a program that speaks over standard input and output (--command, split
into words as a shell would, without any other meaning) or an address (--url).
A program runs on this machine, outside of any sandbox, with --allow-commands, or
in a sandbox with --sandbox. {secret:NAME} in --header stands for a secret; give
its value with --secret NAME=VARIABLE.`

// mcpImport is one praxis tools import mcp.
type mcpImport struct {
	p            *program
	command, url string
	headers      []string
	secrets      []string
	packages     []string
	sandbox      bool
	commands     bool
	json         bool
}

func (p *program) importMCPCommand() *cobra.Command {
	i := &mcpImport{p: p}
	cmd := &cobra.Command{
		Use: "mcp NAME", Short: "Ask an MCP server what it provides", Long: importMCPLong,
		Example: "  praxis tools import mcp everything --command 'npx -y @modelcontextprotocol/server-everything' --allow-commands\n" +
			"  praxis tools import mcp crm --url https://mcp.example.com/mcp --header 'Authorization=Bearer {secret:CRM}' --secret CRM=CRM_TOKEN",
		Args: takes(1, 1, "a name for the server"),
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&i.command, "command", "", "the `PROGRAM` with its arguments")
	fs.StringVar(&i.url, "url", "", "the server's `URL`")
	fs.StringArrayVar(&i.headers, "header", nil, "`NAME=VALUE` of a header (may be repeated)")
	fs.StringArrayVar(&i.secrets, "secret", nil, "`NAME=VARIABLE`: a secret, and the environment variable that holds it (may be repeated)")
	fs.BoolVar(&i.sandbox, "sandbox", false, "run the program in a sandbox")
	fs.StringArrayVar(&i.packages, "package", nil, "`PACKAGE==VERSION` to install in the sandbox (may be repeated)")
	allowCommands(cmd, &i.commands)
	return oneObject(cmd, &i.json)
}

func (i *mcpImport) run(ctx context.Context, name string) error {
	q := app.ServerRequest{
		Name: name, URL: i.url, Headers: i.headers, Secrets: i.secrets, Packages: i.packages, Sandbox: i.sandbox, Commands: i.commands,
	}
	if (i.command == "") == (i.url == "") {
		return usage("praxis tools import mcp", "expected either --command or --url")
	}
	if i.command != "" {
		var err error
		if q.Command, err = splitWords(i.command); err != nil {
			return err
		}
	}
	return i.p.withApp(func(a *app.App) error {
		text, err := a.ImportServer(ctx, q, i.p.quiet())
		i.p.settled()
		if err != nil {
			return err
		}
		return i.p.document(i.json, text)
	})
}

// splitWords splits a command into words: quotes and backslashes keep blanks
// together, and nothing else has a meaning.
func splitWords(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	open, quote, escaped := false, rune(0), false
	for _, r := range s {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if open {
				out = append(out, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	switch {
	case quote != 0 || escaped:
		return nil, usage("praxis tools import mcp", "--command %q ends within a quotation", safetext.Line(s))
	case open:
		out = append(out, word.String())
	}
	if len(out) == 0 {
		return nil, usage("praxis tools import mcp", "--command names no program")
	}
	return out, nil
}
