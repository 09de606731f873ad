package bench

import "strconv"

// Goal is what a figure should be.
type Goal struct {
	Figure, Unit, What string
	Bound              float64
	AtLeast            bool // Bound is the least; else it is the most
}

// Goals are what is wanted of the figures, in the order of their table. They are those
// of an image with numpy and pandas.
func Goals() []Goal {
	return []Goal{
		{Figure: "restore_ratio", Unit: "×", Bound: 0.30, What: "restore ÷ native import"},
		{Figure: "roundtrip_ratio", Unit: "×", Bound: 0.07, What: "round trip of x+1 ÷ Jupyter's"},
		{Figure: "fork_ratio", Unit: "×", Bound: 0.40, What: "fork to the child's first result ÷ native import"},
		{Figure: "snapshot_ms", Unit: "ms", Bound: 50, What: "the original stands still for a snapshot"},
		{Figure: "claim_warm_ms", Unit: "ms", Bound: 3, What: "warm claim"},
		{Figure: "restores_per_second", Unit: "1/s", Bound: 15, AtLeast: true, What: "restores a second, eight at once"},
		{Figure: "session_pss_mb", Unit: "MB", Bound: 65, What: "memory of a session beside three others"},
		{Figure: "cpu_ratio", Unit: "×", Bound: 1.03, What: "a pure loop inside ÷ outside"},
		{Figure: "js_start_ratio", Unit: "×", Bound: 1.2, What: "a new JavaScript session ÷ a new Python session"},
		{Figure: "js_trip_ratio", Unit: "×", Bound: 1.5, What: "round trip of 1+1 in JavaScript ÷ in Python"},
		{Figure: "sql_ratio", Unit: "×", Bound: 1.1, What: "SQL over a million rows of Parquet ÷ DuckDB on the host"},
		{Figure: "call_us", Unit: "µs", Bound: 500, What: "tool call from code"},
		{Figure: "run_ms", Unit: "ms", Bound: 150, What: "the smallest run, warm, whole process"},
		{Figure: "first_run_ms", Unit: "ms", Bound: 6000, What: "the same on an empty home"},
		{Figure: "step_ms", Unit: "ms", Bound: 250, What: "a step of a named session, whole process"},
		{Figure: "agent_step_ms", Unit: "ms", Bound: 5, What: "a step of a question beyond its model and its execution"},
		{Figure: "agent_branches_ratio", Unit: "×", Bound: 1, What: "4 attempts at a question ÷ 4 questions, as many at a time"},
		{Figure: "sub_queries_50_s", Unit: "s", Bound: 1, What: "50 queries of code at once, of a model that takes 100 ms for each"},
		{Figure: "programs_ratio", Unit: "×", Bound: 1, AtLeast: true, What: "programs a second, asked ÷ started as processes on the host"},
		{Figure: "server_trip_ratio", Unit: "×", Bound: 1.5, What: "round trip over HTTP ÷ the engine's own"},
		{Figure: "server_executions_per_second", Unit: "1/s", Bound: 1000, AtLeast: true, What: "small executions a second across 50 sessions"},
		{Figure: "server_alive", Bound: 200, AtLeast: true, What: "sessions that live at once on 24 GB"},
	}
}

// Wanted is the goal as a person writes it, such as "≤ 0.3".
func (g Goal) Wanted() string {
	sign := "≤ "
	if g.AtLeast {
		sign = "≥ "
	}
	return sign + strconv.FormatFloat(g.Bound, 'f', -1, 64)
}

// Compared is a goal and what was measured.
type Compared struct {
	Figure   string   `json:"figure"`
	What     string   `json:"what"`
	Unit     string   `json:"unit"`
	Goal     string   `json:"goal"`
	Measured *float64 `json:"measured"` // the median; nil: it was not measured
	Met      bool     `json:"met"`
	Skipped  string   `json:"skipped,omitempty"` // why it was not measured
}

// Compare returns the goals of what was measured or skipped.
func (r Report) Compare() []Compared {
	var out []Compared
	for _, g := range Goals() {
		c := Compared{Figure: g.Figure, What: g.What, Unit: g.Unit, Goal: g.Wanted(), Skipped: r.Skipped[g.Figure]}
		if f, ok := r.Figures[g.Figure]; ok {
			c.Measured = &f.P50
			c.Met = f.P50 <= g.Bound != g.AtLeast || f.P50 == g.Bound
		} else if c.Skipped == "" {
			continue
		}
		out = append(out, c)
	}
	return out
}
