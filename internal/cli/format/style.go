package format

import "strings"

// Style writes colours, or does not.
type Style struct {
	On    bool
	Width int
}

// The colours are the sixteen that every terminal's owner has chosen himself.
const (
	Bold    = "1"
	Dim     = "2"
	Red     = "31"
	Green   = "32"
	Yellow  = "33"
	Magenta = "35"
	Cyan    = "36"
)

// Paint returns text in a colour.
func (s Style) Paint(sgr, text string) string {
	if !s.On || text == "" || sgr == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// Rule is a line across the page with a title in it.
func (s Style) Rule(title string) string {
	fill := max(0, min(s.Width, 78)-len([]rune(title))-4)
	return s.Paint(Bold, strings.TrimRight("── "+title+" "+strings.Repeat("─", fill), " "))
}
