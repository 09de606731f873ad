package literal

import (
	"slices"

	"praxis/internal/language"
)

// maxPasses bounds how often code is read for names that a later line of a loop fills.
const maxPasses = 3

// reach knows which names may hold what a model replied to code (language.Flow.Queries). Too
// many names may: what it says of code that reads none of them is what counts.
type reach struct {
	names    map[string]bool
	function string       // that is being defined
	steps    map[int]bool // whose code reads one
}

// Reached says whether code of a step may have shown what a model replied.
func (c *Code) Reached(step int) bool { return c.reach.steps[step] }

// Reads says whether an expression may read what a model replied.
func (c *Code) Reads(l language.Language, expression string) bool {
	if l.Model.Flow == nil || len(expression) > maxCode {
		return true
	}
	r := reader{Code: c, flow: l.Model.Flow, spans: l.Spans}
	return slices.ContainsFunc(r.statements(expression), r.receives)
}

// follow notes which names of the code may hold a reply. Code that cannot be read may show any.
func (r *reader) follow(all [][]node, readable bool) {
	if r.reach.steps == nil {
		r.reach.names, r.reach.steps = map[string]bool{}, map[int]bool{}
	}
	if !readable {
		r.reach.steps[r.shown] = true
		return
	}
	for range maxPasses {
		before := len(r.reach.names)
		for i, s := range all {
			if r.read(s, 0) && i == len(all)-1 {
				r.reach.names["_"] = true // the value of the last line
			}
		}
		if len(r.reach.names) == before {
			return
		}
	}
}

// read notes which names a statement may put a reply into, and says whether there may be one.
func (r *reader) read(s []node, depth int) bool {
	if len(s) == 0 || depth > maxDepth {
		return false
	}
	received := false
	if s[0].kind == keyword && slices.Contains(heads, s[0].text) {
		if (s[0].text == "def" || s[0].text == "class") && len(s) > 1 {
			r.reach.function = s[1].text
		}
		if i := slices.IndexFunc(s, func(n node) bool { return n.is(":") }); i > 0 { // the first line of the body stands behind it
			received = r.read(s[i+1:], depth+1)
			s = s[:i]
		}
	}
	if r.receives(s) {
		r.reach.steps[r.shown], received = true, true
		r.hold(s)
	}
	return received
}

// heads are the words that begin a block.
var heads = []string{"def", "class", "for", "async", "while", "with", "if", "elif", "else", "try", "except", "finally", "match", "case"}

// receives says that a function that queries, or a name that may hold a reply, stands in a statement.
func (r *reader) receives(s []node) bool {
	return slices.ContainsFunc(namesIn(s, nil), func(n string) bool { return r.reach.names[n] || slices.Contains(r.flow.Queries, n) })
}

// hold takes the names that a statement which receives a reply may put it into: those that it
// assigns to, else all that it passes it to.
func (r *reader) hold(s []node) {
	into, assigned := s, 0
	for i, n := range s {
		if n.kind == operator && (n.text == "=" || n.text == ":=" || len(n.text) > 1 && assigns(n.text)) {
			assigned = i
		}
	}
	switch {
	case s[0].kind == keyword && (s[0].text == "return" || s[0].text == "yield"):
		into = []node{{kind: name, text: r.reach.function}}
	case assigned > 0:
		into = s[:assigned]
	case s[0].kind == keyword && s[0].text == "for":
		if in := slices.IndexFunc(s, func(n node) bool { return n.is("in") }); in > 0 {
			into = s[:in]
		}
	}
	for _, n := range namesIn(into, nil) {
		if n != "" && !slices.Contains(r.flow.Shows, n) && !slices.Contains(r.flow.Passes, n) && !slices.Contains(r.flow.Forms, n) && len(r.reach.names) < maxNodes {
			r.reach.names[n] = true
		}
	}
}

// namesIn lists the names of a statement, those in brackets and in the fields of texts, too.
func namesIn(s []node, out []string) []string {
	for _, n := range s {
		if n.kind == name {
			out = append(out, n.text)
		}
		for _, inner := range n.items {
			out = namesIn(inner, out)
		}
		for _, inner := range n.holes {
			out = namesIn(inner, out)
		}
	}
	return out
}
