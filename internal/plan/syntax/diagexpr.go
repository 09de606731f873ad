package syntax

// diagParen looks for `**` behind an opening parenthesis.
func (p *parser) diagParen() {
	if p.tok.kind != kDoubleStar {
		return
	}
	star := p.tok
	at := p.i
	p.advance()
	if p.attempt((*parser).expression) != nil && p.tok.kind == kRpar {
		p.failTok(star, "cannot use double starred expression here")
	}
	p.rewind(at)
}

// diagComprehensionTarget looks for a comprehension whose element is a tuple
// without parentheses; elts are the elements read so far.
func (p *parser) diagComprehensionTarget(elts []Expr) {
	if !p.searching() || p.tok.kind != kFor && p.tok.kind != kAsync {
		return
	}
	start, end := elts[0].Range().Start, p.prevEnd
	if len(elts) > 1 {
		end = elts[len(elts)-1].Range().End
	}
	at := p.i
	if p.try(func() bool { p.comprehensions(); return true }) {
		p.failSpan(Span{start, end}, "did you forget parentheses around the comprehension target?")
	}
	p.rewind(at)
}

// CPython looks for the two mistakes below already when it reads a statement
// for the first time.

// diagMissingColon looks for a dict whose key has no value. Only the keys
// behind the first show that it is a dict.
func (p *parser) diagMissingColon(key Expr, first bool) {
	if first {
		return
	}
	end := key.Range().End
	at := Pos{end.Line, max(0, end.Col-1)}
	p.failSpan(Span{at, end}, "':' expected after dictionary key")
}

// diagDictValue looks for what cannot be the value of a dict; the current
// token is the one behind the colon.
func (p *parser) diagDictValue() {
	switch p.tok.kind {
	case kStar:
		start := p.tok.pos
		p.starExpression()
		p.failFrom(start, "cannot use a starred expression in a dictionary value")
	case kRbrace, kComma:
		p.failTok(&p.toks[p.i-1], "expression expected after dictionary key and ':'")
	}
}

// diagFailedArgument looks for mistakes in the arguments of a call, the last
// of which, e, cannot be where it does: something is behind it that does
// not belong there, or a keyword argument is before it.
func (p *parser) diagFailedArgument(e Expr, keywords []*Keyword) {
	if !p.searching() {
		return
	}
	if p.tok.kind == kEqual {
		p.advance()
		p.failFrom(e.Range().Start, "expression cannot contain assignment, perhaps you meant \"==\"?")
	}
	if len(keywords) == 0 {
		return
	}
	for p.accept(kComma) && p.tok.kind != kRpar {
		if !p.try(func() bool { p.anyArgument(); return true }) {
			break
		}
	}
	for _, k := range keywords {
		if k.Arg == "" {
			p.failLast("positional argument follows keyword argument unpacking")
		}
	}
	p.failLast("positional argument follows keyword argument")
}

// anyArgument reads one argument of a call.
func (p *parser) anyArgument() {
	switch {
	case p.tok.kind == kStar || p.tok.kind == kDoubleStar:
		p.advance()
	case p.tok.kind == kName && p.peek() == kEqual:
		p.advance()
		p.advance()
	}
	p.argument()
}

// diagBareGenerator reports a generator expression that needs parentheses.
func (p *parser) diagBareGenerator(g *GeneratorExp, first bool) {
	if p.searching() && (!first || p.tok.kind == kComma) {
		p.failFrom(g.Elt.Range().Start, "Generator expression must be parenthesized")
	}
}

// diagKeyword looks for mistakes in a keyword argument; the current token
// begins its value and the name began at start.
func (p *parser) diagKeyword(start Pos) {
	if !p.searching() {
		return
	}
	if k := p.tok.kind; k == kComma || k == kRpar {
		p.failFrom(start, "expected argument value expression")
	}
}

