package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// newEncoder returns the encoder of everything that is printed as JSON. A person
// may read it on a terminal, and it quotes models and guests: what a terminal
// would act on or not show is written as \u escapes, which mean the same to a
// program.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(safeJSON{w})
	enc.SetEscapeHTML(false)
	return enc
}

// safeJSON escapes what hides in whole values of JSON. Such characters stand in
// strings only, where an escape may stand for each of them.
type safeJSON struct{ w io.Writer }

// Write passes one or more whole values on. The count is of p's bytes.
func (s safeJSON) Write(p []byte) (int, error) {
	out := p
	if bytes.ContainsFunc(p, escaped) {
		out = make([]byte, 0, len(p)+64)
		for in := p; len(in) > 0; {
			r, n := utf8.DecodeRune(in)
			switch {
			case !escaped(r):
				out = append(out, in[:n]...)
			case r > 0xffff:
				high, low := utf16.EncodeRune(r)
				out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
			default:
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			in = in[n:]
		}
	}
	if _, err := s.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escaped says what JSON leaves as it is and a terminal does not show. The
// characters below a blank are escaped by JSON itself, but for the newline.
func escaped(r rune) bool { return r == 0x7f || hides(r) }
