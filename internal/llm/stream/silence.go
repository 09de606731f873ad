package stream

import (
	"context"
	"fmt"
	"time"
)

// watch bounds how long a server may say nothing, and ten times that for the
// whole of its answer, so that a server that drips bytes ends too. The context
// that it returns is cancelled with a cause that says which bound was broken.
// came must be called for every piece of the answer, also for one that means
// nothing, such as the pings of a stream; stop when the answer is over.
func watch(ctx context.Context, longest time.Duration) (watched context.Context, came, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	quiet := time.AfterFunc(longest, func() {
		cancel(tooSlow(fmt.Sprintf("nothing came for %s", longest)))
	})
	whole := time.AfterFunc(10*longest, func() {
		cancel(tooSlow(fmt.Sprintf("the reply was not whole after %s", 10*longest)))
	})
	return watched, func() { quiet.Reset(longest) }, func() {
		quiet.Stop()
		whole.Stop()
		cancel(nil)
	}
}

// tooSlow says which bound a server broke.
type tooSlow string

// Error returns the text.
func (t tooSlow) Error() string { return string(t) }

// Is makes it a deadline that passed.
func (t tooSlow) Is(target error) bool { return target == context.DeadlineExceeded }
