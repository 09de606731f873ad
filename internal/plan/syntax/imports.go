package syntax

import "strings"

func (p *parser) importStmt() Stmt {
	start := p.tok.pos
	p.advance()
	s := &Import{}
	for more := true; more; more = p.accept(kComma) {
		s.Names = append(s.Names, p.alias((*parser).dottedName))
	}
	if p.tok.kind == kFrom {
		p.failSpan(Span{start, p.prevEnd}, "Did you mean to use 'from ... import ...' instead?")
	}
	s.Span = p.span(start)
	return s
}

// alias reads a name and `as name` behind it.
func (p *parser) alias(name func(*parser) string) *Alias {
	start := p.tok.pos
	a := &Alias{Name: name(p)}
	if p.accept(kAs) {
		a.AsName = p.name()
	}
	a.Span = p.span(start)
	return a
}

// dottedName reads names with dots between them.
func (p *parser) dottedName() string {
	parts := []string{p.name()}
	for p.accept(kDot) {
		parts = append(parts, p.name())
	}
	return strings.Join(parts, ".")
}

func (p *parser) importFrom() Stmt {
	start := p.tok.pos
	p.advance()
	s := &ImportFrom{}
	for {
		if p.tok.kind == kDot {
			s.Level++
		} else if p.tok.kind == kEllipsis {
			s.Level += 3
		} else {
			break
		}
		p.advance()
	}
	if p.tok.kind != kImport || s.Level == 0 {
		s.Module = p.dottedName()
	}
	p.expect(kImport)
	if at := (Span{p.tok.pos, p.tok.endPos}); p.accept(kStar) {
		s.Names = []*Alias{{Span: at, Name: "*"}}
	} else {
		open := p.accept(kLpar)
		for more := true; more; more = p.accept(kComma) && !(open && p.tok.kind == kRpar) {
			s.Names = append(s.Names, p.alias((*parser).name))
		}
		if open {
			p.expect(kRpar)
		}
	}
	s.Span = p.span(start)
	return s
}

// features are what the module __future__ has.
const features = " nested_scopes generators division absolute_import with_statement print_function unicode_literals barry_as_FLUFL generator_stop annotations "

// futures looks at what a program imports from __future__ before anything else.
func (p *parser) futures(body []Stmt) {
	if _, ok := Docstring(body); ok {
		body = body[1:]
	}
	for _, s := range body {
		n, ok := s.(*ImportFrom)
		if !ok || n.Module != "__future__" || n.Level > 0 {
			return
		}
		for _, a := range n.Names {
			if !strings.Contains(features, " "+a.Name+" ") {
				p.failSpan(n.Span, "future feature %s is not defined", a.Name)
			}
		}
	}
}
