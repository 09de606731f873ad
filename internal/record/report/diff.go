package report

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/safetext"
)

// Diff writes what differs between two runs, and says whether nothing does:
// what they were given, then step by step the code, how it ended, its output,
// results, errors and changed files, and then the answer. Thoughts, times, use
// of resources and the names of sessions and snapshots are not compared.
// Options.Step limits it to one step.
func Diff(w io.Writer, a, b Run, opt Options) (same bool, err error) {
	d := comparison{printer: newPrinter(w, opt), a: newTimeline(a), b: newTimeline(b), same: true}
	d.printf("%s\n%s\n", d.paint(sgrRed, "--- run "+safetext.Line(a.ID)), d.paint(sgrGreen, "+++ run "+safetext.Line(b.ID)))
	for _, run := range []Run{a, b} {
		if run.Damage != "" {
			d.printf("%s\n", d.paint(sgrYellow, "warning: the record of run "+safetext.Line(run.ID)+" is not whole: "+safetext.Line(run.Damage)))
		}
	}
	if opt.Step == 0 {
		if d.branched() > 0 && d.b.inputs == nil {
			d.b.inputs = d.a.inputs // they are in the state that it began with
		}
		d.section("given", given(d.a), given(d.b))
	}
	d.steps(opt.Step)
	if opt.Step == 0 {
		d.section("answer", answer(d.a), answer(d.b))
		d.section("status", statusAndReason(d.a), statusAndReason(d.b))
	}
	if d.same {
		d.printf("nothing differs\n")
	}
	return d.same, d.flush()
}

// comparison writes the differences of two runs.
type comparison struct {
	printer
	a, b *timeline
	same bool
}

// section compares one text of both runs.
func (d *comparison) section(name, a, b string) {
	if a == b {
		return
	}
	d.same = false
	d.printf("\n%s\n", d.paint(sgrBold, name))
	text := Lines(a, b)
	_, text, _ = strings.Cut(text, "\n") // the names of the runs stand above
	_, text, _ = strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		sgr := ""
		switch line[0] {
		case '-':
			sgr = sgrRed
		case '+':
			sgr = sgrGreen
		case '@', '\\', '[':
			sgr = sgrDim
		}
		if sgr != "" {
			line = d.paint(sgr, line)
		}
		d.printf("%s\n", line)
	}
}

// aspect is one side of a step that is compared by itself.
type aspect struct{ name, text string }

// steps compares the steps of the same number; only limits it to one. Those that
// a branch took over from the other run are the same by nature.
func (d *comparison) steps(only int) {
	a, b := aspectsOf(d.a), aspectsOf(d.b)
	first := d.branched()
	if first > 1 && only == 0 {
		which := "step 1 is that"
		if first > 2 {
			which = "steps 1 to " + safetext.Number(first-1) + " are those"
		}
		d.printf("\n%s of run %s\n", which, safetext.Line(d.b.began.Parent.Run))
	}
	for _, n := range slices.Sorted(maps.Keys(union(a, b))) {
		if n < first || only != 0 && n != only {
			continue
		}
		x, y := a[n], b[n]
		name := "step " + safetext.Number(n)
		switch {
		case x == nil:
			name += ", only in the second run"
		case y == nil:
			name += ", only in the first run"
		}
		if x == nil || y == nil {
			d.same = false
			d.printf("\n%s\n", d.paint(sgrBold, name))
		}
		for i := range max(len(x), len(y)) {
			title, left, right := "", "", ""
			if x != nil {
				title, left = x[i].name, x[i].text
			}
			if y != nil {
				title, right = y[i].name, y[i].text
			}
			d.section(fmt.Sprintf("step %d: %s", n, title), left, right)
		}
	}
}

// branched returns the first step of the second run that is its own, when that
// is a branch of the first run; else 0.
func (d *comparison) branched() int {
	if p := d.b.began.Parent; p != nil && p.Run == d.a.run.ID {
		return p.Step
	}
	return 0
}

