package syntax

// begin reads the first token.
func (p *parser) begin() {
	p.toks = append(p.toks, token{kind: kNewline})
	p.tok = &p.toks[0]
	p.advance()
}

// fileInput reads statements to the end of the source.
func (p *parser) fileInput() []Stmt {
	p.begin()
	mark := p.stmts.mark()
	for p.tok.kind != kEOF {
		p.statement()
	}
	return p.stmts.take(mark)
}

// statement reads a statement, or simple ones on one line, onto p.stmts.
func (p *parser) statement() {
	p.cutTokens()
	if s := p.compound(); s != nil {
		p.stmts.push(s)
		return
	}
	p.simpleLine()
}

// compound reads a compound statement; nil means that none begins here.
func (p *parser) compound() Stmt {
	switch p.tok.kind {
	case kIf:
		return p.ifStmt()
	case kDef:
		return p.functionDef(p.tok.pos, nil, false)
	case kClass:
		return p.classDef(nil)
	case kFor:
		return p.forStmt(p.tok.pos, false)
	case kWhile:
		return p.whileStmt()
	case kTry:
		return p.tryStmt()
	case kWith:
		return p.withStmt(p.tok.pos, false)
	case kAt:
		return p.decorated()
	case kAsync:
		return p.asyncStmt()
	case kName:
		if p.isSoft("match") && p.mayBeMatch() {
			return p.matchStmt()
		}
	}
	return nil
}

// simpleLine reads simple statements up to the end of the line.
func (p *parser) simpleLine() {
	for {
		p.stmts.push(p.simple())
		if !p.accept(kSemi) {
			break
		}
		if p.tok.kind == kNewline {
			break
		}
		p.cutTokens()
	}
	p.expect(kNewline)
}

// simple reads one simple statement.
func (p *parser) simple() Stmt {
	start := p.tok.pos
	switch p.tok.kind {
	case kReturn:
		p.advance()
		r := p.returns.get()
		if startsExpr[p.tok.kind] {
			r.Value = p.starExpressions()
		}
		r.Span = p.span(start)
		return r
	case kImport:
		return p.importStmt()
	case kFrom:
		return p.importFrom()
	case kRaise:
		return p.raiseStmt()
	case kPass:
		p.advance()
		return &Pass{p.span(start)}
	case kBreak:
		p.advance()
		return &Break{p.span(start)}
	case kContinue:
		p.advance()
		return &Continue{p.span(start)}
	case kDel:
		return p.delStmt()
	case kAssert:
		return p.assertStmt()
	case kGlobal:
		names := p.nameList()
		return &Global{p.span(start), names}
	case kNonlocal:
		names := p.nameList()
		return &Nonlocal{p.span(start), names}
	case kName:
		if p.isSoft("type") && p.peek() == kName {
			return p.typeAlias()
		}
	}
	return p.exprStmt()
}

func (p *parser) nameList() []string {
	p.advance()
	names := []string{p.name()}
	for p.accept(kComma) {
		names = append(names, p.name())
	}
	return names
}

// exprStmt reads an expression, and the assignment that it may begin.
func (p *parser) exprStmt() Stmt {
	start := p.tok.pos
	e := p.annotatedRHS()
	switch k := p.tok.kind; {
	case k == kEqual:
		return p.assign(start, e)
	case k == kColon:
		return p.annAssign(start, e)
	case k >= kPlusEq && k <= kRshiftEq:
		return p.augAssign(start, e)
	}
	s := p.exprStmts.get()
	*s = ExprStmt{p.span(start), e}
	return s
}

func (p *parser) assign(start Pos, first Expr) Stmt {
	mark := p.exprs.mark()
	e := first
	for p.tok.kind == kEqual {
		if _, bad := target(e, Store, true); bad != nil {
			p.failTarget("assign to", bad)
		}
		p.exprs.push(e)
		p.advance()
		e = p.annotatedRHS()
	}
	a := p.assigns.get()
	*a = Assign{p.span(start), p.exprs.take(mark), e}
	return a
}

