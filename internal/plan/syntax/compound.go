package syntax

// block reads the body of a compound statement, from its colon on.
func (p *parser) block() []Stmt {
	if k := p.tok.kind; k != kColon && k != kEqual {
		p.failTok(p.tok, "expected ':'")
	}
	p.expect(kColon)
	if p.tok.kind != kNewline {
		p.cutTokens()
		list := p.simpleLine(nil)
		p.cutTokens()
		return list
	}
	p.advance()
	p.openBlock()
	var list []Stmt
	for p.tok.kind != kDedent && p.tok.kind != kEOF {
		list = p.statement(list)
	}
	p.closeBlock()
	return list
}

// openBlock steps into the body of a statement.
func (p *parser) openBlock() {
	if p.tok.kind != kIndent {
		at := p.tok.pos
		if p.tok.kind == kEOF {
			at = p.prevEnd
		}
		panic(parseError{&Error{
			Pos: at, End: at, Kind: IndentationError, Message: "expected an indented block",
		}})
	}
	p.advance()
	p.enter()
}

func (p *parser) closeBlock() {
	p.depth--
	p.cutTokens()
	p.accept(kDedent)
	p.cutTokens()
}

func (p *parser) ifStmt() Stmt {
	start := p.tok.pos
	p.advance()
	s := &If{Test: p.namedExpression(), Body: p.block()}
	switch p.tok.kind {
	case kElif:
		p.enter()
		s.OrElse = []Stmt{p.ifStmt()}
		p.depth--
	case kElse:
		s.OrElse = p.elseBlock()
	}
	s.Span = p.span(start)
	return s
}

// elseBlock reads an else clause; nil when there is none.
func (p *parser) elseBlock() []Stmt {
	if p.tok.kind != kElse {
		return nil
	}
	p.advance()
	body := p.block()
	if p.tok.kind == kElif {
		p.failTok(p.tok, "'elif' block follows an 'else' block")
	}
	return body
}

func (p *parser) whileStmt() Stmt {
	start := p.tok.pos
	p.advance()
	s := &While{Test: p.namedExpression(), Body: p.block(), OrElse: p.elseBlock()}
	s.Span = p.span(start)
	return s
}

// forTargets reads the targets of a loop or comprehension.
func (p *parser) forTargets() Expr {
	t := p.tuple(p.tok.pos, (*parser).starTarget)
	p.target(t, Store)
	return t
}

// starTarget reads one target, as an expression that is still to be checked.
func (p *parser) starTarget() Expr {
	if p.tok.kind == kStar {
		return p.starred((*parser).primary)
	}
	return p.primary()
}

func (p *parser) forStmt(start Pos, async bool) Stmt {
	p.advance()
	s := &For{Async: async, Target: p.forTargets()}
	p.expect(kIn)
	s.Iter, s.Body, s.OrElse = p.starExpressions(), p.block(), p.elseBlock()
	s.Span = p.span(start)
	return s
}

func (p *parser) asyncStmt() Stmt {
	start := p.tok.pos
	p.advance()
	switch p.tok.kind {
	case kDef:
		return p.functionDef(start, nil, true)
	case kFor:
		return p.forStmt(start, true)
	case kWith:
		return p.withStmt(start, true)
	}
	p.unexpected()
	return nil
}

func (p *parser) decorated() Stmt {
	var list []Expr
	for p.tok.kind == kAt {
		p.cutTokens()
		p.advance()
		list = append(list, p.namedExpression())
		p.expect(kNewline)
	}
	p.cutTokens()
	if p.tok.kind == kClass {
		return p.classDef(list)
	}
	start := p.tok.pos
	async := p.accept(kAsync)
	if p.tok.kind != kDef {
		p.unexpected()
	}
	return p.functionDef(start, list, async)
}

func (p *parser) functionDef(start Pos, decorators []Expr, async bool) Stmt {
	p.advance()
	f := &FunctionDef{Async: async, Decorators: decorators}
	f.NameSpan = Span{p.tok.pos, p.tok.endPos}
	f.Name = p.name()
	p.typeParams()
	if p.tok.kind != kLpar {
		p.failTok(p.tok, "expected '('")
	}
	p.advance()
	f.Args = p.parameters(kRpar, true)
	p.expect(kRpar)
	if p.accept(kArrow) {
		f.Returns = p.expression()
	}
	f.Body = p.block()
	f.Span = p.span(start)
	return f
}

func (p *parser) classDef(decorators []Expr) Stmt {
	start := p.tok.pos
	p.advance()
	c := &ClassDef{Decorators: decorators}
	c.NameSpan = Span{p.tok.pos, p.tok.endPos}
	c.Name = p.name()
	p.typeParams()
	if p.accept(kLpar) {
		c.Bases, c.Keywords = p.arguments()
		p.expect(kRpar)
	}
	c.Body = p.block()
	c.Span = p.span(start)
	return c
}

// typeParams steps over type parameters, which change nothing about what a program does.
func (p *parser) typeParams() {
	if p.tok.kind != kLsqb {
		return
	}
	p.lacks(p.tok, "type parameters are not supported: leave them out")
	for open := p.tok.level; p.tok.kind != kRsqb || p.tok.level >= open; p.advance() {
	}
	p.advance()
}
