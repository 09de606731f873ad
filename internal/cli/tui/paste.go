package tui

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// The line editor knows single lines only. What is pasted therefore stands in
// one line, its line breaks and tabs as the signs for them, and so does a block
// that is recalled from the history; the signs are turned back when the line is
// taken. A paste is so one piece, whatever blank lines it has, and runs when
// the person says so.
const (
	signBreak = '␤'
	signTab   = '␉'
)

// What terminals send around a paste when they are asked to.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// fold puts a piece of code into one line, unfold undoes it.
func fold(code string) string {
	return strings.NewReplacer("\n", string(signBreak), "\t", string(signTab)).Replace(code)
}

func unfold(line string) string {
	return strings.NewReplacer(string(signBreak), "\n", string(signTab), "\t").Replace(line)
}

// lastLine parts a folded piece before its last line, which is returned unfolded.
func lastLine(folded string) (before, last string) {
	i := strings.LastIndex(folded, string(signBreak))
	if i < 0 {
		return "", unfold(folded)
	}
	i += len(string(signBreak))
	return folded[:i], unfold(folded[i:])
}

// pasteFilter folds what is pasted, and takes every other control character
// out of it: a paste must not press keys. All else passes as it is typed.
type pasteFilter struct {
	recent  string // the last characters outside, as many as may be the beginning of pasteBegin
	inside  bool
	pending string // inside: what may be the beginning of pasteEnd
	cr      bool   // inside: the last character was a carriage return
}

// feed takes one character and returns what the editor is to see.
func (f *pasteFilter) feed(r rune) string {
	if !f.inside {
		f.recent += string(r)
		switch {
		case f.recent == pasteBegin:
			f.recent, f.inside, f.cr = "", true, false
		case !strings.HasPrefix(pasteBegin, f.recent):
			f.recent = ""
			if r == 0x1b {
				f.recent = "\x1b"
			}
		}
		return string(r) // the editor does not know the sequence and drops it
	}
	if next := f.pending + string(r); strings.HasPrefix(pasteEnd, next) {
		if f.pending = next; next == pasteEnd {
			f.pending, f.inside = "", false
		}
		return ""
	}
	var out strings.Builder
	rest := f.pending
	f.pending = ""
	if r == 0x1b {
		f.pending = "\x1b"
	} else {
		rest += string(r)
	}
	for _, r := range rest {
		out.WriteString(f.pasted(r))
	}
	return out.String()
}

// pasted returns what stands for one character of a paste.
func (f *pasteFilter) pasted(r rune) string {
	after := f.cr
	f.cr = r == '\r'
	switch {
	case r == '\n' && after:
		return "" // the second half of a line break
	case r == '\n' || r == '\r':
		return string(signBreak)
	case r == '\t':
		return string(signTab)
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return ""
	}
	return string(r)
}

// pump copies what a terminal sends through the filter until either side ends.
func (f *pasteFilter) pump(to io.Writer, from io.Reader) error {
	in := bufio.NewReader(from)
	for {
		r, _, err := in.ReadRune()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, f.feed(r)); err != nil {
			return err
		}
	}
}
