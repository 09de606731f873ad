package grounding

import (
	"math"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
)

// Bounds of what is kept of a run's outputs. What is beyond them is not found, so
// that a figure may come out unverified but never wrongly verified.
const (
	maxText    = 512 << 10 // bytes of one output that are read, head and tail
	maxNumbers = 200_000
	maxOthers  = 20_000
	maxTried   = 2_000 // numbers that one figure is compared with
	maxPrinted = 60    // bytes of a number as it was printed
	maxLong    = 2_000 // digits of a fraction that a shorter one may be rounded from
	maxNear    = 12    // figures of its sentence that a comparison may be made of, on each side
	maxAround  = 2_000 // bytes of its sentence on each side
)

// Sources holds every number, date and time that a run has shown: what its code
// printed, and what the question says. It is not safe for concurrent use.
type Sources struct {
	outputs, question index
	code              map[stated]bool
	stated            map[float64]bool // in the code of any step
	typed             typing
	replied           replied
	listed            map[int]bool // how many lines, items and rows outputs have
}

// stated is a number that stands in the code of a step.
type stated struct {
	step  int
	value float64
}

// Origin says where a text was shown. Step is 0 for what an earlier run showed.
type Origin struct {
	Step int
	In   string
	Code int // what AddCode calls the step of the code that showed it, where that is not Step; 0: it is
}

// The texts of a run that figures are found in, as event.Match names them.
const (
	InStdout    = "stdout"
	InStderr    = "stderr"
	InResult    = "result"
	InDisplay   = "display"
	InVariables = "variables" // what became of variables
	InTool      = "tool"
	InAnswer    = "answer" // a value that was filled in
	InQuestion  = "question"
	InFile      = "file" // what is said about a file
	InEarlier   = "earlier conversation"
)

// AddOutput takes in what code printed or returned.
func (s *Sources) AddOutput(o Origin, text string) {
	s.outputs.typed, s.outputs.replied = &s.typed, &s.replied
	s.outputs.add(o, text)
	if s.listed == nil {
		s.listed = map[int]bool{}
	}
	if len(text) < maxText {
		for n := range lengths(text) {
			s.listed[n] = true
		}
		s.listed[len(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }))] = true
	}
}

// AddComputed takes in a value that was filled into the answer.
func (s *Sources) AddComputed(text string) { s.outputs.add(Origin{In: InAnswer}, text) }

// AddCode takes in code that runs in a step, or an expression that is filled in, before what
// it shows: a number that stands in it and in its output may have been written there and not
// computed.
func (s *Sources) AddCode(step int, l language.Language, code string) {
	s.typed.add(step, s.typed.code.Add, l, code)
	if s.code == nil {
		s.code, s.stated = map[stated]bool{}, map[float64]bool{}
	}
	for _, f := range scan(code, code, true) {
		if !f.significant() {
			continue // a small number stands in any code
		}
		for _, r := range f.readings {
			if len(s.code) < maxOthers {
				s.code[stated{step, r.value}], s.stated[r.value] = true, true
			}
		}
	}
}

// formatRE is the format of a placeholder.
var formatRE = lazyregexp.New(`:(?:.?[<>=^])?[-+ ]?z?#?0?[0-9]*[,_]?(?:\.[0-9]+)?[a-zA-Z%]?$`)

// AddExpression takes in what is filled into an answer in a step.
func (s *Sources) AddExpression(step int, l language.Language, expression string) {
	s.replied.language = l
	s.typed.add(step, s.typed.code.AddExpression, l, formatRE.ReplaceAllString(expression, ""))
}

// AddQuestion takes in the question, or with InFile the name of a file and what is said about it.
func (s *Sources) AddQuestion(in, text string) { s.question.add(Origin{In: in}, text) }

// Trace lists the figures of a text that holds no placeholders.
func (s *Sources) Trace(text string) []event.Figure { return s.traceAll(text, figures(text)) }

// traceAll traces the figures of a text. What compares or counts is looked for in the
// text itself, too: "doubled from 120 to 241", "the two regions North and South".
func (s *Sources) traceAll(text string, all []figure) []event.Figure {
	out := make([]event.Figure, len(all))
	for i, f := range all {
		if f.computed != nil {
			out[i] = *f.computed
		} else {
			out[i] = s.trace(f)
		}
	}
	var own map[int]bool
	for i, f := range all {
		if !out[i].Untraced() {
			continue
		}
		if f.ratio || f.compares {
			if m := related(text, all, out, i); m != nil {
				out[i] = event.Figure{Text: f.text, Source: Output, Match: m}
			}
			continue
		}
		n, ok := f.small()
		if !ok {
			continue
		}
		if own == nil {
			own = lengths(text)
		}
		after := text[f.end:min(len(text), f.end+maxAround)]
		if own[n] && (f.listed || followed(after)) || counts(after, n) || f.listed && s.listed[n] {
			out[i] = event.Figure{Text: f.text, Source: Output, Match: &event.Match{Text: "what is listed", In: InAnswer}}
			if s.listed[n] && !own[n] {
				out[i].Match.In = ""
			}
		}
	}
	return out
}

