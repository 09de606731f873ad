package syntax

func (p *parser) tryStmt() Stmt {
	head := p.tok
	start := head.pos
	p.advance()
	if p.tok.kind != kColon {
		p.failTok(p.tok, "expected ':'")
	}
	s := &TryStmt{}
	s.Body = p.block("'try' statement", head)
	if p.tok.kind != kExcept && p.tok.kind != kFinally {
		p.failNext("expected 'except' or 'finally' block")
	}
	star := starUnknown
	for p.tok.kind == kExcept {
		p.star = star
		var h *ExceptHandler
		h, star = p.handler()
		s.Handlers = append(s.Handlers, h)
	}
	s.Star = star == starYes
	if len(s.Handlers) > 0 {
		s.OrElse = p.elseBlock()
	}
	if p.tok.kind == kFinally {
		head := p.tok
		p.advance()
		if p.tok.kind != kColon {
			p.failTok(p.tok, "expected ':'")
		}
		s.FinalBody = p.block("'finally' statement", head)
	}
	s.Span = p.span(start)
	return s
}

// handler reads an except clause. p.star says what those before it were.
func (p *parser) handler() (*ExceptHandler, starState) {
	head := p.tok
	start := head.pos
	before := p.star
	p.advance()
	h := &ExceptHandler{}
	kind, what := starNo, "except"
	if star := p.tok; p.accept(kStar) {
		kind, what = starYes, "except*"
		p.needs(11, Span{start, star.endPos}, "Exception groups are")
		if p.tok.kind == kColon || p.tok.kind == kNewline {
			p.failTok(p.tok, "expected one or more exception types")
		}
	}
	both := Span{start, p.prevEnd}
	if p.tok.kind != kColon && p.tok.kind != kNewline || kind == starYes {
		p.handlerTypes(h, what+" statement")
	}
	if before != starUnknown && before != kind && p.tok.kind == kColon {
		p.failSpan(both, "cannot have both 'except' and 'except*' on the same 'try'")
	}
	after := "'" + what + "' statement"
	if t, ok := h.Type.(*Tuple); ok && len(t.Elts) > 0 && t.Start == t.Elts[0].Range().Start {
		after = "" // of types without parentheses CPython says less
	}
	h.Body = p.block(after, head)
	h.Span = p.span(start)
	return h, kind
}

// handlerTypes reads the exceptions of a handler and the name behind `as`.
func (p *parser) handlerTypes(h *ExceptHandler, what string) {
	start := p.tok.pos
	first := p.expression()
	h.Type = first
	if p.tok.kind == kComma {
		h.Type = p.restOfTuple(start, first, (*parser).expression)
		if p.tok.kind == kAs && p.peek() == kName {
			p.advance()
			p.advance()
			if p.tok.kind == kColon {
				p.failAtPos(SyntaxError, start, p.prevEnd, "multiple exception types must be parenthesized when using 'as'")
			}
			p.unexpected()
		}
		if p.tok.kind != kColon {
			p.unexpected()
		}
		p.needs(14, h.Type.Range(), "except expressions without parentheses are")
		return
	}
	if p.accept(kAs) {
		if p.tok.kind != kName || p.peek() != kColon {
			p.diagHandlerName(what)
		}
		h.Name = p.name()
	}
}

func (p *parser) withStmt(start Pos, async bool) Stmt {
	head := p.tok
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
	s.Body = p.block("'with' statement", head)
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
	if !p.accept(kRpar) || p.tok.kind != kColon {
		return false
	}
	p.needs(9, s.Items[0].Span, "Parenthesized context managers are")
	return true
}

// endsItem says which tokens may follow the target of a with statement; the
// end of a line may, so that the colon is what is reported missing.
var endsItem = [kinds]bool{kComma: true, kRpar: true, kColon: true, kNewline: true}

func (p *parser) withItem() *WithItem {
	start := p.tok.pos
	w := &WithItem{ContextExpr: p.expression()}
	if p.accept(kAs) {
		p.diagWithTarget()
		t := p.starTarget()
		if _, bad := target(t, Store, true); bad != nil || !endsItem[p.tok.kind] {
			p.unexpected()
		}
		w.OptionalVars = t
	}
	w.Span = p.span(start)
	return w
}
