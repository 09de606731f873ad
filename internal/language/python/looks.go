package python

import (
	"strings"

	"praxis/internal/lazyregexp"
)

var (
	// statementRE are lines that prose does not have.
	statementRE = lazyregexp.New(`^(?:import [\w.]+(?: as \w+)?(?:, ?[\w.]+(?: as \w+)?)*|from [\w.]+ import \S.*|(?:async )?def \w+ ?\(.*|class \w+.*:|` +
		`(?:async )?(?:for .+ in .+|with .+|while .+):.*|if .+:|print ?\(.*)(?:\s*#.*)?$`)
	// expressionRE are lines that are code if their neighbours are.
	expressionRE = lazyregexp.New(`^(?:[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?:\s*,\s*[A-Za-z_]\w*)*\s*(?::[^=]*)?(?:[-+*/%|&@]|//|\*\*)?=[^=].*|[A-Za-z_][\w.]*\(.*|[A-Za-z_][\w.]*\[.+\].*|[(\[{].*|` +
		`(?:try|else|finally):.*|(?:elif|except|return|raise|assert|del|global|yield|await|lambda|not)\b.*|pass|break|continue|@\w.*|[A-Za-z_]\w*(?:\.\w+)+|[fr]?["'].*)$`)
	nameRE = lazyregexp.New(`^[A-Za-z_]\w*$`)
)

// looks tells Python from prose by its lines. It is likely code when each of them can
// be some, and surely when one of them is a statement that prose does not have.
func looks(text string) (likely, surely bool) {
	quote, depth, seen := "", 0, false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case quote != "":
			if strings.Contains(trimmed, quote) {
				quote = ""
			}
			continue
		case trimmed == "" || trimmed[0] == '#':
			continue
		case depth > 0 || line[0] == ' ' || line[0] == '\t' || strings.ContainsRune(")]}", rune(trimmed[0])):
			// it goes on with the line before
			if !seen {
				return false, false
			}
		case seen && nameRE.MatchString(trimmed): // its value is shown
		case statementRE.MatchString(trimmed):
			surely = true
		case !expressionRE.MatchString(trimmed):
			return false, false
		}
		seen = true
		depth = max(0, depth+strings.Count(trimmed, "(")+strings.Count(trimmed, "[")+strings.Count(trimmed, "{")-
			strings.Count(trimmed, ")")-strings.Count(trimmed, "]")-strings.Count(trimmed, "}"))
		for _, q := range []string{`"""`, "'''"} {
			if strings.Count(trimmed, q)%2 == 1 {
				quote = q
			}
		}
	}
	return seen, seen && surely
}
