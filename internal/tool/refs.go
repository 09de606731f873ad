package tool

import (
	"net/url"
	"strconv"
	"strings"
)

// resolve finds what a $ref points to, in this document only.
func (c *compiler) resolve(p pendingRef) {
	if c.byNode == nil {
		c.byNode = make(map[*node]*schema, len(c.nodes))
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
		c.r.add(p.node, "Copy what is needed into $defs and write #/$defs/NAME.", "$ref %s leads out of this document, and nothing is ever fetched", quote(text))
		return
	}
	switch {
	case fragment == "":
		p.from.ref = c.schema(start, "", whole)
	case fragment[0] != '/':
		target := c.anchors[whole+"#"+fragment]
		if target == nil {
			c.r.add(p.node, "", "$ref %s: there is no $anchor %s", quote(text), quote(fragment))
			return
		}
		p.from.ref = c.schema(target, Pointer("#"+fragment), whole)
	default:
		c.walk(p, start, fragment, whole)
	}
}

// walk follows a JSON pointer from a node.
func (c *compiler) walk(p pendingRef, n *node, fragment, base string) {
	for _, seg := range Pointer(fragment).Segments() {
		var next *node
		switch n.kind {
		case mapNode:
			next = n.get(seg)
		case listNode:
			if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(n.items) {
				next = n.items[i]
			}
		}
		if next == nil {
			remedy := ""
			if n.kind == mapNode {
				remedy = didYouMean(seg, n.names())
			}
			c.r.add(p.node, remedy, "$ref %s: there is no %s", quote(p.from.refText), quote(seg))
			return
		}
		n = next
		if n.kind == mapNode {
			if id := n.get("$id"); id != nil && id.kind == stringNode && !strings.HasPrefix(id.text, "#") {
				base = strings.TrimSuffix(against(base, id.text), "#")
			}
		}
	}
	if s := c.compiled(n); s != nil {
		p.from.ref = s
		return
	}
	// identify, called by schema, applies the last $id once more: the same again.
	p.from.ref = c.schema(n, Pointer(fragment), base)
}

// loops refuses a schema that applies itself to the same value for ever.
func (c *compiler) loops() {
	state := map[*schema]int{} // 1: being visited, 2: done
	var visit func(s *schema, depth int) bool
	visit = func(s *schema, depth int) bool {
		if s == nil || !s.applies() || state[s] == 2 {
			return true
		}
		if state[s] == 1 || depth > 4*MaxDepth {
			c.r.addAt(Position{c.r.file, int(s.line), int(s.col)}, "Put the reference below properties or items.", "the schema refers to itself without going into a part of the value")
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
