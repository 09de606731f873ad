package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/planner"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/openapi"
	"praxis/internal/tool/pystub"
	"praxis/internal/tool/registry"
	"praxis/internal/tool/toolfile"
)

// OpenAPIRequest asks for a file of tools made from an OpenAPI document.
type OpenAPIRequest struct {
	File      string   // of the document, 3.0 or 3.1, JSON or YAML
	Namespace string   // before the names of the tools; "": the operation's tag
	Server    string   // URL that paths are appended to; "": the document's first
	Version   string   // of the tools; "": the document's
	Only      []string // operations to take: an operationId, a tag, a path or "GET /path"
}

// ImportOpenAPI makes a file of tools from an OpenAPI document. Nothing is
// fetched. What cannot be expressed is left out, and notices say so.
func ImportOpenAPI(q OpenAPIRequest, sink event.Sink) ([]byte, error) {
	data, err := ReadText(q.File, openapi.MaxDocument)
	if err != nil {
		return nil, err
	}
	text, warnings, err := openapi.Import(data, openapi.Options{
		Name: filepath.Base(q.File), Namespace: q.Namespace, Server: q.Server, Version: q.Version, Only: q.Only,
	})
	for _, w := range warnings {
		sink.Emit(event.Notice{Text: w})
	}
	return text, err
}

// ServerRequest names an MCP server: a program or an address.
type ServerRequest struct {
	Name     string
	Command  []string // the program with its arguments
	URL      string
	Headers  []string // NAME=VALUE
	Secrets  []string // NAME=VARIABLE: a secret, and the environment variable that holds it
	Packages []string // to install in the sandbox
	Sandbox  bool     // run the program in a sandbox
	Commands bool     // or let it run on this machine
}

// ImportServer asks an MCP server what it provides, and returns the entry for a
// file of tools, as YAML; what the server provides stands below it, as comments.
func (a *App) ImportServer(ctx context.Context, q ServerRequest, sink event.Sink) (string, error) {
	doc, err := q.entry()
	if err != nil {
		return "", err
	}
	text, err := doc.MarshalJSON()
	if err != nil {
		return "", err
	}
	var wrong error
	reg, err := a.openRegistry(ctx, registryOptions{
		texts: []planner.Text{{Name: "the request", Text: string(text)}}, commands: q.Commands, servers: true,
		report: func(_ jsondoc.Position, err error) { wrong = errors.Join(wrong, err) },
	}, sink)
	if err != nil {
		return "", err
	}
	out := ""
	if wrong == nil {
		out = serverText(doc, reg)
	}
	return out, errors.Join(wrong, reg.Close())
}

// entry is what stands in a file, as a whole file.
func (q ServerRequest) entry() (*jsondoc.Object, error) {
	server := jsondoc.NewObject()
	switch {
	case (len(q.Command) == 0) == (q.URL == ""):
		return nil, fault.New(fault.Invalid, "Name one of them.", "cannot ask the server: either a program or an address is needed")
	case q.URL == "":
		server.Set("command", anys(q.Command))
	default:
		server.Set("url", q.URL)
	}
	if q.Sandbox {
		server.Set("sandbox", true)
	}
	if len(q.Packages) > 0 {
		server.Set("packages", anys(q.Packages))
	}
	headers, err := pairs(q.Headers)
	if err != nil {
		return nil, err
	}
	if headers.Len() > 0 {
		server.Set("headers", headers)
	}
	secrets, err := pairs(q.Secrets)
	if err != nil {
		return nil, err
	}
	doc := jsondoc.NewObject(jsondoc.Member{Name: "version", Value: toolfile.FormatVersion})
	if secrets.Len() > 0 {
		entries := jsondoc.NewObject()
		for n, variable := range secrets.All() {
			entries.Set(n, jsondoc.NewObject(jsondoc.Member{Name: "env", Value: variable}))
		}
		doc.Set("secrets", entries)
	}
	doc.Set("servers", jsondoc.NewObject(jsondoc.Member{Name: q.Name, Value: server}))
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
func pairs(texts []string) (*jsondoc.Object, error) {
	out := jsondoc.NewObject()
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.Invalid, "Write it as NAME=VALUE.", "cannot use %q: it is not NAME=VALUE", safetext.Line(text))
		}
		out.Set(name, value)
	}
	return out, nil
}

// serverText is the entry, and what the server provides.
func serverText(doc *jsondoc.Object, reg *registry.Registry) string {
	var b strings.Builder
	writeYAML(&b, doc, 0)
	defs := allTools(reg.Set())
	fmt.Fprintf(&b, "\n# It provides %s:\n", safetext.Count(len(defs), "tool"))
	for _, d := range defs {
		fmt.Fprintf(&b, "#   %s (%s, %s)\n", safetext.Line(pystub.Line(d)), d.Effects, safetext.Line(string(d.Version)))
	}
	for _, text := range reg.Problems() {
		_, said, _ := strings.Cut(text, ": ") // the place is the request
		fmt.Fprintf(&b, "# %s\n", safetext.Line(said))
	}
	return b.String()
}

// writeYAML writes the few shapes that an entry has: mappings in lines, and their
// values as JSON, which YAML reads.
func writeYAML(b *strings.Builder, o *jsondoc.Object, depth int) {
	for name, v := range o.All() {
		key := asJSON(name)
		if plain := strings.Trim(key, `"`); tool.Identifier(plain) == plain {
			key = plain
		}
		indent := strings.Repeat("  ", depth)
		if inner, ok := v.(*jsondoc.Object); ok {
			fmt.Fprintf(b, "%s%s:\n", indent, key)
			writeYAML(b, inner, depth+1)
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, asJSON(v))
	}
}
