package agent

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
)

const (
	maxSame  = 3  // times that the same code may give the same result
	maxPolls = 20 // times that a call may: some things are asked for until they are done
	maxTried = 5  // things that the model reads it tried
)

// stalls notices that a run goes round in circles: the same code gives the same result
// for the third time, or two by turns. The model is warned once, with what it tried; when
// it goes on in the same way, the run ends.
type stalls struct {
	same   map[[32]byte]int // how often something gave a result
	last   [4][32]byte      // the newest last
	tried  []string         // in words, the newest last
	broken bool             // the model was warned
}

func newStalls() stalls { return stalls{same: map[[32]byte]int{}} }

// seen counts one more of the same.
func (s *stalls) seen(key [32]byte) int {
	s.same[key]++
	s.last = [4][32]byte(append(s.last[1:], key))
	return s.same[key]
}

// acted takes in what something, such as code, came to, and returns what the model must
// read of it. That is a direction: what others say in ended stands in quotes.
func (s *stalls) acted(key [32]byte, what, text, ended string) (notes []string, end *ending) {
	n := s.seen(key)
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	tried := fmt.Sprintf("- %s that begins with %q: %s", what, safetext.Clip(line, 100), ended)
	s.tried = append(slices.DeleteFunc(s.tried, func(t string) bool { return t == tried }), tried)
	s.tried = s.tried[max(0, len(s.tried)-maxTried):]
	turns := s.last[0] == s.last[2] && s.last[1] == s.last[3] && s.last[0] != s.last[1] && s.same[s.last[0]] > 1
	switch {
	case n < maxSame && !turns && n > 1:
		return []string{"This " + what + " gave this result before. Try something else."}, nil
	case n < maxSame && !turns:
		return nil, nil
	case s.broken && n < maxSame:
		return nil, stalled("the same things gave the same results by turns: " + ended)
	case s.broken:
		return nil, stalled(fmt.Sprintf("the same %s gave the same result %s: %s", what, times(n), ended))
	}
	s.broken, s.last = true, [4][32]byte{}
	return []string{"You are going round in circles. This was tried:\n" + strings.Join(s.tried, "\n") +
		"\nDo something else now: look at what the data really is, or take another way. If there is none, give the final answer with what you have, and say what is missing. The run ends when the same comes once more."}, nil
}

// quoted is a text of others within one of the agent's.
func quoted(text string) string { return strconv.Quote(safetext.OneLine(text, 300)) }

// polled takes in what a call of a tool gave.
func (s *stalls) polled(key [32]byte, tool, gave string) (notes []string, end *ending) {
	switch n := s.seen(key); {
	case n >= maxPolls:
		return nil, stalled(fmt.Sprintf("the same call of %s gave the same result %s: %s", tool, times(n), quoted(gave)))
	case n > 1:
		return []string{"The call of " + tool + " gave this result before. Try something else."}, nil
	}
	return nil, nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func stalled(what string) *ending {
	return &ending{why: "the run stalls: " + what, cause: fault.New(fault.Exhausted, "Ask in other words, or try another model.", "cannot answer: the run stalls: %s", what)}
}

// stallKey identifies code together with what it gave.
func stallKey(code string, x event.Execution) [32]byte {
	h := sha256.New()
	raised := event.Raised{}
	if x.Error != nil {
		raised = *x.Error
	}
	for _, part := range []string{code, x.Status.String(), raised.Name, raised.Value, x.Stdout, plainText(x.Result)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return [32]byte(h.Sum(nil))
}
