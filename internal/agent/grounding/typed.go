package grounding

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"praxis/internal/agent/literal"
	"praxis/internal/language"
)

// typing knows which numbers of a run's outputs were only typed in its code: package literal
// says which literals are shown and take part in no computation, and this finds them again in
// what was shown. A number that is equal to a parameter of the code counts as one.
type typing struct {
	code      literal.Code
	step      int                // the last whose code was added
	seen      int                // literals that are in stretches
	stretches map[string][]place // of texts of the code, by the digits of the figures in them
	settled   bool
	used      []float64           // what parameters are, in order
	numbers   map[int][]statement // by the step that shows them, in order of their values
}

// place is a figure in a text of the code.
type place struct {
	literal int
	at      int // of its digits in the text
}

// statement is a number that stands in the code.
type statement struct {
	value float64
	step  int // of the code
}

// anyStep is where the numbers are that are shown in any step or in none: the value of a
// variable need not be printed to be seen.
const anyStep = math.MinInt

// maxPlaces bounds the texts of the code that one figure of an output is looked up in.
const maxPlaces = 50

// add takes in code that runs in a step, or an expression: read is the method for it.
func (t *typing) add(step int, read func(step int, l language.Language, code string), l language.Language, code string) {
	read(step, l, code)
	t.step, t.settled = step, false
	if t.stretches == nil {
		t.stretches = map[string][]place{}
	}
	all := t.code.All()
	for ; t.seen < len(all); t.seen++ {
		if l := all[t.seen]; !l.Number {
			for _, f := range scan(l.Text, l.Text, true) {
				if key := l.Text[f.digits:f.digitsEnd]; len(t.stretches[key]) < maxPlaces {
					t.stretches[key] = append(t.stretches[key], place{t.seen, f.digits})
				}
			}
		}
	}
}

// stretch returns which text of the code stands around a figure of a text, counted from 1;
// 0: none.
func (t *typing) stretch(text string, f figure) int {
	if t.stretches == nil || f.digitsEnd == 0 {
		return 0
	}
	all := t.code.All()
	found := 0
	for _, p := range t.stretches[text[f.digits:f.digitsEnd]] {
		whole := all[p.literal].Text
		if from := f.digits - p.at; from < 0 || !strings.HasPrefix(text[from:], whole) {
			continue
		}
		if found == 0 || all[found-1].Used {
			found = p.literal + 1
		}
	}
	return found
}

// shows says that something that was only typed is shown in the last step.
func (t *typing) shows() bool {
	return slices.ContainsFunc(t.code.All(), func(l literal.Literal) bool { return l.Typed(t.step) })
}

// settle sorts what the literals are.
func (t *typing) settle() {
	if t.settled {
		return
	}
	t.settled, t.used, t.numbers = true, nil, map[int][]statement{}
	for _, l := range t.code.All() {
		switch {
		case l.Used && l.Number:
			t.used = append(t.used, l.Value, 100*l.Value, l.Value/100)
		case l.Used:
			for _, f := range scan(l.Text, l.Text, true) {
				t.used = append(t.used, f.base)
				if f.when != nil {
					t.used = append(t.used, float64(f.when.year), float64(f.when.month), float64(f.when.day))
				}
			}
		case l.Number:
			for _, step := range append(l.Shown[:len(l.Shown):len(l.Shown)], anyStep) {
				t.numbers[step] = append(t.numbers[step], statement{l.Value, l.Step}, statement{100 * l.Value, l.Step})
			}
		}
	}
	slices.Sort(t.used)
	for _, list := range t.numbers {
		slices.SortStableFunc(list, func(a, b statement) int {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.step, b.step))
		})
	}
}

// parameter says that a number takes part in computing.
func (t *typing) parameter(v float64) bool {
	i := sort.SearchFloat64s(t.used, v-math.Abs(v)*1e-12)
	return i < len(t.used) && t.used[i] <= v+math.Abs(v)*1e-12
}

// where returns the step whose code has typed the number of an output; false: it was computed.
func (t *typing) where(v *shown) (step int, typed bool) {
	switch v.origin.In {
	case InStdout, InStderr, InResult, InDisplay, InAnswer, InVariables, InEarlier:
	default:
		return 0, false
	}
	shownAt := cmp.Or(v.origin.Code, v.origin.Step)
	t.settle()
	if t.parameter(v.base) {
		return 0, false
	}
	if v.stretch > 0 {
		if l := t.code.All()[v.stretch-1]; l.Typed(shownAt) || v.origin.In == InVariables && !l.Used {
			return l.Step, true
		}
	}
	list := t.numbers[shownAt]
	switch {
	case v.role == year || v.role == datePart:
		return 0, false // a date is no number that is written in code
	case v.origin.In == InVariables:
		list = t.numbers[anyStep]
	}
	off := allowed(v.base, v.slack)
	i := sort.Search(len(list), func(i int) bool { return list[i].value >= v.base-off })
	for n := 0; i < len(list) && list[i].value <= v.base+off && n < maxPlaces; i, n = i+1, n+1 {
		if typed = true; list[i].step > 0 { // code that can be named
			return list[i].step, true
		}
	}
	return 0, typed
}

// allowed is what a number of an output may be off by from the one that it is, by its own
// precision.
func allowed(base, slack float64) float64 {
	off := math.Abs(base) * 1e-12
	if slack < math.Abs(base)*.01 { // three digits: it may be rounded
		off = max(off, slack)
	}
	return off
}

// typedIn returns the step whose code has typed a figure of a value that is filled in.
func (s *Sources) typedIn(text string, f figure) (step int, typed bool) {
	if s.typed.seen == 0 {
		return 0, false
	}
	v := shown{origin: Origin{Step: s.typed.step, In: InAnswer}, base: f.base, slack: f.slack, stretch: s.typed.stretch(text, f)}
	return s.typed.where(&v)
}
