package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/agent/grounding"
	"praxis/internal/agent/literal"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Schema is what an answer must be: a JSON value that Check takes. Its error says what is
// wrong with a value, with the path to each wrong part.
type Schema struct {
	Text  string // JSON Schema, for the model
	Check func(value []byte) error
}

// Checks are what decides, beside the schema and the figures, whether an answer is right.
// They are run in Language, whose Check makes code of each, when the model has answered.
type Checks struct {
	List     []event.Check
	Language language.Language
}

// final is an answer with its values, before it is taken.
type final struct {
	text    string
	figures []event.Figure
	value   json.RawMessage // nil: it is a text
	files   []string
}

// maxCheckShown bounds what the model sees of a check that failed, in bytes.
const maxCheckShown = 1500

// give takes the answer that code gave. observed is what the model is shown of the code.
func (r *run) give(ctx context.Context, a action.Action, x event.Execution, observed string) (actionResult, bool, error) {
	g, ok, err := givenBy(x)
	if !ok {
		return actionResult{}, false, nil
	}
	var out actionResult
	switch {
	case x.Status != event.OK:
		return actionResult{observation: directed(observed, "The answer that the code gave was not taken, since the code failed after it."), failed: true}, true, nil
	case err != nil:
		out, err = r.rejectDraft(fault.New(fault.Invalid, "Give the value itself to answer().", "cannot take the answer that the code gave: %w", err), "")
	default:
		var f final
		if f, err = g.compose(strings.Join(literal.Texts(r.cfg.Languages.Named(a.Language), a.Text), "\n"), &r.sources); err == nil {
			out, err = r.conclude(ctx, f)
		}
	}
	if err == nil && out.answer == nil {
		// Behind the mark of directions: the figures that a rejection names are none that code showed.
		out.observation = directed(strings.TrimSuffix(observed, "\n"+nothingShown), out.observation)
	}
	return out, true, err
}

// conclude takes an answer when it keeps to the schema, its figures were computed and no
// check fails. What is wrong goes back to the model.
func (r *run) conclude(ctx context.Context, f final) (actionResult, error) {
	r.draft = shorten(f.text, 2000, "")
	if r.cfg.Repo.tested() {
		return r.concludeRepo(ctx, f.text)
	}
	if err := r.keepToSchema(&f); err != nil {
		return r.rejectAnswer(err)
	}
	if untraced := event.Untraced(f.figures); len(untraced) > 0 {
		if r.doubts < r.mostDoubts() && r.incomplete == "" && r.step < r.cfg.MaxSteps {
			r.doubts++
			return r.rejectAnswer(r.unverified(untraced))
		}
		if r.cfg.Strict {
			return actionResult{}, fault.Coded(fault.FiguresUntraced, fault.Data{"figures": grounding.List(untraced)},
				"cannot answer: figures are found neither in what ran nor in the question: %s", grounding.List(untraced))
		}
	}
	if failed, err := r.check(ctx, f); err != nil {
		return actionResult{}, err
	} else if failed != nil {
		out, err := r.rejectAnswer(failed.cause)
		out.observation += failed.shown
		return out, err
	}
	r.markPartial(f.figures)
	r.cfg.Sink.Emit(event.AnswerGiven{Text: f.text, Figures: f.figures, Value: f.value, Files: f.files, Incomplete: r.incomplete})
	a := Answer{Text: f.text, Figures: f.figures, Value: f.value, Files: f.files, Incomplete: r.incomplete}
	return actionResult{observation: answered(a), answer: &a}, nil
}

// keepToSchema makes a JSON value of an answer and judges it, where there is a schema.
func (r *run) keepToSchema(f *final) error {
	s := r.cfg.Schema
	if s == nil {
		return nil
	}
	const remedy = "Give one JSON value that keeps to the schema, and nothing beside it."
	if f.value == nil && len(f.files) > 0 {
		return fault.New(fault.Invalid, remedy, "cannot take the final answer: it is a picture, and the schema asks for JSON")
	}
	f.text = strings.ReplaceAll(f.text, grounding.Mark, "") // the figures say what is unverified
	value, err := f.value, error(nil)
	if value == nil {
		if value, err = decodeValue(f.text); err != nil {
			// A bare text is a value, too, where the schema takes texts.
			quoted, encodeErr := event.Encode(f.text)
			if encodeErr != nil || s.Check(quoted) != nil {
				return fault.New(fault.Invalid, remedy, "cannot take the final answer: it is no JSON value: %w", err)
			}
			value = quoted
		}
	}
	if err := s.Check(value); err != nil {
		return fault.New(fault.Invalid, remedy, "cannot take the final answer: it does not keep to the schema: %w", err)
	}
	f.value = value
	if len(f.files) == 0 {
		f.text = jsonText(value)
	}
	return nil
}

// failedCheck is what went wrong with an answer, for the model to mend.
type failedCheck struct {
	cause error
	shown string // of the code of the checks
}

// check runs the checks of an answer; nil: none failed.
func (r *run) check(ctx context.Context, f final) (*failedCheck, error) {
	if len(r.cfg.Checks.List) == 0 {
		return nil, nil
	}
	given, err := event.Encode(f.names())
	if err != nil {
		return nil, err
	}
	var failed *failedCheck
	var names []string
	for _, c := range r.cfg.Checks.List {
		x, err := r.sendAs(ctx, event.ExecutionBegan{
			Language: r.cfg.Checks.Language.Name, Code: r.cfg.Checks.Language.Model.Check(c.Name, c.Code, c.Expression, given), Purpose: event.Checking, Check: c.Name,
		})
		if err != nil {
			return nil, err
		}
		if err := over(x); err != nil {
			return nil, err
		}
		if x.Status == event.OK {
			continue
		}
		if failed == nil {
			failed = &failedCheck{}
		}
		names = append(names, fmt.Sprintf("check %s failed: %s", safetext.OneLine(c.Name, 100), statusLine(x)))
		if text := CheckShown(x); text != "" {
			failed.shown += "\n\ncheck " + safetext.OneLine(c.Name, 100) + ":\n" + marked(text)
		}
		if x.State != event.Intact {
			break
		}
	}
	if failed != nil {
		failed.cause = fault.New(fault.Invalid, "Mend what the check finds wrong, and give the answer again.", "%s", strings.Join(names, "; "))
	}
	return failed, nil
}

// CheckShown is what a check that failed printed, and the place where it failed.
func CheckShown(x event.Execution) string {
	text := strings.TrimSpace(strings.ToValidUTF8(x.Stdout+x.Stderr, "\uFFFD"))
	if x.Error != nil {
		text = strings.TrimSpace(text + "\n" + x.Error.Traceback)
	}
	if x.State != event.Intact && x.Message != "" {
		text += "\n" + safetext.OneLine(x.Message, 300)
	}
	return shorten(text, maxCheckShown, "")
}

// validate says what a Config lacks for its checks.
func (c Checks) validate() error {
	if len(c.List) > 0 && c.Language.Model.Check == nil {
		return errors.New("cannot run: there are checks, and no language that has them")
	}
	return nil
}
