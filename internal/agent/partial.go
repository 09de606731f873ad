package agent

import (
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/agent/grounding"
	"praxis/internal/safetext"
)

// maxPartial bounds what is said of results that were cut, in bytes.
const maxPartial = 500

// partial returns what tools gave in part, as the host recorded it: code may hide what its
// calls wrote to standard error.
func (r *run) partial() []string {
	if r.cfg.Partial == nil {
		return nil
	}
	return r.cfg.Partial()
}

// tellPartial adds to an observation the results that were cut since the last one.
func (r *run) tellPartial(text string) string {
	now := r.partial()
	var fresh []string
	for _, p := range now {
		if !slices.Contains(r.cuts, p) {
			fresh = append(fresh, p)
		}
	}
	r.cuts = now
	if len(fresh) == 0 {
		return text
	}
	return text + "\nnot all was given: " + safetext.OneLine(strings.Join(fresh, "; "), maxPartial) + ". What is counted or summed up from it is not of all."
}

// markPartial says of the figures that code or tools gave that they may rest on a part.
func (r *run) markPartial(figures []event.Figure) {
	text := safetext.OneLine(strings.Join(r.partial(), "; "), maxPartial)
	for i, f := range figures {
		if f.Source == grounding.Computed || f.Source == grounding.Output {
			figures[i].Partial = text
		}
	}
}
