package replay

import (
	"fmt"
	"math"
	"slices"
	"time"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/llm/recorded"
	"praxis/internal/planner"
	"praxis/internal/run"
	"praxis/internal/tool/gate"
)

// Recording is a run, taken apart.
type Recording struct {
	ID        string
	At        time.Time     // when it began
	Took      time.Duration // from its first step to its last record
	Began     event.RunBegan
	Session   *event.SessionBegan // nil: it never had one
	Inputs    []event.FileGiven
	Skills    []event.Skill     // that its code could import
	Rules     []event.FileGiven // definitions of tools and the policy, by their roles
	Before    []Execution       // what was executed before a model was asked: what the inputs are, and their checks
	Steps     []Step            // a run of code has one, with the number 0
	Snapshots []event.SnapshotTaken
	Entered   []Entered // data from outside, in their order
	// Concluding are the ends that the model had to answer at, in their order.
	Concluding []event.RunConcluding
	// Children are the parts of the run, in the order in which they began, and Chosen which
	// of its attempts is; nil: it made none, or did not come so far.
	Children []Child
	Chosen   *event.AttemptChosen
	Answer   *event.AnswerGiven
	Patch    *event.PatchMade // of a project; nil: there is none
	Ended    *event.RunEnded  // nil: begun, not finished
	// Line are the ids of the runs that are joined in it, in their order: see [LoadResumed].
	Line []string
}

// Child is a part of a run: a run of its own, or one request to a model.
type Child struct {
	Began event.ChildBegan
	Ended *event.ChildEnded // nil: begun, not finished
}

// Entered is an event with which data from outside entered a run. A run that goes
// on from a later step depends on them as the run itself did.
type Entered struct {
	Step  int // in which they came; 0: before the first
	Event event.Event
}

// Step is one turn of a run.
type Step struct {
	N          int
	Messages   []llm.Message      // the conversation that the model was sent; nil: it was not asked
	Tools      []llm.Tool         // that the model could call
	Exchange   *recorded.Exchange // what came back; nil: nothing is recorded
	Executions []Execution
	Rejected   []string // why the reply or the answer was sent back
	Calls      []Call
	Condensed  []event.HistoryCondensed
	Hosts      []string // that its code reached, in their order
	Refused    int      // connections that were refused
}

// Execution is one piece of code that was executed.
type Execution struct {
	Code string
	// Language is that of the code.
	Language string
	File     string           // the name of the code in errors
	Fills    []string         // the expressions that it fills into an answer
	Purpose  event.Purpose    // of code that is no step of a model's
	Check    string           // the name of the check that it is
	Ended    *event.Execution // nil: begun, not finished
}

// own says that the code is the model's or a person's.
func (x Execution) own() bool { return x.Fills == nil && x.Purpose == "" }

// pieces returns the pieces of code of a step: the cells of a notebook are several.
func (s Step) pieces() []run.Piece {
	var out []run.Piece
	for _, x := range s.Executions {
		out = append(out, run.Piece{Language: x.Language, Code: x.Code, File: x.File})
	}
	return out
}

// Call is one call of a tool.
type Call struct {
	Called   event.ToolCalled
	Decision *event.DecisionMade  // nil: it did not come so far, or there is no gate before it
	Given    *event.ApprovalGiven // nil: nobody was asked, or nobody answered
	Returned *event.ToolReturned  // nil: begun, not finished

	opened, closed int // when, among the calls; closed is 0 while it is open
}

// sessionless says whether it is a run whose model had tools and no code.
func (r Recording) sessionless() bool { return r.Began.Kind == event.Ask && r.Began.Mode == modeTools }

// Finished says whether the run came to an end of its own.
func (r Recording) Finished() bool {
	return r.Ended != nil && r.Ended.Status != event.Abandoned
}

// drawsTogether says whether the run draws from one account with others, so that what was
// left of its budget at any moment is not counted again.
func (r Recording) drawsTogether() bool {
	return r.Began.Subcalls || r.Began.Caller != nil && r.Began.Caller.Role != event.Attempt
}

