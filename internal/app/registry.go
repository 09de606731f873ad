package app

import (
	"context"
	"maps"
	"os"
	"path/filepath"

	"praxis/event"
	"praxis/internal/bounded"
	"praxis/internal/planner"
	"praxis/internal/record/memory"
	"praxis/internal/session"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind"
	"praxis/internal/tool/kind/builtin"
	"praxis/internal/tool/registry"
)

// registryOptions say which tools to open and what they may do.
type registryOptions struct {
	texts    []planner.Text    // files that declare tools
	commands bool              // programs may run on this machine
	servers  bool              // MCP servers are asked; without, their tools are missing
	hidden   map[string]string // more secrets that are never recorded, by their names
	secrets  *registry.Secrets // of the files, when they were read already
	// report gets all that is wrong in the files, see [registry.Config].
	report func(pos jsondoc.Position, err error)
}

// readSecrets reads the secrets that files of tools declare.
func (a *App) readSecrets(texts []planner.Text) (*registry.Secrets, error) {
	where := registry.Places{Getenv: a.opt.Getenv, ReadFile: bounded.ReadFile, Home: a.opt.Getenv("HOME")}
	return registry.ReadSecrets(where, registryFiles(texts))
}

func registryFiles(texts []planner.Text) []registry.File {
	var files []registry.File
	for _, t := range texts {
		files = append(files, registry.File{Name: t.Name, Text: []byte(t.Text)})
	}
	return files
}

// openRegistry opens a registry of tools. From then on the journal stores none of
// their secrets. Sandboxes are made when a tool first needs one, and sink receives
// the progress of images and templates that are made for it.
func (a *App) openRegistry(ctx context.Context, o registryOptions, sink event.Sink) (*registry.Registry, error) {
	// How deep this process is in others is said to it alone, and an environment
	// that a program chose must not end the count.
	if err := tool.CheckDepth(os.Getenv); err != nil {
		return nil, err
	}
	if o.secrets == nil {
		var err error
		if o.secrets, err = a.readSecrets(o.texts); err != nil {
			return nil, err
		}
	}
	hidden := map[string]string{}
	maps.Copy(hidden, o.secrets.Values())
	maps.Copy(hidden, o.hidden)
	a.records.Journal.Hide(hidden)
	return kind.Open(ctx, kind.Config{
		Secrets: o.secrets, Commands: o.commands, Servers: o.servers, Notes: toolNotes{a.records},
		CacheDir: filepath.Join(a.opt.Config.Home, "wasm"), Sandboxes: a.toolSandboxes, Sink: sink, Report: o.report,
	}, registryFiles(o.texts))
}

// toolSandboxes are what the sandboxes of tools are made of.
func (a *App) toolSandboxes(ctx context.Context) (kind.Images, *session.Manager, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, nil, err
	}
	return m.images, m.sessions, nil
}

// toolNotes are the notes of the built-in tools that keep some.
type toolNotes struct{ records *Records }

// Save keeps a note.
func (n toolNotes) Save(ctx context.Context, text string, tags []string) (id string, known bool, err error) {
	note, known, err := n.records.Memory.SaveNote(ctx, text, tags, memory.From{})
	return note.ID, known, err
}

// Search finds notes.
func (n toolNotes) Search(ctx context.Context, query string, limit int) ([]builtin.Note, error) {
	found, err := n.records.Memory.SearchNotes(ctx, query, limit)
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
