package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// planFile takes a file with the definitions, the policy or the state of a plan;
// an input is none.
func (t *timelineBuilder) planFile(f event.FileGiven) bool {
	if f.Role == "" {
		return false
	}
	t.files = append(t.files, f)
	return true
}

// plan takes in what happens to a plan, and what closes what.
func (t *timelineBuilder) plan(it *item) {
	switch e := it.Event.(type) {
	case event.PlanWritten:
		if t.first == nil {
			t.first = &e
		}
		if t.part().step == 0 && !t.closed && t.began.Kind == event.Plan {
			t.parts = append(t.parts, &part{step: 1, at: it.Time})
		}
	case event.PlanChecked:
		t.part().failed = t.part().failed || !e.Accepted
	case event.PlanWaits: // the call is answered in another run
		t.take("tool " + e.ID)
		t.take("approval " + e.ID)
	case event.PlanEnded:
		t.part().failed = t.part().failed || e.Status != "ok"
	}
}

// planFacts are what the head says about a plan.
func (s *timeline) planFacts(put func(name, value string)) {
	for _, role := range []string{"tools", "policy", "state"} {
		var names []string
		for _, f := range s.files {
			if f.Role != role {
				continue
			}
			name := f.Name
			if role == "state" {
				name = safetext.Size(f.Bytes)
			}
			if f.SHA256 != "" {
				name += ", sha256 " + short(f.SHA256)
			}
			if f.Withheld != "" {
				name += ", not stored: " + f.Withheld
			}
			names = append(names, name)
		}
		put(role, strings.Join(names, "; "))
	}
	if s.first == nil {
		return
	}
	if s.first.Mode == "strict" {
		put("mode", "strict: implicit flows count, too")
	}
	for _, name := range slices.Sorted(maps.Keys(s.first.Inputs)) {
		put("input", name+" = "+jsonText(s.first.Inputs[name]))
	}
	put("clock", s.first.Now)
}

func jsonText(v any) string {
	text, err := event.Encode(v)
	if err != nil {
		return fmt.Sprint(v) // it did not come from a record
	}
	return string(text)
}

// planned describes the events of a plan that are neither code nor output.
func planned(it *item) (annotation, bool) {
	switch e := it.Event.(type) {
	case event.PlanChecked:
		return checked(e), true
	case event.ToolCalled:
		return called(it, e), true
	case event.DecisionMade:
		return decided(e), true
	case event.LabelLowered:
		return lowered(e), true
	case event.PlanWaits:
		return annotation{"waits", fmt.Sprintf("at %s; its state is stored: %s, sha256 %s", e.ID, safetext.Size(e.Bytes), short(e.State)), e.Output, true}, true
	case event.PlanResumed:
		from := "the plan of run " + e.Run
		if e.Run == "" {
			from = "a plan that is not recorded here"
		}
		played := ""
		if len(e.Rehearsed) > 0 {
			played = "rehearsed before: " + strings.Join(e.Rehearsed, ", ")
		}
		return annotation{"resumed", from + ", sha256 " + short(e.State), played, false}, true
	}
	return annotation{}, false
}

// checked says what was certain before a plan ran.
func checked(e event.PlanChecked) annotation {
	var body strings.Builder
	safe, open := 0, 0
	for _, f := range e.Findings {
		switch f.Verdict {
		case "proved safe":
			safe++
			continue
		case "possible":
			open++
		}
		fmt.Fprintf(&body, "line %d: %s: %s\n", f.Place.Line, safetext.Line(f.Verdict), safetext.Line(f.Message))
		for _, p := range f.Path {
			where := ""
			if p.Line > 0 {
				where = fmt.Sprintf("line %d: ", p.Line)
			}
			fmt.Fprintf(&body, "  %s%s\n", where, safetext.Line(p.Text))
		}
		if f.Remedy != "" {
			fmt.Fprintf(&body, "  %s\n", safetext.Line(f.Remedy))
		}
	}
	parts := []string{"accepted"}
	if !e.Accepted {
		parts[0] = "refused before anything ran"
	}
	if safe > 0 {
		parts = append(parts, safetext.Count(safe, "call")+" proved safe")
	}
	if open > 0 {
		parts = append(parts, safetext.Count(open, "call")+" decided when it runs")
	}
	return annotation{"check", strings.Join(parts, ", "), body.String(), !e.Accepted}
}

