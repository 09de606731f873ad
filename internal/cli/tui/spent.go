package tui

import (
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/safetext"
)

// spending is what of a run's budget is used, as the events say it.
type spending struct {
	budget   event.Budget
	tokens   event.Tokens
	executed time.Duration
	calls    int
	began    time.Time // the first step; zero: it is still to come
}

// of counts an event.
func (u *spending) of(e event.Event) {
	switch e := e.(type) {
	case event.RunBegan:
		*u = spending{budget: e.Budget}
	case event.StepBegan:
		if u.began.IsZero() {
			u.began = time.Now()
		}
	case event.ModelReplied:
		u.tokens = u.tokens.Add(e.Tokens)
	case event.ChildEnded:
		u.tokens = u.tokens.Add(e.Tokens)
	case event.ExecutionEnded:
		u.executed += time.Duration(e.Execution.Usage.WallMS * float64(time.Millisecond))
	case event.ToolCalled:
		u.calls++
	}
}

// part is one bound of a run and how much of it is used.
type part struct {
	used, most float64
	text       string
}

// parts are the bounds of a run. cost is what its tokens cost; known says that it is.
func (u *spending) parts(cost float64, known bool) []part {
	b, t := u.budget, u.tokens
	var out []part
	add := func(used, most float64, format string, args ...any) {
		if most > 0 && used > 0 {
			out = append(out, part{used, most, fmt.Sprintf(format, args...)})
		}
	}
	atLeast := ""
	if t.Incomplete {
		atLeast = "≥ "
	}
	counted := func(n, most int, what string) {
		add(float64(n), float64(most), "%s%s of %s %s", atLeast, short(n), short(most), what)
	}
	counted(t.Total(), b.Run, "tokens")
	counted(t.Input, b.Input, "tokens in")
	counted(t.Output, b.Output, "tokens out")
	if known {
		add(cost, b.Cost, "%s%s of %s", atLeast, dollars(cost), dollars(b.Cost))
	}
	if !u.began.IsZero() {
		left := time.Duration(b.Time) - time.Since(u.began)
		add(time.Since(u.began).Seconds(), time.Duration(b.Time).Seconds(), "%s left", max(left, 0).Round(time.Second))
	}
	add(u.executed.Seconds(), time.Duration(b.Executed).Seconds(), "%s of %s of execution", u.executed.Round(time.Second), time.Duration(b.Executed))
	add(float64(u.calls), float64(b.Calls), "%d of %d calls", u.calls, b.Calls)
	return out
}

// short writes a count in few characters.
func short(n int) string {
	switch {
	case n >= 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return safetext.Number(n)
}

// dollars writes an amount.
func dollars(usd float64) string {
	if usd < 0.1 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// barCells is how long the bar of the budget is.
const barCells = 8

// bar shows how much of something is used.
func bar(used, most float64) string {
	full := int(used / most * barCells)
	full = min(max(full, 0), barCells)
	return strings.Repeat("█", full) + strings.Repeat("░", barCells-full)
}

// Watch makes the last line of the terminal that the screen is written to say what
// goes on.
func (s *Screen) Watch() {
	s.Wait = &WaitLine{W: s.w, Style: s.Style, Budget: s.budget}
}

// budget is what of the run's budget is used: a bar of the part of which least is left,
// the step, and each part.
func (s *Screen) budget() string {
	if s.step == 0 || s.steps == 0 {
		return ""
	}
	cost, known := 0.0, false
	if s.Cost != nil && !s.free {
		cost, known = s.Cost(s.model, s.used.tokens)
	}
	parts := s.used.parts(cost, known)
	fullest := part{used: float64(s.step), most: float64(s.steps)}
	out := fmt.Sprintf(" · step %d of %d", s.step, s.steps)
	for _, p := range parts {
		if p.used*fullest.most > fullest.used*p.most {
			fullest = p
		}
		out += " · " + p.text
	}
	if known && s.used.budget.Cost == 0 && cost > 0 {
		out += " · " + dollars(cost)
	}
	return " " + bar(fullest.used, fullest.most) + out
}
