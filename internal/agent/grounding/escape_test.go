package grounding

import "testing"

func TestUnfenced(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\": 1}":                  `{"a": 1}`,
		" ```json\n{\"a\": 1}\n```\n": `{"a": 1}`,
		"```\r\n[1]\r\n```":           `[1]`,
		"```json {\"a\": 1}```":       `{"a": 1}`,
		"```12```":                    `12`,
		"```json\n{\"a\":\n1}":        "{\"a\":\n1}",
		"It is ```12```.":             "It is ```12```.",
		"```json\n[1]\n``` and more":  "[1]\n``` and more",
	} {
		if got := Unfenced(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
