package policy

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"praxis/internal/plan/label"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// world makes random policies, calls, and bounds around calls.
type world struct {
	*rand.Rand
	set *tool.Set
}

func (w *world) oneOf(texts ...string) string { return texts[w.IntN(len(texts))] }

var paths = map[string][]string{
	"email.write":  {"args.to", "args.body", "args.cc", "args.subject", "args.to[0]", "args.cc[1]", "args"},
	"calendar.add": {"args.event", "args.event.title", "args.event.guests", "args.event.guests[0]", "args.event.guests[1].mail", "args.event.extra", "args.event.extra.x"},
	"note.save":    {"args.event", "args.event.title", "args.event.guests", "args.event.guests[1].mail", "args.event.extra", "args.event.extra.x", "args.event.extra.x"},
	"bank.pay":     {"args.amount", "args.iban", "args.memo"},
	"email.read":   {"args.id", "args"},
}

// atom is a condition without && and ||.
func (w *world) atom(on string) string {
	p := w.oneOf(paths[on]...)
	q := w.oneOf(paths[on]...)
	source := w.oneOf("user", "model", "email.read", "email.*", "clock.now", "ask_llm", "user.upload", "*")
	who := w.oneOf(`"bob@acme.com"`, `["bob@acme.com", "eve@evil.com"]`, "groups.staff", q, "[]", "["+q+"]")
	text := w.oneOf(`"bob@acme.com"`, `"x"`, `""`)
	switch w.IntN(20) {
	case 0, 1, 2, 3:
		return p + ".trusted()"
	case 4, 5:
		return fmt.Sprintf("%s.from(%q)", p, source)
	case 6:
		return p + ".endorsed()"
	case 7, 8, 9:
		return p + ".readableBy(" + who + ")"
	case 10:
		return fmt.Sprintf("%s.sources() == [%s]", p, w.oneOf("", `"user"`, `"email.read"`, `"email.read", "user"`))
	case 11:
		return fmt.Sprintf("%q in %s.sources()", w.oneOf("user", "email.read", "model"), p)
	case 12:
		return w.oneOf("pc.trusted()", `pc.from("user")`, "call.number < 3", `tool.effects == "external"`, "named", "!named", "call.number != 2")
	case 13:
		return p + " == " + text
	case 14:
		return w.oneOf("has(args.cc)", "has(args.memo)", "has(args.event.guests)", "has(args.event.extra.x)", "has(args.id)", "has(args.cc) && has(args.subject)")
	case 15:
		return fmt.Sprintf("%s.%s(v, %s)", p, w.oneOf("all", "exists", "exists_one"), w.oneOf("v.trusted()", "v == "+text, `v.from("user") || v == "x"`, "args.all(k, k != v)", "v.readableBy("+q+")"))
	case 16:
		return "args.all(k, args[k].trusted())"
	case 17:
		return p + ".within(groups.staff)"
	case 18:
		return w.oneOf(p+" in groups.staff", p+" < 10", p+".size() > 1", p+`.startsWith("bob")`, p)
	}
	return fmt.Sprintf("(%s ? %s : %s)", w.atom(on), w.atom(on), w.atom(on))
}

func (w *world) condition(on string, depth int) string {
	switch n := w.IntN(6); {
	case depth > 0 && n < 2:
		return w.condition(on, depth-1) + " && " + w.condition(on, depth-1)
	case depth > 0 && n == 2:
		return "(" + w.condition(on, depth-1) + " || " + w.condition(on, depth-1) + ")"
	case n == 3:
		return "!(" + w.atom(on) + ")"
	}
	return w.atom(on)
}

