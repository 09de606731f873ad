package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"praxis/internal/agent/grounding"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm"
)

// FuzzHistory reads conversations that come from a store: nothing in them may
// break what summarizes, parts and learns from them.
func FuzzHistory(f *testing.F) {
	f.Add([]byte(`[{"role":"user","text":"How many?"},{"role":"assistant","calls":[{"id":"a","name":"execute_python","input":{"code":"n = 1"}}]},{"role":"user","results":[{"call_id":"a","text":"status: ok\nstdout:\n1"}]}]`), 1)
	f.Add([]byte(`[{"role":"user","text":"[The earlier conversation was shortened: 3 messages stand here in brief. x]\n\n- a\nThe person asked: b\n\nThe person asks:\nc"},{"role":"assistant","text":"FINAL ANSWER: 1"},{"role":"user","text":"status: answered\n\nThe person was shown:\n1\n\nThe person asks:\nd"}]`), 2)
	f.Add([]byte(`[{"role":"assistant"},{"role":"user"},{"role":"assistant","text":"`+"```note\\na\\n```"+`"},{"role":"user","text":"The note was saved"}]`), 9)
	py := python.Language()
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		text, err := part(data, 1, minPart)
		if err == nil && (!utf8.ValidString(text) || strings.Contains(text, markQuestion)) {
			t.Errorf("part = %q", text)
		}
		if n > 0 {
			_, _ = part(data, n, minPart) // an error says that there is none
		}
		var messages []llm.Message
		if json.Unmarshal(data, &messages) != nil {
			return
		}
		var s grounding.Sources
		learnMessages(&s, language.Table{py}, messages)
		r := &run{cfg: Config{Languages: language.Table{py}}.withDefaults(), messages: messages}
		if len(messages) > 0 {
			r.questionAt = lastQuestion(messages, "d")
			question := questionIn(messages[r.questionAt], r.questionAt == 0)
			if got := r.summarize(messages, "", minSummary); len(got) > minSummary+len(question)+1000 || !strings.HasPrefix(got, condensed) {
				t.Errorf("summary of %d bytes: %q", len(got), got)
			}
			if followed := follow(messages, "Next?"); !strings.HasSuffix(followed[len(followed)-1].Text, "Next?") {
				t.Errorf("followed by %+v", followed[len(followed)-1])
			}
		}
		if to := r.turn(100); to < 0 || to > len(messages) || to > 0 && messages[to].Role != llm.Assistant {
			t.Errorf("turn = %d", to)
		}
	})
}

// FuzzSplit checks that parts are whole and bounded.
func FuzzSplit(f *testing.F) {
	f.Add("a\nb\n", 10)
	f.Add(strings.Repeat("ä", 1000), 100)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 8 || size > 1<<16 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		parts := split(text, size)
		for _, p := range parts {
			if len(p) > size || !utf8.ValidString(p) {
				t.Errorf("part of %d bytes: %q", len(p), p)
			}
		}
		if strings.Join(parts, "") != text {
			t.Error("parts do not make the whole")
		}
	})
}
