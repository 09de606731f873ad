package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// PolicyCases writes the calls of a recorded run as cases of a policy's tests: what was
// decided then is what they expect.
func (a *App) PolicyCases(ctx context.Context, ref string) (string, error) {
	run, err := a.ReadRun(ctx, ref)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	calls, seen := map[string]event.ToolCalled{}, map[string]bool{}
	for _, rec := range run.Records {
		switch e := rec.Event.(type) {
		case event.ToolCalled:
			calls[e.ID] = e
		case event.DecisionMade:
			c, ok := calls[e.ID]
			if !ok {
				continue
			}
			delete(calls, e.ID) // a plan that is resumed decides again
			text, err := policyCase(c, e)
			if err != nil {
				return "", err
			}
			if !seen[text] {
				seen[text] = true
				fmt.Fprintf(&b, "  - name: %s\n%s", quoted(fmt.Sprintf("%s of run %s, %d", c.Tool, run.ID, len(seen))), text)
			}
		}
	}
	if b.Len() == 0 {
		return "", fault.New(fault.NotFound, "Name a run of a plan, or one with tools and a policy.", "cannot write cases: run %s has no call that a policy decided", safetext.Line(run.ID))
	}
	return "tests:\n" + b.String(), nil
}

// quoted writes a value as JSON, which is YAML, too.
func quoted(v any) string {
	text, err := jsondoc.Canonical(v)
	if err != nil {
		return "null"
	}
	return string(text)
}

func policyCase(c event.ToolCalled, d event.DecisionMade) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "    call: %s\n", c.Tool)
	if _, n, ok := strings.Cut(c.ID, "-"); ok && d.Rule != "" {
		if number, err := strconv.Atoi(n); err == nil && number > 1 {
			fmt.Fprintf(&b, "    number: %d\n", number)
		}
	}
	names := make([]string, 0, len(c.Arguments))
	for name := range c.Arguments {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > 0 {
		b.WriteString("    args:\n")
	}
	for _, name := range names {
		l, labelled := c.Labels[name]
		value := quoted(c.Arguments[name])
		if labelled {
			value = "{value: " + value + labelKeys(l, ", ") + "}"
		}
		fmt.Fprintf(&b, "      %s: %s\n", quoted(name), value)
	}
	if c.Control != nil {
		if keys := labelKeys(*c.Control, ""); keys != "" {
			fmt.Fprintf(&b, "    control: {%s}\n", keys)
		}
	}
	results, err := resultsOf(c, d)
	if err != nil {
		return "", err
	}
	if results != "" {
		fmt.Fprintf(&b, "    results: %s\n", results)
	}
	fmt.Fprintf(&b, "    expect: %s\n", d.Verdict)
	return b.String(), nil
}

// labelKeys writes a label as cases have it.
func labelKeys(l event.DataLabel, before string) string {
	var sources []string
	for _, s := range l.Sources {
		if name := sourceOf(s); !slices.Contains(sources, name) {
			sources = append(sources, name)
		}
	}
	var keys []string
	if len(sources) > 0 {
		keys = append(keys, "sources: "+quoted(toAny(sources)))
	}
	if !l.Anyone {
		keys = append(keys, "readers: "+quoted(toAny(l.Readers)))
	}
	if len(keys) == 0 {
		return ""
	}
	return before + strings.Join(keys, ", ")
}

func toAny(list []string) []any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// sourceOf is a source as cases name it: "mail.read (untrusted)" for
// "mail.read#3 (untrusted)".
func sourceOf(s string) string {
	name, trust, _ := strings.Cut(s, " (")
	trust = strings.TrimSuffix(trust, ")")
	if i := strings.LastIndexByte(trust, ' '); strings.HasPrefix(trust, "several") && i > 0 {
		trust = trust[i+1:]
	}
	if name == "the planner" {
		return "planner"
	}
	if strings.HasPrefix(name, "model ") {
		return "model"
	}
	if i := strings.LastIndexByte(name, '#'); i > 0 {
		name = name[:i]
	}
	return name + " (" + trust + ")"
}

// resultsOf are the trusted results that the arguments were found in.
func resultsOf(c event.ToolCalled, d event.DecisionMade) (string, error) {
	results := map[string]any{}
	for _, line := range d.Members {
		arg, from, ok := strings.Cut(line, ": ")
		call, path, _ := strings.Cut(from, " ")
		name, _, ok2 := strings.Cut(call, "#")
		if !ok || !ok2 {
			continue
		}
		pointer, err := jsondoc.ParsePointer(path)
		if err != nil {
			return "", fmt.Errorf("cannot write a case: %w", err)
		}
		// Of a list of values each has a line, in the order of the list.
		value := argument(c.Arguments, arg)
		if list, ok := value.([]any); ok {
			for _, item := range list {
				results[name] = insert(results[name], pointer.Segments(), item)
			}
			continue
		}
		results[name] = insert(results[name], pointer.Segments(), value)
	}
	if len(results) == 0 {
		return "", nil
	}
	text, err := json.Marshal(results)
	if err != nil {
		return "", fmt.Errorf("cannot write a case: %w", err)
	}
	return string(text), nil
}

// argument follows a path such as "args.event.guests[0]" in the arguments.
func argument(args map[string]any, path string) any {
	var v any = args
	path = strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(path, "args."), "[", "."), "]", "")
	for seg := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[seg]
		case []any:
			if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(at) {
				v = at[i]
			}
		default:
			return nil
		}
	}
	return v
}

// insert puts a value at a path; where an index of a list is taken, behind it.
func insert(into any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if _, err := strconv.Atoi(path[0]); err == nil {
		list, _ := into.([]any)
		return append(list, insert(nil, path[1:], value))
	}
	object, ok := into.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[path[0]] = insert(object[path[0]], path[1:], value)
	return object
}
