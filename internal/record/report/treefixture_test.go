package report_test

import (
	"time"

	"praxis/event"
	"praxis/internal/record/report"
)

// attempts is a run of which three attempts were made, one with a subagent of its own.
func attempts() report.Run {
	const second = event.Duration(time.Second)
	began := func(n int, role event.ChildRole, run, task string) event.ChildBegan {
		return event.ChildBegan{N: n, Role: role, Depth: 1, Run: run, Task: task, Snapshot: "snap-1"}
	}
	query := event.RunBegan{Kind: event.Ask, Question: "How many rows?", Model: "anthropic:claude-sonnet-4-5", MaxSteps: 20}
	caller := func(n int) event.RunBegan {
		b := query
		b.Caller = &event.Caller{Run: "20261121-031455-0000", Child: n, Role: event.Attempt, Depth: 1}
		return b
	}
	one := []event.Event{caller(1), event.StepBegan{N: 1}, event.ModelReplied{Step: 1, Thought: "I count.", Tokens: event.Tokens{Input: 100, Output: 10}},
		event.ExecutionBegan{Step: 1, Code: "print(3)"}, event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.OK, Stdout: "3\n"}}}
	for i := range 14 {
		one = append(one, event.ChildBegan{Step: 1, N: i + 1, Role: event.Query, Depth: 2, Task: hostile},
			event.ChildEnded{Step: 1, N: i + 1, Status: event.Answered, Text: "yes", Tokens: event.Tokens{Input: 5, Output: 1}, Took: second / 10})
	}
	one = append(one, event.AnswerGiven{Text: "3"}, event.RunEnded{Status: event.Answered, Steps: 1, Tokens: event.Tokens{Input: 170, Output: 24}, Took: second})
	whole := query
	whole.Branches, whole.Style = 3, "program"
	return report.Run{ID: "20261121-031455-0000", Languages: languages, Cost: cost,
		Children: map[string]report.Run{
			"20261121-031456-0001": {ID: "20261121-031456-0001", Languages: languages, Records: records(one...)},
			"20261121-031456-0003": {ID: "20261121-031456-0003", Languages: languages, Records: records(caller(3), event.StepBegan{N: 1})},
		},
		Records: records(whole,
			event.SessionBegan{Session: "s-1", Image: event.Image{ID: "sha256:00", Name: "default"}},
			event.SnapshotTaken{Session: "s-1", Snapshot: "snap-1"},
			began(1, event.Attempt, "20261121-031456-0001", "How many rows?"),
			began(2, event.Attempt, "20261121-031456-0002", "How many rows?"),
			began(3, event.Attempt, "20261121-031456-0003", "How many rows?"),
			event.ChildEnded{N: 1, Run: "20261121-031456-0001", Status: event.Answered, Text: "3", Steps: 1, Tokens: event.Tokens{Input: 170, Output: 24}, Took: second},
			event.ChildEnded{N: 2, Run: "20261121-031456-0002", Status: event.Unanswered, Reason: hostile, Steps: 4, Errors: 3, Took: 2 * second},
			event.AttemptChosen{N: 1, Run: "20261121-031456-0001", Why: "attempt 1 is chosen: the only one with an answer", Marks: []event.AttemptMark{
				{N: 1, Status: event.Answered, Answered: true, Complete: true, Verified: true, Agree: 1, Steps: 1}, {N: 2, Status: event.Unanswered, Errors: 3, Steps: 4}}},
			event.AnswerGiven{Text: "3"},
			event.RunEnded{Status: event.Answered, Tokens: event.Tokens{Input: 170, Output: 24}, Took: 3 * second},
		)}
}
