// Package literal says what of a run's code was only typed: the numbers and texts in it
// that are shown without taking part in any computation.
//
// A model that writes x = 4711 and prints x has computed nothing, though 4711 stands in an
// output. A model that writes months = 12 and divides a sum by it has: 12 is a parameter of
// what was computed. So a literal is *used* when it, or a name that it is given to, is an
// operand beside data, an argument of a call, or a key. Data is what a call gives, and every
// name that has more than literals: of x / 12 nothing is used when x is typed, too. It is *shown* in the
// steps in which it comes to a function that prints, to the last expression of the code, or
// to what is filled into an answer, on a way that leaves it as it is: through assignments,
// lists, the fields of formatted texts, and functions that only give it another form, such as
// round and str. What is shown and not used is typed.
//
// The code is read as the spans of its language, cut at brackets, commas and ends of lines.
// That is no parser of any language, and what it cannot tell counts as used: it finds
// mistakes, and not what is written to fool it. The language says which functions show, pass
// on and store (language.Flow).
package literal

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"praxis/internal/language"
)

// Bounds of what is read.
const (
	maxCode     = 64 << 10 // bytes of one piece of code
	maxLiterals = 5_000
	maxNodes    = 20_000 // literals and names
	maxEdges    = 50_000
	maxDepth    = 40
)

// Literal is a number of the code, or a stretch of one of its texts that has digits.
type Literal struct {
	Step   int    // of the code; 0: it stands in an expression
	Text   string // as it stands in the code, a text without its escapes
	Number bool
	Value  float64 // of a number, without its sign
	Used   bool
	Shown  []int // the steps in which it is shown
}

// Typed says that the literal is shown in a step and takes part in no computation.
func (l Literal) Typed(step int) bool { return !l.Used && slices.Contains(l.Shown, step) }

// Code is the code of a run. It is not safe for concurrent use.
type Code struct {
	literals []Literal
	nodes    []vertex
	names    map[string]int // the nodes of names
	function string         // that is defined last: what is returned is its value
	modules  map[string]bool
	edges    int
	settled  bool
	reach    reach
}

// vertex is a literal, a name, or an operation, with what comes of it.
type vertex struct {
	literal  int   // of the literals; -1: it is none
	to       []int // names that it is given to as it is
	operands []int // of an operation, which gives something else
	assigned int   // the step whose code gives a name its value; 0: none
	data     bool  // it reads what is no literal, as a call does
	alone    []int // operations that are assigned to the name without a literal beside them
	used     bool
	shown    []int
}

// Add takes in code that ran in a step, which is not 0. Code of a language that does not say what its
// functions do is not read.
func (c *Code) Add(step int, l language.Language, code string) { c.add(step, step, l, code) }

// AddExpression takes in an expression whose value is shown in a step. Its own literals are
// of no step.
func (c *Code) AddExpression(step int, l language.Language, code string) { c.add(0, step, l, code) }

func (c *Code) add(step, shown int, l language.Language, code string) {
	r := reader{Code: c, step: step, shown: shown, flow: l.Model.Flow, spans: l.Spans}
	if l.Model.Flow == nil || len(code) > maxCode {
		r.follow(nil, false)
		return
	}
	if c.names == nil {
		c.names, c.modules = map[string]int{}, map[string]bool{}
	}
	c.settled = false
	all := r.statements(code)
	if step != 0 { // an expression is asked about alone
		r.follow(all, len(all) > 0)
	}
	for i, s := range all {
		r.statement(s, i == len(all)-1, 0)
	}
}

// All returns the literals, in the order of the code. What was there before another Add
// keeps its place.
func (c *Code) All() []Literal {
	if c.settled {
		return c.literals
	}
	c.settled = true
	from := make([][]int, len(c.nodes))
	for i, n := range c.nodes {
		for _, to := range n.to {
			from[to] = append(from[to], i)
		}
	}
	used, shown := c.parameters(), make([][]int, len(c.nodes))
	var work []int
	for i, n := range c.nodes {
		shown[i] = slices.Clone(n.shown)
		work = append(work, i)
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, k := range from[i] {
			changed := used[i] && !used[k]
			used[k] = used[k] || used[i]
			for _, s := range shown[i] {
				if !slices.Contains(shown[k], s) {
					shown[k], changed = append(shown[k], s), true
				}
			}
			if changed {
				work = append(work, k)
			}
		}
	}
	for i, n := range c.nodes {
		if n.literal >= 0 {
			c.literals[n.literal].Used, c.literals[n.literal].Shown = used[i], shown[i]
		}
	}
	return c.literals
}

