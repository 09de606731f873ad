package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/plan"
	"praxis/internal/planner"
)

// PlanRecording is a run of plans, taken apart.
type PlanRecording struct {
	ID    string
	Began event.RunBegan
	Rules planner.Rules // but for the mode, which each plan has
	Plans []RecordedPlan
	Ended *event.RunEnded // nil: begun, not finished
}

// RecordedPlan is one plan of a run.
type RecordedPlan struct {
	Written event.PlanWritten
	Checked *event.PlanChecked
	State   []byte // that it went on from; nil: it began
	Calls   []PlanCall
	Waits   *event.PlanWaits
	Ended   *event.PlanEnded
}

// PlanCall is one call of a plan.
type PlanCall struct {
	Called   event.ToolCalled
	Decision event.DecisionMade
	Given    *event.ApprovalGiven // nil: nobody was asked, or nobody answered
	Returned *event.ToolReturned  // nil: the plan waits for it
	Nested   []RecordedPlan       // that it ran
	Vouched  *event.LabelLowered  // by a person
}

// IsPlan says whether a run is one of plans, by how it began.
func IsPlan(b event.RunBegan) bool {
	return b.Kind == event.Plan || b.Kind == event.Ask && b.Mode == "plan"
}

// Began returns how a run began.
func Began(ctx context.Context, src Source, id string) (event.RunBegan, error) {
	for r, err := range src.Records(ctx, id) {
		if err != nil {
			return event.RunBegan{}, err
		}
		if b, ok := r.Event.(event.RunBegan); ok {
			return b, nil
		}
	}
	return event.RunBegan{}, fault.New(fault.Conflict, "", "cannot replay run %s: its journal holds no events", id)
}

// maxText bounds the text of definitions or of a policy.
const maxText = 64 << 20

// LoadPlan reads a run of plans.
func LoadPlan(ctx context.Context, src Source, id string) (PlanRecording, error) {
	f := planFold{src: src, rec: PlanRecording{ID: id}}
	read := int64(0)
	for r, err := range src.Records(ctx, id) {
		if err != nil {
			return f.rec, unreadable(id, read, err)
		}
		read++
		if err := f.add(ctx, r.Event); err != nil {
			var known *fault.Error
			if errors.As(err, &known) {
				return f.rec, err
			}
			return f.rec, fault.Coded(fault.RunNotReplayable, fault.Data{"run": id},
				"cannot replay run %s: record %d (%s) is out of place: %w", id, r.Seq, event.Name(r.Event), err)
		}
	}
	switch {
	case !IsPlan(f.rec.Began):
		return f.rec, fault.Coded(fault.RunNotReplayable, fault.Data{"run": id}, "cannot replay run %s: it is no run of a plan", id)
	case len(f.rec.Plans) == 0:
		return f.rec, fault.Coded(fault.RunNotReplayable, fault.Data{"run": id}, "cannot replay run %s: it ended before there was a plan", id)
	}
	return f.rec, nil
}

// planFold puts a recording of plans together.
type planFold struct {
	src   Source
	rec   PlanRecording
	state []byte
	inner bool // a nested plan is being executed
}

func (f *planFold) add(ctx context.Context, e event.Event) error {
	switch e := e.(type) {
	case event.RunBegan:
		f.rec.Began = e
	case event.RunEnded:
		f.rec.Ended = &e
	case event.FileGiven:
		return f.file(ctx, e)
	case event.PlanWritten:
		if f.inner = false; e.Call == "" {
			f.rec.Plans = append(f.rec.Plans, RecordedPlan{Written: e})
			return nil
		}
		err := f.call(e.Call, func(c *PlanCall) { c.Nested = append(c.Nested, RecordedPlan{Written: e}) })
		f.inner = err == nil
		return err
	case event.PlanChecked:
		return f.last(func(p *RecordedPlan) { p.Checked = &e })
	case event.PlanResumed:
		if f.state == nil {
			return fault.New(fault.Conflict, "", "cannot replay run %s: the state that it went on from is not stored", f.rec.ID)
		}
		return f.last(func(p *RecordedPlan) { p.State, f.state = f.state, nil })
	case event.PlanWaits:
		return f.last(func(p *RecordedPlan) { p.Waits = &e })
	case event.PlanEnded:
		err := f.last(func(p *RecordedPlan) { p.Ended = &e })
		f.inner = false
		return err
	case event.ToolCalled:
		return f.last(func(p *RecordedPlan) { p.Calls = append(p.Calls, PlanCall{Called: e}) })
	default:
		return f.ofCall(e)
	}
	return nil
}

