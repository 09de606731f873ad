package agent

import "strings"

// forms says in which forms an answer may be given beside a text.
func forms(cfg Config) string {
	call := cfg.language().Model.Answer
	if call == "" {
		return ""
	}
	return "\n- Or let code give it: " + call + ", called last, ends the run with a number, a dict or list, a table or a figure as the answer; several values stand below each other, and what they hold counts as computed. Use it for tables, pictures and data."
}

// form says what the schema asks for, at the end of the prompt.
func form(cfg Config) string {
	if cfg.Schema == nil {
		return ""
	}
	how := "Give it as the final answer, alone and without words around it."
	if call := cfg.language().Model.Answer; cfg.Session != nil && call != "" {
		how = "Build it in code and give it with " + call + "; or give it as the final answer, alone and without words around it."
	}
	return "\n\nThe form of the answer\n- The answer of this run is one JSON value that keeps to this JSON Schema. " + how + " A value that does not keep to it is sent back.\n" + strings.TrimSpace(cfg.Schema.Text)
}
