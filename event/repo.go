package event

// Repo is a project that a run works on. Its files are an input of the run, packed.
type Repo struct {
	Name string `json:"name"` // of its folder, on the person's side
	// Test is the command that runs its tests; empty: nobody runs any.
	Test string `json:"test,omitempty"`
	// EditTests says that tests may be changed. Otherwise their changes are undone before the
	// tests run that decide.
	EditTests bool `json:"edit_tests,omitempty"`
}

// TestsRan says what running the tests of a project came to, in a session of their own. The
// executions stand before it.
type TestsRan struct {
	Step int `json:"step"` // 0: before a model was asked, on the files as they were given
	// Runs is how often they were run, without a change between: tests that fail are run again.
	Runs    int      `json:"runs"`
	Passed  bool     `json:"passed"`
	Why     string   `json:"why,omitempty"`     // they did not pass
	Failing []string `json:"failing,omitempty"` // the tests that failed each time, as far as the output names them
	Flaky   []string `json:"flaky,omitempty"`   // the tests that failed in some of the runs alone
	// Undone are the tests whose changes were undone before.
	Undone []string `json:"undone,omitempty"`
}

// PatchMade is what a run changed in the files of a project, as a diff in the form of git. The
// content is stored under its hash.
type PatchMade struct {
	SHA256 string        `json:"sha256"`
	Bytes  int64         `json:"bytes"`
	Files  []PatchedFile `json:"files"`
	// LeftOut are new files that are no part of it: git ignores them, or a program made them.
	LeftOut  []string `json:"left_out,omitempty"`
	Withheld string   `json:"withheld,omitempty"` // why the content is not stored
	// Passed says that the tests pass with it.
	Passed bool `json:"passed"`
}

// PatchedFile is what became of one file.
type PatchedFile struct {
	Path    string `json:"path"`           // below the project's folder
	From    string `json:"from,omitempty"` // of a file that was renamed
	Change  string `json:"change"`         // "created", "changed", "removed" or "renamed"
	Added   int    `json:"added"`          // lines
	Removed int    `json:"removed"`
	Binary  bool   `json:"binary,omitempty"`
}
