package cmd

import (
	"github.com/spf13/cobra"

	"praxis/internal/app"
)

// subcallFlags say what the code of a question may query and begin.
type subcallFlags struct {
	on      bool
	models  []string
	context string
}

func (f *subcallFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.on, "subagents", false, "let code query models and begin runs of its own (llm_query, rlm_query, agent)")
	fs.StringArrayVar(&f.models, "sub-model", nil, "a model, as `PROVIDER:NAME`, that code may query; the first is asked where it names none (may be repeated)")
	fs.StringVar(&f.context, "context", "", "`FILE` with a text that is too long for a prompt: code has it as the variable context; with it, --subagents")
}

// subcallNames are the flags, for what cannot go with them.
func subcallNames() []string { return []string{"subagents", "sub-model", "context"} }

// into adds what the flags say to a request.
func (f *subcallFlags) into(q *app.AskRequest) error {
	q.Subcalls, q.SubcallModels = f.on || f.context != "", f.models
	if f.context == "" {
		return nil
	}
	in, err := app.ContextFile(f.context)
	if err == nil {
		q.Files = append(q.Files, in)
	}
	return err
}
