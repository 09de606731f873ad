package cmd

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/client"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
)

// A command that a server can be asked for is written once, over an interface that both the
// application on this machine and the client of a server satisfy. Which of the two does the
// work, on decides.

// serverFlags name the server that does the work.
type serverFlags struct {
	url, keyFile, ca string
}

func (f *serverFlags) register(root *cobra.Command) {
	fs := root.PersistentFlags()
	fs.StringVar(&f.url, "server", "", "have the server at this `URL` do it (PRAXIS_SERVER; its key in PRAXIS_KEY)")
	fs.StringVar(&f.keyFile, "key-file", "", "`FILE` with the key of the server, in the place of PRAXIS_KEY")
	fs.StringVar(&f.ca, "ca", "", "`FILE` with certificates, PEM, of those who may vouch for the server")
}

// maxKeyFile bounds the file of a key.
const maxKeyFile = 4 << 10

// config says which server is asked, or nil when none is.
func (f *serverFlags) config(cmd *cobra.Command, getenv func(string) string) (*client.Config, error) {
	out := client.Config{URL: f.url, Key: getenv("PRAXIS_KEY"), CA: f.ca}
	if !cmd.Flags().Changed("server") {
		out.URL = getenv("PRAXIS_SERVER")
	}
	if out.URL == "" {
		if f.keyFile != "" || f.ca != "" {
			return nil, usage(cmd.CommandPath(), "--key-file and --ca are for a --server")
		}
		return nil, nil
	}
	if f.keyFile != "" {
		text, err := app.ReadText(f.keyFile, maxKeyFile)
		if err != nil {
			return nil, err
		}
		out.Key = string(text)
	}
	out.Key = strings.TrimSpace(out.Key)
	return &out, nil
}

// Flags that a server can be asked for, of several commands.
func remoteSession() []string {
	out := []string{"with", "npm", "image", "timeout", "cpu-time", "output-limit", "pictures", "seed", "date"}
	for _, l := range event.LimitTable() {
		out = append(out, l.Flag())
	}
	return out
}

// remoteCommands are the commands that a server can be asked for, each with the flags of
// which it can be asked for: what is not named is refused, so that no flag is ignored.
func remoteCommands() map[string][]string {
	object := []string{"json"}
	span := []string{"since", "until"}
	return map[string][]string{
		"run": slices.Concat(remoteSession(), []string{"code", "lang", "file", "with-folder", "out", "session", "json", "stdin", "full", "read-only"}),
		"ask": slices.Concat(remoteSession(), budgetFlags(), []string{
			"file", "out", "model", "fallback-model", "effort", "max-steps", "style", "branches", "sees", "lang", "thread", "notes", "show-changes", "json", "mode", "strict",
			"schema", "input-check", "check", "check-expr", "subagents", "sub-model",
		}),
		"plan check": {"strict", "json", "sarif"},
		"plan run":   {"strict", "input", "now", "seed", "timeout", "model", "later", "json"},
		"tools ls":   {"search", "json"},
		"runs":       slices.Concat(span, []string{"model", "status", "kind", "thread", "cost", "text", "limit", "children", "json"}),
		"runs rm":    object, "show": {"step", "figures", "out", "json"}, "diff": {"step", "json"}, "verify": object, "replay": object,
		"cost": slices.Concat(span, []string{"by", "json"}), "export": {"format", "out", "force", "json"},
		"session ls": object, "session add": {"npm", "json"}, "session fork": object, "session rollback": object, "session log": object, "session rm": object,
		"thread ls": object, "thread show": object, "thread rm": object,
		"memory ls": {"thread", "tag", "limit", "json"}, "memory search": object, "memory show": object, "memory rm": object,
		"image ls": object, "models": object,
		"serve key add": {"name", "scope", "lasts", "quota", "json"}, "serve key ls": object, "serve key rm": object,
	}
}

// localCommands need neither data nor a sandbox: they are the same wherever the work is done.
func localCommands() []string {
	return []string{"", "help", "version", "completion", "completion bash", "completion zsh", "completion fish", "completion powershell", "tools schema", "config", "scripted", "exit-codes"}
}

// choose decides who does the work of a command, and refuses what a server cannot be asked for.
func (p *program) choose(cmd *cobra.Command, flags *serverFlags) error {
	path := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()))
	known, remote := remoteCommands()[path]
	if slices.Contains(localCommands(), path) || cmd.Annotations[holdsOthers] != "" || cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil
	}
	c, err := flags.config(cmd, p.getenv)
	if err != nil || c == nil {
		return err
	}
	if !remote {
		return notRemote("%s: it is for the machine that it runs on", cmd.CommandPath())
	}
	var refused []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if cmd.InheritedFlags().Lookup(f.Name) == nil && !slices.Contains(known, f.Name) {
			refused = append(refused, "--"+f.Name)
		}
	})
	if len(refused) > 0 {
		return notRemote("%s with %s", cmd.CommandPath(), safetext.Line(strings.Join(refused, " and ")))
	}
	p.server = c
	return nil
}

