package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// vocabulary names every event.
var vocabulary = []struct {
	name      string
	zero      Event
	transient bool
}{
	{"progress", Progress{}, true},
	{"notice", Notice{}, true},
	{"run_began", RunBegan{}, false},
	{"session_began", SessionBegan{}, false},
	{"file_given", FileGiven{}, false},
	{"skills_given", SkillsGiven{}, false},
	{"skill_saved", SkillSaved{}, false},
	{"conversation_continued", ConversationContinued{}, false},
	{"step_began", StepBegan{}, false},
	{"model_requested", ModelRequested{}, false},
	{"model_retrying", ModelRetrying{}, false},
	{"model_delta", ModelDelta{}, true},
	{"model_replied", ModelReplied{}, false},
	{"model_failed", ModelFailed{}, false},
	{"reply_rejected", ReplyRejected{}, false},
	{"reply_trimmed", ReplyTrimmed{}, false},
	{"outline_written", OutlineWritten{}, false},
	{"run_concluding", RunConcluding{}, false},
	{"history_condensed", HistoryCondensed{}, false},
	{"execution_began", ExecutionBegan{}, false},
	{"output", Output{}, true},
	{"display", Display{}, true},
	{"execution_ended", ExecutionEnded{}, false},
	{"tool_called", ToolCalled{}, false},
	{"tool_returned", ToolReturned{}, false},
	{"notes_found", NotesFound{}, false},
	{"child_began", ChildBegan{}, false},
	{"child_ended", ChildEnded{}, false},
	{"attempt_chosen", AttemptChosen{}, false},
	{"approval_requested", ApprovalRequested{}, false},
	{"approval_given", ApprovalGiven{}, false},
	{"plan_written", PlanWritten{}, false},
	{"plan_checked", PlanChecked{}, false},
	{"decision_made", DecisionMade{}, false},
	{"label_lowered", LabelLowered{}, false},
	{"plan_waits", PlanWaits{}, false},
	{"plan_resumed", PlanResumed{}, false},
	{"plan_ended", PlanEnded{}, false},
	{"connection_opened", ConnectionOpened{}, false},
	{"connection_closed", ConnectionClosed{}, false},
	{"connection_refused", ConnectionRefused{}, false},
	{"snapshot_taken", SnapshotTaken{}, false},
	{"session_forked", SessionForked{}, false},
	{"session_rolled_back", SessionRolledBack{}, false},
	{"tests_ran", TestsRan{}, false},
	{"patch_made", PatchMade{}, false},
	{"session_ended", SessionEnded{}, false},
	{"file_saved", FileSaved{}, false},
	{"answer_given", AnswerGiven{}, false},
	{"run_ended", RunEnded{}, false},
}

// Names returns the names of all events, in the order of the vocabulary.
func Names() []string {
	var out []string
	for _, v := range vocabulary {
		out = append(out, v.name)
	}
	return out
}

// Name returns the name of e, such as "execution_ended".
func Name(e Event) string {
	if v := entry(e); v >= 0 {
		return vocabulary[v].name
	}
	return ""
}

// Transient says whether e is live only: a later event repeats it as a whole.
func Transient(e Event) bool {
	v := entry(e)
	return v >= 0 && vocabulary[v].transient
}

func entry(e Event) int {
	t := reflect.TypeOf(e)
	for i, v := range vocabulary {
		if reflect.TypeOf(v.zero) == t {
			return i
		}
	}
	return -1
}

// Marshal returns the JSON object of e, without its name.
func Marshal(e Event) ([]byte, error) {
	if entry(e) < 0 {
		return nil, fmt.Errorf("cannot write event: %T is not one", e)
	}
	b, err := Encode(e)
	if err != nil {
		return nil, fmt.Errorf("cannot write event %s: %w", Name(e), err)
	}
	return b, nil
}

// Unmarshal reads the event called name. It refuses a name or a field that is
// not of the vocabulary.
func Unmarshal(name string, data []byte) (Event, error) {
	for _, v := range vocabulary {
		if v.name != name {
			continue
		}
		p := reflect.New(reflect.TypeOf(v.zero))
		if err := decode(data, p.Interface()); err != nil {
			return nil, fmt.Errorf("cannot read event %s: %w", name, err)
		}
		return p.Elem().Interface().(Event), nil
	}
	return nil, fmt.Errorf("cannot read event: %q is not one", name)
}

// Encode returns a value as events are written: one line of JSON, in which the
// characters that matter on HTML pages stand as they are.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the object")
	}
	return nil
}
