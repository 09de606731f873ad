package api

import (
	"context"
	"io"
	"net/http"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
)

// ThreadTo gives a conversation another name, or a copy of it a name.
type ThreadTo struct {
	ThreadRef
	To string `json:"to"`
}

// unused refuses the name of a session of the server: one that was never saved would be waited for.
func (t ThreadTo) unused(c *Call) error {
	if _, err := c.Tenant.Hub.Get(t.To); err != nil {
		return nil
	}
	return fault.Coded(fault.SessionExists, fault.Data{"name": t.To}, "cannot call a conversation %s: there is a session of that name", safetext.Line(t.To))
}

// threads are what can be done with conversations beyond reading them.
func threads() []Operation {
	return []Operation{
		operation("threads.fork", http.MethodPost, "/threads/{thread}/fork", access.Run, http.StatusNoContent, "Copy a conversation and its session under another name.",
			func(ctx context.Context, c *Call, in ThreadTo) (Nothing, error) {
				if err := in.unused(c); err != nil {
					return Nothing{}, err
				}
				return Nothing{}, c.Tenant.App.ForkThread(ctx, in.Thread, in.To)
			}),
		operation("threads.rename", http.MethodPost, "/threads/{thread}/rename", access.Run, http.StatusNoContent, "Give a conversation another name.",
			func(ctx context.Context, c *Call, in ThreadTo) (Nothing, error) {
				if err := in.unused(c); err != nil {
					return Nothing{}, err
				}
				return Nothing{}, c.Tenant.Hub.Rename(ctx, in.Thread, in.To, func() error { return c.Tenant.App.RenameThread(ctx, in.Thread, in.To) })
			}),
	}
}

// PolicyText is a policy that is judged over the server's tools.
type PolicyText struct {
	Policy string `json:"policy,omitempty" jsonschema:"its text; left out: the server's"`
	Name   string `json:"name,omitempty" jsonschema:"of its file; left out: policy.yaml"`
	Call   string `json:"call,omitempty" jsonschema:"of policies.explain: a call to decide, as JSON, as in a test of a policy"`
}

// PolicyAnswer says what a policy decides.
type PolicyAnswer struct {
	Policy   *app.PolicyExplained `json:"policy,omitempty"`
	Decision *app.PolicyDecision  `json:"decision,omitempty" jsonschema:"of the call"`
}

// Text is a text that was written.
type Text struct {
	Text string `json:"text"`
}

func (c *Call) policy(in PolicyText) (app.PolicyQuery, error) {
	t := c.Server.Tools
	if in.Policy == "" && t.Policy == "" {
		return app.PolicyQuery{}, fault.New(fault.Invalid, "Send the text of one.", "cannot use a policy: the server has none")
	}
	return app.PolicyQuery{File: t.Policy, Text: in.Policy, Name: safetext.Clip(safetext.Line(in.Name), maxFileName), Tools: t.Files, Commands: t.Commands}, nil
}

// maxFileName bounds the name by which a file is called that a client read, in bytes.
const maxFileName = 200

func policies() []Operation {
	return []Operation{
		operation("policies.explain", http.MethodPost, "/policies/explain", access.Read, http.StatusOK, "Check a policy, and say what it decides about each tool, or about one call. Nothing is called.",
			func(ctx context.Context, c *Call, in PolicyText) (out PolicyAnswer, err error) {
				q, err := c.policy(in)
				if err != nil {
					return out, err
				}
				if in.Call != "" {
					d, err := c.Tenant.App.ExplainCall(ctx, q, in.Call, event.Discard)
					return PolicyAnswer{Decision: &d}, err
				}
				x, err := c.Tenant.App.ExplainPolicy(ctx, q, event.Discard)
				x.File = ""
				return PolicyAnswer{Policy: &x}, err
			}),
		operation("policies.test", http.MethodPost, "/policies/test", access.Read, http.StatusOK, "Run the cases that stand in a policy. Nothing is called.",
			func(ctx context.Context, c *Call, in PolicyText) (app.PolicyReport, error) {
				q, err := c.policy(in)
				if err != nil {
					return app.PolicyReport{}, err
				}
				return c.Tenant.App.TestPolicy(ctx, q, event.Discard)
			}),
		operation("policies.draft", http.MethodPost, "/policies/draft", access.Read, http.StatusOK, "Write a first policy for the server's tools.",
			func(ctx context.Context, c *Call, _ Nothing) (Text, error) {
				text, err := c.Tenant.App.DraftPolicy(ctx, app.PolicyQuery{Tools: c.Server.Tools.Files, Commands: c.Server.Tools.Commands}, event.Discard)
				return Text{text}, err
			}),
		operation("policies.cases", http.MethodGet, "/records/{record}/policy-cases", access.Read, http.StatusOK, "Write the calls of a recorded run as cases for the tests of a policy.",
			func(ctx context.Context, c *Call, in RecordRef) (Text, error) {
				id, err := in.find(ctx, c)
				if err != nil {
					return Text{}, err
				}
				text, err := c.Tenant.App.PolicyCases(ctx, id)
				return Text{text}, err
			}),
	}
}

