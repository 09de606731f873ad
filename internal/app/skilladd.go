package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/skill"
	"praxis/internal/agent/skill/folder"
	"praxis/internal/image"
	"praxis/internal/language/python"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// SkillAdd asks for functions to be stored as skills, by a person, who vouches for them.
type SkillAdd struct {
	// From is a file of Python, the folder of a skill, or else a run.
	From string
	// Function names the function: of a file, "" is the one that is called as the file is; of
	// a run, "" is every one that its code had stored.
	Function    string
	Description string // "": what the function's documentation, or the run's code, says
	Tests       string // path of a file with tests; "": test_NAME.py beside the file, or those of the run's code
	// Code is the function itself, in the place of From, and TestCode its tests. Function is
	// its name.
	Code, TestCode string
	Project        bool // into the project's folder, and not the person's own
	Session        SessionSpec
}

// AddSkills stores functions as skills. Each passes its tests in a fresh session before.
func (a *App) AddSkills(ctx context.Context, q SkillAdd, sink event.Sink) ([]SkillChange, error) {
	drafts, img, err := a.draftSkills(ctx, q, sink)
	if err != nil {
		return nil, err
	}
	if img.ID == "" || q.Session.Chosen() {
		if img, err = a.imageOf(ctx, q.Session, sink); err != nil {
			return nil, err
		}
	}
	var out []SkillChange
	for _, s := range drafts {
		if strings.TrimSpace(s.Tests) == "" {
			return out, fault.Coded(fault.SkillUntested, fault.Data{"name": s.Name}, "cannot store %s: there are no tests of it", s.Name)
		}
		if s, err = a.pinUses(ctx, s, img, sink); err != nil {
			return out, err
		}
		s, v, err := a.testSkill(ctx, s, img, sink)
		if err != nil {
			return out, err
		}
		if !v.OK {
			shown := strings.TrimSpace(v.Output)
			if shown != "" {
				shown = "\n" + safetext.Text(shown)
			}
			return out, fault.Coded(fault.SkillFailed, fault.Data{"name": s.Name}, "cannot store %s: %s%s", s.Name, v.Why, shown)
		}
		if err := a.vouch(ctx, s.Hash()); err != nil {
			return out, err
		}
		done, err := a.putSkill(ctx, s, q.Project)
		if err != nil {
			return out, err
		}
		out = append(out, done)
	}
	return out, nil
}

// draftSkills reads what is to be stored, and the image of the run that it comes from.
func (a *App) draftSkills(ctx context.Context, q SkillAdd, sink event.Sink) (drafts []skill.Skill, img image.Image, err error) {
	info, gone := os.Stat(q.From)
	var s skill.Skill
	switch {
	case q.Code != "":
		s = skill.Skill{Name: q.Function, Code: q.Code, Tests: q.TestCode}
		if len(q.Code) > skill.MaxText || len(q.TestCode) > skill.MaxText {
			err = fault.New(fault.Invalid, "Give a shorter one.", "cannot store %s: it has more than %s", safetext.Clip(safetext.Line(q.Function), 80), safetext.Size(skill.MaxText))
		}
	case gone == nil && info.IsDir():
		s, err = draftOfFolder(q.From)
	case gone == nil:
		s, err = draftOfFile(q)
	default:
		return a.draftsOfRun(ctx, q, sink)
	}
	if err == nil {
		err = q.complete(&s)
	}
	return []skill.Skill{s}, img, err
}

// complete puts what the request says into a skill.
func (q SkillAdd) complete(s *skill.Skill) error {
	if d := strings.Join(strings.Fields(q.Description), " "); d != "" {
		s.Description = d
	}
	if q.Tests != "" {
		text, err := ReadText(q.Tests, skill.MaxText)
		if err != nil {
			return err
		}
		s.Tests = string(text)
	}
	return skill.CheckName(s.Name)
}

// draftOfFile reads a file of Python.
func draftOfFile(q SkillAdd) (s skill.Skill, err error) {
	text, err := ReadText(q.From, skill.MaxText)
	if err != nil {
		return s, err
	}
	stem := strings.TrimSuffix(filepath.Base(q.From), ".py")
	s.Name, s.Code = stem, string(text)
	if q.Function != "" {
		s.Name = q.Function
	}
	if q.Tests == "" {
		beside := filepath.Join(filepath.Dir(q.From), "test_"+stem+".py")
		if _, gone := os.Stat(beside); gone == nil {
			text, err := ReadText(beside, skill.MaxText)
			if err != nil {
				return s, err
			}
			s.Tests = string(text)
		}
	}
	return s, nil
}

// draftOfFolder reads the folder of a skill, whose files may be others than were tested.
func draftOfFolder(dir string) (skill.Skill, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return skill.Skill{}, err
	}
	files, err := folder.Files(dir)
	if err != nil {
		return skill.Skill{}, err
	}
	return skill.Draft(filepath.Base(dir), files)
}

