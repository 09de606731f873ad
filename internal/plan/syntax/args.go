package syntax

// call reads the arguments of a call of f, which began at start.
func (p *parser) call(start Pos, f Expr) Expr {
	p.enter()
	defer p.leave()
	open := p.tok.pos
	p.advance()
	c := &Call{Func: f}
	c.Args, c.Keywords = p.arguments()
	if p.tok.kind == kFor || p.tok.kind == kAsync {
		if len(c.Args) != 1 || len(c.Keywords) > 0 {
			p.failTok(p.tok, "Generator expression must be parenthesized")
		}
		c.Args[0] = p.comprehension(open, GeneratorExp, c.Args[0], nil, kRpar)
	} else {
		p.expect(kRpar)
	}
	c.Span = p.span(start)
	return c
}

// arguments reads the arguments up to the closing parenthesis.
func (p *parser) arguments() (args []Expr, keywords []*Keyword) {
	unpacked := false // a ** was read
	for p.tok.kind != kRpar {
		start := p.tok.pos
		switch {
		case p.tok.kind == kStar:
			if unpacked {
				p.failTok(p.tok, "iterable argument unpacking follows keyword argument unpacking")
			}
			args = append(args, p.starred((*parser).expression))
		case p.accept(kDoubleStar):
			unpacked = true
			v := p.expression()
			keywords = append(keywords, &Keyword{Span: p.span(start), Value: v})
		case p.tok.kind == kName && p.peek() == kEqual:
			name := p.name()
			p.advance()
			v := p.expression()
			keywords = append(keywords, &Keyword{Span: p.span(start), Arg: name, Value: v})
		case len(keywords) > 0:
			p.failTok(p.tok, "positional argument follows keyword argument")
		default:
			args = append(args, p.namedExpression())
			if p.tok.kind == kEqual {
				p.failSpan(p.span(start), "expression cannot contain assignment, perhaps you meant \"==\"?")
			}
		}
		if !p.accept(kComma) {
			break
		}
	}
	return args, keywords
}

// parameters reads the parameters of a function up to the token end, which
// is not read: `)` of a def, `:` of a lambda, whose parameters have no
// annotations.
func (p *parser) parameters(end kind, annotated bool) *Arguments {
	a := &Arguments{}
	start := p.tok.pos
	var star *token
	seen := map[string]bool{}
	one := func(star bool) *Arg {
		arg := p.parameter(annotated, star)
		if seen[arg.Arg] {
			p.failSpan(arg.Span, "duplicate argument '%s' in function definition", arg.Arg)
		}
		seen[arg.Arg] = true
		return arg
	}
	for p.tok.kind != end {
		switch {
		case p.tok.kind == kSlash && star == nil && a.PosOnlyArgs == nil && a.Args != nil:
			a.PosOnlyArgs, a.Args = a.Args, nil
			p.advance()
		case p.tok.kind == kStar && star == nil:
			at := *p.tok
			star = &at
			p.advance()
			if p.tok.kind != kComma {
				a.VarArg = one(true)
			}
		case p.accept(kDoubleStar):
			a.KwArg = one(false)
			p.accept(kComma)
			if p.tok.kind != end {
				p.unexpected()
			}
			continue
		default:
			arg := one(false)
			var value Expr
			if p.accept(kEqual) {
				value = p.expression()
			}
			switch {
			case star != nil:
				a.KwOnlyArgs, a.KwDefaults = append(a.KwOnlyArgs, arg), append(a.KwDefaults, value)
			case value != nil:
				a.Args, a.Defaults = append(a.Args, arg), append(a.Defaults, value)
			case a.Defaults != nil:
				p.failSpan(arg.Span, "parameter without a default follows parameter with a default")
			default:
				a.Args = append(a.Args, arg)
			}
		}
		if p.tok.kind != end {
			p.expect(kComma)
		}
	}
	if star != nil && a.VarArg == nil && a.KwOnlyArgs == nil {
		p.failTok(star, "named arguments must follow bare *")
	}
	a.Span = p.span(start)
	if p.prevEnd.Before(start) {
		a.Span = Span{start, start}
	}
	return a
}

// parameter reads a name and its annotation, which may be starred when star is set.
func (p *parser) parameter(annotated, star bool) *Arg {
	start := p.tok.pos
	a := &Arg{Arg: p.name()}
	if annotated && p.accept(kColon) {
		if star {
			a.Annotation = p.starExpression()
		} else {
			a.Annotation = p.expression()
		}
	}
	a.Span = p.span(start)
	return a
}
