package plan

import (
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
)

// QuarantinedModel is the name of the quarantined model in a plan:
//
//	ask_llm(question, data=None, schema=None)
//
// The model that answers has no tools and no memory of the run. Its reply has
// the type that schema says (a string without one): a JSON Schema, or a type of the
// program's own, from which one is made before the plan is checked. It is never
// trusted. When the data does not hold the answer, NotEnoughInformation is raised.
const QuarantinedModel = "ask_llm"

const questionSchema = `{
	"type": "object", "required": ["question"], "additionalProperties": false,
	"properties": {
		"question": {"type": "string", "maxLength": 100000},
		"data": {"description": "What the question is about.", "default": null},
		"schema": {"type": ["object", "null"], "description": "A JSON Schema for the reply.", "default": null}
	}
}`

// Tools joins files of tools with the quarantined model and the tool for nested plans,
// which every plan has.
func Tools(files ...*tool.File) (*tool.Set, error) {
	input, err := schema.Parse("ask_llm.json", []byte(questionSchema))
	if err != nil {
		return nil, err
	}
	model := &tool.Definition{
		Name: QuarantinedModel, Version: "1.0.0", Title: "Ask a quarantined model",
		Description: "Asks a model that has no tools. Its reply has the type of the schema and is not trusted.",
		Input:       input, Output: schema.Any(), Effects: tool.Read, Model: true,
		// Who may read the reply is who may read what it was made of.
		Labels: tool.Labels{Readers: tool.Readers{Everyone: true}},
	}
	nested, err := nestedTool()
	if err != nil {
		return nil, err
	}
	return tool.NewSet(append(files[:len(files):len(files)], &tool.File{Name: "ask_llm", Tools: []*tool.Definition{model, nested}})...)
}
