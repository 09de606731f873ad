package syntax

import (
	"strings"
)

func (p *parser) importStmt() Stmt {
	start := p.tok.pos
	p.advance()
	if p.tok.kind == kNewline {
		p.failTok(p.tok, "Expected one or more names after 'import'")
	}
	s := &Import{}
	for {
		at := p.tok.pos
		a := &Alias{Name: p.dottedName()}
		a.AsName = p.asName()
		a.Span = p.span(at)
		s.Names = append(s.Names, a)
		if !p.accept(kComma) {
			break
		}
	}
	if p.tok.kind == kFrom {
		p.failSpan(Span{start, p.prevEnd}, "Did you mean to use 'from ... import ...' instead?")
	}
	s.Span = p.span(start)
	return s
}

// asName reads `as name`, "" when there is none.
func (p *parser) asName() string {
	if !p.accept(kAs) {
		return ""
	}
	return p.name()
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
	switch p.tok.kind {
	case kStar:
		at := Span{p.tok.pos, p.tok.endPos}
		p.advance()
		s.Names = []*Alias{{Span: at, Name: "*"}}
	case kLpar:
		p.advance()
		s.Names = p.importNames(kRpar)
		p.expect(kRpar)
	case kNewline:
		p.failTok(p.tok, "Expected one or more names after 'import'")
	default:
		s.Names = p.importNames(kNewline)
	}
	s.Span = p.span(start)
	return s
}

// importNames reads the names of an import up to end, before which a comma
// is allowed when it is a parenthesis.
func (p *parser) importNames(end kind) []*Alias {
	var list []*Alias
	for {
		at := p.tok.pos
		a := &Alias{Name: p.name()}
		a.AsName = p.asName()
		a.Span = p.span(at)
		list = append(list, a)
		if !p.accept(kComma) {
			return list
		}
		if p.tok.kind == end {
			if end == kNewline {
				p.failTok(p.tok, "trailing comma not allowed without surrounding parentheses")
			}
			return list
		}
	}
}
