package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"praxis/internal/event"
)

// visible makes a text of a model or a guest harmless to look at. Nothing is
// dropped: every character that a terminal would act on, that shows nothing of
// itself or that turns the direction of what stands beside it around is written
// as an escape. Only newlines and tabs pass. The result is valid UTF-8.
func visible(s string) string {
	if plainASCII(s) {
		return s
	}
	var out strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, s[0])
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case r == '\r':
			out.WriteString(`\r`)
		case r < 0x20 || (r >= 0x7f && r < 0xa0):
			fmt.Fprintf(&out, `\x%02x`, r)
		case hides(r) && r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		case hides(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return out.String()
}

// hides says whether a character above ASCII shows nothing of itself, or turns
// around what stands beside it: separators of lines, format characters
// (direction, width zero, tags) and what is no character at all. The two
// joiners pass, since whole scripts and emoji need them.
func hides(r rune) bool {
	switch {
	case r < 0xa0 || r == 0x200c || r == 0x200d:
		return false
	case r == 0x2028 || r == 0x2029 || r&0xfffe == 0xfffe:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < 0x20 && b != '\n' && b != '\t') || b >= 0x7f {
			return false
		}
	}
	return true
}

// visibleLine is visible for what must stay on one line, such as a file name.
func visibleLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(visible(s), "\n", `\n`), "\t", `\t`)
}

// visibleCode is visible for Python. A carriage return ends a line there, so
// what follows it gets a line of its own: it is no part of a comment before it.
func visibleCode(code string) string {
	return visible(strings.NewReplacer("\r\n", "\n", "\r", `\r`+"\n").Replace(code))
}

// cut is the start of a line that is too long, with a mark.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// excerpt is the head and the tail of a text, and what was left out between.
type excerpt struct {
	Head, Tail string
	Left       string // such as "120 lines, 4.2KiB"; empty when nothing was
}

// bound cuts a text to some lines and bytes. Half of each is kept at the end.
func bound(text string, lines, bytes int) excerpt {
	head := prefix(text, lines-lines/2, bytes-bytes/2)
	tail := suffix(text[head:], lines/2, bytes/2)
	if tail == 0 {
		return excerpt{Head: text}
	}
	gone := text[head : head+tail]
	left := size(int64(len(gone)))
	if n := strings.Count(gone, "\n"); n > 0 {
		left = count(n, "line") + ", " + left
	}
	return excerpt{Head: text[:head], Tail: text[head+tail:], Left: left}
}

// prefix returns the length of the first lines that have no more than n bytes;
// a line that is longer than that is cut.
func prefix(s string, lines, n int) int {
	end := 0
	for range lines {
		i := strings.IndexByte(s[end:], '\n')
		if i < 0 {
			i = len(s) - end - 1
		}
		if end+i+1 > n {
			if end > 0 {
				return end
			}
			for n > 0 && !utf8.RuneStart(s[n]) {
				n--
			}
			return n
		}
		if end += i + 1; end == len(s) {
			return end
		}
	}
	return end
}

// suffix returns where the last lines of s begin that have no more than n bytes.
func suffix(s string, lines, n int) int {
	start := len(s)
	for range lines {
		if start == 0 {
			return 0
		}
		i := strings.LastIndexByte(s[:start-1], '\n') + 1
		if len(s)-i > n {
			if start < len(s) {
				return start
			}
			i = len(s) - n
			for i < len(s) && !utf8.RuneStart(s[i]) {
				i++
			}
			return i
		}
		start = i
	}
	return start
}

// size writes bytes as the command line does.
func size(n int64) string {
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for math.Abs(v) >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + units[i]
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(n) + " " + what + "s"
}

func seconds(d event.Duration) string {
	return fmt.Sprintf("%.2f s", time.Duration(d).Seconds())
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// short is the start of a hash, enough to tell it from the others of a run.
func short(hash string) string {
	const n = 16
	digits := strings.TrimPrefix(hash, "sha256:")
	return hash[:len(hash)-len(digits)] + cut(digits, n)
}

// sized is how much a snapshot takes, where that is known.
func sized(s event.SnapshotTaken) string {
	if s.Bytes <= 0 {
		return ""
	}
	return ", " + size(s.Bytes)
}
