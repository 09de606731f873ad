package syntax

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// source is a program as the lexer wants it: UTF-8, lines ended by \n, the
// last one too, and sentinels zero bytes behind.
type source struct {
	text string
	size int // without the sentinels
}

// byteOrderMark may be before a source in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// sentinels lets the lexer look ahead without asking for the end.
const sentinels = "\x00\x00\x00\x00"

// decode makes a source of what is in a file.
func decode(src []byte, opts Options) (source, *Error) {
	if len(src) > opts.MaxBytes {
		return source{}, startError(1, "source is too large: %d bytes, at most %d are read", len(src), opts.MaxBytes)
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return source{}, startError(1+bytes.Count(src[:i], []byte{'\n'}), "source code cannot contain null bytes")
	}
	body := bytes.TrimPrefix(src, []byte(byteOrderMark))
	if err := checkUTF8(body); err != nil {
		return source{}, err
	}
	var b strings.Builder
	b.Grow(len(body) + 8)
	writeLines(&b, body)
	text := b.String()
	if text != "" && text[len(text)-1] != '\n' {
		b.WriteByte('\n')
	}
	size := b.Len()
	b.WriteString(sentinels)
	return source{b.String(), size}, nil
}

// startError is an error at the start of a line.
func startError(line int, format string, args ...any) *Error {
	at := Pos{Line: int32(line)}
	return &Error{Pos: at, End: at, Kind: SyntaxError, Message: fmt.Sprintf(format, args...)}
}

// writeLines copies s with each \r\n and \r made \n.
func writeLines(b *strings.Builder, s []byte) {
	for {
		i := bytes.IndexByte(s, '\r')
		if i < 0 {
			b.Write(s)
			return
		}
		b.Write(s[:i])
		b.WriteByte('\n')
		i++
		if i < len(s) && s[i] == '\n' {
			i++
		}
		s = s[i:]
	}
}

// checkUTF8 refuses what is not UTF-8, at its place.
func checkUTF8(s []byte) *Error {
	line, start := 1, 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		switch {
		case r == '\n':
			line, start = line+1, i+1
		case r == utf8.RuneError && n == 1:
			e := startError(line, "the source is not UTF-8: byte 0x%02x; save it as UTF-8", s[i])
			e.Pos.Col, e.End.Col = int32(i-start), int32(i-start+1)
			return e
		}
		i += n
	}
	return nil
}
