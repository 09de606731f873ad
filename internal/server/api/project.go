package api

import (
	"praxis/event"
	"praxis/internal/app"
)

// GivenProject is a project that a request brings along.
type GivenProject struct {
	Name      string `json:"name,omitempty" jsonschema:"of its folder"`
	Files     []byte `json:"files" jsonschema:"base64: a tar archive of its files"`
	Test      string `json:"test,omitempty" jsonschema:"the command that runs its tests, for /bin/sh in its folder; they decide"`
	EditTests bool   `json:"edit_tests,omitempty" jsonschema:"tests may be changed, too"`
}

// spec is what the application is asked about.
func (p *GivenProject) spec() *app.RepoSpec {
	if p == nil {
		return nil
	}
	return &app.RepoSpec{Test: p.Test, EditTests: p.EditTests, Packed: &app.PackedRepo{Name: p.Name, Files: p.Files}}
}

// ProjectDone is what came of a project.
type ProjectDone struct {
	Passed  bool                `json:"passed" jsonschema:"its tests pass with the changes, or without any"`
	Nothing string              `json:"nothing,omitempty" jsonschema:"why no model was asked"`
	Before  *event.TestsRan     `json:"before,omitempty" jsonschema:"what the tests said at first"`
	After   *event.TestsRan     `json:"after,omitempty" jsonschema:"what they said of the changes"`
	Diff    string              `json:"diff" jsonschema:"of git; empty: nothing was changed"`
	Files   []event.PatchedFile `json:"files"`
	LeftOut []string            `json:"left_out,omitempty" jsonschema:"new files that are no part of the diff"`
	Of      string              `json:"of" jsonschema:"the sum of the files that were changed"`
	Changed []byte              `json:"changed,omitempty" jsonschema:"base64: a tar archive of the files that are new or changed"`
	Gone    []string            `json:"gone,omitempty" jsonschema:"paths of the files that are no more"`
}

// projectDone is what came of a project, or nil.
func projectDone(r *app.RepoResult) *ProjectDone {
	if r == nil {
		return nil
	}
	out := &ProjectDone{Passed: r.Passed, Nothing: r.Nothing, Before: r.Before, After: r.After, Diff: text(r.Diff), Files: append([]event.PatchedFile{}, r.Files...), LeftOut: r.LeftOut}
	if c, err := r.Packed(); err == nil { // otherwise the diff stands alone, and nobody can take the changes over
		out.Of, out.Changed, out.Gone = c.Of, c.Files, c.Gone
	}
	return out
}
