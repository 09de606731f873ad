package mcp_test

//lint:file-ignore SA1019 The conformance suite tests what the newest protocol gives up, too.

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the conformance suite wants a server to have beside its own: tools, resources and prompts
// whose names and results the suite's documentation gives.

// pixel is a picture, silence a sound.
func pixel() []byte {
	data, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	return data
}

func silence() []byte {
	return append([]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data"), 0, 0, 0, 0)
}

func embedded(uri, text string) sdk.Content {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}
}

// fixtureOptions declare what the suite tests of a server beside its tools.
func fixtureOptions(o *sdk.ServerOptions) {
	o.Capabilities = nil // the SDK declares what is there, and logging
	o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
		return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
	}
}

func fixtures(s *sdk.Server) {
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":            {&sdk.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":          {&sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}},
		"test_audio_content":          {&sdk.AudioContent{Data: silence(), MIMEType: "audio/wav"}},
		"test_embedded_resource":      {embedded("test://embedded-resource", "This is an embedded resource content.")},
		"test_multiple_content_types": {&sdk.TextContent{Text: "Multiple content types test:"}, &sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}, embedded("test://mixed-content-resource", "test")},
	} {
		fixture(s, name, nil, func(context.Context, *sdk.CallToolRequest, map[string]any) ([]sdk.Content, error) {
			return content, nil
		})
	}
	fixture(s, "test_error_handling", nil, func(context.Context, *sdk.CallToolRequest, map[string]any) ([]sdk.Content, error) {
		return nil, errors.New("This tool intentionally returns an error for testing")
	})
	fixture(s, "test_tool_with_logging", nil, func(ctx context.Context, req *sdk.CallToolRequest, _ map[string]any) ([]sdk.Content, error) {
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
				return nil, err
			}
		}
		return []sdk.Content{&sdk.TextContent{Text: "logged"}}, nil
	})
	fixture(s, "test_tool_with_progress", nil, func(ctx context.Context, req *sdk.CallToolRequest, _ map[string]any) ([]sdk.Content, error) {
		for _, n := range []float64{0, 50, 100} {
			if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: n, Total: 100}); err != nil {
				return nil, err
			}
		}
		return []sdk.Content{&sdk.TextContent{Text: "done"}}, nil
	})
	fixture(s, "json_schema_2020_12_tool", json.RawMessage(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}], "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]}, "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}`),
		func(context.Context, *sdk.CallToolRequest, map[string]any) ([]sdk.Content, error) {
			return []sdk.Content{&sdk.TextContent{Text: "called"}}, nil
		})
	fixtureRequests(s)
	fixtureResources(s)
	fixturePrompts(s)
}

// fixture adds a tool.
func fixture(s *sdk.Server, name string, schema any, f func(ctx context.Context, req *sdk.CallToolRequest, in map[string]any) ([]sdk.Content, error)) {
	if schema == nil {
		schema = json.RawMessage(`{"type": "object"}`)
	}
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: "a fixture of the conformance suite", InputSchema: schema}, func(ctx context.Context, req *sdk.CallToolRequest, in map[string]any) (*sdk.CallToolResult, any, error) {
		content, err := f(ctx, req, in)
		return &sdk.CallToolResult{Content: content}, nil, err
	})
}

// fixtureRequests adds the tools that ask the client for something.
func fixtureRequests(s *sdk.Server) {
	fixture(s, "test_sampling", nil, func(ctx context.Context, req *sdk.CallToolRequest, in map[string]any) ([]sdk.Content, error) {
		res, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
			MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: fmt.Sprint(in["prompt"])}}},
		})
		if err != nil {
			return nil, err
		}
		text, _ := res.Content.(*sdk.TextContent)
		return []sdk.Content{&sdk.TextContent{Text: "LLM response: " + text.Text}}, nil
	})
	for name, schema := range map[string]string{
		"test_elicitation":                  `{"username": {"type": "string", "description": "User's response"}, "email": {"type": "string", "description": "User's email address"}}`,
		"test_elicitation_sep1034_defaults": `{"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5}, "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": true}}`,
		"test_elicitation_sep1330_enums": `{"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
			"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}`,
	} {
		fixture(s, name, nil, func(ctx context.Context, req *sdk.CallToolRequest, in map[string]any) ([]sdk.Content, error) {
			message, _ := in["message"].(string)
			if message == "" {
				message = "Please answer"
			}
			res, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(`{"type": "object", "properties": ` + schema + `}`)})
			if err != nil {
				return nil, err
			}
			return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("Elicitation completed: action=%s, content=%v", res.Action, res.Content)}}, nil
		})
	}
}

func fixtureResources(s *sdk.Server) {
	content := func(c sdk.ResourceContents) sdk.ResourceHandler {
		return func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c := c
			c.URI = req.Params.URI
			if id, ok := strings.CutPrefix(c.URI, "test://template/"); ok {
				c.Text = fmt.Sprintf(`{"id": %q}`, strings.TrimSuffix(id, "/data"))
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		}
	}
	text := sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	s.AddResource(&sdk.Resource{URI: "test://static-text", Name: "static-text", MIMEType: "text/plain"}, content(text))
	s.AddResource(&sdk.Resource{URI: "test://watched-resource", Name: "watched-resource", MIMEType: "text/plain"}, content(text))
	s.AddResource(&sdk.Resource{URI: "test://static-binary", Name: "static-binary", MIMEType: "image/png"}, content(sdk.ResourceContents{MIMEType: "image/png", Blob: pixel()}))
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"}, content(sdk.ResourceContents{MIMEType: "application/json"}))
}

func fixturePrompts(s *sdk.Server) {
	prompt := func(name string, arguments []string, f func(in map[string]string) []sdk.Content) {
		p := &sdk.Prompt{Name: name, Description: "a fixture of the conformance suite"}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: "an argument", Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{}
			for _, c := range f(req.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	prompt("test_simple_prompt", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: "This is a simple prompt for testing."}}
	})
	prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(in map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", in["arg1"], in["arg2"])}}
	})
	prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(in map[string]string) []sdk.Content {
		return []sdk.Content{embedded(in["resourceUri"], "Embedded resource content for testing."), &sdk.TextContent{Text: "Please process the embedded resource above."}}
	})
	prompt("test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}, &sdk.TextContent{Text: "Please analyze the image above."}}
	})
}