// SkillRef names a skill.
type SkillRef struct {
	Skill   string `json:"skill" in:"path"`
	Version int    `json:"version,omitempty" in:"query" jsonschema:"0: the one that counts"`
}

// Skills is a list of skills, by name.
type Skills struct {
	Skills []app.Skill `json:"skills"`
}

// NewSkill asks for a function to be stored: one whose code is given, or one of a run.
type NewSkill struct {
	Name        string   `json:"name,omitempty" jsonschema:"of the function; of a run, left out: every one that its code had stored"`
	Code        string   `json:"code,omitempty" jsonschema:"the function, in Python"`
	Tests       string   `json:"tests,omitempty" jsonschema:"of the code, in Python"`
	Record      string   `json:"record,omitempty" jsonschema:"of the run, in the place of code"`
	Description string   `json:"description,omitempty" jsonschema:"left out: what the function says of itself"`
	With        []string `json:"with,omitempty" jsonschema:"packages of Python that the tests need"`
	Image       string   `json:"image,omitempty"`
}

// SkillChanges say what became of skills that were to be stored.
type SkillChanges struct {
	Skills []app.SkillChange `json:"skills"`
}

// SkillNames name skills.
type SkillNames struct {
	Skills []string `json:"skills,omitempty" jsonschema:"left out: all"`
	With   []string `json:"with,omitempty" jsonschema:"packages of Python that the sessions of the tests have"`
	Image  string   `json:"image,omitempty" jsonschema:"that they run"`
}

// SkillTests say how the tests of skills ended.
type SkillTests struct {
	Tests []app.SkillTest `json:"tests"`
}

// changes are skills that were stored, without where on this machine.
func changes(list []app.SkillChange, err error) (SkillChanges, error) {
	out := SkillChanges{append([]app.SkillChange{}, list...)}
	for i := range out.Skills {
		out.Skills[i].Path = ""
	}
	return out, err
}

func addSkill(ctx context.Context, c *Call, in NewSkill) (SkillChanges, error) {
	q := app.SkillAdd{Function: in.Name, Code: in.Code, TestCode: in.Tests, Description: in.Description, Session: app.SessionSpec{With: in.With, Image: in.Image}}
	switch {
	case (in.Code == "") == (in.Record == ""):
		return SkillChanges{}, fault.New(fault.Invalid, "Give code or a record.", "cannot store a skill: it needs one of them")
	case in.Record != "":
		if err := (RecordRef{in.Record}).check(); err != nil {
			return SkillChanges{}, err
		}
		var err error
		if q.From, err = c.Tenant.App.FindRun(ctx, in.Record); err != nil { // its whole id is the name of no file
			return SkillChanges{}, err
		}
	}
	return changes(c.Tenant.App.AddSkills(ctx, q, event.Discard))
}

