package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/safetext"
)

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
	left := safetext.Size(int64(len(gone)))
	if n := strings.Count(gone, "\n"); n > 0 {
		left = safetext.Count(n, "line") + ", " + left
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

func seconds(d event.Duration) string {
	return fmt.Sprintf("%.2f s", time.Duration(d).Seconds())
}

func utcTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// short is the start of a hash, enough to distinguish it from the others of a run.
func short(hash string) string {
	const n = 16 + len("…")
	digits := strings.TrimPrefix(hash, "sha256:")
	return hash[:len(hash)-len(digits)] + safetext.Clip(digits, n)
}

// sized is how much a snapshot takes, where that is known.
func sized(s event.SnapshotTaken) string {
	if s.Bytes <= 0 {
		return ""
	}
	return ", " + safetext.Size(s.Bytes)
}
