package syntax

// starExpressions reads expressions with commas between them, each of which
// may be starred: what may be alone on a line.
func (p *parser) starExpressions() Expr {
	start := p.tok.pos
	first := p.starExpression()
	if p.tok.kind != kComma {
		return first
	}
	return p.restOfTuple(start, first, (*parser).starExpression)
}

// restOfTuple reads the rest of a tuple without parentheses, from its first comma.
func (p *parser) restOfTuple(start Pos, first Expr, element func(*parser) Expr) Expr {
	mark, h := p.exprs.mark(), p.h
	p.exprs.push(first)
	for p.tok.kind == kComma {
		p.advance()
		if !startsExpr[p.tok.kind] {
			break
		}
		p.exprs.push(element(p))
		h = max(h, p.h)
	}
	t := p.tuples.get()
	*t = Tuple{Span: p.span(start), Elts: p.exprs.take(mark)}
	p.up(h)
	return t
}

// startsExpr says which tokens may begin an expression or a starred one.
var startsExpr = [kinds]bool{
	kName: true, kNumber: true, kString: true, kFStart: true, kLpar: true, kLsqb: true, kLbrace: true,
	kEllipsis: true, kTilde: true, kPlus: true, kMinus: true, kStar: true, kAwait: true, kFalse: true,
	kLambda: true, kNone: true, kNot: true, kTrue: true,
}

func (p *parser) starExpression() Expr {
	if p.tok.kind == kStar {
		return p.starred((*parser).bitwiseOr)
	}
	return p.expression()
}

// starred reads `*` and what f reads.
func (p *parser) starred(f func(*parser) Expr) Expr {
	start := p.tok.pos
	p.advance()
	v := f(p)
	p.up(p.h)
	return &Starred{Span: p.span(start), Value: v}
}

// starNamedExpression reads an element of a display.
func (p *parser) starNamedExpression() Expr {
	if p.tok.kind == kStar {
		return p.starred((*parser).bitwiseOr)
	}
	return p.namedExpression()
}

// namedExpression reads an expression that may be `name := value`.
func (p *parser) namedExpression() Expr {
	if p.tok.kind == kName && p.peek() == kColonEqual {
		return p.walrus()
	}
	e := p.expression()
	if p.tok.kind == kColonEqual {
		p.unexpected()
	}
	return e
}

func (p *parser) walrus() Expr {
	start := p.tok.pos
	target := p.names.get()
	target.ID, target.Ctx = p.name(), Store
	target.Span = p.span(start)
	p.advance()
	v := p.expression()
	p.up(p.h)
	return &NamedExpr{Span: p.span(start), Target: target, Value: v}
}

// annotatedRHS reads what may be on the right of a `=`.
func (p *parser) annotatedRHS() Expr {
	if p.tok.kind == kYield {
		return p.yieldExpr()
	}
	return p.starExpressions()
}

func (p *parser) yieldExpr() Expr {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	p.advance()
	if p.accept(kFrom) {
		v := p.expression()
		p.up(p.h)
		return &YieldFrom{Span: p.span(start), Value: v}
	}
	var v Expr
	p.h = 0
	if startsExpr[p.tok.kind] {
		v = p.starExpressions()
	}
	p.up(p.h)
	return &Yield{Span: p.span(start), Value: v}
}

// expression reads a conditional expression, a disjunction or a lambda.
func (p *parser) expression() Expr {
	p.enter()
	var e Expr
	if p.tok.kind == kLambda {
		e = p.lambda()
	} else {
		start := p.tok.pos
		e = p.disjunction()
		if p.tok.kind == kIf {
			e = p.ternary(start, e)
		}
	}
	p.depth--
	return e
}

func (p *parser) ternary(start Pos, body Expr) Expr {
	h := p.h
	p.advance()
	test := p.disjunction()
	h = max(h, p.h)
	if p.tok.kind != kElse {
		p.failSpan(Span{body.Range().Start, test.Range().End}, "expected 'else' after 'if' expression")
	}
	p.advance()
	other := p.expression()
	p.up(max(h, p.h))
	return &IfExp{Span: p.span(start), Test: test, Body: body, OrElse: other}
}

