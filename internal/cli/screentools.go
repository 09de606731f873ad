package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"praxis/internal/event"
	"praxis/internal/gate"
	"praxis/internal/legible"
)

// maxArgument is how many characters of one argument of a tool are shown.
const maxArgument = 2000

// toolCalled shows what a tool is asked: the agent's own notes are tools too.
func (s *screen) toolCalled(e event.ToolCalled) {
	if e.Line > 0 {
		s.planCalled(e)
		return
	}
	s.printf("  %s %s\n", s.style.paint(sgrCyan, "tool"), legible.Line(e.Tool))
	for _, name := range slices.Sorted(maps.Keys(e.Arguments)) {
		s.paragraphs("    ", legible.Line(name)+": "+shortened(argument(e.Arguments[name]), maxArgument))
	}
}

// argument is a text as it is and anything else as JSON.
func argument(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// toolReturned says that a tool is done. What it found is for the model, and in
// the transcript of the run.
func (s *screen) toolReturned(e event.ToolReturned) {
	took := fmt.Sprintf("%.2f s", time.Duration(e.Took).Seconds())
	switch {
	case strings.HasPrefix(e.Error, gate.NotCalled): // the decision was shown
		return
	case e.Rehearsed != "" && e.Error != "":
		s.printf("    %s %s\n", s.style.paint(sgrRed, "failed in rehearsal:"), legible.Line(e.Error))
		return
	case e.Rehearsed != "":
		s.remark("  [rehearsed: not really called; answered from " + legible.Line(e.Rehearsed) + "]")
		return
	}
	if e.Error != "" {
		s.printf("  %s %s\n", s.style.paint(sgrRed, "tool failed after "+took+":"), legible.Line(e.Error))
		return
	}
	s.remark(fmt.Sprintf("[tool: ok, %s, %s]", took, legible.Size(int64(len(e.Result)))))
}

// condensed says that the model no longer sees the whole conversation.
func (s *screen) condensed(e event.HistoryCondensed) {
	s.remark(fmt.Sprintf("[%s before this, %s, stand shortened in what the model is sent; it can read them whole]",
		legible.Count(e.Messages, "message"), legible.Size(int64(e.Bytes))))
}
