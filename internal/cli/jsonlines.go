package cli

import (
	"encoding/json"
	"io"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
)

// jsonLines writes events as JSON, one object a line, each with "event" as its
// first key and then as package event writes it.
type jsonLines struct {
	enc *json.Encoder
	err error // the first write that failed
}

func newJSONLines(w io.Writer) *jsonLines {
	return &jsonLines{enc: newEncoder(w)}
}

// Emit writes one event.
func (j *jsonLines) Emit(e event.Event) {
	line, err := jsonLine(e)
	if err != nil && j.err == nil {
		j.err = err
	}
	if line != nil {
		j.write(line)
	}
}

func (j *jsonLines) write(line any) {
	if j.err == nil {
		j.err = j.enc.Encode(line)
	}
}

// jsonLine returns the object of an event, with its name as the first key, or
// nil for what has none: pieces of a reply are in the whole reply, the answer
// comes last of all.
func jsonLine(e event.Event) (json.RawMessage, error) {
	switch e.(type) {
	case event.ModelDelta, event.AnswerGiven:
		return nil, nil
	}
	return withEvent(struct {
		Event string `json:"event"`
	}{event.Name(e)}, e)
}

// withEvent returns the object of an event with the fields of another before its own.
func withEvent(before any, e event.Event) (json.RawMessage, error) {
	line, err := event.Encode(before)
	if err != nil {
		return nil, err
	}
	data, err := event.Marshal(e)
	if err != nil {
		return nil, err
	}
	if len(data) > len("{}") {
		line[len(line)-1] = ','
		line = append(line, data[1:]...)
	}
	return line, nil
}

// answerLine is the last object of ask --json, also when there is no answer.
type answerLine struct {
	Event    string          `json:"event"` // "answer"
	Answered bool            `json:"answered"`
	Text     string          `json:"text"`
	Figures  []event.Figure  `json:"figures"`
	Reason   string          `json:"reason,omitempty"` // why there is none
	Remedy   string          `json:"remedy,omitempty"`
	Steps    int             `json:"steps"`
	Tokens   event.Tokens    `json:"tokens"`
	Files    []app.SavedFile `json:"files"`
	Run      string          `json:"run"`     // its id in the journal; empty when it did not begin
	Failure  *fault.Error    `json:"failure"` // no answer, or not all that code made is saved
}
