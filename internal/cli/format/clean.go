package format

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSequence bounds what one control sequence may swallow: a guest that opens
// one and never ends it must not hide the rest of its output.
const maxSequence = 4096

// Cleaner is a Writer that makes hostile bytes harmless for a terminal.
// Complete control sequences (CSI, OSC, DCS, …) are dropped; control
// characters, C1 codes, bytes that are not UTF-8 and the characters that turn
// the direction of text around are written as escapes such as \x07. Newline,
// tab and carriage return pass; what a carriage return lets a guest overwrite
// is its own line. State is kept over calls, since an Output may split a
// sequence or a character anywhere.
type Cleaner struct {
	W     io.Writer
	state cleanState
	seq   int    // bytes swallowed by the sequence
	part  []byte // an incomplete character
}

type cleanState uint8

const (
	cleanText   cleanState = iota
	cleanEscape            // after ESC
	cleanInter             // ESC and intermediate bytes: one final byte ends it
	cleanCSI               // ESC [ …: a byte from @ to ~ ends it
	cleanString            // ESC ], P, X, ^, _: BEL or ST ends it
	cleanST                // ESC inside such a string: \ ends it
)

// Write cleans p and passes it on. The count is of p's bytes.
func (c *Cleaner) Write(p []byte) (int, error) {
	in := p
	if len(c.part) > 0 {
		in = append(c.part, p...)
		c.part = nil
	}
	var out bytes.Buffer
	for len(in) > 0 {
		r, n := utf8.DecodeRune(in)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(in) {
			c.part = bytes.Clone(in)
			break
		}
		c.rune(&out, r, in[:n])
		in = in[n:]
	}
	if _, err := c.W.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what is left of a character that never became whole.
func (c *Cleaner) Flush() error {
	var out bytes.Buffer
	for _, b := range c.part {
		fmt.Fprintf(&out, `\x%02x`, b)
	}
	c.part = nil
	c.state = cleanText
	if out.Len() == 0 {
		return nil
	}
	_, err := c.W.Write(out.Bytes())
	return err
}

func (c *Cleaner) rune(out *bytes.Buffer, r rune, raw []byte) {
	if c.state != cleanText {
		c.seq += len(raw)
		// A newline ends any sequence: terminals would go on, but no honest
		// sequence has one, and a line must not vanish.
		if r == '\n' || c.seq > maxSequence {
			c.state = cleanText
		}
	}
	switch c.state {
	case cleanText:
		c.text(out, r, raw)
	case cleanEscape:
		c.state = afterEscape(r)
	case cleanInter:
		if r < 0x20 || r > 0x2f {
			c.state = cleanText
		}
	case cleanCSI:
		if r >= 0x40 && r <= 0x7e {
			c.state = cleanText
		}
	case cleanString:
		switch r {
		case 0x07, 0x9c:
			c.state = cleanText
		case 0x1b:
			c.state = cleanST
		}
	case cleanST:
		c.state = cleanString
		if r == '\\' {
			c.state = cleanText
		}
	}
}

func afterEscape(r rune) cleanState {
	switch {
	case r == '[':
		return cleanCSI
	case strings.ContainsRune("]PX^_", r):
		return cleanString
	case r >= 0x20 && r <= 0x2f:
		return cleanInter
	case r == 0x1b:
		return cleanEscape
	}
	return cleanText
}

func (c *Cleaner) text(out *bytes.Buffer, r rune, raw []byte) {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		out.WriteRune(r)
	case r == 0x1b:
		c.state, c.seq = cleanEscape, 0
	case r == 0x9b:
		c.state, c.seq = cleanCSI, 0
	case r == 0x9d || r == 0x90 || r == 0x98 || r == 0x9e || r == 0x9f:
		c.state, c.seq = cleanString, 0
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(out, `\x%02x`, raw[0])
	case r < 0x20 || (r >= 0x7f && r < 0xa0):
		fmt.Fprintf(out, `\x%02x`, r)
	case unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029:
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		out.Write(raw)
	}
}

// Strip makes a whole text of raw guest output harmless, see cleaner. Carriage
// returns are escaped too: a line of ours must not be overwritten by what it shows.
func Strip(s string) string {
	var out bytes.Buffer
	c := Cleaner{W: &out}
	// Neither call fails: a buffer takes everything.
	io.WriteString(&c, strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", `\r`))
	c.Flush()
	return out.String()
}
