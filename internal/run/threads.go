package run

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"praxis/event"
)

// RestCode waits for the threads that the code left, as an interpreter does
// before it ends: pools of threads learn that nothing more comes, and daemon
// threads are not waited for. Its value is how many go on all the same.
const RestCode = `def __rest__():
    import sys
    threading = sys.modules.get("threading")
    if threading is None:
        return None
    def left():
        skip = threading.main_thread(), threading.current_thread()
        return [t for t in threading.enumerate() if not t.daemon and t not in skip]
    try:
        end = getattr(sys.modules.get("concurrent.futures.thread"), "_python_exit", None)
        if end is not None and left():
            end()
        while threads := left():
            for t in threads:
                t.join()
    except KeyboardInterrupt:
        pass
    return len(left()) or None
__rest__()
`

// minRest is the least time that threads get: code that ended in time is not
// said to have broken the limit because looking for threads took some time.
const minRest = event.Duration(200 * time.Millisecond)

// awaitThreads waits for the threads that code left in a session that ends with
// the command, and adds what they did to x. The bounds are those of the code:
// what it used is used.
func awaitThreads(ctx context.Context, s Session, x *event.Execution, bounds event.Bounds, sink event.Sink) error {
	if x.State != event.Intact || x.Status != event.OK && x.Status != event.Error {
		return nil
	}
	spent := func(ms float64) event.Duration { return event.Duration(ms * float64(time.Millisecond)) }
	bounds.Timeout = max(bounds.Timeout-spent(x.Usage.WallMS), minRest)
	if bounds.CPU > 0 {
		bounds.CPU = max(bounds.CPU-spent(x.Usage.CPUMS), minRest)
	}
	rest, err := s.Execute(ctx, RestCode, bounds, sink)
	if err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			return err
		}
		return errors.Join(errors.New("cannot wait for the threads that the code left"), err)
	}
	x.Stdout += rest.Stdout
	x.Stderr += rest.Stderr
	x.Displays = append(x.Displays, rest.Displays...)
	x.Usage.WallMS += rest.Usage.WallMS
	x.Usage.CPUMS += rest.Usage.CPUMS
	x.Usage.PeakMemoryBytes = max(x.Usage.PeakMemoryBytes, rest.Usage.PeakMemoryBytes)
	if x.OutputFile == "" {
		x.OutputFile = rest.OutputFile
	}
	x.State = rest.State
	if rest.Status == event.OK || rest.Status == event.Error && rest.Limit == "" {
		return nil
	}
	if x.Status == event.OK {
		x.Status, x.Limit = rest.Status, rest.Limit
	}
	x.Message = joined(x.Message, rest.Cause(), ended(rest.Result))
	return nil
}

// ended says what became of the threads that are left. The number is the guest's.
func ended(left event.Bundle) string {
	n, err := strconv.Atoi(left["text"])
	switch {
	case err != nil || n < 1 || n > 1<<16:
		return "its background threads were ended"
	case n == 1:
		return "1 background thread was ended"
	}
	return strconv.Itoa(n) + " background threads were ended"
}

// joined makes one message of several, of which some may be empty.
func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "; ")
}
