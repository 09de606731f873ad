package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/value"
	"praxis/internal/plan/vm"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// A state is
//
//	"praxis plan state 1\n", a line of JSON (header), the machine's dump, and
//	the SHA-256 of all before.
//
// The sum finds damage; it is no signature. A state that somebody else could
// have changed must be stored under a name that is its hash, as the journal does.
const magic = "praxis plan state 1\n"

// MaxState bounds a state, in bytes.
const MaxState = 1 << 30

// header is what a state says beside the machine.
type header struct {
	Name    string            `json:"name"`
	Text    []byte            `json:"text"`
	Strict  bool              `json:"strict"`
	Tools   map[string]string `json:"tools"` // name@version → hash
	Inputs  json.RawMessage   `json:"inputs"`
	Now     time.Time         `json:"now"`
	Seed    int64             `json:"seed"`
	Limits  value.Limits      `json:"limits"`
	Calls   map[string]int    `json:"calls"`
	Total   int               `json:"total"`
	Outputs label.ID          `json:"outputs"`
	Made    []Made            `json:"made,omitempty"`
	Request string            `json:"request,omitempty"`
	Known   json.RawMessage   `json:"known,omitempty"`
	Members []policy.Member   `json:"members,omitempty"`
	Counted label.ID          `json:"counted,omitempty"`
}

// Dump returns the whole state of a plan that waits at a call. What it printed
// so far has to be taken with [Run.Output] before. The run can go on afterwards.
func (r *Run) Dump() ([]byte, error) {
	if r.call == nil {
		return nil, fault.New(fault.Conflict, "Store it while it waits at a call.", "cannot store the plan: it waits at no call")
	}
	inputs, err := jsondoc.Canonical(r.start.Inputs)
	if err != nil {
		return nil, fmt.Errorf("cannot store the plan: %w", err)
	}
	known, err := jsondoc.Canonical(r.known.values)
	if err != nil {
		return nil, fmt.Errorf("cannot store the plan: %w", err)
	}
	h := header{
		Name: r.plan.Name, Text: r.plan.Text, Strict: r.plan.Strict, Tools: pins(r.plan.Tools), Inputs: inputs,
		Now: r.start.Now, Seed: r.start.Seed, Limits: r.start.Limits, Calls: r.counts.calls, Total: r.counts.total, Outputs: r.outputs, Made: r.start.Made,
		Request: r.plan.Request, Known: known, Counted: r.counted, Members: r.members.All(),
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("cannot store the plan: %w", err)
	}
	machine, err := r.vm.Dump()
	if err != nil {
		return nil, err
	}
	out := append([]byte(magic), head...)
	out = append(append(out, '\n'), machine...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
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

// Resume makes a run of a state. It waits at the same call, which is decided
// again: by this policy. The definitions of the tools must be those of the run
// that was stored. A state that is damaged or of another version is a fault of
// kind Invalid, other tools one of kind Conflict.
func Resume(ctx context.Context, state []byte, tools *tool.Set, pol *policy.Policy) (*Run, error) {
	return Options{Tools: tools, Policy: pol}.Resume(ctx, state)
}

// Resume is the function of that name with options; the mode is the state's.
func (o Options) Resume(ctx context.Context, state []byte) (*Run, error) {
	h, machine, err := openState(state)
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
	made := 0
	for _, n := range h.Calls {
		if n < 0 {
			return nil, broken("it counts calls below nothing")
		}
		made += n
	}
	if h.Total <= len(h.Made) || h.Total != made {
		return nil, broken("its calls do not add up")
	}
	r := &Run{plan: p, start: Start{Now: h.Now, Seed: h.Seed, Limits: h.Limits, Made: h.Made}, counts: &counts{h.Calls, h.Total}, before: len(h.Made), outputs: h.Outputs, counted: h.Counted, task: p.task.Clone()}
	if r.start.Inputs, err = inputsOf(h.Inputs); err != nil {
		return nil, err
	}
	if h.Calls == nil {
		r.counts.calls = map[string]int{}
	}
	if r.vm, err = vm.Load(p.program, machine); err != nil {
		return nil, err
	}
	r.table = r.vm.Labels()
	if r.task != nil {
		v, err := jsondoc.Decode(h.Known)
		known, ok := v.([]any)
		if err != nil || !ok {
			return nil, broken("what it knows cannot be read")
		}
		for _, v := range known {
			r.know(value.Data{Value: v})
		}
	}
	for _, m := range h.Members {
		r.members.Add(m)
	}
	if !r.table.Has(r.outputs) || !r.table.Has(r.counted) {
		return nil, broken("its labels do not fit")
	}
	call := r.vm.Waiting()
	if call == nil {
		return nil, broken("it waits at no call")
	}
	// The call was counted when it was first made.
	r.counts.total--
	r.counts.calls[call.Tool]--
	if err := r.prepare(call); err != nil {
		return nil, err
	}
	if r.call == nil {
		return nil, broken("its call does not fit the tool")
	}
	return r, nil
}

func otherTools(id string) error {
	return fault.New(fault.Conflict, "Give the files of tools that the plan was started with.", "cannot resume the plan: the definition of %s is another one now", id)
}

func broken(why string) error {
	return fault.Coded(fault.PlanStateDamaged, nil, "cannot resume the plan: the state is damaged: %s", why)
}

// openState takes a state apart.
func openState(state []byte) (h header, machine []byte, err error) {
	if len(state) > MaxState {
		return h, nil, broken("it is too large")
	}
	rest, ok := bytes.CutPrefix(state, []byte(magic))
	if !ok {
		if bytes.HasPrefix(state, []byte("praxis plan state ")) {
			return h, nil, fault.Coded(fault.PlanStateVersion, nil, "cannot resume the plan: another version of Praxis stored it")
		}
		return h, nil, fault.Coded(fault.PlanStateForeign, nil, "cannot resume the plan: this is not the state of one")
	}
	if len(rest) < sha256.Size {
		return h, nil, broken("it is cut off")
	}
	end := len(state) - sha256.Size
	if sum := sha256.Sum256(state[:end]); !bytes.Equal(sum[:], state[end:]) {
		return h, nil, broken("its sum does not fit")
	}
	head, machine, ok := bytes.Cut(rest[:len(rest)-sha256.Size], []byte("\n"))
	if !ok {
		return h, nil, broken("it has no header")
	}
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.DisallowUnknownFields()
	dec.UseNumber() // of members
	if err := dec.Decode(&h); err != nil {
		return h, nil, broken("its header cannot be read")
	}
	return h, machine, nil
}

func inputsOf(text []byte) (map[string]any, error) {
	v, err := jsondoc.Decode(text)
	if err != nil {
		return nil, broken("its inputs cannot be read")
	}
	out := map[string]any{}
	if o, ok := v.(*jsondoc.Object); ok {
		for name, v := range o.All() {
			out[name] = v
		}
	}
	return out, nil
}
