package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/value"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// A state is
//
//	"praxis plan state 3\n", a line of JSON (header), and the SHA-256 of all before.
//
// It holds what the plan was begun with and what it was answered: plans are
// deterministic, so that one that is given the same answers comes to the same
// call. The sum finds damage; it is no signature. A state that somebody else could
// have changed must be stored under a name that is its hash, as the journal does.
const magic = "praxis plan state 3\n"

// MaxState bounds a state, in bytes.
const MaxState = 1 << 30

// header is what a state says.
type header struct {
	Name    string            `json:"name"`
	Text    []byte            `json:"text"`
	Strict  bool              `json:"strict"`
	Tools   map[string]string `json:"tools"` // name@version → hash
	Inputs  exactly           `json:"inputs"`
	Now     time.Time         `json:"now"`
	Seed    int64             `json:"seed"`
	Limits  value.Limits      `json:"limits"`
	Made    []Made            `json:"made,omitempty"`
	Did     []Made            `json:"did,omitempty"` // by this plan itself, and by those nested in it
	Played  Rehearsed         `json:"played,omitzero"`
	Request string            `json:"request,omitempty"`
	Answers []answered        `json:"answers"`
}

// answered is one thing that a run was answered at a call.
type answered struct {
	Tool    string    `json:"tool"`
	Result  exactly   `json:"result,omitzero"` // of a call that gave something
	Trusted *bool     `json:"trusted,omitempty"`
	Readers []string  `json:"readers,omitzero"`
	Raised  *raised   `json:"raised,omitempty"` // of one that did not
	By      *endorsed `json:"by,omitempty"`     // who vouched for the result
	Nested  *nested   `json:"nested,omitempty"` // what a plan within the call did, before the call is answered
}

// exactly is a JSON value whose text tells 2.0 from 2 and keeps the order of members.
type exactly struct{ v any }

// MarshalJSON writes the value.
func (e exactly) MarshalJSON() ([]byte, error) { return json.Marshal(exact(e.v)) }

// UnmarshalJSON reads it.
func (e *exactly) UnmarshalJSON(data []byte) (err error) {
	e.v, err = jsondoc.Decode(data)
	return err
}

// raised is the exception that a call was answered with.
type raised struct {
	Class string `json:"class"` // "": it was refused
	Text  string `json:"text"`
	Plain string `json:"plain,omitempty"` // of a refusal: the remedy
}

// endorsed is who vouched for a result.
type endorsed struct {
	Who string `json:"who"`
	Why string `json:"why"`
}

// nested is what a plan did that was executed within a call.
type nested struct {
	Steps   int64          `json:"steps"`
	Calls   map[string]int `json:"calls,omitempty"` // how often it called each tool
	Outputs label.Label    `json:"outputs"`         // of all that it printed
	Seen    label.Label    `json:"seen"`            // of all that it saw
	OK      bool           `json:"ok"`
}

// answeredBy notes that the call that waits is answered with a result.
func (r *Run) answeredBy(result tool.Labelled, by *endorsed) {
	r.answeredWith(answered{Result: exactly{result.Value}, Trusted: result.Trusted, Readers: result.Readers, By: by})
}

// answeredWith notes what the call that waits is answered with.
func (r *Run) answeredWith(a answered) {
	a.Tool = r.call.Tool.Name
	r.answers = append(r.answers, a)
}

// Dump returns the whole state of a plan that waits at a call. What it printed
// so far has to be taken with [Run.Output] before. The run can go on afterwards.
func (r *Run) Dump() ([]byte, error) {
	if r.call == nil {
		return nil, fault.New(fault.Conflict, "Store it while it waits at a call.", "cannot store the plan: it waits at no call")
	}
	h := header{
		Name: r.plan.Name, Text: r.plan.Text, Strict: r.plan.Strict, Tools: pins(r.plan.Tools), Inputs: exactly{r.start.Inputs},
		Now: r.start.Now, Seed: r.start.Seed, Limits: r.start.Limits, Made: r.start.Made, Did: r.did, Played: r.rehearsed,
		Request: r.plan.Request, Answers: append([]answered{}, r.answers...),
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("cannot store the plan: %w", err)
	}
	out := append(append([]byte(magic), head...), '\n')
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// exact is a value whose floats are numbers with a point.
func exact(v any) any {
	switch v := v.(type) {
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return json.Number(text)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = exact(v[i])
		}
		return out
	case *jsondoc.Object:
		out := jsondoc.NewObject()
		for name, member := range v.All() {
			out.Set(name, exact(member))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = exact(v[name])
		}
		return out
	}
	return v
}

// pins are the hashes of the tools' definitions.
func pins(tools *tool.Set) map[string]string {
	out := map[string]string{}
	for d := range tools.All() {
		sum := d.Hash()
		out[d.ID()] = fmt.Sprintf("%x", sum)
	}
	return out
}

