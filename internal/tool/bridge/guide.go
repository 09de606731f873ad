package bridge

import (
	"fmt"
	"strings"

	"praxis/internal/tool"
	"praxis/internal/tool/pystub"
)

const (
	maxLines     = 30   // tools that the model's guide shows by their signatures
	maxLineBytes = 6000 // of these lines together
	maxDetail    = 600  // bytes of what a description says behind its first paragraph
	maxListed    = 200  // tools that it shows by their names
)

// Guide describes to the model what its code can call and reach: the signatures
// of a few tools, the names of more, or, when there are many, how to find one.
func (b *Bridge) Guide(hosts []string) string {
	var parts []string
	if b.gate != nil {
		parts = append(parts, b.guideTools())
	}
	if len(hosts) > 0 {
		parts = append(parts, "The network\n- Code can reach these hosts and no others: "+strings.Join(hosts, ", ")+". The proxy is set in the environment; use urllib or requests as usual.")
	}
	return strings.Join(parts, "\n\n")
}

func (b *Bridge) guideTools() string {
	all := b.all()
	text := "Tools in code\n- Your code can call tools of the host: " + b.example(all) + ` Results are plain dicts, lists, strings and numbers; an exception says what to do. What is not the whole of what was asked for is said on stderr.
- Work on results in code and print only what you need: what is not printed does not fill this conversation. After import tools, tools.frame(records) makes a DataFrame.`
	var lines []string
	size := 0
	for _, def := range all[:min(len(all), maxLines)] {
		line := "  " + pystub.Line(def) + detail(def)
		size += len(line)
		lines = append(lines, line)
	}
	switch {
	case len(all) <= maxLines && size <= maxLineBytes:
		return text + "\n- The tools:\n" + strings.Join(lines, "\n")
	case len(all) <= maxListed:
		return text + "\n- tools.describe(name) returns the arguments of one. The tools: " + strings.Join(b.gate.Tools().Names(), ", ")
	}
	return text + fmt.Sprintf("\n- There are %d tools in the namespaces %s. Find one with print(tools.search(\"words\")), and its arguments with print(tools.describe(name)).",
		len(all), strings.Join(b.namespaces(), ", "))
}

// example shows how a tool is imported and called.
func (b *Bridge) example(all []*tool.Definition) string {
	name := "crm.find"
	if len(all) > 0 {
		name, _, _ = strings.Cut(pystub.Line(all[0]), "(")
	}
	first, _, _ := strings.Cut(name, ".")
	return "from tools import " + first + ", and then " + name + "(…)."
}

// detail is what follows the first paragraph of a short description, such as the
// tables that can be queried.
func detail(def *tool.Definition) string {
	_, more, found := strings.Cut(strings.TrimSpace(def.Description), "\n")
	if more = strings.TrimSpace(more); !found || more == "" || len(more) > maxDetail {
		return ""
	}
	return "\n    " + strings.ReplaceAll(more, "\n", "\n    ")
}

// namespaces are the first parts of names with how many tools are below.
func (b *Bridge) namespaces() []string {
	counts, order := map[string]int{}, []string{}
	for _, name := range b.gate.Tools().Names() {
		first, _, _ := strings.Cut(name, ".")
		if counts[first]++; counts[first] == 1 {
			order = append(order, first)
		}
	}
	out := make([]string, 0, len(order))
	for i, name := range order {
		if i == maxListed {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%s (%d)", name, counts[name]))
	}
	return out
}
