package session

import (
	"os"
	"strings"
	"testing"

	"praxis/internal/guest/agent"
	"praxis/internal/sandbox/gvisor"
)

// The test binary is the sandbox's processes and the agent too, as praxis is.
func TestMain(m *testing.M) {
	if gvisor.Dispatch(os.Args) {
		return
	}
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "guest-") {
		os.Exit(agent.Main())
	}
	os.Exit(m.Run())
}
