package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/llm/recorded"
	"praxis/internal/run"
)

// Change is what is different in a branch. At least one of its fields is set.
type Change struct {
	Model    llm.Model // asked from the step on; nil: the recorded replies go on as far as they can
	Scripted bool      // the Model's replies come from a file
	Question string    // replaces the recorded one
	Code     string    // replaces the code of the step
}

// String says what is different in one line.
func (c Change) String() string {
	var parts []string
	if c.Code != "" {
		parts = append(parts, "edited code")
	}
	if c.Question != "" {
		parts = append(parts, "another question")
	}
	if c.Model != nil {
		parts = append(parts, "model "+c.Model.Name())
	}
	return strings.Join(parts, ", ")
}

// Branched is a run that went on from a step of another.
type Branched struct {
	Run       string             `json:"run"`             // that it was made from
	Kind      event.Kind         `json:"kind"`            //
	Step      int                `json:"step"`            // the first one that is its own
	Change    string             `json:"change"`          // what is different
	Snapshot  string             `json:"snapshot"`        // that it began with; empty: the steps before were executed again
	Before    *Report            `json:"before"`          // how the steps before compare, when they were executed again
	Answer    *event.AnswerGiven `json:"answer"`          // nil: there is none
	Execution *event.Execution   `json:"execution"`       // of the step whose code was edited
	Status    event.RunStatus    `json:"status"`          //
	Reason    string             `json:"reason"`          // why there is no answer
	Ended     bool               `json:"ended"`           // the recorded replies ended before there was an answer
	Notes     []string           `json:"notes,omitempty"` // full sentences
	Took      event.Duration     `json:"took_ms"`
}

// Branched describes the run that Branch makes, for its run_began.
func (r Recording) Branched(from int, c Change, program string) event.RunBegan {
	b := r.Again(program)
	b.Parent = &event.Parent{Run: r.ID, Step: from, Change: c.String()}
	if c.Model != nil {
		b.Model, b.Scripted = c.Model.Name(), c.Scripted
	}
	switch {
	case c.Question != "":
		b.Question = c.Question
	case r.Began.Kind == event.Code:
		line, _, _ := strings.Cut(strings.TrimSpace(c.Code), "\n")
		b.Question = strings.TrimSpace(line)
	}
	return b
}

// Branch goes on from the state before a step of a recorded run with something
// changed. The state is that of the snapshot before the step. When that is gone
// the steps before are executed again in a fresh session; when they differ
// then, the state is another one, and the branch is refused unless cfg.Loose.
//
// from counts as the run's steps do; of a run of code it is 0 or 1, and only
// its code can be changed.
func Branch(ctx context.Context, cfg Config, rec Recording, from int, c Change) (Branched, error) {
	err := rec.Branchable(from, c)
	if err != nil {
		return Branched{}, cfg.recordFailure(err)
	}
	began := time.Now()
	out := Branched{Run: rec.ID, Kind: rec.Began.Kind, Step: from, Change: c.String()}
	if rec.Began.Kind == event.Code {
		err = cfg.continueCode(ctx, rec, c, &out)
	} else {
		err = cfg.continueQuestion(ctx, rec, from, c, &out)
	}
	out.Took = event.Duration(time.Since(began))
	return out, err
}

// Branchable refuses a branch that cannot be, before anything is begun for it.
func (r Recording) Branchable(from int, c Change) error {
	if err := r.replayable(); err != nil {
		return err
	}
	refuse := func(remedy, format string, args ...any) error {
		return fault.New(fault.Invalid, remedy, "cannot branch run %s: %s", r.ID, fmt.Sprintf(format, args...))
	}
	if r.Began.Branches > 0 {
		return refuse("Branch the attempt that was chosen: it is a run of its own.", "it has no steps, its attempts have")
	}
	if c.String() == "" {
		return refuse("Give another model, question or code.", "nothing is changed")
	}
	if r.Began.Kind == event.Code {
		if from > 1 || from < 0 || c.Code == "" || c.Question != "" || c.Model != nil {
			return refuse("Edit its code.", "it ran a person's code, so there is nothing else to change")
		}
		if len(r.Steps[0].Executions) > 1 {
			return refuse("Edit the notebook and run it again.", "it ran the cells of a notebook")
		}
		return nil
	}
	first, last := r.Steps[0].N, r.Steps[0].N
	for _, s := range r.Steps {
		if s.Messages != nil {
			last = s.N
		}
	}
	s := r.find(from)
	if s == nil || s.Messages == nil {
		return refuse(fmt.Sprintf("Its steps are %d to %d.", first, last), "it has no step %d", from)
	}
	if c.Code != "" && (len(s.Executions) == 0 || !s.Executions[0].own() || s.Exchange == nil) {
		return refuse("Edit the code of a step that ran some.", "step %d ran no code of the model", from)
	}
	if c.Question != "" && c.Model == nil {
		return refuse("Name the model.", "another question needs a model that answers it: the recorded replies answer the recorded one")
	}
	return nil
}

