package run

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/language"
)

// minRest is the least time that threads get: code that ended in time is not
// said to have broken the limit because looking for threads took some time.
const minRest = event.Duration(200 * time.Millisecond)

// awaitThreads waits for the threads that code left in a session that ends with
// the command, and adds what they did to x. The bounds are those of the code:
// what it used is used.
func awaitThreads(ctx context.Context, s Session, lang language.Language, x *event.Execution, bounds event.Bounds, sink event.Sink) error {
	if lang.Model.Rest == "" || x.State != event.Intact || x.Status != event.OK && x.Status != event.Error {
		return nil
	}
	spent := func(ms float64) event.Duration { return event.Duration(ms * float64(time.Millisecond)) }
	bounds.Timeout = max(bounds.Timeout-spent(x.Usage.WallMS), minRest)
	if bounds.CPU > 0 {
		bounds.CPU = max(bounds.CPU-spent(x.Usage.CPUMS), minRest)
	}
	rest, err := s.Execute(ctx, lang.Name, lang.Model.Rest, bounds, sink)
	if err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			return err
		}
		return errors.Join(errors.New("cannot wait for the threads that the code left"), err)
	}
	x.Stdout += rest.Stdout
	x.Stderr += rest.Stderr
	x.StdoutBytes += rest.StdoutBytes
	x.StderrBytes += rest.StderrBytes
	x.StdoutTruncated = x.StdoutTruncated || rest.StdoutTruncated
	x.StderrTruncated = x.StderrTruncated || rest.StderrTruncated
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
