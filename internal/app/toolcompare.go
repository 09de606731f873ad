package app

import (
	"context"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/registry"
	"praxis/internal/tool/schema"
)

// ToolChange is what became of one tool.
type ToolChange struct {
	Tool       string        `json:"tool"`
	Before     string        `json:"before,omitempty"` // its version; "": it is new
	After      string        `json:"after,omitempty"`  // "": it is gone
	Compatible bool          `json:"compatible"`
	Error      string        `json:"error,omitempty"` // the version does not say what changed
	Changes    []ChangedPart `json:"changes"`
}

// ChangedPart is one change of a definition.
type ChangedPart struct {
	Impact string `json:"impact"`
	Path   string `json:"path"`
	What   string `json:"what"`
}

// ToolsCompared says what changed between two files of tools.
type ToolsCompared struct {
	Before string       `json:"before"`
	After  string       `json:"after"`
	Pass   bool         `json:"pass"` // every version says what changed
	Tools  []ToolChange `json:"tools"`
}

// CompareTools says what changed between two files of tools, and whether it
// breaks who uses them. The servers of the files are not asked.
func (a *App) CompareTools(ctx context.Context, before, after string) (ToolsCompared, error) {
	out := ToolsCompared{Before: before, After: after, Tools: []ToolChange{}}
	old, err := a.definitions(ctx, before)
	if err != nil {
		return out, err
	}
	now, err := a.definitions(ctx, after)
	if err != nil {
		return out, err
	}
	out.Tools = append(out.Tools, compareSets(old, now)...)
	out.Pass = !slices.ContainsFunc(out.Tools, func(c ToolChange) bool { return c.Error != "" })
	return out, nil
}

// definitions reads the definitions of a file.
func (a *App) definitions(ctx context.Context, name string) (*tool.Set, error) {
	var set *tool.Set
	var wrong error
	report := func(pos jsondoc.Position, err error) {
		if kind := fault.KindOf(err); wrong == nil && kind != fault.Denied && kind != fault.Unavailable {
			wrong = atPlace(pos, err)
		}
	}
	err := a.withTools(ctx, opening{files: []string{name}, offline: true, report: report}, event.Discard, func(reg *registry.Registry, _ *registry.Secrets) error {
		set = reg.Set()
		return wrong
	})
	return set, err
}

// compareSets says what became of every tool that changed.
func compareSets(old, now *tool.Set) []ToolChange {
	names := append(old.Names(), now.Names()...)
	slices.Sort(names)
	var out []ToolChange
	for _, name := range slices.Compact(names) {
		before, after := old.Versions(name), now.Versions(name)
		switch {
		case len(after) == 0:
			out = append(out, ToolChange{Tool: name, Before: string(before[0].Version), Error: "it is no longer there", Changes: []ChangedPart{}})
			continue
		case len(before) == 0:
			for _, d := range after {
				out = append(out, ToolChange{Tool: name, After: string(d.Version), Compatible: true, Changes: []ChangedPart{}})
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

func compareTool(before, after *tool.Definition) (ToolChange, bool) {
	if before.Hash() == after.Hash() {
		return ToolChange{}, false
	}
	c := ToolChange{Tool: after.Name, Before: string(before.Version), After: string(after.Version), Compatible: true, Changes: []ChangedPart{}}
	for _, found := range tool.Compatible(before, after) {
		if found.Path == "version" { // a judgement of the number, not a change of the tool
			c.Error = found.What
			continue
		}
		c.Compatible = c.Compatible && found.Impact != schema.Breaking
		c.Changes = append(c.Changes, ChangedPart{found.Impact.String(), found.Path, found.What})
	}
	return c, true
}
