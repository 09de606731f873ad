package label

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var (
	calendar = Source{Kind: Tool, Name: "calendar.read", Call: 1, Line: 3, Col: 8}
	contacts = Source{Kind: Tool, Name: "contacts.find", Call: 2, Line: 4, Col: 8, Trusted: true}
	task     = Source{Kind: User, Name: "task", Trusted: true}
	reply    = Source{Kind: Model, Name: "ask_llm", Call: 3, Line: 5}
	ada      = Endorser{Kind: Person, Name: "ada", Why: "read the text"}
)

func TestTextOfLabels(t *testing.T) {
	for _, c := range []struct {
		label Label
		want  string
	}{
		{Label{}, "program, readers: everyone"},
		{Label{Sources: []Source{calendar}}, "calendar.read#1 (untrusted), readers: everyone"},
		{Label{Sources: []Source{task, contacts}, Readers: Only("bob", "ada", "bob")}, "user.task (trusted), contacts.find#2 (trusted), readers: ada, bob"},
		{Label{Sources: []Source{reply}, Readers: Only()}, "model ask_llm#3 (untrusted), readers: nobody"},
		{Label{Sources: []Source{calendar.site()}}, "calendar.read (several calls, untrusted), readers: everyone"},
		{Label{Sources: []Source{calendar}}.Endorse(ada), "program, readers: everyone; calendar.read#1 (untrusted) endorsed by person ada: read the text"},
		{Label{Sources: []Source{task}, Readers: Only("bob")}.Release(Endorser{Kind: Rule, Name: "dates"}, Everyone()), "user.task (trusted), readers: everyone; released to everyone by rule dates"},
	} {
		if got := c.label.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	many := Label{}
	for i := range 100 {
		many.Sources = append(many.Sources, Source{Kind: Tool, Name: "t", Call: i + 1})
	}
	if got := many.String(); len(got) > 300 || !strings.Contains(got, "and 92 more") {
		t.Errorf("a label of 100 sources reads %s", got)
	}
}

func TestTrustAndReaders(t *testing.T) {
	tb := NewTable()
	secret := tb.Of(task, Only("ada", "bob"))
	mail := tb.Of(calendar, Only("bob", "eve"))
	both := tb.Join(secret, mail)
	l := tb.Label(both)
	if l.Trusted() || tb.Trusted(both) || !tb.Trusted(secret) || tb.Trusted(mail) || !tb.Trusted(Program) || tb.Trusted(Everything) {
		t.Errorf("trust is wrong: %s", l)
	}
	if !l.ReadableBy("bob") || l.ReadableBy("ada") || l.ReadableBy("bob", "ada") || !l.ReadableBy() || l.ReadableBy("") || l.ReadableBy("bob\x00eve") {
		t.Errorf("readers are wrong: %s", l)
	}
	if got := tb.Readers(both); got != Only("bob") {
		t.Errorf("readers are %s, want bob", got)
	}
	if !Everyone().Contains("anybody") || Only("a\x00b", "").String() != "nobody" {
		t.Error("names with zero bytes are names")
	}
	endorsed := tb.Intern(l.Endorse(ada))
	if !tb.Trusted(endorsed) || tb.Label(endorsed).ReadableBy("ada") {
		t.Errorf("endorsed: %s", tb.Label(endorsed))
	}
	again := tb.Label(tb.Join(endorsed, mail))
	if again.Trusted() || len(again.Endorsed) != 1 {
		t.Errorf("what was endorsed once makes later data trusted: %s", again)
	}
}

// random makes labels of a small world, so that sets overlap and bounds are hit.
func random(r *rand.Rand, tb *Table) ID {
	l := Label{}
	for range r.IntN(6) {
		s := Source{Kind: SourceKind(1 + r.IntN(3)), Name: fmt.Sprint("t", r.IntN(3)), Trusted: r.IntN(2) == 0}
		if s.Kind != User {
			s.Call, s.Line = r.IntN(7), 1+r.IntN(2)
		}
		if r.IntN(8) == 0 {
			l.Endorsed = append(l.Endorsed, Endorsement{By: ada, Source: s})
		} else {
			l.Sources = append(l.Sources, s)
		}
	}
	if r.IntN(3) == 0 {
		l.Readers = Only([]string{"a", "b", "c", "d"}[r.IntN(2) : 2+r.IntN(3)]...)
	}
	return tb.Intern(l)
}

// within says whether b is at least as strict as a, as far as trust, names
// and readers tell.
func within(a, b Label) error {
	if b.Trusted() && !a.Trusted() {
		return fmt.Errorf("trust is gained")
	}
	if !b.Readers.Within(a.Readers) {
		return fmt.Errorf("readers are gained")
	}
	for _, s := range a.Sources {
		if !slices.ContainsFunc(b.Sources, func(o Source) bool { return o == s || o == s.site() || b.Wide && o == s.wide() }) {
			return fmt.Errorf("%s is lost", s)
		}
	}
	for _, e := range a.Endorsed {
		if !slices.ContainsFunc(b.Endorsed, func(o Endorsement) bool {
			return o.By == e.By && (o.Source == e.Source || o.Source == e.Source.site() || b.Wide && o.Source == e.Source.wide())
		}) {
			return fmt.Errorf("%s is lost", e)
		}
	}
	return nil
}

func TestJoinIsALattice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wides := 0
	for round := range 3000 {
		tb := NewTable()
		tb.siteBound, tb.setBound = 1+r.IntN(4), 2+r.IntN(14)
		a, b, c := random(r, tb), random(r, tb), random(r, tb)
		ab := tb.Join(a, b)
		if got, want := tb.Join(b, a), ab; got != want {
			t.Fatalf("round %d: join does not commute: %s against %s", round, tb.Label(got), tb.Label(want))
		}
		if got, want := tb.Join(ab, c), tb.Join(a, tb.Join(b, c)); got != want {
			t.Fatalf("round %d: join is not associative:\n%s\n%s", round, tb.Label(got), tb.Label(want))
		}
		if tb.Join(a, a) != a || tb.Join(ab, a) != ab || tb.Join(a, Program) != a || tb.Join(Program, a) != a {
			t.Fatalf("round %d: join is not idempotent on %s", round, tb.Label(a))
		}
		for _, x := range []ID{a, b} {
			if err := within(tb.Label(x), tb.Label(ab)); err != nil {
				t.Fatalf("round %d: %v\n%s\n%s", round, err, tb.Label(x), tb.Label(ab))
			}
		}
		// Monotone: when a is below ab, a ⊔ c is below ab ⊔ c.
		if tb.Join(tb.Join(a, c), tb.Join(ab, c)) != tb.Join(ab, c) {
			t.Fatalf("round %d: join is not monotone", round)
		}
		for id := range ID(tb.Len()) {
			if tb.Intern(tb.Label(id)) != id {
				t.Fatalf("round %d: %s has two IDs", round, tb.Label(id))
			}
			if tb.Label(id).Trusted() != tb.Trusted(id) {
				t.Fatalf("round %d: two answers on the trust of %s", round, tb.Label(id))
			}
			if tb.Label(id).Wide {
				wides++
			}
		}
	}
	if wides == 0 {
		t.Error("no label became wide: the test does not reach the bound")
	}
}

