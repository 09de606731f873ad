package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/llm"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/pystub"
)

const (
	// maxExposed is how many tools the model sees one by one, and
	// maxExposedBytes how long their schemas may be together. The model searches
	// a larger catalogue.
	maxExposed      = 40
	maxExposedBytes = 32 << 10
	// maxShown bounds what the model is shown of one result, in bytes.
	maxShown = 8000
	maxCall  = 64 // characters of a native name, by the providers' rules
)

// The native tools by which a large catalogue and long results are read.
const (
	findTool     = "find_tools"
	describeTool = "describe_tool"
	callTool     = "call_tool"
	readResult   = "read_result"
)

// Native exposes the tools of a bridge as native calls of the model.
type Native struct {
	bridge  *Bridge
	code    bool // the model can also run code
	exposed []llm.Tool
	names   map[string]string // of tools, by native names
	large   bool
}

var _ agent.Toolbox = (*Native)(nil)

// Native exposes the tools to the model. code says that the model can also run
// code, which can read the whole of a long result.
func (b *Bridge) Native(code bool) (*Native, error) {
	n := &Native{bridge: b, code: code, names: map[string]string{}}
	size := 0
	all := b.all()
	n.large = len(all) > maxExposed
	for _, def := range all {
		n.names[nativeName(def.Name)] = def.Name
		if !n.large {
			size += len(def.Input.JSON()) + len(def.Description)
			n.large = size > maxExposedBytes
		}
	}
	if n.large {
		n.exposed = large(len(all))
		all = nil
	}
	for _, def := range all {
		schema := map[string]any{}
		if err := json.Unmarshal(def.Input.JSON(), &schema); err != nil {
			return nil, fmt.Errorf("cannot expose %s: %w", def.Name, err)
		}
		if _, ok := schema["type"]; !ok {
			schema["type"] = "object"
		}
		n.exposed = append(n.exposed, llm.Tool{Name: nativeName(def.Name), Description: described(def), Schema: schema})
	}
	n.exposed = append(n.exposed, llm.Tool{
		Name: readResult, Description: "Reads more of a result that was shown in part.",
		Schema: object([]string{"id"}, map[string]any{
			"id":   map[string]any{"type": "string", "description": "as the shown part names it"},
			"from": map[string]any{"type": "integer", "minimum": 0, "description": "the character to begin at"},
		}),
	})
	return n, nil
}

// large are the native tools by which a large catalogue is used.
func large(total int) []llm.Tool {
	text := func(what string) map[string]any { return map[string]any{"type": "string", "description": what} }
	return []llm.Tool{
		{Name: findTool, Description: fmt.Sprintf("Finds tools by what they do, the best first. There are %d.", total), Schema: object([]string{"query"}, map[string]any{"query": text("a few words")})},
		{Name: describeTool, Description: "Describes the arguments and the result of a tool.", Schema: object([]string{"name"}, map[string]any{"name": text("of the tool")})},
		{Name: callTool, Description: "Calls a tool.", Schema: object([]string{"name", "arguments"}, map[string]any{
			"name": text("of the tool"), "arguments": map[string]any{"type": "object", "description": "as describe_tool says"},
		})},
	}
}

func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// described is a tool's description with the type of its result.
func described(def *tool.Definition) string {
	text := def.Description
	if text == "" {
		text = def.Title
	}
	if sig := pystub.Signature(def); strings.Contains(sig, "->") {
		text = strings.TrimSpace(text + "\nReturns " + strings.TrimSpace(sig[strings.LastIndex(sig, "->")+2:]))
	}
	return text
}

// nativeName writes a tool's name as providers allow it.
func nativeName(name string) string {
	out := strings.ReplaceAll(name, ".", "__")
	if len(out) > maxCall {
		sum := sha256.Sum256([]byte(name))
		out = out[:maxCall-9] + "_" + hex.EncodeToString(sum[:4])
	}
	return out
}

// Tools returns the tools that each request to the model exposes.
func (n *Native) Tools() []llm.Tool { return n.exposed }

// Call executes a native call.
func (n *Native) Call(ctx context.Context, step int, id string, c llm.Call) (agent.Used, error) {
	if c.Raw != "" {
		return agent.Used{Tool: c.Name, Text: "The arguments are no JSON object. Send the call again.", Failed: true}, nil
	}
	input, err := exact(c.InputObject())
	if err != nil {
		return failed(c.Name, err), nil
	}
	text := func(name string) string {
		v, _ := input.Get(name)
		s, _ := v.(string)
		return s
	}
	switch c.Name {
	case readResult:
		return n.read(text("id"), input), nil
	case findTool:
		return n.reply(c.Name, n.found(text("query"))), nil
	case describeTool:
		def, err := n.bridge.resolve(text("name"), "")
		if err != nil {
			return failed(c.Name, err), nil
		}
		return n.reply(c.Name, pystub.Line(def)+"\narguments: "+string(def.Input.JSON())+"\nresult: "+string(def.Output.JSON())), nil
	case callTool:
		args, _ := input.Get("arguments")
		o, ok := args.(*jsondoc.Object)
		if !ok && args != nil {
			return failed(c.Name, fault.New(fault.Invalid, "Give arguments by name.", "the arguments are no object")), nil
		}
		return n.call(ctx, step, id, text("name"), o)
	}
	return n.call(ctx, step, id, n.names[c.Name], input)
}

