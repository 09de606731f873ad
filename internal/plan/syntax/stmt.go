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
	var list []Stmt
	for p.tok.kind != kEOF {
		list = p.statement(list)
	}
	return list
}

// statement appends a statement, or simple ones on one line.
func (p *parser) statement(list []Stmt) []Stmt {
	p.cutTokens()
	if s := p.compound(); s != nil {
		return append(list, s)
	}
	return p.simpleLine(list)
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

// simpleLine appends simple statements up to the end of the line.
func (p *parser) simpleLine(list []Stmt) []Stmt {
	for {
		list = append(list, p.simple())
		if !p.accept(kSemi) {
			break
		}
		if p.tok.kind == kNewline {
			break
		}
		p.cutTokens()
	}
	p.expect(kNewline)
	return list
}

// simple reads one simple statement.
func (p *parser) simple() Stmt {
	start := p.tok.pos
	switch p.tok.kind {
	case kReturn:
		p.advance()
		r := &Return{}
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
	case kGlobal, kNonlocal:
		return p.declare()
	case kName:
		if p.isSoft("type") && p.peek() == kName {
			return p.typeAlias()
		}
	}
	return p.exprStmt()
}

func (p *parser) declare() Stmt {
	start := p.tok.pos
	d := &Declare{Nonlocal: p.tok.kind == kNonlocal}
	p.advance()
	d.Names = []string{p.name()}
	for p.accept(kComma) {
		d.Names = append(d.Names, p.name())
	}
	d.Span = p.span(start)
	return d
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
	return &ExprStmt{p.span(start), e}
}

func (p *parser) assign(start Pos, first Expr) Stmt {
	a := &Assign{Value: first}
	for p.tok.kind == kEqual {
		p.target(a.Value, Store)
		a.Targets = append(a.Targets, a.Value)
		p.advance()
		a.Value = p.annotatedRHS()
	}
	a.Span = p.span(start)
	return a
}

// augOperators are the operators of the augmented assignments.
var augOperators = [kinds]Operator{
	kPlusEq: Add, kMinusEq: Sub, kStarEq: Mult, kSlashEq: Div, kDoubleSlashEq: FloorDiv, kPercentEq: Mod,
	kAtEq: MatMult, kDoubleStarEq: Pow, kVbarEq: BitOr, kCaretEq: BitXor, kAmperEq: BitAnd, kLshiftEq: LShift, kRshiftEq: RShift,
}

func (p *parser) augAssign(start Pos, t Expr) Stmt {
	p.single("assign by an operator to", t)
	op := augOperators[p.tok.kind]
	p.advance()
	v := p.annotatedRHS()
	return &AugAssign{p.span(start), t, op, v}
}

// single makes e a target, which has to be a name, an attribute or an element.
func (p *parser) single(verb string, e Expr) {
	switch e.(type) {
	case *Name, *Attribute, *Subscript:
		p.target(e, Store)
	default:
		p.failSpan(e.Range(), "cannot %s this expression", verb)
	}
}

func (p *parser) annAssign(start Pos, t Expr) Stmt {
	p.single("annotate", t)
	_, isName := t.(*Name)
	p.advance()
	a := &AnnAssign{Target: t, Simple: isName && t.Range().Start == start}
	from := p.tok.off
	a.Annotation = p.expression()
	a.Text = p.src[from:p.toks[p.i-1].end]
	if p.accept(kEqual) {
		a.Value = p.annotatedRHS()
	}
	a.Span = p.span(start)
	return a
}

// target makes e what is assigned to or deleted, and its parts too.
func (p *parser) target(e Expr, ctx Context) {
	switch e := e.(type) {
	case *Name:
		e.Ctx = ctx
		return
	case *Attribute:
		e.Ctx = ctx
		return
	case *Subscript:
		e.Ctx = ctx
		return
	}
	var parts []Expr
	switch e := e.(type) {
	case *Starred:
		e.Ctx, parts = ctx, []Expr{e.Value}
	case *Tuple:
		e.Ctx, parts = ctx, e.Elts
	case *List:
		e.Ctx, parts = ctx, e.Elts
	default:
		p.failSpan(e.Range(), "cannot assign to this expression or delete it")
	}
	if ctx == Del && !p.lenient {
		p.failSpan(e.Range(), "del of a tuple or list is not supported: name what to delete, with commas between")
	}
	for _, part := range parts {
		p.target(part, ctx)
	}
}

func (p *parser) delStmt() Stmt {
	start := p.tok.pos
	p.advance()
	d := &Delete{}
	for {
		t := p.primary()
		p.target(t, Del)
		d.Targets = append(d.Targets, t)
		if !p.accept(kComma) || !startsExpr[p.tok.kind] {
			break
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
	n := p.nameExpr(Store)
	p.typeParams()
	p.expect(kEqual)
	v := p.expression()
	return &Assign{p.span(start), []Expr{n}, v}
}
