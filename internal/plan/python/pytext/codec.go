package pytext

import (
	"fmt"
	"strconv"
)

// codec is an encoding. The names are those that errors show.
type codec uint8

const (
	codecUnknown codec = iota
	codecASCII
	codecLatin1
	codecCP1252
	codecUTF8
	codecUTF8Sig
	codecUTF16
	codecUTF16LE
	codecUTF16BE
	codecUTF32
	codecUTF32LE
	codecUTF32BE
	codecNotText
)

// String returns the name that errors show.
func (c codec) String() string {
	switch c {
	case codecASCII:
		return "ascii"
	case codecLatin1:
		return "latin-1"
	case codecCP1252:
		return "charmap"
	case codecUTF8, codecUTF8Sig:
		return "utf-8"
	case codecUTF16:
		return "utf-16"
	case codecUTF16LE:
		return "utf-16-le"
	case codecUTF16BE:
		return "utf-16-be"
	case codecUTF32:
		return "utf-32"
	case codecUTF32LE:
		return "utf-32-le"
	case codecUTF32BE:
		return "utf-32-be"
	}
	return "unknown"
}

// findCodec returns the encoding of that name, as a program spells it.
func findCodec(name string) codec {
	switch normalCodec(name) {
	case "utf_8", "utf8", "u8", "utf", "utf8_ucs2", "utf8_ucs4", "cp65001":
		return codecUTF8
	case "ascii", "646", "ansi_x3.4_1968", "ansi_x3_4_1968", "ansi_x3.4_1986", "cp367", "csascii", "ibm367",
		"iso646_us", "iso_646.irv_1991", "iso_ir_6", "us", "us_ascii":
		return codecASCII
	case "latin_1", "8859", "cp819", "csisolatin1", "ibm819", "iso8859", "iso8859_1", "iso_8859_1",
		"iso_8859_1_1987", "iso_ir_100", "l1", "latin", "latin1":
		return codecLatin1
	case "cp1252", "1252", "windows_1252":
		return codecCP1252
	case "utf_8_sig":
		return codecUTF8Sig
	case "utf_16", "u16", "utf16":
		return codecUTF16
	case "utf_16_le", "utf_16le", "unicodelittleunmarked":
		return codecUTF16LE
	case "utf_16_be", "utf_16be", "unicodebigunmarked":
		return codecUTF16BE
	case "utf_32", "u32", "utf32":
		return codecUTF32
	case "utf_32_le", "utf_32le":
		return codecUTF32LE
	case "utf_32_be", "utf_32be":
		return codecUTF32BE
	case "rot_13", "rot13", "hex_codec", "hex", "base64_codec", "base64", "base_64":
		return codecNotText
	}
	return codecUnknown
}

// normalCodec makes runs of what is no letter or digit one underscore.
func normalCodec(name string) string {
	const longest = 32 // of the names above
	out := make([]byte, 0, longest)
	gap := false
	for i := 0; i < len(name) && len(out) < longest; {
		r, n := DecodeRune(name[i:])
		i += n
		if r != '.' && record(r).flags&(flagAlpha|flagDecimal|flagDigit|flagNumeric) == 0 {
			gap = true
			continue
		}
		if gap && len(out) > 0 {
			out = append(out, '_')
		}
		gap = false
		if r < 0x80 {
			if r >= 'A' && r <= 'Z' {
				r |= 0x20
			}
			out = append(out, byte(r))
		}
	}
	return string(out)
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
	d := &UnicodeDetail{Encoding: encoding, Object: s, Start: start, End: end, Reason: reason}
	text := fmt.Sprintf("'%s' codec can't encode characters in position %d-%d: %s", encoding, start, end-1, reason)
	if end == start+1 {
		r, _ := DecodeRune(s[Offset(s, start):])
		text = fmt.Sprintf("'%s' codec can't encode character '%s' in position %d: %s", encoding, appendEscape(nil, r), start, reason)
	}
	return &Error{Kind: UnicodeEncodeError, Text: text, Unicode: d}
}

// undecodable is the error of the bytes from start to end.
func undecodable(encoding string, b []byte, start, end int, reason string) error {
	d := &UnicodeDetail{Encoding: encoding, Object: string(b), Start: start, End: end, Reason: reason}
	text := fmt.Sprintf("'%s' codec can't decode bytes in position %d-%d: %s", encoding, start, end-1, reason)
	if end == start+1 {
		text = fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: %s", encoding, b[start], start, reason)
	}
	return &Error{Kind: UnicodeDecodeError, Text: text, Unicode: d}
}

