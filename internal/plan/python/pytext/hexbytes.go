package pytext

// AppendHex appends b.hex(sep, every): sep, unless it is 0, stands between
// groups of every bytes, counted from the end, or from the start when every is
// negative; 0 is no group.
func AppendHex(dst, b []byte, sep byte, every int) []byte {
	for i, c := range b {
		if sep != 0 && i > 0 && (every > 0 && (len(b)-i)%every == 0 || every < 0 && i%-every == 0) {
			dst = append(dst, sep)
		}
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// ParseHex is bytes.fromhex(s).
func ParseHex(s string) ([]byte, error) {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return nil, badHex(i)
		}
	}
	out := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); {
		if IsByteSpace(s[i]) {
			i++
			continue
		}
		high := DigitValue(s[i])
		if high < 16 && i+1 == len(s) {
			return nil, valueError("fromhex() arg must contain an even number of hexadecimal digits")
		}
		if high >= 16 {
			return nil, badHex(i)
		}
		low := DigitValue(s[i+1])
		if low >= 16 {
			return nil, badHex(i + 1)
		}
		out = append(out, byte(high<<4|low))
		i += 2
	}
	return out, nil
}

func badHex(at int) error {
	return errorf(ValueError, "non-hexadecimal number found in fromhex() arg at position %d", at)
}