// policy returns a random policy on one tool, or nil when it is refused.
func (w *world) policy(on string) *Policy {
	var b strings.Builder
	b.WriteString("version: 1\ngroups: {staff: {principals: [me, bob@acme.com, '*@sales.acme.com']}}\n")
	fmt.Fprintf(&b, "conditions: {named: %q}\nrules:\n", w.oneOf("call.number > 2", "args.trusted()", "pc.trusted() || args.from('user')"))
	for i := range 1 + w.IntN(4) {
		guard := ""
		for _, p := range []string{"args.cc", "args.event", "args.event.title", "args.event.guests", "args.event.extra", "args.event.extra.x", "args.memo", "args.id"} {
			if slices.ContainsFunc(paths[on], func(q string) bool { return strings.HasPrefix(q, p) }) {
				guard += " && (has(" + p + ") || true)"
			}
		}
		fmt.Fprintf(&b, "- {name: r%d, tools: [%s], when: %q, decision: %s, reason: x, remedy: y}\n", i, on, w.condition(on, 2)+guard, w.oneOf("allow", "ask", "deny"))
	}
	p, err := Load("random.yaml", []byte(b.String()), w.set)
	if err != nil {
		return nil
	}
	return p
}

func (w *world) label() label.Label {
	var l label.Label
	for range w.IntN(3) {
		l.Sources = append(l.Sources, w.source())
	}
	if w.IntN(3) == 0 {
		l.Readers = w.readers()
	}
	if w.IntN(6) == 0 {
		l.Endorsed = append(l.Endorsed, label.Endorsement{By: label.Endorser{Kind: label.Person, Name: "ann"}, Source: w.source()})
	}
	return l
}

func (w *world) source() label.Source {
	s := label.Source{Kind: label.SourceKind(1 + w.IntN(3)), Call: w.IntN(3), Line: w.IntN(3), Trusted: w.IntN(2) == 0}
	s.Name = w.oneOf("task", "email.read", "clock.now", "ask_llm", "upload")
	return s
}

func (w *world) readers() label.Readers {
	return label.Only([]string{"ann@acme.com", "bob@acme.com", "eve@evil.com"}[w.IntN(2) : w.IntN(3)+1]...)
}

func (w *world) text() string { return w.oneOf("bob@acme.com", "x", "eve@evil.com", "", "me") }

// value makes a value, with labels in its parts or on the whole.
func (w *world) value(depth int) Labelled {
	v := Labelled{Label: w.label()}
	switch n := w.IntN(9); {
	case n < 4 || depth == 0:
		v.Value = w.text()
	case n == 4:
		v.Value = []any{w.text(), w.IntN(20)}
	case n == 5:
		v.Value = map[string]any{"title": w.text(), "mail": w.text(), "x": 1}
	case n == 6:
		v.Value = []any{true, 3, 2.5, nil}[w.IntN(4)]
	case n == 7:
		v.Items = []Labelled{}
		for range w.IntN(3) {
			v.Items = append(v.Items, w.value(depth-1))
		}
	default:
		v.Fields = map[string]Labelled{}
		for _, name := range []string{"title", "guests", "extra", "mail", "x"} {
			if w.IntN(2) == 0 {
				v.Fields[name] = w.value(depth - 1)
			}
		}
	}
	return v
}

func (w *world) call(d *tool.Definition) Call {
	c := Call{Tool: d, Number: 1 + w.IntN(4), Args: map[string]Labelled{}, Control: w.label()}
	for _, a := range d.Arguments() {
		if w.IntN(4) == 0 {
			continue
		}
		v := w.value(2)
		if a.Name == "event" && w.IntN(2) == 0 {
			v = Labelled{Label: w.label(), Fields: map[string]Labelled{"title": w.value(1), "extra": w.value(1), "guests": w.value(2)}}
		}
		c.Args[a.Name] = v
	}
	return c
}

// plainValue is a value without its labels.
func plainValue(v Labelled) any {
	switch {
	case v.Fields != nil:
		out := map[string]any{}
		for name, f := range v.Fields {
			out[name] = plainValue(f)
		}
		return out
	case v.Items != nil:
		out := []any{}
		for _, item := range v.Items {
			out = append(out, plainValue(item))
		}
		return out
	}
	return v.Value
}

// all joins the labels of a value and of its parts.
func all(v Labelled) label.Label {
	tb := label.NewTable()
	id := tb.Intern(v.Label)
	for _, p := range v.Items {
		id = tb.Join(id, tb.Intern(all(p)))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
		id = tb.Join(id, tb.Intern(all(v.Fields[name])))
	}
	return tb.Label(id)
}

