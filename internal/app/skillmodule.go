package app

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"praxis/fault"
	"praxis/internal/agent/skill"
	"praxis/internal/planner"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// moduleTool is the tool that a skill is which is a WebAssembly module.
func moduleTool(name string) string { return "skills." + name }

// moduleCode is what code imports of a skill that is a module: it calls the tool.
func moduleCode(name string) string {
	return "# A WebAssembly module, which the host runs.\nfrom tools import skills as _skills\n\n" + name + " = _skills." + name + "\n"
}

// moduleGrants are what the manifest of a skill may grant. A folder of skills may be anybody's:
// files, variables and hosts of this machine are a tool's, which a person declares.
func moduleGrants() []string {
	return []string{"memory", "time", "output", "disk", "clock", "random"}
}

// checkModule refuses a module whose declaration is not that of one tool, which is the skill,
// or whose manifest grants what a skill cannot have.
func checkModule(s skill.Skill) error {
	if !s.IsModule() {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "Declare it as one tool named "+moduleTool(s.Name)+" with run: {wasm: {module: "+skill.Module+", sha256: …, grant: {}}}. What needs files, variables or hosts is a tool, and no skill.",
			"cannot take the skill "+s.Name+": "+format, args...)
	}
	f, err := toolfile.Load(skill.ToolFile, []byte(s.Tool))
	if err != nil {
		return refuse("%w", err)
	}
	if len(f.Tools) != 1 || len(f.Servers)+len(f.Secrets)+len(f.Inputs)+len(f.Fields) > 0 || f.Tools[0].Name != moduleTool(s.Name) || f.Tools[0].Model {
		return refuse("%s does not declare it and nothing else", skill.ToolFile)
	}
	b, ok := f.Bindings[f.Tools[0].ID()]
	if !ok || b.Kind != "wasm" {
		return refuse("%s does not run it as a module", skill.ToolFile)
	}
	sum := sha256.Sum256([]byte(s.Module))
	if module, _ := b.Spec.Get("module"); module != skill.Module {
		return refuse("%s names another module", skill.ToolFile)
	}
	if want, _ := b.Spec.Get("sha256"); want != hex.EncodeToString(sum[:]) {
		return refuse("the module is not the one whose hash %s has: its SHA-256 is %x", skill.ToolFile, sum)
	}
	grant, _ := b.Spec.Get("grant")
	object, ok := grant.(*jsondoc.Object)
	if !ok {
		return refuse("it has no manifest")
	}
	for name := range object.All() {
		if !slices.Contains(moduleGrants(), name) {
			return refuse("its manifest grants %s", name)
		}
	}
	return nil
}

// declaration is what declares the tool of a module that lies in a folder.
func declaration(s skill.Skill, dir string) planner.Text {
	return planner.Text{Name: filepath.Join(dir, skill.ToolFile), Text: s.Tool}
}
