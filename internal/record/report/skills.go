package report

import (
	"fmt"
	"strings"

	"praxis/event"
)

// skillAnnotation describes the events of skills.
func skillAnnotation(e event.Event) (annotation, bool) {
	switch e := e.(type) {
	case event.SkillsGiven:
		var names, more []string
		for _, s := range e.Skills {
			names = append(names, fmt.Sprintf("%s, version %d", s.Name, s.Version))
			line := s.Name + s.Signature + ": " + s.Description + "\nsha256 " + s.Hash
			if s.Untrusted {
				line += "\nnobody vouches for it"
			}
			more = append(more, line)
		}
		return annotation{"skills", strings.Join(names, "; "), strings.Join(more, "\n"), false}, true
	case event.SkillSaved:
		if e.Refused != "" {
			return annotation{"skill", e.Name + " was not stored: " + e.Refused, e.Output, true}, true
		}
		return annotation{"skill", fmt.Sprintf("%s is stored as version %d", e.Name, e.Version), "sha256 " + e.Hash, false}, true
	}
	return annotation{}, false
}
