package client

import (
	"context"
	"io"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/api"
)

// sendFile sends a file of this machine.
func sendFile[Out any](ctx context.Context, c *Client, operation, path string, in any) (out Out, err error) {
	f, err := app.OpenNamed(path)
	if err != nil {
		return out, err
	}
	defer f.Close() // it is only read
	r, err := c.request(ctx, c.operations[operation], in, f, 0)
	if err != nil {
		return out, err
	}
	return answer[Out](c, r)
}

// maxPolicy bounds a policy in bytes: the server reads no longer one.
const maxPolicy = 1 << 20

// policy is a policy of this machine, which is judged over the tools of the server.
func (c *Client) policy(q app.PolicyQuery) (api.PolicyText, error) {
	if err := refuse(toolsAndNet(app.ToolSpec{Files: q.Tools, Commands: q.Commands}, app.NetSpec{})...); err != nil {
		return api.PolicyText{}, err
	}
	text, err := app.ReadText(q.File, maxPolicy)
	return api.PolicyText{Policy: string(text), Name: q.File}, err
}

// TestPolicy is that of app, over the tools of the server.
func (c *Client) TestPolicy(ctx context.Context, q app.PolicyQuery, _ event.Sink) (app.PolicyReport, error) {
	in, err := c.policy(q)
	if err != nil {
		return app.PolicyReport{}, err
	}
	return cleaned(call[app.PolicyReport](ctx, c, "policies.test", in))
}

// ExplainPolicy is that of app, over the tools of the server.
func (c *Client) ExplainPolicy(ctx context.Context, q app.PolicyQuery, _ event.Sink) (app.PolicyExplained, error) {
	in, err := c.policy(q)
	if err != nil {
		return app.PolicyExplained{}, err
	}
	out, err := cleaned(call[api.PolicyAnswer](ctx, c, "policies.explain", in))
	if err != nil || out.Policy == nil {
		return app.PolicyExplained{}, orUnsaid(err)
	}
	out.Policy.File = q.File
	return *out.Policy, nil
}

// ExplainCall is that of app, over the tools of the server.
func (c *Client) ExplainCall(ctx context.Context, q app.PolicyQuery, text string, _ event.Sink) (app.PolicyDecision, error) {
	in, err := c.policy(q)
	if err != nil {
		return app.PolicyDecision{}, err
	}
	in.Call = text
	out, err := cleaned(call[api.PolicyAnswer](ctx, c, "policies.explain", in))
	if err != nil || out.Decision == nil {
		return app.PolicyDecision{}, orUnsaid(err)
	}
	return *out.Decision, nil
}

// orUnsaid is why a result has not what it should have.
func orUnsaid(err error) error {
	if err == nil {
		err = fault.New(fault.Unavailable, "The server may be of another version.", "cannot read the answer of the server: something is missing in it")
	}
	return err
}

// DraftPolicy is that of app, for the tools of the server.
func (c *Client) DraftPolicy(ctx context.Context, q app.PolicyQuery, _ event.Sink) (string, error) {
	if err := refuse(toolsAndNet(app.ToolSpec{Files: q.Tools, Commands: q.Commands}, app.NetSpec{})...); err != nil {
		return "", err
	}
	out, err := call[api.Text](ctx, c, "policies.draft", api.Nothing{})
	return out.Text, err
}

// PolicyCases is that of app.
func (c *Client) PolicyCases(ctx context.Context, ref string) (string, error) {
	if err := refuse(local{"what a file of this machine has", app.IsFile(ref)}); err != nil {
		return "", err
	}
	out, err := call[api.Text](ctx, c, "policies.cases", api.RecordRef{Record: ref})
	return out.Text, err
}

// Skills is that of app: those that are stored at the server.
func (c *Client) Skills(ctx context.Context, _ string) ([]app.Skill, error) {
	out, err := call[api.Skills](ctx, c, "skills.list", api.Nothing{})
	return out.Skills, err
}

// ShowSkill is that of app.
func (c *Client) ShowSkill(ctx context.Context, name string, version int) (app.SkillDetails, error) {
	return call[app.SkillDetails](ctx, c, "skills.get", api.SkillRef{Skill: name, Version: version})
}

// AddSkills is that of app. A function of a file is sent with its tests.
func (c *Client) AddSkills(ctx context.Context, q app.SkillAdd, _ event.Sink) ([]app.SkillChange, error) {
	err := refuse(local{"a skill of a project of this machine", q.Project}, local{"a file of requirements", q.Session.Requirements != ""}, local{"packages of npm for the tests of a skill", len(q.Session.NPM) > 0})
	if err != nil {
		return nil, err
	}
	if err := q.ReadFiles(); err != nil {
		return nil, err
	}
	in := api.NewSkill{Name: q.Function, Code: q.Code, Tests: q.TestCode, Record: q.From, Description: q.Description, With: q.Session.With, Image: q.Session.Image}
	out, err := cleaned(call[api.SkillChanges](ctx, c, "skills.add", in))
	return out.Skills, err
}

// TestSkills is that of app.
func (c *Client) TestSkills(ctx context.Context, names []string, _ string, spec app.SessionSpec, _ event.Sink, done func(app.SkillTest)) error {
	out, err := cleaned(call[api.SkillTests](ctx, c, "skills.test", api.SkillNames{Skills: names, With: spec.With, Image: spec.Image}))
	for _, t := range out.Tests {
		done(t)
	}
	return err
}

// RemoveSkill is that of app.
func (c *Client) RemoveSkill(ctx context.Context, name string, project bool) error {
	if err := refuse(local{"a skill of a project of this machine", project}); err != nil {
		return err
	}
	_, err := call[api.Nothing](ctx, c, "skills.delete", api.SkillRef{Skill: name})
	return err
}

