package event

import (
	"reflect"
	"testing"
)

// TestEntering says of every event of the vocabulary whether data from outside
// enter with it. An event that is new fails here until it is decided.
func TestEntering(t *testing.T) {
	const none = ""
	ways := map[string]string{
		"file_given": FromFile, "session_began": FromSession, "session_forked": FromSession, "session_rolled_back": FromSession,
		"conversation_continued": FromThread, "notes_found": FromNotes, "connection_opened": FromNetwork, "tool_returned": FromTool,
		"child_ended": FromChild,

		"progress": none, "notice": none, "run_began": none, "step_began": none, "model_requested": none, "model_retrying": none, "model_delta": none,
		"model_replied": none, "model_failed": none, "reply_rejected": none, "reply_trimmed": none, "run_concluding": none, "history_condensed": none,
		"execution_began": none, "output": none, "display": none, "execution_ended": none, "tool_called": none, "approval_requested": none,
		"approval_given": none, "plan_written": none, "plan_checked": none, "decision_made": none, "label_lowered": none, "plan_waits": none,
		"plan_resumed": none, "plan_ended": none, "connection_closed": none, "connection_refused": none, "snapshot_taken": none,
		"session_ended": none, "file_saved": none, "answer_given": none, "run_ended": none, "child_began": none, "attempt_chosen": none, "outline_written": none, "skills_given": none, "skill_saved": none,
		"tests_ran": none, "patch_made": none,
	}
	for _, v := range vocabulary {
		want, decided := ways[v.name]
		if !decided {
			t.Errorf("%s: say in event.Entering and here whether data from outside enter with it", v.name)
			continue
		}
		e := reflect.New(reflect.TypeOf(v.zero)).Elem()
		for i := range e.NumField() {
			if f := e.Field(i); f.Kind() == reflect.String && e.Type().Field(i).Name != "Role" {
				f.SetString("x")
			}
		}
		got, enters := Entering(e.Interface().(Event))
		if enters != (want != none) || got.From != want {
			t.Errorf("%s: got %+v, %t, want %q", v.name, got, enters, want)
		}
	}
	if got, enters := Entering(ExecutionBegan{Untrusted: true}); !enters || got.From != FromCode {
		t.Errorf("untrusted code: got %+v, %t", got, enters)
	}
	if got, enters := Entering(SkillsGiven{Skills: []Skill{{}, {Untrusted: true}}}); !enters || got.From != FromCode {
		t.Errorf("a skill that nobody vouches for: got %+v, %t", got, enters)
	}
	for _, e := range []Event{FileGiven{Name: "skills/a.py", Role: RoleSkill}, SessionBegan{}, FileGiven{Name: "tools.yaml", Role: "tools"}} {
		if got, enters := Entering(e); enters {
			t.Errorf("%+v: got %+v", e, got)
		}
	}
}
