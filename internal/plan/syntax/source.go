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
	text := strings.ReplaceAll(strings.ReplaceAll(string(body), "\r\n", "\n"), "\r", "\n")
	if text != "" && text[len(text)-1] != '\n' {
		text += "\n"
	}
	return source{text + sentinels, len(text)}, nil
}

// startError is an error at the start of a line.
func startError(line int, format string, args ...any) *Error {
	at := Pos{Line: int32(line)}
	return &Error{Pos: at, End: at, Kind: SyntaxError, Message: fmt.Sprintf(format, args...)}
}

// checkUTF8 refuses what is not UTF-8, at its place.
func checkUTF8(s []byte) *Error {
	if utf8.Valid(s) {
		return nil
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			e := startError(1+bytes.Count(s[:i], []byte{'\n'}), "the source is not UTF-8: byte 0x%02x; save it as UTF-8", s[i])
			e.Pos.Col = int32(i - 1 - bytes.LastIndexByte(s[:i], '\n'))
			e.End.Col = e.Pos.Col + 1
			return e
		}
		i += n
	}
	return nil
}
