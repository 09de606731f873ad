package syntax

// Which parts of a target are at fault depends on what it is the target of.
type targetUse uint8

const (
	assigned targetUse = iota
	deleted
	looped
)

// badTarget finds the part of e that cannot be a target; nil when there is none.
func badTarget(e Expr, use targetUse) Expr {
	switch e := e.(type) {
	case *List:
		return firstBad(e.Elts, use)
	case *Tuple:
		return firstBad(e.Elts, use)
	case *Starred:
		if use == deleted {
			return e
		}
		return badTarget(e.Value, use)
	case *Compare:
		// `for f() in x` reads as a comparison.
		if use == looped {
			if e.Ops[0] == In {
				return badTarget(e.Left, use)
			}
			return nil
		}
		return e
	case *Name, *Subscript, *Attribute:
		return nil
	}
	return e
}

func firstBad(list []Expr, use targetUse) Expr {
	for _, e := range list {
		if bad := badTarget(e, use); bad != nil {
			return bad
		}
	}
	return nil
}

// failTarget reports e when it cannot be a target.
func (p *parser) failTarget(e Expr, use targetUse) {
	if e == nil {
		return
	}
	bad := badTarget(e, use)
	if bad == nil {
		return
	}
	verb := "assign to"
	if use == deleted {
		verb = "delete"
	}
	p.failSpan(bad.Range(), "cannot %s %s", verb, exprName(bad))
}

// searchStatement reads an expression statement or an assignment and looks
// for mistakes in it.
func (p *parser) searchStatement() Stmt {
	i := p.i
	var s Stmt
	if p.try(func() bool { s = p.plainExprStmt(); return true }) {
		if _, plain := s.(*ExprStmt); !plain {
			return s
		}
	}
	p.searchAnnotation(i)
	p.searchTargets(i)
	p.searchAugmented(i)
	p.rewind(i)
	return p.plainExprStmt()
}

// searchAnnotation looks for annotations of what cannot have one.
func (p *parser) searchAnnotation(i int) {
	colon := func() bool { return p.accept(kColon) && p.attempt((*parser).expression) != nil }
	p.rewind(i)
	if k := p.tok.kind; k == kLsqb || k == kLpar {
		if e := p.attempt((*parser).atom); e != nil && colon() {
			switch e.(type) {
			case *List, *Tuple:
				p.failSpan(e.Range(), "only single target (not %s) can be annotated", exprName(e))
			}
		}
		p.rewind(i)
	}
	if e := p.attempt((*parser).starNamedExpression); e != nil && p.accept(kComma) {
		for startsExpr[p.tok.kind] && p.attempt((*parser).starNamedExpression) != nil {
			p.accept(kComma) // the grammar lets lists follow each other here
		}
		if colon() {
			p.failSpan(e.Range(), "only single target (not tuple) can be annotated")
		}
	}
	p.rewind(i)
	if e := p.attempt((*parser).expression); e != nil && colon() {
		p.failSpan(e.Range(), "illegal target for annotation")
	}
}

// searchTargets looks for what cannot be assigned to.
func (p *parser) searchTargets(i int) {
	p.rewind(i)
	for {
		if p.tok.kind == kYield {
			e := p.attempt((*parser).yieldExpr)
			if e != nil && p.tok.kind == kEqual {
				p.failSpan(e.Range(), "assignment to yield expression not possible")
			}
			return
		}
		e := p.attempt((*parser).starExpressions)
		if e == nil || p.tok.kind != kEqual {
			return
		}
		p.failTarget(e, assigned)
		p.advance()
	}
}

// searchAugmented looks for augmented assignments to what cannot have one.
func (p *parser) searchAugmented(i int) {
	p.rewind(i)
	e := p.attempt((*parser).starExpressions)
	if e == nil || p.tok.kind < kPlusEq || p.tok.kind > kRshiftEq {
		return
	}
	p.advance()
	if p.attempt((*parser).annotatedRHS) != nil {
		p.failSpan(e.Range(), "'%s' is an illegal expression for augmented assignment", exprName(e))
	}
}

// diagDelete looks for what cannot be deleted; the targets begin at toks[i].
func (p *parser) diagDelete(i int) {
	if !p.searching() {
		return
	}
	at := p.i
	p.rewind(i)
	p.failTarget(p.attempt((*parser).starExpressions), deleted)
	p.rewind(at)
}

