package tui

import (
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/cli/format"
)

// Bounds of what is kept of a reply that streams in.
const (
	maxThought = 16 << 10 // bytes of a line that is not whole
	maxLater   = 1 << 20  // bytes of lines that may be the answer
)

// thought shows the prose of a reply line by line as it streams in, up to the
// action: code is shown when it runs, an answer when it is rendered. A line that
// is too long for the screen is shown in parts, as soon as one is whole.
type thought struct {
	width  int  // columns of a line; 0: lines are not broken
	prose  bool // there is no action in it: it is what the model thinks, apart from its reply
	hold   bool // it may be the answer, which is not shown twice: lines are kept until that is known
	line   strings.Builder
	inside bool // the line began before what is kept of it
	later  []string
	bytes  int  // of later
	blank  int  // empty lines that are shown when another one follows
	shown  bool // at least one line was
	action bool // the rest is the action
}

func (t *thought) add(text string, show func(string)) {
	for _, part := range strings.SplitAfter(text, "\n") {
		if t.action {
			return
		}
		t.line.WriteString(part)
		if strings.HasSuffix(part, "\n") || t.line.Len() > maxThought {
			t.rest(show)
		} else if t.width > 0 && utf8.RuneCountInString(t.line.String()) > t.width {
			t.fold(show)
		}
	}
}

// fold shows the parts of the open line that are whole.
func (t *thought) fold(show func(string)) {
	parts := format.BreakWords(t.line.String(), t.width)
	for _, part := range parts[:len(parts)-1] {
		if t.put(strings.TrimRight(part, "\r "), show); t.action {
			return
		}
		t.inside = true
	}
	t.line.Reset()
	t.line.WriteString(parts[len(parts)-1])
}

// rest shows the line that is open.
func (t *thought) rest(show func(string)) {
	line := strings.TrimRight(t.line.String(), "\r\n ")
	t.line.Reset()
	if !t.inside || line != "" {
		t.put(line, show)
	}
	t.inside = false
}

// put shows a line or keeps it.
func (t *thought) put(line string, show func(string)) {
	if t.action {
		return
	}
	if line == "" {
		t.blank++
		return
	}
	if start := strings.ToLower(strings.TrimLeft(line, " *#\t")); !t.prose && !t.inside && hasAnyPrefix(start, "```", "~~~", "<", "final answer") {
		t.action = true
		t.release(show) // what comes before an action is no answer
		return
	}
	var lines []string
	if t.blank > 0 && (t.shown || len(t.later) > 0) {
		lines = append(lines, "")
	}
	t.blank = 0
	lines = append(lines, line)
	if t.hold && t.bytes < maxLater {
		t.bytes += len(line)
		t.later = append(t.later, lines...)
		return
	}
	t.release(show)
	for _, l := range lines {
		t.shown = true
		show(l)
	}
}

// release shows what was kept.
func (t *thought) release(show func(string)) {
	for _, l := range t.later {
		t.shown = true
		show(l)
	}
	t.hold, t.later = false, nil
}

// tail is the end of what is not shown yet, for a line that says what goes on.
func (t *thought) tail() string {
	if t.action {
		return ""
	}
	if line := t.line.String(); line != "" || len(t.later) == 0 {
		return line
	}
	return t.later[len(t.later)-1]
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// The indents of what streams in.
const (
	thoughtIndent   = "  "
	reasoningIndent = "  ┊ "
)

func (s *Screen) showThought(line string)   { s.streamed(thoughtIndent, line) }
func (s *Screen) showReasoning(line string) { s.streamed(reasoningIndent, line) }

// streamed writes a line of what streams in.
func (s *Screen) streamed(indent, line string) {
	s.endWait()
	for _, part := range format.BreakWords(line, s.columnsLeft(utf8.RuneCountInString(indent))) {
		s.block(indent, format.Dim, part)
	}
}

// listen makes the screen ready for the reply of a step.
func (s *Screen) listen() {
	s.thought = thought{width: s.columnsLeft(utf8.RuneCountInString(thoughtIndent)), hold: s.worked}
	s.reasoning = thought{width: s.columnsLeft(utf8.RuneCountInString(reasoningIndent)), prose: true}
}

// delta shows a piece of a reply or of what the model thinks.
func (s *Screen) delta(e event.ModelDelta) {
	stream, doing := &s.thought, "writes"
	if e.Reasoning {
		stream, doing = &s.reasoning, "thinks"
		stream.add(e.Text, s.showReasoning)
	} else {
		s.reasoning.rest(s.showReasoning)
		stream.add(e.Text, s.showThought)
	}
	s.Wait.goOn(s.model+" "+doing, stream.tail())
}

// said shows what of a reply's thought did not stream in. An answer is not shown here.
func (s *Screen) said(e event.ModelReplied) {
	s.reasoning.rest(s.showReasoning)
	text := strings.TrimSpace(e.Thought)
	// What a model without a word beside its action thought is its thought, cut.
	reasoned := s.reasoning.shown && strings.HasPrefix(strings.TrimSpace(e.Reasoning.Text), text[:min(len(text), 200)])
	streamed := s.thought.shown || len(s.thought.later) > 0 || s.thought.line.Len() > 0 && !s.thought.action
	switch {
	case text == "" || reasoned:
		if !s.thought.hold {
			s.thought.rest(s.showThought)
		}
	case streamed:
		s.thought.rest(s.showThought)
		s.thought.release(s.showThought)
	default:
		for line := range strings.SplitSeq(text, "\n") {
			s.showThought(line)
		}
	}
	s.thought, s.reasoning = thought{}, thought{}
}
