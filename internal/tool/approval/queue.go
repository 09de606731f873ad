package approval

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
)

// Queue holds the questions of many runs until somebody answers them by their ids. The zero
// value is empty. It is safe for concurrent use.
type Queue struct {
	mu   sync.Mutex
	open []*waiting // the oldest first
}

// Waiting is a question that waits for its answer in a Queue.
type Waiting struct {
	ID     string    `json:"id"` // of the question: another one, also about the same call, has another
	For    string    `json:"for"`
	Opened time.Time `json:"opened"`
	Until  time.Time `json:"until"` // when it is denied
	Call   Facts     `json:"call"`
}

type waiting struct {
	Waiting
	answer chan gate.Answer // holds the answer when the question is not open any more
}

// QueueConfig says how the questions of a run get into a Queue.
type QueueConfig struct {
	For     string        // names the run to those who answer
	Timeout time.Duration // of each, from when it is open; 0: DefaultTimeout
	// Notify is called with each question when it is open. It may be nil.
	Notify func(Waiting)
	// GivenUp is closed when the run is: nobody waits for its calls any more, though what made
	// one may not know it yet. It may be nil.
	GivenUp <-chan struct{}
}

// Approver returns what the calls of a run are asked with. Its questions are open one after
// the other, so that an answer for the whole run covers those that come after it.
func (q *Queue) Approver(a QueueConfig) Approver {
	a.Timeout = cmp.Or(a.Timeout, DefaultTimeout)
	return &queued{q, a, make(chan struct{}, 1)}
}

type queued struct {
	queue *Queue
	QueueConfig
	turn chan struct{} // held by the question that is open
}

// Close does nothing: a question is gone when its call is given up.
func (a *queued) Close() error { return nil }

// Approve has the question open until it is answered, its time is over or ctx ends.
func (a *queued) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	facts, err := factsOf(q)
	if err != nil {
		return denied(gate.ByNobody, "", "cannot ask: %v", err), nil
	}
	going, giveUp := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer giveUp()
	watch.Go(func() {
		select {
		case <-a.GivenUp:
			giveUp()
		case <-going.Done():
		}
	})
	select {
	case a.turn <- struct{}{}:
	case <-going.Done():
		return unanswered(going, ""), nil
	}
	defer func() { <-a.turn }()
	if answer, ok := granted(q); ok { // while this one waited for its turn
		return answer, nil
	}
	ctx, cancel := context.WithTimeout(going, a.Timeout)
	defer cancel()
	now := time.Now().UTC()
	w := &waiting{Waiting{ID: newID(), For: a.For, Opened: now, Until: now.Add(a.Timeout), Call: facts}, make(chan gate.Answer, 1)}
	a.queue.add(w)
	if a.Notify != nil {
		a.Notify(w.Waiting)
	}
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		select {
		case answer := <-w.answer:
			return answer, nil
		case <-again.C: // the gate notes an answer a moment after the next question is open
			if answer, ok := granted(q); ok && a.queue.take(w.ID) != nil {
				return answer, nil
			}
		case <-ctx.Done():
			if a.queue.take(w.ID) == nil { // somebody answered at the same moment
				return <-w.answer, nil
			}
			return unanswered(ctx, ""), nil
		}
	}
}

// lookAgain is how often an open question is looked at: an answer to another may cover it.
const lookAgain = time.Second

// granted is an answer to another question that covers this one, too.
func granted(q gate.Question) (gate.Answer, bool) {
	if q.Granted == nil {
		return gate.Answer{}, false
	}
	return q.Granted()
}

// newID returns the id of a question, which nobody can guess.
func newID() string {
	raw := make([]byte, 16)
	rand.Read(raw) // it never fails
	return "q-" + hex.EncodeToString(raw)
}

func (q *Queue) add(w *waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = append(q.open, w)
}

// take takes a question out; nil: it is not open.
func (q *Queue) take(id string) *waiting {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.open, func(w *waiting) bool { return w.ID == id })
	if i < 0 {
		return nil
	}
	w := q.open[i]
	q.open = slices.Delete(q.open, i, i+1)
	return w
}

// Open returns the questions that wait, the oldest first.
func (q *Queue) Open() []Waiting {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]Waiting, 0, len(q.open))
	for _, w := range q.open {
		out = append(out, w.Waiting)
	}
	return out
}

// Answer answers the question with an id, once. who is recorded with the decision. The scope
// of a grant is [gate.Once], [gate.Exact] or [gate.Whole].
func (q *Queue) Answer(id string, granted bool, scope gate.Scope, who, reason string) error {
	w := q.take(id)
	if w == nil {
		return fault.New(fault.NotFound, "List the open questions: it was answered, its time was over, or its run does not wait any more.", "cannot answer question %s: it is not open", safetext.Clip(safetext.Line(id), 60))
	}
	w.answer <- gate.Answer{
		Granted: granted, Scope: scope, By: gate.ByProgram, Who: safetext.Clip(safetext.Line(who), maxWho), Reason: safetext.Clip(safetext.Line(reason), maxReason),
	}
	return nil
}
