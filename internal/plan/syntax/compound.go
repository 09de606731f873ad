package syntax

import "fmt"

// block reads the body of a compound statement, from its colon on. what
// names the statement for the message when the body is missing; it may be empty.
func (p *parser) block(what string, head *token) []Stmt {
	if p.tok.kind != kColon {
		p.missingColon()
	}
	line := head.pos.Line
	p.advance()
	mark := p.stmts.mark()
	if p.tok.kind != kNewline {
		if p.diag {
			p.unexpected() // it was read, so it is not at fault
		}
		p.cutTokens()
		p.inClause, p.inLine = false, true
		p.simpleLine()
		p.cutTokens()
		p.inClause = true
		return p.stmts.take(mark)
	}
	p.advance()
	if p.tok.kind != kIndent {
		p.noBlock(what, line)
	}
	if p.diag {
		p.unexpected()
	}
	p.advance()
	p.enter()
	for p.tok.kind != kDedent && p.tok.kind != kEOF && !p.full() {
		p.guarded()
	}
	p.depth--
	p.cutTokens()
	p.accept(kDedent)
	p.cutTokens()
	p.inClause = true
	return p.stmts.take(mark)
}

// noBlock reports that the body of a statement is missing. The current token
// begins the next statement.
func (p *parser) noBlock(what string, line int32) {
	s := p.tokenSpan(p.tok)
	message := "expected an indented block"
	if what != "" {
		message += fmt.Sprintf(" after %s on line %d", what, line)
	}
	panic(parseError{stay: true, err: &Error{
		Pos: s.Start, End: s.End, Kind: IndentationError,
		Message: message,
	}})
}

// failNext reports a mistake at the current token, which begins the next
// statement.
func (p *parser) failNext(message string) {
	s := p.tokenSpan(p.tok)
	panic(parseError{stay: true, err: &Error{Pos: s.Start, End: s.End, Kind: SyntaxError, Message: message}})
}

func (p *parser) ifStmt() Stmt {
	head := p.tok
	p.advance()
	s := p.ifs.get()
	s.Test = p.namedExpression()
	start := head.pos
	what := "'if' statement"
	if head.kind == kElif {
		what = "'elif' statement"
	}
	s.Body = p.block(what, head)
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
	head := p.tok
	p.advance()
	if p.tok.kind != kColon {
		p.failTok(p.tok, "expected ':'")
	}
	body := p.block("'else' statement", head)
	if p.tok.kind == kElif {
		p.failNext("'elif' block follows an 'else' block")
	}
	return body
}

func (p *parser) whileStmt() Stmt {
	head := p.tok
	start := head.pos
	p.advance()
	s := &While{}
	s.Test = p.namedExpression()
	s.Body = p.block("'while' statement", head)
	s.OrElse = p.elseBlock()
	s.Span = p.span(start)
	return s
}

// forTargets reads the targets of a loop or comprehension whose `for` is
// toks[head].
func (p *parser) forTargets(head int) Expr {
	start := p.tok.pos
	if p.searching() {
		if p.attempt((*parser).starTarget) == nil {
			p.diagForTarget(head)
			p.unexpected()
		}
		p.rewind(head + 1)
	}
	t := p.starTarget()
	if p.tok.kind == kComma {
		t = p.restOfTuple(start, t, (*parser).starTarget)
	}
	if _, bad := target(t, Store, true); bad != nil {
		p.diagForTarget(head)
		p.unexpected()
	}
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
	head := p.tok
	at := p.i
	p.advance()
	s := &For{Async: async}
	s.Target = p.forTargets(at)
	if p.tok.kind != kIn {
		p.diagForTarget(at)
	}
	p.expect(kIn)
	s.Iter = p.starExpressions()
	s.Body = p.block("'for' statement", head)
	s.OrElse = p.elseBlock()
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
		at := p.tok.pos
		e := p.namedExpression()
		if p.version < 9 && !dotted(e) {
			p.needs(9, Span{at, p.prevEnd}, "Expressions as decorators are")
		}
		list = append(list, e)
		p.expect(kNewline)
	}
	switch p.tok.kind {
	case kDef:
		p.cutTokens()
		return p.functionDef(p.tok.pos, list, false)
	case kClass:
		p.cutTokens()
		return p.classDef(list)
	case kAsync:
		p.cutTokens()
		start := p.tok.pos
		p.advance()
		if p.tok.kind == kDef {
			return p.functionDef(start, list, true)
		}
	}
	p.unexpected()
	return nil
}