func (p *parser) lambda() Expr {
	start := p.tok.pos
	p.advance()
	args := p.parameters(kColon, false)
	h := p.h
	p.expect(kColon)
	body := p.expression()
	p.up(max(h, p.h))
	return &Lambda{Span: p.span(start), Args: args, Body: body}
}

func (p *parser) disjunction() Expr {
	start := p.tok.pos
	e := p.conjunction()
	if p.tok.kind != kOr {
		return e
	}
	return p.boolOp(start, e, kOr, Or, (*parser).conjunction)
}

func (p *parser) conjunction() Expr {
	start := p.tok.pos
	e := p.inversion()
	if p.tok.kind != kAnd {
		return e
	}
	return p.boolOp(start, e, kAnd, And, (*parser).inversion)
}

// boolOp reads the rest of a run of the operator k, whose first operand is e.
func (p *parser) boolOp(start Pos, e Expr, k kind, op BoolOperator, f func(*parser) Expr) Expr {
	mark, h := p.exprs.mark(), p.h
	p.exprs.push(e)
	for p.tok.kind == k {
		p.advance()
		p.exprs.push(f(p))
		h = max(h, p.h)
	}
	values := p.exprs.take(mark)
	p.up(h)
	return &BoolOp{Span: p.span(start), Op: op, Values: values}
}

func (p *parser) inversion() Expr {
	if p.tok.kind != kNot {
		return p.comparison()
	}
	start := p.tok.pos
	p.enter()
	p.advance()
	e := p.inversion()
	p.leave()
	p.up(p.h)
	return &UnaryOp{Span: p.span(start), Op: Not, Operand: e}
}

func (p *parser) comparison() Expr {
	start := p.tok.pos
	e := p.bitwiseOr()
	if comparisons[p.tok.kind] == 0 {
		return e
	}
	mark, ops, h := p.exprs.mark(), p.cmpOps.mark(), p.h
	for {
		op := p.compareOp()
		if op == 0 {
			break
		}
		p.exprs.push(p.bitwiseOr())
		p.cmpOps.push(op)
		h = max(h, p.h)
	}
	if p.cmpOps.mark() == ops {
		p.h = h
		return e
	}
	c := p.compares.get()
	*c = Compare{Span: p.span(start), Left: e, Ops: p.cmpOps.take(ops), Comparators: p.exprs.take(mark)}
	p.up(h)
	return c
}

// compareOp steps over a comparison operator; 0 means that there is none.
func (p *parser) compareOp() CmpOperator {
	op := comparisons[p.tok.kind]
	switch p.tok.kind {
	case kIs:
		p.advance()
		if p.accept(kNot) {
			return IsNot
		}
		return Is
	case kNot:
		if p.peek() != kIn {
			return 0
		}
		p.advance()
	}
	if op != 0 {
		p.advance()
	}
	return op
}

var comparisons = [kinds]CmpOperator{
	kEqEq: Eq, kNotEq: NotEq, kLess: Lt, kLessEq: LtE, kGreater: Gt, kGreaterEq: GtE, kIs: Is, kIn: In, kNot: NotIn,
}

// binary gives the operators that bind to the left their precedence; 0 marks
// the tokens that are none of them.
var binary = [kinds]struct {
	prec uint8
	op   Operator
}{
	kVbar: {1, BitOr}, kCaret: {2, BitXor}, kAmper: {3, BitAnd}, kLshift: {4, LShift}, kRshift: {4, RShift},
	kPlus: {precSum, Add}, kMinus: {precSum, Sub}, kStar: {6, Mult}, kSlash: {6, Div}, kDoubleSlash: {6, FloorDiv},
	kPercent: {6, Mod}, kAt: {6, MatMult},
}

// precSum is the precedence of + and -.
const precSum = 5

func (p *parser) bitwiseOr() Expr { return p.binary(1) }

// binary reads operators that bind at least as tightly as prec.
func (p *parser) binary(prec uint8) Expr {
	start := p.tok.pos
	left := p.factor()
	for {
		b := binary[p.tok.kind]
		if b.prec < prec || b.prec == 0 {
			return left
		}
		h := p.h
		p.advance()
		right := p.binary(b.prec + 1)
		n := p.binops.get()
		*n = BinOp{Span: p.span(start), Left: left, Op: b.op, Right: right}
		left = n
		p.up(max(h, p.h))
	}
}

