package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

const runsLong = `Lists runs, the newest first. A run must meet every flag that is given. Whatever
does not fit the terminal is left out, the rest of the columns is in --json.

A point in time is a day (2026-11-21, today, yesterday), an age (7d, 12h), or a
time (2026-11-21T14:00:00Z). A day after --until is taken whole.

A status is answered, unanswered or failed for a question; ok, error, timeout,
memory, output, killed, interrupted or crashed for code; ok, error, limit,
refused, waits or stopped for a plan; and running, unfinished or abandoned for
what did not end.

Where a command takes a RUN it may be an id, its beginning, last, or last~2 for
the one two before the last, and RUN.2 is its child 2.

Runs that are parts of others, such as attempts at one question, are only counted;
--children lists them, each below its caller.`

const runsExample = `  praxis runs --since yesterday --status error
  praxis runs --text 'co2 rise' --model anthropic: --cost 0.01
  praxis runs --json --limit 1`

// runsCommand is one praxis runs.
type runsCommand struct {
	p                   *program
	span                spanFlags
	cost                flagValue[float64]
	model, status, kind string
	thread, text        string
	limit               int
	children            bool
	json                bool
}

func (p *program) runsCommand() *cobra.Command {
	r := &runsCommand{p: p}
	cmd := &cobra.Command{
		Use: "runs", Short: "List the runs that were recorded, the newest first", Long: runsLong, Example: runsExample,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return r.list(cmd.Context()) },
	}
	r.cost = flagValue[float64]{parse: parseUSD, kind: "dollars"}
	fs := cmd.Flags()
	r.span.register(cmd)
	fs.StringVar(&r.model, "model", "", "runs that asked a `MODEL` whose name has this in it")
	fs.StringVar(&r.status, "status", "", "runs with this `STATUS`: answered, error, timeout, …")
	fs.StringVar(&r.kind, "kind", "", "runs of this `KIND`: ask for questions, code for code that a person gave, plan for plans, tool for calls of tools")
	fs.StringVar(&r.thread, "thread", "", "runs of this conversation, by its `NAME`")
	fs.Var(&r.cost, "cost", "runs that cost at least so many dollars")
	fs.StringVar(&r.text, "text", "", "runs with these `WORDS` in question, code or answer")
	fs.IntVar(&r.limit, "limit", 20, "list `N` runs at the most; 0 is all")
	fs.BoolVar(&r.children, "children", false, "list runs that are parts of others, too")
	fs.BoolVar(&r.json, "json", false, "print one JSON object a line, with \"id\"")
	cmd.AddCommand(p.removeRuns())
	return cmd
}

const removeRunsLong = `Removes the journals of runs. The chain of runs says who did and when, so that
praxis verify --all does not miss them. Of a run whose journal is gone already it
takes note there in the same way: praxis verify --all lists it from then on, and
does not call it damage. The contents of a run go with the next praxis gc.`

