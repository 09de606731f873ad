package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const skillLong = `A skill is a function that a run wrote, or you, and that passed its tests. Later
questions are given the few that fit: their code imports them by "from skills import
NAME". A skill is a folder of plain files, SKILL.md, skill.py and test_skill.py, among
your own in the data folder or in a project's .praxis/skills, which can lie in git.

Skills are code: they run in the sandbox like any other, after their tests have passed
there once for each image. See docs/skills.md.`

func (p *program) skillCommand() *cobra.Command {
	c := group("skill", "Functions of earlier runs that later ones import",
		p.skillAdd(), p.skillList(), p.skillShow(), p.skillTest(), p.skillRemove(), p.skillExport(), p.skillImport())
	c.Long = skillLong
	return c
}

const skillAddLong = `Stores a function as a skill: of a file of Python, with the tests in test_NAME.py beside
it or in --tests; of the folder of a skill whose files were changed; or of a run: those
that its code had stored by keep_skill, or the one of --function, as it is in the run's
session at the end, with what it uses. It is stored when its tests pass in a fresh
session, as a new version where there is one of its name. You vouch for it by that.`

func (p *program) skillAdd() *cobra.Command {
	var q app.SkillAdd
	var asJSON bool
	cmd := &cobra.Command{
		Use: "add FILE|FOLDER|RUN", Short: "Store a function as a skill", Long: skillAddLong, Args: takes(1, 1, "a file, a folder or a run"),
		Example: "  praxis skill add find_outliers.py\n  praxis skill add last --function find_outliers --tests tests.py --description \"Finds values far from the others\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			q.From = args[0]
			return on(p, func(a skiller) error {
				done, err := a.AddSkills(cmd.Context(), q, p.quiet())
				p.settled()
				return p.changedSkills(done, err, asJSON, "stored")
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Function, "function", "", "`NAME` of the function")
	fs.StringVar(&q.Description, "description", "", "`TEXT` that says what it does and when it is of use (default: its documentation)")
	fs.StringVar(&q.Tests, "tests", "", "`FILE` with assert statements, or functions test_*, that call it")
	fs.StringArrayVar(&q.Session.With, "with", nil, "`PACKAGES` that the session of its tests has")
	registerProject(cmd, &q.Project)
	return objectLines(cmd, &asJSON)
}

// registerProject adds the flag of commands that change a folder of skills.
func registerProject(cmd *cobra.Command, project *bool) {
	cmd.Flags().BoolVar(project, "project", false, "in the project's folder "+app.ProjectSkills+", not among your own")
}

// changedSkills prints what became of skills, and returns err.
func (p *program) changedSkills(done []app.SkillChange, err error, asJSON bool, word string) error {
	for _, c := range done {
		text := word + " " + c.Name + " as version " + strconv.Itoa(c.Version)
		if !c.Written {
			text = c.Name + " is there already, as version " + strconv.Itoa(c.Version)
		}
		if printErr := p.done(asJSON, c, strings.TrimSuffix(text+": "+safetext.Line(c.Path), ": ")+"\n"); printErr != nil {
			return printErr
		}
	}
	return err
}

func (p *program) skillList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List the skills, yours and the project's", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(p, func(a skiller) error {
				found, err := a.Skills(cmd.Context(), app.SkillsAll)
				if err != nil {
					return err
				}
				return p.listSkills(found, asJSON)
			})
		},
	}
	return objectLines(cmd, &asJSON)
}

