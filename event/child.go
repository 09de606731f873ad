package event

import "encoding/json"

// ChildRole says what a child is to the run that began it.
type ChildRole string

// The roles of children.
const (
	Attempt   ChildRole = "attempt"   // one of several attempts at the same question
	Query     ChildRole = "query"     // one request to a model, without a session
	Subagent  ChildRole = "subagent"  // a task of its own, in a session of its own
	Recursion ChildRole = "recursion" // a task over a text that its session holds as a variable
)

// Caller says whose child a run is.
type Caller struct {
	Run   string    `json:"run"`
	Child int       `json:"child"` // its number among the children of that run, from 1
	Role  ChildRole `json:"role"`
	Depth int       `json:"depth"` // of a child that a person's run began: 1
	// Label is what the caller had seen by then: what the child is asked depends on it. nil:
	// nothing that is not trusted, or that not everyone may read.
	Label *DataLabel `json:"label,omitempty"`
}

// ChildBegan says that a run begins a part of itself: a run of its own, which has its own
// record, or one request to a model, which is recorded here alone.
type ChildBegan struct {
	Step  int       `json:"step"` // of the run that begins it
	N     int       `json:"n"`    // among the children of the run, from 1, in the order in which they begin
	Role  ChildRole `json:"role"`
	Depth int       `json:"depth"`
	Run   string    `json:"run,omitempty"` // its id; a query has none
	Model string    `json:"model,omitempty"`
	Task  string    `json:"task"`           // what it is asked
	Data  []string  `json:"data,omitempty"` // the names of what it is given
	// Given is the SHA-256 of what it is given, names and contents; empty: nothing.
	Given string `json:"given,omitempty"`
	// Snapshot is the state of the run's session that the child's session starts from; empty:
	// it has a fresh one, or none.
	Snapshot string `json:"snapshot,omitempty"`
}

// ChildEnded says what a child came to. A replay of the run gives this result again, without
// the child.
type ChildEnded struct {
	Step   int             `json:"step"`
	N      int             `json:"n"`
	Run    string          `json:"run,omitempty"`
	Status RunStatus       `json:"status"`
	Text   string          `json:"text,omitempty"`  // its answer
	Value  json.RawMessage `json:"value,omitempty"` // the answer as JSON, where it is more than a text
	// Of an answer: its figures, files that belong to it, and why the model had to give it
	// before it was done.
	Figures    []Figure `json:"figures,omitempty"`
	Files      []string `json:"files,omitempty"`
	Incomplete string   `json:"incomplete,omitempty"`
	// Snapshot is the state of its session at the end, of a child whose caller may go on
	// from it.
	Snapshot string   `json:"snapshot,omitempty"`
	Reason   string   `json:"reason,omitempty"` // why there is no answer
	Steps    int      `json:"steps,omitempty"`
	Errors   int      `json:"errors,omitempty"` // executions that failed and replies that were sent back
	Tokens   Tokens   `json:"tokens"`           // its own and those of its children
	Took     Duration `json:"took_ms"`
	// Kind and Remedy are those of the failure, where there is no answer: code that asked
	// learns them.
	Kind   string `json:"kind,omitempty"`
	Remedy string `json:"remedy,omitempty"`
	// Label is what the child had seen. nil: nothing that not everyone may read.
	Label *DataLabel `json:"label,omitempty"`
}

// ChildReply is what a child came to, and what it was asked.
type ChildReply struct {
	Role ChildRole
	Task string
	ChildEnded
}

// Answered says whether the child has an answer.
func (e ChildEnded) Answered() bool { return e.Status == Answered || e.Status == Unverified }

// AttemptChosen says which of several attempts at a question is kept, and why: its answer,
// its files and its state are those of the run.
type AttemptChosen struct {
	N     int           `json:"n"` // 0: none has an answer
	Run   string        `json:"run,omitempty"`
	Why   string        `json:"why"`
	Marks []AttemptMark `json:"marks"` // of all attempts, in the order of their numbers
}

// AttemptMark is what an attempt is judged by.
type AttemptMark struct {
	N      int       `json:"n"`
	Status RunStatus `json:"status"`
	// Answered says that there is an answer that kept to the schema and passed every check.
	Answered bool `json:"answered"`
	Complete bool `json:"complete"` // the model was done when it answered
	Verified bool `json:"verified"` // every figure of the answer was found
	Agree    int  `json:"agree"`    // attempts with the same answer, itself included
	Errors   int  `json:"errors"`   // executions that failed and replies that were sent back
	Steps    int  `json:"steps"`
}
