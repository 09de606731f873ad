package workflow

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"

	"praxis/internal/llm"
)

// Tokenizer is the name of the vocabulary that tokens are counted by.
const Tokenizer = "o200k_base"

// counter counts tokens. Its vocabulary is made at the first use.
type counter struct{ load func() *codec.Codec }

func newCounter() counter { return counter{sync.OnceValue(codec.NewO200kBase)} }

func (c counter) text(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := c.load().Count(s)
	if err != nil {
		return 0, fmt.Errorf("cannot count tokens: %w", err)
	}
	return n, nil
}

func (c counter) texts(all ...string) (total int, err error) {
	for _, s := range all {
		n, err := c.text(s)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// head counts what every request begins with.
func (c counter) head(system string, tools []llm.Tool) (int, error) {
	type definition struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	}
	list := make([]definition, 0, len(tools))
	for _, t := range tools {
		list = append(list, definition{t.Name, t.Description, t.Schema})
	}
	text, err := json.Marshal(list)
	if err != nil {
		return 0, fmt.Errorf("cannot count tokens of tools: %w", err)
	}
	return c.texts(system, string(text))
}

// messages counts messages.
func (c counter) messages(all []llm.Message) (total int, err error) {
	for _, m := range all {
		parts := []string{m.Text}
		for _, call := range m.Calls {
			input, err := json.Marshal(call.InputObject())
			if err != nil {
				return 0, fmt.Errorf("cannot count tokens of a call: %w", err)
			}
			parts = append(parts, call.Name, string(input))
		}
		for _, r := range m.Results {
			parts = append(parts, r.Text)
		}
		n, err := c.texts(parts...)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