// around makes bounds around a label.
func (w *world) around(l label.Label, b *Bound) {
	for _, s := range l.Sources {
		s.Call, s.Line = 0, 7
		if w.IntN(2) == 0 {
			b.Must.Sources = append(b.Must.Sources, s)
		}
		b.May.Sources = append(b.May.Sources, s)
	}
	b.May.Endorsed = l.Endorsed
	if w.IntN(2) == 0 {
		b.Must.Endorsed = l.Endorsed
	}
	b.May.Readers = l.Readers
	if w.IntN(2) == 0 {
		b.Must.Readers = l.Readers
	}
	switch w.IntN(8) {
	case 0:
		b.AnySource = true
	case 1:
		more := w.label()
		b.May.Sources = append(b.May.Sources, more.Sources...)
		b.May.Endorsed = append(slices.Clone(b.May.Endorsed), more.Endorsed...)
		b.May.Readers = b.May.Readers.Intersect(more.Readers)
	}
}

// bound makes a bound that holds the value.
func (w *world) bound(v Labelled) Bound {
	var b Bound
	if w.IntN(3) == 0 && v.Items == nil && v.Fields == nil {
		v = apart(v)
	}
	if w.IntN(10) == 0 {
		b.Presence = MaybeGiven
	}
	switch {
	case (v.Items != nil || v.Fields != nil) && w.IntN(2) == 0:
		w.around(v.Label, &b)
		if v.Items != nil {
			b.Items = []Bound{}
			for _, item := range v.Items {
				part := w.bound(item)
				part.Presence = Given
				b.Items = append(b.Items, part)
			}
		} else {
			b.Fields = map[string]Bound{}
			for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
				b.Fields[name] = w.bound(v.Fields[name])
			}
			for _, name := range []string{"guests", "extra", "x"} {
				if _, ok := v.Fields[name]; !ok && w.IntN(3) == 0 {
					part := w.bound(w.value(1))
					part.Presence = Presence(1 + w.IntN(2))
					b.Fields[name] = part
				}
			}
		}
	default:
		w.around(all(v), &b)
		if w.IntN(2) == 0 {
			b.Known, b.Value = true, plainValue(v)
		}
	}
	return b
}

func (w *world) abstract(c Call) Abstract {
	a := Abstract{Tool: c.Tool, Args: map[string]Bound{}, Open: w.IntN(4) == 0}
	if w.IntN(2) == 0 {
		a.Number = c.Number
	}
	w.around(c.Control, &a.Control)
	for _, arg := range c.Tool.Arguments() {
		v, given := c.Args[arg.Name]
		switch {
		case given && (!a.Open || w.IntN(2) == 0):
			a.Args[arg.Name] = w.bound(v)
		case !given && w.IntN(3) == 0:
			b := w.bound(Labelled{Label: w.label(), Fields: map[string]Labelled{"title": w.value(1), "guests": w.value(2)}})
			if w.IntN(2) == 0 {
				b = w.bound(w.value(2))
			}
			b.Presence = Presence(1 + w.IntN(2))
			a.Args[arg.Name] = b
		}
	}
	return a
}

// judgeRounds is how many random policies TestJudgeIsSound makes.
var judgeRounds = flag.Int("rounds", 100, "random policies, each with 16 calls, of TestJudgeIsSound")

