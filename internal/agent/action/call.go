package action

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// fromCalls takes the native calls that run code, as one piece, or, without one, the
// first that looks something up, or else the first answer, or the first note.
func fromCalls(r llm.Reply, g grammar) (Parsed, error) {
	p := Parsed{Unused: make([]string, len(r.Calls))}
	actions := make([]Action, len(r.Calls))
	chosen := -1
	var problem error
	var count [History + 1]int
	for i, c := range r.Calls {
		a, err := fromCall(c, g)
		if r.Cut && i == len(r.Calls)-1 {
			// Whether the call is whole, nobody knows: some servers close what was cut.
			err = reject("%s", cutCall)
		}
		if err != nil {
			if problem == nil {
				problem = err
			}
			p.Unused[i] = err.Error()
			continue
		}
		a.Call = i
		actions[i] = a
		count[a.Kind]++
		if chosen < 0 || rank(a.Kind) < rank(actions[chosen].Kind) {
			chosen = i
		}
	}
	if chosen < 0 {
		return p, problem
	}
	p.Action = actions[chosen]
	p.others(actions, chosen)
	languages := 1
	for i, a := range actions {
		if a.Kind == Run && p.Unused[i] == otherLanguage {
			languages = 2
		}
	}
	memory := count[Search] + count[History]
	switch {
	case count[Run] > 0:
		p.Trimmed = left(min(languages, count[Run]), "calls with code", 0, memory)
	case memory > 0:
		p.Trimmed = left(0, "", count[Answer], memory+count[Save]-1)
	case count[Answer] > 1:
		p.Trimmed = fmt.Sprintf("%d final answers: only the first was taken", count[Answer])
	}
	return p, nil
}

const cutCall = "the call was cut at the bound of the reply's length, and was not made; write less at a time"

const otherLanguage = "Not run: one language a turn. Send it again when you have seen the output of the first one."

// others decides what becomes of the calls beside the chosen one.
func (p *Parsed) others(actions []Action, chosen int) {
	for i, a := range actions {
		switch {
		case i == chosen || p.Unused[i] != "":
		case a.Kind == Save && p.Action.Kind != Search && p.Action.Kind != History:
			if len(p.Beside) == maxBeside {
				p.Unused[i] = fmt.Sprintf("Not saved: at most %d notes beside an action. Send it again.", maxBeside)
				continue
			}
			p.Beside = append(p.Beside, a)
		case a.Kind == Run && a.Language == p.Action.Language:
			p.Action.Text += "\n\n" + a.Text
			p.Unused[i] = "Run together with the first call: what it gave stands there."
			p.Action.Joined = append(p.Action.Joined, i)
		default:
			if a.Kind == Answer && p.Action.Kind == Run && p.After == nil {
				p.After = &a
			}
			p.Unused[i] = unused(a.Kind, p.Action.Kind)
		}
	}
}

// rank orders kinds by what is done first.
func rank(k Kind) int {
	switch k {
	case Run:
		return 0
	case Search, History:
		return 1
	case Answer:
		return 2
	}
	return 3
}

// unused says why a call of one kind was not acted on beside one of another.
func unused(kind, chosen Kind) string {
	switch {
	case kind == Run:
		return otherLanguage
	case kind == Answer && chosen == Run:
		return "Not taken: the code of the same turn was run first. Give the final answer again when you have seen its output."
	case kind == Answer && chosen != Answer:
		return "Not taken: something was looked up in the same turn. Give the final answer again when you have seen it."
	case kind == Answer:
		return "Not taken: the first final answer counts."
	}
	return "Not taken: one call a turn. Send it again when you have seen what the other one gave."
}