func skills() []Operation {
	return []Operation{
		operation("skills.list", http.MethodGet, "/skills", access.Read, http.StatusOK, "List the functions that are stored for later runs.",
			func(ctx context.Context, c *Call, _ Nothing) (Skills, error) {
				list, err := c.Tenant.App.Skills(ctx, app.SkillsHome)
				for i := range list {
					list[i].Path = ""
				}
				return Skills{list}, err
			}),
		operation("skills.get", http.MethodGet, "/skills/{skill}", access.Read, http.StatusOK, "Read a skill.",
			func(ctx context.Context, c *Call, in SkillRef) (app.SkillDetails, error) {
				s, err := c.Tenant.App.ShowSkill(ctx, in.Skill, in.Version)
				s.Path = ""
				return s, err
			}),
		operation("skills.add", http.MethodPost, "/skills", access.Approve, http.StatusCreated, "Store a function when its tests pass in a fresh session. The caller vouches for it.", addSkill).beginning(),
		operation("skills.test", http.MethodPost, "/skills/test", access.Run, http.StatusOK, "Run the tests of skills anew.",
			func(ctx context.Context, c *Call, in SkillNames) (SkillTests, error) {
				out := SkillTests{[]app.SkillTest{}}
				err := c.Tenant.App.TestSkills(ctx, in.Skills, app.SkillsHome, app.SessionSpec{With: in.With, Image: in.Image}, event.Discard, func(t app.SkillTest) { out.Tests = append(out.Tests, t) })
				return out, err
			}).beginning(),
		operation("skills.delete", http.MethodDelete, "/skills/{skill}", access.Approve, http.StatusNoContent, "Remove a skill with all of its versions.",
			func(ctx context.Context, c *Call, in SkillRef) (Nothing, error) {
				return Nothing{}, c.Tenant.App.RemoveSkill(ctx, in.Skill, false)
			}),
		operation("skills.export", http.MethodGet, "/skills/{skill}/export", access.Read, http.StatusOK, "Write a skill into a file.",
			func(ctx context.Context, c *Call, in SkillRef) (*Content, error) {
				return &Content{Type: "application/zip", Name: safetext.Clip(safetext.Line(in.Skill), 80) + ".praxis-skills.zip", Write: func(w io.Writer) error {
					return c.Tenant.App.WriteSkills(ctx, []string{in.Skill}, w)
				}}, nil
			}).of(Download),
		operation("skills.import", http.MethodPost, "/skills/import", access.Run, http.StatusCreated, "Store the skills of a file, which is the body. Nobody vouches for them.",
			func(ctx context.Context, c *Call, _ Nothing) (SkillChanges, error) {
				return changes(c.Tenant.App.ReadSkills(ctx, c.Body))
			}).of(Upload),
	}
}

// ImageRef names an image.
type ImageRef struct {
	Image string `json:"image" in:"path" jsonschema:"its id or name"`
}

// NewImage asks for an image: one with packages, or one that a file declares.
type NewImage struct {
	File      string   `json:"file,omitempty" jsonschema:"the text of an image file; it copies nothing, and reaches the operator's hosts alone"`
	Name      string   `json:"name,omitempty" jsonschema:"of the file; left out: image.yaml"`
	With      []string `json:"with,omitempty" jsonschema:"packages of Python, in the place of a file"`
	NPM       []string `json:"npm,omitempty" jsonschema:"packages of npm"`
	Image     string   `json:"image,omitempty" jsonschema:"that they are added to"`
	Languages []string `json:"languages,omitempty"`
}

// ImagePull asks for an image of a registry.
type ImagePull struct {
	Reference string `json:"reference" jsonschema:"such as python:3.13-slim or registry.example.com/name@sha256:…"`
}

// pulled is an image without where it lies on this machine.
func pulled(img app.Image) app.Image {
	img.Root, img.Mounts = "", nil
	return img
}

// ImageSteps say how an image was made, the first step first.
type ImageSteps struct {
	Steps []app.ImageStep `json:"steps"`
}

func images() []Operation {
	return []Operation{
		operation("images.build", http.MethodPost, "/images", access.Run, http.StatusCreated, "Make an image with packages, or one that a file declares, unless it is there.",
			func(ctx context.Context, c *Call, in NewImage) (app.BuiltImage, error) {
				if in.File != "" {
					built, err := c.Tenant.App.BuildImageOf(ctx, app.ImageFile{Text: in.File, Name: safetext.Clip(safetext.Line(in.Name), maxFileName), Hosts: c.Server.Net.Hosts}, event.Discard)
					built.Image = pulled(built.Image)
					return built, err
				}
				img, err := c.Tenant.App.BuildImage(ctx, app.SessionSpec{With: in.With, NPM: in.NPM, Image: in.Image, Languages: in.Languages}, event.Discard)
				return app.BuiltImage{Image: pulled(img)}, err
			}).beginning(),
		operation("images.pull", http.MethodPost, "/images/pull", access.Admin, http.StatusCreated, "Get a container image of a registry; for admins of the default tenant.",
			func(ctx context.Context, c *Call, in ImagePull) (app.Image, error) {
				// Which hosts the server itself reaches is for the operator to say.
				if c.Key.Tenant != access.DefaultTenant {
					return app.Image{}, fault.New(fault.Denied, "Ask whoever runs the server to pull it.", "cannot pull the image: which registries the server reaches is for its operator to say")
				}
				img, err := c.Tenant.App.PullImage(ctx, app.ImagePull{Reference: in.Reference}, event.Discard)
				return pulled(img), err
			}).beginning(),
		operation("images.get", http.MethodGet, "/images/{image}", access.Read, http.StatusOK, "Describe an image.",
			func(ctx context.Context, c *Call, in ImageRef) (app.ImageDetails, error) {
				return c.Tenant.App.DescribeImage(ctx, in.Image)
			}),
		operation("images.history", http.MethodGet, "/images/{image}/history", access.Read, http.StatusOK, "Say by which steps an image was made.",
			func(ctx context.Context, c *Call, in ImageRef) (ImageSteps, error) {
				list, err := c.Tenant.App.ImageHistory(ctx, in.Image)
				return ImageSteps{append([]app.ImageStep{}, list...)}, err
			}),
		operation("images.delete", http.MethodDelete, "/images/{image}", access.Run, http.StatusNoContent, "Remove an image that no session needs.",
			func(ctx context.Context, c *Call, in ImageRef) (Nothing, error) {
				return Nothing{}, c.Tenant.App.RemoveImage(ctx, in.Image)
			}),
		operation("storage.get", http.MethodGet, "/storage", access.Read, http.StatusOK, "Say what the tenant's data take on the disk.",
			func(ctx context.Context, c *Call, _ Nothing) (Storage, error) {
				u, err := c.Tenant.App.Usage(ctx)
				return Storage(u), err
			}),
	}
}

