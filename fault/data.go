package fault

import (
	"regexp"
	"strings"
)

// Data is what the words of a coded fault need: texts under the names that the
// code's line in codes.go lists. Numbers are written in decimal.
type Data map[string]string

// Sentences are the ways to word one thing, the best first. A sentence may contain
// names of data in braces, such as {name}.
type Sentences []string

// With returns the first sentence that the data has everything for, filled in,
// and "" when there is none. An empty text counts as missing.
func (s Sentences) With(data Data) string {
	for _, sentence := range s {
		missing := false
		filled := placeholder.ReplaceAllStringFunc(sentence, func(name string) string {
			value := data[strings.Trim(name, "{}")]
			missing = missing || value == ""
			return value
		})
		if !missing {
			return filled
		}
	}
	return ""
}

// Names returns the names of data that the sentences contain, in their order; one
// may come more than once.
func (s Sentences) Names() []string {
	var out []string
	for _, sentence := range s {
		for _, name := range placeholder.FindAllString(sentence, -1) {
			out = append(out, strings.Trim(name, "{}"))
		}
	}
	return out
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)
