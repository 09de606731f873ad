package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/agent/skill"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/planner"
	"praxis/internal/safetext"
	"praxis/internal/session"
	"praxis/internal/store"
	"praxis/internal/tool/approval"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"

	"praxis/internal/guest/wire"
)

// verdict is how the tests of a skill ended in an image. The same skill in the same image is
// not tested again.
type verdict struct {
	OK     bool   `json:"ok"`
	Why    string `json:"why,omitempty"`    // in a line
	Output string `json:"output,omitempty"` // of the tests, bounded
}

// verdictKey names the verdict of a skill in an image.
func verdictKey(img image.Image, s skill.Skill) string { return "tested " + img.ID + " " + s.Hash() }

// judged returns whether the tests of a skill pass in an image: as they did before, or now.
func (a *App) judged(ctx context.Context, s skill.Skill, img image.Image, sink event.Sink) (verdict, error) {
	if v, err := a.records.DB.KV().Get(ctx, skillsBucket, verdictKey(img, s)); err == nil {
		var out verdict
		if json.Unmarshal(v.Data, &out) == nil {
			return out, nil
		}
	}
	_, v, err := a.testSkill(ctx, s, img, sink)
	if err == nil {
		a.remember(ctx, s, img, v)
	}
	return v, err
}

// remember keeps a verdict. Where it cannot be written, the next one who needs it tests again.
func (a *App) remember(ctx context.Context, s skill.Skill, img image.Image, v verdict) {
	if data, err := json.Marshal(v); err == nil {
		_, _ = a.records.DB.KV().Set(ctx, skillsBucket, verdictKey(img, s), data, store.Any)
	}
}

// testSkill runs the tests of a skill in a fresh session of an image, which nothing but the
// skill and those that it uses was put into. It returns the skill with what the session found of it; that it passed
// is remembered, so that its first run does not test it again.
func (a *App) testSkill(ctx context.Context, s skill.Skill, img image.Image, sink event.Sink) (skill.Skill, verdict, error) {
	if err := checkModule(s); err != nil {
		return s, verdict{}, err
	}
	if !hasPython(img) {
		return s, verdict{}, fault.New(fault.Invalid, "Choose an image with Python.", "cannot test the skill %s: the image %s has no Python", s.Name, safetext.Line(img.Name))
	}
	used, err := a.usedBy(s)
	if err != nil {
		return s, verdict{Why: err.Error()}, nil
	}
	sink.Emit(event.Progress{Stage: "skill", Text: "testing the skill " + s.Name})
	x, err := a.checkSkill(ctx, s, used, img, sink)
	if err != nil {
		return s, verdict{}, fmt.Errorf("cannot test the skill %s: %w", s.Name, err)
	}
	v := verdict{Why: testsFailed(x), Output: agent.CheckShown(x)}
	if x.Status == event.OK {
		v = verdict{Why: "its tests ended before they said what they found"}
		for _, d := range x.Displays {
			if text := d[event.SkillMIME]; text != "" {
				if s, err = s.Tested(text); err != nil {
					return s, v, err
				}
				v = verdict{OK: true}
			}
		}
	}
	if v.OK {
		a.remember(ctx, s, img, v)
	}
	return s, v, nil
}

// testsFailed says in a line how tests ended.
func testsFailed(x event.Execution) string {
	switch {
	case x.Error != nil:
		return "its tests fail: " + safetext.OneLine(strings.TrimSuffix(x.Error.Name+": "+x.Error.Value, ": "), 200)
	case x.Message != "":
		return "its tests end with the status " + x.Status.String() + ": " + safetext.OneLine(x.Message, 200)
	}
	return "its tests end with the status " + x.Status.String()
}