func union(a, b map[int][]aspect) map[int][]aspect {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// aspectsOf returns what is compared of each step, always the same aspects in
// the same order, by the number of the step.
func aspectsOf(s *timeline) map[int][]aspect {
	out := map[int][]aspect{}
	for _, p := range s.steps() {
		var code, status, stdout, stderr, shown, raise, changes, other strings.Builder
		for _, it := range p.items {
			switch e := it.Event.(type) {
			case event.ExecutionBegan:
				if e.Own() {
					code.WriteString(ended(e.Code))
				}
				if it.lost {
					status.WriteString(unfinished + "\n")
				}
			case event.ExecutionEnded:
				if _, filling := s.filled(it, e); filling {
					continue
				}
				x := e.Execution
				status.WriteString(strings.TrimSpace(x.Status.String()+" "+string(x.Limit)) + "\n")
				stdout.WriteString(x.Stdout)
				stderr.WriteString(x.Stderr)
				for _, b := range append(slices.Clone(x.Displays), x.Result) {
					shown.WriteString(bundleText(b))
				}
				raise.WriteString(ended(raised(x)))
				for _, c := range x.Changes {
					if c.Kind == "removed" {
						fmt.Fprintf(&changes, "%s %s\n", c.Kind, c.Path)
						continue
					}
					fmt.Fprintf(&changes, "%s %s, %d bytes, %s\n", c.Kind, c.Path, c.Bytes, c.SHA256)
				}
			case event.PlanWritten:
				code.WriteString(ended(e.Code))
			case event.PlanEnded:
				status.WriteString(e.Status + "\n")
				stdout.WriteString(e.Output)
				raise.WriteString(ended(e.Error))
			case event.ReplyRejected, event.ModelFailed, event.ToolCalled, event.ToolReturned, event.ApprovalGiven,
				event.PlanChecked, event.DecisionMade, event.LabelLowered, event.PlanWaits, event.ConnectionOpened, event.ConnectionRefused:
				r, ok := s.annotate(it)
				if _, opened := it.Event.(event.ConnectionOpened); ok || opened {
					other.WriteString(ended(untimed(it, r)))
				}
			}
		}
		out[p.step] = []aspect{{"events", other.String()}, {"code", code.String()}, {"status", status.String()}, {"output", stdout.String()},
			{"error output", stderr.String()}, {"results", shown.String()}, {"error", raise.String()}, {"changed files", changes.String()}}
	}
	return out
}

// untimed writes an annotation without the duration in it.
func untimed(it *item, r annotation) string {
	switch e := it.Event.(type) {
	case event.ModelFailed:
		r.Text = e.Reason
	case event.ConnectionOpened: // it is described with its end, which is not compared
		r = annotation{Label: "network", Text: fmt.Sprintf("%s:%d", e.Host, e.Port)}
	case event.ToolReturned:
		r.Text, _, _ = strings.Cut(r.Text, " after ")
	}
	return ended(r.Label+": "+r.Text) + r.Body
}

// ended gives a text that is not empty a newline at its end.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// bundleText writes a displayed value as lines; binary types by their hash.
func bundleText(b event.Bundle) string {
	var out strings.Builder
	for _, mime := range slices.Sorted(maps.Keys(b)) {
		if strings.HasPrefix(mime, "image/") {
			fmt.Fprintf(&out, "%s, %d bytes, %x\n", mime, len(b[mime]), sha256.Sum256([]byte(b[mime])))
			continue
		}
		if mime != "text" {
			out.WriteString(mime + ":\n")
		}
		out.WriteString(ended(b[mime]))
	}
	return out.String()
}

// given writes what a run was given, a line for each thing.
func given(s *timeline) string {
	var out strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s %s\n", name, strings.ReplaceAll(value, "\n", `\n`))
		}
	}
	line("kind", string(s.began.Kind))
	line("question", s.began.Question)
	line("model", s.began.Model)
	line("mode", s.began.Mode)
	line("thread", s.began.Thread)
	seed := s.began.Seed
	if s.session != nil {
		line("image", s.session.Image.Name+" "+s.session.Image.ID)
		for _, p := range s.session.Packages() {
			line("package", p.Name+" "+p.Version)
		}
		if seed == nil {
			seed = s.session.Seed
		}
		line("limits", limits(s.session.Limits))
		if !s.session.Date.IsZero() {
			line("date", s.session.Date.Format(time.RFC3339))
		}
	}
	if seed != nil {
		line("seed", decimal(*seed))
	}
	line("bounds", fmt.Sprintf("%s of time, %s of processor time, %d bytes of output", s.began.Bounds.Timeout, s.began.Bounds.CPU, s.began.Bounds.OutputBytes))
	for _, t := range s.began.Tools {
		line("tool", t.Name+" "+t.Version+" "+short(t.Hash))
	}
	line("network", strings.Join(s.began.Net, ", "))
	for _, f := range s.files {
		line(f.Role, fmt.Sprintf("%s, %d bytes, %s", f.Name, f.Bytes, f.SHA256))
	}
	for _, f := range s.inputs {
		line("input", fmt.Sprintf("%s, %d bytes, %s", f.Path, f.Bytes, f.SHA256))
	}
	return out.String()
}

// answer writes a run's answer and where its figures come from.
func answer(s *timeline) string {
	if s.answer == nil {
		return ""
	}
	var out strings.Builder
	out.WriteString(ended(s.answer.Text))
	for _, f := range s.answer.Figures {
		fmt.Fprintf(&out, "figure %s: %s\n", strings.ReplaceAll(f.Text, "\n", `\n`), strings.TrimSpace(origin(f)+" "+strings.ReplaceAll(f.Expression, "\n", `\n`)))
	}
	return out.String()
}

func statusAndReason(s *timeline) string {
	reason := ""
	if s.ended != nil {
		reason = s.ended.Reason
	}
	return ended(s.status()) + ended(reason)
}
