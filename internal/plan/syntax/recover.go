package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// guarded reads a statement. When it cannot, the error is recorded and the
// current token is one from which reading can go on.
func (p *parser) guarded() {
	at := p.tok.off
	depth, marks := p.depth, p.marks()
	defer p.caught(depth, marks, at)
	if p.tok.kind != kIndent {
		p.wasMatch = false
	}
	if p.lost && p.orphan() {
		p.skipLine()
		p.strayBlock()
		p.lost = true
		return
	}
	p.lost = false
	if p.tok.kind == kDedent { // of a block whose start was lost
		p.cutTokens()
		p.advance()
		return
	}
	p.statement()
}

// guardedCase reads a case of m in the same way.
func (p *parser) guardedCase(m *Match) {
	at := p.tok.off
	depth, marks := p.depth, p.marks()
	defer p.caught(depth, marks, at)
	p.inClause = true
	m.Cases = append(m.Cases, p.matchCase())
}

// guard runs f in the same way; again is what reads the tokens a second time
// to find out what is wrong.
func (p *parser) guard(f, again func()) {
	p.again = again
	depth, marks := p.depth, p.marks()
	defer p.caught(depth, marks, -1)
	f()
	p.again = nil
}

// caught is deferred by the functions above.
func (p *parser) caught(depth int, marks marks, at int32) {
	r := recover()
	if r == nil {
		return
	}
	p.depth = depth
	stay := p.report(r)
	p.cut(marks)
	p.depth, p.diag, p.plainly = depth, false, false
	p.resume(stay, at)
}

// report records the error that r, a recovered panic, stands for. It reports
// whether reading can go on right at the current token.
func (p *parser) report(r any) (stay bool) {
	var e *Error
	fromLexer := false
	switch r := r.(type) {
	case lexError:
		p.dropToken()
		p.stuck, p.lexErr = true, r.err
		e, fromLexer = r.err, true
	case parseError:
		e = r.err
		stay = r.stay
	case unnamed:
		e, fromLexer = p.diagnose()
		fromLexer = fromLexer || e.Message == "unexpected indent" || e.Message == "unexpected unindent"
	default:
		panic(r)
	}
	if len(p.errs) == 0 && !fromLexer {
		e = p.verdict(e)
	}
	for _, old := range p.errs {
		if old.Pos == e.Pos && old.Message == e.Message {
			return stay
		}
	}
	p.errs = append(p.errs, e)
	return stay
}

// diagnose reads the current statement a second time to find the name of
// what is wrong with it. It reports whether the error is the lexer's.
func (p *parser) diagnose() (e *Error, fromLexer bool) {
	last := p.toks[len(p.toks)-1]
	at := p.i
	p.failed = len(p.toks) - 1
	p.fuel, p.quietAt = 64*len(p.toks)+4096, -1
	defer func() {
		if r := recover(); r != nil {
			switch r := r.(type) {
			case lexError:
				p.dropToken()
				p.stuck, p.lexErr = true, r.err
				e, fromLexer = r.err, true
			case parseError:
				e = r.err
			case unnamed, giveUp:
				e = p.nameless(&last)
			default:
				panic(r)
			}
		}
		p.diag, p.plainly = false, false // the way back costs no fuel
		p.rewind(at)
	}()
	p.diag = true
	p.rewind(0)
	p.reread()
	return p.nameless(&last), false
}

// nameless is the error of a statement that has no known mistake.
func (p *parser) nameless(t *token) *Error {
	s := p.tokenSpan(t)
	e := &Error{Pos: s.Start, End: s.End, Kind: SyntaxError, Message: "invalid syntax"}
	switch {
	case t.kind == kIndent && p.wasMatch:
		e.Message = "expected ':'"
	case t.kind == kIndent:
		e.Kind, e.Message = IndentationError, "unexpected indent"
	case t.kind == kDedent:
		e.Kind, e.Message = IndentationError, "unexpected unindent"
	}
	return e
}

// reread reads the clause at toks[0] again.
func (p *parser) reread() {
	if p.again != nil {
		p.again()
		return
	}
	if p.inClause {
		switch p.tok.kind {
		case kElif:
			p.ifStmt()
		case kElse:
			p.elseBlock()
		case kExcept:
			p.handler()
		case kName:
			p.matchCase()
		}
		return
	}
	if p.inLine || p.compound() == nil {
		p.simple()
	}
}

