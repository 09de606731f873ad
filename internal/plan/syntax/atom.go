package syntax

// atom reads a name, a literal, a display or something in parentheses.
func (p *parser) atom() Expr {
	switch p.tok.kind {
	case kName:
		return p.nameExpr(Load)
	case kNumber:
		return p.numberAtom()
	case kString, kFStart:
		return p.strings()
	case kLpar:
		return p.nested((*parser).paren)
	case kLsqb:
		return p.nested((*parser).list)
	case kLbrace:
		return p.nested((*parser).brace)
	}
	if k := words[p.tok.kind]; k != 0 {
		return p.constant(k)
	}
	p.unexpected()
	return nil
}

// words are the constants that are a word, or three dots.
var words = [kinds]ConstKind{kNone: None, kTrue: True, kFalse: False, kEllipsis: Ellipsis}

// nested reads a bracketed expression, a level deeper.
func (p *parser) nested(f func(*parser) Expr) Expr {
	p.enter()
	defer p.leave()
	return f(p)
}

func (p *parser) nameExpr(ctx Context) *Name {
	start := p.tok.pos
	id := p.name()
	return &Name{Span: p.span(start), ID: id, Ctx: ctx}
}

func (p *parser) constant(k ConstKind) *Constant {
	c := &Constant{Span: Span{p.tok.pos, p.tok.endPos}, Kind: k}
	p.advance()
	return c
}

func (p *parser) numberAtom() *Constant {
	c := &Constant{Span: Span{p.tok.pos, p.tok.endPos}}
	p.setNumber(c, p.src[p.tok.off:p.tok.end])
	p.advance()
	return c
}

// paren reads a tuple, a generator expression or an expression in parentheses.
func (p *parser) paren() Expr {
	start := p.tok.pos
	p.advance()
	switch p.tok.kind {
	case kRpar:
		p.advance()
		return &Tuple{Span: p.span(start)}
	case kYield:
		e := p.yieldExpr()
		p.expect(kRpar)
		return e
	}
	first := p.starNamedExpression()
	switch p.tok.kind {
	case kFor, kAsync:
		return p.comprehension(start, GeneratorExp, first, nil, kRpar)
	case kComma:
		elts := p.restOfDisplay(first, kRpar)
		return &Tuple{Span: p.span(start), Elts: elts}
	}
	if p.tok.kind != kRpar {
		p.unexpected()
	}
	if s, ok := first.(*Starred); ok {
		p.failSpan(s.Span, "cannot use starred expression here")
	}
	p.advance()
	return first
}

// restOfDisplay reads the elements after the first, and the closing bracket.
func (p *parser) restOfDisplay(first Expr, end kind) []Expr {
	elts := []Expr{first}
	for p.accept(kComma) && p.tok.kind != end {
		elts = append(elts, p.starNamedExpression())
	}
	p.expect(end)
	return elts
}

// list reads a list or a list comprehension.
func (p *parser) list() Expr {
	start := p.tok.pos
	p.advance()
	if p.accept(kRsqb) {
		return &List{Span: p.span(start)}
	}
	first := p.starNamedExpression()
	if p.tok.kind == kFor || p.tok.kind == kAsync {
		return p.comprehension(start, ListComp, first, nil, kRsqb)
	}
	elts := p.restOfDisplay(first, kRsqb)
	return &List{Span: p.span(start), Elts: elts}
}

// comprehension reads the loops of a comprehension with element elt, and the bracket behind them.
func (p *parser) comprehension(start Pos, k CompKind, elt, value Expr, end kind) Expr {
	list := p.comprehensions()
	if s, ok := elt.(*Starred); ok {
		p.failSpan(s.Span, "iterable unpacking cannot be used in comprehension")
	}
	if p.tok.kind == kComma {
		p.failSpan(elt.Range(), "a comprehension beside other values must be parenthesized")
	}
	p.expect(end)
	return &Comp{Span: p.span(start), Kind: k, Elt: elt, Value: value, Generators: list}
}

// brace reads a dict, a set or a comprehension of either.
func (p *parser) brace() Expr {
	start := p.tok.pos
	p.advance()
	if p.accept(kRbrace) {
		return &Dict{Span: p.span(start)}
	}
	if p.tok.kind == kDoubleStar {
		return p.dict(start, nil)
	}
	first := p.starNamedExpression()
	switch p.tok.kind {
	case kColon:
		if star, ok := first.(*Starred); ok {
			p.failSpan(star.Span, "a key of a dictionary cannot be starred")
		}
		return p.dict(start, first)
	case kFor, kAsync:
		return p.comprehension(start, SetComp, first, nil, kRbrace)
	}
	elts := p.restOfDisplay(first, kRbrace)
	return &Set{Span: p.span(start), Elts: elts}
}

// dict reads a dict or dict comprehension whose first key was read, nil when
// the current token is `**`.
func (p *parser) dict(start Pos, key Expr) Expr {
	d := &Dict{}
	for first := true; ; first = false {
		at := *p.tok
		var value Expr
		if key == nil && p.accept(kDoubleStar) {
			value = p.bitwiseOr()
		} else {
			if key == nil {
				key = p.expression()
			}
			if p.tok.kind != kColon && !first {
				p.failSpan(key.Range(), "':' expected after dictionary key")
			}
			p.expect(kColon)
			value = p.expression()
		}
		if first && (p.tok.kind == kFor || p.tok.kind == kAsync) {
			if key == nil {
				p.failTok(&at, "dict unpacking cannot be used in dict comprehension")
			}
			return p.comprehension(start, DictComp, key, value, kRbrace)
		}
		d.Keys, d.Values = append(d.Keys, key), append(d.Values, value)
		key = nil
		if !p.accept(kComma) || p.tok.kind == kRbrace {
			break
		}
	}
	p.expect(kRbrace)
	d.Span = p.span(start)
	return d
}

// comprehensions reads `for … in … if …`, at least once.
func (p *parser) comprehensions() []*Comprehension {
	var list []*Comprehension
	for p.tok.kind == kFor || p.tok.kind == kAsync {
		start := p.tok.pos
		c := &Comprehension{IsAsync: p.accept(kAsync)}
		p.expect(kFor)
		c.Target = p.forTargets()
		p.expect(kIn)
		c.Iter = p.disjunction()
		for p.accept(kIf) {
			c.Ifs = append(c.Ifs, p.disjunction())
		}
		c.Span = p.span(start)
		list = append(list, c)
	}
	return list
}
