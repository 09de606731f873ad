package app

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/agent/skill"
	"praxis/internal/image"
	"praxis/internal/language/python"
	"praxis/internal/planner"
	"praxis/internal/record/replay"
	"praxis/internal/run"
)

// maxGivenSkills bounds the skills that a question is given.
const maxGivenSkills = 5

// givenSkills is what a run is given of skills.
type givenSkills struct {
	list    []event.Skill
	hashes  map[string]string // of those whose code is given, by name
	inputs  []run.Input       // their code
	modules []planner.Text    // what declares those that are WebAssembly modules
}

// chooseSkills returns the few skills that fit a question, which is asked in a session with
// Python. Each has passed its tests in the image of that session; one that did not is left
// out with a notice. q.Learn adds the function by which code has others stored.
func (a *App) chooseSkills(ctx context.Context, q AskRequest, inputs []run.Input, sink event.Sink) (out givenSkills, err error) {
	if q.Mode == ModeTools {
		return out, nil
	}
	found, err := a.findSkills(q.Skills)
	if err != nil {
		return out, err
	}
	places := map[string]foundSkill{}
	var usable []skill.Skill
	for _, f := range found {
		if f.Err == nil {
			usable = append(usable, f.Skill)
			places[f.Skill.Name] = f
		}
	}
	var fit []skill.Skill
	if len(usable) > 0 { // most have none, and no file is opened for it
		fit = skill.Match(usable, q.Question, columns(inputs), maxGivenSkills)
	}
	if len(fit) == 0 && !q.Learn {
		return out, nil
	}
	img, err := a.questionImage(ctx, q, sink)
	switch {
	case err != nil && q.Learn:
		return out, err
	case err != nil:
		return out, nil // the session that the question is asked in says the same
	case !hasPython(img) && q.Learn:
		return out, fault.New(fault.Invalid, "Ask in a session with Python, or store nothing.", "cannot have functions stored: the session has no Python")
	case !hasPython(img):
		return out, nil
	}
	out.hashes = map[string]string{}
	for _, s := range fit {
		v, err := a.judged(ctx, s, img, sink)
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if err != nil {
			v.Why = err.Error()
		}
		if !v.OK {
			sink.Emit(event.Notice{Text: "the skill " + s.Name + " is left out: " + v.Why, Remedy: "Mend it, or give the session what it needs."})
			continue
		}
		used, err := a.usedBy(s)
		if err == nil {
			err = out.agree(append(used, s))
		}
		if err != nil {
			sink.Emit(event.Notice{Text: "the skill " + s.Name + " is left out: " + err.Error(), Remedy: fault.RemedyOf(err)})
			continue
		}
		e := a.givenSkill(ctx, s)
		for _, u := range used {
			e.Untrusted = e.Untrusted || !a.vouched(ctx, u.Hash())
		}
		out.add(e, s, places[s.Name].path)
		out.addUsed(used)
	}
	if q.Learn {
		out.inputs = append(out.inputs, skillInput(python.KeepSkill, python.KeepSkillCode()))
	}
	return out, nil
}

// agree refuses skills of which others of the same names are given.
func (g *givenSkills) agree(used []skill.Skill) error {
	for _, u := range used {
		if hash, there := g.hashes[u.Name]; there && hash != u.Hash() {
			return fault.New(fault.Conflict, "Add again those that use the older one.", "it uses another version of %s than is given", u.Name)
		}
	}
	return nil
}

// addUsed gives the code of skills that others use.
func (g *givenSkills) addUsed(used []skill.Skill) {
	for _, u := range used {
		if _, there := g.hashes[u.Name]; !there {
			g.hashes[u.Name] = u.Hash()
			g.inputs = append(g.inputs, skillInput(u.Name, u.Code))
		}
	}
}

// add gives a skill whose folder is dir.
func (g *givenSkills) add(e event.Skill, s skill.Skill, dir string) {
	g.list = append(g.list, e)
	if _, there := g.hashes[s.Name]; there {
		return // the very same is used by another
	}
	g.hashes[s.Name] = e.Hash
	g.inputs = append(g.inputs, skillInput(s.Name, skillCode(s)))
	if s.IsModule() {
		g.modules = append(g.modules, declaration(s, dir))
	}
}

// skillInput is the file of a skill in a session.
func skillInput(name, code string) run.Input {
	return run.Input{
		File: agent.File{Name: "skills/" + name + ".py", Path: skillPath(name), Bytes: int64(len(code))}, Role: event.RoleSkill,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(code)), nil },
	}
}

// questionImage is the image of the session that a question is asked in.
func (a *App) questionImage(ctx context.Context, q AskRequest, sink event.Sink) (image.Image, error) {
	if q.opened != nil {
		return q.opened.image, nil
	}
	q.Session.Name = q.Thread
	spec, err := a.withLanguage(ctx, q.Session, q.Language)
	if err != nil {
		return image.Image{}, err
	}
	return a.imageOf(ctx, spec, sink)
}

// columns are the words that say what is in files: their names and their first lines.
func columns(inputs []run.Input) (out []string) {
	for _, in := range inputs {
		out = append(out, strings.TrimSuffix(filepath.Base(in.Name), filepath.Ext(in.Name)), firstWords(in))
	}
	return out
}

// maxFirst bounds the first line of a file that skills are looked for by, in bytes.
const maxFirst = 4 << 10

// firstWords is the first line of a file of text; "" of anything else. The words choose
// skills, and are not shown to anybody.
func firstWords(in run.Input) string {
	f, err := in.Open()
	if err != nil {
		return "" // the run says so when it needs the file
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxFirst))
	if line, _, _ := strings.Cut(string(head), "\n"); err == nil && utf8.ValidString(line) {
		return line
	}
	return ""
}

// skillsAgain are the skills of a run that goes on before its model was asked: those whose
// code is in its record.
func (g *resumption) skillsAgain(ctx context.Context) (out givenSkills, err error) {
	only := g.rec
	only.Inputs = nil
	for _, f := range g.rec.Inputs {
		if f.Role == event.RoleSkill && f.Withheld == "" {
			only.Inputs = append(only.Inputs, f)
		}
	}
	for _, s := range g.rec.Skills {
		for _, f := range only.Inputs {
			if f.Path == skillPath(s.Name) {
				out.list = append(out.list, s)
			}
		}
	}
	if !g.rec.Requested() {
		out.inputs, err = only.Given(ctx, g.app.records.Journal, nil)
	}
	return out, err
}

// moduleTexts are what declares the modules among the skills of a record, as they are here.
func (a *App) moduleTexts(rec replay.Recording) (out []planner.Text) {
	for _, s := range rec.Skills {
		if s.Tool == "" {
			continue
		}
		if f, err := a.findSkill(s.Name, s.Version); err == nil && f.Skill.Hash() == s.Hash {
			dir := f.path
			if now, err := a.findSkill(s.Name, 0); err != nil || now.Skill.Version != s.Version {
				dir = filepath.Join(dir, skill.Versions, strconv.Itoa(s.Version))
			}
			out = append(out, declaration(f.Skill, dir))
		}
	}
	return out
}
