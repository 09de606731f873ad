package runsc

import (
	"encoding/json"
	"fmt"

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
)

// gVisor compiles the seccomp filters of the sentry and the gofer from rules.
// Its own build does that once and links the result; built as a library it does
// so at every start, which costs 20 to 30 ms of each. seccomp_amd64.json holds
// the same result, keyed by the options that it was compiled for: with any other
// options gVisor finds no program and compiles as before. A test compiles the
// rules anew and wants the file to say the same, instruction by instruction.

// seccompPrograms are the compiled filters of the two processes.
type seccompPrograms struct {
	Sentry precompiledseccomp.Program `json:"sentry"`
	Gofer  precompiledseccomp.Program `json:"gofer"`
}

// loadSeccomp reads the compiled filters. There are none on other architectures.
func loadSeccomp() (p seccompPrograms, ok bool, err error) {
	if len(seccompFile) == 0 {
		return p, false, nil
	}
	if err := json.Unmarshal(seccompFile, &p); err != nil {
		return p, false, fmt.Errorf("cannot read compiled filters: %w", err)
	}
	return p, true, nil
}
