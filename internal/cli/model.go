package cli

import (
	"praxis/fault"
	"praxis/internal/config"
)

// Models that a key alone chooses. A person who wants another names it.
const (
	anthropicModel = "anthropic:claude-sonnet-4-5"
	openaiModel    = "openai:gpt-5"
)

// chooseModel returns the model to use: what the command line says, then the
// environment and the configuration, then what the keys allow.
func chooseModel(flag string, cfg config.Config, getenv func(string) string) (string, error) {
	for _, name := range [...]string{flag, getenv("PRAXIS_MODEL"), cfg.Ask.Model} {
		if name != "" {
			return name, nil
		}
	}
	switch {
	case getenv("ANTHROPIC_API_KEY") != "":
		return anthropicModel, nil
	case getenv("OPENAI_BASE_URL") != "":
		// Which models a local server has is not known here.
		return "", fault.New(fault.Invalid, "Name it: --model openai:NAME, or PRAXIS_MODEL=openai:NAME.",
			"cannot choose a model: OPENAI_BASE_URL names a server, but not which of its models to use")
	case getenv("OPENAI_API_KEY") != "":
		return openaiModel, nil
	}
	return "", fault.New(fault.Invalid, `Set one of these:
ANTHROPIC_API_KEY=…  for Anthropic
OPENAI_API_KEY=…     for OpenAI
OPENAI_BASE_URL=…    for a local server, with --model openai:NAME
                     (Ollama: http://localhost:11434/v1)
"make demo" and "praxis demo" need none of them.`,
		"cannot ask: no model is set up")
}
