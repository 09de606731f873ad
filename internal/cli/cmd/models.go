package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/client"
	"praxis/internal/safetext"
)

const modelsLong = `Lists the models that the keys in the environment can use, by asking each
provider's server. Where there is no key and no server of your own, it says what
to set. It needs no data folder; without a network it says whom it did not reach.

A model is named PROVIDER:NAME: with --model, in PRAXIS_MODEL, or as "ask":
{"model": …} in the configuration.

  anthropic:NAME         Anthropic. ANTHROPIC_API_KEY
  openai:NAME            OpenAI by its Responses API, or with OPENAI_BASE_URL any
                         server that speaks Chat Completions, such as Ollama,
                         vLLM, llama.cpp and DeepSeek. OPENAI_API_KEY
  openai-chat:NAME       the same, by Chat Completions in any case
  openai-responses:NAME  the same, by the Responses API in any case
  gemini:NAME            Google. GEMINI_API_KEY, or GOOGLE_API_KEY
  scripted:FILE          replies that you wrote; see "praxis help scripted"
  record:FILE=MODEL      another model, whose replies are kept in a file
  replay:FILE            the replies of such a file, without a network

ANTHROPIC_BASE_URL, OPENAI_BASE_URL and GEMINI_BASE_URL name another server that
speaks the same; a key is then not needed. HTTPS_PROXY, HTTP_PROXY and NO_PROXY
are honoured.

--effort low, medium or high ("ask.effort") asks a model to reason; without it
nothing is sent. What a model reasons counts as output.

Pictures that code shows are sent to the models of the providers' own servers. --sees
("ask.sees", a list of names) says that a model of another server sees them, too.

--fallback-model NAME ("ask.fallback_models"), which may be repeated, names a model
that is asked when the one before fails for good: nobody answers, it is overloaded,
or the account has no credit. A key that is refused or a name that is wrong is not
hidden by another model's reply. The run records who gave each reply.

A server may be silent for 2 minutes, or 30 when it is on your machine or network;
"ask.silence" says otherwise. A server of your own that was silent for longer is
not asked again: it may still be at work.

record:FILE=MODEL adds a line to FILE for each reply, with hashes of the request and
no key. replay:FILE answers a request that has the same hashes, and says which part
is the first that differs when there is none. Such a file can be committed:

  praxis ask "…" --file sales.csv --model record:sales.jsonl=anthropic:claude-sonnet-4-5
  praxis ask "…" --file sales.csv --model replay:sales.jsonl

What is used is counted with "praxis cost". Tokens from a provider's cache are
counted apart and have a price of their own; a server of your own costs nothing.`

func (p *program) modelsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "models", Short: "List the models that your keys can use", Long: modelsLong, Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.server == nil {
				return p.listModels(app.ListModels(cmd.Context(), p.getenv), asJSON)
			}
			return on(p, func(c *client.Client) error {
				all, err := c.ListModels(cmd.Context())
				if err != nil {
					return err
				}
				return p.listModels(all, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, one a provider")
	return cmd
}

// listModels prints what providers said. The command fails when some were asked
// and none answered.
func (p *program) listModels(all []app.ProviderModels, asJSON bool) error {
	var b strings.Builder
	usable, answered := 0, 0
	for _, one := range all {
		if one.Usable() {
			usable++
		}
		if one.Usable() && one.Err() == nil {
			answered++
		}
		if asJSON {
			one.Failure = failureOf(one.Err())
			if err := p.printJSON(one); err != nil {
				return err
			}
			continue
		}
		b.WriteString(modelsText(one))
	}
	if err := p.emit(b.String()); err != nil {
		return err
	}
	if usable > 0 && answered == 0 {
		p.printedObject = asJSON
		return exitStatus{exitFailed}
	}
	return nil
}

// modelsText is what is known of one provider.
func modelsText(one app.ProviderModels) string {
	state := one.KeyVariable + " is set"
	if !one.KeySet {
		state = one.KeyVariable + " is not set"
	}
	if one.Server != "" {
		state += ", and " + one.Server + " names the server"
	}
	text := fmt.Sprintf("%s (%s)\n", one.Provider, state)
	if err := one.Err(); err != nil {
		text += "  " + safetext.Line(err.Error()) + "\n"
		if remedy := format.Remedy(err); remedy != "" {
			text += "  " + safetext.Line(remedy) + "\n"
		}
		return text
	}
	for _, name := range one.Models {
		text += "  " + safetext.Line(name) + "\n"
	}
	if one.Usable() && len(one.Models) == 0 {
		text += "  no models\n"
	}
	return text
}
