package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"praxis/internal/cli/format"
)

// flagGroup is a part of the flags of a long help page.
type flagGroup struct {
	title string
	flags []string
}

// flagGroups are the parts in the order of the page. What stands in none of them
// is in the first, after what is named there, which is used most.
func flagGroups() []flagGroup {
	return []flagGroup{
		{"Flags", []string{"code", "file", "out", "with", "session", "thread", "model", "fallback-model", "effort", "mode", "tools", "policy", "json"}},
		{"Plans", []string{"input", "replies", "later", "yes", "now", "quarantine-model"}},
		{"Who decides", []string{"approve", "approve-timeout", "allow-commands"}},
		{"Models and runs in code", []string{"subagents", "sub-model", "context"}},
		{"Network", []string{"allow-net", "credential"}},
		{"A server that does it", []string{"server", "key-file", "ca"}},
		{"Limits", []string{"max-steps", "max-cost", "max-time", "max-execution-time", "max-tokens", "max-input-tokens", "max-output-tokens", "max-calls", "max-attempts", "max-total-steps", "max-depth", "max-sub-calls", "timeout", "memory", "cpus", "cpu-time", "disk", "processes", "open-files", "output-limit"}},
	}
}

// manyFlags is from how many flags on they stand in groups.
const manyFlags = 12

// usageOf writes the part of a help page below its text. A command that only holds
// others has the library's.
func (p *program) usageOf(library func(*cobra.Command) error) func(*cobra.Command) error {
	return func(cmd *cobra.Command) error {
		if cmd.HasAvailableSubCommands() || !cmd.Runnable() {
			return library(cmd)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
		if len(cmd.Aliases) > 0 {
			fmt.Fprintf(&b, "\nAliases:\n  %s\n", cmd.NameAndAliases())
		}
		if cmd.HasExample() {
			fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
		}
		for _, g := range grouped(cmd.Flags()) {
			fmt.Fprintf(&b, "\n%s:\n", g.title)
			for _, f := range g.flags {
				b.WriteString(flagText(f, min(width(p.stdout), maxHelpWidth)))
			}
		}
		_, err := io.WriteString(cmd.OutOrStderr(), b.String())
		return err
	}
}

// shownGroup is a group as one command has it.
type shownGroup struct {
	title string
	flags []*pflag.Flag
}

// grouped sorts the flags of a command into groups, the empty ones left out.
func grouped(fs *pflag.FlagSet) []shownGroup {
	fs.SortFlags = true
	left := map[string]*pflag.Flag{}
	var order []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			left[f.Name] = f
			order = append(order, f.Name)
		}
	})
	groups := flagGroups()
	if len(order) < manyFlags {
		groups = groups[:1]
	}
	shown := make([]shownGroup, len(groups))
	for i, g := range groups {
		shown[i].title = g.title
		for _, name := range g.flags {
			if f := left[name]; f != nil {
				shown[i].flags = append(shown[i].flags, f)
				delete(left, name)
			}
		}
	}
	for _, name := range order {
		if f := left[name]; f != nil {
			shown[0].flags = append(shown[0].flags, f)
		}
	}
	var out []shownGroup
	for _, g := range shown {
		if len(g.flags) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// What a help page takes of a line.
const (
	helpIndent   = 28
	maxHelpWidth = 100
)

// flagText is one flag with what it means, broken between words.
func flagText(f *pflag.Flag, width int) string {
	value, meaning := pflag.UnquoteUsage(f)
	head := "      --" + f.Name
	if f.Shorthand != "" {
		head = "  -" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		head += " " + value
	}
	if d := f.DefValue; d != "" && d != "false" && d != "0" && d != "[]" && !strings.Contains(meaning, "(default") {
		meaning += " (default " + d + ")"
	}
	gap := strings.Repeat(" ", max(helpIndent-len([]rune(head)), 0))
	if gap == "" || len([]rune(head))+2 > helpIndent {
		head, gap = head+"\n", strings.Repeat(" ", helpIndent)
	}
	var b strings.Builder
	b.WriteString(head)
	for _, part := range format.BreakWords(meaning, max(width-helpIndent, 30)) {
		b.WriteString(gap + part + "\n")
		gap = strings.Repeat(" ", helpIndent)
	}
	return b.String()
}