// fromCall reads one tool call.
func fromCall(c llm.Call, g grammar) (Action, error) {
	kind := g.kindOf(c.Name)
	if kind == 0 || !g.kinds[kind] {
		return Action{}, reject("there is no tool %s", safetext.Quote(c.Name))
	}
	input := c.Input
	if input == nil {
		var text string
		var err error
		input, text, err = decode(c.Raw, g.wanted(kind))
		if err != nil {
			return Action{}, err
		}
		switch {
		case input != nil:
		case kind == History:
			return fromPointer(text)
		case kind > Answer:
			return finishMemory(Action{Kind: kind, Text: text}, c.Name)
		default:
			return g.finish(c.Name, kind, text)
		}
	}
	if kind > Answer {
		return fromInput(input, kind, c.Name)
	}
	text, ok := g.argument(input, kind)
	if !ok {
		return Action{}, reject("the call of %s lacks the argument %q", c.Name, want(kind))
	}
	return g.finish(c.Name, kind, text)
}

func (g grammar) finish(name string, kind Kind, text string) (Action, error) {
	lang := ""
	if kind == Run {
		text = tidy(unwrap(text))
		lang = g.main().Name
		if l, ok := g.runs(plainName(name)); ok {
			lang = l.Name
		}
	}
	if strings.TrimSpace(text) == "" {
		return Action{}, reject("the argument %q is empty", want(kind))
	}
	if kind == Answer {
		text = strings.TrimSpace(text)
	}
	return Action{Kind: kind, Text: text, Language: lang, Call: -1}, nil
}

func want(kind Kind) string {
	switch kind {
	case Run:
		return "code"
	case Search:
		return "query"
	}
	return "text"
}

// kindOf knows the names that models give the tools, whatever names they were given.
func (g grammar) kindOf(name string) Kind {
	name = plainName(name)
	if _, ok := g.runs(name); ok {
		return Run
	}
	switch name {
	case "execute_code", "run_code", "execute", "code_interpreter", "code_execution":
		return Run
	case ToolAnswer, "answer", "submit_answer", "give_answer", "finalanswer", "final":
		return Answer
	case ToolSave, "savenote", "note", "remember", "save_memory", "add_note", "write_note":
		return Save
	case ToolSearch, "searchnotes", "search_note", "recall", "search_memory", "find_notes", "notes":
		return Search
	case ToolHistory, "readhistory", "history":
		return History
	}
	return 0
}

// plainName is a tool's name without what stands before it, in lower case.
func plainName(name string) string {
	name = strings.ToLower(name)
	name = name[strings.LastIndexAny(name, ".:/")+1:]
	return strings.ReplaceAll(name, "-", "_")
}

// runs finds the language whose code a tool of that name must be meant to run.
func (g grammar) runs(name string) (language.Language, bool) {
	if l, ok := g.byTool(name); ok {
		return l, true
	}
	for _, before := range []string{"run_", "exec_", "execute_", "execute"} {
		if rest, ok := strings.CutPrefix(name, before); ok {
			name = rest
			break
		}
	}
	return g.fenced(strings.TrimSuffix(name, "_interpreter"))
}

// argument finds the code or the answer in a call's input: under a usual name,
// or as the only text that there is.
func (g grammar) argument(input map[string]any, kind Kind) (string, bool) {
	names := g.wanted(kind)
	for _, n := range names {
		if v, ok := input[n]; ok {
			if text, ok := asText(v, kind); ok {
				return text, true
			}
		}
	}
	if len(input) == 1 {
		for _, v := range input {
			return asText(v, kind)
		}
	}
	return "", false
}

// asText turns a value into code or an answer: lists of strings are lines, as in
// a notebook, and an answer may be a bare number.
func asText(v any, kind Kind) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		lines := make([]string, 0, len(v))
		for _, l := range v {
			s, ok := l.(string)
			if !ok {
				return "", false
			}
			lines = append(lines, strings.TrimSuffix(s, "\n"))
		}
		return strings.Join(lines, "\n"), true
	case float64, bool:
		if kind == Answer {
			return fmt.Sprint(v), true
		}
	}
	return "", false
}

