package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/safetext"
	"praxis/internal/tool/bridge"
)

// MaxRefusedTask is how much, in bytes, is recorded of what a child that was not begun was
// asked: there is no bound on how often code asks in vain.
const MaxRefusedTask = 200

// Children are the recorded children of a run that its code began. Code that is executed
// again gets what they came to, and nothing is begun for it. A nil one has none.
type Children struct {
	redact func(string) string
	loose  bool // a child that was given something else is the same

	before []Child // that ended before

	mu   sync.Mutex
	wait []*waitingChild
	last int
}

// Before returns the children that ended before the step.
func (c *Children) Before() []Child { return c.before }

// waitingChild is a recorded child that waits to be begun again.
type waitingChild struct {
	Child
	taken bool
}

// Subcalls returns what is recorded of the children that code began from a step on. With
// loose, a child that was given other data is still the recorded one, as in a replay that
// nothing may be begun in.
func (r Recording) Subcalls(step int, redact func(string) string, loose bool) *Children {
	c := &Children{redact: redact, loose: loose}
	for _, k := range r.Children {
		c.last = max(c.last, k.Began.N)
		if k.Began.Role == event.Attempt {
			continue
		}
		// A run that goes on has those again that it took over: the later record counts.
		if k.Began.Step < step {
			c.before = slices.DeleteFunc(c.before, func(b Child) bool { return b.Began.N == k.Began.N })
			if k.Ended != nil {
				c.before = append(c.before, k)
			}
			continue
		}
		c.wait = slices.DeleteFunc(c.wait, func(w *waitingChild) bool { return w.Began.N == k.Began.N })
		c.wait = append(c.wait, &waitingChild{Child: k})
	}
	return c
}

// Last is the greatest number of a recorded child.
func (c *Children) Last() int {
	if c == nil {
		return 0
	}
	return c.last
}

