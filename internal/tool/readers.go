package tool

import (
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Me is the name by which files mean the user on whose behalf plans run.
const Me = "me"

// Readers says who may read a tool's results: everyone, or the principals that
// are listed and those that the call's result or arguments name. The zero
// value lets nobody read.
type Readers struct {
	Everyone   bool
	Principals []string // literal, sorted; Me is the user
	From       []ReaderSource
}

// ReaderSource takes principals from a field. The field holds a principal or
// a list of them. Where the path has "*", the field of every item counts, and
// only a principal that all the items name may read the whole.
type ReaderSource struct {
	Origin Origin
	Path   jsondoc.Pointer
}

// Origin is where a ReaderSource looks. The zero value is not one.
type Origin uint8

// The origins.
const (
	FromResult Origin = iota + 1
	FromArguments
)

// String returns the name that files use.
func (o Origin) String() string {
	switch o {
	case FromResult:
		return "result"
	case FromArguments:
		return "arguments"
	}
	return fmt.Sprintf("origin(%d)", uint8(o))
}

// MaxReaders bounds the principals that one result may name.
const MaxReaders = 10_000

// Static returns the readers if they are known without a call: everyone, or
// the literal principals. With sources ok is false and principals are those
// that may read in any case.
func (r Readers) Static(p *Principals) (principals []string, everyone, ok bool) {
	if r.Everyone {
		return nil, true, true
	}
	for _, name := range r.Principals {
		principals = append(principals, p.resolve(name))
	}
	slices.Sort(principals)
	return slices.Compact(principals), false, len(r.From) == 0
}

// Resolve returns who may read the result of one call. A field that is missing
// names nobody. A field that is no name, or names a principal that p does not
// know, is a fault of kind Invalid.
func (r Readers) Resolve(p *Principals, arguments, result any) (principals []string, everyone bool, err error) {
	principals, everyone, _ = r.Static(p)
	if everyone {
		return nil, true, nil
	}
	for _, src := range r.From {
		root := result
		if src.Origin == FromArguments {
			root = arguments
		}
		names, err := named(root, src.Path.Segments())
		if err != nil {
			return nil, false, fault.New(fault.Invalid, "Let the field hold a principal's name or a list of names.", "cannot tell who may read the result: %s%s: %w", src.Origin, src.Path, err)
		}
		for _, name := range names {
			name = p.resolve(name)
			if !p.Known(name) {
				return nil, false, fault.New(fault.Invalid, "Add it to the principals of the file of tools, or correct what the tool returns.", "cannot tell who may read the result: %s%s names the unknown principal %s", src.Origin, src.Path, safetext.Quote(name))
			}
			principals = append(principals, name)
		}
		if len(principals) > MaxReaders {
			return nil, false, fault.New(fault.Exhausted, "Let the tool return less at once.", "cannot tell who may read the result: more than %d principals", MaxReaders)
		}
	}
	slices.Sort(principals)
	return slices.Compact(principals), false, nil
}

// named returns the principals that the field at the path names.
func named(v any, path []string) ([]string, error) {
	if len(path) == 0 {
		return nameList(v)
	}
	if path[0] != "*" {
		next, ok := jsondoc.Part(v, path[0])
		if !ok {
			return nil, nil
		}
		return named(next, path[1:])
	}
	var parts []any
	if list, ok := v.([]any); ok {
		parts = list
	} else {
		for _, member := range jsondoc.Members(v) {
			parts = append(parts, member)
		}
	}
	var common map[string]bool
	for _, part := range parts {
		names, err := named(part, path[1:])
		if err != nil {
			return nil, err
		}
		here := make(map[string]bool, len(names))
		for _, name := range names {
			if common == nil || common[name] {
				here[name] = true
			}
		}
		common = here
	}
	out := make([]string, 0, len(common))
	for name := range common {
		out = append(out, name)
	}
	slices.Sort(out)
	return out, nil
}

func nameList(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case []any:
		out := make([]string, 0, len(v))
		for _, item := range v {
			name, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("expected names, got %s", schema.Describe(item))
			}
			out = append(out, name)
		}
		return out, nil
	}
	return nil, fmt.Errorf("expected a name or a list of names, got %s", schema.Describe(v))
}

// Principals are who the file knows: the user and others.
type Principals struct {
	Me    string   // the user's own name; Me ("me") when the file does not say
	Names []string // the others: names, or patterns "*@example.com"; empty: everybody is known
}

// Known reports whether a name is one that the file knows. Without a list of
// principals every name is.
func (p *Principals) Known(name string) bool {
	if name == p.Me || name == Me || len(p.Names) == 0 {
		return true
	}
	for _, known := range p.Names {
		if known == name || (strings.HasPrefix(known, "*") && len(name) > len(known)-1 && strings.HasSuffix(strings.ToLower(name), strings.ToLower(known[1:]))) {
			return true
		}
	}
	return false
}

// resolve puts the user's name in the place of "me".
func (p *Principals) resolve(name string) string {
	if name == Me && p.Me != "" {
		return p.Me
	}
	return name
}
