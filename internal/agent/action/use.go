package action

import (
	"strings"

	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/llm"
)

// Uses reads a reply that calls tools of the run natively. isTool knows their
// names. All such calls are taken, in their order; code and an answer beside
// them are not, since they were written before the results were seen. It
// returns false for a reply that calls none.
func Uses(r llm.Reply, langs language.Table, isTool func(name string) bool) (Parsed, bool) {
	if len(r.Calls) == 0 {
		return written(r, langs, isTool)
	}
	p := Parsed{Action: Action{Kind: Use, Call: -1}, Unused: make([]string, len(r.Calls))}
	others := false
	for i, c := range r.Calls {
		switch {
		case isTool(c.Name) && r.Cut && i == len(r.Calls)-1:
			p.Unused[i] = cutCall
		case isTool(c.Name) && p.Action.Call < 0:
			p.Action.Call = i
			p.Action.Uses = append(p.Action.Uses, i)
		case isTool(c.Name):
			p.Action.Uses = append(p.Action.Uses, i)
		default:
			others = true
			p.Unused[i] = "Not taken: tools were called in the same reply. Send it again when you have seen what they gave."
		}
	}
	if p.Action.Call < 0 {
		return Parsed{}, false
	}
	if others {
		p.Trimmed = "calls of tools beside others: only the tools were called"
	}
	prose, thinking := splitThinking(strings.ReplaceAll(r.Text, "\r\n", "\n"))
	if p.Thought = strings.TrimSpace(prose); p.Thought == "" {
		p.Thought = thinking
	}
	return p, true
}

// Mended returns a call whose input is read leniently where it is no JSON.
func Mended(c llm.Call) llm.Call {
	if c.Input == nil && c.Raw != "" {
		if v, err := lenient(strings.TrimSpace(unfence(c.Raw)), nil); err == nil {
			if input, ok := v.(map[string]any); ok {
				c.Input, c.Raw = input, ""
			}
		}
	}
	return c
}

// written reads calls of tools that were written out as JSON, in blocks of their
// own or as the whole reply.
func written(r llm.Reply, langs language.Table, isTool func(name string) bool) (Parsed, bool) {
	text := r.Text
	if len(text) > maxReply {
		text = strings.ToValidUTF8(text[:maxReply], "")
	}
	prose, thinking := splitThinking(strings.ReplaceAll(text, "\r\n", "\n"))
	p := Parsed{Action: Action{Kind: Use, Call: -1}}
	var thought []string
	known := func(name string) bool { return isTool(name) || isTool(strings.ReplaceAll(name, ".", "__")) }
	g := grammar{langs: langs}
	for _, piece := range scan(prose, g) {
		c, ok := writtenUse(piece.text, g.main().Tool(), known)
		ok = ok && !(r.Cut && piece.open)
		if _, runs := g.byTool(c.Name); !ok || runs || c.Name == ToolAnswer {
			thought = append(thought, strings.TrimSpace(piece.text))
			continue
		}
		if !isTool(c.Name) {
			c.Name = strings.ReplaceAll(c.Name, ".", "__")
		}
		p.Action.Uses = append(p.Action.Uses, len(p.Action.Written))
		p.Action.Written = append(p.Action.Written, c)
	}
	if len(p.Action.Written) == 0 {
		return Parsed{}, false
	}
	if p.Thought = strings.TrimSpace(strings.Join(thought, "\n")); p.Thought == "" {
		p.Thought = thinking
	}
	return p, true
}

// AcceptedTools names what a model can do that has tools and no code.
const AcceptedTools = "Call one of the tools natively; to finish, call the tool " + ToolAnswer + " with the argument text, " +
	"or write a line that begins with FINAL ANSWER: and the answer after it."

// NoCode is the rejection of code in a run that has none.
func NoCode() error {
	return fault.New(fault.Invalid, AcceptedTools, "cannot act on the reply: it holds code, and this run has tools alone")
}
