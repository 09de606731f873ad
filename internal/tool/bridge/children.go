package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Children is what the session's code may begin: queries of models, and runs.
type Children interface {
	// Begin begins what a request asks for, side by side, and returns what each item came
	// to, in order. An error is a fault that nothing began for.
	Begin(ctx context.Context, b Begin) ([]ChildResult, error)
	// Allowed says what may be begun.
	Allowed() Allowed
}

// Allowed is what code may begin.
type Allowed struct {
	Runs   bool     // runs, too; false: queries alone, since the run is as deep as one may be
	Forks  bool     // runs may begin in the state of the session before the step
	Calls  int      // how many queries and runs together
	Own    string   // the run's own model
	Models []string // that may be named beside it
}

// Begin is a request of code to begin something.
type Begin struct {
	Step  int
	Role  event.ChildRole
	Model string // "": the run's own
	Fork  bool
	Items []BeginItem
}

// BeginItem is one query, or the task of one run.
type BeginItem struct {
	Task string
	Data []language.Given // files of the session
}

// ChildResult is what an item came to.
type ChildResult struct {
	Text  string
	Value json.RawMessage  // the answer where it is more than a text
	Err   error            // why there is none
	Ended event.ChildEnded // as it is recorded, where it was begun
}

// Bounds of a request. The module in the sandbox has the same.
const (
	maxItems    = 1000
	maxTask     = 8 << 20 // bytes of all texts together
	maxData     = 64      // values of one item
	callsFolder = "/tmp/.praxis-calls"
)

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// beginRequest is a request as the module sends it.
type beginRequest struct {
	Role  event.ChildRole `json:"role"`
	Model string          `json:"model"`
	Fork  bool            `json:"fork"`
	Items []struct {
		Task string           `json:"task"`
		Data []language.Given `json:"data"`
	} `json:"items"`
}

// decodeBegin reads a request to begin something. Every byte of it is the guest's.
func decodeBegin(body json.RawMessage) (Begin, error) {
	var q beginRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return Begin{}, fault.New(fault.Invalid, "", "the request cannot be read")
	}
	out := Begin{Role: q.Role, Model: q.Model, Fork: q.Fork}
	if !slices.Contains([]event.ChildRole{event.Query, event.Recursion, event.Subagent}, q.Role) {
		return Begin{}, fault.New(fault.Invalid, "", "nothing of the role %q can be begun", safetext.Clip(string(q.Role), 40))
	}
	if len(q.Items) == 0 || len(q.Items) > maxItems || len(q.Model) > 200 || !utf8.ValidString(q.Model) {
		return Begin{}, fault.New(fault.Invalid, "", "a request has from 1 to %d items", maxItems)
	}
	size := 0
	for _, it := range q.Items {
		size += len(it.Task)
		if strings.TrimSpace(it.Task) == "" || !utf8.ValidString(it.Task) || size > maxTask || len(it.Data) > maxData || q.Role == event.Query && len(it.Data) > 0 {
			return Begin{}, fault.New(fault.Invalid, "Send text, less of it, and data to runs alone.", "a task of the request cannot be taken")
		}
		for _, d := range it.Data {
			if dir, name := path.Split(d.Path); !variableName.MatchString(d.Name) || path.Clean(dir) != callsFolder || name == "" || len(d.Path) > 200 || name == ".." ||
				d.Form != language.FormText && d.Form != language.FormShared {
				return Begin{}, fault.New(fault.Invalid, "", "data of the request cannot be taken")
			}
		}
		out.Items = append(out.Items, BeginItem(it))
	}
	return out, nil
}

// begin answers a request to begin something.
func (b *Bridge) begin(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	if b.children == nil {
		return nil, fault.New(fault.Unavailable, "Go on without them.", "this run queries no models and begins no runs")
	}
	q, err := decodeBegin(body)
	if err != nil {
		return nil, err
	}
	if a := b.children.Allowed(); q.Model != "" && q.Model != a.Own && !slices.Contains(a.Models, q.Model) {
		return nil, fault.New(fault.Invalid, "Leave the model out, or name one that this run may ask.", "cannot ask the model %q: this run may not", safetext.Line(q.Model))
	}
	q.Step = int(b.step.Load())
	results, err := b.children.Begin(ctx, q)
	if err != nil {
		return nil, err
	}
	b.answered(q, results)
	type failure struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
		Remedy  string `json:"remedy,omitempty"`
	}
	type resultLine struct {
		Text  *string         `json:"text,omitempty"`
		Value json.RawMessage `json:"value,omitempty"`
		Error *failure        `json:"error,omitempty"`
	}
	out := struct {
		Results []resultLine `json:"results"`
	}{}
	for _, r := range results {
		var f *fault.Error
		switch {
		case r.Err == nil && r.Value != nil:
			out.Results = append(out.Results, resultLine{Value: r.Value})
		case r.Err == nil:
			out.Results = append(out.Results, resultLine{Text: &r.Text})
		case errors.As(r.Err, &f):
			out.Results = append(out.Results, resultLine{Error: &failure{f.Kind.String(), r.Err.Error(), fault.RemedyOf(r.Err)}})
		default:
			out.Results = append(out.Results, resultLine{Error: &failure{Kind: fault.Internal.String(), Message: "the host could not do it"}})
		}
	}
	return encode(out)
}

// answered keeps what children answered, before the code is given it.
func (b *Bridge) answered(q Begin, results []ChildResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, r := range results {
		if r.Ended.N > 0 && r.Ended.Status != event.Refused {
			b.replies = append(b.replies, event.ChildReply{Role: q.Role, Task: q.Items[i].Task, ChildEnded: r.Ended})
		}
	}
}

// Replies returns what code was given of queries and runs since it was asked last.
func (b *Bridge) Replies() []event.ChildReply {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.replies
	b.replies = nil
	return out
}

// SubcallsVariable is set, in the environment of a session's kernels, while its code may begin
// something.
const SubcallsVariable = "PRAXIS_SUBCALLS"

// Environ is what kernels learn of the bridge by their environment.
func (b *Bridge) Environ() map[string]string {
	if b.children == nil {
		return nil
	}
	return map[string]string{SubcallsVariable: "1"}
}
