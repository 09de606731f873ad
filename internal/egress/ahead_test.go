package egress

import (
	"bufio"
	"strings"
	"testing"
	"time"
)

// Whoever sees that a body is at its end reads the next request, and must find
// whom to wait for: two that read ahead at once take each other's bytes.
func TestTheEndOfABodyIsSeenAfterItsReader(t *testing.T) {
	s := &side{br: bufio.NewReader(strings.NewReader("GET / HTTP/1.1"))}
	b := &inbound{side: s, closed: make(chan struct{}), cancel: func() {}}
	s.mu.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.end()
	}()
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if b.ended.Load() {
			t.Error("the end is seen before the one that reads ahead")
			break
		}
	}
	s.mu.Unlock()
	<-done
	s.alone()
	if !b.ended.Load() || s.watching == nil {
		t.Error("nobody read ahead")
	}
}
