package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/registry"
)

const toolsDiffLong = `Says what changed between two files of tools, and what that means for whoever uses
the tools:

  breaking   calls, or uses of results, that worked may fail
  guarding   what a policy or a check decides may change
  widening   what worked goes on working, and more is possible
  harmless   words and examples

A definition that changed needs another version, and a breaking change another
major version (before 1.0.0 any). What does not say so is an error, as is a tool
that is no longer there. A version that is new is compared with the newest before
it. The servers of the files are not asked.

The exit code is 1 when a change is an error.`

// toolsDiffing is one praxis tools diff.
type toolsDiffing struct {
	p    *program
	json bool
}

func (p *program) toolsDiffCommand() *cobra.Command {
	d := &toolsDiffing{p: p}
	cmd := &cobra.Command{
		Use: "diff OLD NEW", Short: "Say what changed between two files of tools, and whether it breaks users", Long: toolsDiffLong,
		Example: "  git show HEAD:praxis.tools.yaml > old.yaml && praxis tools diff old.yaml praxis.tools.yaml",
		Args:    takes(2, 2, "the old file or the new one"),
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&d.json, "json", false, "print one JSON object instead")
	return cmd
}

// toolChange is what became of one tool.
type toolChange struct {
	Tool       string        `json:"tool"`
	Before     string        `json:"before,omitempty"` // its version; "": it is new
	After      string        `json:"after,omitempty"`  // "": it is gone
	Compatible bool          `json:"compatible"`
	Error      string        `json:"error,omitempty"` // the version does not say what changed
	Changes    []changedPart `json:"changes"`
}

type changedPart struct {
	Impact string `json:"impact"`
	Path   string `json:"path"`
	What   string `json:"what"`
}

func (d *toolsDiffing) run(ctx context.Context, before, after string) error {
	old, err := d.load(ctx, before)
	if err != nil {
		return err
	}
	now, err := d.load(ctx, after)
	if err != nil {
		return err
	}
	changes := compareSets(old, now)
	failed := slices.ContainsFunc(changes, func(c toolChange) bool { return c.Error != "" })
	if d.json {
		err = d.p.printJSON(struct {
			Before string       `json:"before"`
			After  string       `json:"after"`
			Pass   bool         `json:"pass"`
			Tools  []toolChange `json:"tools"`
		}{before, after, !failed, orEmpty(changes)})
	} else {
		err = d.p.emit(d.text(changes))
	}
	if failed {
		err = errors.Join(err, fate{exitNot})
	}
	return err
}

// load reads the definitions of a file.
func (d *toolsDiffing) load(ctx context.Context, name string) (*tool.Set, error) {
	var set *tool.Set
	var wrong error
	report := func(pos tool.Position, err error) {
		if kind := fault.KindOf(err); wrong == nil && kind != fault.Denied && kind != fault.Unavailable {
			wrong = atPlace(pos, err)
		}
	}
	err := d.p.openTools(ctx, toolOpening{files: []string{name}, offline: true, report: report}, func(reg *registry.Registry, _ *registry.Secrets) error {
		set = reg.Set()
		return wrong
	})
	return set, err
}

// compareSets says what became of every tool that changed.
func compareSets(old, now *tool.Set) []toolChange {
	names := append(old.Names(), now.Names()...)
	slices.Sort(names)
	var out []toolChange
	for _, name := range slices.Compact(names) {
		before, after := old.Versions(name), now.Versions(name)
		switch {
		case len(after) == 0:
			out = append(out, toolChange{Tool: name, Before: string(before[0].Version), Error: "it is no longer there", Changes: []changedPart{}})
			continue
		case len(before) == 0:
			for _, d := range after {
				out = append(out, toolChange{Tool: name, After: string(d.Version), Compatible: true, Changes: []changedPart{}})
			}
			continue
		}
		for _, d := range after {
			if c, changed := compareTool(predecessor(before, d), d); changed {
				out = append(out, c)
			}
		}
	}
	return out
}

// predecessor returns the definition that d takes the place of: that of the same
// version, else the newest before it, else the oldest. before has the newest first.
func predecessor(before []*tool.Definition, d *tool.Definition) *tool.Definition {
	for _, b := range before {
		if b.Version.Compare(d.Version) <= 0 {
			return b
		}
	}
	if len(before) > 1 { // others go on beside it
		return before[len(before)-1]
	}
	return before[0]
}

func compareTool(before, after *tool.Definition) (toolChange, bool) {
	if before.Hash() == after.Hash() {
		return toolChange{}, false
	}
	c := toolChange{Tool: after.Name, Before: string(before.Version), After: string(after.Version), Compatible: true, Changes: []changedPart{}}
	for _, found := range tool.Compatible(before, after) {
		if found.Path == "version" { // a judgement of the number, not a change of the tool
			c.Error = found.What
			continue
		}
		c.Compatible = c.Compatible && found.Impact != tool.Breaking
		c.Changes = append(c.Changes, changedPart{found.Impact.String(), found.Path, found.What})
	}
	return c, true
}

func (d *toolsDiffing) text(changes []toolChange) string {
	s := d.p.styleOf(d.p.stdout)
	var b strings.Builder
	failed := 0
	for _, c := range changes {
		head := safetext.Line(c.Tool) + "  "
		switch {
		case c.After == "":
			head += safetext.Line(c.Before) + " is gone"
		case c.Before == "":
			head += safetext.Line(c.After) + " is new"
		case c.Before == c.After:
			head += safetext.Line(c.After)
		default:
			head += safetext.Line(c.Before) + " → " + safetext.Line(c.After)
		}
		if c.Before != "" && c.After != "" {
			head += map[bool]string{true: ": compatible", false: ": breaks users"}[c.Compatible]
		}
		b.WriteString(s.paint(sgrBold, head) + "\n")
		for _, part := range c.Changes {
			fmt.Fprintf(&b, "  %s  %s: %s\n", s.paint(impactColour(part.Impact), part.Impact), safetext.Line(part.Path), safetext.Line(part.What))
		}
		if c.Error != "" {
			failed++
			fmt.Fprintf(&b, "  %s %s\n", s.paint(sgrRed, "error:"), safetext.Line(c.Error))
		}
	}
	if len(changes) == 0 {
		return "Nothing changed.\n"
	}
	fmt.Fprintf(&b, "%s changed or new, %s\n", safetext.Count(len(changes), "tool"), map[bool]string{true: "versions say so", false: safetext.Count(failed, "error")}[failed == 0])
	return b.String()
}

func impactColour(impact string) string {
	switch impact {
	case tool.Breaking.String():
		return sgrRed
	case tool.Guarding.String():
		return sgrYellow
	}
	return sgrDim
}
