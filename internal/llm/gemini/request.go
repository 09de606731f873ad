package gemini

import (
	"encoding/json"
	"slices"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// request is the body of a request for content.
type request struct {
	System     *content   `json:"systemInstruction,omitempty"`
	Contents   []content  `json:"contents"`
	Tools      []toolbox  `json:"tools,omitempty"`
	Generation generation `json:"generationConfig"`

	extended bool // its bound leaves space for thinking
	strict   bool // all its calls have a signature
}

type generation struct {
	MaxTokens int           `json:"maxOutputTokens"`
	Thinking  *thinkingMode `json:"thinkingConfig,omitempty"`
}

// thinkingMode is how a model is asked to think.
type thinkingMode struct {
	Level  llm.Effort `json:"thinkingLevel,omitempty"`
	Budget int        `json:"thinkingBudget,omitempty"`
	Show   bool       `json:"includeThoughts"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

// part is one piece of a message; it has one of text, picture, call and result.
type part struct {
	Text      string        `json:"text,omitempty"`
	Thought   bool          `json:"thought,omitempty"`
	Signature stream.Text   `json:"thoughtSignature,omitempty"`
	Picture   *picture      `json:"inlineData,omitempty"`
	Call      *functionCall `json:"functionCall,omitempty"`
	Result    *result       `json:"functionResponse,omitempty"`
}

// picture is a picture; its bytes are written in base64.
type picture struct {
	Type string `json:"mimeType"`
	Data []byte `json:"data"`
}

type functionCall struct {
	ID   stream.Text     `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type result struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

type toolbox struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parametersJsonSchema,omitempty"`
}

// signatures are what a model's thoughts are known again by: one for its text,
// and one for each call, "" where it has none.
type signatures struct {
	Text  string   `json:"text,omitempty"`
	Calls []string `json:"calls,omitempty"`
}

// unsigned stands in the place of the signature of a call that this model did not make.
const unsigned = "skip_thought_signature_validator"

// request turns a request into the API's own form.
func (m *Model) request(req llm.Request) request {
	out := request{Contents: []content{}, strict: m.strict.Load(), extended: m.effort != "" || m.extended.Load()}
	out.Generation.MaxTokens = req.MaxTokens
	if out.Generation.MaxTokens <= 0 {
		out.Generation.MaxTokens = defaultMaxTokens
	}
	if out.extended {
		out.Generation.MaxTokens += stream.ReasoningAllowance(m.effort)
	}
	if m.effort != "" {
		out.Generation.Thinking = &thinkingMode{Show: true}
		if m.budgeted.Load() {
			out.Generation.Thinking.Budget = stream.ReasoningAllowance(m.effort)
		} else {
			out.Generation.Thinking.Level = m.effort
		}
	}
	if req.System != "" {
		out.System = &content{Parts: []part{{Text: req.System}}}
	}
	names := map[string]string{} // of the functions that were called, by the calls' ids
	for _, msg := range req.Messages {
		for _, c := range msg.Calls {
			names[c.ID] = c.Name
		}
		out.Contents = append(out.Contents, m.content(msg, names, out.strict))
	}
	var box toolbox
	for _, t := range req.Tools {
		box.Functions = append(box.Functions, function{t.Name, t.Description, t.Schema})
	}
	if len(box.Functions) > 0 {
		out.Tools = []toolbox{box}
	}
	return out
}

// pictureTypes are those that the API takes.
var pictureTypes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}

// content turns a message into the API's: results come before what a person
// says, calls after what the model does, and there is always something.
func (m *Model) content(msg llm.Message, names map[string]string, strict bool) content {
	out := content{Role: "user"}
	var signed signatures
	if msg.Role == llm.Assistant {
		out.Role = "model"
		if json.Unmarshal([]byte(stream.OwnReasoning(msg.Reasoning, m.Name()).Signature), &signed) != nil {
			signed = signatures{}
		}
	}
	for _, r := range msg.Results {
		key := "output"
		if r.IsError {
			key = "error"
		}
		out.Parts = append(out.Parts, part{Result: &result{ID: r.CallID, Name: names[r.CallID], Response: map[string]string{key: r.Text}}})
	}
	if msg.Text != "" {
		out.Parts = append(out.Parts, part{Text: msg.Text, Signature: stream.Text(signed.Text)})
	}
	for _, p := range msg.Pictures {
		if slices.Contains(pictureTypes, p.Type) {
			out.Parts = append(out.Parts, part{Picture: &picture{p.Type, p.Data}})
		}
	}
	for i, c := range msg.Calls {
		one := part{Call: &functionCall{ID: stream.Text(c.ID), Name: c.Name, Args: args(c)}}
		if i < len(signed.Calls) {
			one.Signature = stream.Text(signed.Calls[i])
		} else if i == 0 && strict {
			one.Signature = unsigned
		}
		out.Parts = append(out.Parts, one)
	}
	if len(out.Parts) == 0 {
		out.Parts = []part{{Text: "(nothing)"}}
	}
	return out
}

func args(c llm.Call) json.RawMessage {
	text, err := json.Marshal(c.InputObject())
	if err != nil { // the object came from JSON, or from a caller that put in what JSON cannot express
		return json.RawMessage("{}")
	}
	return text
}
