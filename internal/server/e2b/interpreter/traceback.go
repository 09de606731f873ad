package interpreter

import (
	"fmt"
	"regexp"
	"strings"
)

// cellName is what IPython calls the code of an execution.
func cellName(n int) string { return fmt.Sprintf("Cell In[%d]", n) }

const rule = 75 // characters of IPython's line above a traceback

// frame is the line of a traceback that says where code is; what is in quotes is a cell.
var frame = regexp.MustCompile(`^  File "(Cell In\[\d+\])", line (\d+)(?:, in (.*))?$`)

// ipython writes a traceback of Python as IPython words it: a rule, the name of the exception,
// for each frame of a cell its number and its line, and the exception. Frames of files stay as
// they are.
func ipython(name, traceback string) string {
	text := strings.TrimRight(traceback, "\n")
	if text == "" {
		return ""
	}
	in := strings.Split(text, "\n")
	var b strings.Builder
	if in[0] == "Traceback (most recent call last):" {
		const title = "Traceback (most recent call last)"
		fmt.Fprintf(&b, "%s\n%-*s %s\n", strings.Repeat("-", rule), rule-len(title)-1, name, title)
		in = in[1:]
	}
	for i := 0; i < len(in); i++ {
		m := frame.FindStringSubmatch(in[i])
		if m == nil {
			if i == len(in)-1 && b.Len() > 0 {
				b.WriteString("\n")
			}
			b.WriteString(in[i] + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s, line %s", m[1], m[2])
		if m[3] != "" && m[3] != "<module>" {
			fmt.Fprintf(&b, ", in %s()", m[3])
		}
		b.WriteString("\n")
		if m[3] == "" || i+1 == len(in) || !strings.HasPrefix(in[i+1], "    ") {
			continue // a mistake in how it is written, whose lines show the place
		}
		i++
		fmt.Fprintf(&b, "----> %s %s\n", m[2], strings.TrimSpace(in[i]))
		for i+1 < len(in) && strings.HasPrefix(in[i+1], "    ") && strings.Trim(in[i+1], " ~^") == "" {
			i++ // marks below the line
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
