// Package event is the vocabulary of what happens in Praxis: a closed set of
// records. The screen, the JSON stream and, later, the journal are fed by the
// same events, so that nothing is described twice.
package event

import "time"

// Event is one record. The set is closed: only this package implements it.
type Event interface{ event() }

// Sink receives events in the order in which they happened. Emit must not
// block for long and must not keep the byte slices that it is given.
type Sink interface {
	Emit(Event)
}

// SinkFunc makes a function a Sink.
type SinkFunc func(Event)

// Emit calls f.
func (f SinkFunc) Emit(e Event) { f(e) }

// Discard is a Sink that drops everything.
var Discard Sink = SinkFunc(func(Event) {})

// Stream names an output stream of the guest.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota + 1
	Stderr
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// MIME bundles map a MIME type to its content: text as it is, binary types
// (image/png, image/jpeg) in standard base64. The key "text" holds text/plain.
type Bundle map[string]string

// Progress is a long preparation telling how far it is: an image that is built,
// a template that is prepared.
type Progress struct {
	Room string // "image", "template"
	Text string // one line, no newline
}

// RunBegan opens a run of the agent.
type RunBegan struct {
	Question string
	Model    string
	Scripted bool // the model's replies come from a file
	Files    []string
	MaxSteps int
}

// StepBegan opens one turn of Reason → Act → Observe. N counts from 1.
type StepBegan struct{ N int }

// ModelWaiting says that the model was asked and has not begun to reply.
type ModelWaiting struct {
	Step  int
	Model string
}

// ModelRetrying says that a model failed in a way that may pass and is asked
// again after a pause. Attempt counts from 1: it is the one that comes.
type ModelRetrying struct {
	Step    int
	Reason  string // short, such as "429 slow down"
	After   time.Duration
	Attempt int
}

// ModelDelta is a piece of the model's reply as it is streamed.
type ModelDelta struct {
	Step int
	Text string
}

// ModelReplied is the whole reply of one turn: the thought, and how the model acted.
type ModelReplied struct {
	Step    int
	Thought string // prose around the action
	Tokens  Tokens
	Took    time.Duration
}

// Tokens counts what a model call used.
type Tokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// ReplyRejected says that a reply held no action that could be used; Reason went back to the model.
type ReplyRejected struct {
	Step   int
	Reason string
}

// ReplyTrimmed says that a reply held more than the one action that is taken.
type ReplyTrimmed struct {
	Step   int
	Reason string // what was taken and what was not
}

// ExecutionBegan is emitted before code is sent to the guest. Step is 0 outside the agent.
type ExecutionBegan struct {
	Step    int
	Session string
	Context string
	Code    string
	Fills   []string // the expressions whose values the code fills into an answer; nil for the model's own code
}

// Output is a piece of a stream, in the order in which the guest wrote it. It may split a character.
type Output struct {
	Stream Stream
	Data   []byte
}

// Display is a rich value that the code displayed.
type Display struct{ Bundle Bundle }

// ExecutionEnded closes what ExecutionBegan opened.
type ExecutionEnded struct {
	Step      int
	Execution Execution
}

// FileSaved says that a file of the session was copied to the host.
type FileSaved struct {
	Path  string // on the host
	Bytes int64
}

// AnswerGiven is the final answer, rendered from values in the sandbox.
type AnswerGiven struct {
	Text    string
	Figures []Figure // every value that was filled in or traced back
}

// Figure is one value of an answer and where it comes from.
type Figure struct {
	Text       string `json:"text"`                 // as it stands in the answer
	Expression string `json:"expression,omitempty"` // evaluated in the sandbox, or empty
	Source     string `json:"source"`               // "computed", "output", "question"; "unverified" when it was found nowhere
}

// RunEnded closes a run. Reason is empty when it was answered.
type RunEnded struct {
	Answered bool
	Reason   string
	Steps    int
	Tokens   Tokens
	Took     time.Duration
}

func (Progress) event()       {}
func (RunBegan) event()       {}
func (StepBegan) event()      {}
func (ModelWaiting) event()   {}
func (ModelRetrying) event()  {}
func (ModelDelta) event()     {}
func (ModelReplied) event()   {}
func (ReplyRejected) event()  {}
func (ReplyTrimmed) event()   {}
func (ExecutionBegan) event() {}
func (Output) event()         {}
func (Display) event()        {}
func (ExecutionEnded) event() {}
func (FileSaved) event()      {}
func (AnswerGiven) event()    {}
func (RunEnded) event()       {}