func (p *program) listSkills(found []app.Skill, asJSON bool) error {
	t := format.Table{{Head: "NAME"}, {Head: "VERSION", Drop: 2}, {Head: "WHERE", Drop: 1}, {Head: "FROM", Drop: 3}, {Head: "WHAT"}}
	for _, s := range found {
		if asJSON {
			if err := p.printJSON(s); err != nil {
				return err
			}
			continue
		}
		where, what := "home", s.Description
		if s.Project {
			where = "project"
		}
		if s.Problem != "" {
			what = "unusable: " + s.Problem
		}
		version := ""
		if s.Version > 0 {
			version = strconv.Itoa(s.Version)
		}
		t.Add(safetext.OneLine(s.Name, 64), version, where, skillOrigin(s), safetext.Clip(safetext.Line(what), 100))
	}
	switch {
	case asJSON:
		return nil
	case len(found) == 0:
		return p.emit("There are no skills. \"praxis skill add\" stores one, and \"praxis ask --learn\" lets the model do it.\n")
	}
	return p.emit(format.Fitted(t, p.columns()))
}

// skillOrigin says in a few words where a skill comes from.
func skillOrigin(s app.Skill) string {
	switch {
	case s.Problem != "":
		return ""
	case s.Run != "":
		return "run " + s.Run
	case s.Vouched:
		return "you"
	}
	return "elsewhere"
}

func (p *program) skillShow() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "show NAME[@VERSION]", Short: "Show a skill, its code and its tests", Args: takes(1, 1, "the name of a skill"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, number, given := strings.Cut(args[0], "@")
			version, err := strconv.Atoi(number)
			if given && (err != nil || version < 1) {
				return usage("praxis skill show", "%q is no version", safetext.Line(number))
			}
			return on(p, func(a skiller) error {
				s, err := a.ShowSkill(cmd.Context(), name, version)
				if err != nil {
					return err
				}
				return p.done(asJSON, s, p.skillText(s))
			})
		},
	}, &asJSON)
}

func (p *program) skillText(s app.SkillDetails) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, safetext.Line(value))
		}
	}
	line("skill", s.Name+s.Signature)
	line("does", s.Description)
	version := strconv.Itoa(s.Version)
	if len(s.Older) > 0 {
		var older []string
		for _, n := range s.Older {
			older = append(older, strconv.Itoa(n))
		}
		version += " (beside it: " + strings.Join(older, ", ") + ")"
	}
	line("version", version)
	line("hash", s.Hash)
	from := skillOrigin(s.Skill)
	if s.Step > 0 {
		from += ", step " + strconv.Itoa(s.Step)
	}
	if s.Vouched && s.Run != "" {
		from += ", added by you"
	} else if !s.Vouched {
		from += ": nobody here vouches for it"
	}
	line("from", from)
	tested := packageNames(s.Packages)
	if s.Python != "" {
		tested = slices.Insert(tested, 0, "Python "+s.Python)
	}
	line("tested", strings.Join(tested, ", "))
	line("uses", strings.Join(slices.Sorted(maps.Keys(s.Uses)), ", "))
	line("folder", s.Path)
	fmt.Fprintf(&b, "\n%s\n\n%s\n", strings.TrimRight(safetext.Text(s.Code), "\n"), strings.TrimRight(safetext.Text("# Its tests:\n"+s.Tests), "\n"))
	return b.String()
}

func (p *program) skillTest() *cobra.Command {
	var asJSON bool
	var where string
	var spec app.SessionSpec
	cmd := &cobra.Command{
		Use: "test [NAME…]", Short: "Run the tests of skills in fresh sessions",
		Long: "Runs the tests of the skills that are named, or of all, each in a fresh session, whether or\nnot they passed before. The exit code is 1 when one fails.",
		Args: takes(0, 100, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a skiller) error {
				failed, tested := 0, 0
				var printErr error
				err := a.TestSkills(cmd.Context(), args, where, spec, p.quiet(), func(r app.SkillTest) {
					tested++
					if !r.OK {
						failed++
					}
					p.settled()
					if printErr == nil {
						printErr = p.done(asJSON, r, p.testedSkill(r))
					}
				})
				p.settled()
				switch {
				case err != nil:
					return err
				case printErr != nil:
					return printErr
				case !asJSON:
					printErr = p.emit(fmt.Sprintf("%s, %s\n", safetext.Count(tested, "skill"), failedOf(failed)))
				}
				if failed > 0 && printErr == nil {
					return exitStatus{exitNot}
				}
				return printErr
			})
		},
	}
	cmd.Flags().StringVar(&where, "skills", app.SkillsAll, "`WHERE` to look when none is named: home or all")
	cmd.Flags().StringArrayVar(&spec.With, "with", nil, "`PACKAGES` that the sessions have")
	cmd.Flags().StringVar(&spec.Image, "image", "", "`IMAGE` that they run")
	return objectLines(cmd, &asJSON)
}

