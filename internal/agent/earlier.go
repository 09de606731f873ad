package agent

import (
	"strings"

	"praxis/internal/llm"
)

// Said is what somebody said in a conversation that was led elsewhere.
type Said struct {
	Person bool // the person; else an assistant
	Text   string
}

// Earlier makes a history of a conversation that was led elsewhere. What the person said is a
// source of figures. What an assistant said there is none: nobody saw it computed.
func Earlier(all []Said) []llm.Message {
	var out []llm.Message
	for _, s := range all {
		text := strings.TrimSpace(s.Text)
		if text == "" {
			continue
		}
		switch last := len(out) - 1; {
		case s.Person && last >= 0 && out[last].Role == llm.User:
			out[last].Text += "\n\n" + unmarked(text)
		case s.Person && last >= 0:
			out = append(out, llm.Message{Role: llm.User, Text: markQuestion + unmarked(text)})
		case s.Person:
			out = append(out, llm.Message{Role: llm.User, Text: unmarked(text)})
		case last >= 0 && out[last].Role == llm.Assistant:
			out[last].Text = shorten(out[last].Text+"\n\n"+text, maxSaid, "")
		default:
			if last < 0 { // models insist on it that the person speaks first
				out = append(out, llm.Message{Role: llm.User, Text: "(The assistant speaks first.)"})
			}
			out = append(out, llm.Message{Role: llm.Assistant, Text: shorten(text, maxSaid, "")})
		}
	}
	return out
}