// ofCall takes in what happens to a call.
func (f *planFold) ofCall(e event.Event) error {
	switch e := e.(type) {
	case event.DecisionMade:
		return f.call(e.ID, func(c *PlanCall) { c.Decision = e })
	case event.ApprovalGiven:
		return f.call(e.ID, func(c *PlanCall) { c.Given = &e })
	case event.ToolReturned:
		f.inner = f.inner && f.made(e.ID)
		return f.call(e.ID, func(c *PlanCall) { c.Returned = &e })
	case event.LabelLowered:
		if e.By == "person" {
			return f.call(e.ID, func(c *PlanCall) { c.Vouched = &e })
		}
	}
	return nil
}

// last changes the plan that is executed.
func (f *planFold) last(change func(*RecordedPlan)) error {
	if len(f.rec.Plans) == 0 {
		return errors.New("there is no plan yet")
	}
	change(f.plan())
	return nil
}

// plan is the plan that is being executed. There is one.
func (f *planFold) plan() *RecordedPlan {
	p := &f.rec.Plans[len(f.rec.Plans)-1]
	if !f.inner {
		return p
	}
	nested := p.Calls[len(p.Calls)-1].Nested
	return &nested[len(nested)-1]
}

// made says whether the plan that is being executed made a call.
func (f *planFold) made(id string) bool {
	return slices.ContainsFunc(f.plan().Calls, func(c PlanCall) bool { return c.Called.ID == id })
}

// call changes a call of that plan.
func (f *planFold) call(id string, change func(*PlanCall)) error {
	found := false
	err := f.last(func(p *RecordedPlan) {
		for i := len(p.Calls) - 1; i >= 0 && !found; i-- {
			if p.Calls[i].Called.ID == id {
				change(&p.Calls[i])
				found = true
			}
		}
	})
	if err == nil && !found {
		return fmt.Errorf("there is no call %q", id)
	}
	return err
}

// file reads the definitions and the policy of the plans.
func (f *planFold) file(ctx context.Context, e event.FileGiven) error {
	most := int64(maxText)
	switch e.Role {
	case planner.RoleTools, planner.RolePolicy:
	case planner.RoleState:
		if len(f.rec.Plans) == 0 || len(f.rec.Plans[len(f.rec.Plans)-1].Calls) > 0 {
			return nil // what it stored itself; it goes on in another run
		}
		most = plan.MaxState
	default:
		return nil
	}
	if e.Withheld != "" {
		return fault.New(fault.Conflict, "", "cannot replay run %s: %s is not stored: %s", f.rec.ID, e.Name, e.Withheld)
	}
	data, err := content(ctx, f.src, e.SHA256, most)
	if err != nil {
		return fault.Coded(fault.RunUnreadable, fault.Data{"run": f.rec.ID}, "cannot replay run %s: the content of %s cannot be read: %w", f.rec.ID, e.Name, err)
	}
	t := planner.Text{Name: e.Name, Text: string(data)}
	switch e.Role {
	case planner.RoleTools:
		f.rec.Rules.Tools = append(f.rec.Rules.Tools, t)
	case planner.RolePolicy:
		f.rec.Rules.Policy = &t
	default:
		f.state = data
	}
	return nil
}

// content reads a text that is kept.
func content(ctx context.Context, src Source, sum string, most int64) (data []byte, err error) {
	from, err := src.Blob(ctx, sum)
	if err != nil {
		return nil, err
	}
	return bounded.ReadClose(from, most)
}
