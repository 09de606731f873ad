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
	Local    bool   // the model runs on the person's own server
	Tokens   event.Tokens
	Others   []Used // what of Tokens other models used, which replied in the model's place
	Took     event.Duration
}

// Used is what one model used.
type Used struct {
	Model  string       `json:"model"`
	Tokens event.Tokens `json:"tokens"`
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
	// Incomplete are runs with replies whose tokens nobody counted: they cost more.
	Incomplete int `json:"incomplete_runs,omitempty"`
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
		usd, known := t.RowCost(r)
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

// RowCost prices one row. Who was asked nothing is paid nothing, and neither is a
// server of one's own. When one of several models has no price, the row has none.
func (t Table) RowCost(r Row) (usd float64, known bool) {
	if r.Free() {
		return 0, true
	}
	rest := r.Tokens
	for _, o := range r.Others {
		rest = rest.Sub(o.Tokens)
		one, found := t.Cost(o.Model, o.Tokens)
		if !found {
			return 0, false
		}
		usd += one
	}
	if rest.Total() == 0 {
		return usd, true
	}
	first, known := t.Cost(r.Model, rest)
	if !known {
		return 0, false
	}
	return usd + first, true
}

// Free says whether nobody is paid for a row.
func (r Row) Free() bool {
	return r.Scripted || r.Local || Scripted(r.Model) || r.Tokens == (event.Tokens{})
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
	if r.Tokens.Incomplete && !r.Free() {
		l.Incomplete++
	}
	if !known {
		l.Unknown.Runs++
		l.Unknown.Tokens = l.Unknown.Tokens.Add(r.Tokens)
	}
}