func (p *program) removeRuns() *cobra.Command {
	var asJSON bool
	return objectLines(&cobra.Command{
		Use: "rm RUN…", Short: "Remove runs, or take note that their journals are gone", Long: removeRunsLong, Args: takes(1, 1000, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a lister) error {
				for _, ref := range args {
					gone, err := a.RemoveRun(cmd.Context(), ref)
					if err != nil {
						return err
					}
					text := "removed " + gone.Run + "\n"
					if gone.Lost {
						text = "took note that the journal of " + gone.Run + " is gone\n"
					}
					if err := p.done(asJSON, gone, text); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}, &asJSON)
}

func parseUSD(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
	if err != nil || !(v >= 0 && v <= 1e9) {
		return 0, fault.New(fault.Invalid, "Write dollars such as 0.05 or 2.", "cannot use cost %q: it is not an amount", safetext.Line(s))
	}
	return v, nil
}

// query returns what the flags ask for.
func (r *runsCommand) query() (app.RunQuery, error) {
	q := app.RunQuery{
		Model: r.model, Status: event.RunStatus(r.status), Kind: event.Kind(r.kind), Thread: r.thread, Words: r.text,
		MinUSD: r.cost.value, Limit: r.limit, Children: r.children,
	}
	return q, r.span.narrow(&q)
}

func (r *runsCommand) list(ctx context.Context) error {
	q, err := r.query()
	if err != nil {
		return err
	}
	prices, err := app.LoadPrices(r.p.getenv)
	if err != nil && q.MinUSD != nil {
		return err
	}
	if err != nil {
		// A list without costs is better than none.
		printMessage(r.p.stderr, err.Error(), format.Remedy(err))
	}
	return on(r.p, func(a lister) error {
		runs, more, err := a.Runs(ctx, q, prices)
		if err != nil {
			return err
		}
		if len(runs) == 0 && !r.json {
			return r.nothing(ctx, a)
		}
		if err := r.print(runs); err != nil {
			return err
		}
		parts := 0
		for _, s := range runs {
			parts += s.Children
		}
		if parts > 0 && !r.children && !r.json {
			if err := r.p.note("%s of these are not listed; see them with --children", childCount(parts)); err != nil {
				return err
			}
		}
		if more && !r.json {
			return r.p.note("there are more; see them with --limit %d, or --limit 0 for all", 5*r.limit)
		}
		return nil
	})
}

// nothing distinguishes an empty journal from filters that let nothing through.
func (r *runsCommand) nothing(ctx context.Context, a lister) error {
	any, err := a.HasRuns(ctx)
	if err != nil {
		return err
	}
	if !any {
		return r.p.emit(noRuns)
	}
	return r.p.emit("No run is like that. Leave a flag out to see more.\n")
}

// noRuns says how to make the first run.
const noRuns = "There are no runs yet. Every praxis ask and praxis run makes one: praxis run -c 'print(6 * 7)'\n"

// runTitle is what a run is called in a message.
func runTitle(r app.Run) string { return r.ID + "  " + label(r.Question) }

func (r *runsCommand) print(runs []app.ListedRun) error {
	if !r.json {
		return r.p.emit(runTable(runs, time.Now(), r.p.columns()))
	}
	for _, s := range runs {
		if err := r.p.printJSON(s); err != nil {
			return err
		}
	}
	return nil
}

// columns is the width of the terminal that a table is for, or 0 when it is not
// for one.
func (p *program) columns() int {
	if !isTerminal(p.stdout) {
		return 0
	}
	return width(p.stdout)
}

// runTable shows runs in a table for a terminal so wide, or with every column
// in full.
func runTable(runs []app.ListedRun, now time.Time, width int) string {
	t := format.Table{
		{Head: "ID"}, {Head: "WHEN"}, {Head: "KIND", Drop: 7}, {Head: "STATUS"}, {Head: "MODEL", Drop: 8},
		{Head: "STEPS", Drop: 6, Right: true}, {Head: "TOKENS", Drop: 5, Right: true},
		{Head: "COST", Drop: 3, Right: true}, {Head: "TOOK", Drop: 4, Right: true}, {Head: "QUESTION"},
	}
	for _, s := range belowCallers(runs) {
		began := when(s.Began)
		if width > 0 {
			began = ago(now, s.Began)
		}
		t.Add(
			s.ID, began, string(s.Kind), string(s.Status), s.Model, some(s.Steps), some(s.Tokens.Total()),
			costText(s), brief(time.Duration(s.Took)), shownQuestion(s),
		)
	}
	return format.Fitted(t, width)
}

// childCount counts runs that are parts of others.
func childCount(n int) string {
	if n == 1 {
		return "1 child"
	}
	return fmt.Sprintf("%d children", n)
}

// belowCallers puts children below their callers, in the order of their numbers. One whose
// caller is not in the list stays where it is.
func belowCallers(runs []app.ListedRun) []app.ListedRun {
	listed, children := map[string]bool{}, map[string][]app.ListedRun{}
	for _, s := range runs {
		listed[s.ID] = true
	}
	for _, s := range runs {
		if c := s.Caller; c != nil && listed[c.Run] {
			children[c.Run] = append(children[c.Run], s)
		}
	}
	out := make([]app.ListedRun, 0, len(runs))
	var put func(s app.ListedRun)
	put = func(s app.ListedRun) {
		out = append(out, s)
		below := children[s.ID]
		delete(children, s.ID)
		slices.SortStableFunc(below, func(a, b app.ListedRun) int { return cmp.Compare(a.Caller.Child, b.Caller.Child) })
		for _, c := range below {
			put(c)
		}
	}
	for _, s := range runs {
		if s.Caller == nil || !listed[s.Caller.Run] {
			put(s)
		}
	}
	for _, s := range runs { // what calls itself in a circle is no tree: it came from elsewhere
		if s.Caller != nil && children[s.Caller.Run] != nil {
			put(s)
		}
	}
	return out
}

// shownQuestion is the question of a run, and of a child what it is.
func shownQuestion(s app.ListedRun) string {
	if c := s.Caller; c != nil {
		return fmt.Sprintf("%s· %s %d: %s", strings.Repeat("  ", min(c.Depth, 8)-min(c.Depth, 1)), c.Role, c.Child, s.Question)
	}
	return s.Question
}

// some writes a number that is not 0.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
