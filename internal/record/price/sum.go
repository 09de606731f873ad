package price

import (
	"cmp"
	"slices"

	"praxis/event"
)

// Row is what one run used.
type Row struct {
	Model    string // PROVIDER:NAME; empty for a run that asked no model
	Day      string // such as "2026-11-21", in the zone of who asks
	Scripted bool   // the replies came from a file, whatever the model's name
	Tokens   event.Tokens
	Took     event.Duration
}

// Line is the sum of some rows.
type Line struct {
	Name     string         `json:"name"` // the model or the day; empty for all, or for no model
	Runs     int            `json:"runs"`
	Tokens   event.Tokens   `json:"tokens"` // of all runs, priced or not
	Took     event.Duration `json:"took_ms"`
	USD      float64        `json:"usd"` // of the runs whose price is known
	Scripted int            `json:"scripted_runs,omitempty"`
	Unknown  Unknown        `json:"unknown,omitzero"`
}

// Unknown counts what has no price and is in no cost.
type Unknown struct {
	Runs   int          `json:"runs"`
	Tokens event.Tokens `json:"tokens"`
}

// Costs are sums of the same rows.
type Costs struct {
	Models []Line `json:"models"` // the dearest first
	Days   []Line `json:"days"`   // the latest first
	Total  Line   `json:"total"`
}

// Sum adds rows up by model and by day.
func Sum(t Table, rows []Row) Costs {
	models, days := map[string]*Line{}, map[string]*Line{}
	c := Costs{Models: []Line{}, Days: []Line{}}
	for _, r := range rows {
		usd, known := t.rowCost(r)
		for _, l := range []*Line{named(models, r.Model), named(days, r.Day), &c.Total} {
			l.add(r, usd, known)
		}
	}
	for _, l := range models {
		c.Models = append(c.Models, *l)
	}
	slices.SortFunc(c.Models, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.USD, a.USD),
			cmp.Compare(b.Tokens.Total(), a.Tokens.Total()), cmp.Compare(a.Name, b.Name))
	})
	for _, l := range days {
		c.Days = append(c.Days, *l)
	}
	slices.SortFunc(c.Days, func(a, b Line) int { return cmp.Compare(b.Name, a.Name) })
	return c
}

// rowCost prices one row. Who was asked nothing is paid nothing.
func (t Table) rowCost(r Row) (usd float64, known bool) {
	if r.Scripted || r.Tokens == (event.Tokens{}) {
		return 0, true
	}
	return t.Cost(r.Model, r.Tokens)
}

func named(lines map[string]*Line, name string) *Line {
	l := lines[name]
	if l == nil {
		l = &Line{Name: name}
		lines[name] = l
	}
	return l
}

func (l *Line) add(r Row, usd float64, known bool) {
	l.Runs++
	l.Took += r.Took
	l.Tokens = l.Tokens.Add(r.Tokens)
	l.USD += usd
	if r.Scripted || Scripted(r.Model) {
		l.Scripted++
	}
	if !known {
		l.Unknown.Runs++
		l.Unknown.Tokens = l.Unknown.Tokens.Add(r.Tokens)
	}
}
