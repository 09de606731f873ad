package tui

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
)

// shown plays events to a screen of 24 columns.
func shown(events ...event.Event) string {
	var b bytes.Buffer
	s := NewScreen(&b, false, 24, languages)
	s.Wrap = 24
	for _, e := range events {
		s.Emit(e)
	}
	return b.String()
}

// TestThoughtWraps checks that a paragraph is shown while it comes, with its words whole.
func TestThoughtWraps(t *testing.T) {
	const text = "I look at the sales of every region, one after the other.\nThen I add."
	var events []event.Event
	for _, c := range text[:40] {
		events = append(events, event.ModelDelta{Text: string(c)})
	}
	first := shown(append([]event.Event{event.StepBegan{N: 1}}, events...)...)
	if !strings.HasSuffix(first, "\n  I look at the sales of\n") {
		t.Errorf("while it comes: %q", first)
	}
	for _, c := range text[40:] {
		events = append(events, event.ModelDelta{Text: string(c)})
	}
	all := shown(append(append([]event.Event{event.StepBegan{N: 1}}, events...), event.ModelReplied{Thought: text})...)
	if want := "  I look at the sales of\n  every region, one\n  after the other.\n  Then I add.\n  [model"; !strings.Contains(all, want) {
		t.Errorf("in the end: %q, want %q in it", all, want)
	}
}

// TestReasoningShown checks that what a model thinks apart from its reply is shown as it
// comes and once, with what looks like code in it.
func TestReasoningShown(t *testing.T) {
	got := shown(event.StepBegan{N: 1},
		event.ModelDelta{Text: "I think.\n```\nx\n```", Reasoning: true}, event.ModelDelta{Text: "```python\nx\n```\n"},
		event.ModelReplied{Thought: "I think.\n```\nx\n```", Reasoning: event.Reasoning{Text: "I think.\n```\nx\n```"}})
	if want := "  ┊ I think.\n  ┊ ```\n  ┊ x\n  ┊ ```\n  [model"; !strings.Contains(got, want) || strings.Count(got, "I think") != 1 {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

// TestAnswerShownOnce checks that prose which turns out to be the answer is no thought,
// that prose before an action is, and that an answer which goes back is shown as a draft.
func TestAnswerShownOnce(t *testing.T) {
	worked := []event.Event{event.StepBegan{N: 1}, event.ExecutionBegan{Code: "f()"}, event.ExecutionEnded{Execution: event.Execution{Status: event.OK}}, event.StepBegan{N: 2}}
	got := shown(append(worked, event.ModelDelta{Text: "It is\n\n4.\n"}, event.ModelReplied{}, event.AnswerGiven{Text: "It is\n\n4."})...)
	if strings.Count(got, "It is") != 1 {
		t.Errorf("an answer: %q", got)
	}
	got = shown(append(worked, event.ModelDelta{Text: "It is\n4"}, event.ModelReplied{}, event.ReplyRejected{Reason: "no 4 was seen", Draft: "It is\n4 (unverified)"})...)
	if want := "  draft of an answer\n    It is\n    4 (unverified)\n  draft, not taken: no\n    4 was seen\n"; !strings.HasSuffix(got, want) || strings.Count(got, "It is") != 1 {
		t.Errorf("a draft: %q, want %q at the end", got, want)
	}
	for _, more := range [][]event.Event{
		{event.ModelDelta{Text: "I look.\n\nAnd see.\n"}, event.ModelDelta{Text: "```python\n"}},
		{event.ModelDelta{Text: "I look.\n\nAnd see."}, event.ModelReplied{Thought: "I look.\n\nAnd see.", Calls: []event.Call{{ID: "1", Name: "look"}}}},
		{event.ModelReplied{Thought: "I look.\n\nAnd see."}},
	} {
		if got = shown(append(worked, more...)...); !strings.Contains(got, "  I look.\n\n  And see.\n") {
			t.Errorf("a thought: %q", got)
		}
	}
}

// TestWaitLineSays checks what the last line says: the budget, the end of what comes, and
// nothing below a line of output that is open or a question to a person.
func TestWaitLineSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := NewScreen(&b, false, 200, languages)
		s.Watch()
		s.Cost = func(string, event.Tokens) (float64, bool) { return 0.125, true }
		last := func(events ...event.Event) string {
			b.Reset()
			for _, e := range events {
				s.Emit(e)
			}
			time.Sleep(waitTick + time.Millisecond)
			_ = s.Wait.end() // a buffer takes everything
			_, line, _ := strings.Cut(b.String(), "\r")
			line, _, _ = strings.Cut(line, "\x1b")
			return line
		}
		budget := event.Budget{Run: 1_000_000, Output: 100, Cost: 0.5, Time: event.Duration(time.Minute)}
		for i, c := range []struct {
			events []event.Event
			want   string
		}{
			{[]event.Event{event.RunBegan{MaxSteps: 4, Budget: budget}}, "  preparing … 0 s"},
			{[]event.Event{event.StepBegan{N: 1}, event.ModelRequested{Model: "m"}}, "  waiting for m … 0 s ██░░░░░░ · step 1 of 4 · $0.12 of $0.50 · 1m0s left"},
			{[]event.Event{event.ModelDelta{Text: "so I", Reasoning: true}}, "  m thinks … 1 s ██░░░░░░ · step 1 of 4 · $0.12 of $0.50 · 59s left  … so I"},
			{[]event.Event{event.ModelReplied{Tokens: event.Tokens{Input: 12345, Output: 75}}, event.ExecutionBegan{Code: "x"}},
				"  running … 0 s ██████░░ · step 1 of 4 · 12k of 1M tokens · 75 of 100 tokens out · $0.12 of $0.50 · 58s left"},
			{[]event.Event{event.Output{Stream: event.Stdout, Data: []byte("open")}}, ""},
			{[]event.Event{event.Output{Stream: event.Stdout, Data: []byte(" line\n")}, event.ApprovalRequested{ID: "1"}}, ""},
			{[]event.Event{event.ApprovalGiven{ID: "1", Granted: true}}, "  running … 2 s"},
			{[]event.Event{event.ExecutionEnded{}, event.RunEnded{}}, ""},
		} {
			if got := last(c.events...); got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
				t.Errorf("%d: %q, want %q", i, got, c.want)
			}
		}
	})
	for text, want := range map[string]string{"the words are whole": "are whole", "合計 は 四十一 です": "四十一 です", "all of it": "all of it"} {
		if got := endOf(text, 13); got != want {
			t.Errorf("the end of %q is %q, want %q", text, got, want)
		}
	}
}
