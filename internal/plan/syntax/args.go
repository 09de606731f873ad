package syntax

// call reads the arguments of a call of f, which began at start.
func (p *parser) call(start Pos, f Expr) Expr {
	p.enter()
	h := p.h
	open := p.tok.pos
	p.advance()
	c := p.calls.get()
	c.Func = f
	if p.tok.kind != kRpar {
		p.h = 0
		c.Args, c.Keywords = p.arguments(open)
		h = max(h, p.h)
	}
	if !p.closedByGenerator(c, open) {
		p.expect(kRpar)
	}
	c.Span = p.span(start)
	p.depth--
	p.up(h)
	return c
}

// closedByGenerator says whether the call's only argument is a generator
// expression that shares its parentheses, the closing one included.
func (p *parser) closedByGenerator(c *Call, open Pos) bool {
	if len(c.Args) != 1 || len(c.Keywords) != 0 {
		return false
	}
	g, ok := c.Args[0].(*GeneratorExp)
	return ok && g.Start == open
}

// noGenerator is the place of parentheses that a generator expression cannot
// share.
var noGenerator = Pos{}

// arguments reads the arguments up to the closing parenthesis. open is where
// the opening one stands.
func (p *parser) arguments(open Pos) ([]Expr, []*Keyword) {
	args, kws := p.exprs.mark(), p.kwList.mark()
	h := 0
	unpacked := false // a ** was read
	for {
		switch {
		case p.tok.kind == kStar:
			if unpacked {
				p.failTok(p.tok, "iterable argument unpacking follows keyword argument unpacking")
			}
			p.exprs.push(p.starred((*parser).expression))
		case p.tok.kind == kDoubleStar:
			unpacked = true
			start := p.tok.pos
			p.advance()
			p.keyword(start, "")
		case p.tok.kind == kName && p.peek() == kEqual:
			start := p.tok.pos
			id := p.text(p.tok)
			p.advance()
			p.advance()
			p.keyword(start, id)
		default:
			if p.kwList.mark() > kws {
				p.failTok(p.tok, "positional argument follows keyword argument")
			}
			e := p.argument()
			if (p.tok.kind == kFor || p.tok.kind == kAsync) && open != noGenerator {
				if p.exprs.mark() != args {
					p.failSpan(e.Range(), "Generator expression must be parenthesized")
				}
				e = p.bareGenerator(open, e)
				p.exprs.push(e)
				p.up(p.h)
				return p.exprs.take(args), nil
			}
			if p.tok.kind == kEqual {
				p.failSpan(e.Range(), "expression cannot contain assignment, perhaps you meant \"==\"?")
			}
			p.exprs.push(e)
		}
		h = max(h, p.h)
		if !p.accept(kComma) || p.tok.kind == kRpar {
			break
		}
	}
	p.h = h
	return p.exprs.take(args), p.kwList.take(kws)
}

// keyword reads the value of a keyword argument and pushes the argument.
func (p *parser) keyword(start Pos, id string) {
	v := p.expression()
	k := p.keywords.get()
	*k = Keyword{Span: p.span(start), Arg: id, Value: v}
	p.kwList.push(k)
	p.up(p.h)
}

// argument reads a positional argument.
func (p *parser) argument() Expr {
	if p.tok.kind == kName && p.peek() == kColonEqual {
		return p.walrus()
	}
	e := p.expression()
	if p.tok.kind == kColonEqual {
		p.unexpected()
	}
	return e
}

// bareGenerator reads a generator expression without parentheses of its own,
// which must be the only argument.
func (p *parser) bareGenerator(open Pos, elt Expr) Expr {
	g := &GeneratorExp{Elt: elt}
	h := p.h
	g.Generators = p.comprehensions()
	p.up(max(h, p.h))
	if p.tok.kind == kComma {
		p.failSpan(elt.Range(), "Generator expression must be parenthesized")
	}
	p.expect(kRpar)
	g.Span = p.span(open)
	return g
}

