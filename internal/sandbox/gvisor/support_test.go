package gvisor

import (
	"context"
	"time"
)

// testContext is for processes that are no test.
func testContext() context.Context { return context.Background() }

// eventually asks until f says yes, for a bounded time.
func eventually(f func() bool) bool {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if f() {
			return true
		}
	}
	return f()
}