// notRemote says what a server cannot be asked for.
func notRemote(format string, args ...any) error {
	return fault.New(fault.Invalid, `Do it on this machine: --server "" says so.`, "cannot ask a server for "+format, args...)
}

// on has f use what does the work: the application on this machine, or the server that was
// named.
func on[T any](p *program, f func(T) error) (err error) {
	if p.server == nil {
		return p.withApp(func(a *app.App) error { return f(any(a).(T)) })
	}
	c, err := client.New(*p.server)
	if err != nil {
		return err
	}
	defer p.closing(c, &err)
	return f(any(c).(T))
}

// What commands need of who does the work.
type (
	coder interface {
		RunCode(ctx context.Context, q app.CodeRequest, sink event.Sink) (app.CodeResult, error)
	}
	asker interface {
		Ask(ctx context.Context, q app.AskRequest, sink event.Sink) (app.AskResult, error)
	}
	planner interface {
		CheckPlan(ctx context.Context, src app.PlanSource, t app.ToolSpec, sink event.Sink) (*app.PlanCheck, error)
		RunPlan(ctx context.Context, q app.PlanRequest, sink event.Sink) (app.PlanResult, error)
	}
	lister interface {
		Runs(ctx context.Context, q app.RunQuery, prices app.PriceTable) ([]app.ListedRun, bool, error)
		HasRuns(ctx context.Context) (bool, error)
		Cost(ctx context.Context, q app.RunQuery, prices app.PriceTable) (app.Costs, error)
		RemoveRun(ctx context.Context, ref string) (app.RemovedRun, error)
	}
	recorder interface {
		ReadTree(ctx context.Context, ref string) (app.RecordedRun, error)
		ReadRun(ctx context.Context, ref string) (app.RecordedRun, error)
		Verify(ctx context.Context, ref string, pinned app.Key) (app.Verified, error)
		Repeat(ctx context.Context, ref string, sink event.Sink) (app.Repeated, error)
	}
	exporter interface {
		Export(ctx context.Context, q app.ExportRequest) (app.Exported, error)
		WriteExport(ctx context.Context, q app.ExportRequest, w io.Writer) ([]string, error)
	}
	sessioner interface {
		NamedSessions(ctx context.Context) ([]app.NamedSession, error)
		SessionLog(ctx context.Context, name string) ([]app.SnapshotInfo, error)
		ForkSession(ctx context.Context, from, to string) error
		RollbackSession(ctx context.Context, name, id string) (string, error)
		RemoveSession(ctx context.Context, name string) error
	}
	adder interface {
		AddToSession(ctx context.Context, name string, packages []string, sink event.Sink) (app.AddedPackages, string, error)
	}
	threader interface {
		Threads(ctx context.Context) ([]app.Thread, error)
		ThreadTurns(ctx context.Context, name string) ([]app.Turn, error)
		RemoveThread(ctx context.Context, name string) error
	}
	noter interface {
		Notes(ctx context.Context, q app.NoteQuery) ([]app.Note, error)
		SearchNotes(ctx context.Context, words string) ([]app.Note, error)
		Note(ctx context.Context, ref string) (app.Note, error)
		RemoveNote(ctx context.Context, ref string) (string, error)
	}
	imager interface {
		ListImages(ctx context.Context) ([]app.ImageInfo, error)
	}
	tooler interface {
		ListTools(ctx context.Context, q app.ToolsQuery, sink event.Sink) ([]app.Tool, error)
	}
	keyer interface {
		AddKey(ctx context.Context, like access.Key) (string, access.Key, error)
		ListKeys(ctx context.Context) ([]access.Key, error)
		RemoveKey(ctx context.Context, id string) error
	}
)

// Both satisfy them.
var (
	_, _ coder     = (*app.App)(nil), (*client.Client)(nil)
	_, _ asker     = (*app.App)(nil), (*client.Client)(nil)
	_, _ planner   = (*app.App)(nil), (*client.Client)(nil)
	_, _ lister    = (*app.App)(nil), (*client.Client)(nil)
	_, _ recorder  = (*app.App)(nil), (*client.Client)(nil)
	_, _ exporter  = (*app.App)(nil), (*client.Client)(nil)
	_, _ sessioner = (*app.App)(nil), (*client.Client)(nil)
	_, _ adder     = (*app.App)(nil), (*client.Client)(nil)
	_, _ threader  = (*app.App)(nil), (*client.Client)(nil)
	_, _ noter     = (*app.App)(nil), (*client.Client)(nil)
	_, _ imager    = (*app.App)(nil), (*client.Client)(nil)
	_, _ tooler    = (*app.App)(nil), (*client.Client)(nil)
	_, _ keyer     = localKeys{}, (*client.Client)(nil)
)

// localKeys are the keys of the server over the person's own data folder.
type localKeys struct{ *access.Keys }

// AddKey makes a key.
func (k localKeys) AddKey(_ context.Context, like access.Key) (string, access.Key, error) {
	return k.Add(like)
}

// ListKeys lists the keys of all tenants.
func (k localKeys) ListKeys(context.Context) ([]access.Key, error) { return k.List() }

// RemoveKey takes a key away.
func (k localKeys) RemoveKey(_ context.Context, id string) error { return k.Remove(id) }
