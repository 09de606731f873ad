package openai

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/rest"
)

// finished is an answer that is ready to be written.
type finished struct {
	result app.AskResult
	text   string // as the client shows it
	reason string // why it ends: stop or length
	about  result
}

// finish follows a run to its end, and keeps the answer.
func (x *turn) finish(r *http.Request, to observer) (finished, error) {
	s, err := x.follow(r.Context(), to)
	if err != nil {
		return finished{}, fault.New(fault.Canceled, "", "the client went away: %w", err)
	}
	out := finished{reason: "stop"}
	if out.result, err = x.result(); err != nil {
		return out, err
	}
	if out.result.Incomplete != "" {
		out.reason = "length"
	}
	out.text = s.answerText(out.result, x.schema != nil)
	if err := s.paragraph(checked(out.result)); err != nil {
		return out, err
	}
	out.about = x.resultOf(out.result, s, x.keep(out.result, out.text, x.response))
	return out, nil
}

// broken returns an error if it is one that we made: the client of a stream knows it already.
func broken(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return nil
	}
	return err
}

// stream writes server-sent events.
type stream struct {
	w       *answer
	control *http.ResponseController
}

func newStream(w *answer) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy that collects would hold events back
	w.WriteHeader(http.StatusOK)
	return &stream{w, http.NewResponseController(w)}
}

// text sends a text.
func (s *stream) text(text string) error {
	rest.Deadline(s.w)
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}

// data sends a value as the data of an event.
func (s *stream) data(name string, v any) error {
	data, err := event.Encode(v)
	if err != nil {
		return fmt.Errorf("cannot write an event: %w", err)
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	return s.text(name + "data: " + string(data) + "\n\n")
}

// still says that the answer is still being made.
func (s *stream) still() error { return s.text(": still there\n\n") }

// maxPiece bounds a piece of a text that is sent at a time, in bytes: clients bound the length
// of a line, and a picture in an answer is one.
const maxPiece = 16 << 10

// pieces yields the pieces of a text, which split no character.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > maxPiece {
			cut := maxPiece
			for cut > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
				cut--
			}
			if !yield(text[:cut]) {
				return
			}
			text = text[cut:]
		}
		if text != "" {
			yield(text)
		}
	}
}
