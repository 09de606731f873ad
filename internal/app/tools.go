package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/memory"
	"praxis/internal/tool"
	"praxis/internal/tool/kind/builtin"
	"praxis/internal/tool/kind/command"
	"praxis/internal/tool/kind/mcp"
	"praxis/internal/tool/kind/python"
	"praxis/internal/tool/kind/wasm"
	"praxis/internal/tool/kind/web"
	"praxis/internal/tool/registry"
)

// ToolOptions say which tools to open and what they may do.
type ToolOptions struct {
	Files    []registry.File
	Secrets  *registry.Secrets
	Commands bool // programs may run on this machine
	// Servers says that MCP servers are asked; without, their tools are missing.
	Servers bool
	// Run is the run whose notes memory.save keeps; "": notes have no run.
	Run  string
	Sink event.Sink // hears of the making of images and templates
	Log  func(line string)
	// Report hears of all that is wrong in the files, see [registry.Config].
	Report func(pos tool.Position, err error)
}

// ReadToolSecrets reads the secrets that files of tools declare.
func ReadToolSecrets(files []registry.File, getenv func(string) string) (*registry.Secrets, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // paths with ~ then lead nowhere, and say so
	}
	return registry.ReadSecrets(registry.Places{Getenv: getenv, ReadFile: readBounded, Home: home}, files)
}

// readBounded reads a file of at most limit bytes.
func readBounded(name string, limit int64) (data []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = io.ReadAll(io.LimitReader(f, limit+1)); err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it is longer than %d bytes", limit)
	}
	return data, err
}

// Sandboxes makes the machinery when a tool first needs a sandbox.
type Sandboxes func(ctx context.Context) (*App, error)

// OpenTools opens a registry of tools. home is the data folder. Sandboxes are
// made when they are first needed.
func OpenTools(ctx context.Context, home string, rec *Records, boxes Sandboxes, o ToolOptions) (*registry.Registry, error) {
	if err := tool.CheckDepth(os.Getenv); err != nil {
		return nil, err
	}
	if o.Sink == nil {
		o.Sink = event.Discard
	}
	t := &toolSandboxes{boxes: boxes, sink: o.Sink}
	kinds := map[string]tool.Kind{
		"command": command.New(command.Config{Allow: o.Commands, Secrets: o.Secrets}),
		"go":      builtin.New(builtin.Config{Notes: toolNotes{rec, o.Run}}),
		"http":    web.New(web.Config{Secrets: o.Secrets}),
		"python":  python.New(python.Config{Open: t.python, Image: t.image}),
		"wasm":    wasm.New(wasm.Config{Secrets: o.Secrets, CacheDir: filepath.Join(home, "wasm")}),
	}
	cfg := registry.Config{Kinds: kinds, Secrets: o.Secrets, Report: o.Report}
	if o.Servers {
		cfg.OpenServer = func(ctx context.Context, s tool.ServerEntry, dir string, secrets tool.SecretSource) (tool.Server, error) {
			log := o.Log
			if log != nil {
				log = func(line string) { o.Log(s.Name + ": " + line) }
			}
			server, err := mcp.Open(ctx, mcp.Config{Name: s.Name, Spec: s.Spec, Dir: dir, Secrets: secrets, Sandbox: t, AllowCommands: o.Commands, Log: log})
			if err != nil {
				return nil, err // not a server that is nil within
			}
			return server, nil
		}
	}
	return registry.Open(ctx, cfg, o.Files)
}

// toolNotes are the notes of tools.
type toolNotes struct {
	rec *Records
	run string
}

// Save keeps a note.
func (n toolNotes) Save(ctx context.Context, text string, tags []string) (id string, known bool, err error) {
	if n.rec == nil {
		return "", false, noMemory()
	}
	note, known, err := n.rec.Memory.SaveNote(ctx, text, tags, memory.From{Run: n.run})
	return note.ID, known, err
}

// Search finds notes.
func (n toolNotes) Search(ctx context.Context, query string, limit int) ([]builtin.Note, error) {
	if n.rec == nil {
		return nil, noMemory()
	}
	found, err := n.rec.Memory.SearchNotes(ctx, query, limit)
	out := make([]builtin.Note, 0, len(found))
	for _, f := range found {
		from := ""
		if f.From.Run != "" {
			from = "run " + f.From.Run
		}
		out = append(out, builtin.Note{ID: f.ID, Text: f.Text, Created: f.Created, Tags: f.Tags, From: from})
	}
	return out, err
}

func noMemory() error {
	return fault.New(fault.Unavailable, "Use it in a run.", "there are no notes here")
}
