package pytext

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