// diagKeywordValue looks for a comprehension behind the value of a keyword
// argument, whose name and `=` are name.
func (p *parser) diagKeywordValue(name Span) {
	if !p.searching() || p.tok.kind != kFor && p.tok.kind != kAsync {
		return
	}
	at := p.i
	if p.try(func() bool { p.comprehensions(); return true }) {
		p.failSpan(name, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	}
	p.rewind(at)
}

// diagConstantKeyword looks for `True=x`.
func (p *parser) diagConstantKeyword() {
	if !p.searching() {
		return
	}
	switch t := p.tok; t.kind {
	case kNone, kTrue, kFalse:
		if p.peek() == kEqual {
			p.failSpan(Span{t.pos, p.ahead(1).endPos}, "cannot assign to %s", kindTexts[t.kind])
		}
	}
}

// diagUnpacked looks for an assignment to an unpacked argument that began at start.
func (p *parser) diagUnpacked(start Pos, what string) {
	if !p.searching() || p.tok.kind != kEqual {
		return
	}
	at := p.i
	p.advance()
	if p.attempt((*parser).expression) != nil {
		p.failFrom(start, "cannot assign to %s argument unpacking", what)
	}
	p.rewind(at)
}

// diagStarAfterDoubleStar reports `*a` behind `**b`; the current token is
// the star, and a comma before it.
func (p *parser) diagStarAfterDoubleStar() {
	if !p.searching() {
		return
	}
	comma := p.toks[p.i-1].pos
	for p.tok.kind == kStar && p.attempt((*parser).starExpression) != nil && p.tok.kind == kComma && p.peek() == kStar {
		p.advance()
	}
	p.failFrom(comma, "iterable argument unpacking follows keyword argument unpacking")
}

// starredArgument reads `*value` in a call.
func (p *parser) starredArgument() Expr {
	start := p.tok.pos
	var e Expr
	if p.searching() {
		if e = p.attempt(func(p *parser) Expr { return p.starred((*parser).expression) }); e == nil {
			p.failLast("Invalid star expression")
		}
	} else {
		e = p.starred((*parser).expression)
	}
	if p.searching() && (p.tok.kind == kFor || p.tok.kind == kAsync) && p.try(func() bool { p.comprehensions(); return true }) {
		p.failSpan(e.Range(), "iterable unpacking cannot be used in comprehension")
	}
	p.diagUnpacked(start, "iterable")
	return e
}

// diagFirstStar looks for a lone `*` behind an opening bracket.
func (p *parser) diagFirstStar() {
	if !p.searching() || p.tok.kind != kStar {
		return
	}
	at := p.i
	if p.attempt(func(p *parser) Expr { return p.starred((*parser).expression) }) == nil {
		p.failLast("Invalid star expression")
	}
	p.rewind(at)
}

// diagDefault looks for a `=` without a default behind it.
func (p *parser) diagDefault() {
	if !p.searching() {
		return
	}
	if k := p.tok.kind; k == kRpar || k == kComma {
		p.failTok(&p.toks[p.i-1], "expected default value expression")
	}
}

// diagSlash looks for the reason why a `/` cannot be here.
func (p *parser) diagSlash(seen bool) {
	if !p.searching() {
		return
	}
	if seen {
		p.failTok(p.tok, "/ may appear only once")
	}
	if p.peek() == kComma {
		p.failTok(p.tok, "at least one argument must precede /")
	}
}

// diagParenthesized looks for parameters in parentheses.
func (p *parser) diagParenthesized(end kind, annotated bool) {
	if !p.searching() || p.tok.kind != kLpar {
		return
	}
	start := p.tok.pos
	at := p.i
	what := "Lambda expression parameters"
	if end == kRpar {
		what = "Function parameters"
	}
	p.advance()
	if p.try(func() bool {
		for {
			p.parameter(annotated, false)
			if !p.accept(kComma) || p.tok.kind == kRpar {
				return p.accept(kRpar)
			}
		}
	}) {
		p.failFrom(start, "%s cannot be parenthesized", what)
	}
	p.rewind(at)
}

// diagAfterStar looks for the reason why the current token cannot stand
// among the parameters behind a `*`.
func (p *parser) diagAfterStar(end kind) {
	if !p.searching() {
		return
	}
	switch p.tok.kind {
	case kSlash:
		p.failTok(p.tok, "/ must be ahead of *")
	case kStar:
		star := p.tok
		p.advance()
		if p.tok.kind == kName {
			p.parameter(end == kRpar, false)
		}
		if p.tok.kind == kComma || p.tok.kind == end {
			p.failTok(star, "* argument may appear only once")
		}
		p.unexpected()
	}
}

// diagBareStar looks for a lone `*`, which is star, without names behind it.
func (p *parser) diagBareStar(star *token, end kind) {
	if !p.searching() {
		return
	}
	if end == kRpar {
		p.failTok(star, "named arguments must follow bare *")
	}
	p.failLast("named arguments must follow bare *")
}

// diagStarDefault looks for a default of `*args` or `**kwargs`.
func (p *parser) diagStarDefault(what string) {
	if p.searching() && p.tok.kind == kEqual {
		p.failTok(p.tok, "%s argument cannot have default value", what)
	}
}

// diagAfterKwargs looks for parameters behind `**kwargs`.
func (p *parser) diagAfterKwargs() {
	if !p.searching() {
		return
	}
	switch p.tok.kind {
	case kName, kStar, kDoubleStar, kSlash:
		p.failTok(p.tok, "arguments cannot follow var-keyword argument")
	}
}

// fieldValue reads the expression of a replacement field.
func (p *parser) fieldValue(what string) Expr {
	if !p.searching() {
		return p.annotatedRHS()
	}
	switch k := p.tok.kind; k {
	case kEqual, kExclam, kColon, kRbrace:
		p.failTok(p.tok, "%s: valid expression required before '%s'", what, kindTexts[k])
	}
	e := p.attempt((*parser).annotatedRHS)
	if e == nil {
		p.failTok(p.tok, "%s: expecting a valid expression after '{'", what)
	}
	return e
}

// diagFieldValue looks at what follows the expression of a field.
func (p *parser) diagFieldValue(what string) {
	if !p.searching() {
		return
	}
	switch p.tok.kind {
	case kEqual, kExclam, kColon, kRbrace:
	default:
		p.failTok(p.tok, "%s: expecting '=', or '!', or ':', or '}'", what)
	}
}

// diagFieldEqual looks at what follows the `=` of a field.
func (p *parser) diagFieldEqual(what string) {
	if !p.searching() {
		return
	}
	switch p.tok.kind {
	case kExclam, kColon, kRbrace:
	default:
		p.failTok(p.tok, "%s: expecting '!', or ':', or '}'", what)
	}
}

// diagConversion looks at what follows the `!` of a field.
func (p *parser) diagConversion(what string) {
	if !p.searching() {
		return
	}
	if k := p.tok.kind; k == kColon || k == kRbrace {
		p.failTok(p.tok, "%s: missing conversion character", what)
	}
	p.failTok(p.tok, "%s: invalid conversion character", what)
}

// diagFieldEnd looks at what is in place of the closing brace.
func (p *parser) diagFieldEnd(what string, spec bool) {
	if !p.searching() {
		return
	}
	if spec {
		p.failTok(p.tok, "%s: expecting '}', or format specs", what)
	}
	p.failTok(p.tok, "%s: expecting ':' or '}'", what)
}
