package policy

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"

	"praxis/internal/lazyregexp"
	"praxis/internal/plan/label"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// The names of rules that no file declares and that let a person decide about a call
// which would be allowed.
const (
	PlannerRule = "planner" // the model that wrote the plan made an argument up
	ControlRule = "control" // data that are not trusted decided that it is made
)

// planner is the source of what the model that wrote a plan made up. It counts as
// trusted: no data chose it.
const planner = "planner"

// Task is what people gave for a plan that a model wrote: the request, what the
// definitions and the policy list, and results that are trusted. A recipient, an
// amount or an identity that stands in none of it is the planner's own.
type Task struct {
	texts   []string
	numbers map[string]bool
}

// NewTask reads the request, and what the definitions and the policy list. Prose and
// examples of definitions are left out: nobody names a recipient there.
func NewTask(tools *tool.Set, p *Policy, request string) *Task {
	g := &Task{numbers: map[string]bool{}}
	g.Add(request)
	seen := map[*schema.Type]bool{}
	for d := range tools.All() {
		g.listed(d.Input.Type(), seen)
	}
	for _, in := range tools.Inputs() {
		g.Add(in.Default)
	}
	people := tools.Principals()
	g.Add(people.Me)
	for _, name := range people.Names {
		g.Add(name)
	}
	for _, r := range p.Rules() {
		g.Add(r.When)
	}
	if groups, ok := p.groups.Value().(map[string]any); ok {
		for _, members := range groups {
			for _, name := range members.([]string) {
				g.Add(name)
			}
		}
	}
	return g
}