// continueCode runs other code with what the run was given.
func (c Config) continueCode(ctx context.Context, rec Recording, change Change, out *Branched) error {
	e, err := c.prepareRerun(ctx, rec)
	if err != nil {
		return c.recordFailure(err)
	}
	e.kit.branch(0)
	e.task.Began, e.code = rec.Branched(0, change, c.Program), change.Code
	if err := e.execute(ctx, nil, nil); err != nil {
		return err
	}
	out.fill(e.live.recording(), 0)
	out.ofTools(e.kit)
	return nil
}

// continueQuestion lets the agent go on.
func (c Config) continueQuestion(ctx context.Context, rec Recording, from int, change Change, out *Branched) error {
	e, b, err := c.fromState(ctx, rec, from, out)
	if err != nil {
		return c.recordFailure(err)
	}
	if change.Question != "" {
		messages, ok := agent.Reask(b.Messages, rec.Began.Question, change.Question)
		if !ok {
			err = fault.New(fault.Conflict, "Go on from an earlier step.",
				"cannot ask another question from step %d of run %s on: its conversation does not contain the question word for word", from, rec.ID)
			e.close(&err)
			return c.recordFailure(err)
		}
		b.Messages = messages
	}
	e.task.Began = rec.Branched(from, change, c.Program)
	e.kit.branch(from)
	m := &brancher{e: e, from: from, at: b.Step, change: change, loose: c.Loose}
	m.name = e.task.Began.Model
	m.rest = newPlayer(e.task.Began, rec.since(from, change.Code != ""))
	err = e.execute(ctx, m, b)
	if m.before != nil {
		out.Before = m.before
	}
	if err != nil {
		return err
	}
	if m.refused != nil {
		return m.refused
	}
	is := e.live.recording()
	out.fill(is, from)
	out.ofTools(e.kit)
	out.Ended = change.Model == nil && m.rest.ended() && is.Answer == nil
	return out.check(change, from, is)
}

// since returns the recorded exchanges from a step on, or from the one after it.
func (r Recording) since(step int, after bool) []recorded.Exchange {
	if after {
		step++
	}
	return r.Exchanges()[len(r.until(step)):]
}

// fromState prepares the run with the state before a step.
func (c Config) fromState(ctx context.Context, rec Recording, from int, out *Branched) (*rerun, *agent.Begin, error) {
	if id := rec.StateBefore(from); id != "" && c.FromSnapshot != nil {
		s, err := c.FromSnapshot(ctx, id)
		kind := fault.KindOf(err)
		if err != nil && kind != fault.NotFound && kind != fault.Conflict {
			return nil, nil, err
		}
		if err == nil {
			out.Snapshot = id
			e := &rerun{cfg: c, rec: rec, live: newLive(c, rec.Began), open: s}
			if err := e.equip(ctx, from); err != nil {
				e.close(&err)
				return nil, nil, err
			}
			e.task = run.Task{Languages: c.Languages, Skills: rec.Skills, Snapshots: c.Snapshots || rec.restored(), Open: func(ctx context.Context) (run.Session, error) { return s, e.kit.expose(ctx, s) }}
			if e.task.Project, err = c.projectAgain(ctx, rec); err != nil {
				e.close(&err)
				return nil, nil, err
			}
			b := &agent.Begin{Step: from, Messages: rec.find(from).Messages}
			b.Tokens, b.Ran = before(ctx, c.Source, rec, from)
			return e, b, nil
		}
	}
	if from > rec.Steps[0].N && !rec.sessionless() {
		out.Notes = append(out.Notes, fmt.Sprintf("The state before step %d is not stored any more: the steps before it were executed again.", from))
	}
	e, err := c.prepareRerun(ctx, rec)
	if err != nil {
		return nil, nil, err
	}
	return e, e.firstStep(ctx), nil
}

// brancher is the model of a branch: the recorded replies up to the step, then
// what was changed.
type brancher struct {
	e       *rerun
	name    string
	from    int
	at      int // the step that is asked for next
	change  Change
	rest    *player // the recorded replies from there on
	loose   bool
	before  *Report
	refused error
}

var _ llm.Model = (*brancher)(nil)

// Name implements llm.Model.
func (m *brancher) Name() string { return m.name }

// Traits implements llm.Model.
func (m *brancher) Traits() llm.Traits { return m.rest.Traits() }

// own says whether the step that is under way is the branch's own.
func (m *brancher) own() bool { return m.at > m.from }

// edits says whether a step's recorded reply is not given as it is.
func (m *brancher) edits(step int) bool { return step == m.from && m.change.Code != "" }