// verdict returns what CPython reports in place of e, the first error: an
// error that the lexer finds anywhere behind it, or a bracket that was opened
// on an earlier line and never closed.
func (p *parser) verdict(e *Error) (v *Error) {
	line := p.toks[len(p.toks)-1].pos.Line
	l := p.lexer
	l.brackets = slices.Clone(l.brackets)
	l.modes = slices.Clone(l.modes)
	l.indents = slices.Clone(l.indents)
	l.alts = slices.Clone(l.alts)
	defer func() {
		if r := recover(); r != nil {
			le, ok := r.(lexError)
			if !ok {
				panic(r)
			}
			v = e
			switch n := len(l.brackets); {
			case len(l.modes) > 0: // what is wrong within f-strings does not count
			case !le.unclosed && !le.weak:
				v = le.err
			case n > 0 && line > l.brackets[n-1].pos.Line:
				v = unclosedError(l.brackets[n-1])
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
	panic(lexError{unclosed: true, err: unclosedError(l.brackets[len(l.brackets)-1])})
}

func unclosedError(b bracket) *Error {
	return &Error{
		Pos: b.pos, End: Pos{b.pos.Line, b.pos.Col + 1}, Kind: SyntaxError,
		Message: fmt.Sprintf("'%c' was never closed", b.char),
	}
}

// resume finds the token at which the next statement begins. at is where the
// failed one began, which must not be read again.
func (p *parser) resume(stay bool, at int32) {
	defer func() {
		p.lost = true
		// The lexer may fail again on the way: then the next line is tried.
		if r := recover(); r != nil {
			if _, ok := r.(lexError); !ok {
				panic(r)
			}
			p.report(r)
			p.resume(false, at)
		}
	}()
	if p.full() {
		p.stopHere()
		return
	}
	if stay && p.tok.off > at {
		p.cutTokens()
		return
	}
	inBlock := slices.ContainsFunc(p.toks, func(t token) bool { return t.kind == kIndent })
	if p.stuck {
		p.unstick()
	} else {
		p.skipFailed()
	}
	if inBlock && p.tok.kind != kIndent {
		p.strayStatements()
		return
	}
	p.strayBlock()
}

// unstick lets the lexer, which could not read on, begin anew: behind the
// indentation, when that was what it complained of, or with the next line.
func (p *parser) unstick() {
	p.stuck = false
	e := p.lexErr
	if e.Kind == SyntaxError || len(p.indents) >= maxIndents {
		p.nextLine(p.off + strings.IndexByte(p.src[p.off:p.size]+"\n", '\n') + 1)
	}
	p.restart()
}

// stopHere makes the current token the last.
func (p *parser) stopHere() {
	t := token{kind: kEOF, off: int32(p.off), end: int32(p.off), pos: p.pos(p.off), endPos: p.pos(p.off)}
	p.toks = append(p.toks[:0], t)
	p.i, p.tok = 0, &p.toks[0]
}

// skipFailed steps behind the line on which reading failed.
func (p *parser) skipFailed() {
	j := min(p.failed, len(p.toks)-1)
	if j < p.i && p.i < len(p.toks) {
		j = p.i
	}
	for j >= 0 && j < len(p.toks) {
		switch k := p.toks[j].kind; {
		case k == kNewline && j+1 < len(p.toks):
			p.rewind(j + 1)
			p.cutTokens()
			return
		case k == kNewline:
			p.restart()
			return
		case k == kEOF || k == kDedent:
			p.rewind(j)
			p.cutTokens()
			return
		case k == kIndent && j == p.failed:
			p.rewind(j)
			p.cutTokens()
			return
		}
		j++
	}
	p.lexToLineEnd()
	p.restart()
}

// restart begins a new list of tokens with the next one.
func (p *parser) restart() {
	p.toks = p.toks[:0]
	p.fetch()
	p.i, p.tok = 0, &p.toks[0]
	p.cutEnd = p.prevEnd
	p.failed = 0
}

// lexToLineEnd drops tokens up to the end of the logical line. A line that
// begins with a word that only statements begin with ends it even inside
// brackets, which were then not closed by mistake.
func (p *parser) lexToLineEnd() {
	var t token
	line := p.line
	for {
		if len(p.brackets) > 0 || len(p.modes) > 0 {
			if p.line > line && len(p.modes) == 0 {
				line = p.line
				if p.statementAhead() {
					p.nextLine(p.lineStart)
					return
				}
			}
		}
		if !p.lexOne(&t) {
			return
		}
		if t.kind == kNewline || t.kind == kEOF && t.off >= int32(p.size) {
			return
		}
	}
}

// lexOne reads a token; when it cannot, the lexer goes on at the next line.
func (p *parser) lexOne(t *token) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, known := r.(lexError); !known {
				panic(r)
			}
			p.nextLine(p.off + strings.IndexByte(p.src[p.off:p.size]+"\n", '\n') + 1)
		}
	}()
	p.lexer.next(t)
	return true
}

// statementAhead says whether the line that the lexer has just come to
// begins with a word that only a statement begins with.
func (p *parser) statementAhead() bool {
	i := p.lineStart
	for classes[p.src[i]]&cSpace != 0 {
		i++
	}
	j := i
	for classes[p.src[j]]&cIdent != 0 {
		j++
	}
	switch keyword(p.src[i:j]) {
	case kDef, kClass, kReturn, kImport, kWhile, kTry, kWith, kRaise, kDel, kPass, kBreak, kContinue, kGlobal, kNonlocal, kAssert, kExcept, kFinally, kElif:
		return true
	}
	return false
}

// nextLine makes the lexer go on at off, the start of a line, with nothing open.
func (p *parser) nextLine(off int) {
	off = min(off, p.size)
	if off > p.lineStart {
		p.line += int32(strings.Count(p.src[p.lineStart:off], "\n"))
	}
	p.off, p.lineStart = off, off
	p.brackets, p.modes = p.brackets[:0], p.modes[:0]
	p.bol, p.pending, p.last = true, 0, kNewline
}

// orphan says whether the current token begins a clause whose statement was lost.
func (p *parser) orphan() bool {
	switch p.tok.kind {
	case kElif, kElse, kExcept, kFinally:
		return true
	}
	return p.isSoft("case")
}

// skipLine steps over the rest of the line.
func (p *parser) skipLine() {
	for p.tok.kind != kNewline && p.tok.kind != kEOF {
		p.cutTokens()
		p.advance()
	}
	p.accept(kNewline)
	p.cutTokens()
}

// strayBlock reads a block that belongs to nothing.
func (p *parser) strayBlock() {
	if p.tok.kind != kIndent {
		return
	}
	p.advance()
	p.strayStatements()
}

// strayStatements reads the rest of a block that belongs to nothing.
func (p *parser) strayStatements() {
	mark := p.stmts.mark()
	for p.tok.kind != kDedent && p.tok.kind != kEOF && !p.full() {
		p.guarded()
	}
	p.stmts.items = p.stmts.items[:mark]
	p.cutTokens()
	p.accept(kDedent)
	p.cutTokens()
}
