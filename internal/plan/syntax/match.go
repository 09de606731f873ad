package syntax

// mayBeMatch says whether the name `match` at the start of a statement can
// begin a match statement, going by the next token.
func (p *parser) mayBeMatch() bool { return startsExpr[p.peek()] }

// matchStmt reads a match statement; nil when what looked like one is an
// expression that begins with a name.
func (p *parser) matchStmt() Stmt {
	start := p.tok.pos
	s := &Match{}
	if !p.try(func() bool {
		p.advance()
		s.Subject = p.subject()
		return p.tok.kind == kColon && p.peek() == kNewline
	}) {
		return nil
	}
	p.advance()
	p.advance()
	p.openBlock()
	if !p.isSoft("case") {
		p.unexpected()
	}
	for p.isSoft("case") {
		s.Cases = append(s.Cases, p.matchCase())
	}
	if p.tok.kind != kEOF && p.tok.kind != kDedent {
		p.unexpected()
	}
	p.closeBlock()
	s.Span = p.span(start)
	return s
}

// subject reads what a match statement looks at.
func (p *parser) subject() Expr {
	start := p.tok.pos
	e := p.tuple(start, (*parser).starNamedExpression)
	if _, star := e.(*Starred); star {
		p.unexpected()
	}
	return e
}

func (p *parser) matchCase() *MatchCase {
	p.cutTokens()
	start := p.tok.pos
	p.advance()
	c := &MatchCase{Pattern: p.patterns()}
	if p.accept(kIf) {
		c.Guard = p.namedExpression()
	}
	c.Body = p.block()
	c.Span = p.span(start)
	return c
}

// patterns reads a pattern, or a sequence without brackets.
func (p *parser) patterns() Pattern {
	start := p.tok.pos
	first := p.starPattern()
	if p.tok.kind != kComma {
		if _, star := first.(*MatchStar); star {
			p.unexpected()
		}
		return first
	}
	list := []Pattern{first}
	for p.accept(kComma) {
		if p.tok.kind == kColon || p.tok.kind == kIf || p.tok.kind == kNewline {
			break
		}
		list = append(list, p.starPattern())
	}
	return &MatchSequence{p.span(start), list}
}

// starPattern reads an element of a sequence.
func (p *parser) starPattern() Pattern {
	if p.tok.kind != kStar {
		return p.pattern()
	}
	start := p.tok.pos
	p.advance()
	s := &MatchStar{}
	if p.isSoft("_") {
		p.advance()
	} else {
		s.Name = p.capture()
	}
	s.Span = p.span(start)
	return s
}

// capture reads a name that a pattern binds.
func (p *parser) capture() string {
	if p.isSoft("_") {
		p.unexpected()
	}
	return p.name()
}

// pattern reads alternatives and the name behind `as`.
func (p *parser) pattern() Pattern {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	e := p.closedPattern()
	if p.tok.kind == kVbar {
		list := []Pattern{e}
		for p.accept(kVbar) {
			list = append(list, p.closedPattern())
		}
		e = &MatchOr{p.span(start), list}
	}
	if p.accept(kAs) {
		name := p.capture()
		e = &MatchAs{p.span(start), e, name}
	}
	return e
}

func (p *parser) closedPattern() Pattern {
	start := p.tok.pos
	switch p.tok.kind {
	case kNumber, kMinus:
		v := p.signedNumber()
		return &MatchValue{p.span(start), v}
	case kString, kFStart:
		v := p.strings()
		return &MatchValue{p.span(start), v}
	case kNone, kTrue, kFalse:
		v := p.constant(words[p.tok.kind])
		return &MatchValue{p.span(start), v}
	case kName:
		return p.namePattern()
	case kLpar:
		return p.groupPattern()
	case kLsqb:
		p.advance()
		list, _ := p.patternList(kRsqb)
		return &MatchSequence{p.span(start), list}
	case kLbrace:
		return p.mappingPattern()
	}
	p.unexpected()
	return nil
}

