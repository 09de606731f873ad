package syntax

// What this file and its neighbours do happens only when a statement is read
// for the second time, because it could not be read the first time. They look
// for mistakes that have a name, in the order in which CPython looks for
// them, as the first one found is the one reported.

// searching says whether mistakes are looked for.
func (p *parser) searching() bool { return p.diag && !p.plainly }

// silent reads with f without looking for mistakes in it. It reports whether
// f could read.
func (p *parser) silent(f func(*parser) Expr) (e Expr) {
	plainly := p.plainly
	p.plainly = true
	defer func() { p.plainly = plainly }()
	p.try(func() bool { e = f(p); return true })
	return e
}

// attempt reads with f, which may find a mistake; nil when f cannot read.
func (p *parser) attempt(f func(*parser) Expr) (e Expr) {
	if !p.try(func() bool { e = f(p); return true }) {
		return nil
	}
	return e
}

// lastPos is the place of the token read last, on the way or ahead of it:
// where CPython puts a message that has no place of its own.
func (p *parser) lastPos() Span { return p.tokenSpan(&p.toks[len(p.toks)-1]) }

// tokenSpan is the place of t. A token without text is where CPython's tokenizer
// was when it made the token: a column before.
func (p *parser) tokenSpan(t *token) Span {
	switch {
	case t.kind == kIndent, t.kind == kDedent && int(t.off) < p.size:
		at := Pos{t.pos.Line, max(0, t.pos.Col-1)}
		return Span{at, at}
	case t.kind == kEOF, t.kind == kDedent:
		if at, ok := p.endOfText(); ok {
			return Span{at, at}
		}
	}
	return Span{t.pos, t.endPos}
}

// endOfText is the place behind the last character but the newline.
func (p *parser) endOfText() (Pos, bool) {
	if p.size == 0 {
		return Pos{}, false
	}
	line, start := p.line, p.lineStart
	if start == p.size { // the line behind the last newline
		line--
		start = p.size - 1
		for start > 0 && p.src[start-1] != '\n' {
			start--
		}
	}
	return Pos{line, int32(p.size - 1 - start)}, true
}

// failLast reports a mistake at the last token.
func (p *parser) failLast(format string, args ...any) {
	p.failSpan(p.lastPos(), format, args...)
}

// failFrom reports a mistake from a to the end of what was read.
func (p *parser) failFrom(a Pos, format string, args ...any) {
	p.failSpan(Span{a, p.prevEnd}, format, args...)
}

// isLegacy says whether t is the name of a statement of Python 2.
func (p *parser) isLegacy(t *token) bool {
	s := p.src[t.off:t.end]
	return t.kind == kName && (s == "print" || s == "exec")
}

// isSoftKeyword says whether t is a soft keyword.
func (p *parser) isSoftKeyword(t *token) bool {
	switch p.src[t.off:t.end] {
	case "_", "case", "match", "type":
		return t.kind == kName
	}
	return false
}

// searchExpression reads an expression and looks for mistakes at its start
// and behind it.
func (p *parser) searchExpression() Expr {
	i := p.i
	first := p.toks[i]
	switch first.kind {
	case kString:
		p.searchStringGap()
	case kLambda:
		return p.lambda()
	case kPass, kBreak, kContinue:
		p.searchStatementBeforeIf()
	}
	exempt := p.isSoftKeyword(&first) || first.kind == kName && p.peek() == kString
	a := p.attemptOrLegacy(&first, i)
	h := p.h
	if !exempt {
		p.searchMissingComma(&first, i, a)
	}
	if p.tok.kind == kIf {
		a = p.searchTernary(first.pos, a)
	} else {
		p.searchLegacy(&first, i)
		p.h = h
	}
	return a
}

// attemptOrLegacy reads a disjunction. When it cannot, it still looks for a
// statement of Python 2.
func (p *parser) attemptOrLegacy(first *token, i int) Expr {
	if p.quietAt == i && i > 0 {
		// CPython remembers what it read here without looking for mistakes.
		if a := p.silent((*parser).disjunction); a != nil {
			return a
		}
		p.searchLegacy(first, i)
		p.unexpected()
	}
	if first.kind != kName {
		return p.disjunction()
	}
	if a := p.attempt((*parser).disjunction); a != nil {
		return a
	}
	p.rewind(i)
	p.searchLegacy(first, i)
	p.unexpected()
	return nil
}