// wanted are the names under which the text of a call may stand.
func (g grammar) wanted(kind Kind) []string {
	switch kind {
	case Answer:
		return []string{"text", "answer", "final_answer", "content", "result", "value", "input"}
	case Save:
		return []string{"text", "note", "content", "body", "value", "input"}
	case Search:
		return []string{"query", "text", "words", "q", "search", "input"}
	}
	return slices.Concat([]string{"code", "source"}, g.langs.Names(), []string{"script", "program", "snippet", "content", "input", "text"})
}

// decode reads an input that is no JSON object: a JSON string that holds the
// object or the text itself, an object that is not quite JSON, or bare code. It
// returns an object or, when that is nil, the text.
func decode(raw string, names []string) (map[string]any, string, error) {
	raw = strings.TrimSpace(unfence(raw))
	var wrong error
	for range 3 { // nobody encodes a thing more often
		v, err := lenient(raw, names)
		if err != nil {
			wrong = err
			break
		}
		switch v := v.(type) {
		case map[string]any:
			return v, "", nil
		case string:
			raw = strings.TrimSpace(v)
			if !strings.HasPrefix(raw, "{") && !strings.HasPrefix(raw, `"`) {
				return nil, v, nil
			}
		default:
			return nil, "", reject("the call's input is neither an object nor a text")
		}
	}
	if raw == "" || strings.HasPrefix(raw, "{") || strings.HasPrefix(raw, `"`) {
		return nil, "", reject("the call's input is not valid JSON: %s", safetext.OneLine(jsonProblem(raw, wrong), 200))
	}
	return nil, raw, nil
}

// unwrap takes code out of what models wrap around it inside a call: a fence, or
// the whole input once more.
func unwrap(text string) string {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") {
		var inner map[string]any
		if json.Unmarshal([]byte(trimmed), &inner) == nil && len(inner) == 1 {
			if s, ok := inner["code"].(string); ok {
				text = s
			}
		}
	}
	return unfence(text)
}

// writtenCall reads a call of one of our own tools that was written out as JSON.
func writtenCall(text string, g grammar) (llm.Call, bool) {
	return writtenUse(text, g.main().Tool(), func(name string) bool { return g.kinds[g.kindOf(name)] })
}

// writtenUse reads a call of a tool that is known and that was written out as
// JSON. tool is the name of the one that runs code.
func writtenUse(text, tool string, known func(name string) bool) (llm.Call, bool) {
	text = strings.TrimSpace(text)
	if c, ok := templateCall(text); ok {
		return c, known(c.Name)
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = strings.TrimSpace(text[1 : len(text)-1]) // a list of one call
	}
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return llm.Call{}, false
	}
	read, err := lenient(text, nil)
	v, ok := read.(map[string]any)
	if err != nil || !ok {
		return llm.Call{}, false
	}
	if f, ok := v["function"].(map[string]any); ok {
		v = f
	}
	name := ""
	for _, k := range []string{"name", "tool", "tool_name", "function", "action"} {
		if s, ok := v[k].(string); ok {
			name = s
			break
		}
	}
	if name == "" {
		return bareInput(v, tool)
	}
	if !known(name) {
		return llm.Call{}, false
	}
	c := llm.Call{Name: name}
	for _, k := range []string{"arguments", "parameters", "input", "args", "action_input", "tool_input"} {
		switch in := v[k].(type) {
		case map[string]any:
			c.Input = in
			return c, true
		case string:
			c.Raw = in
			return c, true
		}
	}
	c.Input = v
	return c, true
}

// bareInput takes an object that is a tool's input and nothing else.
func bareInput(v map[string]any, tool string) (llm.Call, bool) {
	if len(v) != 1 {
		return llm.Call{}, false
	}
	if _, ok := v["code"].(string); ok {
		return llm.Call{Name: tool, Input: v}, true
	}
	if slices.ContainsFunc([]string{"final_answer", "answer"}, func(k string) bool { _, ok := v[k]; return ok }) {
		return llm.Call{Name: ToolAnswer, Input: v}, true
	}
	return llm.Call{}, false
}
