package evaluate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"praxis/internal/agent/grounding"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// Answered is what a question came to.
type Answered struct {
	Run     string // its id in the journal
	Text    string
	Value   json.RawMessage // of an answer that is a JSON value; nil: there is none
	Status  string          // of the run
	Tests   string          // what became of the tests of a project: one of TestsPass and its neighbours
	Steps   int
	Tokens  int
	Cost    *float64 // in US dollars; nil: not known
	Seconds float64
}

// Assertion evaluates a Python expression about an answer in a sandbox. why says what it
// gave when it is not true.
type Assertion func(ctx context.Context, expression, answer string, figures []float64) (why string, err error)

// slight is how far off a number may be, as a share, when a case does not say.
const slight = 1e-6

// grade says why an answer is wrong, "" when it is right. An error is one of ours.
func (e Expect) grade(ctx context.Context, a Answered, assert Assertion) (why string, err error) {
	folded := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	switch {
	case e.Number != nil && !e.numberIn(a.Text):
		return "the number is not among its figures", nil
	case e.Text != "" && !strings.Contains(folded(a.Text), folded(e.Text)):
		return "the text does not stand in it", nil
	case e.Matches != "" && !regexp.MustCompile(e.Matches).MatchString(a.Text):
		return "it does not match", nil
	case e.Tests != "" && e.Tests != a.Tests:
		return "the tests came to " + a.Tests + ", not to " + e.Tests, nil
	}
	if e.JSON != nil {
		if why := e.compareJSON(a); why != "" {
			return why, nil
		}
	}
	if e.Assert == "" {
		return "", nil
	}
	if assert == nil {
		return "", fmt.Errorf("cannot evaluate the assertion %s: there is no sandbox", safetext.Quote(e.Assert))
	}
	figures := []float64{}
	for _, all := range grounding.Numbers(a.Text) {
		figures = append(figures, all[0].Value)
	}
	return assert(ctx, e.Assert, a.Text, figures)
}

// numberIn says that a figure of the text is the number.
func (e Expect) numberIn(text string) bool {
	want := e.Number.bounds()
	for _, all := range grounding.Numbers(text) {
		for _, n := range all {
			if e.equal(n.Value, want.Value, e.Number.whole()) {
				return true
			}
			// The bounds of a whole number hold no other one, but for what floats lack.
			if !e.exact() || e.Number.whole() && n.To-n.From <= 2+1e-12*math.Abs(n.Value) {
				continue
			}
			if rounded(n) && n.From <= want.Value && want.Value <= n.To || want.From <= n.Value && n.Value <= want.To {
				return true
			}
		}
	}
	return e.exact() && e.Number.digitsIn(text)
}

// exactBelow is where floats begin to lack whole numbers.
const exactBelow = 1 << 53

// groupRE finds the separators of thousands.
var groupRE = regexp.MustCompile(`([0-9])[,.'’_ \x{a0}\x{202f}]([0-9]{3})`)

// digitsIn says that the text holds a large whole number, digit by digit: as a float it
// would be equal to its neighbours.
func (n Number) digitsIn(text string) bool {
	if !n.whole() || math.Abs(n.Value) < exactBelow {
		return false
	}
	for before := ""; before != text; {
		before, text = text, groupRE.ReplaceAllString(text, "$1$2")
	}
	text = strings.ReplaceAll(text, "−", "-")
	return regexp.MustCompile(`(?:^|[^0-9.])` + regexp.QuoteMeta(n.written) + `(?:$|[^0-9])`).MatchString(text)
}

// bounds are those of a number with what its own rounding hides, if it is a fraction.
func (n Number) bounds() grounding.Number {
	exact := grounding.Number{Value: n.Value, From: n.Value, To: n.Value}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.written), "e")
	_, decimals, fraction := strings.Cut(mantissa, ".")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if !fraction || err != nil {
		return exact
	}
	half := 0.5 * math.Pow10(power-len(decimals))
	if r := (grounding.Number{Value: n.Value, From: n.Value - half, To: n.Value + half}); rounded(r) {
		return r
	}
	return exact
}

// exact says that the case sets no tolerance of its own.
func (e Expect) exact() bool { return e.Tolerance == nil && e.Relative == nil }

// rounded says that a figure is written so precisely that its rounding is no guess: it is
// known to a thousandth of itself.
func rounded(n grounding.Number) bool { return n.To-n.From <= 1e-3*math.Abs(n.Value) }

// equal says that two numbers are equal: within the tolerance, or exactly where both are
// whole, want as it is written, and there is no tolerance.
func (e Expect) equal(got, want float64, whole bool) bool {
	if e.exact() && whole && got == math.Trunc(got) {
		return got == want && math.Abs(want) < exactBelow
	}
	return e.near(got, want)
}

// near says that two numbers are equal within the tolerance.
func (e Expect) near(got, want float64) bool {
	allowed := slight * math.Abs(want)
	if !e.exact() {
		allowed = 1e-12 * math.Abs(want)
	}
	if e.Tolerance != nil {
		allowed = max(allowed, *e.Tolerance)
	}
	if e.Relative != nil {
		allowed = max(allowed, *e.Relative*math.Abs(want))
	}
	return math.Abs(got-want) <= allowed
}

// equalJSON says that two numbers of JSON are equal, however many digits they have.
func (e Expect) equalJSON(got, want json.Number) bool {
	g, okG := jsondoc.ParseDecimal(string(got))
	w, okW := jsondoc.ParseDecimal(string(want))
	if !okG || !okW {
		return false
	}
	if g.Compare(w) == 0 || e.exact() && g.Integer() && w.Integer() {
		return g.Compare(w) == 0
	}
	x, errX := got.Float64()
	y, errY := want.Float64()
	return errX == nil && errY == nil && e.near(x, y)
}

// compareJSON compares the answer's value, or the JSON that its text is.
func (e Expect) compareJSON(a Answered) (why string) {
	raw := a.Value
	if raw == nil {
		raw = json.RawMessage(grounding.Unfenced(a.Text))
	}
	got, err := jsondoc.Decode(raw)
	if err != nil {
		return "it is no JSON value"
	}
	want, err := jsondoc.Decode(e.JSON)
	if err != nil {
		return "what is expected is no JSON value"
	}
	if path := e.differs(got, want, "$"); path != "" {
		return "the values differ at " + safetext.OneLine(path, 120)
	}
	return ""
}

// differs returns the first place at which two values differ, "" when there is none.
func (e Expect) differs(got, want any, path string) string {
	switch want := want.(type) {
	case *jsondoc.Object:
		g, ok := got.(*jsondoc.Object)
		if !ok {
			return path
		}
		for k := range g.All() {
			if _, ok := want.Get(k); !ok {
				return path + "." + k
			}
		}
		for k, w := range want.All() {
			v, ok := g.Get(k)
			if !ok {
				return path + "." + k
			}
			if d := e.differs(v, w, path+"."+k); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return path
		}
		for i := range want {
			if d := e.differs(g[i], want[i], fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
		return ""
	case json.Number:
		if g, ok := got.(json.Number); ok && e.equalJSON(g, want) {
			return ""
		}
		return path
	}
	if got != want {
		return path
	}
	return ""
}