// draftsOfRun takes functions out of a run: those that its code had stored, or one of its
// session as it was at the end.
func (a *App) draftsOfRun(ctx context.Context, q SkillAdd, sink event.Sink) (drafts []skill.Skill, img image.Image, err error) {
	r, err := a.load(ctx, q.From, ImageSpec{}, sink)
	if err != nil {
		return nil, img, err
	}
	if r.rec.Session == nil {
		return nil, img, fault.New(fault.Invalid, "Choose a run with code.", "cannot take a function out of run %s: it had no session", r.rec.ID)
	}
	var found functions
	for _, s := range r.rec.Steps {
		for _, x := range s.Executions {
			if x.Ended != nil {
				found.Emit(event.ExecutionEnded{Step: s.N, Execution: *x.Ended})
			}
		}
	}
	for _, f := range found.all {
		if f.err == nil && (q.Function == "" || q.Function == f.skill.Name) {
			f.skill.Origin.Run = r.rec.ID
			drafts = append(drafts, f.skill)
		}
	}
	switch {
	case len(drafts) == 0 && q.Function == "":
		return nil, img, fault.New(fault.Invalid, "Name the function, and its tests.", "cannot take a function out of run %s: its code had none stored", r.rec.ID)
	case len(drafts) == 0:
		s, err := a.functionOf(ctx, r, q)
		if err != nil {
			return nil, img, err
		}
		drafts = []skill.Skill{s}
	case len(drafts) > 1 && (q.Description != "" || q.Tests != ""):
		return nil, img, fault.New(fault.Invalid, "Name the function that they belong to.", "cannot take %d functions with one description or tests", len(drafts))
	}
	for i := range drafts {
		if err := q.complete(&drafts[i]); err != nil {
			return nil, img, err
		}
	}
	m, err := a.machinery(ctx)
	if err == nil && !r.imported {
		img, err = m.imageAgain(ctx, r.rec.Session.Image, ImageSpec{}, sink)
	}
	return drafts, img, err
}

// functionOf packs a function of a run's session, as it was at the end.
func (a *App) functionOf(ctx context.Context, r replaying, q SkillAdd) (skill.Skill, error) {
	if err := skill.CheckName(q.Function); err != nil {
		return skill.Skill{}, err
	}
	s := skill.Skill{Name: q.Function}
	if err := q.complete(&s); err != nil {
		return s, err
	}
	if strings.TrimSpace(s.Tests) == "" {
		return s, fault.Coded(fault.SkillUntested, fault.Data{"name": s.Name}, "cannot store %s: there are no tests of it", s.Name)
	}
	if s.Description == "" {
		return s, fault.New(fault.Invalid, "Say in a sentence what it does and when it is of use.", "cannot store %s: it has no description", s.Name)
	}
	var found functions
	_, _, err := replay.AtEnd(ctx, r.cfg, r.rec, func(ctx context.Context, in run.Session) error {
		if err := in.WriteFile(ctx, skillPath(python.KeepSkill), strings.NewReader(python.KeepSkillCode())); err != nil {
			return err
		}
		x, err := in.Execute(ctx, python.Name, python.SaveSkill(s.Name, s.Description, s.Tests), r.rec.Began.Bounds, event.Discard)
		if err == nil && x.Status != event.OK {
			why := testsFailed(x)
			if x.Error != nil {
				why = safetext.OneLine(x.Error.Name+": "+x.Error.Value, 300)
			}
			err = fault.Coded(fault.SkillFailed, fault.Data{"name": s.Name}, "cannot take %s out of run %s: %s", s.Name, r.rec.ID, why)
		}
		found.Emit(event.ExecutionEnded{Execution: x})
		return err
	})
	if err != nil {
		return s, err
	}
	i := slices.IndexFunc(found.all, func(f function) bool { return f.skill.Name == s.Name && f.err == nil })
	if i < 0 {
		return s, fmt.Errorf("cannot take %s out of run %s: the session did not give it", s.Name, r.rec.ID)
	}
	s = found.all[i].skill
	s.Origin = skill.Origin{Run: r.rec.ID, Step: definedIn(r.rec, s.Name)}
	return s, nil
}

// definedIn is the last step whose code defines a function; 0: none does.
func definedIn(rec replay.Recording, name string) int {
	step := 0
	for _, s := range rec.Steps {
		for _, x := range s.Executions {
			if strings.Contains(x.Code, "def "+name+"(") {
				step = s.N
			}
		}
	}
	return step
}

// ReadFiles reads the file of Python that From names, with its tests, so that somebody else
// can be asked to store its function; From is "" then. What names no file stays as it is.
func (q *SkillAdd) ReadFiles() error {
	info, gone := os.Stat(q.From)
	switch {
	case gone != nil && q.Tests == "":
		return nil
	case gone != nil:
		return fault.New(fault.Invalid, "Leave the tests out, or do it on this machine.", "cannot send tests for a function of a run: those of its run count")
	case info.IsDir():
		return fault.New(fault.Invalid, "Name the file of the function, or export the skill, and import the file that is written.", "cannot send the skill %s: it is a folder", safetext.Line(q.From))
	}
	s, err := draftOfFile(*q)
	if err == nil {
		err = q.complete(&s)
	}
	if err != nil {
		return err
	}
	q.Function, q.Code, q.TestCode, q.Description = s.Name, s.Code, s.Tests, s.Description
	q.From, q.Tests = "", ""
	return nil
}