// dotted says whether e is what could decorate before Python 3.9.
func dotted(e Expr) bool {
	if c, ok := e.(*Call); ok {
		e = c.Func
	}
	for {
		switch n := e.(type) {
		case *Name:
			return true
		case *Attribute:
			e = n.Value
		default:
			return false
		}
	}
}

func (p *parser) functionDef(start Pos, decorators []Expr, async bool) Stmt {
	head := p.tok
	p.advance()
	f := p.defs.get()
	f.Async, f.Decorators = async, decorators
	f.NameSpan = Span{p.tok.pos, p.tok.endPos}
	f.Name = p.name()
	if p.diag {
		p.try(func() bool { f.TypeParams = p.typeParams(); return true })
	} else {
		f.TypeParams = p.typeParams()
	}
	if p.tok.kind != kLpar {
		if p.diag {
			p.failTok(p.tok, "expected '('")
		}
		p.unexpected()
	}
	p.advance()
	f.Args = p.parameters(kRpar, true)
	p.expect(kRpar)
	if p.tok.kind == kArrow {
		if f.Returns = p.operand((*parser).expression); f.Returns == nil {
			p.failTok(p.tok, "expected ':'")
		}
	}
	if p.tok.kind != kColon {
		if p.diag {
			p.failTok(p.tok, "expected ':'")
		}
		p.unexpected()
	}
	f.Body = p.block("function definition", head)
	f.Span = p.span(start)
	return f
}

func (p *parser) classDef(decorators []Expr) Stmt {
	head := p.tok
	start := head.pos
	p.advance()
	c := &ClassDef{Decorators: decorators}
	c.NameSpan = Span{p.tok.pos, p.tok.endPos}
	c.Name = p.name()
	c.TypeParams = p.typeParams()
	if p.accept(kLpar) {
		if p.tok.kind != kRpar {
			p.h = 0
			c.Bases, c.Keywords = p.arguments(noGenerator)
		}
		p.expect(kRpar)
	}
	c.Body = p.block("class definition", head)
	c.Span = p.span(start)
	return c
}

// typeParams reads `[T: bound = default, *Ts, **P]`; nil when there is none.
func (p *parser) typeParams() []TypeParam {
	if p.tok.kind != kLsqb {
		return nil
	}
	start := p.tok.pos
	p.advance()
	if p.tok.kind == kRsqb {
		p.failTok(p.tok, "Type parameter list cannot be empty")
	}
	var list []TypeParam
	for {
		list = append(list, p.typeParam())
		if !p.accept(kComma) || p.tok.kind == kRsqb {
			break
		}
	}
	p.expect(kRsqb)
	p.needs(12, p.span(start), "Type parameter lists are")
	return list
}

func (p *parser) typeParam() TypeParam {
	start := p.tok.pos
	switch k := p.tok.kind; k {
	case kStar, kDoubleStar:
		p.advance()
		name := p.name()
		p.diagTypeBound(k)
		if k == kStar {
			t := &TypeVarTuple{Name: name, DefaultValue: p.typeDefault(true)}
			t.Span = p.span(start)
			return t
		}
		t := &ParamSpec{Name: name, DefaultValue: p.typeDefault(false)}
		t.Span = p.span(start)
		return t
	}
	t := &TypeVar{Name: p.name()}
	if p.accept(kColon) {
		t.Bound = p.expression()
	}
	t.DefaultValue = p.typeDefault(false)
	t.Span = p.span(start)
	return t
}

// typeDefault reads the default of a type parameter; nil when there is none.
func (p *parser) typeDefault(star bool) Expr {
	if !p.accept(kEqual) {
		return nil
	}
	start := p.tok.pos
	var e Expr
	if star {
		e = p.starExpression()
	} else {
		e = p.expression()
	}
	p.needs(13, p.span(start), "Type parameter defaults are")
	return e
}
