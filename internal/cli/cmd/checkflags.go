package cmd

import (
	"github.com/spf13/cobra"

	"praxis/internal/app"
)

// checkFlags say what decides about inputs and an answer.
type checkFlags struct {
	schema      string
	inputs      []string
	files       []string
	expressions []string
}

func (f *checkFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.schema, "schema", "", "the answer is JSON that keeps to the JSON Schema in this `FILE`")
	fs.StringArrayVar(&f.inputs, "input-check", nil, "Python `FILE` that checks the inputs before the model is asked (may be repeated)")
	fs.StringArrayVar(&f.files, "check", nil, "Python `FILE` that checks the answer (may be repeated)")
	fs.StringArrayVar(&f.expressions, "check-expr", nil, "Python `EXPR` that must be true of the answer, such as 'answer > 0' (may be repeated)")
}

// spec reads the files.
func (f *checkFlags) spec() (spec app.CheckSpec, err error) {
	if spec.Schema, err = app.ReadSchema(f.schema); err != nil {
		return spec, err
	}
	if spec.Inputs, err = app.ReadChecks(f.inputs); err != nil {
		return spec, err
	}
	if spec.Answer, err = app.ReadChecks(f.files); err != nil {
		return spec, err
	}
	spec.Answer = append(spec.Answer, app.CheckExpressions(f.expressions)...)
	return spec, nil
}