// augOperators are the operators of the augmented assignments.
var augOperators = [kinds]Operator{
	kPlusEq: Add, kMinusEq: Sub, kStarEq: Mult, kSlashEq: Div, kDoubleSlashEq: FloorDiv, kPercentEq: Mod,
	kAtEq: MatMult, kDoubleStarEq: Pow, kVbarEq: BitOr, kCaretEq: BitXor, kAmperEq: BitAnd, kLshiftEq: LShift, kRshiftEq: RShift,
}

func (p *parser) augAssign(start Pos, t Expr) Stmt {
	if !singleTarget(t) {
		p.failTarget("assign by an operator to", t)
	}
	target(t, Store, false)
	op := augOperators[p.tok.kind]
	p.advance()
	v := p.annotatedRHS()
	return &AugAssign{p.span(start), t, op, v}
}

// singleTarget says whether e is a name, an attribute or an element.
func singleTarget(e Expr) bool {
	switch e.(type) {
	case *Name, *Attribute, *Subscript:
		return true
	}
	return false
}

func (p *parser) annAssign(start Pos, t Expr) Stmt {
	if !singleTarget(t) {
		p.failTarget("annotate", t)
	}
	target(t, Store, false)
	_, isName := t.(*Name)
	p.advance()
	a := &AnnAssign{Target: t, Simple: isName && t.Range().Start == start}
	a.Annotation = p.expression()
	if p.accept(kEqual) {
		a.Value = p.annotatedRHS()
	}
	a.Span = p.span(start)
	return a
}

// target makes e what is assigned to or deleted, and its parts too. It
// returns the first part that cannot be, nil when all can. Starred parts
// need star.
func target(e Expr, ctx Context, star bool) (Expr, Expr) {
	switch e := e.(type) {
	case *Name:
		e.Ctx = ctx
	case *Attribute:
		e.Ctx = ctx
	case *Subscript:
		e.Ctx = ctx
	case *Starred:
		if !star {
			return e, e
		}
		e.Ctx = ctx
		if _, nested := e.Value.(*Starred); nested {
			return e, e
		}
		return target(e.Value, ctx, true)
	case *Tuple:
		e.Ctx = ctx
		return targets(e, e.Elts, ctx, star)
	case *List:
		e.Ctx = ctx
		return targets(e, e.Elts, ctx, star)
	default:
		return e, e
	}
	return e, nil
}

func targets(whole Expr, list []Expr, ctx Context, star bool) (Expr, Expr) {
	for _, e := range list {
		if _, bad := target(e, ctx, star); bad != nil {
			return whole, bad
		}
	}
	return whole, nil
}

func (p *parser) delStmt() Stmt {
	start := p.tok.pos
	p.advance()
	mark := p.exprs.mark()
	for {
		p.exprs.push(p.primary())
		if !p.accept(kComma) || !startsExpr[p.tok.kind] {
			break
		}
	}
	d := &Delete{Targets: p.exprs.take(mark)}
	for _, e := range d.Targets {
		if _, bad := target(e, Del, false); bad != nil {
			p.failTarget("delete", bad)
		}
	}
	d.Span = p.span(start)
	return d
}

func (p *parser) raiseStmt() Stmt {
	start := p.tok.pos
	p.advance()
	r := &Raise{}
	if startsExpr[p.tok.kind] {
		r.Exc = p.expression()
		if p.accept(kFrom) {
			r.Cause = p.expression()
		}
	}
	r.Span = p.span(start)
	return r
}

func (p *parser) assertStmt() Stmt {
	start := p.tok.pos
	p.advance()
	a := &Assert{}
	a.Test = p.expression()
	if p.accept(kComma) {
		a.Msg = p.expression()
	}
	a.Span = p.span(start)
	return a
}

func (p *parser) typeAlias() Stmt {
	start := p.tok.pos
	p.advance()
	n := p.names.get()
	n.Span = Span{p.tok.pos, p.tok.endPos}
	n.ID, n.Ctx = p.name(), Store
	p.noTypeParams()
	p.expect(kEqual)
	v := p.expression()
	return &TypeAlias{p.span(start), n, v}
}
