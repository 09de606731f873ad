package schema

import (
	"strconv"
	"strings"

	"praxis/internal/tool/jsondoc"
)

// Redacted takes the place of a secret.
const Redacted = "(secret)"

func paths(list []jsondoc.Pointer) [][]string {
	out := make([][]string, len(list))
	for i, p := range list {
		out[i] = p.Segments()
	}
	return out
}

// redact judges v by all the schemas that may apply to it: a part that is
// secret in one alternative is secret.
func redact(v any, schemas []*schema, secret [][]string, depth int) any {
	if depth > jsondoc.MaxDepth {
		return Redacted
	}
	for _, path := range secret {
		if len(path) == 0 {
			return Redacted
		}
	}
	schemas = applied(schemas)
	for _, s := range schemas {
		if s.note.secret {
			return Redacted
		}
	}
	if list, ok := v.([]any); ok {
		out := make([]any, len(list))
		for i, part := range list {
			var inside []*schema
			for _, s := range schemas {
				inside = s.atIndex(inside, i)
			}
			out[i] = redact(part, inside, below(secret, strconv.Itoa(i)), depth+1)
		}
		return out
	}
	if !jsondoc.IsObject(v) {
		return v
	}
	out := &jsondoc.Object{}
	for name, member := range jsondoc.Members(v) {
		var inside []*schema
		for _, s := range schemas {
			inside = s.atName(inside, name)
		}
		out.Set(name, redact(member, inside, below(secret, name), depth+1))
	}
	return out
}

// Hiding returns the mismatch without the value where that is, holds or is a part
// of what a pointer calls secret. What the schema itself calls so is hidden already.
func (m *Mismatch) Hiding(secrets []jsondoc.Pointer) *Mismatch {
	if len(secrets) == 0 {
		return m
	}
	out := *m
	for _, p := range secrets {
		if meet(p.Segments(), m.Path.Segments()) {
			kind, _, _ := strings.Cut(m.Got, " ")
			out.Got, out.Nearest = kind+" "+Redacted, ""
			break
		}
	}
	out.More = nil
	for _, more := range m.More {
		out.More = append(out.More, more.Hiding(secrets))
	}
	return &out
}

// meet says whether one of two paths leads to, or into, the end of the other.
func meet(pattern, path []string) bool {
	for i := range min(len(pattern), len(path)) {
		if pattern[i] != "*" && pattern[i] != path[i] {
			return false
		}
	}
	return true
}

// applied adds the parts that apply to the same value, each once.
func applied(schemas []*schema) []*schema {
	seen := make(map[*schema]bool, len(schemas))
	var out []*schema
	for i := 0; i < len(schemas); i++ {
		if s := schemas[i]; !seen[s] {
			seen[s] = true
			out = append(out, s)
			s.inPlace(func(part *schema) { schemas = append(schemas[:len(schemas):len(schemas)], part) })
		}
	}
	return out
}

// atIndex adds the parts that may apply to an item.
func (s *schema) atIndex(list []*schema, i int) []*schema {
	if s.arr == nil {
		return list
	}
	if i < len(s.arr.prefix) {
		list = append(list, s.arr.prefix[i])
	} else if s.arr.items != nil {
		list = append(list, s.arr.items)
	}
	for _, part := range []*schema{s.arr.contains, s.arr.unevaluated} {
		if part != nil {
			list = append(list, part)
		}
	}
	return list
}

// atName adds the parts that may apply to a member.
func (s *schema) atName(list []*schema, name string) []*schema {
	if s.obj == nil {
		return list
	}
	known := false
	if part := s.obj.property(name); part != nil {
		known, list = true, append(list, part)
	}
	for _, p := range s.obj.patterns {
		if p.re.MatchString(name) {
			known, list = true, append(list, p.s)
		}
	}
	for _, part := range []*schema{s.obj.additional, s.obj.unevaluated} {
		if part != nil && !known {
			list = append(list, part)
		}
	}
	return list
}

// below keeps the paths that go through a segment, without it.
func below(paths [][]string, segment string) [][]string {
	var out [][]string
	for _, path := range paths {
		if path[0] == segment || path[0] == "*" {
			out = append(out, path[1:])
		}
	}
	return out
}
