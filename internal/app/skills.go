package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/skill"
	"praxis/internal/agent/skill/folder"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/store"
)

// ProjectSkills is the folder of a project, below the working folder, that its skills lie in.
const ProjectSkills = ".praxis/skills"

// Where the skills are looked for that a question is given.
const (
	SkillsHome = "home" // among the person's own, in the data folder
	SkillsAll  = "all"  // among those of the project, too, which count before
	SkillsNone = "none"
)

// skillsBucket holds what is known of skills on this machine, and nowhere in their folders:
// whether a person vouches for one, and whether its tests passed in an image.
const skillsBucket = "skills"

// Skill describes a version of a skill.
type Skill struct {
	Name        string            `json:"name"`
	Version     int               `json:"version"`
	Hash        string            `json:"hash"`
	Description string            `json:"description"`
	Signature   string            `json:"signature"`
	Module      bool              `json:"module"` // it is a WebAssembly module
	Project     bool              `json:"project"`
	Path        string            `json:"path"` // its folder
	Run         string            `json:"run,omitempty"`
	Step        int               `json:"step,omitempty"`
	Python      string            `json:"python,omitempty"`   // that it was tested with
	Packages    map[string]string `json:"packages,omitempty"` // and the packages that it imports
	Uses        map[string]string `json:"uses,omitempty"`     // the skills that it imports: the hash of each, by name
	Vouched     bool              `json:"vouched"`            // a person here added it
	Problem     string            `json:"problem,omitempty"`  // why it cannot be used
}

// SkillDetails is all of a skill.
type SkillDetails struct {
	Skill
	Older []int  `json:"older"` // versions that can be read
	Code  string `json:"code"`  // of a module: what declares it
	Tests string `json:"tests"`
}

// skillFolder is the person's folder of skills, or the project's.
func (a *App) skillFolder(project bool) folder.Folder {
	f := folder.Folder{Dir: filepath.Join(a.opt.Config.Home, "skills"), Lock: filepath.Join(a.opt.Config.Home, "skills.lock")}
	if project {
		f.Dir, f.Project = filepath.FromSlash(ProjectSkills), true
	}
	return f
}

// allSkills are the folders that skills are in, the ones that count before first: that of the
// project, if there is one, before the person's.
func (a *App) allSkills() []bool {
	if a.opt.Project {
		return []bool{true, false}
	}
	return []bool{false}
}

// skillPlaces are the folders that a word names, the ones that count before first.
func (a *App) skillPlaces(where string) ([]bool, error) {
	switch where {
	case "", SkillsHome:
		return []bool{false}, nil
	case SkillsAll:
		return a.allSkills(), nil
	case SkillsNone:
		return nil, nil
	}
	return nil, fault.New(fault.Invalid, "Write home, all or none.", "cannot look for skills in %s", safetext.Quote(where))
}

// Skills lists the skills of a place, by name. What cannot be used is there with its problem.
func (a *App) Skills(ctx context.Context, where string) ([]Skill, error) {
	found, err := a.findSkills(where)
	out := []Skill{}
	for _, f := range found {
		out = append(out, a.describeSkill(ctx, f))
	}
	return out, err
}

// foundSkill is what stands in a folder of skills.
type foundSkill struct {
	folder.Entry
	project bool
	path    string
}

// findSkills reads the skills of a place. One of the project hides the person's own of its name.
func (a *App) findSkills(where string) ([]foundSkill, error) {
	places, err := a.skillPlaces(where)
	if err != nil {
		return nil, err
	}
	var out []foundSkill
	for _, project := range places {
		f := a.skillFolder(project)
		entries, err := f.List()
		if err != nil {
			return out, err
		}
		for _, e := range entries {
			if !slices.ContainsFunc(out, func(s foundSkill) bool { return s.Folder == e.Folder }) {
				out = append(out, foundSkill{e, project, filepath.Join(f.Dir, e.Folder)})
			}
		}
	}
	return out, nil
}

