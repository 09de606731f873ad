package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/skill"
	"praxis/internal/image"
	"praxis/internal/language/python"
	"praxis/internal/safetext"
)

// usedBy returns the skills that a skill uses, and those that these use in turn, each once and
// in the version that is pinned.
func (a *App) usedBy(s skill.Skill) ([]skill.Skill, error) {
	var all []skill.Skill
	var add func(by skill.Skill) error
	add = func(by skill.Skill) error {
		for _, name := range slices.Sorted(maps.Keys(by.Uses)) {
			if name == s.Name {
				return fault.New(fault.Conflict, "Move what they have in common into a skill of its own.", "%s uses %s, which uses %s", s.Name, by.Name, s.Name)
			}
			if i := slices.IndexFunc(all, func(u skill.Skill) bool { return u.Name == name }); i >= 0 {
				if all[i].Hash() != by.Uses[name] {
					return fault.New(fault.Conflict, "Add again those that use the older one.", "it uses %s in two versions", name)
				}
				continue
			}
			used, err := a.pinnedSkill(name, by.Uses[name])
			if err != nil {
				return err
			}
			if all = append(all, used); len(all) > skill.MaxUses {
				return fault.New(fault.Invalid, "Let fewer skills use each other.", "it uses more than %d other skills", skill.MaxUses)
			}
			if err := add(used); err != nil {
				return err
			}
		}
		return nil
	}
	return all, add(s)
}

// pinnedSkill finds a skill by its name and its hash: the project's or the person's.
func (a *App) pinnedSkill(name, hash string) (skill.Skill, error) {
	if err := skill.CheckName(name); err != nil {
		return skill.Skill{}, err
	}
	missing := true
	for _, project := range a.allSkills() {
		s, err := a.skillFolder(project).Read(name, 0)
		if err == nil && s.Hash() == hash {
			return s, nil
		}
		missing = missing && fault.KindOf(err) == fault.NotFound
	}
	if missing {
		return skill.Skill{}, fault.New(fault.NotFound, "Get that skill, too.", "it uses the skill %s, which is not there", name)
	}
	return skill.Skill{}, fault.New(fault.Conflict, "Add it again, so that it is tested with the one that is there.", "it uses the skill %s, which is another one by now", name)
}

// pinUses finds out, in a fresh session, which skills a function imports, and pins them in the
// versions that are there now.
func (a *App) pinUses(ctx context.Context, s skill.Skill, img image.Image, sink event.Sink) (_ skill.Skill, err error) {
	s.Uses = nil
	if s.IsModule() || !strings.Contains(s.Code, "skills") || !hasPython(img) {
		return s, nil
	}
	in, err := a.skillSession(ctx, map[string]string{s.Name: s.Code}, img, sink)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	x, err := in.Execute(ctx, python.Name, python.SkillUses(s.Name), event.Bounds{}, event.Discard)
	if err != nil {
		return s, err
	}
	refuse := func(why string) error {
		return fault.Coded(fault.SkillFailed, fault.Data{"name": s.Name}, "cannot store %s: %s", s.Name, why)
	}
	if x.Error != nil {
		return s, refuse(safetext.OneLine(x.Error.Value, 200))
	}
	for _, d := range x.Displays {
		if d[event.SkillMIME] == "" {
			continue
		}
		names, err := skill.UsesFound(d[event.SkillMIME])
		if err != nil {
			return s, fmt.Errorf("cannot store %s: %w", s.Name, err)
		}
		for _, name := range names {
			used, err := a.findSkill(name, 0)
			switch {
			case err != nil:
				return s, fmt.Errorf("cannot store %s: it imports the skill %s: %w", s.Name, name, err)
			case used.Skill.IsModule():
				return s, refuse("it imports the skill " + name + ", which is a WebAssembly module: only functions in Python can be imported by others")
			}
			if s.Uses == nil {
				s.Uses = map[string]string{}
			}
			s.Uses[name] = used.Skill.Hash()
		}
	}
	return s, nil
}