// Complete implements llm.Model.
func (m *brancher) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	step := m.at
	m.at++
	first := m.e.live.recording().Steps[0].N
	if step > first && step <= m.from {
		if err := m.compare(step); err != nil {
			m.refused = err
			return llm.Reply{}, err
		}
	}
	switch was := m.e.rec.find(step); {
	case step < m.from && was.Exchange != nil:
		return recorded.New(m.name, m.Traits(), []recorded.Exchange{*was.Exchange}).Complete(ctx, req, delta)
	case m.edits(step):
		reply := edited(m.e.cfg.language(m.e.rec, *was), *was, m.change.Code)
		if delta != nil && reply.Text != "" {
			delta(reply.Text)
		}
		return reply, nil
	case m.change.Model != nil:
		return m.change.Model.Complete(ctx, req, delta)
	}
	return m.rest.Complete(ctx, req, delta)
}

// compare compares the steps before one, which are over, with the recording.
// Only what code did counts: it made the state that the branch goes on with.
func (m *brancher) compare(step int) error {
	was, is := m.e.rec, m.e.live.recording()
	was.Steps, is.Steps = executedBefore(was.Steps, step), executedBefore(is.Steps, step)
	was.Answer, is.Answer, was.Ended, is.Ended = nil, nil, nil, nil
	r := compare(was, is, false)
	r.Unfinished = false
	m.before = &r
	if r.Identical || m.loose {
		return nil
	}
	last := r.Steps[len(r.Steps)-1]
	return fault.Coded(fault.BranchDiffers, fault.Data{"run": was.ID},
		"cannot branch run %s at step %d: its state is not stored any more, and when the steps before were executed again, step %d differed: %s",
		was.ID, m.from, last.N, list(last.Differences))
}

// executedBefore returns the steps before one with nothing but what they executed.
func executedBefore(steps []Step, n int) []Step {
	var out []Step
	for _, s := range steps {
		if s.N < n {
			out = append(out, Step{N: s.N, Exchange: s.Exchange, Executions: s.Executions})
		}
	}
	return out
}

// edited returns the reply of a step with other code in it, in the same form:
// a native call when the model made one, else a block.
func edited(l language.Language, s Step, code string) llm.Reply {
	was := s.Exchange.Reply
	for _, c := range was.Calls {
		if slices.ContainsFunc(s.Tools, func(t llm.Tool) bool { return t.Name == c.Name && takesCode(t) }) {
			return llm.Reply{Text: was.Text, Calls: []llm.Call{{ID: c.ID, Name: c.Name, Input: map[string]any{"code": code}}}}
		}
	}
	fence := "~~~"
	for strings.Contains(code, fence) {
		fence += "~"
	}
	return llm.Reply{Text: fence + l.Fence() + "\n" + strings.TrimRight(code, "\n") + "\n" + fence + "\n"}
}

// language is that of a step's code.
func (c Config) language(rec Recording, step Step) language.Language {
	for _, x := range step.Executions {
		if x.own() && x.Language != "" {
			return c.Languages.Named(x.Language)
		}
	}
	if s := rec.Session; s != nil && len(s.Image.Languages) > 0 {
		return c.Languages.Named(s.Image.Languages[0].Name)
	}
	return c.Languages.Named("")
}

func takesCode(t llm.Tool) bool {
	properties, _ := t.Schema["properties"].(map[string]any)
	_, ok := properties["code"]
	return ok
}

// fill says what came of a branch.
func (b *Branched) fill(is Recording, step int) {
	b.Answer = is.Answer
	if is.Ended != nil {
		b.Status, b.Reason = is.Ended.Status, is.Ended.Reason
	}
	if s := is.find(step); s != nil && len(s.Executions) > 0 && s.Executions[0].own() {
		b.Execution = s.Executions[0].Ended
	}
}

// ofTools says what a branch does with calls.
func (b *Branched) ofTools(k *toolkit) {
	if k == nil {
		return
	}
	if k.set.Len() > 0 {
		b.Notes = append(b.Notes, "A branch calls no tool: calls were answered from the record of run "+b.Run+" where it has the same call of a tool that only reads; all others were refused.")
	}
	if len(k.rec.Began.Net) > 0 {
		b.Notes = append(b.Notes, "A branch reaches no host: its connections were refused.")
	}
}

// check makes sure that edited code is what was executed, and says where the
// recorded replies ended.
func (b *Branched) check(c Change, from int, is Recording) error {
	s := is.find(from)
	if s == nil {
		return nil // it did not come so far, and the reason is there
	}
	if c.Code != "" && (len(s.Executions) == 0 || bare(s.Executions[0].Code) != bare(c.Code)) {
		return errors.New("cannot branch: the edited code is not what was executed")
	}
	if c.Model == nil {
		b.Notes = append(b.Notes, "No model was asked: the replies after the step are the recorded ones, made for what the code gave then.")
	}
	if b.Ended {
		b.Notes = append(b.Notes, fmt.Sprintf("The recorded replies end after step %d; name a model to go on.", is.Steps[len(is.Steps)-1].N-1))
	}
	return nil
}

// bare is code without the white space that an agent tidies.
func bare(code string) string { return strings.Join(strings.Fields(code), " ") }
