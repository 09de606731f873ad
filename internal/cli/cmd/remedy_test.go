package cmd

import (
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/cli/format"
)

// TestRemedies requires that the remedy of a limit names the flag that raises it.
func TestRemedies(t *testing.T) {
	for _, c := range []struct {
		x    event.Execution
		flag string
	}{
		{event.Execution{Status: event.Timeout, Limit: event.WallTime}, "--timeout"},
		{event.Execution{Status: event.Timeout}, "--timeout"},
		{event.Execution{Status: event.Timeout, Limit: event.CPUTime}, "--cpu-time"},
		{event.Execution{Status: event.Memory, Limit: event.MemoryUse}, "--memory"},
		{event.Execution{Status: event.Memory}, "--memory"},
		{event.Execution{Status: event.OutputLimit, Limit: event.OutputSize}, "--output-limit"},
		{event.Execution{Status: event.Error, Limit: event.ProcessCount}, "--processes"},
		{event.Execution{Status: event.Killed, Limit: event.ProcessCount}, "--processes"},
		{event.Execution{Status: event.Error, Limit: event.DiskSpace}, "--disk"},
		{event.Execution{Status: event.Error, Limit: event.OpenFiles}, "Close files"},
	} {
		c.x.Message = "the limit of 5 was reached"
		message, remedy := format.Explain(c.x)
		if !strings.HasSuffix(message, c.x.Message) || !strings.Contains(remedy, c.flag) {
			t.Errorf("%s %s: got %q %q, want %s", c.x.Status, c.x.Limit, message, remedy, c.flag)
		}
	}
	if message, remedy := format.Explain(event.Execution{Status: event.Error}); message+remedy != "" {
		t.Errorf("an error alone: got %q %q", message, remedy)
	}
}
