package agent_test

import (
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
)

// TestLedgerHolds lets many requests draw from one account at once: together they never
// have more than the budget, and those that wait go on when others give back.
func TestLedgerHolds(t *testing.T) {
	l, b := agent.NewLedger(), agent.Budget{Run: 10_000}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			most, release, err := l.Hold(b, 10, 4096, nil, nil)
			if err != nil {
				t.Errorf("a request that fits: %v", err)
				return
			}
			if u := l.Usage().Tokens.Total(); u > b.Run || most < 1 || most > 4096 {
				t.Errorf("%d tokens are used or reserved of %d, and a reply may have %d", u, b.Run, most)
			}
			release(event.Tokens{Input: 10, Output: 20})
			release(event.Tokens{Input: 10, Output: 20}) // once counts
		})
	}
	wg.Wait()
	if got := l.Usage().Tokens; got != (event.Tokens{Input: 1000, Output: 2000}) {
		t.Errorf("used are %+v", got)
	}
	// What never fits is refused at once, and one that has to wait is given up.
	if _, _, err := l.Hold(b, 8000, 4096, nil, nil); fault.CodeOf(err) != fault.TokensUsedUp {
		t.Errorf("what does not fit: %v", err)
	}
	_, _, err := l.Hold(b, 6900, 50, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	close(done)
	if _, _, err := l.Hold(b, 1000, 100, nil, done); fault.KindOf(err) != fault.Canceled {
		t.Errorf("what waits and is given up: %v", err)
	}
}

func TestLedgerHoldsParts(t *testing.T) {
	cost := func(t event.Tokens) float64 { return float64(t.Input)*0.000001 + float64(t.Output)*0.00001 }
	for _, c := range []struct {
		name  string
		b     agent.Budget
		input int
		most  int
		code  fault.Code
	}{
		{"nothing", agent.Budget{}, 1 << 20, 1000, ""},
		{"output", agent.Budget{Output: 300}, 10, 300, ""},
		{"little output", agent.Budget{Output: 30}, 10, 0, fault.TokensUsedUp},
		{"input", agent.Budget{Input: 9}, 10, 0, fault.TokensUsedUp},
		{"all", agent.Budget{Run: 500}, 100, 400, ""},
		{"money", agent.Budget{Cost: 0.005105}, 100, 500, ""},
		{"little money", agent.Budget{Cost: 0.0003}, 100, 0, fault.CostUsedUp},
	} {
		most, _, err := agent.NewLedger().Hold(c.b, c.input, 1000, cost, nil)
		if most != c.most || fault.CodeOf(err) != c.code {
			t.Errorf("%s: %d, %v", c.name, most, err)
		}
	}
}

func TestLedgerCounts(t *testing.T) {
	l, b := agent.NewLedger(), agent.Budget{Calls: 2, Depth: 2, SubCalls: 2}
	for i, want := range []bool{true, true, false} {
		if l.Call(b) != want {
			t.Errorf("call %d of 2 is counted wrongly", i+1)
		}
	}
	if !l.Call(agent.Budget{}) {
		t.Error("a call without a bound is refused")
	}
	for i, c := range []struct {
		depth int
		code  fault.Code
	}{{3, fault.DepthReached}, {0, ""}, {2, ""}, {1, fault.SubCallsUsedUp}} {
		if err := l.BeginChild(b, c.depth); fault.CodeOf(err) != c.code {
			t.Errorf("child %d: %v", i, err)
		}
	}
	l.Pay(event.Tokens{Input: 1}, 0.5)
	l.Add(agent.Usage{Steps: 3, Children: 1, Tokens: event.Tokens{Output: 2}, USD: 1})
	if u := l.Usage(); u.Children != 3 || u.Steps != 3 || u.USD != 1.5 || u.Tokens.Total() != 3 || !u.Began.IsZero() {
		t.Errorf("used are %+v", u)
	}
}
