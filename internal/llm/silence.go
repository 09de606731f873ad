package llm

import (
	"context"
	"fmt"
	"time"
)

// Silence bounds how long a server may say nothing, and ten times that for the
// whole of its answer, so that a server that drips bytes ends too. The context
// that it returns is cancelled with a cause that says which. Every byte that a
// [Client] reads in this context counts, also those that an SDK keeps to itself,
// such as the pings of a stream. stop must be called when the answer is over.
func Silence(ctx context.Context, longest time.Duration) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	quiet := time.AfterFunc(longest, func() {
		cancel(tooSlow(fmt.Sprintf("nothing came for %s", longest)))
	})
	whole := time.AfterFunc(10*longest, func() {
		cancel(tooSlow(fmt.Sprintf("the reply was not whole after %s", 10*longest)))
	})
	watched = context.WithValue(watched, aliveKey{}, func() { quiet.Reset(longest) })
	return watched, func() {
		quiet.Stop()
		whole.Stop()
		cancel(nil)
	}
}

// aliveKey is the context's key of the function to call when something came.
type aliveKey struct{}

// alive returns that function.
func alive(ctx context.Context) func() {
	if f, ok := ctx.Value(aliveKey{}).(func()); ok {
		return f
	}
	return func() {}
}

// tooSlow says which bound a server broke.
type tooSlow string

// Error returns the text.
func (t tooSlow) Error() string { return string(t) }

// Is makes it a deadline that passed.
func (t tooSlow) Is(target error) bool { return target == context.DeadlineExceeded }
