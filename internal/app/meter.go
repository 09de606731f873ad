package app

import (
	"context"
	"strconv"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// meter bounds what several models use together. It is safe for concurrent use.
type meter struct {
	tokens int     // 0: any number
	usd    float64 // 0: any amount
	costs  map[llm.Model]func(event.Tokens) float64

	mu   sync.Mutex
	used int
	paid float64
}

// meter returns the meter of a plan's models, nil ones apart. A bound of money needs their prices.
func (a *App) meter(h PlanHost, models ...llm.Model) (*meter, error) {
	m := &meter{tokens: h.MostTokens, usd: h.MostCost, costs: map[llm.Model]func(event.Tokens) float64{}}
	for _, one := range models {
		if one == nil {
			continue
		}
		cost, err := a.costOf(one, event.Budget{Cost: h.MostCost})
		if err != nil {
			return nil, err
		}
		if m.costs[one] = cost; cost == nil {
			m.costs[one] = func(event.Tokens) float64 { return 0 }
		}
	}
	return m, nil
}

// of returns a model that counts, and is refused when enough is used; nil for nil.
func (m *meter) of(one llm.Model) llm.Model {
	if one == nil || m.tokens == 0 && m.usd == 0 {
		return one
	}
	return metered{one, m}
}

// metered is a model of a meter.
type metered struct {
	llm.Model
	meter *meter
}

// Complete asks the model unless enough is used.
func (m metered) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	if err := m.meter.check(); err != nil {
		return llm.Reply{}, err
	}
	reply, err := m.Model.Complete(ctx, req, delta)
	m.meter.mu.Lock()
	defer m.meter.mu.Unlock()
	m.meter.used += reply.Tokens.Total()
	m.meter.paid += m.meter.costs[m.Model](reply.Tokens)
	return reply, err
}

// check refuses a request when enough is used.
func (m *meter) check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.tokens > 0 && m.used >= m.tokens:
		return fault.Coded(fault.TokensUsedUp, fault.Data{"limit": strconv.Itoa(m.tokens)}, "cannot ask a model: %d tokens are used up", m.used)
	case m.usd > 0 && m.paid >= m.usd:
		limit := "$" + strconv.FormatFloat(m.usd, 'g', 4, 64)
		return fault.Coded(fault.CostUsedUp, fault.Data{"limit": limit}, "cannot ask a model: %s are used up", limit)
	}
	return nil
}
