package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// planLanguage is the language that plans are written in a subset of.
const planLanguage = "python"

// plan shows what happens to a plan. It reports whether the event was of one.
func (s *Screen) plan(e event.Event) bool {
	switch e := e.(type) {
	case event.PlanWritten:
		if e.Call != "" {
			s.note("[a second planner wrote a plan for " + safetext.Line(e.Call) + "]")
		}
		s.code(planLanguage, e.Code)
	case event.PlanChecked:
		s.checked(e)
	case event.DecisionMade:
		if !s.calls.quiet[e.ID] && !s.calls.plain(e) {
			s.decided(e)
		}
	case event.ApprovalGiven:
		if !s.calls.quiet[e.ID] {
			s.approved(e)
		}
	case event.ConnectionOpened:
		s.connected(e)
	case event.ConnectionClosed:
		s.disconnected(e)
	case event.ConnectionRefused:
		s.refused(e)
	case event.LabelLowered:
		s.note(fmt.Sprintf("[by %s the data count as trusted: %s]", by(e.By), safetext.Line(strings.Join(e.From.Sources, ", "))))
	case event.PlanWaits:
		s.endOutput()
		s.printf("  %s\n", s.Style.Paint(format.Yellow, "waits: its state is stored, "+safetext.Size(e.Bytes)))
	case event.PlanEnded:
		s.planEnded(e)
	default:
		return false
	}
	return true
}

func by(who string) string {
	if who == "person" {
		return "a person's word"
	}
	return fmt.Sprintf("the rule %q", safetext.Line(who))
}

// checked shows what is certain before the plan runs.
func (s *Screen) checked(e event.PlanChecked) {
	safe, open := 0, 0
	for _, f := range e.Findings {
		switch f.Verdict {
		case "proved safe":
			safe++
		case "possible":
			open++
		default:
			s.finding(f)
		}
	}
	mark := s.Style.Paint(format.Green, "accepted")
	if !e.Accepted {
		mark = s.Style.Paint(format.Red, "refused before anything ran")
		s.failed = s.step
	}
	var parts []string
	if safe > 0 {
		parts = append(parts, safetext.Count(safe, "call")+" proved safe")
	}
	if open > 0 {
		parts = append(parts, safetext.Count(open, "call")+" decided when it runs")
	}
	text := ""
	if len(parts) > 0 {
		text = ", " + strings.Join(parts, ", ")
	}
	s.printf("  %s%s%s\n", s.Style.Paint(format.Dim, "[check: "), mark, s.Style.Paint(format.Dim, text+"]"))
}

func (s *Screen) finding(f event.Finding) {
	sgr := format.Red
	if f.Verdict == "warning" || f.Verdict == "note" {
		sgr = format.Yellow
	}
	head := fmt.Sprintf("line %d: ", f.Place.Line)
	for i, part := range format.BreakWords(head+safetext.Line(f.Message), s.columnsLeft(4)) {
		if i > 0 {
			part = "  " + part
		}
		s.printf("    %s\n", s.Style.Paint(sgr, part))
	}
	for _, p := range f.Path {
		s.printf("      %s %s\n", s.Style.Paint(format.Dim, placed(p)), safetext.Line(p.Text))
	}
}

// placed names the line of a step, which inputs do not have.
func placed(p event.Place) string {
	if p.Line == 0 {
		return "         "
	}
	return fmt.Sprintf("line %-4d", p.Line)
}

// planCalled shows a call of a plan and where each argument comes from.
func (s *Screen) planCalled(e event.ToolCalled) {
	s.endOutput()
	s.printf("  %s %s %s\n", s.Style.Paint(format.Cyan, "call"), safetext.Line(e.Tool), s.Style.Paint(format.Dim, fmt.Sprintf("(line %d)", e.Line)))
	for _, name := range slices.Sorted(maps.Keys(e.Arguments)) {
		text := argument(e.Arguments[name])
		if text == "" {
			text = `""`
		}
		s.paragraphs("    ", safetext.Line(name)+": "+safetext.Clip(text, maxArgument))
		l, labelled := e.Labels[name]
		if !labelled {
			continue
		}
		sgr := format.Dim
		if !l.Trusted {
			sgr = format.Yellow
		}
		s.printf("      %s\n", s.Style.Paint(sgr, "from "+safetext.Line(sourceText(l))))
	}
}

// sourceText says where data come from, and who may read them when not everyone.
func sourceText(l event.DataLabel) string {
	text := "the plan itself"
	if len(l.Sources) > 0 {
		text = strings.Join(l.Sources, ", ")
	}
	if !l.Anyone {
		who := "nobody"
		if len(l.Readers) > 0 {
			who = strings.Join(l.Readers, ", ")
		}
		text += "; may be read by " + who
	}
	return text
}

func (s *Screen) decided(e event.DecisionMade) {
	sgr := map[string]string{"allow": format.Green, "ask": format.Yellow, "deny": format.Red}[e.Verdict]
	s.printf("    %s %s\n", s.Style.Paint(sgr, verdictWord(e.Verdict)), s.Style.Paint(format.Dim, fmt.Sprintf("by the rule %q", safetext.Line(e.Rule))))
	if len(e.Members) > 0 {
		s.paragraphs("      ", "found in trusted results: "+strings.Join(e.Members, ", "))
	}
	_, others := s.calls.names[e.ID]
	if e.Reason != "" && (e.Verdict == "deny" || e.Verdict == "ask" && !others) { // of a plan, also why a person is needed
		s.paragraphs("      ", strings.TrimSpace(e.Reason+"\n"+format.Worded(fault.Code(e.Code), fault.Data{"rule": e.Rule}, e.Remedy)))
	}
}

// verdictWord is a verdict as what became of a call.
func verdictWord(v string) string {
	switch v {
	case "allow":
		return "allowed"
	case "ask":
		return "needs a person's approval"
	case "deny":
		return "denied"
	}
	return safetext.Line(v)
}

func (s *Screen) approved(e event.ApprovalGiven) {
	text, sgr := "granted by "+safetext.Line(strings.TrimSpace(e.By+" "+e.Who)), format.Green
	if e.Scope == event.ScopeExact {
		text += " for these arguments"
	} else if e.Scope == event.ScopeRun {
		text += " for the run"
	}
	if !e.Granted {
		text, sgr = "not granted", format.Red
	}
	if e.Reason != "" {
		text += ": " + safetext.Line(e.Reason)
	}
	s.printf("    %s\n", s.Style.Paint(sgr, text))
}

func (s *Screen) planEnded(e event.PlanEnded) {
	s.endOutput()
	what := "plan"
	if e.Call != "" {
		what = "nested plan"
	}
	s.failed = 0
	mark := s.Style.Paint(format.Green, "ok")
	if e.Status != "ok" {
		s.failed = s.step
		mark = s.Style.Paint(format.Red, safetext.Line(e.Status))
		s.block("    ", format.Red, e.Error)
	}
	s.printf("  %s%s%s\n", s.Style.Paint(format.Dim, "["+what+": "), mark, s.Style.Paint(format.Dim, ", "+safetext.Count(e.Used.Calls, "call")+"]"))
}
