package cli

import (
	"encoding/json"
	"io"
	"time"

	"praxis/internal/event"
)

// jsonLines writes events as JSON, one object a line, each with "event" as its
// first key. The names and fields are part of the command line's promises; the
// event types are not.
type jsonLines struct {
	enc *json.Encoder
	err error // the first write that failed
}

func newJSONLines(w io.Writer) *jsonLines {
	return &jsonLines{enc: newEncoder(w)}
}

// Emit writes one event.
func (j *jsonLines) Emit(e event.Event) {
	if line := jsonLine(e); line != nil {
		j.write(line)
	}
}

func (j *jsonLines) write(line any) {
	if j.err == nil {
		j.err = j.enc.Encode(line)
	}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// jsonLine returns the object of an event, or nil for what has none: pieces of
// a reply are in the whole reply, the answer comes last of all.
func jsonLine(e event.Event) any {
	switch e := e.(type) {
	case event.Progress:
		return struct {
			Event string `json:"event"`
			Room  string `json:"room"`
			Text  string `json:"text"`
		}{"progress", e.Room, e.Text}
	case event.RunBegan:
		return struct {
			Event    string   `json:"event"`
			Question string   `json:"question"`
			Model    string   `json:"model"`
			Scripted bool     `json:"scripted"`
			Files    []string `json:"files"`
			MaxSteps int      `json:"max_steps"`
		}{"run_began", e.Question, e.Model, e.Scripted, orEmpty(e.Files), e.MaxSteps}
	case event.StepBegan:
		return struct {
			Event string `json:"event"`
			Step  int    `json:"step"`
		}{"step_began", e.N}
	case event.ModelWaiting:
		return struct {
			Event string `json:"event"`
			Step  int    `json:"step"`
			Model string `json:"model"`
		}{"model_waiting", e.Step, e.Model}
	case event.ModelRetrying:
		return struct {
			Event   string  `json:"event"`
			Step    int     `json:"step"`
			Reason  string  `json:"reason"`
			AfterMS float64 `json:"after_ms"`
			Attempt int     `json:"attempt"`
		}{"model_retrying", e.Step, e.Reason, millis(e.After), e.Attempt}
	case event.ModelReplied:
		return struct {
			Event   string       `json:"event"`
			Step    int          `json:"step"`
			Thought string       `json:"thought"`
			Tokens  event.Tokens `json:"tokens"`
			TookMS  float64      `json:"took_ms"`
		}{"model_replied", e.Step, e.Thought, e.Tokens, millis(e.Took)}
	case event.ReplyRejected:
		return struct {
			Event  string `json:"event"`
			Step   int    `json:"step"`
			Reason string `json:"reason"`
		}{"reply_rejected", e.Step, e.Reason}
	case event.ReplyTrimmed:
		return struct {
			Event  string `json:"event"`
			Step   int    `json:"step"`
			Reason string `json:"reason"`
		}{"reply_trimmed", e.Step, e.Reason}
	case event.ExecutionBegan:
		return struct {
			Event   string `json:"event"`
			Step    int    `json:"step"`
			Session string `json:"session"`
			Context string `json:"context,omitempty"`
			Code    string `json:"code"`
		}{"execution_began", e.Step, e.Session, e.Context, e.Code}
	case event.Output:
		return struct {
			Event  string `json:"event"`
			Stream string `json:"stream"`
			Text   string `json:"text"`
		}{"output", e.Stream.String(), string(e.Data)}
	case event.Display:
		return struct {
			Event  string       `json:"event"`
			Bundle event.Bundle `json:"bundle"`
		}{"display", e.Bundle}
	case event.ExecutionEnded:
		return struct {
			Event     string          `json:"event"`
			Step      int             `json:"step"`
			Execution event.Execution `json:"execution"`
		}{"execution_ended", e.Step, e.Execution}
	case event.FileSaved:
		return struct {
			Event string `json:"event"`
			Path  string `json:"path"`
			Bytes int64  `json:"bytes"`
		}{"file_saved", e.Path, e.Bytes}
	case event.RunEnded:
		return struct {
			Event    string       `json:"event"`
			Answered bool         `json:"answered"`
			Reason   string       `json:"reason,omitempty"`
			Steps    int          `json:"steps"`
			Tokens   event.Tokens `json:"tokens"`
			TookMS   float64      `json:"took_ms"`
		}{"run_ended", e.Answered, e.Reason, e.Steps, e.Tokens, millis(e.Took)}
	}
	return nil
}

// answerLine is the last object of ask --json, also when there is no answer.
type answerLine struct {
	Event    string         `json:"event"` // "answer"
	Answered bool           `json:"answered"`
	Text     string         `json:"text"`
	Figures  []event.Figure `json:"figures"`
	Reason   string         `json:"reason,omitempty"` // why there is none
	Remedy   string         `json:"remedy,omitempty"`
	Steps    int            `json:"steps"`
	Tokens   event.Tokens   `json:"tokens"`
	Files    []savedFile    `json:"files"`
	Failure  *failure       `json:"failure"` // no answer, or not all that code made is saved
}
