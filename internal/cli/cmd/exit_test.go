package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// TestExitCodes holds a case for each line of the help, and the help has a line
// for each code.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	check := func(what string, got, want int) {
		if seen[want] = true; got != want {
			t.Errorf("%s: exit code %d, want %d", what, got, want)
		}
	}
	for _, c := range []struct {
		status event.Status
		limit  event.Limit
		want   int
	}{
		{event.OK, "", 0},
		{event.Error, "", 1},
		{event.Crashed, "", 1},
		{event.OutputLimit, event.OutputSize, 1},
		{event.Error, event.OpenFiles, 1},
		{event.Timeout, event.WallTime, 124},
		{event.Timeout, event.CPUTime, 124},
		{event.Interrupted, "", 130},
		{event.Memory, event.MemoryUse, 137},
		{event.Killed, "", 137},
		{event.Error, event.DiskSpace, 137},
		{event.Error, event.ProcessCount, 137},
		{event.Error, event.MemoryUse, 137},
		{event.OK, event.DiskSpace, 0}, // the code dealt with it
	} {
		check(fmt.Sprint(c.status, " by ", c.limit), executionCode(event.Execution{Status: c.status, Limit: c.limit}), c.want)
	}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{exitStatus{exitUnfinished}, 3},
		{exitStatus{exitUnverified}, 4},
		{fault.Coded(fault.FiguresUntraced, nil, "untraced"), 4},
		{usage("praxis run", "wrong"), 2},
		{fault.New(fault.NotFound, "", "no such run"), 2},
		{fault.Coded(fault.SessionExists, nil, "there is one"), 2},
		{fault.Coded(fault.ModelUnknown, nil, "no such provider"), 2},
		{fault.Coded(fault.ModelMissing, nil, "no such model"), 2},
		{fault.Coded(fault.ModelUnchosen, nil, "no model"), 125},
		{fault.Coded(fault.ModelKeyMissing, nil, "no key"), 125},
		{fault.Coded(fault.ModelFailed, nil, "no answer"), 125},
		{fault.Coded(fault.StepsUsedUp, nil, "no steps"), 125},
		{fault.New(fault.Unavailable, "", "no network"), 125},
		{errors.New("broken"), 125},
		{context.Canceled, 130},
		{fmt.Errorf("stopped: %w", errInterrupted), 130},
		{fmt.Errorf("write: %w", syscall.EPIPE), 141},
	} {
		check(fmt.Sprint(c.err), errorCode(c.err), c.want)
	}
	var listed []int
	for line := range strings.Lines(exitTopic) {
		code := 0
		if _, err := fmt.Sscanf(line, "  %d ", &code); err == nil {
			listed = append(listed, code)
		}
	}
	for code := range seen {
		if !slices.Contains(listed, code) {
			t.Errorf("the help has no line for %d", code)
		}
	}
	if len(listed) != len(seen) {
		t.Errorf("the help lists %d, of which %d have a case", listed, len(seen))
	}
}