func (a *App) describeSkill(ctx context.Context, f foundSkill) Skill {
	s := f.Skill
	if f.Err != nil {
		return Skill{Name: f.Folder, Project: f.project, Path: f.path, Problem: f.Err.Error()}
	}
	problem := ""
	if _, err := a.usedBy(s); err != nil {
		problem = "cannot use the skill " + s.Name + ": " + err.Error()
	}
	return Skill{
		Name: s.Name, Version: s.Version, Hash: s.Hash(), Description: s.Description, Signature: s.Signature, Module: s.IsModule(), Project: f.project, Path: f.path,
		Run: s.Origin.Run, Step: s.Origin.Step, Python: s.Python, Packages: s.Packages, Uses: s.Uses, Vouched: a.vouched(ctx, s.Hash()), Problem: problem,
	}
}

// findSkill finds a skill by its name, or that of its folder: the project's before the person's.
func (a *App) findSkill(name string, version int) (foundSkill, error) {
	name = skill.NameOf(name)
	if err := skill.CheckName(name); err != nil {
		return foundSkill{}, err
	}
	for _, project := range a.allSkills() {
		f := a.skillFolder(project)
		s, err := f.Read(name, version)
		_, missing := f.Read(name, 0)
		if fault.KindOf(missing) != fault.NotFound {
			return foundSkill{folder.Entry{Folder: skill.Folder(name), Skill: s, Err: err}, project, filepath.Join(f.Dir, skill.Folder(name))}, err
		}
	}
	return foundSkill{}, fault.Coded(fault.SkillUnknown, fault.Data{"name": name}, "cannot find the skill %s", name)
}

// ShowSkill returns all of a version of a skill; 0 is the one that counts.
func (a *App) ShowSkill(ctx context.Context, name string, version int) (SkillDetails, error) {
	f, err := a.findSkill(name, version)
	if err != nil {
		return SkillDetails{}, err
	}
	out := SkillDetails{Skill: a.describeSkill(ctx, f), Code: f.Skill.Code, Tests: f.Skill.Tests, Older: []int{}}
	if f.Skill.IsModule() {
		out.Code = f.Skill.Tool
	}
	out.Older = append(out.Older, a.skillFolder(f.project).Versions(f.Skill.Name)...)
	return out, nil
}

// RemoveSkill removes a skill with all of its versions: the person's own, or the project's.
func (a *App) RemoveSkill(ctx context.Context, name string, project bool) error {
	return a.skillFolder(project).Remove(ctx, skill.NameOf(name))
}

// skillExtension ends the names of files with skills.
const skillExtension = ".praxis-skills.zip"

// SkillsFile is the usual name of a file with skills, of which name is the first.
func SkillsFile(name string) string { return skill.Folder(skill.NameOf(name)) + skillExtension }

// SkillsExport asks for skills to be written into a file.
type SkillsExport struct {
	Names []string
	Path  string // of the file, or of a folder for it; "": this folder
	Force bool   // replace a file that is there
}

// ExportSkills writes skills, each in the version that counts, into one file, and returns its path.
func (a *App) ExportSkills(_ context.Context, q SkillsExport) (string, error) {
	all, err := a.skillsNamed(q.Names)
	if err != nil {
		return "", err
	}
	path, err := exportPath(q.Path, SkillsFile(all[0].Name))
	if err != nil {
		return "", err
	}
	return path, writeWhole(path, q.Force, func(w io.Writer) error { return skill.Pack(w, all) })
}

// WriteSkills writes to w what ExportSkills writes into a file.
func (a *App) WriteSkills(_ context.Context, names []string, w io.Writer) error {
	all, err := a.skillsNamed(names)
	if err != nil {
		return err
	}
	return skill.Pack(w, all)
}