// searchStringGap looks for text between two string literals.
func (p *parser) searchStringGap() {
	i, depth, prev := p.i, p.depth, p.prevEnd
	p.advance()
	var from, to Pos
	n := 0
	for p.tok.kind != kString && startsExpr[p.tok.kind] {
		at := p.tok.pos
		if p.silent((*parser).simpleExpression) == nil {
			break
		}
		if n == 0 {
			from = at
		}
		to = p.prevEnd
		n++
	}
	if n > 0 && p.tok.kind == kString {
		p.failSpan(Span{from, to}, "invalid syntax. Is this intended to be part of the string?")
	}
	p.rewind(i)
	p.depth, p.prevEnd = depth, prev
}

// simpleExpression reads an expression without looking for mistakes.
func (p *parser) simpleExpression() Expr { return p.expression() }

// searchMissingComma looks for a second expression right behind a.
func (p *parser) searchMissingComma(first *token, i int, a Expr) {
	if !startsExpr[p.tok.kind] || p.tok.kind == kStar || a == nil {
		return
	}
	at := p.i
	p.quietAt = at
	b := p.silent((*parser).simpleExpression)
	if b == nil {
		return
	}
	legacy := false
	if n, ok := a.(*Name); ok && (n.ID == "print" || n.ID == "exec") {
		legacy = true
	}
	if !legacy && p.toks[p.i-1].level > 0 {
		p.failSpan(Span{a.Range().Start, b.Range().End}, "invalid syntax. Perhaps you forgot a comma?")
	}
	p.rewind(at)
}

// searchLegacy looks for `print x` and `exec x`; the name is toks[i]. After
// another name it looks for mistakes in what might be x.
func (p *parser) searchLegacy(first *token, i int) {
	if first.kind != kName || i+1 >= len(p.toks) {
		return
	}
	switch k := p.toks[i+1].kind; {
	case k == kPass || k == kBreak || k == kContinue:
	case k == kLpar || !startsExpr[k]:
		return
	case p.isLegacy(first):
	case trailers[k] || binary[k].prec > 0 || k == kNot && i+2 < len(p.toks) && p.toks[i+2].kind == kIn:
		return // it goes on from the name, and was looked at with it
	}
	at := p.i
	p.rewind(i + 1)
	if b := p.attempt((*parser).starExpressions); b != nil {
		if p.isLegacy(first) {
			name := p.src[first.off:first.end]
			p.failSpan(Span{first.pos, b.Range().End}, "Missing parentheses in call to '%s'. Did you mean %s(...)?", name, name)
		}
	}
	p.rewind(at)
}

// searchTernary reads a conditional expression from its `if` on.
func (p *parser) searchTernary(start Pos, body Expr) Expr {
	at, h := p.i, p.h
	p.advance()
	test := p.attempt((*parser).disjunction)
	if test == nil {
		p.rewind(at)
		p.h = h
		return body
	}
	h = max(h, p.h)
	switch p.tok.kind {
	case kElse:
	case kColon:
		p.rewind(at)
		p.h = h
		return body
	default:
		p.failSpan(Span{body.Range().Start, test.Range().End}, "expected 'else' after 'if' expression")
	}
	p.advance()
	other := p.attempt((*parser).expression)
	if other == nil {
		p.failSpan(p.tokenSpan(p.tok), "expected expression after 'else', but statement is given")
	}
	p.up(max(h, p.h))
	return &IfExp{Span: p.span(start), Test: test, Body: body, OrElse: other}
}

// searchStatementBeforeIf looks for `pass if x else y`.
func (p *parser) searchStatementBeforeIf() {
	if k := p.tok.kind; k != kPass && k != kBreak && k != kContinue {
		return
	}
	word := p.tok
	at := p.i
	p.advance()
	if p.accept(kIf) && p.attempt((*parser).disjunction) != nil && p.accept(kElse) &&
		p.try(func() bool { p.simple(); return true }) {
		p.failTok(word, "expected expression before 'if', but statement is given")
	}
	p.rewind(at)
}

// diagLambdaColon looks for a lambda in a replacement field whose colon
// begins the format spec; the lambda began at start.
func (p *parser) diagLambdaColon(start Pos) {
	if p.searching() && p.tok.kind == kFMiddle {
		p.failFrom(start, "%s: lambda expressions are not allowed without parentheses", stringName(p.tok.tmpl))
	}
}

// stringName is how messages call an f- or t-string.
func stringName(tmpl bool) string {
	if tmpl {
		return "t-string"
	}
	return "f-string"
}