// parameters reads the parameters of a function up to the token end, which
// is not read: `)` of a def, `:` of a lambda, whose parameters have no
// annotations.
func (p *parser) parameters(end kind, annotated bool) *Arguments {
	a := p.arguments0()
	start := p.tok.pos
	mark, defs := p.argList.mark(), p.defaults.mark()
	h := 0
	for p.tok.kind != end {
		switch p.tok.kind {
		case kSlash:
			if a.PosOnlyArgs != nil || p.argList.mark() == mark {
				p.unexpected()
			}
			a.PosOnlyArgs = p.argList.take(mark)
			p.advance()
		case kStar:
			a.Args = p.argList.take(mark)
			a.Defaults = p.defaults.take(defs)
			p.starParameters(a, end, annotated)
			h = max(h, p.h)
			a.Span = p.span(start)
			p.h = h + 1
			return a
		case kDoubleStar:
			a.Args = p.argList.take(mark)
			a.Defaults = p.defaults.take(defs)
			p.kwParameter(a, end, annotated)
			a.Span = p.span(start)
			p.h = max(h, p.h) + 1
			return a
		default:
			arg := p.parameter(annotated, false)
			p.argList.push(arg)
			h = max(h, p.h)
			if p.accept(kEqual) {
				p.defaults.push(p.expression())
				h = max(h, p.h)
			} else if p.defaults.mark() > defs {
				p.failSpan(arg.Span, "parameter without a default follows parameter with a default")
			}
		}
		if p.tok.kind != end {
			p.expect(kComma)
		}
	}
	a.Args = p.argList.take(mark)
	a.Defaults = p.defaults.take(defs)
	a.Span = p.span(start)
	if len(a.Args)+len(a.PosOnlyArgs) == 0 {
		a.Span = Span{start, start}
	}
	p.h = h + 1
	return a
}

func (p *parser) arguments0() *Arguments { return p.arena.arguments.get() }

// starParameters reads `*args` or `*` and the parameters behind it.
func (p *parser) starParameters(a *Arguments, end kind, annotated bool) {
	star := *p.tok
	p.advance()
	h := 0
	bare := p.tok.kind == kComma
	if !bare {
		a.VarArg = p.parameter(annotated, true)
		h = p.h
	}
	mark, defs := p.argList.mark(), p.defaults.mark()
	for p.tok.kind != end {
		p.expect(kComma)
		if p.tok.kind == end {
			break
		}
		if p.tok.kind == kDoubleStar {
			a.KwOnlyArgs, a.KwDefaults = p.argList.take(mark), p.defaults.take(defs)
			if bare && a.KwOnlyArgs == nil {
				p.failTok(&star, "named arguments must follow bare *")
			}
			p.kwParameter(a, end, annotated)
			p.h = max(h, p.h)
			return
		}
		p.argList.push(p.parameter(annotated, false))
		h = max(h, p.h)
		var d Expr
		if p.accept(kEqual) {
			d = p.expression()
			h = max(h, p.h)
		}
		p.defaults.push(d)
	}
	a.KwOnlyArgs, a.KwDefaults = p.argList.take(mark), p.defaults.take(defs)
	if bare && a.KwOnlyArgs == nil {
		p.failTok(&star, "named arguments must follow bare *")
	}
	p.h = h
}

// kwParameter reads `**kwargs`, which must be the last.
func (p *parser) kwParameter(a *Arguments, end kind, annotated bool) {
	p.advance()
	a.KwArg = p.parameter(annotated, false)
	p.accept(kComma)
	if p.tok.kind != end {
		p.unexpected()
	}
}

// parameter reads a name and its annotation, which may be starred when star is set.
func (p *parser) parameter(annotated, star bool) *Arg {
	start := p.tok.pos
	a := p.args.get()
	a.Arg = p.name()
	p.h = 1
	if annotated && p.accept(kColon) {
		if star && p.tok.kind == kStar {
			a.Annotation = p.starExpression()
		} else {
			a.Annotation = p.expression()
		}
		p.up(p.h)
	}
	a.Span = p.span(start)
	return a
}
