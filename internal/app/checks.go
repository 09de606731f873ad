package app

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// Bounds of what decides about a run.
const (
	maxSchema = 256 << 10 // bytes
	maxChecks = 50
)

// CheckSpec says what decides, beside the model, whether inputs and an answer are right.
type CheckSpec struct {
	Schema Text          // JSON Schema of the answer, in JSON or YAML; "": the answer is a text
	Inputs []event.Check // run before the model is asked
	Answer []event.Check // run when the model has answered

	compiled json.RawMessage
}

// Text is a text with the name that messages call it by.
type Text struct{ Name, Text string }

// check completes a CheckSpec, and refuses one that is wrong in itself.
func (c *CheckSpec) check() error {
	if c.Schema.Text != "" {
		name := c.Schema.Name
		if name == "" {
			name = "schema.json"
		}
		_, text, err := run.AnswerSchema(name, []byte(c.Schema.Text))
		if err != nil {
			return err
		}
		c.compiled = text
	}
	for _, list := range [][]event.Check{c.Inputs, c.Answer} {
		if len(list) > maxChecks {
			return fault.New(fault.Invalid, "Put several into one file.", "cannot ask with %d checks: %d are the bound", len(list), maxChecks)
		}
		for i, one := range list {
			code, err := CheckCode("the check "+safetext.OneLine(one.Name, 200), one.Code)
			if err != nil {
				return err
			}
			if strings.TrimSpace(code) == "" {
				return fault.New(fault.Invalid, "Write what must be true.", "cannot ask: the check %s is empty", safetext.OneLine(one.Name, 200))
			}
			list[i].Code = code
		}
	}
	return nil
}

// ReadSchema reads the file of a schema.
func ReadSchema(file string) (Text, error) {
	if file == "" {
		return Text{}, nil
	}
	text, err := ReadText(file, maxSchema)
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = fault.New(fault.Invalid, "Write a JSON Schema into it.", "cannot read %s: it is empty", safetext.Line(file))
	}
	return Text{Name: filepath.Base(file), Text: string(text)}, err
}

// ReadChecks reads files of checks.
func ReadChecks(files []string) ([]event.Check, error) {
	var out []event.Check
	for _, file := range files {
		text, err := ReadText(file, MaxCode)
		if err != nil {
			return nil, err
		}
		out = append(out, event.Check{Name: filepath.Base(file), Code: string(text)})
	}
	return out, nil
}

// CheckExpressions makes checks of expressions that must be true.
func CheckExpressions(texts []string) []event.Check {
	var out []event.Check
	for _, text := range texts {
		out = append(out, event.Check{Name: safetext.OneLine(strings.TrimSpace(text), 200), Code: strings.TrimSpace(text), Expression: true})
	}
	return out
}
