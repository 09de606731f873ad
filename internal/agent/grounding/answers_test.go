package grounding_test

import (
	"os"
	"strings"
	"testing"

	"praxis/internal/agent/grounding"
)

// The bounds that the test set is held to.
const (
	leastRecall = .99
	mostDoubted = .01
)

// labelled is an answer of the test set with the output and the question that it
// belongs to, and the bytes of its figures.
type labelled struct {
	where, question, output, answer string
	true, invented                  [][2]int
}

// readAnswers reads a file of the set; README.md beside it says how it is written.
func readAnswers(t *testing.T, name string) []labelled {
	t.Helper()
	raw, err := os.ReadFile("testdata/answers/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for _, text := range strings.Split("\n"+string(raw), "\n=== ")[1:] {
		question, rest, _ := strings.Cut(text, "\n")
		output, answer, ok := strings.Cut(rest, "\n---\n")
		if !ok {
			t.Fatalf("%s: %q has no answer", name, question)
		}
		c := labelled{where: name + ": " + strings.ReplaceAll(answer, "\n", "\\n"), question: question, output: output}
		var b strings.Builder
		for answer != "" {
			i := strings.Index(answer, "[+")
			if k := strings.Index(answer, "[-"); i < 0 || k >= 0 && k < i {
				i = k
			}
			if i < 0 {
				b.WriteString(answer)
				break
			}
			end := i + strings.IndexByte(answer[i:], ']')
			b.WriteString(answer[:i])
			span := [2]int{b.Len(), b.Len() + end - i - 2}
			b.WriteString(answer[i+2 : end])
			if answer[i+1] == '+' {
				c.true = append(c.true, span)
			} else {
				c.invented = append(c.invented, span)
			}
			answer = answer[end+1:]
		}
		c.answer = b.String()
		out = append(out, c)
	}
	return out
}

// score counts what became of labelled figures.
type score struct{ texts, invented, caught, true, doubted int }

func (s *score) add(t *testing.T, c labelled, tell bool) {
	var sources grounding.Sources
	sources.AddQuestion(grounding.InQuestion, c.question)
	sources.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, c.output)
	overlaps := func(span [2]int, list [][2]int) int {
		for i, l := range list {
			if span[0] < l[1] && l[0] < span[1] {
				return i
			}
		}
		return -1
	}
	caught, suspected := map[int]bool{}, map[int]bool{}
	other := 0
	spans := grounding.Spans(c.answer)
	for i, f := range sources.Trace(c.answer) {
		span := spans[i]
		if f.Source != grounding.Unverified {
			continue
		}
		if i := overlaps(span, c.invented); i >= 0 {
			caught[i] = true
		} else if i := overlaps(span, c.true); i >= 0 {
			suspected[i] = true
		} else {
			other++
		}
		if tell && overlaps(span, c.invented) < 0 {
			t.Logf("a true one that is doubted: %q in %s\n%s", f.Text, c.where, c.output)
		}
	}
	for i, span := range c.invented {
		if !caught[i] && tell {
			t.Logf("not caught: %q in %s\n%s", c.answer[span[0]:span[1]], c.where, c.output)
		}
	}
	s.texts++
	s.invented, s.caught = s.invented+len(c.invented), s.caught+len(caught)
	s.true, s.doubted = s.true+len(c.true), s.doubted+len(suspected)+other
}

// TestAnswers measures how many invented figures of the test set are caught, and how many
// true ones are doubted. Every second text was held out while the rules were written.
func TestAnswers(t *testing.T) {
	var halves [2]score
	for _, name := range []string{"hand.txt", "generated.txt"} {
		for i, c := range readAnswers(t, name) {
			halves[i%2].add(t, c, i%2 == 0 || os.Getenv("HELD_OUT") != "")
		}
	}
	texts := 0
	for i, name := range []string{"seen", "held out"} {
		h := halves[i]
		texts += h.texts
		recall, doubted := float64(h.caught)/float64(h.invented), float64(h.doubted)/float64(h.true)
		t.Logf("%s: %d texts; %d of %d invented figures caught (%.1f %%); %d of %d true ones doubted (%.1f %%)",
			name, h.texts, h.caught, h.invented, 100*recall, h.doubted, h.true, 100*doubted)
		if recall < leastRecall || doubted > mostDoubted {
			t.Errorf("%s: at least %.0f %% are to be caught and at most %.0f %% doubted", name, 100*leastRecall, 100*mostDoubted)
		}
	}
	if texts < 300 {
		t.Errorf("%d texts, want at least 300", texts)
	}
}
