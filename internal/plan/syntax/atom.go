package syntax

// atom reads a name, a literal, a display or something in parentheses.
func (p *parser) atom() Expr {
	switch p.tok.kind {
	case kName:
		n := p.names.get()
		n.Span = Span{p.tok.pos, p.tok.endPos}
		n.ID = p.text(p.tok)
		p.advance()
		p.h = 1
		return n
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
	case kNone:
		return p.constant(None)
	case kTrue:
		return p.constant(True)
	case kFalse:
		return p.constant(False)
	case kEllipsis:
		return p.constant(Ellipsis)
	}
	p.unexpected()
	return nil
}

// nested reads a bracketed expression, a level deeper.
func (p *parser) nested(f func(*parser) Expr) Expr {
	p.enter()
	e := f(p)
	p.depth--
	return e
}

func (p *parser) constant(k ConstKind) *Constant {
	c := p.constants.get()
	c.Kind = k
	c.Span = Span{p.tok.pos, p.tok.endPos}
	p.advance()
	p.h = 1
	return c
}

func (p *parser) numberAtom() *Constant {
	c := p.constants.get()
	c.Span = Span{p.tok.pos, p.tok.endPos}
	p.setNumber(c, p.src[p.tok.off:p.tok.end])
	p.advance()
	p.h = 1
	return c
}

// paren reads a tuple, a generator expression or an expression in parentheses.
func (p *parser) paren() Expr {
	start := p.tok.pos
	p.advance()
	switch p.tok.kind {
	case kRpar:
		p.advance()
		t := p.tuples.get()
		t.Span = p.span(start)
		p.h = 1
		return t
	case kYield:
		e := p.yieldExpr()
		p.expect(kRpar)
		return e
	}
	first := p.starNamedExpression()
	switch p.tok.kind {
	case kFor, kAsync:
		g := &GeneratorExp{Elt: first}
		h := p.h
		g.Generators = p.comprehensions()
		p.up(max(h, p.h))
		p.endComprehension(kRpar, first)
		g.Span = p.span(start)
		return g
	case kComma:
		t := p.restOfDisplay(first, kRpar)
		n := p.tuples.get()
		*n = Tuple{Span: p.span(start), Elts: t}
		return n
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
	mark, h := p.exprs.mark(), p.h
	p.exprs.push(first)
	for p.accept(kComma) {
		if p.tok.kind == end {
			break
		}
		p.exprs.push(p.starNamedExpression())
		h = max(h, p.h)
	}
	p.expect(end)
	list := p.exprs.take(mark)
	p.up(h)
	return list
}

// list reads a list or a list comprehension.
func (p *parser) list() Expr {
	start := p.tok.pos
	p.advance()
	if p.accept(kRsqb) {
		p.h = 1
		return &List{Span: p.span(start)}
	}
	first := p.starNamedExpression()
	if p.tok.kind == kFor || p.tok.kind == kAsync {
		c := &ListComp{Elt: first}
		h := p.h
		c.Generators = p.comprehensions()
		p.up(max(h, p.h))
		p.endComprehension(kRsqb, first)
		c.Span = p.span(start)
		return c
	}
	elts := p.restOfDisplay(first, kRsqb)
	return &List{Span: p.span(start), Elts: elts}
}

// endComprehension reads the bracket behind a comprehension with element elt.
func (p *parser) endComprehension(k kind, elt Expr) {
	if s, ok := elt.(*Starred); ok {
		p.failSpan(s.Span, "iterable unpacking cannot be used in comprehension")
	}
	p.expect(k)
}

// brace reads a dict, a set or a comprehension of either.
func (p *parser) brace() Expr {
	start := p.tok.pos
	p.advance()
	if p.accept(kRbrace) {
		p.h = 1
		return &Dict{Span: p.span(start)}
	}
	if p.tok.kind == kDoubleStar {
		return p.dict(start, nil)
	}
	first := p.starNamedExpression()
	switch p.tok.kind {
	case kColon:
		switch first.(type) {
		case *Starred, *NamedExpr:
			if !p.parenthesized(first) {
				p.unexpected()
			}
		}
		return p.dict(start, first)
	case kFor, kAsync:
		c := &SetComp{Elt: first}
		h := p.h
		c.Generators = p.comprehensions()
		p.up(max(h, p.h))
		p.endComprehension(kRbrace, first)
		c.Span = p.span(start)
		return c
	}
	elts := p.restOfDisplay(first, kRbrace)
	return &Set{Span: p.span(start), Elts: elts}
}

// parenthesized says whether e, which was just read, has parentheses around
// it that are not part of its span.
func (p *parser) parenthesized(e Expr) bool {
	return p.toks[p.i-1].kind == kRpar && p.prevEnd != e.Range().End
}

// dict reads a dict or dict comprehension whose first key was read, nil when
// the current token is `**`.
func (p *parser) dict(start Pos, key Expr) Expr {
	d := &Dict{}
	h := p.h
	pairs := p.exprs.mark()
	for first := true; ; first = false {
		var value Expr
		if key == nil && p.tok.kind == kDoubleStar {
			star := *p.tok
			p.advance()
			value = p.bitwiseOr()
			h = max(h, p.h)
			if first && (p.tok.kind == kFor || p.tok.kind == kAsync) {
				p.failTok(&star, "dict unpacking cannot be used in dict comprehension")
			}
		} else {
			if key == nil {
				key = p.expression()
				h = max(h, p.h)
			}
			if p.tok.kind != kColon && !first {
				p.failSpan(key.Range(), "':' expected after dictionary key")
			}
			p.expect(kColon)
			value = p.expression()
			h = max(h, p.h)
			if first && (p.tok.kind == kFor || p.tok.kind == kAsync) {
				c := &DictComp{Key: key, Value: value, Generators: p.comprehensions()}
				p.up(max(h, p.h))
				p.expect(kRbrace)
				c.Span = p.span(start)
				return c
			}
		}
		p.exprs.push(key)
		p.exprs.push(value)
		key = nil
		if !p.accept(kComma) || p.tok.kind == kRbrace {
			break
		}
	}
	p.expect(kRbrace)
	p.unzip(d, pairs)
	d.Span = p.span(start)
	p.up(h)
	return d
}

// unzip moves the keys and values pushed since mark into d.
func (p *parser) unzip(d *Dict, mark int) {
	items := p.exprs.items[mark:]
	n := len(items) / 2
	for i := range n {
		p.exprs.push(p.exprs.items[mark+2*i])
	}
	d.Keys = p.exprs.take(mark + 2*n)
	for i := range n {
		p.exprs.push(p.exprs.items[mark+2*i+1])
	}
	d.Values = p.exprs.take(mark + 2*n)
	clear(p.exprs.items[mark:])
	p.exprs.items = p.exprs.items[:mark]
}

// comprehensions reads `for … in … if …`, at least once.
func (p *parser) comprehensions() []*Comprehension {
	var list []*Comprehension
	h := 0
	for p.tok.kind == kFor || p.tok.kind == kAsync {
		c := &Comprehension{}
		start := p.tok.pos
		if p.accept(kAsync) {
			c.IsAsync = true
		}
		p.expect(kFor)
		c.Target = p.forTargets()
		h = max(h, p.h)
		p.expect(kIn)
		c.Iter = p.disjunction()
		h = max(h, p.h)
		mark := p.exprs.mark()
		for p.accept(kIf) {
			p.exprs.push(p.disjunction())
			h = max(h, p.h)
		}
		c.Ifs = p.exprs.take(mark)
		c.Span = p.span(start)
		list = append(list, c)
	}
	p.h = h + 1
	return list
}
