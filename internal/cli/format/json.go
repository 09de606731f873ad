package format

import (
	"encoding/json"
	"io"

	"praxis/event"
	"praxis/internal/safetext"
)

// NewEncoder returns the encoder of everything that is printed as JSON. A person
// may read it on a terminal, and it quotes models and guests: what a terminal
// would act on or not show is written as \u escapes, which mean the same to a
// program.
func NewEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(SafeJSON{w})
	enc.SetEscapeHTML(false)
	return enc
}

// SafeJSON escapes what hides in whole values of JSON.
type SafeJSON struct{ W io.Writer }

// Write passes one or more whole values on. The count is of p's bytes.
func (s SafeJSON) Write(p []byte) (int, error) {
	if _, err := s.W.Write(safetext.JSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSONLines writes events as JSON, one object a line, each with "event" as its
// first key and then as package event writes it.
type JSONLines struct {
	enc *json.Encoder
	Err error // the first write that failed
}

// NewJSONLines returns the writer of lines to w.
func NewJSONLines(w io.Writer) *JSONLines {
	return &JSONLines{enc: NewEncoder(w)}
}

// Emit writes one event.
func (j *JSONLines) Emit(e event.Event) {
	line, err := jsonLine(e)
	if err != nil && j.Err == nil {
		j.Err = err
	}
	if line != nil {
		j.Write(line)
	}
}

// Write writes an object in a line of its own.
func (j *JSONLines) Write(line any) {
	if j.Err == nil {
		j.Err = j.enc.Encode(line)
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
	return WithEvent(struct {
		Event string `json:"event"`
	}{event.Name(e)}, e)
}

// WithEvent returns the object of an event with the fields of another before its own.
func WithEvent(before any, e event.Event) (json.RawMessage, error) {
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
