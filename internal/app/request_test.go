package app

import (
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// refused checks that a request was refused as the caller's mistake, with a
// remedy, and that nothing of it was recorded.
func refused(t *testing.T, a *App, name string, err error, want string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error = %v, want %q as the caller's mistake, with a remedy", name, err, want)
	}
	if runs, err := a.FindRun(t.Context(), "last"); err == nil {
		t.Errorf("%s: run %s was recorded", name, runs)
	}
}

// TestAskRefuses checks that a question which is wrong in itself begins no run,
// whoever asks it.
func TestAskRefuses(t *testing.T) {
	w := newEntryWorld(t)
	model := "scripted:" + w.file("script.txt", "=== reply\nFINAL ANSWER: Done.\n")
	for name, c := range map[string]struct {
		change func(q *AskRequest)
		want   string
	}{
		"no question":        {func(q *AskRequest) { q.Question = " \n" }, "the question is empty"},
		"the mode of plans":  {func(q *AskRequest) { q.Mode = ModePlan }, `the mode "plan"`},
		"an unknown mode":    {func(q *AskRequest) { q.Mode = "nonsense" }, `the mode "nonsense"`},
		"too many steps":     {func(q *AskRequest) { q.MaxSteps = 1001 }, "cannot use max steps"},
		"less than no step":  {func(q *AskRequest) { q.MaxSteps = -1 }, "cannot use max steps"},
		"a time of the past": {func(q *AskRequest) { q.Bounds.Timeout = -1 }, "cannot use timeout"},
		"too much memory":    {func(q *AskRequest) { q.Session.Limits.Memory = 1 << 41 }, "cannot use memory"},
	} {
		q := AskRequest{Question: "What?", Model: model, Tools: w.tools()}
		c.change(&q)
		_, err := w.app.Ask(t.Context(), q, event.Discard)
		refused(t, w.app, name, err, c.want)
	}
}

// TestRunCodeRefuses checks that code which is wrong in itself, or is to have
// what no session has, begins no run.
func TestRunCodeRefuses(t *testing.T) {
	a := toyApp(t, nil)
	for name, c := range map[string]struct {
		q    CodeRequest
		want string
	}{
		"too long":          {CodeRequest{Code: strings.Repeat("#", MaxCode+1)}, "cannot run the code: it is longer than"},
		"no text":           {CodeRequest{Code: "print \xe9"}, "it is not UTF-8 text"},
		"a time too long":   {CodeRequest{Bounds: event.Bounds{Timeout: event.Duration(48 * time.Hour)}}, "cannot use timeout"},
		"a time too short":  {CodeRequest{Bounds: event.Bounds{CPU: 1}}, "cannot use cpu time"},
		"too much output":   {CodeRequest{Bounds: event.Bounds{OutputBytes: 1 << 40}}, "cannot use output"},
		"less than nothing": {CodeRequest{Bounds: event.Bounds{OutputBytes: -1}}, "cannot use output"},
		"no processor":      {CodeRequest{Session: SessionSpec{Limits: event.Limits{CPUs: -1}}}, "cannot use cpus"},
		"a named session":   {CodeRequest{Session: SessionSpec{Name: "s", Limits: event.Limits{OpenFiles: 1}}}, "cannot use open files"},
	} {
		_, err := a.RunCode(t.Context(), c.q, event.Discard)
		refused(t, a, name, err, c.want)
	}
	_, err := a.Branch(t.Context(), BranchRequest{Run: "last", From: 1, Code: "\xe9"}, event.Discard)
	refused(t, a, "a branch", err, "it is not UTF-8 text")
	_, err = a.Assert(t.Context(), "last", "f.py", "\xe9", event.Discard)
	refused(t, a, "assertions", err, "cannot run f.py: it is not UTF-8 text")
}

// TestSessionRefuses checks what a session that a program opened refuses.
func TestSessionRefuses(t *testing.T) {
	a := toyApp(t, nil)
	_, err := a.OpenSession(t.Context(), SessionSpec{Limits: event.Limits{Memory: 1}}, event.Discard)
	refused(t, a, "too little memory", err, "cannot use memory")
	s, err := a.OpenSession(t.Context(), SessionSpec{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Execute(t.Context(), "", "print 1", event.Bounds{Timeout: -1}, event.Discard)
	refused(t, a, "a time of the past", err, "cannot use timeout")
	_, err = s.Save(t.Context(), "nothing")
	refused(t, a, "no name", err, "it has no name")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestPlanRefuses checks that a plan which is wrong in itself, or answered with
// nothing, begins no run.
func TestPlanRefuses(t *testing.T) {
	a := toyApp(t, nil)
	for name, c := range map[string]struct {
		host PlanHost
		want string
	}{
		"yes and later":   {PlanHost{Yes: true, Later: true}, "yes grants what later lets wait"},
		"no time":         {PlanHost{Timeout: -1}, "cannot use timeout"},
		"a time too long": {PlanHost{Timeout: 48 * time.Hour}, "cannot use timeout"},
	} {
		_, err := a.RunPlan(t.Context(), PlanRequest{Plan: PlanSource{Name: "plan.py", Text: []byte("print(1)\n")}, Host: c.host}, event.Discard)
		refused(t, a, name, err, c.want)
		_, err = a.AskPlan(t.Context(), PlanAskRequest{Question: "What?", Host: c.host}, event.Discard)
		refused(t, a, name+", of a question", err, c.want)
		_, err = a.ResumePlan(t.Context(), ResumeRequest{Ref: "last", Response: PlanResponse{Call: true}, Host: c.host}, event.Discard)
		refused(t, a, name+", of one that waits", err, c.want)
	}
	_, err := a.AskPlan(t.Context(), PlanAskRequest{Question: "What?", Plans: -1}, event.Discard)
	refused(t, a, "less than no plan", err, "cannot use max steps")

	no := false
	for name, c := range map[string]struct {
		r    PlanResponse
		want string
	}{
		"nothing":            {PlanResponse{Who: "me"}, "nothing is said to the call that it waits at"},
		"a denial":           {PlanResponse{Approve: &no}, "a call that is denied needs a reason"},
		"a failure":          {PlanResponse{Error: " "}, "a call that failed needs a text"},
		"an endorsed result": {PlanResponse{Given: true, Endorse: "\n"}, "needs a reason"},
	} {
		_, err := a.ResumePlan(t.Context(), ResumeRequest{Ref: "last", Response: c.r}, event.Discard)
		refused(t, a, name, err, c.want)
	}
}
