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
		cancel(fmt.Errorf("nothing came for %s: %w", longest, context.DeadlineExceeded))
	})
	whole := time.AfterFunc(10*longest, func() {
		cancel(fmt.Errorf("the reply was not whole after %s: %w", 10*longest, context.DeadlineExceeded))
	})
	alive = func() { quiet.Reset(longest) }
	stop = func() {
		quiet.Stop()
		whole.Stop()
		cancel(nil)
	}
	return watched, alive, stop
}