// clocked says whether the run ended after a step by a part of its budget that a replay
// cannot count again.
func (r Recording) clocked(step int) (why, budget string) {
	for _, e := range r.Concluding {
		if e.Step == step {
			return e.Reason, e.Budget
		}
	}
	return "", ""
}

// Exchanges returns the calls of the model that are recorded whole, in order.
func (r Recording) Exchanges() []recorded.Exchange {
	var out []recorded.Exchange
	for _, s := range r.Steps {
		if s.Exchange != nil {
			out = append(out, *s.Exchange)
		}
	}
	return out
}

// StateBefore returns the snapshot that holds the session's state as it was
// before a step, or "" when none does. A step beyond the last one means the
// state at the end.
func (r Recording) StateBefore(step int) string {
	best := event.SnapshotTaken{Step: math.MinInt}
	for _, s := range r.Snapshots {
		if s.Step <= step && s.Step >= best.Step {
			best = s
		}
	}
	ranSince := func(s Step) bool { return s.N >= best.Step && s.N < step && len(s.Executions) > 0 }
	if best.Snapshot == "" || slices.ContainsFunc(r.Steps, ranSince) {
		return ""
	}
	return best.Snapshot
}

// restored says whether the session went back to a snapshot after code had ended its
// interpreter: it can only do that again when states are saved.
func (r Recording) restored() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Executions, func(x Execution) bool { return x.Ended != nil && x.Ended.State == event.Restored })
	})
}

// FinalState returns the snapshot of the state at the end, or "".
func (r Recording) FinalState() string { return r.StateBefore(math.MaxInt) }

// find returns the step with a number.
func (r *Recording) find(n int) *Step {
	for i := range r.Steps {
		if r.Steps[i].N == n {
			return &r.Steps[i]
		}
	}
	return nil
}

// fold puts a recording together, event by event. It takes the records of a
// journal and the events of a run that is executed alike.
type fold struct {
	rec      Recording
	begun    bool
	messages []llm.Message // of the last request
	awaiting bool          // a request has no reply yet
	running  bool          // an execution has not ended
	calls    map[string]at // by id
	clock    int           // of calls
}

// at is where a call stands.
type at struct{ step, call int }

// add takes one event in. An error says that it cannot stand where it stands.
func (f *fold) add(e event.Event) error {
	if b, ok := e.(event.RunBegan); ok {
		if f.begun {
			return fmt.Errorf("the run begins twice")
		}
		f.rec.Began, f.begun = b, true
		return nil
	}
	switch {
	case event.Transient(e):
		return nil
	case !f.begun:
		return fmt.Errorf("the run has not begun")
	case f.rec.Ended != nil && ofTools(e):
		return nil // a thread that the code left called once more
	case f.rec.Ended != nil:
		return fmt.Errorf("the run has ended before")
	}
	if _, enters := event.Entering(e); enters {
		step := 0
		if n := len(f.rec.Steps); n > 0 {
			step = f.rec.Steps[n-1].N
		}
		f.rec.Entered = append(f.rec.Entered, Entered{step, e})
	}
	switch e := e.(type) {
	case event.SessionBegan:
		return f.session(e)
	case event.FileGiven:
		if e.Role != "" && e.Role != event.RoleSkill {
			return f.rule(e)
		}
		if f.rec.Session == nil || len(f.rec.Steps) > 0 {
			return fmt.Errorf("inputs stand between the session's beginning and the first step")
		}
		f.rec.Inputs = append(f.rec.Inputs, e)
	case event.SkillsGiven:
		f.rec.Skills = e.Skills
	case event.SnapshotTaken:
		f.rec.Snapshots = append(f.rec.Snapshots, e)
	case event.ChildBegan:
		f.rec.Children = append(f.rec.Children, Child{Began: e})
	case event.ChildEnded:
		return f.childEnded(e)
	case event.AttemptChosen:
		f.rec.Chosen = &e
	case event.PatchMade:
		f.rec.Patch = &e
	case event.RunConcluding:
		f.rec.Concluding = append(f.rec.Concluding, e)
	case event.RunEnded:
		f.rec.Ended = &e
	default:
		return f.inStep(e)
	}
	return nil
}

