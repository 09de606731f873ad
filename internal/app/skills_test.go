package app

import (
	"io"
	"testing"

	"praxis/fault"
	"praxis/internal/agent/skill"
)

// What lies in the working folder is nobody's skill where that is no project of the user's, as it
// is none of a server's tenants.
func TestSkillsOfTheProject(t *testing.T) {
	t.Chdir(t.TempDir())
	a := toyApp(t, nil)
	s := skill.Skill{Name: "what", Description: "Says what", Signature: "()", Code: "def what(): return 1\n", Tests: "assert what() == 1\n"}
	put, err := a.putSkill(t.Context(), s, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, project := range []bool{true, false} {
		a.opt.Project = project
		want := fault.NotFound
		if project {
			want = 0
		}
		_, shown := a.ShowSkill(t.Context(), "what", 0)
		_, pinned := a.pinnedSkill("what", put.Hash)
		list, err := a.Skills(t.Context(), SkillsAll)
		for what, got := range map[string]error{"show": shown, "use": pinned, "write": a.WriteSkills(t.Context(), []string{"what"}, io.Discard)} {
			if fault.KindOf(got) != want {
				t.Errorf("project %v, %s: got %v", project, what, got)
			}
		}
		if err != nil || (len(list) == 1) != project {
			t.Errorf("project %v: listed %v, %v", project, list, err)
		}
	}
}
