package plans_test

import (
	"strings"
	"testing"

	"praxis/internal/plan"
)

// TestAssistantPlanner: written by a model for their requests, the natural tasks go
// through as before, since whom and how much they name stands in the request or in
// trusted data. For a request that names nobody, a person is asked.
func TestAssistantPlanner(t *testing.T) {
	waits := map[string]int{}
	for _, task := range programs(t, "testdata/assistant/tasks.py") {
		for _, request := range []string{task.title, "Do it."} {
			o := optionsIn(t, "testdata/assistant/", false)
			o.Request = request
			p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(task.code)}, o)
			if err != nil {
				t.Fatal(err)
			}
			stopped := strings.Join(attend(t, p, &world{replies: repliesOf(t, task.code)}, false).stopped, "\n")
			if !strings.Contains(stopped, "the planner chose") {
				continue
			}
			if waits[request]++; request == task.title {
				t.Errorf("line %d: %s\n%s", task.line, task.title, stopped)
			}
		}
	}
	if n := waits["Do it."]; n < 5 {
		t.Errorf("of a request that names nobody, only %d tasks wait for a person", n)
	} else {
		t.Logf("of a request that names nobody, %d tasks wait for a person", n)
	}
}