// listed adds the values that a type names, once.
func (g *Task) listed(t *schema.Type, seen map[*schema.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	g.Add(t.Enum)
	g.Add(t.Default)
	g.listed(t.Items, seen)
	g.listed(t.Additional, seen)
	for _, p := range t.Properties {
		g.listed(p.Type, seen)
	}
	for _, v := range slices.Concat(t.Prefix, t.Variants) {
		g.listed(v, seen)
	}
}

// Clone returns a copy to which results can be added, nil of nil.
func (g *Task) Clone() *Task {
	if g == nil {
		return nil
	}
	return &Task{slices.Clone(g.texts), maps.Clone(g.numbers)}
}

var (
	digitsRE = lazyregexp.New(`[0-9][0-9.,']*`)
	timeRE   = lazyregexp.New(`^([0-9]{4}-[0-9]{2}-[0-9]{2}([t ][0-9:.+z-]*)?|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)$`)
	// personalRE matches the names of arguments that say who gets something, who
	// somebody is, or how much.
	personalRE = lazyregexp.New(`(?i)(^|_)(to|cc|bcc|recipients?|participants?|attendees?|invitees?|members?|payee|beneficiary|(bank_?)?account|iban|user|users|user_?name|channel|e?-?mails?|address|phone|amount)$`)
)

// wordsRE matches where a word begins in a name such as recipientEmail.
var wordsRE = lazyregexp.New(`([a-z0-9])([A-Z])`)

// spaced writes a name with an underscore between its words.
func spaced(name string) string { return wordsRE.ReplaceAllString(name, "${1}_$2") }

// mailRE matches an address of mail in a text.
var mailRE = lazyregexp.New(`[^\s<>()\[\]{},;:"']+@[^\s<>()\[\]{},;:"'@]+`)

// maxAddresses bounds how many of a text are looked for: one with more is the planner's own.
const maxAddresses = 500

// numerals are the numbers that requests write as words.
func numerals() []string {
	return strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
}

// Add adds a value and all that is in it.
func (g *Task) Add(v any) {
	for _, one := range leaves("", v) {
		text, ok := one.(string)
		if !ok {
			g.numbers[number(numeral(one))] = true
			continue
		}
		g.texts = append(g.texts, strings.ToLower(text))
		for _, digits := range digitsRE.FindAllString(text, -1) {
			digits = strings.Trim(strings.ReplaceAll(digits, "'", ""), ".,")
			g.numbers[number(strings.ReplaceAll(digits, ",", ""))] = true
			g.numbers[number(strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", "."))] = true
		}
		for _, word := range strings.Fields(strings.ToLower(text)) {
			if n := slices.Index(numerals(), strings.Trim(word, ".,;:!?")); n >= 0 {
				g.numbers[number(fmt.Sprint(n))] = true
			}
		}
	}
}

// numeral writes a number of JSON without an exponent.
func numeral(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// number writes a number in one way, whatever way it was written in.
func number(text string) string {
	if strings.ContainsAny(text, "eE") || len(text) > 1000 {
		return text
	}
	if r, ok := new(big.Rat).SetString(strings.TrimPrefix(text, "-")); ok {
		return r.RatString()
	}
	return text
}

// leaves are the texts and numbers of a JSON value, with the names of the members
// that they are in, or in which the list is that they are in.
func leaves(name string, v any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		var walk func(name string, v any) bool
		walk = func(name string, v any) bool {
			switch v := v.(type) {
			case nil, bool:
			case []any:
				for _, item := range v {
					if !walk(name, item) {
						return false
					}
				}
			case *jsondoc.Object:
				for name, item := range v.All() {
					if !walk(name, item) {
						return false
					}
				}
			default:
				return yield(name, v)
			}
			return true
		}
		walk(name, v)
	}
}

// maxIdentity bounds what can name somebody, in bytes.
const maxIdentity = 200

// has says whether a leaf stands in what was given. Days, times, paths and long texts
// are no identities; the addresses in long texts are.
func (g *Task) has(v any) bool {
	text, ok := v.(string)
	if !ok {
		return g.numbers[number(numeral(v))]
	}
	text = strings.ToLower(strings.TrimLeft(strings.TrimSpace(text), "@#"))
	mail := strings.Contains(text, "@")
	given := func(word string) bool {
		return slices.ContainsFunc(g.texts, func(t string) bool { return standsIn(word, t) })
	}
	if len(text) > maxIdentity || strings.Contains(text, "\n") {
		return g.hasAddresses(text)
	}
	if text == "" || timeRE.MatchString(text) || strings.Contains(text, "/") && !mail || given(text) {
		return true
	}
	if mail || !strings.ContainsAny(text, "0123456789") {
		return false
	}
	// An account or a telephone number can be written in groups.
	groups := strings.NewReplacer(" ", "", "-", "")
	text = groups.Replace(text)
	return slices.ContainsFunc(g.texts, func(t string) bool {
		return len(t) <= maxGrouped && strings.Contains(groups.Replace(t), text) && grouped(text).MatchString(t)
	})
}

// hasAddresses says whether all addresses of mail in a text stand in what was given.
func (g *Task) hasAddresses(text string) bool {
	if !strings.Contains(text, "@") {
		return true
	}
	addresses := mailRE.FindAllString(strings.ToLower(text), maxAddresses+1)
	return len(addresses) <= maxAddresses && !slices.ContainsFunc(addresses, func(address string) bool {
		word := strings.TrimLeft(strings.TrimRight(address, ".!?"), "@#")
		return !slices.ContainsFunc(g.texts, func(t string) bool { return standsIn(word, t) })
	})
}

// maxGrouped bounds the texts in which numbers in groups are looked for, in bytes.
const maxGrouped = 16 << 10

// grouped matches an account in groups.
func grouped(account string) *regexp.Regexp {
	var pattern strings.Builder
	for _, r := range account {
		pattern.WriteString(regexp.QuoteMeta(string(r)) + `[\s-]*`)
	}
	return regexp.MustCompile(`(^|[^\pL\pN])` + pattern.String() + `($|[^\pL\pN])`)
}

// standsIn says whether a word stands in a text, and not as a part of another: of an
// address, "ann@acme.com" is none of "joann@acme.com", "x.ann@acme.com" or
// "ann@acme.com.example".
func standsIn(word, text string) bool {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for at := 0; ; at++ {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		rest := text[at+len(word):]
		after, size := utf8.DecodeRuneInString(rest)
		if strings.ContainsRune(".-", after) {
			after, _ = utf8.DecodeRuneInString(rest[size:])
		}
		if !inside(before) && !strings.ContainsRune(".+-", before) && !inside(after) {
			return true
		}
	}
}

// guards says whether values of an argument, or of a member of that name in it, are
// recipients, amounts or identities.
func guards(d *tool.Definition, argument, member string, t *schema.Type) bool {
	for _, demand := range d.Labels.Arguments {
		if demand.Argument == argument && demand.Trusted || slices.Contains(demand.ReadableBy, argument) {
			return true
		}
	}
	return personalRE.MatchString(spaced(member)) || t != nil && (t.Format == "email" || t.Items != nil && t.Items.Format == "email")
}

// own says whether a value of an argument holds what only the planner can have chosen.
// l is what the value depends on.
func (g *Task) own(d *tool.Definition, argument, member string, t *schema.Type, v any, l label.Label) bool {
	if !d.Effects.Acts() || !l.Trusted() {
		return false
	}
	for member, leaf := range leaves(member, v) {
		text, is := leaf.(string)
		if (is || len(l.Sources) == 0) && guards(d, argument, member, t) && !g.has(leaf) || is && !g.hasAddresses(text) {
			return true
		}
	}
	for name := range names(v) {
		if !g.hasAddresses(name) {
			return true
		}
	}
	return false
}

// names are those of all members within a JSON value.
func names(v any) iter.Seq[string] {
	return func(yield func(string) bool) {
		var walk func(v any) bool
		walk = func(v any) bool {
			switch v := v.(type) {
			case []any:
				return !slices.ContainsFunc(v, func(item any) bool { return !walk(item) })
			case *jsondoc.Object:
				for name, item := range v.All() {
					if !yield(name) || !walk(item) {
						return false
					}
				}
			}
			return true
		}
		walk(v)
	}
}

// FromPlanner returns a label to which the planner was added.
func FromPlanner(l label.Label) label.Label {
	source := label.Source{Kind: label.Planner, Name: planner, Trusted: true}
	if !slices.Contains(l.Sources, source) {
		l.Sources = append(slices.Clip(l.Sources), source) // the kind is the last in the order
	}
	return l
}

// Mark returns an argument with the planner among the sources of the parts that it
// made up, and whether there are any. A nil Task makes none.
func (g *Task) Mark(d *tool.Definition, argument string, v Labelled) (Labelled, bool) {
	if g == nil || !d.Effects.Acts() {
		return v, false
	}
	return g.mark(d, argument, argument, typeOf(d, argument), v)
}

func typeOf(d *tool.Definition, argument string) *schema.Type {
	p, _ := d.Input.Type().Property(argument)
	return p.Type
}

func (g *Task) mark(d *tool.Definition, argument, member string, t *schema.Type, v Labelled) (Labelled, bool) {
	found, one := false, false
	switch {
	case v.Items != nil:
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			v.Items[i], one = g.mark(d, argument, member, t, v.Items[i])
			found = found || one
		}
	case v.Fields != nil:
		v.Fields = maps.Clone(v.Fields)
		for name, f := range v.Fields {
			v.Fields[name], one = g.mark(d, argument, name, nil, f)
			found = found || one
			if v.Label.Trusted() && !g.hasAddresses(name) {
				v.Label, found = FromPlanner(v.Label), true
			}
		}
	case g.own(d, argument, member, t, v.Value, v.Label):
		v.Label, found = FromPlanner(v.Label), true
	}
	return v, found
}

// MarkBound does what Mark does with what is known of an argument before the run.
func (g *Task) MarkBound(d *tool.Definition, argument string, b Bound) Bound {
	if g == nil || !d.Effects.Acts() {
		return b
	}
	return g.markBound(d, argument, argument, typeOf(d, argument), b)
}

func (g *Task) markBound(d *tool.Definition, argument, member string, t *schema.Type, b Bound) Bound {
	switch {
	case b.Items != nil:
		b.Items = slices.Clone(b.Items)
		for i := range b.Items {
			b.Items[i] = g.markBound(d, argument, member, t, b.Items[i])
		}
	case b.Fields != nil:
		b.Fields = maps.Clone(b.Fields)
		for name, f := range b.Fields {
			b.Fields[name] = g.markBound(d, argument, name, nil, f)
			if b.Must.Trusted() && !g.hasAddresses(name) {
				b.May = FromPlanner(b.May)
			}
		}
	case !b.Known:
		if word := t != nil && t.Kinds&(schema.ArrayKind|schema.ObjectKind|schema.StringKind) == 0; b.Must.Trusted() && (!word || guards(d, argument, member, t)) {
			b.May = FromPlanner(b.May) // an address may stand anywhere in a text
		}
	case g.own(d, argument, member, t, b.Value, b.May): // nothing else can have chosen it
		b.May, b.Must = FromPlanner(b.May), FromPlanner(b.Must)
	case g.own(d, argument, member, t, b.Value, label.Label{}):
		b.May = FromPlanner(b.May)
	}
	return b
}

// explicit says whether a rule about a tool names something: then the rules decide.
func (p *Policy) explicit(d *tool.Definition, what func(c *condition) bool) bool {
	var names func(c *condition, depth int) bool
	names = func(c *condition, depth int) bool {
		return c != nil && depth < maxNesting && (what(c) ||
			slices.ContainsFunc(c.names, func(n string) bool { return names(p.named[n], depth+1) }))
	}
	return slices.ContainsFunc(p.byTool[d.Name], func(r *rule) bool { return names(r.when, 0) })
}

func namesPlanner(c *condition) bool {
	return slices.ContainsFunc(c.froms, func(f from) bool { return f.pattern == planner })
}

func namesControl(c *condition) bool {
	return slices.ContainsFunc(c.uses, func(u use) bool { return u.path.root == "pc" })
}

// made finds the arguments that the planner made up: for certain, and perhaps.
func (e *evaluation) made() (must, may []string) {
	for _, name := range slices.Sorted(maps.Keys(e.args.bound.Fields)) {
		b := e.args.at(types.String(name)).labels()
		if slices.ContainsFunc(b.must.sources, isPlanner) {
			must = append(must, name)
		} else if slices.ContainsFunc(b.may.sources, isPlanner) {
			may = append(may, name)
		}
	}
	return must, may
}

func isPlanner(f fact) bool { return f.kind == label.Planner }

// cautious lets a person decide about a call that the rules would allow, where they say
// nothing of what is peculiar about it: data decided that it is made, or its arguments
// are the planner's own.
func (e *evaluation) cautious(d Decision) Decision {
	if d.Verdict != Allow {
		return d
	}
	if must, _ := e.steered(); must {
		return d.steered(e.def)
	}
	if must, _ := e.made(); len(must) > 0 && !e.policy.explicit(e.def, namesPlanner) {
		return d.planned(must)
	}
	return d
}

// steered says whether data that are not trusted decided that a call with effects is
// made, and no rule about the tool names pc: for certain, and perhaps.
func (e *evaluation) steered() (must, may bool) {
	if !e.def.Effects.Acts() || e.policy.explicit(e.def, namesControl) {
		return false, false
	}
	b := e.control.labels()
	return !b.must.trusted(), b.may.any || !b.may.trusted()
}

func (d Decision) steered(def *tool.Definition) Decision {
	d.Verdict, d.Rule = Ask, ControlRule
	d.Reason = "data that are not trusted decided that " + def.Name + " is called"
	d.Remedy = "Call it whatever the data say, or let a rule about " + def.Name + " say what of pc is fine."
	return d
}

func (d Decision) planned(arguments []string) Decision {
	d.Verdict, d.Rule = Ask, PlannerRule
	d.Reason = "the planner chose " + strings.Join(arguments, ", ") + ": it stands neither in the request nor in the lists of the tools file"
	d.Remedy = "Take it from the request or from a trusted result. If it is missing, print what is needed and call nothing."
	return d
}

// perhapsCautious does so for what is known before the run.
func (e *evaluation) perhapsCautious(j Judgement) Judgement {
	must, may := e.made()
	if e.policy.explicit(e.def, namesPlanner) {
		must, may = nil, nil
	}
	steered, perhaps := e.steered()
	if len(must)+len(may) == 0 && !steered && !perhaps || !slices.Contains(j.Possible, Allow) {
		return j
	}
	own := j.Decision.planned(slices.Concat(must, may))
	if steered || perhaps {
		own = j.Decision.steered(e.def)
	}
	certain := steered || len(must) > 0
	if j.Certainty == CertainAllow && certain {
		return Judgement{CertainAsk, []Verdict{Ask}, own}
	}
	if j.Certainty == CertainAllow {
		j.Certainty, j.Decision = DependsOnRunTime, own
	}
	if j.Possible = append(j.Possible, Ask); certain {
		j.Possible = slices.DeleteFunc(j.Possible, func(v Verdict) bool { return v == Allow })
	}
	slices.Sort(j.Possible)
	j.Possible = slices.Compact(j.Possible)
	return j
}
