package pytext

import "unicode/utf8"

// Decode appends b.decode(encoding, errors), a text.
func Decode(dst, b []byte, encoding, errors string) ([]byte, error) {
	c, err := textCodec(encoding, "decode")
	if err != nil {
		return dst, err
	}
	d := decoder{dst: dst, b: b, codec: c, errors: errors}
	switch c {
	case codecUTF8Sig:
		if len(b) >= 3 && string(b[:3]) == "\xEF\xBB\xBF" {
			d.b = b[3:]
		}
		err = d.utf8()
	case codecUTF8:
		err = d.utf8()
	case codecASCII, codecLatin1, codecCP1252:
		err = d.bytes()
	case codecUTF16, codecUTF16LE, codecUTF16BE:
		err = d.utf16()
	default:
		err = d.utf32()
	}
	return d.dst, err
}

// decoder turns bytes into text.
type decoder struct {
	dst    []byte
	b      []byte
	pos    int // b[:pos] is done
	codec  codec
	errors string
}

// fault hands b[pos:pos+n] to the error handler and goes on behind it.
func (d *decoder) fault(n int, reason string) error {
	start, end := d.pos, d.pos+n
	bad := d.b[start:end]
	d.pos = end
	switch d.errors {
	case "ignore":
		return nil
	case "replace":
		d.dst = append(d.dst, "\uFFFD"...)
		return nil
	case "backslashreplace":
		for _, c := range bad {
			d.dst = append(d.dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
		return nil
	case "surrogateescape":
		for i, c := range bad {
			if c < 0x80 {
				if i == 0 {
					break
				}
				d.pos = start + i // what is ASCII is read again
				return nil
			}
			if d.dst = AppendRune(d.dst, 0xDC00|rune(c)); i == len(bad)-1 {
				return nil
			}
		}
	case "surrogatepass":
		if r, size := d.surrogate(start); size > 0 {
			d.dst = AppendRune(d.dst, r)
			d.pos = start + size
			return nil
		}
	case "strict", "":
	case "xmlcharrefreplace", "namereplace":
		return errorf(TypeError, "don't know how to handle UnicodeDecodeError in error callback")
	default:
		return errorf(LookupError, "unknown error handler name '%s'", d.errors)
	}
	return undecodable(d.codec.String(), d.b, start, end, reason)
}

// surrogate returns the surrogate at b[at], and its size.
func (d *decoder) surrogate(at int) (rune, int) {
	b := d.b[at:]
	switch d.codec {
	case codecUTF8, codecUTF8Sig:
		if r, n := DecodeRune(string(b[:min(len(b), 3)])); n == 3 && r&^0x7FF == 0xD800 {
			return r, 3
		}
	case codecUTF16, codecUTF16LE, codecUTF16BE:
		if len(b) >= 2 {
			if r := rune(d.unit(at)); r&^0x7FF == 0xD800 {
				return r, 2
			}
		}
	case codecUTF32, codecUTF32LE, codecUTF32BE:
		if len(b) >= 4 {
			if u := d.unit(at); u&^0x7FF == 0xD800 {
				return rune(u), 4
			}
		}
	}
	return 0, 0
}

// unit returns the unit of UTF-16 or UTF-32 at b[at].
func (d *decoder) unit(at int) uint32 {
	b := d.b[at:]
	switch d.codec {
	case codecUTF16, codecUTF16LE:
		return uint32(b[0]) | uint32(b[1])<<8
	case codecUTF16BE:
		return uint32(b[1]) | uint32(b[0])<<8
	case codecUTF32BE:
		return uint32(b[3]) | uint32(b[2])<<8 | uint32(b[1])<<16 | uint32(b[0])<<24
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (d *decoder) utf8() error {
	if utf8.Valid(d.b) {
		d.dst = append(d.dst, d.b...)
		return nil
	}
	for d.pos < len(d.b) {
		r, n := utf8.DecodeRune(d.b[d.pos:])
		if r != utf8.RuneError || n != 1 {
			d.dst = append(d.dst, d.b[d.pos:d.pos+n]...)
			d.pos += n
			continue
		}
		n, reason := brokenUTF8(d.b[d.pos:])
		if err := d.fault(n, reason); err != nil {
			return err
		}
	}
	return nil
}

// brokenUTF8 says what is wrong at the start of b and how many bytes of it
// begin a character.
func brokenUTF8(b []byte) (n int, reason string) {
	size, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		size = 2
	case c >= 0xE0 && c <= 0xEF:
		size = 3
		switch c {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		size = 4
		switch c {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	default:
		return 1, "invalid start byte"
	}
	for n = 1; n < size; n++ {
		if n == len(b) {
			return n, "unexpected end of data"
		}
		if b[n] < low || b[n] > high {
			break
		}
		low, high = 0x80, 0xBF
	}
	return n, "invalid continuation byte"
}

// bytes decodes the encodings of one byte a character.
func (d *decoder) bytes() error {
	for d.pos < len(d.b) {
		c := d.b[d.pos]
		r := rune(c)
		switch {
		case c < 0x80 || d.codec == codecLatin1:
		case d.codec == codecASCII:
			if err := d.fault(1, "ordinal not in range(128)"); err != nil {
				return err
			}
			continue
		case c < 0xA0:
			if r = rune(cp1252High[c-0x80]); r == 0 {
				if err := d.fault(1, "character maps to <undefined>"); err != nil {
					return err
				}
				continue
			}
		}
		d.dst = AppendRune(d.dst, r)
		d.pos++
	}
	return nil
}

// utf16 decodes UTF-16. Without a byte order it looks for a mark.
func (d *decoder) utf16() error {
	if d.codec == codecUTF16 {
		d.codec = codecUTF16LE
		if len(d.b) >= 2 {
			switch d.unit(0) {
			case 0xFEFF:
				d.pos = 2
			case 0xFFFE:
				d.pos, d.codec = 2, codecUTF16BE
			}
		}
	}
	for d.pos < len(d.b) {
		n, reason := 2, ""
		left := len(d.b) - d.pos
		if left < 2 {
			n, reason = left, "truncated data"
		} else if u := d.unit(d.pos); u&^0x7FF != 0xD800 {
			d.dst = AppendRune(d.dst, rune(u))
			d.pos += 2
			continue
		} else if u >= 0xDC00 {
			reason = "illegal encoding"
		} else if left < 4 {
			n, reason = left, "unexpected end of data"
		} else if low := d.unit(d.pos + 2); low&^0x3FF == 0xDC00 {
			d.dst = AppendRune(d.dst, 0x10000+rune(u&0x3FF)<<10+rune(low&0x3FF))
			d.pos += 4
			continue
		} else {
			reason = "illegal UTF-16 surrogate"
		}
		if err := d.fault(n, reason); err != nil {
			return err
		}
	}
	return nil
}

// utf32 decodes UTF-32. Without a byte order it looks for a mark.
func (d *decoder) utf32() error {
	if d.codec == codecUTF32 {
		d.codec = codecUTF32LE
		if len(d.b) >= 4 {
			switch d.unit(0) {
			case 0xFEFF:
				d.pos = 4
			case 0xFFFE0000:
				d.pos, d.codec = 4, codecUTF32BE
			}
		}
	}
	for d.pos < len(d.b) {
		n, reason := 4, ""
		if left := len(d.b) - d.pos; left < 4 {
			n, reason = left, "truncated data"
		} else if u := d.unit(d.pos); u > MaxRune {
			reason = "code point not in range(0x110000)"
		} else if u&^0x7FF == 0xD800 {
			reason = "code point in surrogate code point range(0xd800, 0xe000)"
		} else {
			d.dst = AppendRune(d.dst, rune(u))
			d.pos += 4
			continue
		}
		if err := d.fault(n, reason); err != nil {
			return err
		}
	}
	return nil
}