// diagImportTarget looks for an `as` with something else than a name.
func (p *parser) diagImportTarget() {
	if !p.searching() {
		return
	}
	if p.tok.kind == kName {
		switch p.peek() {
		case kComma, kRpar, kSemi, kNewline:
			return
		}
	}
	at := p.i
	if e := p.attempt((*parser).expression); e != nil {
		p.failSpan(e.Range(), "cannot use %s as import target", exprName(e))
	}
	p.rewind(at)
}

// missingColon reports the header of a statement that does not end in a colon.
func (p *parser) missingColon() {
	if p.searching() && p.tok.kind == kNewline {
		p.failTok(p.tok, "expected ':'")
	}
	p.unexpected()
}

// diagForTarget looks for what a loop cannot assign to. Its `for` is
// toks[head].
func (p *parser) diagForTarget(head int) {
	if !p.searching() {
		return
	}
	at := p.i
	p.rewind(head + 1)
	p.failTarget(p.attempt((*parser).starExpressions), looped)
	p.rewind(at)
}

// diagForIn looks for the missing `in` of a comprehension; the current token
// is the one behind its `for`.
func (p *parser) diagForIn() {
	if !p.searching() {
		return
	}
	at := p.i
	if p.attempt(func(p *parser) Expr {
		e := p.bitwiseOr()
		if p.tok.kind == kComma {
			return p.restOfTuple(e.Range().Start, e, (*parser).bitwiseOr)
		}
		return e
	}) != nil && p.tok.kind != kIn {
		p.failLast("'in' expected after for-loop variables")
	}
	p.rewind(at)
}

// diagWithTarget looks for what a with statement cannot assign to; the
// current token begins it.
func (p *parser) diagWithTarget() {
	if !p.searching() {
		return
	}
	at := p.i
	if p.try(func() bool {
		_, bad := target(p.starTarget(), Store, true)
		return bad == nil && endsItem[p.tok.kind]
	}) {
		p.rewind(at)
		return
	}
	e := p.attempt((*parser).expression)
	switch p.tok.kind {
	case kComma, kRpar, kColon:
		p.failTarget(e, assigned)
	}
	p.rewind(at)
}

// diagHandlerName looks for an `as` of a handler with something else than a name.
func (p *parser) diagHandlerName(what string) {
	if !p.searching() {
		return
	}
	at := p.i
	if e := p.attempt((*parser).expression); e != nil && p.tok.kind == kColon {
		p.advance()
		if p.tok.kind == kNewline && p.peek() != kIndent {
			p.failAtPos(IndentationError, p.ahead(1).pos, p.ahead(1).endPos, "expected an indented block")
		}
		p.failSpan(e.Range(), "cannot use %s with %s", what, exprName(e))
	}
	p.rewind(at)
}

// diagMatch looks for what is missing in a match statement.
func (p *parser) diagMatch() {
	if !p.searching() {
		return
	}
	at := p.i
	p.advance()
	if p.attempt((*parser).subject) != nil && p.tok.kind == kNewline {
		p.failLast("expected ':'")
	}
	p.rewind(at)
}

// diagAsPattern looks for what a pattern cannot bind.
func (p *parser) diagAsPattern() {
	if !p.searching() {
		return
	}
	if p.isSoft("_") {
		p.failTok(p.tok, "cannot use '_' as a target")
	}
	at := p.i
	if e := p.attempt((*parser).expression); e != nil {
		p.failSpan(e.Range(), "cannot use %s as pattern target", exprName(e))
	}
	p.rewind(at)
}

// diagTypeBound looks for the bound of a type parameter that cannot have one.
func (p *parser) diagTypeBound(k kind) {
	if !p.searching() || p.tok.kind != kColon {
		return
	}
	start := p.tok.pos
	p.advance()
	e := p.attempt((*parser).expression)
	if e == nil {
		p.unexpected()
	}
	what, whose := "bound", "ParamSpec"
	if _, ok := e.(*Tuple); ok {
		what = "constraints"
	}
	if k == kStar {
		whose = "TypeVarTuple"
	}
	p.failFrom(start, "cannot use %s with %s", what, whose)
}
