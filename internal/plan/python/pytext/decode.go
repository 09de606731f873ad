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
	default:
		err = d.bytes()
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
	case "strict", "":
	case "xmlcharrefreplace", "namereplace":
		return errorf(TypeError, "don't know how to handle UnicodeDecodeError in error callback")
	default:
		return errorf(LookupError, "unknown error handler name '%s'", d.errors)
	}
	return undecodable(d.codec.String(), d.b, start, end, reason)
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
		if c >= 0x80 && d.codec == codecASCII {
			if err := d.fault(1, "ordinal not in range(128)"); err != nil {
				return err
			}
			continue
		}
		d.dst = AppendRune(d.dst, r)
		d.pos++
	}
	return nil
}