// ofTools says whether an event is one of a call or a connection, which code
// makes at any time.
func ofTools(e event.Event) bool {
	switch e.(type) {
	case event.ToolCalled, event.DecisionMade, event.ApprovalRequested, event.ApprovalGiven, event.ToolReturned, event.LabelLowered,
		event.ConnectionOpened, event.ConnectionClosed, event.ConnectionRefused, event.ChildBegan, event.ChildEnded:
		return true
	}
	return false
}

// rule takes in the definitions and the policy that calls are checked against.
func (f *fold) rule(e event.FileGiven) error {
	if len(f.rec.Steps) > 0 {
		return fmt.Errorf("tools and policy stand before the first step")
	}
	if e.Role == planner.RoleTools || e.Role == planner.RolePolicy {
		f.rec.Rules = append(f.rec.Rules, e)
	}
	return nil
}

func (f *fold) session(e event.SessionBegan) error {
	if f.rec.Session != nil || len(f.rec.Steps) > 0 {
		return fmt.Errorf("the run has a session already")
	}
	f.rec.Session = &e
	return nil
}

// inStep takes in what happens in the steps.
func (f *fold) inStep(e event.Event) error {
	switch e := e.(type) {
	case event.StepBegan:
		return f.step(e)
	case event.ModelRequested:
		return f.requested(e)
	case event.ModelReplied:
		return f.replied(e.Step, recorded.Exchange{Reply: e})
	case event.ModelFailed:
		reason := e.Reason
		if reason == "" {
			reason = "the model failed" // an exchange without a text would be a reply
		}
		return f.replied(e.Step, recorded.Exchange{Failed: reason})
	case event.ExecutionBegan:
		return f.executing(e)
	case event.ExecutionEnded:
		return f.executed(e)
	}
	return f.beside(e)
}

// beside takes in what stands beside requests and executions.
func (f *fold) beside(e event.Event) error {
	switch e := e.(type) {
	case event.ReplyRejected:
		return f.change(e.Step, func(s *Step) { s.Rejected = append(s.Rejected, e.Reason) })
	case event.HistoryCondensed:
		return f.change(e.Step, func(s *Step) { s.Condensed = append(s.Condensed, e) })
	case event.ToolCalled:
		return f.called(e)
	case event.DecisionMade:
		f.ofCall(e.ID, func(c *Call) { c.Decision = &e })
	case event.ApprovalGiven:
		f.ofCall(e.ID, func(c *Call) { c.Given = &e })
	case event.ToolReturned:
		return f.returned(e)
	case event.ConnectionOpened:
		f.lately(func(s *Step) { s.Hosts = append(s.Hosts, e.Host) })
	case event.ConnectionRefused:
		f.lately(func(s *Step) { s.Refused += max(1, e.Count) })
	case event.AnswerGiven:
		if f.rec.Answer != nil || len(f.rec.Steps) == 0 && f.rec.Chosen == nil || f.running || f.awaiting {
			return fmt.Errorf("a run gives one answer, at the end of a step")
		}
		f.rec.Answer = &e
	}
	return nil
}

// childEnded closes a child. A number may come twice: a run that goes on begins one anew.
func (f *fold) childEnded(e event.ChildEnded) error {
	for i := len(f.rec.Children) - 1; i >= 0; i-- {
		if c := &f.rec.Children[i]; c.Began.N == e.N && c.Ended == nil {
			c.Ended = &e
			return nil
		}
	}
	return fmt.Errorf("child %d ends and has not begun", e.N)
}

// step opens a step. Those of a branch begin with the one that it was made from.
func (f *fold) step(e event.StepBegan) error {
	switch n := len(f.rec.Steps); {
	case f.rec.Session == nil && !f.rec.sessionless():
		return fmt.Errorf("step %d begins without a session", e.N)
	case f.rec.Began.Kind == event.Code:
		return fmt.Errorf("a run of code has no steps")
	case e.N < 1 || n > 0 && e.N != f.rec.Steps[n-1].N+1:
		return fmt.Errorf("step %d does not follow the step before", e.N)
	case f.running || f.awaiting:
		return fmt.Errorf("step %d begins before the last one is over", e.N)
	}
	f.rec.Steps = append(f.rec.Steps, Step{N: e.N})
	return nil
}

