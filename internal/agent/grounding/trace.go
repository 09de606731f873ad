package grounding

import (
	"math/big"
	"slices"
	"strings"

	"praxis/event"
)

// Bounds of what is kept of a run's outputs. What is beyond them is not found, so
// that a figure may come out unverified but never wrongly verified.
const (
	maxText    = 512 << 10 // bytes of one output that are read, head and tail
	maxNumbers = 200_000
	maxOthers  = 20_000
)

// Sources holds every number, date and time that a run has shown: what its code
// printed, and what the question says. It is not safe for concurrent use.
type Sources struct {
	outputs, question index
}

// Origin says where a text was shown. Step is 0 for what an earlier run showed.
type Origin struct {
	Step int
	In   string
}

// The texts of a run that figures are found in, as event.Match names them.
const (
	InStdout   = "stdout"
	InStderr   = "stderr"
	InResult   = "result"
	InDisplay  = "display"
	InTool     = "tool"
	InAnswer   = "answer" // a value that was filled in
	InQuestion = "question"
	InFile     = "file" // what is said about a file
	InEarlier  = "earlier conversation"
)

// AddOutput takes in what code printed or returned.
func (s *Sources) AddOutput(_ Origin, text string) { s.outputs.add(text) }

// AddComputed takes in a value that was filled into the answer.
func (s *Sources) AddComputed(text string) { s.AddOutput(Origin{In: InAnswer}, text) }

// AddCode takes in code that ran in a step: a number that stands in it and in its output
// may have been written there and not computed.
func (s *Sources) AddCode(_ int, _ string) {}

// AddQuestion takes in the question, or with InFile the name of a file and what is said about it.
func (s *Sources) AddQuestion(_, text string) { s.question.add(text) }

// Trace lists the figures of a text that holds no placeholders.
func (s *Sources) Trace(text string) []event.Figure {
	var out []event.Figure
	for _, f := range figures(text) {
		out = append(out, s.trace(f))
	}
	return out
}

func (s *Sources) trace(f figure) event.Figure {
	return event.Figure{Text: f.text, Source: s.source(f)}
}

func (s *Sources) source(f figure) string {
	switch {
	case s.outputs.contains(f):
		return Output
	case s.question.contains(f):
		return Question
	default:
		return Unverified
	}
}

// index is what one kind of source has shown.
type index struct {
	numbers    []float64
	sorted     bool
	long       map[string]bool // numbers with more digits than a float64 holds, and tokens
	timestamps []timestamp
	months     [13]bool // by name
}

func (x *index) add(text string) {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText/2], " ") + " " + strings.ToValidUTF8(text[len(text)-maxText/2:], " ")
	}
	if x.long == nil {
		x.long = map[string]bool{}
	}
	for _, f := range seen(text) {
		x.take(f)
	}
	for _, name := range monthRE.FindAllString(text, -1) {
		x.months[monthNumber(name)] = true
	}
	if len(x.numbers) > maxNumbers {
		x.sort()
		x.numbers = x.numbers[:min(len(x.numbers), maxNumbers)]
	}
}

// sort makes numbers ready to be searched.
func (x *index) sort() {
	slices.Sort(x.numbers)
	x.numbers = slices.Compact(x.numbers)
	x.sorted = true
}

func (x *index) take(f figure) {
	if f.when != nil {
		if len(x.timestamps) < maxOthers {
			x.timestamps = append(x.timestamps, *f.when)
		}
		if f.when.year >= 0 {
			x.numbers, x.sorted = append(x.numbers, float64(f.when.year)), false
		} else {
			for _, p := range f.split {
				x.take(p)
			}
		}
		return
	}
	for _, r := range f.readings {
		x.numbers, x.sorted = append(x.numbers, r.value), false
	}
	for _, t := range []string{f.long, f.token} {
		if t != "" && len(x.long) < maxOthers {
			x.long[t] = true
		}
	}
	for _, p := range f.split {
		x.take(p)
	}
}

// contains says that the figure was shown, at the figure's own precision.
func (x *index) contains(f figure) bool {
	switch {
	case f.when != nil:
		return x.containsTimestamp(f)
	case f.long != "":
		return x.containsLong(f.long)
	case f.token != "" && x.long[f.token]:
		return true
	case slices.ContainsFunc(f.readings, x.containsReading):
		return true
	}
	return x.containsAll(f.split)
}

// containsLong compares digits: a float64 would call two long numbers equal that
// are not. A fraction may be a rounded or cut longer one.
func (x *index) containsLong(digits string) bool {
	if x.long[digits] {
		return true
	}
	_, decimals, ok := strings.Cut(digits, ".")
	if !ok {
		return false
	}
	for have := range x.long {
		if len(have) <= len(digits) || strings.Count(have, ".") != 1 || len(have) > 2000 {
			continue
		}
		if strings.HasPrefix(have, digits) {
			return true
		}
		if r, ok := new(big.Rat).SetString(have); ok && canonical(r.FloatString(len(decimals))) == digits {
			return true
		}
	}
	return false
}

func (x *index) containsAll(figures []figure) bool {
	for _, f := range figures {
		if !x.contains(f) {
			return false
		}
	}
	return len(figures) > 0
}

func (x *index) containsTimestamp(f figure) bool {
	if slices.ContainsFunc(x.timestamps, func(m timestamp) bool { return m.covers(*f.when) }) {
		return true
	}
	// The parts may stand apart: columns, or a month by its name.
	month := f.when.month
	if month > 0 && monthRE.MatchString(f.text) && !x.months[month] && !x.between(float64(month), float64(month)) {
		return false
	}
	return x.containsAll(f.split)
}

func (x *index) containsReading(r reading) bool {
	return x.between(r.from, r.to) || !r.signed && x.between(-r.to, -r.from)
}

func (x *index) between(from, to float64) bool {
	if !x.sorted {
		x.sort()
	}
	i, _ := slices.BinarySearch(x.numbers, from)
	return i < len(x.numbers) && x.numbers[i] <= to
}
