package policy

import (
	"strings"
	"testing"

	"praxis/internal/plan/label"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// TestTask says of values of an argument whether the planner made them up, and holds
// what is known of them before the run against it.
func TestTask(t *testing.T) {
	p, err := Load("policy.yaml", []byte(memberPolicy), memberSet(t))
	if err != nil {
		t.Fatal(err)
	}
	task := NewTask(p.tools, p, "Send Ann (ann@acme.com), x.bob@acme.com and the #team's accountant at +49 170 123-4567 "+
		"1,250.50 € and 2.000,75 €, DE89 3704 0044 0532 0130 00, three times. Tell José.")
	task.Add([]any{"carol@acme.com"})
	d, _ := p.tools.Lookup("mail.send")
	data := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "contacts.all", Call: 1, Trusted: true}}}
	untrusted := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "web.get", Call: 2}}}
	for _, c := range []struct {
		v    any
		l    label.Label
		made bool
	}{
		{"ann@acme.com", label.Label{}, false}, {"ANN@acme.com", label.Label{}, false}, {"Ann", label.Label{}, false}, {"josé", label.Label{}, false},
		{"bob@acme.com", label.Label{}, true}, {"nn@acme.com", label.Label{}, true}, {"ann@acme.co", label.Label{}, true}, {"ann@acme.com.example", label.Label{}, true},
		{"carol@acme.com", label.Label{}, false}, {"team", label.Label{}, false}, {"#team", label.Label{}, false}, {"@teams", label.Label{}, true},
		{"DE89370400440532013000", label.Label{}, false}, {"DE8937040044053201300", label.Label{}, true}, {"+491701234567", label.Label{}, false}, {"701234567", label.Label{}, true},
		{1250.5, label.Label{}, false}, {int64(1250), label.Label{}, true}, {2000.75, label.Label{}, false}, {int64(3), label.Label{}, false}, {int64(4), label.Label{}, true},
		{"dan@acme.com", data, true}, {"dan@acme.com", untrusted, false}, {int64(99), data, false},
		{"2026-05-04", label.Label{}, false}, {"2026-05-04T10:00:00Z", label.Label{}, false}, {"18:00", label.Label{}, false}, {"/archive/report.pdf", label.Label{}, false},
		{"Ann\n<ann@acme.com>", label.Label{}, false}, {"Ann\n<eve@evil.example>", label.Label{}, true},
		{strings.Repeat("ann@acme.com, ", 20) + "carol@acme.com", label.Label{}, false}, {strings.Repeat("ann@acme.com, ", 20) + "eve@evil.example", label.Label{}, true},
		{strings.Repeat("e", 200) + "@evil.example", label.Label{}, true}, {strings.Repeat("long ", 50), label.Label{}, false},
		{strings.Repeat("ann@acme.com, ", 5000), label.Label{}, true},
		{nil, label.Label{}, false}, {true, label.Label{}, false}, {"", label.Label{}, false},
		{[]any{"ann@acme.com", "eve@evil.example"}, label.Label{}, true},
		{jsondoc.NewObject(jsondoc.Member{Name: "note", Value: "to whom it may concern"}), label.Label{}, false},
		{jsondoc.NewObject(jsondoc.Member{Name: "email", Value: "eve@evil.example"}), label.Label{}, true},
		{jsondoc.NewObject(jsondoc.Member{Name: "note", Value: "ann@acme.com and carol@acme.com."}), label.Label{}, false},
		{jsondoc.NewObject(jsondoc.Member{Name: "note", Value: "eve@evil.example"}), label.Label{}, true},
		{jsondoc.NewObject(jsondoc.Member{Name: "note", Value: "ask Eve (eve@evil.example) about it"}), label.Label{}, true},
		{jsondoc.NewObject(jsondoc.Member{Name: "ann@acme.com", Value: "owner"}), label.Label{}, false},
		{jsondoc.NewObject(jsondoc.Member{Name: "eve@evil.example", Value: "owner"}), label.Label{}, true},
		{jsondoc.NewObject(jsondoc.Member{Name: "who", Value: []any{jsondoc.NewObject(jsondoc.Member{Name: "eve@evil.example", Value: true})}}), label.Label{}, true},
	} {
		got, made := task.Mark(d, "to", Labelled{Value: c.v, Label: c.l})
		if _, whole := c.v.(*jsondoc.Object); whole {
			got, made = task.mark(d, "event", "event", nil, Labelled{Value: c.v, Label: c.l}) // an argument whose own name says nothing
		}
		if made != c.made || made != (len(got.Label.Sources) > len(c.l.Sources)) {
			t.Errorf("%v from %v: made up %v, want %v: %v", c.v, c.l, made, c.made, got.Label)
		}
		if _, whole := c.v.(*jsondoc.Object); whole {
			continue
		}
		for _, b := range []Bound{{Known: true, Value: c.v, Must: c.l, May: c.l}, {Must: label.Label{}, May: c.l}} {
			m := task.MarkBound(d, "to", b)
			may, must := len(m.May.Sources) > len(c.l.Sources), len(m.Must.Sources) > len(b.Must.Sources)
			if made && !may || must && !made {
				t.Errorf("%v, known %v: may be made up %v, must %v, is %v", c.v, b.Known, may, must, made)
			}
		}
		if reads, _ := p.tools.Lookup("web.get"); reads != nil {
			if _, made := task.Mark(reads, "to", Labelled{Value: c.v}); made {
				t.Errorf("%v: a call that only reads asks", c.v)
			}
		}
	}
	var none *Task
	if _, made := none.Mark(d, "to", Labelled{Value: "eve@evil.example"}); made {
		t.Error("a plan of a person is taken for a model's")
	}
}

