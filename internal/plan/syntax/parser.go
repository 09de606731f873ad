package syntax

import "fmt"

// parser reads tokens into a tree by recursive descent.
//
// A statement that is well formed is read once, without ceremony. When one is
// not, unexpected unwinds to the loop over the statements, and the same
// tokens are read a second time with diag set: only then the parser looks for
// the mistakes it can name. So the tokens of the current statement (of the
// current clause, once a block was read) are kept in toks.
type parser struct {
	lexer
	arena
	toks      []token
	i         int
	tok       *token // &toks[i]
	prevEnd   Pos    // end of the last token that is no newline or indentation
	cutEnd    Pos    // prevEnd at toks[0]
	depth     int    // of the recursion
	h         int    // height of the expression read last
	max       int    // bound of depth and of depth + h
	opts      Options
	diag      bool // second reading, with the search for known mistakes
	plainly   bool // within diag: do not search
	errs      []*Error
	charNames map[string]rune // of the `\N{…}` escapes; nil until one was read
	flufl     bool            // `<>` is written for `!=`
	again     func()          // reads the current input again, when it is no statement
	failed    int             // index of the token beyond which nothing was read
	quietAt   int             // index of a token from which an expression was read without a search
	tries     int             // attempts within each other
	stuck     bool            // the lexer could not read on
	lexErr    *Error          // because of this
	lost      bool            // the statement before could not be read
	fuel      int             // how many tokens may still be read again in search of a mistake
	// The tokens begin with a clause of a compound statement (elif, else,
	// except, finally, case) rather than with a statement.
	inClause bool
	wasMatch bool      // the line before is an expression that begins with `match`
	inLine   bool      // they begin behind a colon or semicolon, where only simple statements may stand
	quote    string    // of the f-string that is being read
	star     starState // of the try statement whose handlers are read
}

// starState says which kind of handlers a try statement has.
type starState uint8

const (
	starUnknown starState = iota
	starNo
	starYes
)

// parseError passes an error that has its message up to the statement.
type parseError struct {
	err  *Error
	stay bool // the current token begins the next statement
}

// unnamed unwinds to the statement, where the mistake is searched for.
type unnamed struct{}

// maxTries bounds attempts within each other: a named mistake unwinds them
// all, and what it unwinds stays on the stack until it is caught.
const maxTries = 256

// giveUp ends a search for mistakes that takes too long.
type giveUp struct{}

// unexpected gives up at the current token.
func (p *parser) unexpected() { panic(unnamed{}) }

func (p *parser) failAtPos(k ErrorKind, from, to Pos, format string, args ...any) {
	panic(parseError{err: &Error{Pos: from, End: to, Kind: k, Message: fmt.Sprintf(format, args...)}})
}

// failSpan reports a named mistake over s.
func (p *parser) failSpan(s Span, format string, args ...any) {
	p.failAtPos(SyntaxError, s.Start, s.End, format, args...)
}

// failTok reports a named mistake at t.
func (p *parser) failTok(t *token, format string, args ...any) {
	p.failAtPos(SyntaxError, t.pos, t.endPos, format, args...)
}

// advance steps to the next token.
func (p *parser) advance() {
	if p.tok.kind > kDedent {
		p.prevEnd = p.tok.endPos
	}
	p.i++
	if p.i >= len(p.toks) {
		p.fetch()
	}
	p.tok = &p.toks[p.i]
}

// fetch reads one more token.
func (p *parser) fetch() {
	n := len(p.toks)
	if n == cap(p.toks) {
		grown := make([]token, n, max(64, 2*n))
		copy(grown, p.toks)
		p.toks = grown
	}
	p.toks = p.toks[:n+1]
	p.lexer.next(&p.toks[n]) // when it gives up, dropToken takes the token back
}

// dropToken forgets the token that the lexer could not read.
func (p *parser) dropToken() { p.toks = p.toks[:len(p.toks)-1] }

// peek returns the kind of the token behind the current one.
func (p *parser) peek() kind { return p.ahead(1).kind }

// ahead returns the n-th token behind the current one.
func (p *parser) ahead(n int) *token {
	for p.i+n >= len(p.toks) {
		if p.toks[len(p.toks)-1].kind == kEOF {
			return &p.toks[len(p.toks)-1]
		}
		p.fetch()
		p.tok = &p.toks[p.i]
	}
	return &p.toks[p.i+n]
}

// cutTokens forgets the tokens before the current one: what comes is not
// read again together with them.
func (p *parser) cutTokens() {
	if p.diag {
		return
	}
	if p.i > 0 {
		n := copy(p.toks, p.toks[p.i:])
		p.toks = p.toks[:n]
		p.i = 0
		p.tok = &p.toks[0]
	}
	p.cutEnd = p.prevEnd
}

// rewind makes toks[i] the current token again.
func (p *parser) rewind(i int) {
	if p.diag {
		if p.fuel -= p.i - i; p.fuel < 0 {
			panic(giveUp{})
		}
	}
	p.i = i
	p.tok = &p.toks[i]
	p.prevEnd = p.cutEnd
	for i--; i >= 0; i-- {
		if p.toks[i].kind > kDedent {
			p.prevEnd = p.toks[i].endPos
			return
		}
	}
}

// accept steps over a token of kind k, if it is the current one.
func (p *parser) accept(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// expect steps over a token of kind k, which must be the current one.
func (p *parser) expect(k kind) {
	if p.tok.kind != k {
		p.unexpected()
	}
	p.advance()
}

// name reads an identifier.
func (p *parser) name() string {
	if p.tok.kind != kName {
		p.unexpected()
	}
	s := p.text(p.tok)
	p.advance()
	return s
}

// text is the text of t; of a name, the identifier.
func (p *parser) text(t *token) string {
	s := p.src[t.off:t.end]
	if t.wide {
		return normalized(s)
	}
	return s
}

// isSoft says whether the current token is the soft keyword s.
func (p *parser) isSoft(s string) bool {
	return p.tok.kind == kName && p.src[p.tok.off:p.tok.end] == s
}

// span is what was read since start.
func (p *parser) span(start Pos) Span { return Span{start, p.prevEnd} }

// enter counts a level of recursion; leave takes it back.
func (p *parser) enter() {
	p.depth++
	if p.depth > p.max {
		p.tooDeep()
	}
}

func (p *parser) leave() { p.depth-- }

// up sets the height of a node over children of height h.
func (p *parser) up(h int) {
	p.h = h + 1
	if p.depth+p.h > p.max {
		p.tooDeep()
	}
}

func (p *parser) tooDeep() {
	p.failTok(p.tok, "too many nested expressions or statements")
}

// try reads with f; when f cannot, or reports false, nothing was read.
func (p *parser) try(f func() bool) (ok bool) {
	if p.tries >= maxTries {
		panic(giveUp{})
	}
	p.tries++
	i, depth, h := p.i, p.depth, p.h
	marks := p.marks()
	defer func() {
		p.tries--
		if r := recover(); r != nil {
			if _, known := r.(unnamed); !known {
				panic(r)
			}
			ok = false
		}
		if !ok {
			p.depth, p.h = depth, h
			p.cut(marks)
			p.rewind(i)
		}
	}()
	return f()
}

// needs refuses what a Python older than version does not know.
func (p *parser) needs(version int, at Span, what string) {
	if p.version < version {
		p.failSpan(at, "%s only supported in Python 3.%d and greater", what, version)
	}
}
