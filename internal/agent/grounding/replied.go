package grounding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/agent/literal"
	"praxis/internal/language"
)

// Bounds of what is kept of replies.
const (
	maxReplied = 50_000 // numbers and lines
	maxLine    = 1000   // bytes of a line
)

// replied knows which numbers are the words of a model that code asked, and nothing more: those
// of replies to queries that do not stand in what the query was given, and those of answers of
// runs that were found nowhere there. They vouch for nothing where code that may have them
// shows them again (literal.Code.Reached). A small number stands in many outputs: it is one
// of these only where its whole line is one of a reply.
type replied struct {
	code     *literal.Code
	numbers  []utterance
	sorted   bool
	vouched  map[float64]bool  // numbers that a run computed
	lines    map[string]string // of replies, with who said it
	dates    map[string]string
	language language.Language // of expressions
}

// utterance is a number that was only said.
type utterance struct {
	value float64
	by    string // such as "query 2"
}

func (h *replied) some() bool {
	return h != nil && len(h.numbers)+len(h.dates)+len(h.lines) > 0
}

// AddReply takes in what a query or a run replied to code, after the code and before what it shows.
func (s *Sources) AddReply(r event.ChildReply) {
	h := &s.replied
	if h.code = &s.typed.code; h.lines == nil {
		h.vouched, h.lines, h.dates = map[float64]bool{}, map[string]string{}, map[string]string{}
	}
	by := fmt.Sprintf("%s %d", r.Role, r.N)
	if r.Role != event.Query && r.Answered() && (len(r.Figures) > 0 || r.Status == event.Answered) {
		for _, f := range r.Figures {
			own := f.Source == Question && !f.Match.Described() // the code of the caller wrote the question
			for _, n := range scan(f.Text, f.Text, true) {
				if f.Untraced() || own && s.states(n) {
					h.add(n, by, f.Text)
				} else if len(h.vouched) < maxReplied {
					h.vouched[n.base] = true
				}
			}
		}
		if len(r.Figures) == 1 && r.Figures[0].Untraced() {
			h.line(r.Text, by)
		}
		return
	}
	var given index
	if r.Role == event.Query {
		given.add(Origin{In: InQuestion}, r.Task)
	}
	text := r.Text
	if !r.Answered() { // why there is none may repeat what a model said
		text = r.Reason
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], " ")
	}
	var said []figure
	for _, f := range scan(text, text, true) {
		if m := given.find(f); m == nil || s.states(f) || h.among(m.base, m.slack) != "" {
			said = append(said, f)
		}
	}
	for _, f := range said {
		h.add(f, by, f.text)
		h.line(lineOf(text, f), by)
	}
}

// states says that a number stands in the code so far.
func (s *Sources) states(f figure) bool {
	return slices.ContainsFunc(f.readings, func(r reading) bool { return s.stated[r.value] })
}

func (h *replied) add(f figure, by, text string) {
	if f.when != nil && len(h.dates) < maxReplied {
		h.dates[text] = cmp.Or(h.dates[text], by)
	}
	if f.significant() && f.when == nil && len(h.numbers) < maxReplied {
		h.numbers, h.sorted = append(h.numbers, utterance{f.base, by}), false
	}
}

func (h *replied) line(text, by string) {
	if text = bare(text); text != "" && len(text) <= maxLine && len(h.lines) < maxReplied {
		h.lines[text] = cmp.Or(h.lines[text], by)
	}
}

// bare is a line without what stands around it when it is shown.
func bare(line string) string { return strings.Trim(line, " \t\r\"'`") }

func lineOf(text string, f figure) string {
	from := strings.LastIndexByte(text[:f.start], '\n') + 1
	to := strings.IndexByte(text[f.end:], '\n')
	if to < 0 {
		to = len(text) - f.end
	}
	return text[from : f.end+to]
}

// lineAt returns who said the line that a figure stands in; "": nobody.
func (h *replied) lineAt(text string, f figure) string {
	if line := lineOf(text, f); len(line) <= maxLine {
		return h.lines[bare(line)]
	}
	return ""
}

// among returns who said a number; "": nobody.
func (h *replied) among(base, slack float64) string {
	if !h.sorted {
		slices.SortStableFunc(h.numbers, func(a, b utterance) int { return cmp.Compare(a.value, b.value) })
		h.sorted = true
	}
	off := allowed(base, slack)
	for _, scale := range []float64{1, 100, .01} {
		from, to := scale*(base-off), scale*(base+off)
		i, _ := slices.BinarySearchFunc(h.numbers, from, func(u utterance, at float64) int { return cmp.Compare(u.value, at) })
		for n := 0; i < len(h.numbers) && h.numbers[i].value <= to && n < maxPlaces; i, n = i+1, n+1 {
			if !h.vouched[h.numbers[i].value] {
				return h.numbers[i].by
			}
		}
	}
	return ""
}

// said returns whose words alone the number of an output is; "": nobody's.
func (h *replied) said(v *shown) string {
	switch v.origin.In {
	case InStdout, InStderr, InResult, InDisplay, InVariables:
	default:
		return ""
	}
	if !h.some() || !h.code.Reached(cmp.Or(v.origin.Code, v.origin.Step)) {
		return ""
	}
	switch {
	case v.small:
		return v.lone
	case v.role == year || v.role == datePart:
		return h.dates[strings.TrimSpace(v.text)]
	}
	return h.among(v.base, v.slack)
}

// in says that a figure of a value is only what was said.
func (h *replied) in(text string, f figure) bool {
	switch {
	case f.when != nil:
		return h.dates[f.text] != ""
	case !f.significant():
		return h.lineAt(text, f) != ""
	}
	return h.among(f.base, f.slack) != ""
}

// repeats says that an expression may read what a model replied.
func (s *Sources) repeats(expression string) bool {
	return s.replied.some() && s.typed.code.Reads(s.replied.language, expression)
}

// saidBy returns whose words a figure is that was found nowhere else; "": nobody's.
func (s *Sources) saidBy(f figure) string {
	if !s.replied.some() || f.when == nil && len(f.readings) == 0 {
		return ""
	}
	if f.when != nil {
		return s.replied.dates[f.text]
	}
	if !f.significant() {
		for _, v := range s.outputs.numbers {
			if v.lone != "" && v.small && v.base == f.base {
				return v.lone
			}
		}
		return s.replied.lines[f.text]
	}
	return s.replied.among(f.base, f.slack)
}