// followed says that a list or a table comes in the lines after a number.
func followed(after string) bool {
	line, rest, found := strings.Cut(after, "\n")
	return found && (strings.HasSuffix(strings.TrimSpace(line), ":") || bulletRE.MatchString(strings.TrimLeft(rest, "\n")) || strings.HasPrefix(strings.TrimLeft(rest, "\n"), "|"))
}

// small is the whole number that a figure is, where it may count what is listed.
func (f figure) small() (int, bool) {
	const most = 50
	if len(f.readings) != 1 || f.unit.class != "" && f.unit.class != counted {
		return 0, false
	}
	v := f.readings[0].value
	return int(v), v >= 2 && v <= most && v == math.Trunc(v) && !strings.ContainsAny(f.text, ".,")
}

// related looks for two figures in the sentence of a comparison that it is true of.
func related(text string, all []figure, traced []event.Figure, at int) *event.Match {
	f := all[at]
	from, to := sentence(text, f)
	var near []int
	for _, way := range []int{-1, 1} {
		for i, n := at+way, 0; i >= 0 && i < len(all) && n < maxNear && all[i].start > from && all[i].end <= to; i, n = i+way, n+1 {
			if g := all[i]; g.when == nil && !g.ratio && len(g.readings) > 0 && !traced[i].Untraced() {
				near = append(near, i)
			}
		}
	}
	slices.Sort(near)
	first, second := near, near
	if from, to, ok := change(text, all, near); ok && f.changes {
		first, second = []int{to}, []int{from} // it went this way
	}
	for _, a := range first {
		for _, b := range second {
			x, y := all[a].readings[0].value, all[b].readings[0].value
			r := f.readings[0]
			if a != b && y != 0 && (x/y >= r.from && x/y <= r.to || r.value >= 2 && len(first) > 1 && y/x >= r.from && y/x <= r.to) {
				return &event.Match{Text: all[a].text + " ÷ " + all[b].text, In: InAnswer}
			}
		}
	}
	return nil
}

// change finds "from 120 to 241" among figures of a sentence.
func change(text string, all []figure, near []int) (from, to int, found bool) {
	for i := 1; i < len(near); i++ {
		a, b := near[i-1], near[i]
		if fromRE.MatchString(tail(text[:all[a].start], 12)) && toRE.MatchString(text[all[a].end:min(all[b].start, all[a].end+40)]) {
			return a, b, true
		}
	}
	return 0, 0, false
}

var (
	fromRE = lazyregexp.New(`(?i)\b(?:from|von|de|da)\s[$€£]?$`)
	toRE   = lazyregexp.New(`(?i)^[^.;,]{0,24}\s(?:to|auf|à|a)\s[$€£]?$`)
)

// sentence returns where the sentence of a figure begins and ends. A point within a number
// is no end.
func sentence(text string, f figure) (from, to int) {
	least, most := max(0, f.start-maxAround), min(len(text), f.end+maxAround)
	from, to = least-1, most
	for i := f.start - 1; i >= least; i-- {
		if c := text[i]; strings.IndexByte("!?\n;", c) >= 0 || c == '.' && !startsWithDigit(text[i+1:]) {
			from = i
			break
		}
	}
	for i := f.end; i < most; i++ {
		if text[i] == '\n' || strings.IndexByte(".!?;", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
			to = i
			break
		}
	}
	return from, to
}

// typedAt returns the step whose code has typed a figure that was found nowhere else; 0: none.
func (s *Sources) typedAt(f figure) int {
	if s.typed.seen == 0 {
		return 0
	}
	typed := s.outputs.typed
	s.outputs.typed = nil // what is typed counts
	defer func() { s.outputs.typed = typed }()
	if m := s.outputs.find(f); m != nil {
		step, _ := s.typed.where(m)
		return step
	}
	step, _ := s.typed.where(&shown{origin: Origin{In: InVariables}, base: f.base, slack: f.slack})
	return step
}

// trace looks a figure up.
func (s *Sources) trace(f figure) event.Figure {
	out := event.Figure{Text: f.text, Source: Unverified}
	if m := s.outputs.find(f); m != nil {
		out.Source, out.Match = Output, s.match(m)
	} else if m := s.question.find(f); m != nil {
		out.Source, out.Match = Question, s.match(m)
	} else if step := s.typedAt(f); step > 0 {
		out.Typed = step
	} else if said := s.saidBy(f); said != "" {
		out.Said = said
	} else if m := s.outputs.nearest(f); m != nil {
		out.Nearest = s.match(m)
	}
	return out
}

func (s *Sources) match(n *shown) *event.Match {
	return &event.Match{
		Text: n.text, Step: n.origin.Step, In: n.origin.In, Line: n.line,
		Stated: n.origin.Step > 0 && s.code[stated{n.origin.Step, n.value}],
	}
}
