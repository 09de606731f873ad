package app

import (
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/safetext"
)

// What a caller asks for is checked before anything is opened or recorded, so that
// every edge (the terminal, the Go library, a server) refuses the same.

// CodeText returns a piece of code as text. name is what messages call it. Faults
// are Invalid: the code is too long, or not UTF-8.
func CodeText(name string, data []byte) (string, error) {
	if len(data) > MaxCode {
		return "", fault.New(fault.Invalid, "Put data into files and keep the code to what computes.",
			"cannot run %s: it is longer than %d KiB", safetext.Line(name), MaxCode>>10)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return "", fault.New(fault.Invalid, "Save it as UTF-8.", "cannot run %s: it is not UTF-8 text", safetext.Line(name))
	}
	return text, nil
}

// check refuses limits that are out of their ranges. Zeros are the configuration's.
func (s SessionSpec) check(c Config) error { return config.ValidateLimits(s.Limits.Over(c.Limits)) }

// check refuses what cannot be run, and bounds that are out of their ranges.
func (q *CodeRequest) check(c Config) (err error) {
	if q.Code, err = CodeText("the code", []byte(q.Code)); err != nil {
		return err
	}
	if err := config.ValidateBounds(q.Bounds.Over(c.Execution)); err != nil {
		return err
	}
	return q.Session.check(c)
}

// check refuses what is no question, a mode that there is not, and bounds that are
// out of their ranges.
func (q *AskRequest) check(c Config) error {
	if q.Question = strings.TrimSpace(q.Question); q.Question == "" {
		return fault.New(fault.Invalid, "Ask something.", "cannot ask: the question is empty")
	}
	switch q.Mode {
	case "":
		q.Mode = ModeCode
	case ModeCode, ModeTools, ModeBoth:
	default:
		return fault.New(fault.Invalid, "Choose code, tools or both.", "cannot ask in the mode %s: it is not one of a question to an agent", safetext.Quote(q.Mode))
	}
	if q.MaxSteps != 0 {
		if err := config.MaxSteps.Check(float64(q.MaxSteps)); err != nil {
			return err
		}
	}
	if err := config.ValidateBounds(q.Bounds.Over(c.Execution)); err != nil {
		return err
	}
	return q.Session.check(c)
}

// CheckBounds refuses bounds of one execution that are out of their ranges. Zeros
// are the session's.
func (s *Session) CheckBounds(b event.Bounds) error { return config.ValidateBounds(b.Over(s.bounds)) }
