package syntax

import (
	"maps"
	"strconv"
)

func (c *checker) match(s *Match) {
	c.expr(s.Subject)
	for i, k := range s.Cases {
		p := pattern{checker: c, names: map[string]bool{}}
		last := i == len(s.Cases)-1
		p.irrefutable = last || k.Guard != nil
		p.walk(k.Pattern)
		c.expr(k.Guard)
		c.block(k.Body)
	}
}

// pattern checks the pattern of one case.
type pattern struct {
	*checker
	names       map[string]bool // bound so far
	irrefutable bool            // a pattern that always matches is allowed here
}

// store binds a name.
func (p *pattern) store(n Pattern, name string) {
	if name == "" {
		return
	}
	p.define(n, name, defLocal)
	p.forbidden(n, name)
	if p.names[name] {
		p.at(n, "multiple assignments to name '%s' in pattern", name)
	}
	p.names[name] = true
}

// sub walks a part of a pattern, in which anything may match.
func (p *pattern) sub(n Pattern) {
	was := p.irrefutable
	p.irrefutable = true
	p.walk(n)
	p.irrefutable = was
}

func (p *pattern) walk(n Pattern) {
	switch n := n.(type) {
	case *MatchValue:
		if !isPatternLiteral(n.Value) {
			p.at(n, "patterns may only match literals and attribute lookups")
		}
		p.expr(n.Value)
	case *MatchStar:
		p.store(n, n.Name)
	case *MatchSequence:
		p.sequence(n)
	case *MatchMapping:
		p.mapping(n)
	case *MatchClass:
		p.class(n)
	case *MatchOr:
		p.or(n)
	case *MatchAs:
		if n.Pattern != nil {
			p.walk(n.Pattern)
		} else if !p.irrefutable {
			if n.Name == "" {
				p.at(n, "wildcard makes remaining patterns unreachable")
			} else {
				p.at(n, "name capture '%s' makes remaining patterns unreachable", n.Name)
			}
		}
		p.store(n, n.Name)
	}
}

// isPatternLiteral says whether e can be as a value in a pattern.
func isPatternLiteral(e Expr) bool {
	switch e := e.(type) {
	case *Constant, *Attribute:
		return true
	case *UnaryOp:
		return e.Op == USub && isPatternLiteral(e.Operand)
	case *BinOp:
		return (e.Op == Add || e.Op == Sub) && isPatternLiteral(e.Left) && isPatternLiteral(e.Right)
	}
	return false
}

func (p *pattern) sequence(n *MatchSequence) {
	stars := 0
	for _, sub := range n.Patterns {
		if _, ok := sub.(*MatchStar); ok {
			stars++
			if stars == 2 {
				p.at(n, "multiple starred names in sequence pattern")
			}
		}
	}
	for _, sub := range n.Patterns {
		p.sub(sub)
	}
}

func (p *pattern) mapping(n *MatchMapping) {
	seen := map[string]bool{}
	for _, k := range n.Keys {
		if !isPatternLiteral(k) {
			p.at(n, "mapping pattern keys may only match literals and attribute lookups")
		}
		if c, ok := k.(*Constant); ok && c.Kind == Str {
			if seen[c.Str] {
				p.at(k, "mapping pattern checks duplicate key (%s)", strconv.Quote(c.Str))
			}
			seen[c.Str] = true
		}
		p.expr(k)
	}
	for _, sub := range n.Patterns {
		p.sub(sub)
	}
	p.store(n, n.Rest)
}

func (p *pattern) class(n *MatchClass) {
	p.expr(n.Cls)
	for i, a := range n.KwdAttrs {
		for _, before := range n.KwdAttrs[:i] {
			if before == a {
				p.at(n.KwdPatterns[i], "attribute name repeated in class pattern: %s", a)
				break
			}
		}
	}
	for _, sub := range n.Patterns {
		p.sub(sub)
	}
	for _, sub := range n.KwdPatterns {
		p.sub(sub)
	}
}

// or walks alternatives, which must bind the same names.
func (p *pattern) or(n *MatchOr) {
	before := p.names
	var first map[string]bool
	for i, alt := range n.Patterns {
		q := pattern{checker: p.checker, names: map[string]bool{}}
		q.irrefutable = p.irrefutable && i == len(n.Patterns)-1
		q.walk(alt)
		if i == 0 {
			first = q.names
		} else if !maps.Equal(first, q.names) {
			p.at(n, "alternative patterns bind different names")
			break
		}
	}
	for name := range first {
		if before[name] {
			p.at(n, "multiple assignments to name '%s' in pattern", name)
		}
		before[name] = true
	}
}
