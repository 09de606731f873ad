package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const costLong = `Adds up what runs used: tokens, time and money, by model and by day. Money is
by list prices, in US dollars: what came from a provider's cache has its own, and
what else a provider gives off or adds is not in it. A server of your own and
replies from a file cost nothing.

praxis cost --prices shows the table of prices and the file in which you can
correct it or add to it.`

// costCommand is one praxis cost.
type costCommand struct {
	p           *program
	span        spanFlags
	by          string
	table, json bool
}

func (p *program) costCommand() *cobra.Command {
	c := &costCommand{p: p}
	cmd := &cobra.Command{
		Use: "cost", Short: "Add up tokens, time and money of runs", Long: costLong, Args: takes(0, 0, ""),
		Example: "  praxis cost --since 30d --by day",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	c.span.register(cmd)
	fs.StringVar(&c.by, "by", "", "by `WHAT`: model or day (default: both)")
	fs.BoolVar(&c.table, "prices", false, "print the table of prices and where to change it")
	fs.BoolVar(&c.json, "json", false, "print one JSON object instead")
	return cmd
}

func (c *costCommand) run(ctx context.Context) error {
	if c.by != "" && c.by != "model" && c.by != "day" {
		return fault.New(fault.Invalid, "Write model or day.", "cannot add up by %q", safetext.Line(c.by))
	}
	prices, err := app.LoadPrices(c.p.getenv)
	if err != nil {
		return err
	}
	if c.table {
		return c.prices(prices)
	}
	var q app.RunQuery
	if err := c.span.narrow(&q); err != nil {
		return err
	}
	return on(c.p, func(a lister) error {
		sum, err := a.Cost(ctx, q, prices)
		if err != nil {
			return err
		}
		return c.print(sum)
	})
}

// costLines is the object of cost --json.
type costLines struct {
	Since  *time.Time     `json:"since,omitempty"`
	Until  *time.Time     `json:"until,omitempty"`
	Models []app.CostLine `json:"models,omitempty"`
	Days   []app.CostLine `json:"days,omitempty"`
	Total  app.CostLine   `json:"total"`
}

func (c *costCommand) print(sum app.Costs) error {
	if c.json {
		out := costLines{c.span.since.value, c.span.until.value, sum.Models, sum.Days, sum.Total}
		if c.by == "day" {
			out.Models = nil
		}
		if c.by == "model" {
			out.Days = nil
		}
		return c.p.printJSON(out)
	}
	if sum.Total.Runs == 0 {
		if c.span.since.value == nil && c.span.until.value == nil {
			return c.p.emit(noRuns)
		}
		return c.p.emit("There are no runs in that time.\n")
	}
	var b strings.Builder
	if c.by != "day" {
		b.WriteString(costTable("MODEL", sum.Models, sum.Total, c.by != "", c.p.columns()))
	}
	if c.by == "" {
		b.WriteString("\n")
	}
	if c.by != "model" {
		b.WriteString(costTable("DAY", sum.Days, sum.Total, true, c.p.columns()))
	}
	if n := sum.Total.Incomplete; n > 0 {
		fmt.Fprintf(&b, "\nMore than that was used: the servers of %s did not count all tokens (+?).\n", safetext.Count(n, "run"))
	}
	if u := sum.Total.Unknown; u.Runs > 0 {
		fmt.Fprintf(&b, "\nNot in it: %s with %s tokens, of models whose price is not known (+?).\nWrite it down: praxis cost --prices says where.\n",
			safetext.Count(u.Runs, "run"), safetext.Number(u.Tokens.Total()))
	}
	return c.p.emit(b.String())
}

// costTable shows sums, and their total when it is wanted.
func costTable(head string, lines []app.CostLine, total app.CostLine, withTotal bool, width int) string {
	t := format.Table{
		{Head: head}, {Head: "RUNS", Right: true, Drop: 2}, {Head: "INPUT", Right: true}, {Head: "CACHED", Right: true, Drop: 3}, {Head: "OUTPUT", Right: true},
		{Head: "TIME", Right: true, Drop: 1}, {Head: "COST", Right: true},
	}
	if withTotal && len(lines) > 1 {
		total.Name = "all"
		lines = append(append([]app.CostLine{}, lines...), total)
	}
	for _, l := range lines {
		name := l.Name
		if name == "" {
			name = "(no model)"
		}
		cost := app.FormatUSD(l.USD)
		switch {
		case l.Unknown.Runs == l.Runs && l.USD == 0:
			cost = "?"
		case l.Unknown.Runs > 0 || l.Incomplete > 0:
			cost += " +?"
		case l.Scripted == l.Runs && l.Runs > 0 && name != "all":
			name += " (scripted)"
		}
		t.Add(name, safetext.Number(l.Runs), safetext.Number(l.Tokens.Input), some(l.Tokens.CacheRead), safetext.Number(l.Tokens.Output), brief(time.Duration(l.Took)), cost)
	}
	return format.Fitted(t, width)
}

// prices prints the table of prices.
func (c *costCommand) prices(t app.PriceTable) error {
	if c.json {
		for _, p := range t.Prices() {
			if err := c.p.printJSON(p); err != nil {
				return err
			}
		}
		return nil
	}
	cols := format.Table{{Head: "MODEL"}, {Head: "INPUT", Right: true}, {Head: "CACHE READ", Right: true, Drop: 3}, {Head: "CACHE WRITE", Right: true, Drop: 3}, {Head: "OUTPUT", Right: true}, {Head: "AS OF", Drop: 1}, {Head: "SOURCE", Drop: 2}}
	for _, p := range t.Prices() {
		cols.Add(p.Model, amount(p.Input), optional(p.CacheRead), optional(p.CacheWrite), amount(p.Output), p.AsOf, p.Source)
	}
	where := app.PricesPath(c.p.getenv)
	if where == "" {
		where = "nowhere: neither XDG_CONFIG_HOME nor HOME is set"
	}
	return c.p.emit(format.Fitted(cols, c.p.columns()) + fmt.Sprintf(`
US dollars per million tokens. The first pattern that fits a model is its price.
Your own prices go before these. Write them here:
  %s
  {"prices": [{"model": "openai:my-model*", "input": 0.5, "output": 1.5}]}
`, safetext.Line(where)))
}

func amount(usd float64) string { return strconv.FormatFloat(usd, 'f', -1, 64) }

// optional is a price that an entry need not have.
func optional(usd *float64) string {
	if usd == nil {
		return ""
	}
	return amount(*usd)
}

// costText is a cost in a table: "?" is one whose price is not known, and
// nothing one that nobody was asked for.
func costText(r app.ListedRun) string {
	switch {
	case r.Tokens == (event.Tokens{}):
		return ""
	case r.USD == nil:
		return "?"
	}
	text := app.FormatUSD(*r.USD)
	if r.Tokens.Incomplete && !r.Scripted && !r.Local {
		text += " +?"
	}
	return text
}
