// Package tally is a tiny language of tests: it shows that a language is one
// folder and one line of a table. It has names with numbers, one statement a
// line. Its kernel is a program that the interpreter of Python runs.
package tally

import (
	_ "embed"
	"strings"

	"praxis/internal/language"
)

//go:embed kernel.py
var kernel string

// Language returns tally.
func Language() language.Language {
	return language.Language{
		Name:       "tally",
		Display:    "Tally",
		Version:    "1.0",
		Extensions: []string{".tally"},
		Fences:     []string{"tally", "tly"},
		MIME:       "text/x-tally",
		Highlight:  highlight,
		Incomplete: func(source string) bool { return strings.HasSuffix(source, "=") },
		Kernel: language.Kernel{
			Arguments:     []string{"-S"},
			Program:       "kernel.py",
			Files:         map[string]string{"kernel.py": kernel},
			Environment:   map[string]string{"TALLY_HOME": "/work"},
			Deterministic: map[string]string{"TALLY_FIXED": "1"},
			Preload:       []string{"ready"},
		},
		Model: language.Model{Hello: "say hello", Library: "nothing else", Undefined: "Unknown"},
	}
}

// highlight knows comments, the word say, numbers and the rest.
func highlight(source string) []language.Span {
	var out []language.Span
	for line := range strings.Lines(source) {
		text, comment, found := strings.Cut(line, ";")
		for i, word := range strings.SplitAfter(text, " ") {
			class := language.Plain
			switch bare := strings.TrimSpace(word); {
			case bare == "":
			case i == 0 && bare == "say":
				class = language.Keyword
			case strings.Trim(bare, "0123456789") == "":
				class = language.Number
			}
			if word != "" {
				out = append(out, language.Span{Class: class, Text: word})
			}
		}
		if found {
			out = append(out, language.Span{Class: language.Comment, Text: ";" + comment})
		}
	}
	return out
}
