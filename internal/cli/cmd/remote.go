package cmd

import (
	"context"
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
	approving := []string{"approve", "approve-timeout"}
	modelled := slices.Concat(remoteSession(), budgetFlags(), []string{"model", "fallback-model", "effort", "max-steps", "lang", "json", "resume", "test", "allow-test-edits", "include", "apply", "patch"})
	return map[string][]string{
		"run":   slices.Concat(remoteSession(), approving, []string{"code", "lang", "file", "with-folder", "out", "session", "json", "stdin", "full", "read-only", "save"}),
		"shell": slices.Concat(remoteSession(), []string{"session", "lang", "out", "file", "json", "full", "read-only"}),
		"ask": slices.Concat(modelled, approving, []string{
			"file", "out", "style", "branches", "sees", "thread", "notes", "show-changes", "mode", "strict",
			"schema", "input-check", "check", "check-expr", "subagents", "sub-model", "skills", "learn", "repo", "later",
		}),
		"fix":        modelled,
		"plan check": {"strict", "json", "sarif"}, "plan explain": {"strict", "json"}, "plan graph": {"strict", "json", "format"},
		"plan run":    slices.Concat(approving, []string{"strict", "input", "now", "seed", "timeout", "model", "later", "json"}),
		"plan resume": {"result", "error", "approve", "deny", "endorse", "again", "later", "json"},
		"policy init": object, "policy test": object, "policy explain": {"call", "json"}, "policy cases": object,
		"tools ls":  {"search", "json"},
		"skill add": {"function", "description", "tests", "with", "json"}, "skill ls": object, "skill show": object, "skill test": {"with", "image", "json"},
		"skill rm": object, "skill export": {"out", "force", "json"}, "skill import": object,
		"runs":    slices.Concat(span, []string{"model", "status", "kind", "thread", "cost", "text", "limit", "children", "json"}),
		"runs rm": object, "show": {"step", "figures", "out", "json"}, "diff": {"step", "json"}, "verify": object, "replay": object, "import": object,
		"cost": slices.Concat(span, []string{"by", "json"}), "export": {"format", "out", "force", "json"},
		"session ls": object, "session add": {"npm", "json"}, "session fork": object, "session rollback": object, "session log": object, "session rm": object,
		"session export": {"out", "head", "force", "json"}, "session import": {"name", "json"}, "session prune": {"keep", "older-than", "dry-run", "json"},
		"thread ls": object, "thread show": object, "thread rm": object, "thread fork": object, "thread rename": object,
		"memory ls": {"thread", "tag", "limit", "json"}, "memory search": object, "memory show": object, "memory rm": object,
		"image ls": object, "image show": object, "image history": object, "image rm": object, "image build": {"with", "npm", "image", "json"}, "image pull": object, "models": object,
		"serve key add": {"name", "scope", "lasts", "quota", "json"}, "serve key ls": object, "serve key rm": object,
	}
}

// notHere says why no server is asked for a command, and what to do instead.
type notHere struct{ why, remedy string }

// refusedCommands are those that no server is asked for.
func refusedCommands() map[string]notHere {
	serves := notHere{"it makes this machine the server", "Log in to the machine that is to serve."}
	operates := notHere{"it works on the data folder of the server itself", "Run it on the server's machine, as the user that it runs as."}
	measures := notHere{"it measures the machine that it runs on", "Run it on the server's machine."}
	declares := notHere{"the tools of a server are files of its operator", "Look at them with \"praxis tools ls\"; files of tools are worked on where they lie."}
	signs := notHere{"the keys that sign records are those of one data folder", "Ask the server to check a record: \"praxis verify RUN\"."}
	files := notHere{"container images travel as files of the operator's machine", "Have the server get it: \"praxis image pull\", or run it on the server's machine."}
	return map[string]notHere{
		"serve": serves, "rpc": serves, "mcp": serves, "serve audit": operates, "serve quota set": operates, "serve quota ls": operates, "serve quota rm": operates,
		"serve secret set": operates, "serve secret ls": operates, "serve secret rm": operates, "serve secret rotate": operates, "gc": operates, "image prune": operates,
		"bench": measures, "bench server": measures, "plan bench": measures, "bench trace": measures, "doctor": measures,
		"tools show": declares, "tools call": declares, "tools check": declares, "tools test": declares, "tools diff": declares, "tools import mcp": declares, "tools import openapi": declares,
		"key ls": signs, "key show": signs, "key rotate": signs, "key trust": signs, "key distrust": signs,
		"image import": files, "image export": files,
		"demo":   {"it shows what this machine can do", "Ask something: \"praxis ask\"."},
		"eval":   {"it grades in sessions of its own, and keeps results beside the file of cases", "Ask the questions one by one: \"praxis ask --json\"."},
		"test":   {"it executes the runs in a folder of this machine again", "Have the server repeat its own: \"praxis replay RUN\"."},
		"assert": {"its assertions are a file that is run in a copy of the run's session", "Export the run, \"praxis export RUN\", import it here, and leave the server out."},
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
		r := refusedCommands()[path]
		return fault.New(fault.Invalid, r.remedy+` Or leave the server out: --server "" says so.`, "cannot ask a server for %s: %s", cmd.CommandPath(), r.why)
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
