package app

import (
	"context"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// hungry is a model of one's own that uses six tokens for each reply.
type hungry struct{ requests *int }

func (hungry) Name() string       { return "openai:hungry" }
func (hungry) Traits() llm.Traits { return llm.Traits{Local: true} }
func (h hungry) Complete(context.Context, llm.Request, func(string)) (llm.Reply, error) {
	*h.requests++
	return llm.Reply{Tokens: event.Tokens{Input: 5, Output: 1}}, nil
}

// The model that writes plans and the one that answers their calls have one bound together, and
// a model without a bound is the model itself.
func TestMeter(t *testing.T) {
	var first, second int
	writes, answers := hungry{&first}, hungry{&second}
	m, err := new(App).meter(PlanHost{MostTokens: 12}, writes, nil, answers)
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range []llm.Model{m.of(writes), m.of(answers), m.of(writes)} {
		_, err := one.Complete(t.Context(), llm.Request{}, nil)
		if i < 2 && err != nil || i == 2 && fault.CodeOf(err) != fault.TokensUsedUp {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if first != 1 || second != 1 {
		t.Errorf("they were asked %d and %d times", first, second)
	}
	if m, err = new(App).meter(PlanHost{}, writes); err != nil || m.of(writes) != llm.Model(writes) || m.of(nil) != nil {
		t.Errorf("without a bound: %v %v", m.of(writes), err)
	}
	m.usd, m.costs[writes] = 1, func(t event.Tokens) float64 { return 0.1 * float64(t.Total()) }
	for i := range 3 {
		_, err := m.of(writes).Complete(t.Context(), llm.Request{}, nil)
		if i < 2 && err != nil || i == 2 && fault.CodeOf(err) != fault.CostUsedUp {
			t.Errorf("request %d: %v", i, err)
		}
	}
}
