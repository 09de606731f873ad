package syntax

import "strings"

// literal is one string token taken apart.
type literal struct {
	body          string
	raw, bytes, u bool
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
		case 'u':
			l.u = true
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
	if p.tok.kind == kString && p.peek() != kString && p.peek() != kFStart {
		c := p.stringConstant()
		p.h = 1
		return c
	}
	start := p.tok.pos
	var parts []Expr
	var seen struct{ bytes, text, f bool }
	h := 0
	for p.tok.kind == kString || p.tok.kind == kFStart {
		at := *p.tok
		if at.kind == kString {
			c := p.stringConstant()
			parts = append(parts, c)
			seen.bytes = seen.bytes || c.Kind == Bytes
			seen.text = seen.text || c.Kind == Str
			h = max(h, 1)
		} else {
			parts = append(parts, p.fstring()...)
			seen.f = true
			h = max(h, p.h)
		}
		if seen.bytes && (seen.text || seen.f) {
			p.failTok(&at, "cannot mix bytes and nonbytes literals")
		}
	}
	span := p.span(start)
	values := p.merge(parts, seen.f)
	p.h = h
	if seen.f {
		p.up(h)
		return &JoinedStr{Span: span, Values: values}
	}
	c := values[0].(*Constant)
	c.Span = span
	return c
}

// merge joins neighbouring constants; with joined set, empty ones go.
func (p *parser) merge(parts []Expr, joined bool) []Expr {
	mark := p.exprs.mark()
	for i := 0; i < len(parts); i++ {
		first, ok := parts[i].(*Constant)
		if !ok {
			p.exprs.push(parts[i])
			continue
		}
		j, size := i, 0
		for ; j < len(parts); j++ {
			c, ok := parts[j].(*Constant)
			if !ok {
				break
			}
			size += len(c.Str)
		}
		if size == 0 && joined && first.Kind == Str {
			i = j - 1
			continue
		}
		if j > i+1 {
			var b strings.Builder
			b.Grow(size)
			for _, e := range parts[i:j] {
				b.WriteString(e.(*Constant).Str)
			}
			c := p.constants.get()
			*c = *first
			c.Str = b.String()
			c.End = parts[j-1].Range().End
			first = c
		}
		p.exprs.push(first)
		i = j - 1
	}
	return p.exprs.take(mark)
}

// stringConstant reads one plain string or bytes literal.
func (p *parser) stringConstant() *Constant {
	t := p.tok
	l := split(p.src[t.off:t.end])
	c := p.constants.get()
	c.Span = Span{t.pos, t.endPos}
	c.U = l.u
	c.Kind = Str
	c.Str = l.body
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
	raw := strings.ContainsAny(strings.TrimRight(p.src[p.tok.off:p.tok.end], `'"`), "rR")
	p.advance()
	parts := make([]Expr, 0, 4)
	h := 0
	for p.tok.kind != kFEnd {
		parts = p.fpart(parts, raw)
		h = max(h, p.h)
	}
	p.advance()
	p.depth--
	p.h = h
	return parts
}

// fpart reads text or a replacement field.
func (p *parser) fpart(parts []Expr, raw bool) []Expr {
	switch p.tok.kind {
	case kFMiddle:
		t := p.tok
		p.h = 1
		if t.off == t.end {
			p.advance()
			return parts
		}
		c := p.constants.get()
		c.Span = Span{t.pos, t.endPos}
		c.Kind = Str
		c.Str = p.src[t.off:t.end]
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
	p.advance()
	switch k := p.tok.kind; k {
	case kEqual, kExclam, kColon, kRbrace:
		p.failTok(p.tok, "f-string: valid expression required before '%s'", kindTexts[k])
	}
	from := int(start.end)
	value := p.annotatedRHS()
	h := p.h
	debug := p.accept(kEqual)
	textEnd, debugEnd := int(p.tok.off), p.tok.pos
	conv := -1
	if p.tok.kind == kExclam {
		conv = p.conversion()
	}
	var fs *JoinedStr
	if p.tok.kind == kColon {
		fs = p.formatSpec(raw)
		h = max(h, p.h)
	}
	if p.tok.kind != kRbrace {
		p.failTok(p.tok, "f-string: expecting '}'")
	}
	closing := *p.tok
	p.advance()
	p.depth--
	if debug {
		c := p.constants.get()
		c.Kind = Str
		c.Str = withoutComments(p.src[from:textEnd])
		c.Start = Pos{start.pos.Line, start.pos.Col + 1}
		c.End = debugEnd
		parts = append(parts, c)
		if conv < 0 && fs == nil {
			conv = 'r'
		}
	}
	p.up(h)
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
	parts := make([]Expr, 0, 2)
	h := 0
	for p.tok.kind == kFMiddle || p.tok.kind == kLbrace {
		parts = p.fpart(parts, raw)
		h = max(h, p.h)
	}
	j := &JoinedStr{Span: p.span(start)}
	j.Values = p.merge(parts, true)
	p.up(h)
	return j
}

// withoutComments drops comments from the text that `=` in a field shows.
func withoutComments(s string) string {
	if strings.IndexByte(s, '#') < 0 {
		return s
	}
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
			if i < len(s) {
				b.WriteByte('\n')
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
