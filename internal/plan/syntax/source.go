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
	body, bom := bytes.CutPrefix(src, []byte("\xef\xbb\xbf"))
	name, line := cookie(body)
	enc, known := encodingOf(name)
	switch {
	case !known:
		return source{}, startError(line, "unknown encoding: %s", clip(name))
	case bom && enc != encUTF8:
		return source{}, startError(line, "encoding problem: %s with BOM", clip(name))
	}
	var b strings.Builder
	b.Grow(len(body) + len(body)/8 + 8)
	switch enc {
	case encUTF8:
		if err := checkUTF8(body, name != ""); err != nil {
			return source{}, err
		}
		writeLines(&b, body)
	default:
		if err := transcode(&b, body, enc, name); err != nil {
			return source{}, err
		}
	}
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

// clip bounds how much of a name from the source a message repeats.
func clip(name string) string {
	if len(name) > 40 {
		return name[:40] + "..."
	}
	return name
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
func checkUTF8(s []byte, declared bool) *Error {
	if utf8.Valid(s) {
		return nil
	}
	line, start := 1, 0
	for i := 0; i < len(s); {
		if s[i] == '\n' {
			line, start = line+1, i+1
		}
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			e := startError(line, "Non-UTF-8 code starting with '\\x%02x' on line %d, but no encoding declared; see https://peps.python.org/pep-0263/ for details", s[i], line)
			if declared {
				e.Message = fmt.Sprintf("(unicode error) 'utf-8' codec can't decode byte 0x%02x on line %d", s[i], line)
			}
			e.Pos.Col, e.End.Col = int32(i-start), int32(i-start+1)
			return e
		}
		i += n
	}
	return nil
}

// cookie returns the encoding that one of the first two lines declares, ""
// when none does, and that line's number.
func cookie(s []byte) (name string, line int) {
	for line = 1; line <= 2; line++ {
		end := bytes.IndexAny(s, "\r\n")
		if end < 0 {
			end = len(s)
		}
		text := bytes.TrimLeft(s[:end], " \t\f")
		if len(text) > 0 && text[0] != '#' {
			break
		}
		if name := cookieName(text); name != "" {
			return name, line
		}
		if end < len(s) && s[end] == '\r' && end+1 < len(s) && s[end+1] == '\n' {
			end++
		}
		s = s[min(end+1, len(s)):]
	}
	return "", 1
}

// cookieName finds `coding:` or `coding=` in a comment and returns the name behind it.
func cookieName(text []byte) string {
	for {
		i := bytes.Index(text, []byte("coding"))
		if i < 0 {
			return ""
		}
		text = text[i+len("coding"):]
		if len(text) == 0 || text[0] != ':' && text[0] != '=' {
			continue
		}
		rest := bytes.TrimLeft(text[1:], " \t")
		n := 0
		for n < len(rest) && (classes[rest[n]]&(cIdent|cDigit) != 0 && rest[n] < 0x80 || rest[n] == '-' || rest[n] == '.') {
			n++
		}
		if n > 0 {
			return string(rest[:n])
		}
	}
}

// encoding is one that sources may be written in.
type encoding uint8

const (
	encUTF8 encoding = iota + 1
	encASCII
	encLatin1
)

// encodingOf finds an encoding by the names Python knows it by.
func encodingOf(name string) (encoding, bool) {
	switch n := strings.ToLower(strings.ReplaceAll(name, "_", "-")); {
	case n == "", n == "utf-8", n == "utf8", n == "u8", n == "utf", n == "utf8-ucs2", n == "utf8-ucs4", n == "cp65001",
		n == "utf-8-sig", strings.HasPrefix(n, "utf-8-"):
		return encUTF8, true
	case n == "ascii", n == "us-ascii", n == "646", n == "ansi-x3.4-1968", n == "iso646-us":
		return encASCII, true
	case n == "latin-1", n == "latin1", n == "latin", n == "l1", n == "iso-8859-1", n == "iso8859-1", n == "8859", n == "cp819",
		strings.HasPrefix(n, "latin-1-"), strings.HasPrefix(n, "iso-8859-1-"), strings.HasPrefix(n, "iso-latin-1"):
		return encLatin1, true
	}
	return 0, false
}

// transcode writes s, which is in enc, as UTF-8.
func transcode(b *strings.Builder, s []byte, enc encoding, name string) *Error {
	for i, c := range s {
		switch {
		case c == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				continue
			}
			b.WriteByte('\n')
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		case enc == encASCII:
			line := 1 + bytes.Count(s[:i], []byte{'\n'})
			return startError(line, "(unicode error) '%s' codec can't decode byte 0x%02x in position %d: ordinal not in range(128)", clip(name), c, i)
		default:
			b.WriteRune(rune(c))
		}
	}
	return nil
}
