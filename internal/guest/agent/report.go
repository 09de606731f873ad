package agent

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"praxis/internal/guest/wire"
)

// maxReport bounds a crash report, in bytes.
const maxReport = 64 << 10

// possibleCrash reports whether a report that begins like this differs from
// a control frame: its first bytes are a length that no frame has.
func possibleCrash(begins string) bool {
	return len(begins) >= controlHead && binary.BigEndian.Uint32([]byte(begins)) > maxControl
}

// takeReport begins a crash report if what is there is one.
func (in *interp) takeReport() bool {
	begins := in.language.CrashBegins
	if in.report == nil && begins != "" && bytes.HasPrefix(in.inbox, []byte(begins[:controlHead])) {
		in.report, in.inbox = in.inbox, nil
		in.broken, in.ending = "it reported a crash", true
	}
	return in.report != nil
}

// addReport keeps more of a report, as far as it is bounded.
func (in *interp) addReport(data []byte) {
	if space := maxReport - len(in.report); space > 0 {
		in.report = append(in.report, data[:min(space, len(data))]...)
	}
}

// crashText is a report as the user should read it: without the lines that
// begin as one of hidden does. program is the path of the kernel's program.
func crashText(report []byte, hidden []string, program string) string {
	var shown []string
	for line := range strings.Lines(strings.ToValidUTF8(string(report), "\uFFFD")) {
		leftOut := slices.ContainsFunc(hidden, func(start string) bool {
			return strings.HasPrefix(line, strings.ReplaceAll(start, wire.ProgramPath, program))
		})
		if !leftOut {
			shown = append(shown, line)
		}
	}
	text := strings.TrimRight(strings.Join(shown, ""), "\n")
	if text != "" {
		text += "\n"
	}
	return text
}
