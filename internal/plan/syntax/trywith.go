package syntax

func (p *parser) tryStmt() Stmt {
	start := p.tok.pos
	p.advance()
	s := &TryStmt{Body: p.block()}
	if p.tok.kind != kExcept && p.tok.kind != kFinally {
		p.failTok(p.tok, "expected 'except' or 'finally' block")
	}
	for p.tok.kind == kExcept {
		s.Handlers = append(s.Handlers, p.handler())
	}
	if len(s.Handlers) > 0 {
		s.OrElse = p.elseBlock()
	}
	if p.tok.kind == kFinally {
		p.advance()
		s.FinalBody = p.block()
	}
	s.Span = p.span(start)
	return s
}

// handler reads an except clause.
func (p *parser) handler() *ExceptHandler {
	start := p.tok.pos
	p.advance()
	h := &ExceptHandler{}
	if p.tok.kind == kStar {
		p.lacks(p.tok, "except* is not supported: use except clauses without the star, there are no exception groups")
		p.advance()
	}
	switch p.tok.kind {
	case kColon, kNewline:
	default:
		at := p.tok.pos
		first := p.expression()
		h.Type = p.restOfTuple(at, first, (*parser).expression)
		if h.Type != first && p.tok.kind == kAs {
			p.failSpan(h.Type.Range(), "multiple exception types must be parenthesized when using 'as'")
		}
		if p.accept(kAs) {
			h.Name = p.name()
		}
	}
	h.Body = p.block()
	h.Span = p.span(start)
	return h
}

func (p *parser) withStmt(start Pos, async bool) Stmt {
	p.advance()
	s := &With{Async: async}
	if p.tok.kind != kLpar || !p.try(func() bool { return p.withItems(s) }) {
		s.Items = nil
		for {
			s.Items = append(s.Items, p.withItem())
			if !p.accept(kComma) {
				break
			}
		}
	}
	s.Body = p.block()
	s.Span = p.span(start)
	return s
}

// withItems reads items in parentheses. It reports false when the
// parentheses turn out to belong to an expression.
func (p *parser) withItems(s *With) bool {
	p.advance()
	for {
		s.Items = append(s.Items, p.withItem())
		if !p.accept(kComma) || p.tok.kind == kRpar {
			break
		}
	}
	return p.accept(kRpar) && p.tok.kind == kColon
}

func (p *parser) withItem() *WithItem {
	start := p.tok.pos
	w := &WithItem{ContextExpr: p.expression()}
	if p.accept(kAs) {
		t := p.starTarget()
		p.target(t, Store)
		w.OptionalVars = t
	}
	w.Span = p.span(start)
	return w
}
