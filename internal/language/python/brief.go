package python

import (
	"fmt"
	"strings"

	"praxis/internal/lazyregexp"
)

const (
	firstFrames = 2 // of a traceback in brief
	lastFrames  = 3
)

// framed is the first line of an entry of a stack, or what the kernel wrote in the place of some.
var framed = lazyregexp.New(`^  (?:File "|… |\[)`)

// chained are the lines that Python puts between exceptions that led to each other.
var chained = lazyregexp.New(`\n\n(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):\n\n`)

// brief shortens a traceback for a model: of what led to the exception its last line, and
// of a deep stack both ends.
func brief(traceback string) string {
	parts := chained.Split(traceback, -1)
	var b strings.Builder
	for _, cause := range parts[:len(parts)-1] {
		b.WriteString("after " + lastLine(cause) + "\n")
	}
	lines := strings.SplitAfter(parts[len(parts)-1], "\n")
	var starts []int // of the entries of the stack
	end := len(lines)
	for i, line := range lines {
		switch {
		case framed.MatchString(line):
			starts = append(starts, i)
		case len(starts) > 0 && !strings.HasPrefix(line, "  ") && i < end:
			end = i // where the stack ends
		}
		if end < len(lines) {
			break
		}
	}
	if len(starts) <= firstFrames+lastFrames {
		return b.String() + strings.Join(lines, "")
	}
	from, to := starts[firstFrames], starts[len(starts)-lastFrames]
	fmt.Fprintf(&b, "%s  … %d more\n%s", strings.Join(lines[:from], ""), len(starts)-firstFrames-lastFrames, strings.Join(lines[to:], ""))
	return b.String()
}

// lastLine is the line that names the exception of a traceback.
func lastLine(traceback string) string {
	last := ""
	for line := range strings.Lines(traceback) {
		if !strings.HasPrefix(line, " ") && strings.TrimSpace(line) != "" {
			last = strings.TrimSpace(line)
		}
	}
	return last
}
