package approval

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"praxis/fault"
	"praxis/internal/tool/gate"
)

// approve asks the questions of a run, and returns where their answers come.
func approve(t *testing.T, ctx context.Context, a Approver, qs ...gate.Question) chan gate.Answer {
	out := make(chan gate.Answer, len(qs))
	for _, q := range qs {
		go func() {
			answer, err := a.Approve(ctx, q)
			if err != nil {
				t.Error(err)
			}
			out <- answer
		}()
	}
	return out
}

// A question is answered by its id, once, and by nobody else's answer.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var seen []Waiting
		answers := approve(t, t.Context(), q.Approver(QueueConfig{Notify: func(w Waiting) { seen = append(seen, w) }}), deletion(t))
		other := approve(t, t.Context(), q.Approver(QueueConfig{Timeout: time.Minute}), deletion(t))
		synctest.Wait()
		open := q.Open()
		if len(open) != 2 || len(seen) != 1 || open[0].ID == open[1].ID || open[0].Call.Tool != "crm.delete" || string(open[0].Call.Arguments) != `{"customer":"c-1","why":"asked by mail"}` {
			t.Fatalf("got %+v, seen %+v", open, seen)
		}
		id := seen[0].ID
		if err := q.Answer(id, true, gate.Exact, "key 1 of a", "as agreed"); err != nil {
			t.Fatal(err)
		}
		if got := <-answers; got != (gate.Answer{Granted: true, Scope: gate.Exact, By: gate.ByProgram, Who: "key 1 of a", Reason: "as agreed"}) {
			t.Errorf("got %+v", got)
		}
		if err := q.Answer(id, false, gate.Once, "", ""); fault.KindOf(err) != fault.NotFound {
			t.Errorf("answered twice: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if got := <-other; got.Granted || got.By != gate.ByTimeout || len(q.Open()) != 0 {
			t.Errorf("got %+v, open %v", got, q.Open())
		}
	})
}

// The questions of a run are open one after the other; one that an answer to another covers
// is not asked, and none is left when the run is given up.
func TestQueueInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var covered atomic.Bool
		second := deletion(t)
		second.Granted = func() (gate.Answer, bool) { return gate.Answer{Granted: true, Reason: "covered"}, covered.Load() }
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := q.Approver(QueueConfig{Timeout: time.Minute, GivenUp: ctx.Done()})
		answers := approve(t, ctx, a, second, second, second)
		synctest.Wait()
		if open := q.Open(); len(open) != 1 {
			t.Fatalf("%d are open", len(open))
		}
		time.Sleep(50 * time.Second) // the others' time does not begin yet
		if err := q.Answer(q.Open()[0].ID, false, gate.Once, "", ""); err != nil {
			t.Fatal(err)
		}
		<-answers
		time.Sleep(50 * time.Second)
		if open := q.Open(); len(open) != 1 {
			t.Fatalf("%d are open", len(open))
		}
		covered.Store(true) // one is open already, the other waits for its turn
		for range 2 {
			if got := <-answers; got.Reason != "covered" {
				t.Errorf("got %+v", got)
			}
		}
		covered.Store(false)
		answers = approve(t, t.Context(), a, second, second)
		synctest.Wait()
		cancel()
		for range 2 {
			if got := <-answers; got.Granted {
				t.Errorf("got %+v", got)
			}
		}
		if open := q.Open(); len(open) != 0 {
			t.Errorf("open: %v", open)
		}
	})
}
