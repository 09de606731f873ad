package tui

import (
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// skills shows what an event says of skills, and whether it is one of these.
func (s *Screen) skills(e event.Event) bool {
	switch e := e.(type) {
	case event.SkillsGiven:
		var names []string
		for _, one := range e.Skills {
			names = append(names, safetext.OneLine(fmt.Sprintf("%s (version %d)", one.Name, one.Version), 100))
		}
		s.printf("skills   %s\n", strings.Join(names, ", "))
	case event.SkillSaved:
		if e.Refused == "" {
			s.printf("stored the skill %s, version %d\n", safetext.Line(e.Name), e.Version)
			break
		}
		s.printf("%s\n", s.Style.Paint(format.Yellow, "the skill "+safetext.Line(e.Name)+" is not stored: "+safetext.Line(e.Refused)))
		if e.Output != "" {
			s.block("    ", "", format.Strip(strings.TrimSpace(e.Output)))
		}
	default:
		return false
	}
	return true
}