func TestJudgeIsSound(t *testing.T) {
	rounds := *judgeRounds
	w := &world{rand.New(rand.NewPCG(7, 8)), tools(t)}
	refused, certain, depends := 0, map[Certainty]int{}, 0
	for round := range rounds {
		on := w.oneOf("email.write", "calendar.add", "note.save", "note.save", "bank.pay", "email.read")
		p := w.policy(on)
		if p == nil {
			refused++
			continue
		}
		for range 16 {
			c := w.call(def(t, p, on))
			d := p.Decide(c)
			exact := Abstract{Tool: c.Tool, Number: c.Number, Args: map[string]Bound{}, Control: exactly(Labelled{Label: c.Control})}
			for name, v := range c.Args {
				exact.Args[name] = exactly(v)
			}
			if j := p.Judge(exact); j.Certainty == DependsOnRunTime || j.Verdict != d.Verdict || j.Rule != d.Rule {
				t.Fatalf("round %d: an exact call is judged %s by %s, decided %s by %s\n%s", round, j.Certainty, j.Rule, d.Verdict, d.Rule, describe(p, c, exact, d))
			}
			a := w.abstract(c)
			j := p.Judge(a)
			if !slices.Contains(j.Possible, d.Verdict) {
				t.Fatalf("round %d: judged %s (possible %v), decided %s\n%s", round, j.Certainty, j.Possible, d.Verdict, describe(p, c, a, d))
			}
			if j.Certainty == DependsOnRunTime {
				depends++
				continue
			}
			certain[j.Certainty]++
			if Certainty(d.Verdict) != j.Certainty {
				t.Fatalf("round %d: judged %s, decided %s\n%s", round, j.Certainty, d.Verdict, describe(p, c, a, d))
			}
		}
	}
	t.Logf("%d policies refused, certain %v, depends %d", refused, certain, depends)
	if refused > rounds*3/4 || certain[CertainAllow] < rounds/20 || certain[CertainAsk] < rounds/20 || certain[CertainDeny] < rounds/20 || depends < rounds/20 {
		t.Errorf("the test is lopsided: %d of %d policies refused, certain %v, depends %d", refused, rounds, certain, depends)
	}
}

// TestJudge states what the judgement knows, and what it must not claim.
func TestJudge(t *testing.T) {
	untrusted := mail("").Label
	private := mail("", "bob@acme.com").Label
	trusted := user("").Label
	unknownText := Bound{Must: trusted, May: trusted}
	for _, c := range []struct {
		when string
		args map[string]Bound
		want truth
	}{
		{`args.to.trusted()`, map[string]Bound{"to": {Must: untrusted, May: untrusted}}, isFalse},
		{`args.to.trusted()`, map[string]Bound{"to": {May: untrusted}}, isUnknown},
		{`args.to.trusted()`, map[string]Bound{"to": unknownText}, isTrue},
		{`args.to.trusted()`, map[string]Bound{"to": {AnySource: true}}, isUnknown},
		{`args.to.trusted()`, map[string]Bound{"to": {Must: untrusted, May: untrusted, AnySource: true}}, isFalse},
		{`args.to[0].trusted()`, map[string]Bound{"to": {Must: untrusted, May: untrusted}}, isUnknown},
		{`args.to[0].trusted()`, map[string]Bound{"to": {Items: []Bound{{Must: untrusted, May: untrusted}}}}, isFalse},
		{`args.to == "x" || args.to.trusted()`, map[string]Bound{"to": unknownText}, isTrue},
		{`args.to == "x" && args.to.trusted()`, map[string]Bound{"to": unknownText}, isUnknown},
		{`args.to == "x" && !args.to.trusted()`, map[string]Bound{"to": unknownText}, isFalse},
		{`args.to == "x"`, map[string]Bound{"to": {Known: true, Value: "x", AnySource: true}}, isTrue},
		{`args.body.readableBy(args.to)`, map[string]Bound{"to": unknownText, "body": {AnySource: false, May: untrusted}}, isTrue},
		{`args.body.readableBy(args.to)`, map[string]Bound{"to": unknownText, "body": {May: private}}, isUnknown},
		{`args.body.readableBy("bob@acme.com")`, map[string]Bound{"body": {May: private, Must: private}}, isTrue},
		{`args.body.readableBy("bob@acme.com")`, map[string]Bound{"body": {May: mail("", "x@x").Label}}, isUnknown},
		{`args.body.readableBy("eve@evil.com")`, map[string]Bound{"body": {May: private}}, isUnknown},
		{`args.body.readableBy("eve@evil.com")`, map[string]Bound{"body": {May: private, Must: private}}, isFalse},
		{`args.body.readableBy(args.to)`, map[string]Bound{"to": {Known: true, Value: "eve@evil.com"}, "body": {May: private, Must: private}}, isFalse},
		{`has(args.cc)`, nil, isFalse},
		{`has(args.cc)`, map[string]Bound{"cc": {Presence: MaybeGiven}}, isUnknown},
		{`args.cc.trusted()`, map[string]Bound{"cc": {Presence: MaybeGiven, Must: untrusted, May: untrusted}}, isUnknown},
		{`args.cc[0].trusted()`, map[string]Bound{"cc": {Presence: MaybeGiven, Items: []Bound{{Must: untrusted, May: untrusted}}}}, isUnknown},
		{`args.cc[0].trusted()`, map[string]Bound{"cc": {Items: []Bound{{Must: untrusted, May: untrusted}}}}, isFalse},
		{`args.cc.all(c, c.trusted())`, map[string]Bound{"cc": {Items: []Bound{{May: trusted}, {May: trusted}}}}, isTrue},
		{`args.cc.all(c, c.trusted())`, map[string]Bound{"cc": {May: trusted}}, isUnknown},
		{`call.number > 0`, nil, isUnknown},
		{`args.to.sources() == ["email.read"]`, map[string]Bound{"to": {Must: untrusted, May: untrusted}}, isTrue},
		{`args.to.from("email.*")`, map[string]Bound{"to": {May: untrusted}}, isUnknown},
		{`args.to.from("calendar.add")`, map[string]Bound{"to": {May: untrusted}}, isFalse},
		{`pc.trusted()`, nil, isTrue},
	} {
		p := load(t, fmt.Sprintf("version: 1\nrules:\n- {name: r, tools: [email.write], when: %q, decision: ask, reason: x}\n", "has(args.cc) && false || ("+c.when+")"))
		if s := p.prepare(&Abstract{Tool: def(t, p, "email.write"), Args: c.args}, false); s.rule(p.rules[0]).truth != c.want {
			t.Errorf("%s: got %s, want %s", c.when, s.rule(p.rules[0]).truth, c.want)
		}
	}
}

