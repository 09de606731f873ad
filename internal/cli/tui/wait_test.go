package tui

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/internal/cli/format"
)

// TestWaiting checks that a terminal shows for whom it waits and how long, and
// that the line is gone when something else comes; a pipe gets a line a retry.
func TestWaiting(t *testing.T) {
	play := func(t *testing.T, live bool) string {
		var out bytes.Buffer
		s := NewScreen(&out, false, 40, languages)
		if live {
			s.Wait = &WaitLine{W: &out, Style: s.Style}
		}
		s.Emit(event.StepBegan{N: 1})
		out.Reset()
		s.Emit(event.ModelRequested{Step: 1, Model: "openai:m"})
		time.Sleep(1200 * time.Millisecond)
		s.Emit(event.ModelRetrying{Step: 1, Reason: "429 slow\ndown", After: event.Duration(time.Second), Attempt: 2})
		time.Sleep(1900 * time.Millisecond)
		s.Emit(event.ModelDelta{Step: 1, Text: "Hello.\n"})
		time.Sleep(600 * time.Millisecond)
		s.Emit(event.ModelReplied{Step: 1, Took: event.Duration(time.Second)})
		s.Emit(event.ReplyTrimmed{Step: 1, Reason: "2 blocks of code: only the first was run"})
		if err := s.Finish(""); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	const rest = "  [429 slow\\ndown: next request in 1 s]\n"
	const hello, end = "  Hello.\n", "  [model: 1.00 s, 0 tokens in, 0 out]\n  2 blocks of code: only the first was run\n"
	synctest.Test(t, func(t *testing.T) {
		if got := play(t, false); got != rest+hello+end {
			t.Errorf("in a pipe: %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		line := func(s string) string { return "\r  waiting for openai:m … " + s + " s\x1b[K" }
		want := line("0") + line("1") + "\r\x1b[K" + rest + line("1") + line("2") + line("2") + "\r\x1b[K" + hello + "\r  openai:m writes … 3 s\x1b[K\r\x1b[K" + end
		if got := play(t, true); got != want {
			t.Errorf("on a terminal: %q, want %q", got, want)
		}
	})
}

// TestWaitingFits checks that the line never wraps, and that a terminal that is
// gone is reported.
func TestWaitingFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &WaitLine{W: &out, Style: format.Style{Width: 20}}
		l.begin("openai:" + strings.Repeat("é", 100))
		time.Sleep(waitTick + time.Millisecond)
		if err := l.end(); err != nil || l.end() != nil {
			t.Error(err)
		}
		if first, _, _ := strings.Cut(strings.TrimPrefix(out.String(), "\r"), "\x1b"); len([]rune(first)) != 19 {
			t.Errorf("line %q", first)
		}
		gone := errors.New("gone")
		s := NewScreen(brokenWriter{gone}, false, 80, languages)
		s.Wait = &WaitLine{W: s.w, Style: s.Style}
		s.Emit(event.ModelRequested{Model: "m"})
		time.Sleep(waitTick + time.Millisecond)
		s.endWait()
		if !errors.Is(s.Err, gone) {
			t.Errorf("error = %v", s.Err)
		}
	})
}

func TestRetryingJSON(t *testing.T) {
	var out bytes.Buffer
	j := format.NewJSONLines(&out)
	j.Emit(event.ModelRequested{Step: 1, Model: "openai:m"})
	j.Emit(event.ModelRetrying{Step: 1, Reason: "429 slow down", After: event.Duration(1500 * time.Millisecond), Attempt: 2})
	j.Emit(event.ReplyTrimmed{Step: 1, Reason: "2 blocks of code: only the first was run"})
	want := `{"event":"model_requested","step":1,"model":"openai:m","system":"","repeated":0,"messages":null,"max_tokens":0}
{"event":"model_retrying","step":1,"reason":"429 slow down","after_ms":1500,"attempt":2}
{"event":"reply_trimmed","step":1,"reason":"2 blocks of code: only the first was run"}
`
	if got := out.String(); got != want || j.Err != nil {
		t.Errorf("got\n%s\nwant\n%s(%v)", got, want, j.Err)
	}
}
