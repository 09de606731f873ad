package egress

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
)

// verdict is the sort of a refusal.
type verdict uint8

const (
	denied      verdict = iota + 1 // no rule allows it
	malformed                      // it was not understood, or can be understood in two ways
	tooLarge                       // its head is longer than is read
	unsupported                    // understood, and not supported by this proxy
	unreachable                    // the host has no address, or does not answer
	crowded                        // a limit on connections is met
)

// status returns how HTTP says it.
func (v verdict) status() int {
	switch v {
	case denied:
		return http.StatusForbidden
	case tooLarge:
		return http.StatusRequestHeaderFieldsTooLarge
	case unsupported:
		return http.StatusNotImplemented
	case unreachable:
		return http.StatusBadGateway
	case crowded:
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadRequest
	}
}

// refusal is why something is not let through. It contains no secret, since both
// the code and the journal get all of it.
type refusal struct {
	verdict verdict
	host    string
	port    uint16
	reason  string
	remedy  string
	code    fault.Code // "": the remedy is the same for every reader
}

// Error returns the reason.
func (r *refusal) Error() string { return r.reason }

func refuse(v verdict, t target, remedy, format string, args ...any) *refusal {
	return &refusal{verdict: v, host: t.host, port: t.port, remedy: remedy, reason: fmt.Sprintf(format, args...)}
}

// refusalOf finds the refusal in an error, or makes one of it.
func refusalOf(err error, t target) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return refuse(unreachable, t, "", "%s did not answer: %v", t, err)
}

// writePage answers a request with a refusal. Clients that ask for a tunnel show
// only the first line, so that it says all.
func (r *refusal) writePage(w io.Writer, head bool) error {
	line := "Refused by praxis: " + r.reason
	if r.remedy != "" {
		line += ". " + r.remedy
	}
	line = printable(line)
	body := line + "\n"
	if head {
		body = ""
	}
	_, err := fmt.Fprintf(w, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		r.verdict.status(), line, len(line)+1, body)
	return err
}

// printable makes one line of ASCII of text that others chose.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// Bounds of the events of refusals: so many one by one, and so many sorts of
// further ones, which are counted. What is recorded follows from the refusals
// alone: how fast they come does not count.
const (
	refusalsEach  = 100
	refusalsSorts = 20
)

// reporter emits the events. Refusals of the same kind are grouped, so that
// code that tries in a loop cannot flood the journal: they are
// emitted each time that their total has doubled.
type reporter struct {
	sink event.Sink

	mu      sync.Mutex
	total   int // refusals so far
	due     int // the total at which the groups are emitted
	groups  []event.ConnectionRefused
	indexes map[event.ConnectionRefused]int // of the groups, by what they are without their count
}

func (r *reporter) emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sink.Emit(e)
}

// refused reports a refusal. via is the protocol that the code used.
func (r *reporter) refused(ref *refusal, via string) {
	e := event.ConnectionRefused{Host: printable(safetext.Clip(ref.host, 100)), Port: int(ref.port), Via: via, Reason: printable(ref.reason), Remedy: printable(ref.remedy), Code: string(ref.code)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.total++; r.total <= refusalsEach {
		e.Count = 1
		r.sink.Emit(e)
		r.due = 2 * refusalsEach
		return
	}
	if _, ok := r.indexes[e]; !ok && len(r.groups) >= refusalsSorts {
		e = event.ConnectionRefused{Reason: "refusals of other sorts, too many to tell apart"}
	}
	i, ok := r.indexes[e]
	if !ok {
		if r.indexes == nil {
			r.indexes = map[event.ConnectionRefused]int{}
		}
		i = len(r.groups)
		r.indexes[e], r.groups = i, append(r.groups, e)
	}
	r.groups[i].Count++
	if r.total == r.due {
		r.flushLocked()
		r.due *= 2
	}
}

// flush emits the groups.
func (r *reporter) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushLocked()
}

// flushLocked emits the groups. r.mu is held.
func (r *reporter) flushLocked() {
	for _, e := range r.groups {
		r.sink.Emit(e)
	}
	r.groups, r.indexes = nil, nil
}
