package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/safetext"
)

const about = `Praxis lets a language model compute instead of guess: it runs the code that the
model writes in a sandbox whose boundary is a kernel in user space, and keeps
the state between steps.`

// root builds the tree of commands.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "praxis",
		Short:         "Run a model's code in a sandbox",
		Long:          about,
		Version:       p.version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	var server serverFlags
	server.register(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return p.choose(cmd, &server) }
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var f *fault.Error
		if errors.As(err, &f) {
			return f // a value that a flag refused, in our own words
		}
		return usage(cmd.CommandPath(), "%w", err)
	})
	root.SetVersionTemplate("praxis {{.Version}}\n")
	root.SetUsageFunc(p.usageOf(root.UsageFunc()))
	root.CompletionOptions.HiddenDefaultCmd = false
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Compute:", []*cobra.Command{p.runCommand(), p.shellCommand(), p.askCommand(), p.fixCommand(), p.evalCommand(), p.demoCommand()}},
		{"Serve programs:", []*cobra.Command{p.serveCommand(), p.mcpCommand(), p.rpcCommand()}},
		{"Plans:", []*cobra.Command{p.planCommand(), p.policyCommand()}},
		{"Tools:", []*cobra.Command{p.toolsCommand(), p.skillCommand()}},
		{"Look at runs:", []*cobra.Command{
			p.runsCommand(), p.showCommand(), p.diffCommand(), p.verifyCommand(), p.costCommand(), p.exportCommand(), p.importCommand(),
		}},
		{"Execute runs again:", []*cobra.Command{p.replayCommand(), p.testCommand(), p.assertCommand()}},
		{"What is stored:", []*cobra.Command{
			p.sessionCommand(), p.threadCommand(), p.memoryCommand(), p.imageCommand(), p.keyCommand(), p.gcCommand(),
		}},
		{"This program:", []*cobra.Command{p.modelsCommand(), p.doctorCommand(), p.benchCommand(), p.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("This program:")
	root.SetCompletionCommandGroupID("This program:")
	root.AddCommand(
		p.configTopic(),
		scriptedTopic(),
		&cobra.Command{Use: "exit-codes", Short: "The exit codes of every command", Long: strings.TrimRight(exitTopic, "\n")},
	)
	return root
}

// unknownCommand names the command that was probably meant.
func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	remedy := fmt.Sprintf("See %q.", cmd.CommandPath()+" --help")
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		remedy = fmt.Sprintf("Did you mean %q? %s", cmd.CommandPath()+" "+near[0], remedy)
	}
	return fault.New(fault.Invalid, remedy, "cannot read the command line: there is no command %q", safetext.Line(name))
}

// holdsOthers marks a command that only holds others.
const holdsOthers = "holds others"

// group makes a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs, Annotations: map[string]string{holdsOthers: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	c.AddCommand(children...)
	return c
}

// takes checks the number of arguments in our own words.
func takes(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		args, _ = splitArgs(cmd, args)
		switch {
		case len(args) < low:
			return usage(cmd.CommandPath(), "%s is missing", what)
		case len(args) > high:
			return usage(cmd.CommandPath(), "%q is one argument too many", safetext.Line(args[high]))
		}
		return nil
	}
}

// codeArguments marks a command whose arguments after "--" are those of the code.
const codeArguments = "code arguments"

// splitArgs parts the arguments of a command from those of the code that it runs.
func splitArgs(cmd *cobra.Command, args []string) (own, code []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 && cmd.Annotations[codeArguments] != "" {
		return args[:n], args[n:]
	}
	return args, nil
}

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return p.printJSON(struct {
					Version string `json:"version"`
				}{p.version})
			}
			return p.emit("praxis " + p.version + "\n")
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

// emit writes a whole text to standard output.
func (p *program) emit(text string) error {
	_, err := io.WriteString(p.stdout, text)
	return err
}
