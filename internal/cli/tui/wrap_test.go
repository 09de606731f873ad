package tui

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/cli/format"
)

func TestBreakWords(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  []string
	}{
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 13, []string{"one two three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"  one two three", 9, []string{"  one two", "  three"}},
		{"- one two three", 9, []string{"- one two", "  three"}},
		{"10. one two", 9, []string{"10. one", "    two"}},
		{"extraordinary x", 5, []string{"extraordinary", "x"}},
		{"é é é é", 3, []string{"é é", "é é"}},
		{"a  b  c", 4, []string{"a  b", "c"}},
		{"", 4, []string{""}},
	} {
		if got := format.BreakWords(c.line, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q, %d: got %q, want %q", c.line, c.width, got, c.want)
		}
	}
}

func TestBreakPainted(t *testing.T) {
	for _, c := range []struct {
		line        string
		first, rest int
		want        []string
	}{
		{"abcdef", 0, 0, []string{"abcdef"}},
		{"abcdef", 6, 3, []string{"abcdef"}},
		{"abcdefg", 4, 2, []string{"abcd", "ef", "g"}},
		{"a\x1b[32mbcd\x1b[0me", 2, 2, []string{"a\x1b[32mb\x1b[0m", "\x1b[32mcd\x1b[0m", "e"}},
		{"ééé", 2, 2, []string{"éé", "é"}},
	} {
		if got := format.BreakPainted(c.line, c.first, c.rest); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.line, got, c.want)
		}
	}
}

// TestScreenWraps checks that no line of code or prose is wider than the
// terminal, and that nothing of either is lost.
func TestScreenWraps(t *testing.T) {
	code := "value = " + strings.Repeat("long_name + ", 20) + "1"
	text := "The mean is 1.75, and " + strings.Repeat("there is more to say ", 10)
	for _, colours := range []bool{false, true} {
		var b bytes.Buffer
		s := NewScreen(&b, colours, 40, languages)
		s.Wrap = 40
		s.Emit(event.ExecutionBegan{Code: code})
		s.Emit(event.AnswerGiven{Text: text})
		s.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.Interrupted, Error: &event.Raised{Traceback: "  KeyboardInterrupt"}}})
		if err := s.Finish(""); err != nil {
			t.Fatal(err)
		}
		plain := format.Strip(b.String())
		var codeParts, words []string
		for line := range strings.Lines(plain) {
			line = strings.TrimRight(line, "\n")
			if n := len([]rune(line)); n > 40 {
				t.Errorf("a line has %d columns: %q", n, line)
			}
			if rest, ok := strings.CutPrefix(line, "  │ "); ok {
				codeParts = append(codeParts, strings.TrimPrefix(rest, "  ↪ "))
			} else if rest, ok := strings.CutPrefix(line, "  "); ok {
				words = append(words, strings.Fields(rest)...)
			}
		}
		if got := strings.ReplaceAll(strings.Join(codeParts, ""), " ", ""); got != strings.ReplaceAll(code, " ", "") {
			t.Errorf("the code is shown as %q", got)
		}
		if got, want := strings.Join(words, " "), strings.TrimSpace(text); got != want {
			t.Errorf("the answer is shown as %q", got)
		}
	}
}

// TestScreenFills checks that the machinery that fills an answer in is not
// shown, but what it filled in is, and what went wrong.
func TestScreenFills(t *testing.T) {
	var b bytes.Buffer
	s := NewScreen(&b, false, 80, languages)
	fill := event.ExecutionBegan{Code: "def __figures__(): pass", Fills: []string{"a", "b"}}
	s.Emit(event.StepBegan{N: 1})
	s.Emit(fill)
	s.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.Error, State: event.Intact,
		Error: &event.Raised{Name: "NameError", Value: "no a", Traceback: "Traceback"}}})
	s.Emit(event.ReplyRejected{Reason: "cannot fill in the placeholders: {{ a }} ended with NameError: no a"})
	s.Emit(event.StepBegan{N: 2})
	s.Emit(fill)
	s.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.OK, State: event.Intact, Result: event.Bundle{"text": "'[[1.5]]'"}}})
	s.Emit(event.AnswerGiven{Text: "1.5 and 2", Figures: []event.Figure{
		{Text: "1.5", Expression: "a", Source: "computed"}, {Text: "2", Expression: "b", Source: "computed"}, {Text: "3", Source: "question"}}})
	s.Emit(event.StepBegan{N: 3})
	s.Emit(fill)
	s.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.Timeout, State: event.Lost, Message: "the limit was reached"}})
	if err := s.Finish(""); err != nil {
		t.Fatal(err)
	}
	golden(t, "fills.txt", b.String())
}
