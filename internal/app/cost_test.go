package app

import (
	"context"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/fallback"
)

// pricedModel is a model that fails, or replies.
type pricedModel struct {
	name  string
	fails error
	local bool
}

func (m pricedModel) Name() string       { return m.name }
func (m pricedModel) Traits() llm.Traits { return llm.Traits{Local: m.local} }

func (m pricedModel) Complete(context.Context, llm.Request, func(string)) (llm.Reply, error) {
	return llm.Reply{Text: "It is."}, m.fails
}

// TestCostOfModelThatStandsIn counts a budget of money by the price of the model that replied.
func TestCostOfModelThatStandsIn(t *testing.T) {
	a := toyAppIn(t, t.TempDir(), map[string]string{})
	tokens, budget := event.Tokens{Output: 1_000_000}, event.Budget{Cost: 10}
	gone := fault.New(fault.Unavailable, "", "nobody answers")
	dear := pricedModel{name: "anthropic:claude-opus-4-5"}
	for name, first := range map[string]pricedModel{
		"cheap": {name: "openai:gpt-5-nano", fails: gone},
		"own":   {name: "openai:mine", fails: gone, local: true},
	} {
		m := fallback.New(first, dear)
		cost, err := a.costOf(m, budget)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if usd := cost(tokens); usd > 1 {
			t.Errorf("%s: the first costs %v", name, usd)
		}
		if _, err := m.Complete(t.Context(), llm.Request{}, nil); err != nil {
			t.Fatal(err)
		}
		if usd := cost(tokens); usd != 25 {
			t.Errorf("%s: the one that stands in costs %v", name, usd)
		}
	}
	if _, err := a.costOf(fallback.New(dear, pricedModel{name: "openai:unknown"}), budget); fault.CodeOf(err) != fault.PriceUnknown {
		t.Error(err)
	}
}