// called describes a call of a plan, with where each argument comes from.
func called(it *item, e event.ToolCalled) annotation {
	r := annotation{Label: "call", Text: fmt.Sprintf("%s, line %d", strings.TrimSpace(e.Tool+" "+e.Version), e.Line)}
	if it.lost {
		r.Text, r.Warn = r.Text+": "+unfinished, true
	}
	var body strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.Arguments)) {
		fmt.Fprintf(&body, "%s: %s\n", safetext.Line(name), jsonText(e.Arguments[name]))
		if l, ok := e.Labels[name]; ok {
			fmt.Fprintf(&body, "  from %s\n", from(l))
		}
	}
	if e.Control != nil {
		fmt.Fprintf(&body, "that it is called depends on %s\n", from(*e.Control))
	}
	r.Body = body.String()
	return r
}

// from says where data come from, and who may read them when not everyone. It is
// one line: names of readers may come from data, and must not look like what
// stands beside them.
func from(l event.DataLabel) string { return safetext.Line(origins(l)) }

func origins(l event.DataLabel) string {
	text := "the plan itself"
	if len(l.Sources) > 0 {
		text = strings.Join(l.Sources, ", ")
	}
	switch {
	case l.Anyone:
		return text
	case len(l.Readers) == 0:
		return text + "; may be read by nobody"
	}
	return text + "; may be read by " + strings.Join(l.Readers, ", ")
}

func decided(e event.DecisionMade) annotation {
	verb := map[string]string{"allow": "allowed", "ask": "needs a person's approval", "deny": "denied"}[e.Verdict]
	if verb == "" {
		verb = e.Verdict
	}
	r := annotation{Label: "decision", Text: fmt.Sprintf("%s %s, by the rule %q", e.Tool, verb, e.Rule), Warn: e.Verdict == "deny"}
	if e.Verdict != "allow" {
		r.Body = strings.TrimSpace(e.Reason + "\n" + e.Remedy)
	}
	if len(e.Members) > 0 {
		r.Body = strings.TrimSpace(r.Body + "\nfound in trusted results: " + strings.Join(e.Members, ", "))
	}
	return r
}

func lowered(e event.LabelLowered) annotation {
	who := fmt.Sprintf("the rule %q", e.By)
	if e.By == "person" {
		who = "a person"
	}
	return annotation{"vouched for", fmt.Sprintf("the result of %s, by %s", e.ID, who), "from " + from(e.From) + "\nnow " + from(e.To), false}
}

// whichPlan says whether a plan was nested in a call.
func whichPlan(e event.PlanEnded) string {
	if e.Call != "" {
		return "nested plan for " + e.Call
	}
	return "plan"
}

// planStatus says how a plan ended, in a line.
func planStatus(e event.PlanEnded) string {
	text := whichPlan(e) + ": " + e.Status + ", " + safetext.Count(e.Used.Calls, "call")
	if e.Status == "error" && e.Line > 0 {
		text += fmt.Sprintf(", on line %d", e.Line)
	}
	return text
}

// ran says what was not scripted about a run whose model was.
func (s *timeline) ran() string {
	if s.first != nil || s.began.Mode == "plan" {
		return "The plan really ran."
	}
	if s.began.Mode == "tools" {
		return "There is no code."
	}
	return "The code really ran."
}

// planText writes a plan, or what became of it, in Markdown.
func (m *markdown) planText(e event.Event) bool {
	switch e := e.(type) {
	case event.PlanWritten:
		m.fence(m.named(planLanguage).Fence(), shownCode(e.Code))
	case event.PlanEnded:
		m.output("output", e.Output)
		m.output("error", e.Error)
		m.line("*%s*", mdText(planStatus(e)))
		m.line("")
	default:
		return false
	}
	return true
}

// planPieces writes a plan, or what became of it, for the page.
func (s *timeline) planPieces(e event.Event) []piece {
	var out []piece
	switch e := e.(type) {
	case event.PlanWritten:
		out = append(out, piece{Kind: "code", Code: coloured(s.named(planLanguage), e.Code)})
	case event.PlanEnded:
		if x := excerptOf(e.Output); x.Head != "" {
			out = append(out, piece{Kind: "text", Name: "output", Text: x})
		}
		if x := excerptOf(e.Error); x.Head != "" {
			out = append(out, piece{Kind: "text", Name: "error", Tone: "bad", Text: x})
		}
		out = append(out, piece{Kind: "meta", Line: safetext.Line(planStatus(e))})
	}
	return out
}

// planEnded writes what a plan printed and how it ended.
func (t *transcript) planEnded(e event.PlanEnded) {
	t.bounded("    ", "", e.Output, outputLines, outputBytes)
	t.bounded("    ", sgrRed, e.Error, outputLines, outputBytes)
	mark := t.paint(sgrGreen, "ok")
	if e.Status != "ok" {
		mark = t.paint(sgrRed, safetext.Line(e.Status))
	}
	t.printf("  %s%s%s\n", t.paint(sgrDim, "["+safetext.Line(whichPlan(e))+": "), mark, t.paint(sgrDim, ", "+safetext.Count(e.Used.Calls, "call")+"]"))
}
