package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/safetext"
)

// RecordedNotes are notes that give what they gave in a recorded run, in its
// order, and keep nothing. They are for replay.
type RecordedNotes struct {
	mu   sync.Mutex
	uses []use
}

type use struct {
	called   event.ToolCalled
	returned *event.ToolReturned // nil: the recording ends before
}

// NewRecordedNotes looks for uses of notes among the events of a run.
func NewRecordedNotes(events []event.Event) *RecordedNotes {
	n := &RecordedNotes{}
	for _, e := range events {
		switch e := e.(type) {
		case event.ToolCalled:
			if e.Tool == action.ToolSave || e.Tool == action.ToolSearch {
				n.uses = append(n.uses, use{called: e})
			}
		case event.ToolReturned:
			for i, u := range n.uses {
				if u.called.ID == e.ID && u.returned == nil {
					n.uses[i].returned = &e
					break
				}
			}
		}
	}
	return n
}

// Save returns what the recorded run was told of its next note.
func (n *RecordedNotes) Save(_ context.Context, _ int, text string, _ []string) (id string, known bool, err error) {
	var saved savedNote
	err = n.next(action.ToolSave, "text", text, &saved)
	return saved.ID, saved.Known, err
}

// Search returns what the recorded run found next.
func (n *RecordedNotes) Search(_ context.Context, query string) ([]Note, error) {
	var notes []Note
	err := n.next(action.ToolSearch, "query", query, &notes)
	return notes, err
}

func (n *RecordedNotes) next(tool, argument, value string, result any) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	differs := func(format string, args ...any) error {
		return fault.New(fault.Conflict, "", "cannot use notes as in the recorded run: %s", fmt.Sprintf(format, args...))
	}
	if len(n.uses) == 0 {
		return differs("it did not call %s here", tool)
	}
	u := n.uses[0]
	if u.called.Tool != tool || !reflect.DeepEqual(u.called.Arguments[argument], value) {
		return differs("it called %s with %q here, not %s with %q", u.called.Tool, safetext.OneLine(fmt.Sprint(u.called.Arguments[argument]), 300), tool, safetext.OneLine(value, 300))
	}
	n.uses = n.uses[1:]
	switch {
	case u.returned == nil:
		return differs("it ends before %s returned", tool)
	case u.returned.Error != "":
		return fault.New(fault.Invalid, "", "%s", u.returned.Error)
	}
	if err := json.Unmarshal([]byte(u.returned.Result), result); err != nil {
		return differs("the result of %s cannot be read: %v", tool, err)
	}
	return nil
}
