package schema

import (
	"net/url"
	"strconv"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// resolve finds what a $ref points to, in this document only.
func (c *compiler) resolve(p pendingRef) {
	if c.byNode == nil {
		c.byNode = make(map[*jsondoc.Node]*schema, len(c.nodes))
	}
	text := p.from.refText
	whole, fragment, _ := strings.Cut(against(p.base, text), "#")
	if strings.HasPrefix(text, "#") {
		whole, fragment = p.base, text[1:]
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	start := c.ids[whole]
	if start == nil && whole == "" {
		start = c.root
	}
	if start == nil {
		c.r.Add(p.node, "Copy what is needed into $defs and write #/$defs/NAME.", "$ref %s leads out of this document, and nothing is ever fetched", safetext.Quote(text))
		return
	}
	switch {
	case fragment == "":
		p.from.ref = c.schema(start, "", whole)
	case fragment[0] != '/':
		target := c.anchors[whole+"#"+fragment]
		if target == nil {
			c.r.Add(p.node, "", "$ref %s: there is no $anchor %s", safetext.Quote(text), safetext.Quote(fragment))
			return
		}
		p.from.ref = c.schema(target, jsondoc.Pointer("#"+fragment), whole)
	default:
		c.walk(p, start, fragment, whole)
	}
}

// walk follows a JSON pointer from a node.
func (c *compiler) walk(p pendingRef, n *jsondoc.Node, fragment, base string) {
	for _, seg := range jsondoc.Pointer(fragment).Segments() {
		var next *jsondoc.Node
		switch n.Kind {
		case jsondoc.Map:
			next = n.Get(seg)
		case jsondoc.List:
			if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(n.Items) {
				next = n.Items[i]
			}
		}
		if next == nil {
			remedy := ""
			if n.Kind == jsondoc.Map {
				remedy = jsondoc.DidYouMean(seg, n.Names())
			}
			c.r.Add(p.node, remedy, "$ref %s: there is no %s", safetext.Quote(p.from.refText), safetext.Quote(seg))
			return
		}
		n = next
		if n.Kind == jsondoc.Map {
			if id := n.Get("$id"); id != nil && id.Kind == jsondoc.String && !strings.HasPrefix(id.Text, "#") {
				base = strings.TrimSuffix(against(base, id.Text), "#")
			}
		}
	}
	if s := c.compiled(n); s != nil {
		p.from.ref = s
		return
	}
	// identify, called by schema, applies the last $id once more: the same again.
	p.from.ref = c.schema(n, jsondoc.Pointer(fragment), base)
}

// loops refuses a schema that applies itself to the same value for ever.
func (c *compiler) loops() {
	state := map[*schema]int{} // 1: being visited, 2: done
	var visit func(s *schema, depth int) bool
	visit = func(s *schema, depth int) bool {
		if s == nil || !s.applies() || state[s] == 2 {
			return true
		}
		if state[s] == 1 || depth > 4*jsondoc.MaxDepth {
			c.r.AddAt(jsondoc.Position{File: c.r.File, Line: int(s.line), Column: int(s.col)}, "Put the reference below properties or items.", "the schema refers to itself without going into a part of the value")
			return false
		}
		state[s] = 1
		ok := true
		s.inPlace(func(part *schema) {
			ok = ok && visit(part, depth+1)
		})
		state[s] = 2
		return ok
	}
	for _, s := range c.order {
		if !visit(s, 0) {
			return
		}
	}
}

// applies says whether there are parts that apply to the same value.
func (s *schema) applies() bool {
	return s.ref != nil || s.comb != nil || s.obj != nil && len(s.obj.dependentSchemas) > 0
}

// inPlace calls do with the parts that apply to the same value.
func (s *schema) inPlace(do func(*schema)) {
	if s.ref != nil {
		do(s.ref)
	}
	if s.comb != nil {
		for _, list := range [][]*schema{s.comb.all, s.comb.any, s.comb.one, {s.comb.not, s.comb.cond, s.comb.then, s.comb.els}} {
			for _, part := range list {
				if part != nil {
					do(part)
				}
			}
		}
	}
	if s.obj != nil {
		for _, p := range s.obj.dependentSchemas {
			do(p.s)
		}
	}
}
