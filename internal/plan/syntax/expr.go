package syntax

// starExpressions reads expressions with commas between them, each of which
// may be starred: what may be alone on a line.
func (p *parser) starExpressions() Expr {
	return p.tuple(p.tok.pos, (*parser).starExpression)
}

// tuple reads an element, or a tuple of them without parentheses.
func (p *parser) tuple(start Pos, element func(*parser) Expr) Expr {
	return p.restOfTuple(start, element(p), element)
}

// restOfTuple reads the elements behind the first, which is returned where there are none.
func (p *parser) restOfTuple(start Pos, first Expr, element func(*parser) Expr) Expr {
	if p.tok.kind != kComma {
		return first
	}
	elts := []Expr{first}
	for p.accept(kComma) && startsExpr[p.tok.kind] {
		elts = append(elts, element(p))
	}
	return &Tuple{Span: p.span(start), Elts: elts}
}

// startsExpr says which tokens may begin an expression or a starred one.
var startsExpr = [kinds]bool{
	kName: true, kNumber: true, kString: true, kFStart: true, kLpar: true, kLsqb: true, kLbrace: true,
	kEllipsis: true, kTilde: true, kPlus: true, kMinus: true, kStar: true, kAwait: true, kFalse: true,
	kLambda: true, kNone: true, kNot: true, kTrue: true,
}

func (p *parser) starExpression() Expr { return p.orStarred((*parser).expression) }

// starNamedExpression reads an element of a display.
func (p *parser) starNamedExpression() Expr { return p.orStarred((*parser).namedExpression) }

func (p *parser) orStarred(f func(*parser) Expr) Expr {
	if p.tok.kind == kStar {
		return p.starred((*parser).bitwiseOr)
	}
	return f(p)
}

// starred reads `*` and what f reads.
func (p *parser) starred(f func(*parser) Expr) Expr {
	start := p.tok.pos
	p.advance()
	v := f(p)
	return &Starred{Span: p.span(start), Value: v}
}

// namedExpression reads an expression that may be `name := value`.
func (p *parser) namedExpression() Expr {
	if p.tok.kind == kName && p.peek() == kColonEqual {
		start := p.tok.pos
		target := p.nameExpr(Store)
		p.advance()
		v := p.expression()
		return &NamedExpr{Span: p.span(start), Target: target, Value: v}
	}
	e := p.expression()
	if p.tok.kind == kColonEqual {
		p.unexpected()
	}
	return e
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
		return &Yield{Span: p.span(start), Value: v, From: true}
	}
	var v Expr
	if startsExpr[p.tok.kind] {
		v = p.starExpressions()
	}
	return &Yield{Span: p.span(start), Value: v}
}

// expression reads a conditional expression, a disjunction or a lambda.
func (p *parser) expression() Expr {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	if p.accept(kLambda) {
		args := p.parameters(kColon, false)
		p.expect(kColon)
		body := p.expression()
		return &Lambda{Span: p.span(start), Args: args, Body: body}
	}
	e := p.disjunction()
	if !p.accept(kIf) {
		return e
	}
	test := p.disjunction()
	if p.tok.kind != kElse {
		p.failSpan(Span{start, test.Range().End}, "expected 'else' after 'if' expression")
	}
	p.advance()
	other := p.expression()
	return &IfExp{Span: p.span(start), Test: test, Body: e, OrElse: other}
}

func (p *parser) disjunction() Expr { return p.boolOp(kOr, Or, (*parser).conjunction) }

func (p *parser) conjunction() Expr { return p.boolOp(kAnd, And, (*parser).inversion) }

// boolOp reads a run of the operator k.
func (p *parser) boolOp(k kind, op BoolOperator, operand func(*parser) Expr) Expr {
	start := p.tok.pos
	e := operand(p)
	if p.tok.kind != k {
		return e
	}
	values := []Expr{e}
	for p.accept(k) {
		values = append(values, operand(p))
	}
	return &BoolOp{Span: p.span(start), Op: op, Values: values}
}