// testedSkill says how the tests of a skill ended.
func (p *program) testedSkill(r app.SkillTest) string {
	s := p.styleOf(p.stdout)
	if r.OK {
		return fmt.Sprintf("%s  %s, version %d\n", s.Paint(format.Green, "pass"), r.Name, r.Version)
	}
	text := fmt.Sprintf("%s  %s: %s\n", s.Paint(format.Red, "FAIL"), safetext.OneLine(r.Name, 64), safetext.Line(r.Why))
	for line := range strings.Lines(strings.TrimSpace(r.Output)) {
		text += "      " + safetext.Line(strings.TrimSuffix(line, "\n")) + "\n"
	}
	return text
}

func (p *program) skillRemove() *cobra.Command {
	var asJSON, project bool
	cmd := &cobra.Command{
		Use: "rm NAME", Short: "Remove a skill with all of its versions", Args: takes(1, 1, "the name of a skill"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a skiller) error {
				if err := a.RemoveSkill(cmd.Context(), args[0], project); err != nil {
					return err
				}
				return p.done(asJSON, removed{args[0]}, "removed the skill "+safetext.Line(args[0])+"\n")
			})
		},
	}
	registerProject(cmd, &project)
	return oneObject(cmd, &asJSON)
}

func (p *program) skillExport() *cobra.Command {
	var q app.SkillsExport
	var asJSON bool
	cmd := &cobra.Command{
		Use: "export NAME…", Short: "Write skills into one file", Args: takes(1, 100, "the name of a skill"),
		Long: "Writes skills, each in its newest version, into one zip archive, whose folders other readers\nof Agent Skills understand, too.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a skillTraveller) error {
				q.Names = args
				path, err := a.ExportSkills(cmd.Context(), q)
				if err != nil {
					return err
				}
				return p.done(asJSON, savedAt{path}, "saved "+safetext.Line(path)+"\n")
			})
		},
	}
	cmd.Flags().StringVar(&q.Path, "out", "", "`FILE` to write, or folder to write into (default: this folder)")
	cmd.Flags().BoolVar(&q.Force, "force", false, "replace the file when it is there")
	return oneObject(cmd, &asJSON)
}

// savedAt is the object of a file that was written.
type savedAt struct {
	Path string `json:"path"`
}

func (p *program) skillImport() *cobra.Command {
	var asJSON, project bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take over skills from a file that was exported", Args: takes(1, 1, "a file"),
		Long: "Stores the skills of a file that praxis skill export wrote. Every file in it is compared with\nthe hash of its skill, and all of them are stored or none. It does not say who wrote them:\nread a skill before you rely on it. Its tests are run before it is first given to a question.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a skillTraveller) error {
				done, err := a.ImportSkills(cmd.Context(), args[0], project)
				return p.changedSkills(done, err, asJSON, "imported")
			})
		},
	}
	registerProject(cmd, &project)
	return objectLines(cmd, &asJSON)
}

// packageNames are packages with their versions, by name.
func packageNames(packages map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		out = append(out, name+" "+packages[name])
	}
	return out
}

// skillFlags are the flags of ask that are about skills.
type skillFlags struct {
	where string
	learn bool
}

func (f *skillFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.where, "skills", app.SkillsHome, "`WHERE` functions of earlier runs are looked for: home, all (the project's, too) or none")
	cmd.Flags().BoolVar(&f.learn, "learn", false, "let the model have functions stored for later questions")
}
