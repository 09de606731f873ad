package planner

import (
	"regexp"
	"strings"
	"testing"

	"praxis/internal/plan"
)

// TestPromptModules checks that the language has every module that the prompt names.
func TestPromptModules(t *testing.T) {
	list := regexp.MustCompile(`(?s)no other imports than (.*?)\.\n`).FindStringSubmatch(systemText)
	if list == nil {
		t.Fatal("the prompt names no modules")
	}
	names := strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(list[1]))
	if len(names) < 15 {
		t.Errorf("the prompt names %q", names)
	}
	for _, name := range names {
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte("import " + name + "\n")}, plan.Options{Pedantic: true})
		if err != nil || !p.Check.Accepted {
			t.Errorf("import %s: %v, %+v", name, err, p.Check.Findings)
		}
	}
}
