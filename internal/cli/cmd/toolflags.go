package cmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

// toolFlags say which tools may be called, by which rules, who is asked, and what
// code may reach.
type toolFlags struct {
	tools       []string
	policy      string
	strict      bool
	commands    bool
	approve     string
	patience    flagValue[time.Duration]
	net         []string
	credentials []string
}

// registerFiles adds the flags that name files of tools and the policy.
func (f *toolFlags) registerFiles(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.tools, "tools", nil, "`FILE` that declares tools (may be repeated)")
	fs.StringVar(&f.policy, "policy", "", "`FILE` with the rules for calls")
	f.registerCommands(cmd)
}

func (f *toolFlags) registerCommands(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.commands, "allow-commands", false, "let tools and their servers run programs on this machine, outside of any sandbox")
}

// registerStrict adds the flag of plans that counts implicit flows.
func (f *toolFlags) registerStrict(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.strict, "strict", false, "count implicit flows, too: branches, loops, exceptions")
}

// registerApproval adds the flags that say who is asked.
func (f *toolFlags) registerApproval(cmd *cobra.Command) {
	f.patience = flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}
	fs := cmd.Flags()
	fs.StringVar(&f.approve, "approve", "", "who is asked about calls that need approval; `WHO` is terminal, never, a webhook's URL, or command:PROGRAM")
	fs.Var(&f.patience, "approve-timeout", "how long an answer is waited for before the call is denied (default 5m)")
}

// registerNet adds the flags of the network. They are for commands with code.
func (f *toolFlags) registerNet(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.net, "allow-net", nil, "let code reach these `HOSTS`, such as api.example.com:443,*.example.org, or those that stand in @FILE, which is read again when it changes (may be repeated)")
	fs.StringArrayVar(&f.credentials, "credential", nil, "put the value of an environment variable into a header of requests of code to that host, over TLS alone; the code sees a placeholder, and with FIELDS, such as id,items.name, or - for none, only the status and these fields of what the host answers in JSON: `HOST[/PATH]=HEADER:VARIABLE[:FIELDS]`")
}

// toolFiles are the flags of commands that look at files of tools and call nothing.
type toolFiles struct{ flags toolFlags }

func (f *toolFiles) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.flags.tools, "tools", nil, "`FILE` that declares tools (may be repeated; default "+app.ToolsFile+")")
	f.flags.registerCommands(cmd)
}

func (f *toolFiles) query() (app.ToolsQuery, error) {
	files, err := app.ToolFiles(f.flags.tools)
	return app.ToolsQuery{Files: files, Commands: f.flags.commands}, err
}

// noFiles checks the arguments of a command about tools: the name of a tool, where
// it takes one. A file among them is meant for --tools, as in every other command.
func noFiles(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for _, a := range args {
			if strings.HasSuffix(a, ".yaml") || strings.HasSuffix(a, ".yml") || strings.HasSuffix(a, ".json") || app.IsFile(a) {
				return fault.New(fault.Invalid, "Write: "+cmd.CommandPath()+" --tools "+shellWord(a)+".", "cannot read the command line: %s is a file", safetext.Line(a))
			}
		}
		return takes(low, high, "the name of a tool")(cmd, args)
	}
}

// netFlags are for code alone.
func netFlags() []string { return []string{"allow-net", "credential"} }

// spec returns what the flags say of tools.
func (f *toolFlags) spec(p *program) app.ToolSpec {
	s := app.ToolSpec{Files: f.tools, Policy: f.policy, Strict: f.strict, Commands: f.commands}
	s.Approval = app.ApprovalSpec{Who: f.approve, Terminal: isTerminal(p.stdin) && isTerminal(p.stderr), Hold: p.terminal.Hold}
	if v := f.patience.value; v != nil {
		s.Approval.Timeout = *v
	}
	return s
}

// netSpec returns what the flags say of the network.
func (f *toolFlags) netSpec() (app.NetSpec, error) {
	if len(f.credentials) > 0 && len(f.net) == 0 {
		return app.NetSpec{}, usage("praxis run", "--credential is for hosts that --allow-net names")
	}
	return app.NetSpec{Hosts: f.net, Credentials: f.credentials}, nil
}

// again writes the flags that name the files of tools, for who goes on with a
// plan whose call something implements.
func (f *toolFlags) again(w *app.PlanWaiting) string {
	if w == nil || !w.Implemented {
		return ""
	}
	var b strings.Builder
	for _, file := range f.tools {
		b.WriteString(" --tools " + shellWord(file))
	}
	if f.commands && len(f.tools) > 0 {
		b.WriteString(" --allow-commands")
	}
	return b.String()
}

// shellWord writes a text so that a shell takes it as one word.
func shellWord(s string) string {
	s = safetext.Line(s)
	if s != "" && !strings.ContainsAny(s, " \t'\"\\$`*?[]{}()<>|&;#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
