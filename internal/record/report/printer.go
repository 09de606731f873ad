package report

import (
	"bufio"
	"fmt"
	"io"
)

// The colours are the sixteen that every terminal's owner has chosen himself.
const (
	sgrBold    = "1"
	sgrDim     = "2"
	sgrRed     = "31"
	sgrGreen   = "32"
	sgrYellow  = "33"
	sgrMagenta = "35"
	sgrCyan    = "36"
)

// printer writes text for a terminal, with colours or without.
type printer struct {
	w      *bufio.Writer
	colour bool
}

func newPrinter(w io.Writer, opt Options) printer { return printer{bufio.NewWriter(w), opt.Colour} }

func (p printer) paint(sgr, text string) string {
	if !p.colour || text == "" || sgr == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// printf writes a text of ours. The texts of the run in it were escaped before,
// so that the terminal never sees their control characters. The writer remembers
// its first error, which flush returns.
func (p printer) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

func (p printer) flush() error {
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}
