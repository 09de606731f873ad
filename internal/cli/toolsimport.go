package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/openapi"
	"praxis/internal/tool/registry"
	"praxis/internal/tool/stub"
)

func (p *program) toolsImportCommand() *cobra.Command {
	c := group("import", "Make entries of tools from OpenAPI documents and MCP servers", p.importOpenAPICommand(), p.importMCPCommand())
	c.Long = `Makes entries of tools from what others describe:

  praxis tools import openapi petstore.yaml -o pets.tools.yaml
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
}

func (p *program) importOpenAPICommand() *cobra.Command {
	i := &openAPIImport{p: p}
	cmd := &cobra.Command{
		Use: "openapi FILE", Short: "Make a file of tools from an OpenAPI document", Long: importOpenAPILong,
		Example: "  praxis tools import openapi petstore.yaml --namespace pets --only 'GET /pets' -o pets.tools.yaml",
		Args:    takes(1, 1, "the document"),
		RunE:    func(_ *cobra.Command, args []string) error { return i.run(args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&i.namespace, "namespace", "", "`NAME` before the names of the tools (default: the operation's tag)")
	fs.StringVar(&i.server, "server", "", "the `URL` that paths are appended to (default: the document's first)")
	fs.StringVar(&i.version, "tools-version", "", "`VERSION` of the tools (default: the document's)")
	fs.StringArrayVar(&i.only, "only", nil, "`OPERATION` to take: an operationId, a tag, a path or \"GET /path\" (may be repeated)")
	fs.StringVarP(&i.file, "output", "o", "", "write to this `FILE`, which must not be there yet")
	return cmd
}

func (i *openAPIImport) run(name string) error {
	data, err := readBounded(name, openapi.MaxDocument)
	if err != nil {
		return err
	}
	text, warnings, err := openapi.Import(data, openapi.Options{
		Name: filepath.Base(name), Namespace: i.namespace, Server: i.server, Version: i.version, Only: i.only,
	})
	for _, w := range warnings {
		err = errors.Join(err, i.p.remark("%s", w))
	}
	if err != nil {
		return err
	}
	if i.file == "" {
		return i.p.emit(string(text))
	}
	if _, err := os.Lstat(i.file); !errors.Is(err, fs.ErrNotExist) {
		return choice{fault.New(fault.Conflict, "Remove it, or name another.", "cannot write %s: there is such a file", safetext.Line(i.file))}
	}
	if err := atomicfile.WriteFile(i.file, text); err != nil {
		return saveFault(i.file, err)
	}
	return i.p.remark("wrote %s; see what is in it with: praxis tools ls %s", i.file, i.file)
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
	return cmd
}

// entry is what stands in a file, and the same as a whole file.
func (i *mcpImport) entry(name string) (*tool.Object, error) {
	server := tool.NewObject()
	switch {
	case (i.command == "") == (i.url == ""):
		return nil, usage("praxis tools import mcp", "expected either --command or --url")
	case i.command != "":
		words, err := splitWords(i.command)
		if err != nil {
			return nil, err
		}
		server.Set("command", words)
	default:
		server.Set("url", i.url)
	}
	if i.sandbox {
		server.Set("sandbox", true)
	}
	if len(i.packages) > 0 {
		server.Set("packages", anys(i.packages))
	}
	headers, err := pairs("--header", i.headers)
	if err != nil {
		return nil, err
	}
	if headers.Len() > 0 {
		server.Set("headers", headers)
	}
	secrets, err := pairs("--secret", i.secrets)
	if err != nil {
		return nil, err
	}
	doc := tool.NewObject(tool.Member{Name: "version", Value: tool.FormatVersion})
	if secrets.Len() > 0 {
		entries := tool.NewObject()
		for n, variable := range secrets.All() {
			entries.Set(n, tool.NewObject(tool.Member{Name: "env", Value: variable}))
		}
		doc.Set("secrets", entries)
	}
	doc.Set("servers", tool.NewObject(tool.Member{Name: name, Value: server}))
	return doc, nil
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// pairs reads NAME=VALUE.
func pairs(flag string, texts []string) (*tool.Object, error) {
	out := tool.NewObject()
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usage("praxis tools import mcp", "%s %q is not NAME=VALUE", flag, safetext.Line(text))
		}
		out.Set(name, value)
	}
	return out, nil
}

func (i *mcpImport) run(ctx context.Context, name string) (err error) {
	doc, err := i.entry(name)
	if err != nil {
		return err
	}
	text, err := doc.MarshalJSON()
	if err != nil {
		return err
	}
	cfg, err := i.p.config()
	if err != nil {
		return err
	}
	const place = "the command line"
	files := []registry.File{{Name: place, Text: text}}
	secrets, err := app.ReadToolSecrets(files, i.p.getenv)
	if err != nil {
		return err
	}
	boxes := &lazyApp{p: i.p, cfg: cfg}
	defer i.p.closing(boxes, &err)
	var wrong error
	reg, err := app.OpenTools(ctx, cfg.Home, nil, boxes.open, app.ToolOptions{
		Files: files, Secrets: secrets, Commands: i.commands, Servers: true, Sink: i.p.progress(),
		Report: func(_ tool.Position, err error) { wrong = errors.Join(wrong, err) },
	})
	i.p.settled()
	if err != nil {
		return err
	}
	defer i.p.closing(reg, &err)
	if wrong != nil {
		return wrong
	}
	return i.p.emit(i.text(doc, reg))
}

// text is the entry, and what it provides.
func (i *mcpImport) text(doc *tool.Object, reg *registry.Registry) string {
	var b strings.Builder
	writeYAML(&b, doc, 0)
	defs := allTools(reg.Set())
	fmt.Fprintf(&b, "\n# It provides %s:\n", safetext.Count(len(defs), "tool"))
	for _, d := range defs {
		fmt.Fprintf(&b, "#   %s (%s, %s)\n", safetext.Line(stub.Line(d)), d.Effects, safetext.Line(string(d.Version)))
	}
	for _, text := range reg.Problems() {
		_, said, _ := strings.Cut(text, ": ") // the place is the command line
		fmt.Fprintf(&b, "# %s\n", safetext.Line(said))
	}
	return b.String()
}

// writeYAML writes the few shapes that an entry has: mappings in lines, and what
// they hold as JSON, which YAML reads.
func writeYAML(b *strings.Builder, o *tool.Object, depth int) {
	for name, v := range o.All() {
		key := asJSON(name)
		if plain := strings.Trim(key, `"`); tool.Identifier(plain) == plain {
			key = plain
		}
		indent := strings.Repeat("  ", depth)
		if inner, ok := v.(*tool.Object); ok {
			fmt.Fprintf(b, "%s%s:\n", indent, key)
			writeYAML(b, inner, depth+1)
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, asJSON(v))
	}
}

// splitWords splits a command into words: quotes and backslashes keep blanks
// together, and nothing else has a meaning.
func splitWords(s string) ([]any, error) {
	var out []any
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