// Encode appends s.encode(encoding, errors).
func Encode(dst []byte, s, encoding, errors string) ([]byte, error) {
	c, err := textCodec(encoding, "encode")
	if err != nil {
		return dst, err
	}
	switch c {
	case codecUTF8Sig:
		dst = append(dst, "\xEF\xBB\xBF"...)
	case codecUTF16:
		dst = append(dst, 0xFF, 0xFE)
	case codecUTF32:
		dst = append(dst, 0xFF, 0xFE, 0, 0)
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
			if c >= codecUTF16 {
				break
			}
		}
		if dst, err = c.replace(dst, s[from:i], errors); err == errStrict {
			if errors == "surrogateescape" && c < codecUTF16 && c != codecCP1252 {
				for r, n = DecodeRune(s[from:]); escaped(r); r, n = DecodeRune(s[from:]) {
					from, start = from+n, start+1 // the fault is what follows
				}
			}
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
	case codecCP1252:
		_, ok := toCP1252(r)
		return ok
	}
	return r&^0x7FF != 0xD800
}

func (c codec) unencodableReason() string {
	switch c {
	case codecASCII:
		return "ordinal not in range(128)"
	case codecLatin1:
		return "ordinal not in range(256)"
	case codecCP1252:
		return "character maps to <undefined>"
	}
	return "surrogates not allowed"
}

// appendRune appends a code point that the encoding has, or a surrogate that
// is let through.
func (c codec) appendRune(dst []byte, r rune) []byte {
	switch c {
	case codecUTF8, codecUTF8Sig:
		return AppendRune(dst, r)
	case codecUTF16, codecUTF16LE, codecUTF16BE:
		if r > 0xFFFF {
			r -= 0x10000
			return c.appendUnit(c.appendUnit(dst, 0xD800|uint32(r>>10)), 0xDC00|uint32(r&0x3FF))
		}
		return c.appendUnit(dst, uint32(r))
	case codecUTF32, codecUTF32LE, codecUTF32BE:
		return c.appendUnit(dst, uint32(r))
	case codecCP1252:
		b, _ := toCP1252(r)
		return append(dst, b)
	}
	return append(dst, byte(r))
}

// appendUnit appends a unit of UTF-16 or UTF-32.
func (c codec) appendUnit(dst []byte, u uint32) []byte {
	switch c {
	case codecUTF16, codecUTF16LE:
		return append(dst, byte(u), byte(u>>8))
	case codecUTF16BE:
		return append(dst, byte(u>>8), byte(u))
	case codecUTF32BE:
		return append(dst, byte(u>>24), byte(u>>16), byte(u>>8), byte(u))
	}
	return append(dst, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

// errStrict says that the error handler does not help.
var errStrict error = &Error{Kind: ValueError, Text: "not encodable"}

// replace appends what the error handler puts in the place of bad, code points
// that the encoding does not have.
func (c codec) replace(dst []byte, bad, errors string) ([]byte, error) {
	ascii := func(text []byte) {
		for _, b := range text {
			dst = c.appendRune(dst, rune(b))
		}
	}
	if errors == "surrogateescape" && c >= codecUTF16 { // a byte is no unit
		return dst, errStrict
	}
	before := len(dst)
	for i := 0; i < len(bad); {
		r, n := DecodeRune(bad[i:])
		i += n
		switch errors {
		case "strict", "":
			return dst, errStrict
		case "ignore":
		case "replace":
			ascii([]byte{'?'})
		case "backslashreplace":
			ascii(appendEscape(nil, r))
		case "xmlcharrefreplace":
			ascii(append(strconv.AppendInt([]byte("&#"), int64(r), 10), ';'))
		case "surrogateescape":
			if !escaped(r) {
				return dst[:before], errStrict
			}
			dst = append(dst, byte(r))
		case "surrogatepass":
			if c < codecUTF8 || r&^0x7FF != 0xD800 {
				return dst[:before], errStrict
			}
			dst = c.appendRune(dst, r)
		default:
			return dst, errorf(LookupError, "unknown error handler name '%s'", errors)
		}
	}
	return dst, nil
}

// escaped reports whether r stands for a byte that could not be decoded.
func escaped(r rune) bool { return r >= 0xDC80 && r <= 0xDCFF }

// cp1252High is what CP-1252 has at 0x80 to 0x9F; 0 is nothing.
var cp1252High = [32]uint16{
	0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
	0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
}

func toCP1252(r rune) (byte, bool) {
	if r < 0x80 || r >= 0xA0 && r < 0x100 {
		return byte(r), true
	}
	for i, c := range cp1252High {
		if c != 0 && rune(c) == r {
			return 0x80 + byte(i), true
		}
	}
	return 0, false
}
