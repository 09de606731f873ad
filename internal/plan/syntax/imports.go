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
