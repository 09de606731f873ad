package agent

import (
	"slices"
	"strings"

	"praxis/internal/llm"
)

// Reask returns a conversation that began with one question and replaces it by
// another; what the model was shown of files stays. When the question was
// asked more than once, its last time counts: what stands before is the history
// of a thread. It returns false when the conversation does not hold the question.
func Reask(messages []llm.Message, question, another string) ([]llm.Message, bool) {
	question, another = strings.TrimSpace(question), strings.TrimSpace(another)
	if question == "" || another == "" {
		return nil, false
	}
	for i, m := range slices.Backward(messages) {
		if m.Role != llm.User {
			continue
		}
		before, current, follows := cutLast(m.Text, markQuestion)
		if !follows {
			before, current = "", m.Text
		}
		rest, ok := strings.CutPrefix(current, question)
		if !ok || rest != "" && !strings.HasPrefix(rest, "\n\n") {
			continue
		}
		if follows {
			before += markQuestion
		}
		out := slices.Clone(messages)
		out[i].Text = before + another + rest
		return out, true
	}
	return nil, false
}
