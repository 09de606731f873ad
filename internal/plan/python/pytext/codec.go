package pytext

import (
	"fmt"
	"strconv"
	"strings"
)

// codec is an encoding. The names are those that errors show.
type codec uint8

const (
	codecUnknown codec = iota
	codecASCII
	codecLatin1
	codecUTF8
	codecUTF8Sig
	codecNotText
)

// String returns the name that errors show.
func (c codec) String() string {
	switch c {
	case codecASCII:
		return "ascii"
	case codecLatin1:
		return "latin-1"
	case codecUTF8, codecUTF8Sig:
		return "utf-8"
	}
	return "unknown"
}

// findCodec returns the encoding of that name, as a program spells it.
func findCodec(name string) codec {
	switch strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name)) {
	case "utf_8", "utf8", "u8":
		return codecUTF8
	case "ascii", "us_ascii":
		return codecASCII
	case "latin_1", "latin1", "iso8859_1", "iso_8859_1":
		return codecLatin1
	case "utf_8_sig":
		return codecUTF8Sig
	case "rot_13", "rot13", "hex_codec", "hex", "base64_codec", "base64", "base_64":
		return codecNotText
	}
	return codecUnknown
}

// textCodec returns the encoding for str.encode or bytes.decode.
func textCodec(name, how string) (codec, error) {
	switch c := findCodec(name); c {
	case codecUnknown:
		return c, errorf(LookupError, "unknown encoding: %s", name)
	case codecNotText:
		return c, errorf(LookupError, "'%s' is not a text encoding; use codecs.%s() to handle arbitrary codecs", name, how)
	default:
		return c, nil
	}
}

// unencodable is the error of the code points from start to end.
func unencodable(encoding, s string, start, end int, reason string) error {
	text := fmt.Sprintf("'%s' codec can't encode characters in position %d-%d: %s", encoding, start, end-1, reason)
	if end == start+1 {
		r, _ := DecodeRune(s[Offset(s, start):])
		text = fmt.Sprintf("'%s' codec can't encode character '%s' in position %d: %s", encoding, appendEscape(nil, r), start, reason)
	}
	return &Error{Kind: UnicodeEncodeError, Text: text}
}

// undecodable is the error of the bytes from start to end.
func undecodable(encoding string, b []byte, start, end int, reason string) error {
	text := fmt.Sprintf("'%s' codec can't decode bytes in position %d-%d: %s", encoding, start, end-1, reason)
	if end == start+1 {
		text = fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: %s", encoding, b[start], start, reason)
	}
	return &Error{Kind: UnicodeDecodeError, Text: text}
}

// Encode appends s.encode(encoding, errors).
func Encode(dst []byte, s, encoding, errors string) ([]byte, error) {
	c, err := textCodec(encoding, "encode")
	if err != nil {
		return dst, err
	}
	if c == codecUTF8Sig {
		dst = append(dst, "\xEF\xBB\xBF"...)
	}
	if (c == codecUTF8 || c == codecUTF8Sig) && !HasSurrogate(s) || c <= codecLatin1 && IsASCII(s) {
		return append(dst, s...), nil
	}
	for i, index := 0, 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		if c.encodes(r) {
			dst = c.appendRune(dst, r)
			i, index = i+n, index+1
			continue
		}
		start, from := index, i
		for i < len(s) {
			if r, n = DecodeRune(s[i:]); c.encodes(r) {
				break
			}
			i, index = i+n, index+1
		}
		if dst, err = c.replace(dst, s[from:i], errors); err == errStrict {
			return dst, unencodable(c.String(), s, start, index, c.unencodableReason())
		} else if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// encodes reports whether the encoding has the code point r.
func (c codec) encodes(r rune) bool {
	switch c {
	case codecASCII:
		return r < 0x80
	case codecLatin1:
		return r < 0x100
	}
	return r&^0x7FF != 0xD800
}

func (c codec) unencodableReason() string {
	switch c {
	case codecASCII:
		return "ordinal not in range(128)"
	case codecLatin1:
		return "ordinal not in range(256)"
	}
	return "surrogates not allowed"
}

// appendRune appends a code point that the encoding has.
func (c codec) appendRune(dst []byte, r rune) []byte {
	if c == codecUTF8 || c == codecUTF8Sig {
		return AppendRune(dst, r)
	}
	return append(dst, byte(r))
}

// errStrict says that the error handler does not help.
var errStrict error = &Error{Kind: ValueError, Text: "not encodable"}

// replace appends what the error handler puts in the place of bad, code points
// that the encoding does not have.
func (c codec) replace(dst []byte, bad, errors string) ([]byte, error) {
	for i := 0; i < len(bad); {
		r, n := DecodeRune(bad[i:])
		i += n
		switch errors {
		case "strict", "":
			return dst, errStrict
		case "ignore":
		case "replace":
			dst = append(dst, '?')
		case "backslashreplace":
			dst = appendEscape(dst, r)
		case "xmlcharrefreplace":
			dst = append(strconv.AppendInt(append(dst, "&#"...), int64(r), 10), ';')
		default:
			return dst, errorf(LookupError, "unknown error handler name '%s'", errors)
		}
	}
	return dst, nil
}