// Resume makes a run of a state. It executes the plan again with the answers of
// the state, without a call, and waits at the same call, which is decided again: by
// this policy. The definitions of the tools must be those of the run that was stored.
// A state that is damaged or of another version is a fault of kind Invalid, other
// tools one of kind Conflict.
func Resume(ctx context.Context, state []byte, tools *tool.Set, pol *policy.Policy) (*Run, error) {
	return Options{Tools: tools, Policy: pol}.Resume(ctx, state)
}

// Resume is the function of that name with options; the mode is the state's.
func (o Options) Resume(ctx context.Context, state []byte) (*Run, error) {
	h, err := openState(state)
	if err != nil {
		return nil, err
	}
	o.Strict, o.Request = h.Strict, h.Request
	p, err := Prepare(ctx, Source{Name: h.Name, Text: h.Text}, o)
	if err != nil {
		return nil, err
	}
	if p.program == nil {
		return nil, fault.Coded(fault.PlanRefused, nil, "cannot resume the plan: the check refuses it now")
	}
	now := pins(p.Tools)
	for id, sum := range now {
		if h.Tools[id] != sum {
			return nil, otherTools(id)
		}
	}
	for id := range h.Tools {
		if now[id] == "" {
			return nil, otherTools(id)
		}
	}
	start := Start{Inputs: map[string]any{}, Now: h.Now, Seed: h.Seed, Limits: h.Limits, Made: h.Made, Rehearsed: h.Played}
	if inputs, ok := h.Inputs.v.(*jsondoc.Object); ok {
		maps.Insert(start.Inputs, inputs.All())
	}
	r, err := p.Start(start)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { r.Interrupt(context.Cause(ctx)) })()
	for _, a := range h.Answers {
		if err := r.again(a); err != nil {
			return nil, err
		}
	}
	step, err := r.Next()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if step.Call == nil {
		return nil, broken("it waits at no call")
	}
	r.out, r.did = nil, h.Did // it was printed and done before
	return r, nil
}

// again answers the next call with what it was answered before.
func (r *Run) again(a answered) error {
	step, err := r.Next()
	if err != nil {
		return err
	}
	if step.Call == nil || step.Call.Tool.Name != a.Tool {
		return broken("its answers do not fit the plan")
	}
	switch {
	case a.Nested != nil:
		for name, n := range a.Nested.Calls {
			if n < 0 || n > 1<<20 || a.Nested.Steps < 0 {
				return broken("its calls do not add up")
			}
			r.counts.total += n
			r.counts.calls[name] += n
		}
		r.returned(a.Nested)
		return nil
	case a.Raised != nil && a.Raised.Class == "":
		return r.Refuse(a.Raised.Text, a.Raised.Plain)
	case a.Raised != nil:
		return r.raise(a.Raised.Class, a.Raised.Text, a.Raised.Plain)
	}
	result := tool.Labelled{Value: a.Result.v, Trusted: a.Trusted, Readers: a.Readers}
	if a.By != nil {
		_, err = r.ReplyEndorsed(result, a.By.Who, a.By.Why)
	} else {
		_, err = r.Reply(result)
	}
	if fault.KindOf(err) == fault.Invalid {
		return broken("a result in it does not fit its tool")
	}
	return err
}

func otherTools(id string) error {
	return fault.New(fault.Conflict, "Give the files of tools that the plan was started with.", "cannot resume the plan: the definition of %s is another one now", id)
}

func broken(why string) error {
	return fault.Coded(fault.PlanStateDamaged, nil, "cannot resume the plan: the state is damaged: %s", why)
}

// openState takes a state apart.
func openState(state []byte) (h header, err error) {
	if len(state) > MaxState {
		return h, broken("it is too large")
	}
	rest, ok := bytes.CutPrefix(state, []byte(magic))
	if !ok {
		if bytes.HasPrefix(state, []byte("praxis plan state ")) {
			return h, fault.Coded(fault.PlanStateVersion, nil, "cannot resume the plan: another version of Praxis stored it")
		}
		return h, fault.Coded(fault.PlanStateForeign, nil, "cannot resume the plan: this is not the state of one")
	}
	if len(rest) < sha256.Size {
		return h, broken("it is cut off")
	}
	end := len(state) - sha256.Size
	if sum := sha256.Sum256(state[:end]); !bytes.Equal(sum[:], state[end:]) {
		return h, broken("its sum does not fit")
	}
	dec := json.NewDecoder(bytes.NewReader(rest[:len(rest)-sha256.Size]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h); err != nil {
		return h, broken("its header cannot be read")
	}
	return h, nil
}
