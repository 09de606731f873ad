// Package kind is the table of the kinds of tools: what a file may name under
// "run", and how its servers are started. A new kind is a folder here and a line
// in Open.
package kind

import (
	"context"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind/builtin"
	"praxis/internal/tool/kind/command"
	"praxis/internal/tool/kind/mcp"
	"praxis/internal/tool/kind/python"
	"praxis/internal/tool/kind/wasm"
	"praxis/internal/tool/kind/web"
	"praxis/internal/tool/registry"
)

// Config says what the kinds need of the program.
type Config struct {
	Secrets   *registry.Secrets // of the files of tools
	Commands  bool              // programs may run on this machine
	Servers   bool              // MCP servers are started; without them their tools are missing
	Notes     builtin.Notes     // of the built-in tools that keep some
	CacheDir  string            // where compiled WebAssembly modules are stored
	Sandboxes Sandboxes
	Sink      event.Sink // receives the events of making images and templates
	// Report receives all that is wrong in the files, see [registry.Config].
	Report func(pos jsondoc.Position, err error)
}

// Sandboxes makes what tools run in. It is called when a tool first needs one.
type Sandboxes func(ctx context.Context) (Images, *session.Manager, error)

// Images finds images, and makes those that are missing.
type Images interface {
	Resolve(ctx context.Context, r image.Request, sink event.Sink) (image.Image, error)
}

// Open opens the tools that files declare, of every kind that there is.
func Open(ctx context.Context, c Config, files []registry.File) (*registry.Registry, error) {
	sandboxes := &sandboxes{open: c.Sandboxes, sink: c.Sink}
	cfg := registry.Config{Secrets: c.Secrets, Report: c.Report, Kinds: map[string]tool.Kind{
		"command": command.New(command.Config{Allow: c.Commands, Secrets: c.Secrets}),
		"go":      builtin.New(builtin.Config{Notes: c.Notes}),
		"http":    web.New(web.Config{Secrets: c.Secrets}),
		"python":  python.New(python.Config{Open: sandboxes.python, Image: sandboxes.image}),
		"wasm":    wasm.New(wasm.Config{Secrets: c.Secrets, CacheDir: c.CacheDir}),
	}}
	if c.Servers {
		cfg.OpenServer = func(ctx context.Context, s tool.ServerEntry, dir string, secrets tool.SecretSource) (tool.Server, error) {
			server, err := mcp.Open(ctx, mcp.Config{Name: s.Name, Spec: s.Spec, Dir: dir, Secrets: secrets, Sandbox: sandboxes, AllowCommands: c.Commands})
			if err != nil {
				return nil, err // not a server that is nil within
			}
			return server, nil
		}
	}
	return registry.Open(ctx, cfg, files)
}