// parameters says which nodes are used by themselves: operands of an operation on data, and
// names that an operation on data is assigned to.
func (c *Code) parameters() []bool {
	data, into := make([]bool, len(c.nodes)), make([][]int, len(c.nodes))
	var work []int
	for i, n := range c.nodes {
		into[i] = append(into[i], n.to...)
		for _, o := range n.operands {
			into[o] = append(into[o], i)
		}
		if n.data || n.literal < 0 && n.operands == nil && n.assigned == 0 {
			data[i], work = true, append(work, i)
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, k := range into[i] {
			if !data[k] {
				data[k], work = true, append(work, k)
			}
		}
	}
	used := make([]bool, len(c.nodes))
	for i, n := range c.nodes {
		used[i] = used[i] || n.used
		for _, o := range n.operands {
			used[o] = used[o] || data[i]
		}
		for _, a := range n.alone {
			used[i] = used[i] || data[a]
		}
	}
	return used
}

// node makes a node; -1: there are too many.
func (c *Code) node(v vertex) int {
	if len(c.nodes) == maxNodes {
		return -1
	}
	c.nodes = append(c.nodes, v)
	return len(c.nodes) - 1
}

func (c *Code) name(name string) int {
	i, known := c.names[name]
	if !known {
		i = c.node(vertex{literal: -1})
		c.names[name] = i
	}
	return i
}

func (c *Code) literal(l Literal) []int {
	if len(c.literals) == maxLiterals {
		return nil
	}
	i := c.node(vertex{literal: len(c.literals)})
	if i < 0 {
		return nil
	}
	c.literals = append(c.literals, l)
	return []int{i}
}

// number returns the node of a number; it has none where it cannot be read.
func (c *Code) number(step int, text string) []int {
	plain := strings.TrimRight(strings.ReplaceAll(text, "_", ""), "nNjJlL")
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		n, err := strconv.ParseUint(plain, 0, 64)
		if err != nil {
			return nil
		}
		v = float64(n)
	}
	return c.literal(Literal{Step: step, Text: text, Number: true, Value: math.Abs(v)})
}

// text returns the nodes of the stretches of a text.
func (c *Code) text(step int, stretches []string) []int {
	var out []int
	for _, s := range stretches {
		if strings.ContainsFunc(s, unicode.IsNumber) {
			out = append(out, c.literal(Literal{Step: step, Text: s})...)
		}
	}
	return out
}

// assign lets what flows reach a name, the whole of it or a part. What was computed without
// a literal beside it makes parameters of the literals that the name has elsewhere. A name
// that a later step assigns anew is another one from there on.
func (c *Code) assign(step int, v value, name string, whole bool) {
	to := c.name(name)
	if to >= 0 && whole && c.nodes[to].assigned != 0 && c.nodes[to].assigned < step {
		to = c.node(vertex{literal: -1})
		c.names[name] = to
	}
	if to < 0 {
		return
	}
	if c.nodes[to].assigned == 0 {
		c.nodes[to].assigned = step
	}
	beside := !whole
	for _, i := range v.flow {
		beside = beside || i >= 0 && c.nodes[i].operands == nil
	}
	if v.data {
		c.nodes[to].data = true
		c.nodes[to].used = c.nodes[to].used || !beside
	}
	for _, i := range v.flow {
		switch {
		case i < 0:
		case c.edges >= maxEdges:
			c.nodes[to].used = true
		default:
			c.nodes[i].to, c.edges = append(c.nodes[i].to, to), c.edges+1
			if !beside {
				c.nodes[to].alone = append(c.nodes[to].alone, i)
			}
		}
	}
}

// operation is what is made of operands.
func (c *Code) operation(v value) value {
	i := c.node(vertex{literal: -1, operands: append([]int{}, v.flow...), data: v.data})
	if c.edges += len(v.flow); i < 0 || c.edges >= maxEdges {
		c.use(v.flow)
		return value{data: true}
	}
	c.nodes[i].operands = slices.DeleteFunc(c.nodes[i].operands, func(o int) bool { return o < 0 })
	return value{flow: []int{i}}
}

func (c *Code) use(flow []int) {
	for _, i := range flow {
		if i >= 0 {
			c.nodes[i].used = true
		}
	}
}

func (c *Code) show(flow []int, step int) {
	for _, i := range flow {
		if i >= 0 && !slices.Contains(c.nodes[i].shown, step) {
			c.nodes[i].shown = append(c.nodes[i].shown, step)
		}
	}
}