// Storage is what the data of a tenant take on the disk.
type Storage app.Usage

// SessionExport asks for a session as a file.
type SessionExport struct {
	SessionRef
	Head string `json:"head,omitempty" in:"query" jsonschema:"true: where it stands, without the snapshots before"`
}

// SessionImport names the session that a file becomes.
type SessionImport struct {
	ID string `json:"id,omitempty" in:"query" jsonschema:"left out: one is chosen"`
}

// SessionPrune says which states of sessions go.
type SessionPrune struct {
	Sessions   []string `json:"sessions,omitempty" jsonschema:"left out: all"`
	Keep       int      `json:"keep,omitempty" jsonschema:"how many states of each stay, the last ones; with neither this nor older_than_s: the server's usual"`
	OlderThanS *float64 `json:"older_than_s,omitempty" jsonschema:"seconds: younger ones stay"`
	DryRun     bool     `json:"dry_run,omitempty" jsonschema:"say what would go, and remove nothing"`
}

// PrunedSessions say which states went, or would go.
type PrunedSessions struct {
	Sessions []app.PrunedSession `json:"sessions"`
}

func prune(ctx context.Context, c *Call, in SessionPrune) (PrunedSessions, error) {
	q := app.PruneRequest{Names: in.Sessions, Keep: in.Keep, DryRun: in.DryRun}
	if in.OlderThanS != nil {
		age, err := seconds("older_than_s", *in.OlderThanS)
		if err != nil {
			return PrunedSessions{}, err
		}
		q.OlderThan = &age
	}
	list, err := c.Tenant.App.PruneSessions(ctx, q)
	return PrunedSessions{append([]app.PrunedSession{}, list...)}, err
}

// travels are the operations by which a session goes to another server.
func travels() []Operation {
	return []Operation{
		operation("sessions.prune", http.MethodPost, "/sessions/prune", access.Run, http.StatusOK, "Remove old states of sessions. A session that is open is left as it is.", prune),
		operation("sessions.export", http.MethodGet, "/sessions/{session}/export", access.Run, http.StatusOK, "Save a session, and write it with its packages into a file that another server goes on with.",
			func(ctx context.Context, c *Call, in SessionExport) (*Content, error) {
				if _, err := c.Tenant.Hub.Save(ctx, in.Session, "exported"); err != nil {
					return nil, err
				}
				return &Content{Type: "application/octet-stream", Name: in.Session + ".praxis-session", Write: func(w io.Writer) error {
					return c.Tenant.App.WriteSession(ctx, app.SessionExport{Name: in.Session, Head: strings.EqualFold(in.Head, "true")}, w, event.Discard)
				}}, nil
			}).of(Download),
		operation("sessions.import", http.MethodPost, "/sessions/import", access.Admin, http.StatusCreated, "Make a session of such a file, which is the body; for admins of the default tenant.",
			func(ctx context.Context, c *Call, in SessionImport) (Session, error) {
				// The states in a file are those of a sandbox's kernel, which goes on with them as they
				// are: who wrote the file says what the sandbox is. That is for the operator to trust.
				if c.Key.Tenant != access.DefaultTenant {
					return Session{}, fault.New(fault.Denied, "Ask whoever runs the server to import it.", "cannot import the session: its states are for the operator to trust")
				}
				i, err := c.Tenant.Hub.Import(ctx, c.Body, in.ID)
				return sessionOf(i), err
			}).of(Upload),
	}
}