// change applies what happened to the step that is open.
func (f *fold) change(n int, apply func(*Step)) error {
	if len(f.rec.Steps) == 0 || f.rec.Steps[len(f.rec.Steps)-1].N != n {
		return fmt.Errorf("step %d is not the one that is open", n)
	}
	apply(&f.rec.Steps[len(f.rec.Steps)-1])
	return nil
}

func (f *fold) requested(e event.ModelRequested) error {
	if f.awaiting || e.Repeated < 0 || e.Repeated > len(f.messages) {
		return fmt.Errorf("the request of step %d goes on with a conversation that is not there", e.Step)
	}
	return f.change(e.Step, func(s *Step) {
		f.messages = append(f.messages[:e.Repeated:e.Repeated], e.Messages...)
		f.awaiting = true
		s.Messages, s.Tools = f.messages, e.Tools
	})
}

func (f *fold) replied(step int, x recorded.Exchange) error {
	if !f.awaiting {
		return fmt.Errorf("step %d has a reply to nothing", step)
	}
	return f.change(step, func(s *Step) {
		f.awaiting = false
		s.Exchange = &x
	})
}

func (f *fold) executing(e event.ExecutionBegan) error {
	if f.running || f.awaiting || f.rec.Session == nil {
		return fmt.Errorf("code is executed before the last one has ended, before the model's reply, or without a session")
	}
	if f.rec.Began.Kind == event.Code && len(f.rec.Steps) == 0 {
		f.rec.Steps = []Step{{}}
	}
	x := Execution{Code: e.Code, Language: e.Language, File: e.File, Fills: e.Fills, Purpose: e.Purpose, Check: e.Check}
	if f.rec.Began.Kind == event.Ask && len(f.rec.Steps) == 0 && e.Step == 0 && e.Purpose != "" {
		f.running, f.rec.Before = true, append(f.rec.Before, x)
		return nil
	}
	return f.change(e.Step, func(s *Step) {
		f.running = true
		s.Executions = append(s.Executions, x)
	})
}

func (f *fold) executed(e event.ExecutionEnded) error {
	if !f.running {
		return fmt.Errorf("an execution ends that has not begun")
	}
	if n := len(f.rec.Before); n > 0 && len(f.rec.Steps) == 0 {
		f.running, f.rec.Before[n-1].Ended = false, &e.Execution
		return nil
	}
	return f.change(e.Step, func(s *Step) {
		f.running = false
		s.Executions[len(s.Executions)-1].Ended = &e.Execution
	})
}

// called takes in a call. That of code may come when its step is over: a thread
// that it left goes on.
func (f *fold) called(e event.ToolCalled) error {
	n := len(f.rec.Steps) - 1
	if e.Origin == "" || e.Origin == string(gate.Model) || n < 0 {
		if err := f.change(e.Step, func(*Step) {}); err != nil {
			return err
		}
	}
	for n > 0 && f.rec.Steps[n].N > e.Step {
		n--
	}
	if f.calls == nil {
		f.calls = map[string]at{}
	}
	f.clock++
	s := &f.rec.Steps[n]
	f.calls[e.ID] = at{n, len(s.Calls)}
	s.Calls = append(s.Calls, Call{Called: e, opened: f.clock})
	return nil
}

// ofCall changes a call; one that is not there is none of a tool.
func (f *fold) ofCall(id string, change func(*Call)) bool {
	p, ok := f.calls[id]
	if ok {
		change(&f.rec.Steps[p.step].Calls[p.call])
	}
	return ok
}

func (f *fold) returned(e event.ToolReturned) error {
	twice := false
	found := f.ofCall(e.ID, func(c *Call) {
		if twice = c.Returned != nil; !twice {
			f.clock++
			c.Returned, c.closed = &e, f.clock
		}
	})
	if !found || twice {
		return fmt.Errorf("a tool returns that was not called")
	}
	return nil
}

// lately changes the step that is open, if there is one.
func (f *fold) lately(change func(*Step)) {
	if n := len(f.rec.Steps); n > 0 {
		change(&f.rec.Steps[n-1])
	}
}