// patternList reads elements up to the closing bracket, which it reads too,
// and says whether a comma stood behind the last.
func (p *parser) patternList(end kind) (list []Pattern, comma bool) {
	for p.tok.kind != end {
		list = append(list, p.starPattern())
		comma = p.accept(kComma)
		if !comma {
			break
		}
	}
	p.expect(end)
	return list, comma
}

func (p *parser) groupPattern() Pattern {
	start := p.tok.pos
	p.advance()
	list, comma := p.patternList(kRpar)
	if len(list) == 1 && !comma {
		if _, star := list[0].(*MatchStar); star {
			p.unexpected()
		}
		return list[0]
	}
	return &MatchSequence{p.span(start), list}
}

// signedNumber reads a number with its sign.
func (p *parser) signedNumber() Expr {
	start := p.tok.pos
	negative := p.accept(kMinus)
	if p.tok.kind != kNumber {
		p.unexpected()
	}
	v := p.numberAtom()
	if p.tok.kind == kPlus || p.tok.kind == kMinus {
		p.lacks(p.tok, "a sum as a pattern is not supported: compare in a guard")
	}
	if negative {
		return &UnaryOp{p.span(start), USub, v}
	}
	return v
}

// dottedExpr reads a name with attributes.
func (p *parser) dottedExpr() Expr {
	start := p.tok.pos
	var e Expr = p.nameExpr(Load)
	for p.tok.kind == kDot {
		e = p.attribute(start, e)
	}
	return e
}

// namePattern reads a wildcard, a capture, a value or a class.
func (p *parser) namePattern() Pattern {
	start := p.tok.pos
	soft := p.isSoft("_")
	e := p.dottedExpr()
	n, plain := e.(*Name)
	switch {
	case p.tok.kind == kLpar:
		return p.classPattern(start, e)
	case p.tok.kind == kEqual:
		p.unexpected()
	case plain && soft:
		return &MatchAs{Span: p.span(start)}
	case plain:
		return &MatchAs{Span: p.span(start), Name: n.ID}
	}
	return &MatchValue{p.span(start), e}
}

func (p *parser) classPattern(start Pos, cls Expr) Pattern {
	p.enter()
	defer p.leave()
	p.advance()
	c := &MatchClass{Cls: cls}
	for p.tok.kind != kRpar {
		if p.tok.kind == kName && p.peek() == kEqual {
			c.KwdAttrs = append(c.KwdAttrs, p.name())
			p.advance()
			c.KwdPatterns = append(c.KwdPatterns, p.pattern())
		} else {
			e := p.pattern()
			if len(c.KwdAttrs) > 0 {
				p.failSpan(e.Range(), "positional patterns follow keyword patterns")
			}
			c.Patterns = append(c.Patterns, e)
		}
		if !p.accept(kComma) {
			break
		}
	}
	p.expect(kRpar)
	c.Span = p.span(start)
	return c
}

func (p *parser) mappingPattern() Pattern {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	p.advance()
	m := &MatchMapping{}
	for p.tok.kind != kRbrace {
		if p.tok.kind == kDoubleStar {
			p.lacks(p.tok, "** in a pattern is not supported: match the keys, and make the rest by {k: v for k, v in d.items() if k not in (…)}")
			p.advance()
			p.capture()
			p.accept(kComma)
			break
		}
		m.Keys = append(m.Keys, p.mappingKey())
		p.expect(kColon)
		m.Patterns = append(m.Patterns, p.pattern())
		if !p.accept(kComma) {
			break
		}
	}
	p.expect(kRbrace)
	m.Span = p.span(start)
	return m
}

// mappingKey reads a literal or a dotted name.
func (p *parser) mappingKey() Expr {
	switch k := p.tok.kind; k {
	case kNumber, kMinus:
		return p.signedNumber()
	case kString, kFStart:
		return p.strings()
	case kNone, kTrue, kFalse:
		return p.constant(words[k])
	}
	e := p.dottedExpr()
	if _, plain := e.(*Name); plain {
		p.unexpected()
	}
	return e
}
