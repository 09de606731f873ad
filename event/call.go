package event

import "encoding/json"

// SetInput reads the input of a call as a provider streamed it. What is not a
// JSON object, such as a call cut in the middle, is kept in Raw: the caller
// decides what to make of it.
func (c *Call) SetInput(raw string) {
	c.Input, c.Raw = nil, ""
	if raw == "" {
		c.Input = map[string]any{}
		return
	}
	var input map[string]any
	if err := json.Unmarshal([]byte(raw), &input); err != nil || input == nil {
		c.Raw = raw
		return
	}
	c.Input = input
}

// InputObject returns the input as an object that can be sent back to a
// provider: providers refuse a history whose calls hold no valid JSON.
func (c Call) InputObject() map[string]any {
	switch {
	case c.Input != nil:
		return c.Input
	case c.Raw != "":
		return map[string]any{"unreadable": c.Raw}
	default:
		return map[string]any{}
	}
}