func (p *parser) inversion() Expr {
	if p.tok.kind != kNot {
		return p.comparison()
	}
	return p.unary(Not, (*parser).inversion)
}

// unary reads a prefix operator and its operand.
func (p *parser) unary(op UnaryOperator, operand func(*parser) Expr) Expr {
	start := p.tok.pos
	p.enter()
	defer p.leave()
	p.advance()
	e := operand(p)
	return &UnaryOp{Span: p.span(start), Op: op, Operand: e}
}

func (p *parser) comparison() Expr {
	start := p.tok.pos
	e := p.bitwiseOr()
	op := p.compareOp()
	if op == 0 {
		return e
	}
	c := &Compare{Left: e}
	for ; op != 0; op = p.compareOp() {
		c.Ops = append(c.Ops, op)
		c.Comparators = append(c.Comparators, p.bitwiseOr())
	}
	c.Span = p.span(start)
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
		p.advance()
		right := p.binary(b.prec + 1)
		left = &BinOp{Span: p.span(start), Left: left, Op: b.op, Right: right}
	}
}

// signs are the prefix operators that bind more tightly than all others of two operands.
var signs = [kinds]UnaryOperator{kMinus: USub, kPlus: UAdd, kTilde: Invert}

func (p *parser) factor() Expr {
	if op := signs[p.tok.kind]; op != 0 {
		return p.unary(op, (*parser).factor)
	}
	start := p.tok.pos
	e := p.awaitPrimary()
	if p.tok.kind != kDoubleStar {
		return e
	}
	p.enter()
	defer p.leave()
	p.advance()
	right := p.factor()
	return &BinOp{Span: p.span(start), Left: e, Op: Pow, Right: right}
}

func (p *parser) awaitPrimary() Expr {
	start := p.tok.pos
	if !p.accept(kAwait) {
		return p.primary()
	}
	e := p.primary()
	return &Await{Span: p.span(start), Value: e}
}

// primary reads an atom with the attributes, calls and subscripts behind it.
func (p *parser) primary() Expr {
	start := p.tok.pos
	e := p.atom()
	for {
		switch p.tok.kind {
		case kDot:
			e = p.attribute(start, e)
		case kLpar:
			e = p.call(start, e)
		case kLsqb:
			p.enter()
			p.advance()
			index := p.slices()
			p.expect(kRsqb)
			p.leave()
			e = &Subscript{Span: p.span(start), Value: e, Slice: index}
		default:
			return e
		}
	}
}

// attribute reads the dot and the name behind e, which began at start.
func (p *parser) attribute(start Pos, e Expr) Expr {
	p.advance()
	name := p.name()
	return &Attribute{Span: p.span(start), Value: e, Attr: name}
}

// slices reads what is in the brackets of a subscript.
func (p *parser) slices() Expr {
	start := p.tok.pos
	first := p.slice()
	if p.tok.kind != kComma {
		return first
	}
	elts := []Expr{first}
	for p.accept(kComma) && p.tok.kind != kRsqb {
		elts = append(elts, p.slice())
	}
	return &Tuple{Span: p.span(start), Elts: elts}
}

func (p *parser) slice() Expr {
	start := p.tok.pos
	if p.tok.kind == kStar {
		p.lacks(p.tok, "a star in an index is not supported: make the tuple before it")
		return p.starred((*parser).expression)
	}
	s := &Slice{}
	if p.tok.kind != kColon {
		s.Lower = p.namedExpression()
		if p.tok.kind != kColon {
			return s.Lower
		}
	}
	p.advance()
	if startsExpr[p.tok.kind] {
		s.Upper = p.expression()
	}
	if p.accept(kColon) && startsExpr[p.tok.kind] {
		s.Step = p.expression()
	}
	s.Span = p.span(start)
	return s
}
