package replay

import (
	"context"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan"
)

// Again returns the plan of a run that broke off, at the call at which it did: it is executed
// again with each call answered as it was, and nothing is called. What cannot be known is a
// fault of kind Conflict: whether a call was made that changes something, or what the plan did
// after its last call.
func (r PlanRecording) Again(ctx context.Context) (*plan.Run, error) {
	cannot := func(format string, args ...any) (*plan.Run, error) {
		return nil, fault.New(fault.Conflict, "Look at what its calls did, and run the plan anew.", "cannot go on with run "+r.ID+": "+format, args...)
	}
	if r.Began.Kind != event.Plan || len(r.Plans) != 1 {
		return cannot("it is no run of one plan that was given")
	}
	was := r.Plans[0]
	if was.Checked == nil || !was.Checked.Accepted || was.Waits != nil || was.Ended != nil && was.Ended.Status != string(event.Stopped) {
		return cannot("its plan did not break off")
	}
	for i, c := range was.Calls {
		switch {
		case len(c.Nested) > 0:
			return cannot("call %s ran a plan of its own", c.Called.ID)
		case c.open() && acts(c.Called.Effects) && c.allowed():
			return cannot("nobody knows whether call %s (%s) was made", c.Called.ID, c.Called.Tool)
		case c.open():
			was.Calls[i].Returned = nil
		}
	}
	e := planRerun{rec: was, rules: r.Rules, seed: r.Began.Seed, broken: true}
	e.rules.Strict = was.Written.Mode == "strict"
	options, err := e.rules.Load()
	if err != nil {
		return nil, err
	}
	run, err := e.start(ctx, options)
	if err == nil && run != nil {
		err = e.walk(ctx, run)
	}
	switch {
	case err != nil:
		return nil, err
	case run == nil || len(e.report.Differences) > 0 || len(e.notes) > 0:
		return cannot("its calls do not come out as they are recorded")
	case run.Waiting() == nil:
		return cannot("all of its calls were answered, and what it did then is not recorded")
	}
	return run, nil
}

// open says whether the call has no answer that is recorded.
func (c PlanCall) open() bool {
	return c.Returned == nil || strings.HasPrefix(c.Returned.Error, event.GivenUp)
}

// allowed says whether the call may have been made: nobody had to agree to it, or somebody did.
func (c PlanCall) allowed() bool {
	return c.Decision.Verdict == "allow" || c.Given != nil && c.Given.Granted
}