// exact is an input as a value of package tool.
func exact(input map[string]any) (*jsondoc.Object, error) {
	data, err := event.Encode(input)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Send the call again.", "the arguments cannot be read")
	}
	return arguments(data)
}

func (n *Native) reply(name, text string) agent.Used { return agent.Used{Tool: name, Text: text} }

func failed(name string, err error) agent.Used {
	text := err.Error()
	if remedy := fault.RemedyOf(err); remedy != "" {
		text += ". " + remedy
	}
	return agent.Used{Tool: name, Text: text, Failed: true}
}

func (n *Native) found(query string) string {
	var lines []string
	for _, def := range n.bridge.find().Search(query, 10) {
		lines = append(lines, pystub.Line(def))
	}
	if len(lines) == 0 {
		return "No tool fits. Other words may find one."
	}
	return strings.Join(lines, "\n")
}

// call lets a native call through the gate.
func (n *Native) call(ctx context.Context, step int, id, name string, args *jsondoc.Object) (agent.Used, error) {
	out, err := n.bridge.gate.Call(ctx, gate.Request{Origin: gate.Model, Step: step, ID: id, Name: name, Arguments: args})
	if err == nil {
		err = out.Fault()
	} else if fault.KindOf(err) == fault.Internal || ctx.Err() != nil {
		return agent.Used{}, err
	}
	if err != nil {
		return failed(name, err), nil
	}
	n.bridge.gave(name, out.Cut)
	whole, ok := out.Value.(string)
	if !ok {
		data, err := event.Encode(out.Value)
		if err != nil {
			return agent.Used{}, fmt.Errorf("cannot show the result of %s: %w", name, err)
		}
		whole = string(data)
	}
	used := agent.Used{Tool: name, Text: whole, Whole: whole}
	if len(whole) > maxShown {
		n.bridge.store(id, out.Value, whole)
		used.Text = head(whole, maxShown) + n.more(id, whole)
	}
	if out.Cut != "" {
		used.Text += "\n[only " + out.Cut + " are given: what is counted or summed up from them is not of all]"
	}
	return used, nil
}

// more tells the model how to read the rest of a result.
func (n *Native) more(id, whole string) string {
	text := fmt.Sprintf("\n[… the first %d of %d characters. Read on: %s with id %q and from %d", maxShown, len(whole), readResult, id, len(head(whole, maxShown)))
	if n.code {
		text += fmt.Sprintf("; or in code, as data: import tools; tools.result(%q)", id)
	}
	return text + "]"
}

// head is the beginning of a text, cut between characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// read shows a part of a result that was shown in part.
func (n *Native) read(id string, input *jsondoc.Object) agent.Used {
	n.bridge.mu.Lock()
	k, ok := n.bridge.results[id]
	n.bridge.mu.Unlock()
	if !ok {
		return failed(readResult, fault.New(fault.NotFound, "Call the tool again.", "there is no result %q, or it is not stored any more", safetext.Clip(id, 40)))
	}
	from := 0
	if v, given := input.Get("from"); given {
		if num, ok := v.(json.Number); ok {
			if i, err := num.Int64(); err == nil && i >= 0 && i <= int64(len(k.text)) {
				from = int(i)
			}
		}
	}
	for from > 0 && from < len(k.text) && k.text[from]&0xC0 == 0x80 {
		from--
	}
	part := head(k.text[from:], maxShown)
	if end := from + len(part); end < len(k.text) {
		part += fmt.Sprintf("\n[… %d characters are left; from %d]", len(k.text)-end, end)
	}
	return n.reply(readResult, part)
}

// store stores a result that was shown in part; the oldest ones are dropped.
func (b *Bridge) store(id string, value any, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, again := b.results[id]; again || len(text) > maxResults {
		return
	}
	b.results[id] = storedResult{value, text}
	b.order = append(b.order, id)
	for b.weight += len(text); b.weight > maxResults; b.order = b.order[1:] {
		b.weight -= len(b.results[b.order[0]].text)
		delete(b.results, b.order[0])
	}
}
