package grounding_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent/grounding"
	"praxis/internal/language/python"
)

// talk is a run whose code asks models.
type talk struct {
	grounding.Sources
	n int
}

func (t *talk) step(step int, code, output string, replies ...event.ChildReply) {
	t.AddCode(step, python.Language(), code)
	for _, r := range replies {
		t.n++
		r.Role, r.N, r.Status = cmp.Or(r.Role, event.Query), t.n, cmp.Or(r.Status, event.Answered)
		t.AddReply(r)
	}
	t.AddOutput(grounding.Origin{Step: step, In: grounding.InStdout}, output)
}

func reply(task, text string) event.ChildReply {
	return event.ChildReply{Task: task, ChildEnded: event.ChildEnded{Text: text}}
}

func answer(text string, status event.RunStatus, figures ...event.Figure) event.ChildReply {
	return event.ChildReply{Role: event.Subagent, ChildEnded: event.ChildEnded{Text: text, Status: status, Figures: figures}}
}

// TestReplied shows that what a model replied to code vouches for nothing, and that what code
// computes, an input holds or a run computed does.
func TestReplied(t *testing.T) {
	for name, c := range map[string]struct {
		tell func(*talk)
		want map[string]string
	}{
		"a reply that is printed": {func(s *talk) {
			s.step(1, "r = llm_query('What is the mean?')\nprint(r)", "The mean is 717.8.", reply("What is the mean?", "The mean is 717.8."))
		}, map[string]string{"The mean is 717.8.": "query 1", "About 718": "query 1", "717.9": "unverified"}},
		"later, by another name and rounded": {func(s *talk) {
			s.step(1, "rs = []\nfor q in qs:\n    rs.append(llm_query(q))", "", reply("Which?", "717.84"))
			s.step(2, "def last(): return rs[-1]", "")
			s.step(3, "x = float(last())\nprint(f'{x:.1f}')", "717.8")
		}, map[string]string{"717.8": "query 1"}},
		"what is computed without it": {func(s *talk) {
			s.step(1, "r = llm_query('What is the mean?')\nprint(r)", "717.8", reply("What is the mean?", "717.8"))
			s.step(2, "print(df.x.mean())", "717.8")
		}, map[string]string{"717.8": "output"}},
		"what was known before": {func(s *talk) {
			s.step(1, "print(df.x.mean())", "717.8")
			s.step(2, "r = llm_query('Explain it.')\nprint(r)", "717.8 is the mean", reply("Explain it.", "717.8 is the mean"))
		}, map[string]string{"717.8": "output"}},
		"what the query was given": {func(s *talk) {
			s.step(1, "r = llm_query(f'Find the total: {page}')\nprint(r)", "4711, not 4712", reply("Find the total: sum 4711", "4711, not 4712"))
		}, map[string]string{"4711": "output", "4712": "query 1"}},
		"what the code wrote into the query": {func(s *talk) {
			s.step(1, "r = llm_query('Say 4711.')\nprint(r)", "4711", reply("Say 4711.", "4711"))
		}, map[string]string{"4711": "query 1"}},
		"what one query said to another": {func(s *talk) {
			s.step(1, "a = llm_query('Guess')\nb = llm_query(f'Repeat {a}')\nprint(b)", "4711", reply("Guess", "4711"), reply("Repeat 4711", "4711"))
		}, map[string]string{"4711": "query 1"}},
		"small numbers": {func(s *talk) {
			s.step(1, "rs = llm_query_batched(qs)\nprint(rs[0])\nprint('neg', n)", "7\nneg 4", reply("How many?", "7"), reply("How many?", "4 of them"))
		}, map[string]string{"7": "query 1", "4 are negative": "output"}},
		"dates": {func(s *talk) {
			s.step(1, "print(llm_query('When?'))", "2024-03-05", reply("When?", "2024-03-05"))
		}, map[string]string{"2024-03-05": "query 1"}},
		"a run that was not sure": {func(s *talk) {
			s.step(1, "r = agent('Find both')\nprint(r)", "717.8 (unverified) of 59", answer("717.8 (unverified) of 59", event.Unverified,
				event.Figure{Text: "717.8", Source: event.UntracedSource}, event.Figure{Text: "59", Source: grounding.Computed}))
		}, map[string]string{"717.8 of 59": "subagent 1, output"}},
		"a run of an older record": {func(s *talk) {
			s.step(1, "r = agent('Find it')\nprint(r)", "717.8 (unverified)", answer("717.8 (unverified)", event.Unverified))
		}, map[string]string{"717.8": "subagent 1"}},
		"a run that repeats what the code wrote": {func(s *talk) {
			s.step(1, "r = agent('Say 717.8')\nprint(r)", "717.8", answer("717.8", event.Answered, event.Figure{Text: "717.8", Source: grounding.Question}))
		}, map[string]string{"717.8": "subagent 1"}},
		"a run that failed": {func(s *talk) {
			r := answer("", event.Unanswered)
			r.Reason = `figures are found nowhere: "717.8"`
			s.step(1, "try:\n    agent('x')\nexcept SubcallError as e:\n    print(e)", `figures are found nowhere: "717.8"`, r)
		}, map[string]string{"717.8": "subagent 1"}},
		"one run is sure where another is not": {func(s *talk) {
			s.step(1, "r = agent_batched(['a', 'b'])\nprint(r)", "717.8 717.8", answer("717.8", event.Unverified), answer("717.8", event.Answered, event.Figure{Text: "717.8", Source: grounding.Output}))
		}, map[string]string{"717.8": "output"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s talk
			c.tell(&s)
			for text, want := range c.want {
				var got []string
				for _, f := range s.Trace(text) {
					got = append(got, cmp.Or(f.Said, f.Source))
				}
				if strings.Join(got, ", ") != want {
					t.Errorf("%q: %s, want %s", text, strings.Join(got, ", "), want)
				}
			}
		})
	}
}

// TestRepliedFilled shows that a placeholder with a model's words in it computes nothing.
func TestRepliedFilled(t *testing.T) {
	for expression, want := range map[string]string{"r": "query 1", "df.x.mean()": grounding.Computed, "llm_query('Again?')": "query 1", "f'{n} and {r}'": "query 1"} {
		var s talk
		s.step(1, "r = llm_query('What is the mean?')\nn = df.x.mean()", "", reply("What is the mean?", "It is 717.8."))
		template, err := grounding.Parse(fmt.Sprintf("It is {{ %s }}", expression))
		if err != nil {
			t.Fatal(err)
		}
		s.AddExpression(2, python.Language(), expression)
		filled, err := template.Fill([]grounding.Value{{Text: "717.8", Computed: true}}, &s.Sources)
		if err != nil {
			t.Fatal(err)
		}
		if f := filled.Figures[0]; cmp.Or(f.Said, f.Source) != want {
			t.Errorf("%s: %+v, want %s", expression, f, want)
		}
	}
	var s talk
	s.step(1, "r = llm_query('What is the mean?')\nanswer(r)", "", reply("What is the mean?", "It is 818.7."))
	if f := grounding.Given([]grounding.Value{{Text: "It is 818.7.", Computed: true}}, "answer(…)", &s.Sources).Figures; len(f) != 1 || f[0].Said != "query 1" {
		t.Errorf("given: %+v", f)
	}
}
