package app

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"praxis/internal/agent"
	"praxis/internal/agent/repo"
	"praxis/internal/evaluate"
)

// repo makes the project of a case in a folder of its own, and has it repaired. done removes
// the folder.
func (e *evaluation) repo(c evaluate.Case, q *AskRequest) (done func(), err error) {
	dir, err := os.MkdirTemp("", "praxis-project-*")
	if err != nil {
		return nil, fmt.Errorf("cannot make project: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) } // what stays is the system's to remove
	if err := c.Repo.Write(e.dir, dir); err != nil {
		done()
		return nil, err
	}
	q.Question = cmp.Or(c.Question, repo.Repair)
	q.Repo = &RepoSpec{Dir: dir, Test: c.Repo.Test}
	q.Session.Image = cmp.Or(c.Image, q.Session.Image)
	return done, nil
}

// testsOf says what became of the tests of a project.
func testsOf(r AskResult) string {
	switch {
	case r.Repo == nil:
		return ""
	case r.Repo.Passed:
		return evaluate.TestsPass
	case r.Repo.Nothing != "":
		return evaluate.TestsFlaky
	case strings.HasPrefix(strings.ToUpper(r.Text), agent.GivesUp):
		return evaluate.TestsWrong
	}
	return evaluate.TestsFail
}
