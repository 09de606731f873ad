package price_test

import (
	"math"
	"testing"

	"praxis/event"
	"praxis/internal/record/price"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestCachedInput checks that what came from a cache, and what went there, has a
// price of its own, or that of other input.
func TestCachedInput(t *testing.T) {
	used := event.Tokens{Input: 1e6, CacheRead: 6e5, CacheWritten: 2e5, Output: 1e5, Reasoning: 5e4}
	own := load(t, `{"prices": [{"model": "own:m", "input": 10, "output": 20, "cache_read": 0}, {"model": "plain:m", "input": 10, "output": 20}]}`)
	for model, want := range map[string]float64{
		"anthropic:claude-sonnet-4-5":              0.2*3 + 0.6*0.3 + 0.2*3.75 + 0.1*15,
		"openai:gpt-5":                             0.4*1.25 + 0.6*0.125 + 0.1*10,
		"openai-chat:gpt-5":                        0.4*1.25 + 0.6*0.125 + 0.1*10,
		"openai-responses:gpt-4.1":                 0.4*2 + 0.6*0.5 + 0.1*8,
		"gemini:gemini-2.5-flash":                  0.4*0.3 + 0.6*0.03 + 0.1*2.5,
		"record:x=y.jsonl=gemini:gemini-2.5-flash": 0,
		"record:talk.jsonl=openai:gpt-5":           0.4*1.25 + 0.6*0.125 + 0.1*10,
		"replay:talk":                              0,
		"own:m":                                    0.4*10 + 0.1*20,
		"plain:m":                                  10 + 0.1*20,
	} {
		usd, known := own.Cost(model, used)
		if known == (model == "record:x=y.jsonl=gemini:gemini-2.5-flash") || !near(usd, want) {
			t.Errorf("%s: %g, known %v, want %g", model, usd, known, want)
		}
	}
	if usd, _ := own.Cost("plain:m", event.Tokens{Input: 5, CacheRead: 9}); usd < 0 {
		t.Errorf("a server that counts wrongly is paid %g", usd)
	}
	for _, bad := range []string{`"cache_read": -1`, `"cache_write": 1e7`} {
		if _, err := price.Parse([]byte(`{"prices": [{"model": "a:b", "input": 1, "output": 2, ` + bad + `}]}`)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// TestWhoIsPaid checks that a server of one's own is paid nothing, that each of
// several models is paid its price, and that sums say what nobody counted.
func TestWhoIsPaid(t *testing.T) {
	table := load(t, `{"prices": [{"model": "p:a", "input": 1, "output": 1}, {"model": "p:b", "input": 100, "output": 100}]}`)
	million := event.Tokens{Input: 1e6}
	both := []price.Used{{Model: "p:b", Tokens: event.Tokens{Input: 4e5}}}
	for name, tt := range map[string]struct {
		row   price.Row
		usd   float64
		known bool
	}{
		"one":     {price.Row{Model: "p:a", Tokens: million}, 1, true},
		"local":   {price.Row{Model: "p:a", Tokens: million, Local: true}, 0, true},
		"two":     {price.Row{Model: "p:a", Tokens: million, Others: both}, 0.6 + 40, true},
		"other":   {price.Row{Model: "no:price", Tokens: event.Tokens{Input: 4e5}, Others: both}, 40, true},
		"unknown": {price.Row{Model: "p:a", Tokens: million, Others: []price.Used{{Model: "p:c", Tokens: million}}}, 0, false},
	} {
		if usd, known := table.RowCost(tt.row); !near(usd, tt.usd) || known != tt.known {
			t.Errorf("%s: %g, known %v, want %g, %v", name, usd, known, tt.usd, tt.known)
		}
	}
	missing := million
	missing.Incomplete = true
	sum := price.Sum(table, []price.Row{{Model: "p:a", Tokens: missing}, {Model: "p:a", Tokens: missing, Local: true}, {Model: "p:a", Tokens: million}})
	if sum.Total.Incomplete != 1 || sum.Total.USD != 2 || !sum.Total.Tokens.Incomplete {
		t.Errorf("the sum: %+v", sum.Total)
	}
}
