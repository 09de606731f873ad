package replay

import (
	"fmt"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// Changed counts the decisions that are others now.
func (r PlanReport) Changed() (changed, all int) {
	for _, p := range r.Plans {
		for _, d := range p.Decisions {
			if all++; d.Changed {
				changed++
			}
		}
	}
	return changed, all
}

// Headline says the result in a few words.
func (r PlanReport) Headline() string {
	if r.Identical && r.Policy == "" {
		return "identical"
	}
	changed, all := r.Changed()
	switch {
	case r.Policy == "" && changed == 0:
		return "differs"
	case all == 0 && r.Identical:
		return "no call was decided"
	case changed == 0 && r.Identical:
		return "the same is decided"
	case changed == 0:
		return "the same is decided, but the plan differs"
	}
	verb := "are others"
	if changed == 1 {
		verb = "is another"
	}
	return fmt.Sprintf("%d of %s %s", changed, safetext.Count(all, "decision"), verb)
}

// Text writes the report for a person.
func (r PlanReport) Text(w io.Writer) error {
	var b strings.Builder
	under := ""
	if r.Policy != "" {
		under = " under " + safetext.Line(r.Policy)
	}
	fmt.Fprintf(&b, "run %s%s: %s\n", r.Run, under, r.Headline())
	for _, p := range r.Plans {
		p.text(&b, r.Kind)
	}
	for _, n := range r.Notes {
		b.WriteString(safetext.Line(n) + "\n")
	}
	fmt.Fprintf(&b, "%s executed again in %s\n", safetext.Count(len(r.Plans), "plan"), seconds(r.Took))
	_, err := io.WriteString(w, b.String())
	return err
}

// brief writes the first plan that differs.
func (r PlanReport) brief(b *strings.Builder) {
	for _, p := range r.Plans {
		if p.Identical {
			continue
		}
		var text strings.Builder
		p.text(&text, r.Kind)
		indentLines(b, text.String())
		break
	}
	for _, n := range r.Notes {
		indent(b, n)
	}
}

func (p PlanStepReport) text(b *strings.Builder, kind event.Kind) {
	name := "plan"
	if kind == event.Ask {
		name = fmt.Sprintf("step %d", p.Step)
	}
	switch {
	case p.Identical:
		fmt.Fprintf(b, "%s: identical\n", name)
	case len(p.Differences) > 0:
		fmt.Fprintf(b, "%s: differs: %s\n", name, list(p.Differences))
		diffs(b, p.Differences)
	default:
		fmt.Fprintf(b, "%s:\n", name)
	}
	for _, d := range p.Decisions {
		d.text(b)
	}
}

// text writes a decision: on one line, or as a diff.
func (d Redecided) text(b *strings.Builder) {
	call := fmt.Sprintf("%s %s, line %d", safetext.Line(d.ID), safetext.Line(d.Tool), d.Line)
	if !d.Changed {
		fmt.Fprintf(b, "  %s: %s\n", call, d.Was.line())
		return
	}
	fmt.Fprintf(b, "  %s:\n", call)
	for _, side := range []struct {
		sign   string
		ruling Ruling
	}{{"-", d.Was}, {"+", d.Is}} {
		text := side.ruling.line()
		if side.ruling.Reason != "" {
			text += ": " + safetext.Line(strings.TrimSuffix(side.ruling.Reason, "."))
		}
		fmt.Fprintf(b, "    %s%s\n", side.sign, text)
	}
}

func (r Ruling) line() string {
	return fmt.Sprintf("%s by the rule %q", safetext.Line(r.Verdict), safetext.Line(r.Rule))
}
