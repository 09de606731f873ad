package event

import (
	"reflect"
	"strings"
)

// Budget bounds a run of the agent, beside its steps. It is kept on the host: no
// code in a sandbox can change it. A zero is no bound, or that of a default.
type Budget struct {
	Reply    int      `json:"reply,omitempty"`        // tokens of one reply
	Run      int      `json:"run,omitempty"`          // tokens of the whole run, in and out
	Window   int      `json:"window,omitempty"`       // tokens of one request; beyond them the older part of the conversation is condensed
	Input    int      `json:"input,omitempty"`        // tokens in
	Output   int      `json:"output,omitempty"`       // tokens out
	Cost     float64  `json:"cost_usd,omitempty"`     // by list prices
	Calls    int      `json:"calls,omitempty"`        // of tools, by the model and by its code
	Time     Duration `json:"time_ms,omitempty"`      // by the clock, from the first step on
	Executed Duration `json:"execution_ms,omitempty"` // of all executions together
	Attempts int      `json:"attempts,omitempty"`     // how often the same error may come
	Steps    int      `json:"steps,omitempty"`        // of the run and its children together, beside those of each
	Depth    int      `json:"depth,omitempty"`        // how deep below the first run children that are runs may be
	SubCalls int      `json:"sub_calls,omitempty"`    // children of the run, and theirs, together
}

// The parts of a budget that a run can end by. A replay cannot count the first three again,
// as clocks and prices differ, and the others where several runs draw from one account.
const (
	BudgetCost     = "cost"
	BudgetTime     = "time"
	BudgetExecuted = "execution time"
	BudgetTokens   = "tokens"
	BudgetInput    = "input tokens"
	BudgetOutput   = "output tokens"
	BudgetSteps    = "total steps"
)

// Unit is what a part of a budget is counted in.
type Unit uint8

// The units.
const (
	Counted Unit = iota + 1
	Dollars
	Seconds
)

// BudgetSpec is what the configuration, flags and messages know of one part of a
// budget that a person can set.
type BudgetSpec struct {
	Name     string // in words, such as "input tokens"
	What     string // for help: "tokens that the model may read in all"
	Unit     Unit
	Min, Max float64
	field    func(*Budget) reflect.Value
}

// BudgetTable returns the parts of a budget that a person can set, in the order in
// which they are shown.
func BudgetTable() []BudgetSpec {
	return []BudgetSpec{
		{BudgetCost, "US dollars that the model may cost by list prices, such as 0.50", Dollars, 0.0001, 1e6, partOf(func(b *Budget) *float64 { return &b.Cost })},
		{BudgetTime, "how long the run may take, such as 5m", Seconds, 1, 30 * 24 * 3600, partOf(func(b *Budget) *Duration { return &b.Time })},
		{BudgetExecuted, "how long all code of the run may take", Seconds, 1, 30 * 24 * 3600, partOf(func(b *Budget) *Duration { return &b.Executed })},
		{BudgetTokens, "tokens that the run may use, in and out", Counted, 1000, 1e12, partOf(func(b *Budget) *int { return &b.Run })},
		{BudgetInput, "tokens that the model may read in all", Counted, 1000, 1e12, partOf(func(b *Budget) *int { return &b.Input })},
		{BudgetOutput, "tokens that the model may write in all", Counted, 100, 1e12, partOf(func(b *Budget) *int { return &b.Output })},
		{"calls", "calls of tools that the run may make", Counted, 1, 1e6, partOf(func(b *Budget) *int { return &b.Calls })},
		{"attempts", "how often the same error may come", Counted, 1, 1000, partOf(func(b *Budget) *int { return &b.Attempts })},
		{BudgetSteps, "turns that the model may take in the run and all that it begins together", Counted, 1, 1e6, partOf(func(b *Budget) *int { return &b.Steps })},
		{"depth", "how deep runs that code begins may begin others (default 2)", Counted, 1, 8, partOf(func(b *Budget) *int { return &b.Depth })},
		{"sub-calls", "queries and runs that code may begin in all (default 200)", Counted, 1, 1e5, partOf(func(b *Budget) *int { return &b.SubCalls })},
	}
}

func partOf[T any](field func(*Budget) *T) func(*Budget) reflect.Value {
	return func(b *Budget) reflect.Value { return reflect.ValueOf(field(b)).Elem() }
}

// Key is the name in the configuration, such as "max_input_tokens".
func (s BudgetSpec) Key() string {
	return "max_" + strings.NewReplacer(" ", "_", "-", "_").Replace(s.Name)
}

// Flag is the name on a command line, such as "max-input-tokens".
func (s BudgetSpec) Flag() string { return "max-" + strings.ReplaceAll(s.Name, " ", "-") }

// Of returns the part's value in b, a time in seconds.
func (s BudgetSpec) Of(b Budget) float64 {
	switch v := s.field(&b); {
	case v.CanFloat():
		return v.Float()
	case s.Unit == Seconds:
		return float64(v.Int()) / 1e9
	default:
		return float64(v.Int())
	}
}

// Set changes the part in b. A time is given in seconds.
func (s BudgetSpec) Set(b *Budget, value float64) {
	switch v := s.field(b); {
	case v.CanFloat():
		v.SetFloat(value)
	case s.Unit == Seconds:
		v.SetInt(int64(value * 1e9))
	default:
		v.SetInt(int64(value))
	}
}

// Over returns b with every zero replaced by what base says.
func (b Budget) Over(base Budget) Budget { return over(b, base) }
