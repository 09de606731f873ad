package app

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/registry"
)

// ToolFinding is one thing that is wrong with files of tools.
type ToolFinding struct {
	Level  string `json:"level"` // LevelError or LevelWarning
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"`

	Code fault.Code `json:"code,omitempty"` // of the remedy
	Data fault.Data `json:"data,omitempty"` // of the code
}

// Place names where it stands, or "".
func (f ToolFinding) Place() string {
	if f.File == "" && f.Line == 0 {
		return ""
	}
	return jsondoc.Position{File: f.File, Line: f.Line, Column: f.Column}.String()
}

// The levels of findings.
const (
	LevelError   = "error"
	LevelWarning = "warning"
)

// ToolsChecked is what a check of files of tools found.
type ToolsChecked struct {
	Files    []string      `json:"files"`
	Pass     bool          `json:"pass"` // warnings alone are no failure
	Tools    int           `json:"tools"`
	Findings []ToolFinding `json:"findings"`
}

// CheckTools says all that is wrong with files of tools. What implements the
// tools is made, and servers are asked what they provide, but nothing is called.
func (a *App) CheckTools(ctx context.Context, q ToolsQuery, sink event.Sink) (ToolsChecked, error) {
	c := &toolCheck{out: ToolsChecked{Files: q.Files, Findings: []ToolFinding{}}}
	err := a.withTools(ctx, opening{files: q.Files, commands: q.Commands, report: c.wrong}, sink, func(reg *registry.Registry, secrets *registry.Secrets) error {
		c.out.Tools = len(allTools(reg.Set()))
		c.warn(reg, secrets)
		return nil
	})
	c.order()
	c.out.Pass = !slices.ContainsFunc(c.out.Findings, func(f ToolFinding) bool { return f.Level == LevelError })
	return c.out, err
}

// toolCheck gathers findings.
type toolCheck struct{ out ToolsChecked }

// wrong notes what is wrong; what is not permitted here is a warning.
func (c *toolCheck) wrong(pos jsondoc.Position, err error) {
	var ps jsondoc.Problems
	if errors.As(err, &ps) {
		for _, p := range ps {
			c.add(LevelError, p.Pos, fault.Error{Message: p.What, Remedy: p.Remedy})
		}
		return
	}
	level := LevelError
	if fault.KindOf(err) == fault.Denied {
		level = LevelWarning
	}
	f := *fault.Of(err)
	if pos.Line > 0 {
		f.Message = strings.TrimPrefix(f.Message, pos.String()+": ")
	}
	c.add(level, pos, f)
}

// add notes a finding once.
func (c *toolCheck) add(level string, pos jsondoc.Position, f fault.Error) {
	found := ToolFinding{level, pos.File, pos.Line, pos.Column, f.Message, f.Remedy, f.Code, f.Data}
	if !slices.ContainsFunc(c.out.Findings, func(other ToolFinding) bool { return reflect.DeepEqual(found, other) }) {
		c.out.Findings = append(c.out.Findings, found)
	}
}

// warn notes what keeps tools from working that is not wrong in itself.
func (c *toolCheck) warn(reg *registry.Registry, secrets *registry.Secrets) {
	for _, text := range reg.Problems() {
		c.add(LevelWarning, jsondoc.Position{}, fault.Error{Message: text})
	}
	for _, f := range reg.Files() {
		for _, s := range f.Secrets {
			if _, err := secrets.Secret(s.Name); err != nil {
				c.add(LevelWarning, s.Pos, *fault.Of(err))
			}
		}
		for _, d := range f.Tools {
			if _, bound := f.Bindings[d.ID()]; !bound && !reg.Implements(d) && !d.Model {
				c.add(LevelWarning, d.Pos, fault.Error{
					Message: d.ID() + " has no implementation: plans can rehearse it, nothing can call it", Remedy: "Give it one (run: …).",
				})
			}
		}
	}
}

// order puts findings in the order of the files.
func (c *toolCheck) order() {
	slices.SortStableFunc(c.out.Findings, func(a, b ToolFinding) int {
		if a.File != b.File {
			return slices.Index(c.out.Files, a.File) - slices.Index(c.out.Files, b.File)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}