func TestManyCallsBecomeOneSource(t *testing.T) {
	tb := NewTable()
	sum, trusted := Program, Program
	for i := range 10000 {
		s := calendar
		s.Call = i + 1
		sum = tb.Join(sum, tb.Of(s, Everyone()))
		s.Trusted, s.Line = true, 9
		trusted = tb.Join(trusted, tb.Of(s, Everyone()))
	}
	l := tb.Label(tb.Join(sum, trusted))
	want := []Source{calendar.site(), {Kind: Tool, Name: "calendar.read", Line: 9, Col: 8, Trusted: true}}
	if !slices.Equal(l.Sources, want) || l.Wide {
		t.Errorf("got %s", l)
	}
	if !tb.Trusted(trusted) || tb.Trusted(sum) {
		t.Error("taking calls together changed their trust")
	}
}

func TestFullTableIsTheStrictest(t *testing.T) {
	for _, full := range []func(*Table){
		func(tb *Table) { tb.storeBound = 100 },
		func(tb *Table) { tb.itemBound = 12 },
		func(tb *Table) { tb.textBound = 300 },
	} {
		tb := NewTable()
		full(tb)
		all := Program
		for i := range 40 {
			all = tb.Join(all, tb.Of(Source{Kind: Tool, Name: fmt.Sprint("tool", i), Call: i + 1, Line: i + 1}, Only(fmt.Sprint("p", i), "q")))
		}
		l := tb.Label(all)
		if all != Everything || l.Trusted() || l.ReadableBy("q") || len(l.Sources) < 3 {
			t.Errorf("a full table gave %s", l)
		}
		if tb.Join(all, Program) != all || tb.Join(tb.Of(calendar, Everyone()), all) != all {
			t.Error("joining forgets that the table was full")
		}
	}
	tb := NewTable()
	if got := tb.Intern(Label{Sources: []Source{{Name: "no kind"}}}); got != Everything {
		t.Errorf("a source without a kind gave label %d", got)
	}
	if tb.Join(5, 9) != Everything || tb.Trusted(77) || tb.Label(77).Trusted() {
		t.Error("an ID of no table is taken for a label")
	}
}

func TestJSONOfLabels(t *testing.T) {
	l := Label{Sources: []Source{task, calendar}, Readers: Only("bob")}.Endorse(ada).Release(ada, Only("bob", "eve"))
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"trusted":true,"sources":[{"kind":"user","name":"task","trusted":true}],"readers":["bob","eve"],"endorsed":[` +
		`{"kind":"person","name":"ada","why":"read the text","released":["bob","eve"]},` +
		`{"kind":"person","name":"ada","why":"read the text","source":{"kind":"tool","name":"calendar.read","call":1,"line":3,"col":8,"trusted":false}}]}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	var back Label
	if err := json.Unmarshal(data, &back); err != nil || !back.Equal(l) {
		t.Errorf("read back: %s, %v", back, err)
	}
	for _, bad := range []string{
		`{"sources":[{"name":"x"}]}`, `{"sources":[{"kind":"planet"}]}`, `{"readers":"some"}`, `{"readers":null,"sources":null,"endorsed":[{"kind":"person"}]}`,
		`{"readers":["a\u0000b"]}`, `{"endorsed":[{"name":"x"}]}`, `{"endorsed":[{"kind":"nobody"}]}`, `{"readers":{}}`,
	} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s is taken for a label", bad)
		}
	}
}

func FuzzLabelJSON(f *testing.F) {
	data, _ := json.Marshal(Label{Sources: []Source{task, calendar}, Readers: Only("bob")}.Endorse(ada).Release(ada, Only("bob", "eve")))
	f.Add(data)
	f.Add([]byte(`{"readers":"everyone","sources":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var l, back Label
		if json.Unmarshal(data, &l) != nil {
			return
		}
		out, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("cannot read back %s: %v", out, err)
		}
		again, _ := json.Marshal(back)
		if string(again) != string(out) {
			t.Fatalf("%s is written as %s", out, again)
		}
	})
}

func BenchmarkJoin(b *testing.B) {
	tb := NewTable()
	x, y := tb.Of(calendar, Everyone()), tb.Of(task, Only("ada"))
	for b.Loop() {
		tb.Join(x, y)
	}
}