// ExportSkills is that of app, of one skill.
func (c *Client) ExportSkills(ctx context.Context, q app.SkillsExport) (string, error) {
	if err := refuse(local{"several skills in one file", len(q.Names) != 1}); err != nil {
		return "", err
	}
	at, _, err := app.SaveAs(q.Path, app.SkillsFile(q.Names[0]), q.Force, func(w io.Writer) error {
		return c.download(ctx, "skills.export", api.SkillRef{Skill: q.Names[0]}, w)
	})
	return at, err
}

// ImportSkills is that of app.
func (c *Client) ImportSkills(ctx context.Context, path string, project bool) ([]app.SkillChange, error) {
	if err := refuse(local{"a skill of a project of this machine", project}); err != nil {
		return nil, err
	}
	out, err := cleaned(sendFile[api.SkillChanges](ctx, c, "skills.import", path, api.Nothing{}))
	return out.Skills, err
}

// Import is that of app.
func (c *Client) Import(ctx context.Context, path string) (app.Imported, error) {
	out, err := cleaned(sendFile[api.Imported](ctx, c, "records.import", path, api.Nothing{}))
	return app.Imported{Run: out.Run, UnknownKeys: out.UnknownKeys}, err
}

// ExportSession is that of app. The session is saved before.
func (c *Client) ExportSession(ctx context.Context, q app.SessionExport, _ event.Sink) (out app.ExportedSession, err error) {
	ref := api.SessionRef{Session: q.Name}
	in := api.SessionExport{SessionRef: ref}
	if q.Head {
		in.Head = "true"
	}
	out.Name = q.Name
	out.Path, out.Bytes, err = app.SaveAs(q.Path, app.SessionFile(q.Name), q.Force, func(w io.Writer) error {
		return c.download(ctx, "sessions.export", in, w)
	})
	if err != nil {
		return app.ExportedSession{}, err
	}
	states, err := call[api.Snapshots](ctx, c, "sessions.snapshots", ref)
	if out.Snapshots = len(states.Snapshots); q.Head {
		out.Snapshots = min(out.Snapshots, 1)
	}
	return out, err
}

// ImportSession is that of app.
func (c *Client) ImportSession(ctx context.Context, path, name string, _ event.Sink) (app.NamedSession, error) {
	made, err := cleaned(sendFile[api.Session](ctx, c, "sessions.import", path, api.SessionImport{ID: name}))
	if err != nil {
		return app.NamedSession{}, err
	}
	all, err := c.NamedSessions(ctx)
	if i := slices.IndexFunc(all, func(s app.NamedSession) bool { return s.Name == made.ID }); i >= 0 {
		return all[i], err
	}
	return app.NamedSession{Name: made.ID}, err
}

// PruneSessions is that of app.
func (c *Client) PruneSessions(ctx context.Context, q app.PruneRequest) ([]app.PrunedSession, error) {
	in := api.SessionPrune{Sessions: q.Names, Keep: q.Keep, DryRun: q.DryRun}
	if q.OlderThan != nil {
		age := q.OlderThan.Seconds()
		in.OlderThanS = &age
	}
	out, err := cleaned(call[api.PrunedSessions](ctx, c, "sessions.prune", in))
	return out.Sessions, err
}

// BuildImage is that of app.
func (c *Client) BuildImage(ctx context.Context, spec app.SessionSpec, _ event.Sink) (app.Image, error) {
	if err := refuse(local{"a file of requirements", spec.Requirements != ""}); err != nil {
		return app.Image{}, err
	}
	out, err := cleaned(call[app.BuiltImage](ctx, c, "images.build", api.NewImage{With: spec.With, NPM: spec.NPM, Image: spec.Image, Languages: spec.Languages}))
	return out.Image, err
}

// maxImageFile bounds the file of an image in bytes.
const maxImageFile = 1 << 20

// BuildImageOf is that of app. Nothing beside the file is sent.
func (c *Client) BuildImageOf(ctx context.Context, q app.ImageFile, _ event.Sink) (out app.BuiltImage, err error) {
	if err := refuse(local{"limits of the steps of a build", q.Limits != (event.Limits{})}); err != nil {
		return out, err
	}
	text, err := app.ReadText(q.Path, maxImageFile)
	if err != nil {
		return out, err
	}
	return cleaned(call[app.BuiltImage](ctx, c, "images.build", api.NewImage{File: string(text), Name: q.Path}))
}

// PullImage is that of app, without credentials of the caller.
func (c *Client) PullImage(ctx context.Context, p app.ImagePull, _ event.Sink) (app.Image, error) {
	if err := refuse(local{"an image by the password of its caller", p.User != "" || p.Password != ""}); err != nil {
		return app.Image{}, err
	}
	return cleaned(call[app.Image](ctx, c, "images.pull", api.ImagePull{Reference: p.Reference}))
}

// DescribeImage is that of app.
func (c *Client) DescribeImage(ctx context.Context, name string) (app.ImageDetails, error) {
	return cleaned(call[app.ImageDetails](ctx, c, "images.get", api.ImageRef{Image: name}))
}

// ImageHistory is that of app.
func (c *Client) ImageHistory(ctx context.Context, name string) ([]app.ImageStep, error) {
	out, err := cleaned(call[api.ImageSteps](ctx, c, "images.history", api.ImageRef{Image: name}))
	return out.Steps, err
}

// RemoveImage is that of app.
func (c *Client) RemoveImage(ctx context.Context, name string) error {
	_, err := call[api.Nothing](ctx, c, "images.delete", api.ImageRef{Image: name})
	return err
}