// checkSkill executes the tests beside the skills that it uses.
func (a *App) checkSkill(ctx context.Context, s skill.Skill, used []skill.Skill, img image.Image, sink event.Sink) (x event.Execution, err error) {
	code := map[string]string{s.Name: skillCode(s)}
	for _, u := range used {
		code[u.Name] = u.Code
	}
	in, err := a.skillSession(ctx, code, img, sink)
	if err != nil {
		return x, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if s.IsModule() {
		close, err := a.exposeModule(ctx, s, in, sink)
		if err != nil {
			return x, err
		}
		defer func() { err = errors.Join(err, close()) }()
	}
	return in.Execute(ctx, python.Name, python.CheckSkill(s.Name, s.Tests), event.Bounds{}, event.Discard)
}

// skillSession opens a fresh session with skills, whose code is given by their names, and with
// what tests them.
func (a *App) skillSession(ctx context.Context, code map[string]string, img image.Image, sink event.Sink) (*Session, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.makeSpace(ctx, 0); err != nil {
		return nil, err
	}
	c := a.opt.Config
	opened, err := m.sessions.Create(ctx, session.Options{Image: img, Limits: c.Limits}, sink)
	if err != nil {
		return nil, err
	}
	in := &Session{s: opened, image: img, bounds: c.Execution, files: m.imageFiles}
	code = maps.Clone(code)
	code[python.KeepSkill] = python.KeepSkillCode()
	for name, text := range code {
		if err := in.WriteFile(ctx, skillPath(name), strings.NewReader(text)); err != nil {
			return nil, errors.Join(err, in.Close())
		}
	}
	return in, nil
}

// exposeModule lets the code of a session call a module.
func (a *App) exposeModule(ctx context.Context, s skill.Skill, in *Session, sink event.Sink) (close func() error, err error) {
	dir, err := os.MkdirTemp("", "praxis-skill-")
	if err != nil {
		return nil, err
	}
	gone := func() error { return os.RemoveAll(dir) }
	if err := os.WriteFile(filepath.Join(dir, skill.Module), []byte(s.Module), 0o600); err != nil {
		return nil, errors.Join(err, gone())
	}
	t, err := a.openTools(ctx, ToolSpec{skills: []planner.Text{declaration(s, dir)}}, NetSpec{}, sink)
	if err != nil {
		return nil, errors.Join(err, gone())
	}
	close = func() error { return errors.Join(t.close(), gone()) }
	who := []gate.Origin{gate.Code}
	g, err := gate.New(gate.Config{
		Run: "test-of-" + s.Name, Tools: t.callable(who), Policy: t.options.Policy, Caller: t.registry, Approver: approval.Never{Why: "the tests of a skill ask nobody"},
		Sink: event.Discard, Redact: a.records.Journal.Redact, Origins: who,
	})
	if err == nil {
		err = in.s.Expose(ctx, wire.Exposure{Tools: true}, bridge.New(bridge.Config{Gate: g}))
	}
	if err != nil {
		return nil, errors.Join(err, close())
	}
	return close, nil
}

// skillPath is where the code of a skill lies in a session.
func skillPath(name string) string { return python.SkillsFolder + "/" + name + ".py" }

// skillCode is what the file of a skill in a session holds.
func skillCode(s skill.Skill) string {
	if s.IsModule() {
		return moduleCode(s.Name)
	}
	return s.Code
}

func hasPython(img image.Image) bool {
	return slices.ContainsFunc(img.Runtimes, func(r language.Runtime) bool { return r.Language == python.Name })
}

// imageOf returns the image that a session of a spec runs.
func (a *App) imageOf(ctx context.Context, spec SessionSpec, sink event.Sink) (image.Image, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return image.Image{}, err
	}
	if spec.Name != "" {
		if info, err := m.sessions.LookupNamed(spec.Name); fault.KindOf(err) != fault.NotFound {
			return info.Image, err
		}
	}
	if spec, err = a.withLanguages(ctx, spec); err != nil {
		return image.Image{}, err
	}
	if spec.Image == "" {
		spec.Image = a.opt.Config.Image
	}
	return m.images.Resolve(ctx, spec.image(), sink)
}

// SkillTest says how the tests of a skill ended.
type SkillTest struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	OK      bool   `json:"ok"`
	Why     string `json:"why,omitempty"`
	Output  string `json:"output,omitempty"`
}

// TestSkills runs the tests of skills anew, all of a place where none is named, in the image
// that a spec asks for. done gets each.
func (a *App) TestSkills(ctx context.Context, names []string, where string, spec SessionSpec, sink event.Sink, done func(SkillTest)) error {
	var all []foundSkill
	for _, name := range names {
		f, err := a.findSkill(name, 0)
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	var err error
	if len(names) == 0 {
		if all, err = a.findSkills(where); err != nil {
			return err
		}
	}
	img, err := a.imageOf(ctx, spec, sink)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.Err != nil {
			done(SkillTest{Name: f.Folder, Why: f.Err.Error()})
			continue
		}
		_, v, err := a.testSkill(ctx, f.Skill, img, sink)
		if err != nil {
			return err
		}
		a.remember(ctx, f.Skill, img, v)
		done(SkillTest{f.Skill.Name, f.Skill.Version, v.OK, v.Why, v.Output})
	}
	return nil
}
