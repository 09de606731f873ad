package approval

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"praxis/event"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// Bounds of what programs answer.
const (
	maxAnswer = 64 << 10 // bytes
	maxWho    = 200
	maxReason = 1000
)

// Facts are a gate.Question as programs read it.
type Facts struct {
	Version     int                        `json:"version"`
	Run         string                     `json:"run"` // that makes the call: its record
	ID          string                     `json:"id"`  // of the call in it
	Tool        string                     `json:"tool"`
	ToolVersion string                     `json:"tool_version"`
	ToolHash    string                     `json:"tool_hash"` // SHA-256 of its definition
	Title       string                     `json:"title,omitempty"`
	Description string                     `json:"description"`
	Effects     string                     `json:"effects"`
	Origin      string                     `json:"origin"` // who calls: "model", "code", "plan" or "person"
	Line        int                        `json:"line"`   // of the code; 0: unknown
	Arguments   json.RawMessage            `json:"arguments"`
	Labels      map[string]event.DataLabel `json:"labels"` // of each argument: where it came from
	Found       map[string][]gate.Found    `json:"found"`  // where the value of an argument was read in this run
	New         map[string][]string        `json:"new"`    // texts of an argument that its last approved values do not have
	Odd         map[string][]string        `json:"odd"`    // characters of an argument that are not what they seem, in words
	Rule        string                     `json:"rule"`
	Reason      string                     `json:"reason"`
	Rehearsed   bool                       `json:"rehearsed,omitempty"` // nothing is really called
	Bound       string                     `json:"bound"`               // what the answer is bound to
}

// factsOf returns what a program gets of a question.
func factsOf(q gate.Question) (Facts, error) {
	if q.Tool == nil {
		return Facts{}, errors.New("the question names no tool")
	}
	hash := q.Tool.Hash()
	f := Facts{
		Version: 1, Run: q.Run, ID: q.ID, Tool: q.Tool.Name, ToolVersion: string(q.Tool.Version), ToolHash: hex.EncodeToString(hash[:]),
		Title: q.Tool.Title, Description: q.Tool.Description, Effects: q.Tool.Effects.String(), Origin: string(q.Origin), Line: q.Line,
		Labels: q.Labels, Found: q.Found, New: q.New, Odd: map[string][]string{}, Rule: q.Rule, Reason: q.Reason, Rehearsed: q.Rehearsed, Bound: q.Bound,
	}
	arguments := q.Arguments
	if arguments == nil {
		arguments = jsondoc.NewObject()
	}
	if f.Labels == nil {
		f.Labels = map[string]event.DataLabel{}
	}
	if f.Found == nil {
		f.Found = map[string][]gate.Found{}
	}
	if f.New == nil {
		f.New = map[string][]string{}
	}
	for name, v := range arguments.All() {
		if odd := oddities(name, v); len(odd) > 0 {
			f.Odd[name] = odd
		}
	}
	var err error
	f.Arguments, err = json.Marshal(arguments)
	return f, err
}

// Question returns facts that came from another machine as a question that a person here can
// be asked. Its definition has what a person is shown of one, and no more.
func (f Facts) Question() (gate.Question, error) {
	effects, known := tool.ParseEffects(f.Effects)
	if !known {
		return gate.Question{}, errors.New("the question does not say what the tool does")
	}
	v, err := jsondoc.Decode(f.Arguments)
	if err != nil {
		return gate.Question{}, fmt.Errorf("the arguments are no JSON: %s", safetext.Clip(safetext.Line(err.Error()), maxReason))
	}
	arguments, ok := v.(*jsondoc.Object)
	if !ok {
		return gate.Question{}, errors.New("the arguments are no JSON object")
	}
	q := gate.Question{
		Run: f.Run, ID: f.ID, Origin: gate.Origin(f.Origin), Line: f.Line, Arguments: arguments, Labels: f.Labels, Found: f.Found, New: f.New,
		Rule: f.Rule, Reason: f.Reason, Rehearsed: f.Rehearsed, Bound: f.Bound,
		Tool: &tool.Definition{Name: f.Tool, Version: tool.Version(f.ToolVersion), Title: f.Title, Description: f.Description, Effects: effects},
	}
	return q, nil
}

func encode(q gate.Question) ([]byte, error) {
	f, err := factsOf(q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// decode reads what a program answers to q.
func decode(data []byte, q gate.Question) (gate.Answer, error) {
	if len(data) > maxAnswer {
		return gate.Answer{}, fmt.Errorf("the answer has more than %s", safetext.Size(maxAnswer))
	}
	v, err := jsondoc.Decode(data)
	if err != nil {
		return gate.Answer{}, fmt.Errorf("the answer is no JSON: %s", safetext.Clip(safetext.Line(err.Error()), maxReason))
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return gate.Answer{}, errors.New("the answer is no JSON object")
	}
	granted, found := o.Get("granted")
	a := gate.Answer{Scope: gate.Once, By: gate.ByProgram}
	if a.Granted, ok = granted.(bool); !ok || !found {
		return gate.Answer{}, errors.New(`the answer has no "granted" that is true or false`)
	}
	texts := map[string]string{}
	for _, key := range []string{"scope", "bound", "who", "reason"} {
		v, found := o.Get(key)
		if texts[key], ok = v.(string); found && v != nil && !ok {
			return gate.Answer{}, fmt.Errorf("%q of the answer is no text", key)
		}
	}
	if texts["bound"] == "" {
		return gate.Answer{}, errors.New(`the answer has no "bound"; it is the question's`)
	}
	if texts["bound"] != q.Bound {
		return gate.Answer{}, errors.New("the answer is bound to another call")
	}
	switch scope := gate.Scope(texts["scope"]); scope {
	case "":
	case gate.Once, gate.Exact, gate.Whole:
		a.Scope = scope
	default:
		return gate.Answer{}, fmt.Errorf("the answer's scope is %s; it can be once, exact or run", safetext.Clip(safetext.Line(string(scope)), 40))
	}
	a.Who, a.Reason = safetext.Clip(safetext.Line(texts["who"]), maxWho), safetext.Clip(safetext.Line(texts["reason"]), maxReason)
	return a, nil
}

// denied is the answer of an approver that failed.
func denied(by, who, format string, args ...any) gate.Answer {
	return gate.Answer{Scope: gate.Once, By: by, Who: who, Reason: safetext.Clip(safetext.Line(fmt.Sprintf(format, args...)), maxReason)}
}

// unanswered is the answer when the context ended first.
func unanswered(ctx context.Context, who string) gate.Answer {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return denied(gate.ByTimeout, who, "nobody answered in time")
	}
	return denied(gate.ByTimeout, who, "the call was given up before anybody answered")
}