// skillsNamed returns skills, each in the version that counts, and those that they use, each once.
func (a *App) skillsNamed(names []string) (all []skill.Skill, err error) {
	for _, name := range names {
		f, err := a.findSkill(name, 0)
		if err != nil {
			return nil, err
		}
		used, err := a.usedBy(f.Skill)
		if err != nil {
			return nil, fmt.Errorf("cannot export the skill %s: %w", f.Skill.Name, err)
		}
		for _, one := range append([]skill.Skill{f.Skill}, used...) {
			if i := slices.IndexFunc(all, func(s skill.Skill) bool { return s.Name == one.Name }); i < 0 {
				all = append(all, one)
			} else if all[i].Hash() != one.Hash() {
				return nil, fault.New(fault.Conflict, "Export them one by one.", "cannot export skills: they use %s in two versions", one.Name)
			}
		}
	}
	if len(all) == 0 {
		return nil, fault.New(fault.Invalid, "Name one.", "cannot export skills: none is named")
	}
	return all, nil
}

// SkillChange says what became of a skill that was to be stored.
type SkillChange struct {
	Skill
	Written bool `json:"written"` // false: it was there already
}

// ImportSkills stores the skills of a file that may be anybody's. Nobody vouches for them,
// and none is given to a run before its tests have passed on this machine.
func (a *App) ImportSkills(ctx context.Context, path string, project bool) ([]SkillChange, error) {
	data, err := ReadText(path, skill.MaxPacked)
	if err != nil {
		return nil, err
	}
	return a.unpackSkills(ctx, data, project)
}

// ReadSkills is ImportSkills of what r gives, into the data folder.
func (a *App) ReadSkills(ctx context.Context, r io.Reader) ([]SkillChange, error) {
	data, err := bounded.Read(r, skill.MaxPacked)
	if long := (*bounded.TooLong)(nil); errors.As(err, &long) {
		return nil, fault.New(fault.Invalid, "Send fewer.", "cannot import skills: they have more than %s", safetext.Size(skill.MaxPacked))
	}
	if err != nil {
		return nil, err
	}
	return a.unpackSkills(ctx, data, false)
}

func (a *App) unpackSkills(ctx context.Context, data []byte, project bool) ([]SkillChange, error) {
	all, err := skill.Unpack(data)
	if err != nil {
		return nil, err
	}
	for _, s := range all { // all of them, or none
		if err := checkModule(s); err != nil {
			return nil, err
		}
	}
	var out []SkillChange
	for _, s := range all {
		done, err := a.putSkill(ctx, s, project)
		if err != nil {
			return out, err
		}
		out = append(out, done)
	}
	return out, nil
}

// putSkill stores a skill.
func (a *App) putSkill(ctx context.Context, s skill.Skill, project bool) (SkillChange, error) {
	f := a.skillFolder(project)
	s, written, err := f.Put(ctx, s)
	if err != nil {
		return SkillChange{}, err
	}
	at := foundSkill{folder.Entry{Folder: skill.Folder(s.Name), Skill: s}, project, filepath.Join(f.Dir, skill.Folder(s.Name))}
	return SkillChange{a.describeSkill(ctx, at), written}, nil
}

// vouched says whether a person here added the skill with a hash. Where that cannot be read,
// nobody did.
func (a *App) vouched(ctx context.Context, hash string) bool {
	_, err := a.records.DB.KV().Get(ctx, skillsBucket, "vouched "+hash)
	return err == nil
}

func (a *App) vouch(ctx context.Context, hash string) error {
	_, err := a.records.DB.KV().Set(ctx, skillsBucket, "vouched "+hash, []byte("{}"), store.Any)
	return err
}

// givenSkill is a skill as events name it.
func (a *App) givenSkill(ctx context.Context, s skill.Skill) event.Skill {
	out := event.Skill{Name: s.Name, Version: s.Version, Hash: s.Hash(), Signature: s.Signature, Description: s.Description}
	out.Untrusted = !a.vouched(ctx, out.Hash)
	if s.IsModule() {
		out.Tool = moduleTool(s.Name)
	}
	return out
}
