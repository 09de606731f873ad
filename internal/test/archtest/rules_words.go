package archtest

import (
	"strings"

	faults "praxis/fault"
)

// words says who may speak of the command line.
func words() Words {
	const format = "the first line of a format"
	return Words{
		Command: []string{"internal/cli/...", "cmd/...", "internal/test/soak"},
		Options: map[string]string{
			"internal/image":                "those of pip and of Python",
			"internal/guest/agent":          "those of the loader of the C library",
			"internal/sandbox/gvisor":       "those of what a host starts programs with",
			"internal/sandbox/gvisor/runsc": "those of runsc",
		},
		Literals: map[string]string{
			"  File \"<praxis ": "how Python names the code of a session",

			"praxis layer %s\npython %s\n":  format,
			"praxis request 1\npython %s\n": format,
			"praxis plan state 3\n":         format,
			"praxis plan state ":            format,
			"praxis plan state\n":           format,
			"praxis journal checkpoint 1\n": format,
			"praxis journal anchor 1\n":     format,
			"praxis journal chain 1\n":      format,
			"praxis journal succession 1\n": format,
			"cannot find the data folder: none of PRAXIS_HOME, XDG_DATA_HOME and HOME is set": "it says what was looked for in the environment",
		},
	}
}

// codes are those of package fault. Its tests keep that a code is the name of
// its constant in small letters.
func codes() Codes {
	out := Codes{}
	for _, code := range faults.Codes() {
		var name strings.Builder
		for word := range strings.SplitSeq(string(code), "_") {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		out[name.String()] = code.Names()
	}
	return out
}
