package tool

import (
	"fmt"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// BindReason says why arguments do not fit a tool's parameters. The zero value is not one.
type BindReason uint8

// The reasons.
const (
	TooMany     BindReason = iota + 1 // more positional arguments than parameters
	UnknownName                       // no parameter has this name
	GivenTwice                        // by position and by name, or twice by name
	Missing                           // a required parameter got nothing
)

// BindError is the cause of the fault that binding returns.
type BindError struct {
	Reason  BindReason
	Tool    string
	Name    string   // the argument, for UnknownName and GivenTwice
	Missing []string // the parameters without a value, for Missing
	Given   int      // positional arguments, for TooMany
	Takes   int      // parameters, for TooMany
	Nearest string   // for UnknownName: the name that was meant, or ""
}

// Error returns the reason in the form in which Python says it.
func (e *BindError) Error() string {
	switch e.Reason {
	case TooMany:
		return fmt.Sprintf("%s() takes %s but %d %s given", e.Tool, plural(e.Takes, "positional argument"), e.Given, wasWere(e.Given))
	case UnknownName:
		s := fmt.Sprintf("%s() got an unexpected keyword argument '%s'", e.Tool, safetext.OneLine(e.Name, 80))
		if e.Nearest != "" {
			s += fmt.Sprintf(". Did you mean '%s'?", e.Nearest)
		}
		return s
	case GivenTwice:
		return fmt.Sprintf("%s() got multiple values for argument '%s'", e.Tool, safetext.OneLine(e.Name, 80))
	}
	quoted := make([]string, len(e.Missing))
	for i, name := range e.Missing {
		quoted[i] = "'" + name + "'"
	}
	return fmt.Sprintf("%s() missing %s: %s", e.Tool, plural(len(quoted), "required argument"), pythonList(quoted))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// pythonList joins as Python's messages do: a, b, and c.
func pythonList(list []string) string {
	switch n := len(list); n {
	case 0, 1:
		return strings.Join(list, "")
	case 2:
		return list[0] + " and " + list[1]
	default:
		return strings.Join(list[:n-1], ", ") + ", and " + list[n-1]
	}
}

// Bind says to which arguments those of a call go: the result has, for each
// positional argument and then for each name, the index into
// [Definition.Arguments], or -1 for a name that the input schema allows without
// declaring it. The error is a fault of kind Invalid whose cause is a
// [*BindError]. A parameter with a default is never missing.
func (d *Definition) Bind(positional int, names []string) ([]int, error) {
	return d.bind(positional, names, false)
}

// BindPartial is Bind for a call of which not all arguments are known (as
// f(*args, **kwargs)): nothing is missing.
func (d *Definition) BindPartial(positional int, names []string) ([]int, error) {
	return d.bind(positional, names, true)
}

func (d *Definition) bind(positional int, names []string, partial bool) ([]int, error) {
	params := d.Arguments()
	if positional > len(params) {
		return nil, d.bindFault(&BindError{Reason: TooMany, Given: positional, Takes: len(params)})
	}
	given := make([]bool, len(params))
	out := make([]int, 0, positional+len(names))
	for i := range positional {
		given[i] = true
		out = append(out, i)
	}
	var others map[string]bool
	for _, name := range names {
		at := -1
		for i, p := range params {
			if p.Name == name {
				at = i
				break
			}
		}
		twice := false
		if at >= 0 {
			twice, given[at] = given[at], true
		} else {
			twice = others[name]
			if others == nil {
				others = map[string]bool{}
			}
			others[name] = true
			if !d.Input.Open() {
				return nil, d.bindFault(&BindError{Reason: UnknownName, Name: name, Nearest: jsondoc.Nearest(name, d.Input.Type().Names())})
			}
		}
		if twice {
			return nil, d.bindFault(&BindError{Reason: GivenTwice, Name: name})
		}
		out = append(out, at)
	}
	if partial {
		return out, nil
	}
	var missing []string
	for i, p := range params {
		if p.Required && !given[i] && !p.Type.HasDefault {
			missing = append(missing, p.Name)
		}
	}
	if missing != nil {
		return nil, d.bindFault(&BindError{Reason: Missing, Missing: missing})
	}
	return out, nil
}

func (d *Definition) bindFault(e *BindError) error {
	e.Tool = d.Name
	return &fault.Error{Kind: fault.Invalid, Message: e.Error(), Remedy: "Call it as " + d.Signature() + ".", Err: e}
}

// Signature returns the call in one line: "email.write(to, body, subject=None)".
func (d *Definition) Signature() string {
	parts := make([]string, 0, len(d.Arguments()))
	for _, p := range d.Arguments() {
		switch {
		case p.Type.HasDefault:
			parts = append(parts, p.Name+"="+schema.Literal(p.Type.Default))
		case p.Required:
			parts = append(parts, p.Name)
		default:
			parts = append(parts, p.Name+"=…")
		}
	}
	return d.Name + "(" + strings.Join(parts, ", ") + ")"
}

// Named is an argument that is given by name.
type Named[T any] struct {
	Name  string
	Value T
}

// BindArgs puts the arguments of a call in their order under their names: of
// the tool's arguments in declared order, then others that the schema allows.
// What was not given and has no value is left out; defaults are not filled in
// (see [Definition.FillDefaults]). Errors are those of [Definition.Bind].
func BindArgs[T any](d *Definition, positional []T, named []Named[T]) ([]Named[T], error) {
	names := make([]string, len(named))
	for i, n := range named {
		names[i] = n.Name
	}
	to, err := d.Bind(len(positional), names)
	if err != nil {
		return nil, err
	}
	params := d.Arguments()
	value := make([]*T, len(params))
	out := make([]Named[T], 0, len(to))
	for i := range positional {
		value[to[i]] = &positional[i]
	}
	for i := range named {
		if at := to[len(positional)+i]; at >= 0 {
			value[at] = &named[i].Value
		}
	}
	for i, v := range value {
		if v != nil {
			out = append(out, Named[T]{params[i].Name, *v})
		}
	}
	for i := range named {
		if to[len(positional)+i] < 0 {
			out = append(out, named[i])
		}
	}
	return out, nil
}

// FillDefaults returns the arguments with the declared defaults of those that
// are not given, in declared order. It does not change its argument.
func (d *Definition) FillDefaults(arguments *jsondoc.Object) *jsondoc.Object {
	out := &jsondoc.Object{}
	for _, p := range d.Arguments() {
		if v, ok := arguments.Get(p.Name); ok {
			out.Set(p.Name, v)
		} else if p.Type.HasDefault {
			out.Set(p.Name, p.Type.Default)
		}
	}
	for name, v := range arguments.All() {
		out.Set(name, v)
	}
	return out
}