func (p *parser) factor() Expr {
	var op UnaryOperator
	switch p.tok.kind {
	case kMinus:
		op = USub
	case kPlus:
		op = UAdd
	case kTilde:
		op = Invert
	default:
		return p.power()
	}
	start := p.tok.pos
	p.enter()
	p.advance()
	e := p.factor()
	p.leave()
	p.up(p.h)
	return &UnaryOp{Span: p.span(start), Op: op, Operand: e}
}

func (p *parser) power() Expr {
	start := p.tok.pos
	e := p.awaitPrimary()
	if p.tok.kind != kDoubleStar {
		return e
	}
	h := p.h
	p.enter()
	p.advance()
	right := p.factor()
	p.leave()
	p.up(max(h, p.h))
	return &BinOp{Span: p.span(start), Left: e, Op: Pow, Right: right}
}

func (p *parser) awaitPrimary() Expr {
	if p.tok.kind != kAwait {
		return p.primary()
	}
	start := p.tok.pos
	p.advance()
	e := p.primary()
	p.up(p.h)
	return &Await{Span: p.span(start), Value: e}
}

// primary reads an atom with the attributes, calls and subscripts behind it.
func (p *parser) primary() Expr {
	start := p.tok.pos
	e := p.atom()
	for trailers[p.tok.kind] {
		e = p.trailer(start, e)
	}
	return e
}

// trailers are the tokens that may follow an atom.
var trailers = [kinds]bool{kDot: true, kLpar: true, kLsqb: true}

// trailer reads an attribute, a call or a subscript of e, which began at start.
func (p *parser) trailer(start Pos, e Expr) Expr {
	switch p.tok.kind {
	case kDot:
		p.advance()
		a := p.attributes.get()
		*a = Attribute{Value: e, Attr: p.name()}
		a.Span = p.span(start)
		p.up(p.h)
		return a
	case kLpar:
		return p.call(start, e)
	}
	h := p.h
	p.enter()
	p.advance()
	s := p.subscripts.get()
	s.Value = e
	s.Slice = p.slices()
	p.expect(kRsqb)
	s.Span = p.span(start)
	p.depth--
	p.up(max(h, p.h))
	return s
}

// slices reads what is in the brackets of a subscript.
func (p *parser) slices() Expr {
	start := p.tok.pos
	first := p.slice()
	if p.tok.kind != kComma {
		if s, ok := first.(*Starred); ok {
			return p.tupleOf(s.Start, first)
		}
		return first
	}
	mark, h := p.exprs.mark(), p.h
	p.exprs.push(first)
	for p.accept(kComma) {
		if p.tok.kind == kRsqb {
			break
		}
		p.exprs.push(p.slice())
		h = max(h, p.h)
	}
	t := p.tuples.get()
	*t = Tuple{Span: p.span(start), Elts: p.exprs.take(mark)}
	p.up(h)
	return t
}

// tupleOf makes a tuple of one element.
func (p *parser) tupleOf(start Pos, e Expr) Expr {
	mark := p.exprs.mark()
	p.exprs.push(e)
	t := p.tuples.get()
	*t = Tuple{Span: p.span(start), Elts: p.exprs.take(mark)}
	p.up(p.h)
	return t
}

func (p *parser) slice() Expr {
	start := p.tok.pos
	if p.tok.kind == kStar {
		return p.starred((*parser).expression)
	}
	var lower Expr
	p.h = 0
	if p.tok.kind != kColon {
		lower = p.namedExpression()
		if p.tok.kind != kColon {
			return lower
		}
		if _, named := lower.(*NamedExpr); named && lower.Range().Start == start {
			p.unexpected()
		}
	}
	h := p.h
	p.advance()
	s := &Slice{Lower: lower}
	if startsExpr[p.tok.kind] {
		s.Upper = p.expression()
		h = max(h, p.h)
	}
	if p.accept(kColon) && startsExpr[p.tok.kind] {
		s.Step = p.expression()
		h = max(h, p.h)
	}
	s.Span = p.span(start)
	p.up(h)
	return s
}