func describe(p *Policy, c Call, a Abstract, d Decision) string {
	var b strings.Builder
	for _, r := range p.Rules() {
		fmt.Fprintf(&b, "%s %s: %s\n", r.Verdict, r.Name, r.When)
	}
	for n, c := range p.named {
		fmt.Fprintf(&b, "%s: %s\n", n, c.text)
	}
	fmt.Fprintf(&b, "call %+v\nabstract %+v\n", c, a)
	for _, s := range d.Steps {
		fmt.Fprintf(&b, "%s %s %v %v\n", s.Rule, s.Result, s.err, s.Clauses)
	}
	for _, s := range p.Judge(a).Steps {
		fmt.Fprintf(&b, "judged: %s %s %v %v\n", s.Rule, s.Result, s.err, s.Clauses)
	}
	return b.String()
}

// exactly returns the bound of a value whose labels are known.
func exactly(v Labelled) Bound {
	b := Bound{Known: true, Value: v.Value, Must: v.Label, May: v.Label}
	if v.Items == nil && v.Fields == nil {
		v = apart(v)
	}
	if v.Items != nil {
		b.Items = make([]Bound, len(v.Items))
		for i, item := range v.Items {
			b.Items[i] = exactly(item)
		}
	}
	if v.Fields != nil {
		b.Fields = make(map[string]Bound, len(v.Fields))
		for name, f := range v.Fields {
			b.Fields[name] = exactly(f)
		}
	}
	return b
}

// apart gives the parts of a value that has one label parts of their own. They
// add nothing to the label of the whole, which stays theirs, too.
func apart(v Labelled) Labelled {
	if items, ok := v.Value.([]any); ok {
		v.Items = make([]Labelled, len(items))
		for i, item := range items {
			v.Items[i].Value = item
		}
	} else if jsondoc.IsObject(v.Value) {
		v.Fields = map[string]Labelled{}
		for name, part := range jsondoc.Members(v.Value) {
			v.Fields[name] = Labelled{Value: part}
		}
	}
	return v
}
