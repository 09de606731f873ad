package praxis

import (
	"context"

	"praxis/event"
	"praxis/internal/app"
)

// Skill is a function of an earlier run, or of a person, that passed its tests and that the
// code of questions imports by "from skills import NAME".
type Skill struct {
	Name        string
	Version     int
	Hash        string // of its code, its tests and what is said of it
	Signature   string
	Description string
	Path        string // of its folder
	Run         string // that made it; "": a person's file
	Vouched     bool   // a person here added it
	Problem     string // why it cannot be used; "": it can
}

// Skills lists the person's own skills, by name.
func (c *Client) Skills(ctx context.Context) ([]Skill, error) {
	a, err := does[skiller](c)
	if err != nil {
		return nil, err
	}
	found, err := a.Skills(ctx, app.SkillsHome)
	var out []Skill
	for _, s := range found {
		out = append(out, skillOf(s))
	}
	return out, err
}

func skillOf(s app.Skill) Skill {
	return Skill{Name: s.Name, Version: s.Version, Hash: s.Hash, Signature: s.Signature, Description: s.Description, Path: s.Path, Run: s.Run, Vouched: s.Vouched, Problem: s.Problem}
}

// NewSkill says which functions are to be stored as skills.
type NewSkill struct {
	// From is the path of a file of Python or of the folder of a skill, or else a run.
	From string
	// Function names the function; "": of a file, the one that it is called after, of a run,
	// those that its code had stored.
	Function    string
	Description string // "": what the function's documentation, or the run's code, says
	Tests       string // path of a file with tests; "": test_NAME.py beside the file, or the run's own
	Session     SessionOptions
}

// AddSkills stores functions as skills, whom the caller vouches for by that. Each passes its
// tests in a fresh session before: a fault with the code [fault.SkillFailed] says that one did not.
func (c *Client) AddSkills(s NewSkill) *Call[[]Skill] {
	return newCall(func(ctx context.Context, sink event.Sink) ([]Skill, error) {
		a, err := does[skiller](c)
		if err != nil {
			return nil, err
		}
		done, err := a.AddSkills(ctx, app.SkillAdd{From: s.From, Function: s.Function, Description: s.Description, Tests: s.Tests, Session: s.Session.spec()}, sink)
		var out []Skill
		for _, d := range done {
			out = append(out, skillOf(d.Skill))
		}
		return out, err
	})
}

// RemoveSkill removes a skill with all of its versions.
func (c *Client) RemoveSkill(ctx context.Context, name string) error {
	a, err := does[skiller](c)
	if err != nil {
		return err
	}
	return a.RemoveSkill(ctx, name, false)
}

// ExportSkills writes skills into one file, at path or with a name of its own in that folder,
// and returns its path.
func (c *Client) ExportSkills(ctx context.Context, path string, names ...string) (string, error) {
	a, err := does[skiller](c)
	if err != nil {
		return "", err
	}
	return a.ExportSkills(ctx, app.SkillsExport{Names: names, Path: path})
}

// ImportSkills stores the skills of a file that ExportSkills wrote. Nobody vouches for them,
// and their tests are run before one is given to a question.
func (c *Client) ImportSkills(ctx context.Context, path string) ([]Skill, error) {
	a, err := does[skiller](c)
	if err != nil {
		return nil, err
	}
	done, err := a.ImportSkills(ctx, path, false)
	var out []Skill
	for _, d := range done {
		out = append(out, skillOf(d.Skill))
	}
	return out, err
}
