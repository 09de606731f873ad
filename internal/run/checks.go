package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// AnswerSchema compiles the JSON Schema that an answer must keep to. The error is a fault:
// the schema is wrong. name is what problems call its file.
func AnswerSchema(name string, text []byte) (*agent.Schema, []byte, error) {
	s, err := schema.Parse(name, text)
	if err != nil {
		return nil, nil, err
	}
	check := func(value []byte) error {
		v, err := jsondoc.Decode(value)
		if err != nil {
			return err
		}
		if m := s.Validate(v); m != nil {
			return errors.New(m.All())
		}
		return nil
	}
	return &agent.Schema{Text: string(s.JSON()), Check: check}, s.JSON(), nil
}

// judged sets what decides whether an answer is taken.
func (t Task) judged(s Session, cfg *agent.Config) error {
	if t.Began.Schema != nil {
		var err error
		if cfg.Schema, _, err = AnswerSchema("schema.json", t.Began.Schema); err != nil {
			return err
		}
	}
	if len(t.Began.Checks) == 0 {
		return nil
	}
	l, err := t.checker(s)
	cfg.Checks = agent.Checks{List: t.Began.Checks, Language: l}
	return err
}

// checker is the language that checks are in.
func (t Task) checker(s Session) (language.Language, error) {
	if s != nil {
		if l, ok := t.first(s, func(l language.Language) bool { return l.Model.Check != nil }); ok {
			return l, nil
		}
	}
	return language.Language{}, fault.New(fault.Invalid, "Check what the program has answered afterwards, or let the run have a session with Python.",
		"cannot check the answer: checks are in Python, and this run has none")
}

// first is the first language of a session for which is holds, the run's own before others.
func (t Task) first(s Session, is func(language.Language) bool) (language.Language, bool) {
	all := language.Table{t.language(s)}
	var has []language.Runtime
	for _, l := range s.Describe().Image.Languages {
		has = append(has, language.Runtime{Language: l.Name, Version: l.Version})
	}
	for _, l := range append(all, t.Languages.In(has)...) {
		if is(l) {
			return l, true
		}
	}
	return language.Language{}, false
}

// checkInputs runs the checks of the inputs. That one fails is a fault.
func (t Task) checkInputs(ctx context.Context, s Session, rec Recorder) error {
	if len(t.Began.InputChecks) == 0 {
		return nil
	}
	l, err := t.checker(s)
	if err != nil {
		return err
	}
	for _, c := range t.Began.InputChecks {
		code := l.Model.Check(c.Name, c.Code, c.Expression, []byte("{}"))
		x, err := beside(ctx, s, event.ExecutionBegan{Language: l.Name, Code: code, Purpose: event.CheckingInput, Check: c.Name}, t.Began.Bounds, rec)
		if err != nil {
			return err
		}
		if x.Status == event.OK {
			continue
		}
		why := x.Status.String()
		switch {
		case x.Error != nil:
			why = strings.TrimSuffix(x.Error.Name+": "+x.Error.Value, ": ")
		case x.Message != "":
			why += ": " + x.Message
		}
		return fault.Coded(fault.InputCheckFailed, fault.Data{"check": c.Name},
			"cannot ask: the inputs did not pass the check %s%s: %s", safetext.OneLine(c.Name, 200), lineOf(x, c.Name), safetext.OneLine(why, 500))
	}
	return nil
}

// lineOf says where in a check an exception came from.
func lineOf(x event.Execution, name string) string {
	if x.Error == nil {
		return ""
	}
	_, rest, found := strings.Cut(x.Error.Traceback, fmt.Sprintf("File \"<%s>\", line ", name))
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if !found || end <= 0 {
		return ""
	}
	return ", line " + rest[:end]
}

// beside runs code that is no step of the run, between its events.
func beside(ctx context.Context, s Session, began event.ExecutionBegan, b event.Bounds, rec Recorder) (event.Execution, error) {
	began.Session = s.Describe().Session
	rec.Emit(began)
	x, err := event.Execution{}, ctx.Err() // nothing is done that cannot be recorded
	if err == nil {
		x, err = s.Execute(ctx, began.Language, began.Code, b, event.Discard)
	}
	ended := x
	if err != nil {
		ended = event.Execution{Status: event.Crashed, Message: err.Error()}
		if ctx.Err() != nil {
			ended.Status = event.Interrupted
		}
	}
	rec.Emit(event.ExecutionEnded{Execution: ended})
	if err == nil && x.State == event.Gone {
		err = fault.New(fault.Exhausted, "Raise the limit that was hit, or give less.", "cannot go on: the session is over: %s", safetext.OneLine(x.Message, 300))
	}
	return x, err
}
