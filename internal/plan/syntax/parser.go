package syntax

import "fmt"

// parser reads tokens into a tree by recursive descent. What it cannot read
// unwinds to Parse, or to an attempt that reads the same tokens in another way:
// therefore the tokens of the current statement are kept in toks.
type parser struct {
	lexer
	toks    []token
	i       int
	tok     *token // &toks[i]
	prevEnd Pos    // end of the last token that is no newline or indentation
	cutEnd  Pos    // prevEnd at toks[0]
	depth   int    // of the recursion
	max     int    // bound of depth
	tries   int    // attempts within each other
}

// parseError passes an error of the grammar up.
type parseError struct{ err *Error }

// maxTries bounds attempts within each other: each may read the tokens twice.
const maxTries = 16

// catch returns the error with which f gives up.
func (p *parser) catch(f func()) (err *Error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case lexError:
			err = r.err
		case parseError:
			err = p.verdict(r.err)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// failSpan reports a mistake over s.
func (p *parser) failSpan(s Span, format string, args ...any) {
	panic(parseError{&Error{Pos: s.Start, End: s.End, Kind: SyntaxError, Message: fmt.Sprintf(format, args...)}})
}

// failTok reports a mistake at t.
func (p *parser) failTok(t *token, format string, args ...any) {
	p.failSpan(Span{t.pos, t.endPos}, format, args...)
}

// lacks reports at t what the plan language leaves out, unless it is read all the same.
func (p *parser) lacks(t *token, message string) {
	if !p.lenient {
		p.failTok(t, "%s", message)
	}
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
	var t token
	p.lexer.next(&t)
	p.toks = append(p.toks, t)
}

// peek returns the kind of the token behind the current one.
func (p *parser) peek() kind {
	if p.i+1 >= len(p.toks) && p.tok.kind != kEOF {
		p.fetch()
		p.tok = &p.toks[p.i]
	}
	return p.toks[min(p.i+1, len(p.toks)-1)].kind
}

// cutTokens forgets the tokens before the current one, which begins a statement
// or a clause of one: they are not read again.
func (p *parser) cutTokens() {
	if p.tries > 0 {
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
		if k == kColon && p.tok.kind == kNewline {
			p.failTok(p.tok, "expected ':'")
		}
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
		p.failTok(p.tok, tooDeep)
	}
}

func (p *parser) leave() { p.depth-- }

const tooDeep = "too many nested expressions or statements"

// measure refuses a tree that is too high: chains such as a.b.c.d grow without recursion.
func (p *parser) measure(root Node) {
	level, next := []Node{root}, []Node(nil)
	add := func(n Node) { next = append(next, n) }
	for height := 0; len(level) > 0; height++ {
		if height > p.max {
			p.failSpan(level[0].Range(), tooDeep)
		}
		for _, n := range level {
			Children(n, add)
		}
		level, next = next, level[:0]
	}
}

// try reads with f; when f cannot, or reports false, nothing was read.
func (p *parser) try(f func() bool) (ok bool) {
	if p.tries >= maxTries {
		p.failTok(p.tok, tooDeep)
	}
	p.tries++
	i, depth := p.i, p.depth
	defer func() {
		p.tries--
		if r := recover(); r != nil {
			if _, known := r.(parseError); !known {
				panic(r)
			}
			ok = false
		}
		if !ok {
			p.depth = depth
			p.rewind(i)
		}
	}()
	return f()
}
