package agent

import (
	"bytes"
	"strings"
)

// crashMark begins what an interpreter that crashes writes to its control
// socket, see package python. As a length it is larger than any frame's.
const crashMark = "Fata"

// maxReport bounds a crash report, in bytes.
const maxReport = 64 << 10

// takeReport begins a crash report if what is there is one.
func (in *interp) takeReport() bool {
	if in.report == nil && bytes.HasPrefix(in.inbox, []byte(crashMark)) {
		in.report, in.inbox = in.inbox, nil
		in.broken, in.ending = "it reported a crash", true
	}
	return in.report != nil
}

// addReport keeps more of a report, as far as it is bounded.
func (in *interp) addReport(data []byte) {
	if room := maxReport - len(in.report); room > 0 {
		in.report = append(in.report, data[:min(room, len(data))]...)
	}
}

// crashText is a report as the user should read it: without the frames of the
// kernel, whose program is given, and the list of every extension module.
func crashText(report []byte, program string) string {
	var kept []string
	for line := range strings.Lines(strings.ToValidUTF8(string(report), "\uFFFD")) {
		ours := strings.HasPrefix(line, `  File "`+program+`", `) || strings.HasPrefix(line, `  File "<praxis `)
		if !ours && !strings.HasPrefix(line, "Extension modules: ") {
			kept = append(kept, line)
		}
	}
	text := strings.TrimRight(strings.Join(kept, ""), "\n")
	if text != "" {
		text += "\n"
	}
	return text
}
