package syntax

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"praxis/internal/safetext"

	"golang.org/x/text/encoding/charmap"
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
	body, bom := bytes.CutPrefix(src, []byte(byteOrderMark))
	name, line := cookie(body)
	enc, known := encodingOf(name)
	switch {
	case !known:
		return source{}, startError(line, "unknown encoding: %s", safetext.Clip(name, 43))
	case bom && name != "" && name != "utf-8" && !strings.HasPrefix(canonical(name), "utf-8"):
		return source{}, startError(line, "encoding problem: %s with BOM", safetext.Clip(name, 43))
	}
	var b strings.Builder
	b.Grow(len(body) + len(body)/8 + 8)
	if enc == nil {
		if err := checkUTF8(body, name != ""); err != nil {
			return source{}, err
		}
		writeLines(&b, body)
	} else if err := transcode(&b, body, enc, name); err != nil {
		return source{}, err
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

// canonical is how Python compares the names of encodings.
func canonical(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", "-"))
}

// encodingOf finds an encoding by the names Python knows it by. Of UTF-8 it
// is nil.
func encodingOf(name string) (func(byte) rune, bool) {
	n := canonical(name)
	switch n {
	case "", "utf-8", "utf8", "u8", "utf", "utf8-ucs2", "utf8-ucs4", "cp65001", "utf-8-sig":
		return nil, true
	case "ascii", "us-ascii", "646", "ansi-x3.4-1968", "iso646-us":
		return ascii, true
	case "latin-1", "latin1", "latin", "l1", "iso-8859-1", "iso8859-1", "8859", "cp819":
		return latin1, true
	}
	if strings.HasPrefix(n, "utf-8-") {
		return nil, true
	}
	for _, prefix := range []string{"latin-1-", "iso-8859-1-", "iso-latin-1-"} {
		if strings.HasPrefix(n, prefix) || n == "iso-latin-1" {
			return latin1, true
		}
	}
	if m := charmapNamed(n); m != nil {
		return func(c byte) rune {
			if c < 0xA0 && strings.HasPrefix(n, "iso") {
				return rune(c) // the control characters, which the tables leave out
			}
			return m.DecodeByte(c)
		}, true
	}
	return nil, false
}

func ascii(c byte) rune {
	if c >= utf8.RuneSelf {
		return utf8.RuneError
	}
	return rune(c)
}

func latin1(c byte) rune { return rune(c) }

// charmapNamed finds one of the other encodings of one byte a character.
func charmapNamed(n string) *charmap.Charmap {
	n = strings.ReplaceAll(n, "-", "")
	n = strings.Replace(n, "windows", "cp", 1)
	n = strings.Replace(n, "ibm", "cp", 1)
	i := sort.Search(len(charmaps), func(i int) bool { return charmaps[i].name >= n })
	if i < len(charmaps) && charmaps[i].name == n {
		return charmaps[i].table
	}
	return nil
}

// charmaps are sorted by name.
var charmaps = []struct {
	name  string
	table *charmap.Charmap
}{
	{"cp1250", charmap.Windows1250}, {"cp1251", charmap.Windows1251}, {"cp1252", charmap.Windows1252},
	{"cp1253", charmap.Windows1253}, {"cp1254", charmap.Windows1254}, {"cp1255", charmap.Windows1255},
	{"cp1256", charmap.Windows1256}, {"cp1257", charmap.Windows1257}, {"cp1258", charmap.Windows1258},
	{"cp437", charmap.CodePage437}, {"cp850", charmap.CodePage850}, {"cp852", charmap.CodePage852},
	{"cp855", charmap.CodePage855}, {"cp858", charmap.CodePage858}, {"cp860", charmap.CodePage860},
	{"cp862", charmap.CodePage862}, {"cp863", charmap.CodePage863}, {"cp865", charmap.CodePage865},
	{"cp866", charmap.CodePage866},
	{"iso885910", charmap.ISO8859_10}, {"iso885913", charmap.ISO8859_13}, {"iso885914", charmap.ISO8859_14},
	{"iso885915", charmap.ISO8859_15}, {"iso885916", charmap.ISO8859_16}, {"iso88592", charmap.ISO8859_2},
	{"iso88593", charmap.ISO8859_3}, {"iso88594", charmap.ISO8859_4}, {"iso88595", charmap.ISO8859_5},
	{"iso88596", charmap.ISO8859_6}, {"iso88597", charmap.ISO8859_7}, {"iso88598", charmap.ISO8859_8},
	{"iso88599", charmap.ISO8859_9}, {"koi8r", charmap.KOI8R}, {"koi8u", charmap.KOI8U},
	{"maccyrillic", charmap.MacintoshCyrillic}, {"macroman", charmap.Macintosh},
}

// transcode writes s, whose bytes dec decodes, as UTF-8.
func transcode(b *strings.Builder, s []byte, dec func(byte) rune, name string) *Error {
	for i, c := range s {
		switch {
		case c == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				continue
			}
			b.WriteByte('\n')
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			r := dec(c)
			if r == utf8.RuneError {
				line := 1 + bytes.Count(s[:i], []byte{'\n'})
				return startError(line, "(unicode error) '%s' codec can't decode byte 0x%02x in position %d", safetext.Clip(name, 43), c, i)
			}
			b.WriteRune(r)
		}
	}
	return nil
}
