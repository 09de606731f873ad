package python

import (
	"strconv"

	"praxis/internal/lazyregexp"
)

// crashRE finds where a cell was outside of its functions: the frame that is the last one
// of a report.
var crashRE = lazyregexp.New(`(?m)^  File "<cell \d{1,9}>", line (\d{1,9}) in <module>$`)

// crashLine reads the report of an interpreter that crashed.
func crashLine(report string) (line int, ok bool) {
	found := crashRE.FindAllStringSubmatch(report, -1)
	if len(found) == 0 {
		return 0, false
	}
	line, err := strconv.Atoi(found[len(found)-1][1])
	return line, err == nil && line > 0
}
