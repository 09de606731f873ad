package syntax

import "fmt"

// unexpected gives up at the current token, which cannot stand where it does. It
// names the mistake where the tokens around it show which one it is.
func (p *parser) unexpected() {
	t, message := p.tok, "invalid syntax"
	kindOf := SyntaxError
	var before *token
	if p.i > 0 {
		before = &p.toks[p.i-1]
	}
	switch {
	case t.kind == kIndent:
		kindOf, message = IndentationError, "unexpected indent"
	case t.kind == kDedent:
		kindOf, message = IndentationError, "unexpected unindent"
	case before != nil && startsExpr[t.kind] && p.src[before.off:before.end] == "print":
		t, message = before, "Missing parentheses in call to 'print'. Did you mean print(...)?"
	case t.kind == kEqual:
		message += ". Maybe you meant '==' or ':=' instead of '='?"
	case before != nil && t.level > 0 && startsExpr[t.kind] && endsExpr(before.kind):
		message += ". Perhaps you forgot a comma?"
	}
	panic(parseError{&Error{Pos: t.pos, End: t.endPos, Kind: kindOf, Message: message}})
}

// endsExpr says whether an expression may end with a token.
func endsExpr(k kind) bool {
	switch k {
	case kName, kNumber, kString, kFEnd, kRpar, kRsqb, kRbrace, kEllipsis, kTrue, kFalse, kNone:
		return true
	}
	return false
}

// verdict is what is reported in place of e, an error of the grammar: a bracket
// that was opened on an earlier line and is never closed.
func (p *parser) verdict(e *Error) (v *Error) {
	l := &p.lexer // nothing is read after an error
	defer func() {
		if r := recover(); r != nil {
			le, ok := r.(lexError)
			if !ok {
				panic(r)
			}
			v = e
			if n := len(l.brackets); le.unclosed && e.Pos.Line > l.brackets[n-1].pos.Line {
				v = le.err
			}
		}
	}()
	var t token
	for t.kind = kNewline; t.kind != kEOF; {
		l.next(&t)
	}
	return e
}

// unclosed gives up at the end of the source because of an open bracket.
func (l *lexer) unclosed() {
	b := l.brackets[len(l.brackets)-1]
	panic(lexError{unclosed: true, err: &Error{
		Pos: b.pos, End: Pos{b.pos.Line, b.pos.Col + 1}, Kind: SyntaxError,
		Message: fmt.Sprintf("'%c' was never closed", b.char),
	}})
}