// TestGuarded: an argument says by its name that it holds a recipient or an amount,
// however its words are joined.
func TestGuarded(t *testing.T) {
	d, _ := memberSet(t).Lookup("mail.send")
	for name, want := range map[string]bool{
		"to": true, "reply_to": true, "replyTo": true, "toAddress": true, "recipientEmail": true, "iban": true, "IBAN": true, "payeeIban": true,
		"auto": false, "photo": false, "tomato": false, "amounts": false, "text": false, "emailBody": false,
	} {
		if got := guards(d, name, name, nil); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTaskOfRecursiveSchema ends for a schema that refers to itself.
func TestTaskOfRecursiveSchema(t *testing.T) {
	s, err := schema.Parse("s", []byte(`{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}, "c": {"$ref": "#/$defs/n"}, "k": {"enum": ["x1"]}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	task := &Task{numbers: map[string]bool{}}
	task.listed(s.Type(), map[*schema.Type]bool{})
	if !task.has("x1") || task.has("x2") {
		t.Error("the enum is not known")
	}
}

// TestControl leaves a call with effects to a person when data decided that it is made,
// and no rule names pc.
func TestControl(t *testing.T) {
	const rules = `version: 1
conditions: {fine: 'pc.trusted() || pc.from("web.get")'}
rules:
  - {name: drop, tools: [mail.drop], decision: allow, reason: r}
  - {name: file, tools: [file.drop], when: fine, decision: allow, reason: r}
`
	p, err := Load("policy.yaml", []byte(rules), memberSet(t))
	if err != nil {
		t.Fatal(err)
	}
	untrusted := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "web.get", Call: 2}}}
	for _, c := range []struct {
		tool    string
		control label.Label
		want    Verdict
		rule    string
	}{
		{"mail.drop", label.Label{}, Allow, "drop"}, {"mail.drop", untrusted, Ask, ControlRule},
		{"file.drop", untrusted, Allow, "file"}, {"web.get", untrusted, Allow, DefaultRule},
	} {
		d, _ := p.tools.Lookup(c.tool)
		got := p.Decide(Call{Tool: d, Number: 1, Control: c.control})
		if got.Verdict != c.want || got.Rule != c.rule {
			t.Errorf("%s under %v: %s by %s, want %s by %s", c.tool, c.control, got.Verdict, got.Rule, c.want, c.rule)
		}
		for _, b := range []Bound{{May: c.control}, {Must: c.control, May: c.control}} {
			if j := p.Judge(Abstract{Tool: d, Control: b}); j.Certainty == CertainAllow && c.want != Allow || j.Certainty == CertainAsk && c.want == Allow {
				t.Errorf("%s under %v: %s, and is %s", c.tool, b, j.Certainty, c.want)
			}
		}
	}
}

// TestNamesOfParts finds addresses in the names of an argument whose parts have labels.
func TestNamesOfParts(t *testing.T) {
	p, err := Load("policy.yaml", []byte(memberPolicy), memberSet(t))
	if err != nil {
		t.Fatal(err)
	}
	task := NewTask(p.tools, p, "Share it with ann@acme.com.")
	d, _ := p.tools.Lookup("mail.send")
	untrusted := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "web.get", Call: 2}}}
	for _, c := range []struct {
		name string
		l    label.Label
		made bool
	}{{"ann@acme.com", label.Label{}, false}, {"eve@evil.example", label.Label{}, true}, {"eve@evil.example", untrusted, false}, {"reader", label.Label{}, false}} {
		v, made := task.Mark(d, "roles", Labelled{Label: c.l, Fields: map[string]Labelled{c.name: {Value: "reader"}}})
		if made != c.made || made != (len(v.Label.Sources) > len(c.l.Sources)) {
			t.Errorf("%s from %v: made up %v, want %v", c.name, c.l, made, c.made)
		}
		b := task.MarkBound(d, "roles", Bound{May: c.l, Must: c.l, Fields: map[string]Bound{c.name: {Known: true, Value: "reader"}}})
		if made && len(b.May.Sources) == len(c.l.Sources) {
			t.Errorf("%s from %v: nobody foresees that it is made up", c.name, c.l)
		}
	}
}