// Take returns the recorded child that one is, and takes it from those that wait: the first
// that was asked the same with the same data. Its number is 0 when there is none.
func (c *Children) Take(b event.ChildBegan) Child {
	if c == nil {
		return Child{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if as, err := journaled(b, c.redact); err == nil {
		b = as.(event.ChildBegan)
	}
	// What ended goes before what was under way, which a run that goes on begins again.
	for _, alike := range []func(w Child) bool{
		func(w Child) bool { return w.over() && w.Began.Given == b.Given && w.Began.Model == b.Model },
		func(w Child) bool { return w.over() && w.Began.Given == b.Given },
		func(w Child) bool { return w.Began.Given == b.Given },
		func(Child) bool { return c.loose },
	} {
		for _, w := range c.wait {
			if !w.taken && w.Began.Role == b.Role && sameTask(w.Child, b.Task) && slices.Equal(w.Began.Data, b.Data) && alike(w.Child) {
				w.taken = true
				return w.Child
			}
		}
	}
	return Child{}
}

// sameTask compares what a child was asked. Of one that was refused the beginning is recorded.
func sameTask(was Child, task string) bool {
	if was.refused() {
		task = safetext.Clip(task, MaxRefusedTask)
	}
	return was.Began.Task == task
}

func (c Child) refused() bool { return c.Ended != nil && c.Ended.Status == event.Refused }

// over says whether the child came to an end of its own.
func (c Child) over() bool { return c.Ended != nil && !c.Broken() }

// Broken says whether a child has to be begun again where its caller goes on: it was given
// up, or there was no budget for it.
func (c Child) Broken() bool {
	return c.refused() || c.Ended != nil && c.Ended.Kind == fault.Canceled.String()
}

// ResultOf is what code learns of a child that ended.
func ResultOf(e event.ChildEnded) bridge.ChildResult {
	if e.Answered() {
		return bridge.ChildResult{Text: e.Text, Value: e.Value, Ended: e}
	}
	return bridge.ChildResult{Ended: e, Err: fault.New(cmp.Or(fault.KindNamed(e.Kind), fault.Unavailable), e.Remedy, "%s", cmp.Or(e.Reason, "it has no answer"))}
}

// HashGiven is the hash of what a child is given: the names, the forms and the SHA-256 of
// the contents.
func HashGiven(given []language.Given, sums []string) string {
	if len(given) == 0 {
		return ""
	}
	h := sha256.New()
	for i, d := range given {
		_, _ = fmt.Fprintf(h, "%s %s %s\n", d.Name, d.Form, sums[i]) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// replayed answers the code of a run that is replayed from the record: no model is asked and
// no run begins.
type replayed struct {
	kit      *toolkit
	children *Children
}

var _ bridge.Children = (*replayed)(nil)

// Allowed implements bridge.Children.
func (p *replayed) Allowed() bridge.Allowed {
	b := p.kit.rec.Began
	depth := 0
	if b.Caller != nil {
		depth = b.Caller.Depth
	}
	return bridge.Allowed{Runs: depth < b.Budget.Depth, Forks: true, Calls: b.Budget.SubCalls, Own: b.Model, Models: b.SubcallModels}
}

// Begin implements bridge.Children.
func (p *replayed) Begin(ctx context.Context, b bridge.Begin) ([]bridge.ChildResult, error) {
	sums := map[string]string{}
	out := make([]bridge.ChildResult, 0, len(b.Items))
	for _, it := range b.Items {
		began := event.ChildBegan{Step: b.Step, Role: b.Role, Model: b.Model, Task: it.Task}
		var given []string
		for _, d := range it.Data {
			began.Data = append(began.Data, d.Name)
			given = append(given, p.sum(ctx, d.Path, sums))
		}
		began.Given = HashGiven(it.Data, given)
		out = append(out, p.answer(ctx, began))
	}
	return out, nil
}

// sum is the hash of a file of the session; "": it cannot be read.
func (p *replayed) sum(ctx context.Context, path string, known map[string]string) string {
	if sum, ok := known[path]; ok {
		return sum
	}
	sum := ""
	if h := sha256.New(); p.kit.session.ReadFile(ctx, path, h) == nil {
		sum = hex.EncodeToString(h.Sum(nil))
	}
	known[path] = sum
	return sum
}

// answer answers one item.
func (p *replayed) answer(ctx context.Context, began event.ChildBegan) bridge.ChildResult {
	was := p.children.Take(began)
	p.kit.mu.Lock()
	over := p.kit.over
	p.kit.mu.Unlock()
	if was.Began.N > 0 && was.Ended != nil {
		again, end := was.Began, *was.Ended
		again.Step, end.Step, again.Given = began.Step, began.Step, began.Given
		if !over {
			p.kit.sink.Emit(again)
			p.kit.sink.Emit(end)
		}
		if end.Kind == fault.Canceled.String() && p.timedOut(began.Step) {
			<-ctx.Done() // the limit that ended the code ends it again
		}
		return ResultOf(end)
	}
	reason := fmt.Sprintf("it was not begun: run %s did not begin it", p.kit.rec.ID)
	if was.Began.N > 0 {
		reason = fmt.Sprintf("it was not begun: the record of run %s ends before its answer", p.kit.rec.ID)
	}
	return bridge.ChildResult{Err: fault.New(fault.Denied, "Go on without.", "%s", reason)}
}

// timedOut says whether a limit of time ended the code of a step.
func (p *replayed) timedOut(step int) bool {
	s := p.kit.rec.find(step)
	return s != nil && slices.ContainsFunc(s.Executions, func(x Execution) bool { return x.Ended != nil && x.Ended.Status == event.Timeout })
}

// childAspects are what is compared of the children that code began in a step.
func childAspects(r Recording, step int) []aspect {
	var out []aspect
	for _, c := range r.Children {
		if c.Began.Step != step || c.Began.Role == event.Attempt {
			continue
		}
		what := fmt.Sprintf("%s %d", c.Began.Role, c.Began.N)
		text := strings.Join(append([]string{c.Began.Task}, c.Began.Data...), "\n") + "\n" + c.Began.Given
		if c.Ended != nil {
			text += "\n" + string(c.Ended.Status) + "\n" + c.Ended.Text + string(c.Ended.Value) + stable(c.Ended.Reason)
		}
		out = append(out, aspect{what: what, text: text})
	}
	return out
}