// searchNamed reads an expression that might be named, and looks for other
// things than `:=` behind it.
func (p *parser) searchNamed() Expr {
	i := p.i
	first := p.toks[i]
	e := p.expression()
	switch p.tok.kind {
	case kColonEqual:
		p.advance()
		if p.attempt((*parser).expression) != nil {
			p.failSpan(e.Range(), "cannot use assignment expressions with %s", exprName(e))
		}
		p.unexpected()
	case kEqual:
		at, h := p.i, p.h
		p.searchEqual(i, &first, e)
		p.rewind(at)
		p.h = h
	}
	return e
}

// searchEqual looks for a `=` that should be `==` or `:=`; the current token
// is the `=` behind e, which began with first, toks[i].
func (p *parser) searchEqual(i int, first *token, e Expr) {
	one := first.kind == kName && p.i == i+1
	if !one && (!isBitwise(e, first.pos) || p.beginsWithDisplay(i)) {
		return
	}
	at := p.i
	p.rewind(at)
	p.advance()
	b := p.attempt((*parser).bitwiseOr)
	if b == nil || p.tok.kind == kEqual || p.tok.kind == kColonEqual {
		return
	}
	if one {
		p.failSpan(Span{first.pos, b.Range().End}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	}
	p.failSpan(e.Range(), "cannot assign to %s here. Maybe you meant '==' instead of '='?", exprName(e))
}

// isBitwise says whether e, which was read from start on, is written without
// comparisons or words outside of brackets.
func isBitwise(e Expr, start Pos) bool {
	if e.Range().Start != start {
		return true // it is in parentheses
	}
	switch e := e.(type) {
	case *Compare, *BoolOp, *Lambda, *IfExp:
		return false
	case *UnaryOp:
		return e.Op != Not
	}
	return true
}

// beginsWithDisplay says whether a list, a tuple, a generator expression,
// None, True or False is at toks[i].
func (p *parser) beginsWithDisplay(i int) bool {
	switch p.toks[i].kind {
	case kNone, kTrue, kFalse:
		return true
	case kLpar, kLsqb:
	default:
		return false
	}
	at := p.i
	start := p.toks[i].pos
	p.rewind(i)
	e := p.silent((*parser).atom)
	p.rewind(at)
	if e == nil || e.Range().Start != start {
		return false
	}
	switch e.(type) {
	case *List, *Tuple, *GeneratorExp:
		return true
	}
	return false
}

// exprName is how messages call e.
func exprName(e Expr) string {
	switch e := e.(type) {
	case *Attribute:
		return "attribute"
	case *Subscript:
		return "subscript"
	case *Starred:
		return "starred"
	case *Name:
		return "name"
	case *List:
		return "list"
	case *Tuple:
		return "tuple"
	case *Lambda:
		return "lambda"
	case *Call:
		return "function call"
	case *GeneratorExp:
		return "generator expression"
	case *Yield, *YieldFrom:
		return "yield expression"
	case *Await:
		return "await expression"
	case *ListComp:
		return "list comprehension"
	case *SetComp:
		return "set comprehension"
	case *DictComp:
		return "dict comprehension"
	case *Dict:
		return "dict literal"
	case *Set:
		return "set display"
	case *JoinedStr:
		return "f-string expression"
	case *TemplateStr:
		return "t-string expression"
	case *Compare:
		return "comparison"
	case *IfExp:
		return "conditional expression"
	case *NamedExpr:
		return "named expression"
	case *Constant:
		return constantName(e.Kind)
	}
	return "expression"
}

func constantName(k ConstKind) string {
	switch k {
	case None, True, False:
		return k.String()
	case Ellipsis:
		return "ellipsis"
	}
	return "literal"
}

// searchRight reads an operator of precedence prec and its right operand;
// nil when the operand is missing: what is before the operator may then still
// say what is wrong.
func (p *parser) searchRight(prec uint8) Expr {
	return p.attempt(func(p *parser) Expr {
		p.advance()
		if p.tok.kind == kNot && prec >= precSum {
			p.diagNotAfter()
		}
		return p.binary(prec + 1)
	})
}

// diagNotAfter looks for `not` behind an arithmetic operator.
func (p *parser) diagNotAfter() {
	if p.plainly {
		return
	}
	start := p.tok.pos
	at := p.i
	if b := p.attempt((*parser).inversion); b != nil {
		p.failSpan(Span{start, b.Range().End}, "'not' after an operator must be parenthesized")
	}
	p.rewind(at)
}
