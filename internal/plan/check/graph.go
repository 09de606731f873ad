package check

import (
	"fmt"
	"strconv"
	"strings"
)

// graph is who feeds whom: the sources of a program and the calls of its tools.
type graph struct {
	nodes []node
	edges []edge
}

type node struct {
	text    string // the name, and the line of a call
	call    bool
	verdict Verdict // of a call
}

type edge struct {
	from, to int
	text     string // the argument
	bad      bool   // it is what a violation is about
}

// graphOf takes the flows apart. The order is that of the program.
func (r *Result) graphOf() graph {
	var g graph
	at := map[string]int{}
	place := func(n node) int {
		i, ok := at[n.text]
		if !ok {
			i = len(g.nodes)
			at[n.text] = i
			g.nodes = append(g.nodes, n)
		} else if n.call {
			g.nodes[i] = n
		}
		return i
	}
	for _, f := range r.Flows {
		place(node{text: called(f.Tool, f.Line), call: true, verdict: f.Verdict})
	}
	for _, f := range r.Flows {
		to := place(node{text: called(f.Tool, f.Line), call: true, verdict: f.Verdict})
		for _, a := range f.Args {
			if a.AnyFrom {
				g.edges = append(g.edges, edge{place(node{text: "anything"}), to, a.Name, f.Verdict == Violating})
			}
			for _, s := range a.May {
				text := "user " + s.Name
				if s.Line > 0 {
					text = called(s.Name, s.Line)
				} else if s.Kind != "user" {
					text = s.Name
				}
				g.edges = append(g.edges, edge{place(node{text: text}), to, a.Name, f.Verdict == Violating && !s.Trusted})
			}
		}
	}
	return g
}

func called(name string, line int) string { return fmt.Sprintf("%s, line %d", name, line) }

// Mermaid returns the flows as a Mermaid flow chart: sources and calls, an edge
// for each argument that data can reach. What violates the policy is red.
func (r *Result) Mermaid() string {
	g := r.graphOf()
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range g.nodes {
		open, shut := `(["`, `"])`
		if n.call {
			open, shut = `["`, `"]`
		}
		fmt.Fprintf(&b, "    n%d%s%s%s\n", i, open, mermaidText(n.text), shut)
	}
	for i, e := range g.edges {
		fmt.Fprintf(&b, "    n%d -->|\"%s\"| n%d\n", e.from, mermaidText(e.text), e.to)
		if e.bad {
			fmt.Fprintf(&b, "    linkStyle %d stroke:#c00,stroke-width:3px\n", i)
		}
	}
	for i, n := range g.nodes {
		if style := styles[n.verdict].mermaid; style != "" {
			fmt.Fprintf(&b, "    style n%d %s\n", i, style)
		}
	}
	return b.String()
}

// styles are how a call is drawn of which a verdict is known, in Mermaid and in DOT.
var styles = map[Verdict]struct{ mermaid, dot string }{
	Violating: {"fill:#fdd,stroke:#c00", ", color=red"},
	Open:      {"fill:#ffd,stroke:#a80", ", color=orange"},
	Safe:      {"fill:#dfd,stroke:#080", ", color=darkgreen"},
}

// mermaidText writes everything but plain characters as numbers: the names of
// tools and arguments come from files, and must not become part of the chart.
func mermaidText(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c == ' ' || c == ',' || c == '.' || c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "#%d;", c)
		}
	}
	return b.String()
}

// DOT returns the flows as a graph in the language of Graphviz.
func (r *Result) DOT() string {
	g := r.graphOf()
	var b strings.Builder
	b.WriteString("digraph plan {\n    rankdir=LR;\n    node [shape=ellipse];\n")
	for i, n := range g.nodes {
		shape := ""
		if n.call {
			shape = ", shape=box"
		}
		fmt.Fprintf(&b, "    n%d [label=%s%s%s];\n", i, dotText(n.text), shape, styles[n.verdict].dot)
	}
	for _, e := range g.edges {
		attrs := ""
		if e.bad {
			attrs = ", color=red, penwidth=2"
		}
		fmt.Fprintf(&b, "    n%d -> n%d [label=%s%s];\n", e.from, e.to, dotText(e.text), attrs)
	}
	b.WriteString("}\n")
	return b.String()
}

// dotText quotes a text; DOT knows no escape but those of quote and backslash.
func dotText(s string) string {
	s = strings.Map(func(c rune) rune {
		if !strconv.IsPrint(c) {
			return ' '
		}
		return c
	}, s)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
