package app

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
)

// TestEvaluationOfLocalServer checks that nothing is charged for a model of one's own server,
// whatever its name, and that the results say which runs are unverified.
func TestEvaluationOfLocalServer(t *testing.T) {
	w := newResumeWorld(t, "```python\nprint 12\n```", "FINAL ANSWER: It is 12, and not 99.", "FINAL ANSWER: It is 12, and not 99.")
	cases := filepath.Join(w.dir, "cases.jsonl")
	if err := os.WriteFile(cases, []byte(`{"question": "How many?", "expect": 12}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := w.app(t, t.TempDir()).Evaluate(t.Context(), EvaluateRequest{File: cases, Models: []string{"openai:gpt-5"}}, event.Discard)
	if err != nil || len(out.Results) != 1 {
		t.Fatal(out, err)
	}
	if r := out.Results[0]; r.Cost == nil || *r.Cost != 0 || r.Status != string(event.Unverified) || r.Verdict != "unverified" {
		t.Errorf("got %+v", r)
	}
	if s := out.Scores[0]; s.Passed != 0 || s.Unverified != 1 || s.Share != 0 || s.Questions() != 1 || s.Cost == nil {
		t.Errorf("got %+v", s)
	}
}
