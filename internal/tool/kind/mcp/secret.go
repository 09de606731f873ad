package mcp

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

const secretMark = "{secret:"

// expand replaces {secret:NAME} in a text.
func expand(text, what string, source tool.SecretSource, used *secrets) (string, error) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, secretMark)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, rest, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return "", fault.New(fault.Invalid, "Write {secret:NAME}.", "cannot read %s: a {secret: is not closed or names nothing", what)
		}
		if source == nil {
			return "", fault.New(fault.Invalid, "Declare it under secrets.", "cannot read %s: the secret %s is not declared", what, safetext.OneLine(name, 60))
		}
		value, err := source.Secret(name)
		if err != nil {
			return "", err
		}
		used.add(value)
		out.WriteString(value)
		text = rest
	}
}

// secrets are the values that were handed to a server: they are taken out of
// everything that it says.
type secrets struct {
	mu     sync.Mutex
	values map[string]bool
	sorted []string // longest first, so that a secret within another is not cut out of it
}

// shortest is the length from which a value is looked for: a shorter one would be
// found everywhere.
const shortest = 4

func (s *secrets) add(value string) {
	if len(value) < shortest {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values[value] {
		return
	}
	if s.values == nil {
		s.values = map[string]bool{}
	}
	s.values[value] = true
	s.sorted = slices.SortedFunc(maps.Keys(s.values), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
}

func (s *secrets) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted
}

func (s *secrets) text(text string) string {
	for _, value := range s.all() {
		text = strings.ReplaceAll(text, value, schema.Redacted)
	}
	return text
}

// value returns a JSON value without secrets in its strings and names.
func (s *secrets) value(v any) any {
	if len(s.all()) == 0 {
		return v
	}
	return s.walk(v)
}

func (s *secrets) walk(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		for i := range v {
			v[i] = s.walk(v[i])
		}
	case *jsondoc.Object:
		out := jsondoc.NewObject()
		for name, member := range v.All() {
			out.Set(s.text(name), s.walk(member))
		}
		return out
	}
	return v
}
