package pytext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// codec is an encoding: its name in errors, and the greatest code point that it has.
type codec struct {
	name string
	most rune
	mark string // that texts begin with
}

// findCodec returns the encoding of that name, as a program spells it.
func findCodec(name string) (codec, error) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name)) {
	case "utf8", "u8":
		return codec{"utf-8", unicode.MaxRune, ""}, nil
	case "utf8sig":
		return codec{"utf-8", unicode.MaxRune, "\uFEFF"}, nil
	case "ascii", "usascii":
		return codec{"ascii", 0x7F, ""}, nil
	case "latin1", "iso88591":
		return codec{"latin-1", 0xFF, ""}, nil
	}
	return codec{}, errorf(LookupError, "unknown encoding: %s", name)
}

// bad appends what an error handler puts in the place of what does not fit an
// encoding, or returns the error that says what is wrong with it.
func bad(dst []byte, errors, instead string, wrong func() error) ([]byte, error) {
	switch errors {
	case "strict":
		return dst, wrong()
	case "ignore":
		return dst, nil
	case "replace":
		return append(dst, instead...), nil
	}
	return dst, errorf(LookupError, "unknown error handler name '%s'", errors)
}

// Encode appends s.encode(encoding, errors).
func Encode(dst []byte, s, encoding, errors string) ([]byte, error) {
	c, err := findCodec(encoding)
	if dst = append(dst, c.mark...); err != nil || c.most == unicode.MaxRune {
		return append(dst, s...), err
	}
	index := 0
	for i, r := range s {
		if r <= c.most {
			dst = append(dst, byte(r))
		} else if dst, err = bad(dst, errors, "?", func() error { return c.unencodable(s[i:], index) }); err != nil {
			return dst, err
		}
		index++
	}
	return dst, nil
}

// unencodable is the error of a text that begins, at an index, with what the
// encoding does not have.
func (c codec) unencodable(s string, index int) error {
	n := 0
	for _, r := range s {
		if r <= c.most {
			break
		}
		n++
	}
	what := fmt.Sprintf("characters in position %d-%d", index, index+n-1)
	if n == 1 {
		r, _ := utf8.DecodeRuneInString(s)
		what = fmt.Sprintf("character '%s' in position %d", appendEscape(nil, r), index)
	}
	return errorf(UnicodeEncodeError, "'%s' codec can't encode %s: ordinal not in range(%d)", c.name, what, c.most+1)
}

// Decode appends b.decode(encoding, errors), a text.
func Decode(dst, b []byte, encoding, errors string) ([]byte, error) {
	c, err := findCodec(encoding)
	if err != nil {
		return dst, err
	}
	b = b[len(b)-len(strings.TrimPrefix(string(b), c.mark)):]
	if c.most == unicode.MaxRune && utf8.Valid(b) {
		return append(dst, b...), nil
	}
	for at, n := 0, 1; at < len(b); at += n {
		r, reason := rune(b[at]), ""
		switch {
		case c.most == unicode.MaxRune:
			if r, n = utf8.DecodeRune(b[at:]); r == utf8.RuneError && n == 1 {
				n, reason = brokenUTF8(b[at:])
			}
		case r > c.most:
			reason = "ordinal not in range(128)"
		}
		if reason == "" {
			dst = utf8.AppendRune(dst, r)
		} else if dst, err = bad(dst, errors, "\uFFFD", func() error { return c.undecodable(b, at, n, reason) }); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// brokenUTF8 says what is wrong at the start of b and how many bytes of it
// begin a character.
func brokenUTF8(b []byte) (n int, reason string) {
	for n = 1; n < len(b) && !utf8.FullRune(b[:n+1]); {
		n++
	}
	switch {
	case utf8.FullRune(b[:1]):
		return 1, "invalid start byte"
	case !utf8.FullRune(b):
		return n, "unexpected end of data"
	}
	return n, "invalid continuation byte"
}

// undecodable is the error of n bytes.
func (c codec) undecodable(b []byte, at, n int, reason string) error {
	what := fmt.Sprintf("bytes in position %d-%d", at, at+n-1)
	if n == 1 {
		what = fmt.Sprintf("byte 0x%02x in position %d", b[at], at)
	}
	return errorf(UnicodeDecodeError, "'%s' codec can't decode %s: %s", c.name, what, reason)
}
