package syntax

import (
	"strings"

	"praxis/internal/safetext"
)

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
	var seen struct{ bytes, text, f, t bool }
	h := 0
	first := p.tok
	for p.tok.kind == kString || p.tok.kind == kFStart {
		tok := p.tok
		if tok.kind == kString {
			c := p.stringConstant()
			parts = append(parts, c)
			seen.bytes = seen.bytes || c.Kind == Bytes
			seen.text = seen.text || c.Kind == Str
			h = max(h, 1)
		} else {
			parts = append(parts, p.fstring()...)
			seen.f = seen.f || !tok.tmpl
			seen.t = seen.t || tok.tmpl
			h = max(h, p.h)
		}
		if seen.t && (seen.f || seen.text || seen.bytes) {
			p.failAtPos(SyntaxError, first.pos, p.prevEnd, "cannot mix t-string literals with string or bytes literals")
		}
		if seen.bytes && (seen.text || seen.f) {
			p.mixedBytes()
		}
		first = tok
	}
	span := p.span(start)
	values := p.merge(parts, seen.f || seen.t)
	p.h = h
	switch {
	case seen.t:
		p.up(h)
		return &TemplateStr{Span: span, Values: values}
	case seen.f:
		p.up(h)
		return &JoinedStr{Span: span, Values: values}
	}
	c := values[0].(*Constant)
	c.Span = span
	return c
}

// mixedBytes reports bytes and text side by side, at the token behind them.
func (p *parser) mixedBytes() {
	for p.tok.kind == kString || p.tok.kind == kFStart {
		if p.tok.kind == kFStart {
			p.fstring()
		} else {
			p.advance()
		}
	}
	p.failLast("cannot mix bytes and nonbytes literals")
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

// fstring reads one f- or t-string into its parts.
func (p *parser) fstring() []Expr {
	p.enter()
	start := p.tok
	quote := p.quote
	p.quote = strings.TrimLeft(p.src[start.off:start.end], "fFrRtT")
	raw := strings.ContainsAny(strings.TrimRight(p.src[start.off:start.end], `'"`), "rR")
	p.advance()
	parts := make([]Expr, 0, 4)
	h := 0
	for p.tok.kind != kFEnd {
		parts = p.fpart(parts, start.tmpl, raw, false)
		h = max(h, p.h)
	}
	p.advance()
	p.depth--
	p.h = h
	p.quote = quote
	return parts
}

// fpart reads text or a replacement field, in a format spec when spec is set.
func (p *parser) fpart(parts []Expr, tmpl, raw, spec bool) []Expr {
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
		if n := len(parts); n > 0 {
			if prev, ok := parts[n-1].(*Constant); ok && prev.End == c.Start {
				return append(parts, c)
			}
		}
		return append(parts, c)
	case kLbrace:
		return p.field(parts, tmpl, raw, spec)
	}
	p.unexpected()
	return nil
}

// field reads a replacement field.
func (p *parser) field(parts []Expr, tmpl, raw, spec bool) []Expr {
	start := p.tok
	what := stringName(start.tmpl)
	p.enter()
	p.advance()
	from := int(start.end)
	value := p.fieldValue(what)
	h := p.h
	p.diagFieldValue(what)
	to := int(p.tok.off)
	if p.version < 12 {
		p.plainField(Span{start.pos, p.prevEnd}, p.src[from:to])
	}
	debug := p.tok.kind == kEqual
	if debug {
		p.advance()
		p.diagFieldEqual(what)
	}
	textEnd, debugEnd := int(p.tok.off), p.tok.pos
	conv := -1
	if p.tok.kind == kExclam {
		conv = p.conversion(what)
	}
	var fs *JoinedStr
	if p.tok.kind == kColon {
		fs = p.formatSpec(tmpl, raw, what)
		h = max(h, p.h)
	}
	if p.tok.kind != kRbrace {
		p.diagFieldEnd(what, fs != nil)
		p.unexpected()
	}
	closing := p.tok
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
	span := Span{start.pos, closing.endPos}
	p.up(h)
	if tmpl && !spec {
		return append(parts, &Interpolation{Span: span, Value: value, Str: strings.TrimRight(p.src[from:to], " \t\n\f"), Conversion: conv, FormatSpec: fs})
	}
	return append(parts, &FormattedValue{Span: span, Value: value, Conversion: conv, FormatSpec: fs})
}

// plainField refuses an expression, which is text, that fields of f-strings
// could not hold before Python 3.12.
func (p *parser) plainField(at Span, text string) {
	if strings.Contains(text, p.quote) || strings.Contains(text, "\\") || withoutComments(text) != text {
		p.needs(12, at, "f-strings with nested quotes, backslashes or comments are")
	}
}

// conversion reads `!r`, `!s` or `!a`.
func (p *parser) conversion(what string) int {
	bang := p.tok
	p.advance()
	if p.tok.kind != kName {
		p.diagConversion(what)
		p.unexpected()
	}
	t := p.tok
	if t.off != bang.end {
		p.failAtPos(SyntaxError, bang.pos, t.endPos, "%s: conversion type must come right after the exclamation mark", what)
	}
	s := p.src[t.off:t.end]
	if s != "r" && s != "s" && s != "a" {
		p.failTok(t, "%s: invalid conversion character %s: expected 's', 'r', or 'a'", what, quoted(s))
	}
	p.advance()
	return int(s[0])
}

// quoted writes a name as messages do.
func quoted(s string) string { return "'" + safetext.Clip(s, 43) + "'" }

// formatSpec reads what follows the colon of a field.
func (p *parser) formatSpec(tmpl, raw bool, what string) *JoinedStr {
	start := p.tok.pos
	p.advance()
	parts := make([]Expr, 0, 2)
	h := 0
	for p.tok.kind == kFMiddle || p.tok.kind == kLbrace {
		parts = p.fpart(parts, tmpl, raw, true)
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
