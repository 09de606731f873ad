package syntax

import "strings"

// literal is one string token taken apart.
type literal struct {
	body       string
	raw, bytes bool
}

// split takes the text of a string token apart.
func split(text string) literal {
	var l literal
	i := 0
	for ; text[i] != '\'' && text[i] != '"'; i++ {
		switch text[i] {
		case 'r', 'R':
			l.raw = true
		case 'b', 'B':
			l.bytes = true
		}
	}
	n := 1
	if len(text)-i >= 6 && text[i+1] == text[i] && text[i+2] == text[i] {
		n = 3
	}
	l.body = text[i+n : len(text)-n]
	return l
}

// strings reads one or more adjacent string literals.
func (p *parser) strings() Expr {
	start := p.tok.pos
	var parts []Expr
	var bytes, text, joined bool
	for p.tok.kind == kString || p.tok.kind == kFStart {
		at := *p.tok
		if at.kind == kString {
			c := p.stringConstant()
			parts = append(parts, c)
			bytes, text = bytes || c.Kind == Bytes, text || c.Kind == Str
		} else {
			parts = append(parts, p.fstring()...)
			joined = true
		}
		if bytes && (text || joined) {
			p.failTok(&at, "cannot mix bytes and nonbytes literals")
		}
	}
	if joined {
		return &JoinedStr{Span: p.span(start), Values: merge(parts, true)}
	}
	return merge(parts, false)[0]
}

// merge joins neighbouring constants; with joined set, empty ones go.
func merge(parts []Expr, joined bool) []Expr {
	var out []Expr
	for i := 0; i < len(parts); i++ {
		first, ok := parts[i].(*Constant)
		if !ok {
			out = append(out, parts[i])
			continue
		}
		var b strings.Builder
		whole := *first
		for ; i < len(parts); i++ {
			c, ok := parts[i].(*Constant)
			if !ok {
				break
			}
			b.WriteString(c.Str)
			whole.End = c.End
		}
		i--
		if whole.Str = b.String(); whole.Str != "" || !joined {
			out = append(out, &whole)
		}
	}
	return out
}

// stringConstant reads one plain string or bytes literal.
func (p *parser) stringConstant() *Constant {
	t := p.tok
	l := split(p.src[t.off:t.end])
	c := &Constant{Span: Span{t.pos, t.endPos}, Kind: Str, Str: l.body}
	if l.bytes {
		c.Kind = Bytes
		for i := range len(l.body) {
			if l.body[i] >= 0x80 {
				p.failTok(t, "bytes can only contain ASCII literal characters")
			}
		}
	}
	if !l.raw && strings.IndexByte(l.body, '\\') >= 0 {
		c.Str = p.unescape(t, l.body, l.bytes)
	}
	p.advance()
	return c
}

// fstring reads one f-string into its parts.
func (p *parser) fstring() []Expr {
	p.enter()
	defer p.leave()
	raw := strings.ContainsAny(p.src[p.tok.off:p.tok.end], "rR")
	p.advance()
	var parts []Expr
	for p.tok.kind != kFEnd {
		parts = p.fpart(parts, raw)
	}
	p.advance()
	return parts
}

// fpart reads text or a replacement field.
func (p *parser) fpart(parts []Expr, raw bool) []Expr {
	switch p.tok.kind {
	case kFMiddle:
		t := p.tok
		c := &Constant{Span: Span{t.pos, t.endPos}, Kind: Str, Str: p.src[t.off:t.end]}
		if !raw && strings.IndexByte(c.Str, '\\') >= 0 {
			c.Str = p.unescape(t, c.Str, false)
		}
		p.advance()
		return append(parts, c)
	case kLbrace:
		return p.field(parts, raw)
	}
	p.unexpected()
	return nil
}

// field reads a replacement field.
func (p *parser) field(parts []Expr, raw bool) []Expr {
	start := *p.tok
	p.enter()
	defer p.leave()
	p.advance()
	switch p.tok.kind {
	case kEqual, kExclam, kColon, kRbrace:
		p.failTok(p.tok, "f-string: valid expression required before '%s'", p.text(p.tok))
	}
	from := int(start.end)
	value := p.annotatedRHS()
	debug := p.accept(kEqual)
	textEnd, debugEnd := int(p.tok.off), p.tok.pos
	conv := -1
	if p.tok.kind == kExclam {
		conv = p.conversion()
	}
	var fs *JoinedStr
	if p.tok.kind == kColon {
		fs = p.formatSpec(raw)
	}
	if p.tok.kind != kRbrace {
		p.failTok(p.tok, "f-string: expecting '}'")
	}
	closing := *p.tok
	p.advance()
	if debug {
		span := Span{Pos{start.pos.Line, start.pos.Col + 1}, debugEnd}
		parts = append(parts, &Constant{Span: span, Kind: Str, Str: p.src[from:textEnd]})
		if conv < 0 && fs == nil {
			conv = 'r'
		}
	}
	return append(parts, &FormattedValue{Span: Span{start.pos, closing.endPos}, Value: value, Conversion: conv, FormatSpec: fs})
}

// conversion reads `!r`, `!s` or `!a`.
func (p *parser) conversion() int {
	bang := *p.tok
	p.advance()
	s := p.src[p.tok.off:p.tok.end]
	if p.tok.off != bang.end || s != "r" && s != "s" && s != "a" {
		p.failTok(p.tok, "f-string: invalid conversion character: expected 's', 'r', or 'a'")
	}
	p.advance()
	return int(s[0])
}

// formatSpec reads what follows the colon of a field.
func (p *parser) formatSpec(raw bool) *JoinedStr {
	start := p.tok.pos
	p.advance()
	var parts []Expr
	for p.tok.kind == kFMiddle || p.tok.kind == kLbrace {
		parts = p.fpart(parts, raw)
	}
	return &JoinedStr{Span: p.span(start), Values: merge(parts, true)}
}
