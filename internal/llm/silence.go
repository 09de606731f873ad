package llm

import (
	"context"
	"fmt"
	"time"
)

// Silence bounds how long a stream may say nothing, and ten times that for the
// whole of it, so that a server that drips bytes ends too. The context that it
// returns is cancelled with a cause that says which; alive is called whenever
// something came; stop must be called when the stream is over.
func Silence(ctx context.Context, longest time.Duration) (watched context.Context, alive, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	quiet := time.AfterFunc(longest, func() {
		cancel(tooSlow(fmt.Sprintf("nothing came for %s", longest)))
	})
	whole := time.AfterFunc(10*longest, func() {
		cancel(tooSlow(fmt.Sprintf("the reply was not whole after %s", 10*longest)))
	})
	alive = func() { quiet.Reset(longest) }
	stop = func() {
		quiet.Stop()
		whole.Stop()
		cancel(nil)
	}
	return watched, alive, stop
}

// tooSlow says which bound a server broke.
type tooSlow string

// Error returns the text.
func (t tooSlow) Error() string { return string(t) }

// Is makes it a deadline that passed.
func (t tooSlow) Is(target error) bool { return target == context.DeadlineExceeded }
